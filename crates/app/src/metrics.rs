//! The application in numbers. They live beside what they count; here each gets its name and its meaning, whenever
//! somebody asks for them. A new one is a `Counter` in a memory or a value that can be read, and a line here.

use domain::job::{JobKind, LaneKind};
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::registry::Registry;

use crate::memories::alerts::AlertEnd;
use crate::state::App;
use crate::webhooks::MessageEnd;

/// Labels with their values.
type Labels<const N: usize> = [(&'static str, &'static str); N];

/// Adds everything this application can tell.
pub fn register(app: &App, registry: &mut Registry) {
    store(app, registry);
    providers(app, registry);
    jobs(app, registry);
    alerts(app, registry);
    webhooks(app, registry);
    let memories = &app.memories;
    registry.register(
        "housekeeping_failures",
        "Steps of the housekeeping of each minute that failed; the others are done all the same",
        memories.failed_steps.clone(),
    );
    registry.register(
        "refusals_dropped",
        "Refusals of members that were not noted in the audit log, because too many waited",
        ConstCounter::new(memories.refusals.dropped()),
    );
    registry.register(
        "errors_dropped",
        "Groups of failures that were not noted in the error log, because too many waited",
        ConstCounter::new(memories.errors.dropped()),
    );
}

fn alerts(app: &App, registry: &mut Registry) {
    let memory = &app.memories.alerts;
    // Shown before the first one, so that an alarm can be set on it.
    for end in AlertEnd::ALL {
        memory.count(end, 0);
    }
    registry.register(
        "alerts",
        "Failures that operators are told of, and the messages about them, by what became of them",
        memory.outcomes.clone(),
    );
}

fn webhooks(app: &App, registry: &mut Registry) {
    let outcomes = &app.memories.webhooks;
    // Shown before the first one, so that an alarm can be set on it.
    for end in MessageEnd::ALL {
        drop(outcomes.get_or_create(&[("outcome", end.as_str())]));
    }
    registry.register(
        "webhook_messages",
        "Attempts to send a message to a webhook, and messages that were given up, by what became of them",
        outcomes.clone(),
    );
}

fn store(app: &App, registry: &mut Registry) {
    let load = app.db.load();
    registry.register(
        "write_queue_units",
        "Changes that wait for the database",
        ConstGauge::new(load.waiting),
    );
    registry.register(
        "write_queue_oldest_seconds",
        "How long the first of them has waited",
        ConstGauge::new(load.longest_wait.as_secs_f64()),
    );
    registry.register(
        "database_connections_limit",
        "Connections of the pool: all of them on PostgreSQL, those for long reads on SQLite",
        ConstGauge::new(load.connections),
    );
    registry.register(
        "database_connections_in_use",
        "Connections of the pool that are in use",
        ConstGauge::new(load.connections_in_use),
    );
    registry.register(
        "commit_seconds",
        "Time of a commit; on SQLite one is for all changes that waited",
        app.db.commit_seconds().clone(),
    );
}

fn jobs(app: &App, registry: &mut Registry) {
    let numbers = &app.memories.jobs;
    // Shown before the first one, so that an alarm can be set on it.
    for kind in JobKind::ALL {
        let kind = ("kind", kind.as_str());
        drop(numbers.outcomes.get_or_create(&[kind, ("outcome", "dropped")]));
        drop(numbers.waiting.get_or_create(&[kind]));
        drop(numbers.oldest_seconds.get_or_create(&[kind]));
    }
    drop(
        numbers
            .claimed
            .get_or_create(&[("lanes", LaneKind::Guild.as_str())]),
    );
    registry.register("jobs", "Jobs by what became of them", numbers.outcomes.clone());
    registry.register(
        "job_lanes_claimed",
        "Turns that lanes of jobs had",
        numbers.claimed.clone(),
    );
    registry.register(
        "jobs_waiting",
        "Jobs that wait, each minute",
        numbers.waiting.clone(),
    );
    registry.register(
        "jobs_oldest_seconds",
        "Age of the oldest job that waits, each minute",
        numbers.oldest_seconds.clone(),
    );
}

fn providers(app: &App, registry: &mut Registry) {
    let calls = Family::<Labels<2>, Counter>::default();
    let paused = Family::<Labels<1>, Gauge>::default();
    for standing in app.platforms.standings() {
        let provider = ("provider", standing.provider);
        // Shown before the first one, so that an alarm can be set on it.
        drop(calls.get_or_create(&[provider, ("outcome", "answered")]));
        for (outcome, count) in standing.calls {
            calls
                .get_or_create(&[provider, ("outcome", outcome)])
                .inc_by(count);
        }
        paused.get_or_create(&[provider]).set(standing.is_paused.into());
        if let Some((used, limit)) = standing.today {
            steam_quota(used, limit, registry);
        }
    }
    registry.register(
        "provider_calls",
        "Calls to other people's systems by what became of them, those included that were not made",
        calls,
    );
    registry.register(
        "provider_paused",
        "1 while a provider keeps failing and is asked only now and then",
        paused,
    );
}

/// Only Steam's Web API has a number of calls for the day.
fn steam_quota(used: u32, limit: u32, registry: &mut Registry) {
    registry.register(
        "steam_calls_today",
        "Calls to Steam's Web API on this day (UTC), of all nodes as far as known",
        ConstGauge::new(used),
    );
    registry.register(
        "steam_calls_limit",
        "Calls to Steam's Web API that a day has",
        ConstGauge::new(limit),
    );
}
