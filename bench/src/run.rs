//! The whole benchmark in its order: seed, serve, restart, write.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use crate::cold::cold_starts;
use crate::data::Dataset;
use crate::discord::with_discord;
use crate::ground::{Databases, Ground};
use crate::http::{Contestant, closed_rounds, one_call_for, open_phases};
use crate::load::Call;
use crate::people::large_org;
use crate::phase::Mistakes;
use crate::process::Server;
use crate::removal::removals;
use crate::report::{self, Target, heading, line, mebibytes};
use crate::roles::new_rule;
use crate::store::Store;
use crate::writes::Writing;
use crate::{Fallible, data};

/// Time for the allocator and the background tasks to come to rest before memory is read.
const SETTLE: Duration = Duration::from_secs(2);

/// Nobody asks anything for so long.
const REST: Duration = Duration::from_secs(20);

struct Plan {
    links: u64,
    rounds: usize,
    length: Duration,
    open_length: Duration,
    starts: usize,
    regenerations: usize,
    removal_length: Duration,
}

impl Plan {
    fn new(quick: bool) -> Self {
        let seconds = Duration::from_secs;
        if quick {
            Self {
                links: 100_000,
                rounds: 1,
                length: seconds(2),
                open_length: seconds(2),
                starts: 2,
                regenerations: 100,
                removal_length: seconds(2),
            }
        } else {
            Self {
                links: 1_000_000,
                rounds: 5,
                length: seconds(5),
                open_length: seconds(10),
                starts: 5,
                regenerations: 1_000,
                removal_length: seconds(10),
            }
        }
    }
}

/// Runs everything and cleans up after it. False when something was answered wrongly.
pub async fn everything(quick: bool, data_dir: Option<PathBuf>) -> Fallible<bool> {
    report::machine();
    let ground = Ground::prepare(data_dir, Databases::All).await?;
    let result = measure(&Plan::new(quick), &ground).await;
    ground.clear().await?;
    result
}

/// One measurement alone.
#[derive(Clone, Copy)]
pub enum Only {
    /// What the removal of a large Guild costs others.
    Removal,
    /// A new rule in a large Guild.
    Roles,
    /// An Org with a great many people.
    People,
    /// Unlinks beside a Discord that hangs, and the bot's memory.
    Discord,
}

/// Seeds both databases for it and cleans up after it.
pub async fn alone(only: Only, quick: bool, data_dir: Option<PathBuf>) -> Fallible<bool> {
    report::machine();
    let ground = Ground::prepare(data_dir, Databases::All).await?;
    let result = measure_only(only, &Plan::new(quick), &ground).await;
    ground.clear().await?;
    result
}

async fn measure_only(only: Only, plan: &Plan, ground: &Ground) -> Fallible<bool> {
    let mut mistakes = Mistakes::default();
    let data = Dataset::new(plan.links);
    for store in &ground.stores {
        store.prepare(&data).await?;
    }
    let (stores, binaries, length) = (&ground.stores, &ground.binaries, plan.removal_length);
    match only {
        Only::Removal => {
            let removal = removals(length, stores, binaries, &data, &mut mistakes).await?;
            report::targets(&[removal_target(removal)]);
        }
        Only::Roles => {
            let found = new_rule(length, stores, binaries, &data, &mut mistakes).await?;
            report::targets(&found.targets());
        }
        Only::People => {
            let found = large_org(length, stores, binaries, &data, &mut mistakes).await?;
            report::targets(&found.targets());
        }
        Only::Discord => {
            let found = with_discord(length, stores, binaries, &data, &mut mistakes).await?;
            report::targets(&found.targets());
        }
    }
    Ok(mistakes.none())
}

/// Seeds one database and keeps its server busy.
pub async fn under_load(
    call: Call,
    seconds: usize,
    postgres: bool,
    quick: bool,
    data_dir: Option<PathBuf>,
) -> Fallible<bool> {
    let wanted = if postgres {
        Databases::Postgres
    } else {
        Databases::Sqlite
    };
    let ground = Ground::prepare(data_dir, wanted).await?;
    let result = keep_busy(call, seconds, &Plan::new(quick), &ground).await;
    ground.clear().await?;
    result
}

async fn keep_busy(call: Call, seconds: usize, plan: &Plan, ground: &Ground) -> Fallible<bool> {
    let mut mistakes = Mistakes::default();
    let baseline = spawn_baseline(ground)?;
    let data = Dataset::new(plan.links);
    for store in &ground.stores {
        store.prepare(&data).await?;
        let server = store.serve_ready(&ground.binaries).await?;
        line(&format!("{:<10} serving as process {}", store.name, server.id()));
        one_call_for(
            call,
            seconds,
            store.name,
            &server,
            &baseline,
            &data,
            &mut mistakes,
        )
        .await?;
    }
    Ok(mistakes.none())
}

async fn measure(plan: &Plan, ground: &Ground) -> Fallible<bool> {
    let Ground { binaries, stores, .. } = ground;
    let mut mistakes = Mistakes::default();
    let data = Arc::new(Dataset::new(plan.links));
    line(&format!(
        "data       {} links, {} tenants",
        data.links(),
        data::TENANTS
    ));
    for store in stores {
        store.prepare(&data).await?;
    }
    let served = serve(plan, ground, &data, &mut mistakes).await?;
    let cold = cold_starts(plan.starts, &stores[0], binaries, &data, &mut mistakes)?;
    let rule = new_rule(plan.removal_length, stores, binaries, &data, &mut mistakes).await?;
    let people = large_org(plan.removal_length, stores, binaries, &data, &mut mistakes).await?;
    // Before the writes, which leave jobs behind and make keys anew.
    let removal = removals(plan.removal_length, stores, binaries, &data, &mut mistakes).await?;
    let found = with_discord(plan.removal_length, stores, binaries, &data, &mut mistakes).await?;
    let factor = write(plan, stores, &data, &mut mistakes).await?;
    hold_against_targets(&served, cold, factor, removal);
    report::targets(&found.targets());
    report::targets(&rule.targets());
    report::targets(&people.targets());
    Ok(mistakes.none())
}

fn hold_against_targets(served: &Served, cold: f64, factor: f64, removal: f64) {
    let least = |what, goal, figure| Target {
        what,
        goal,
        at_least: true,
        unit: "",
        figure,
    };
    let most = |what, goal, unit, figure| Target {
        what,
        goal,
        at_least: false,
        unit,
        figure: Some(figure),
    };
    report::targets(&[
        least("sqlite findBySteam, ratio to baseline", 0.50, served.sqlite_ratio),
        least(
            "postgres findBySteam, ratio to baseline",
            0.22,
            served.postgres_ratio,
        ),
        least(
            "sqlite steamChecks of 100, ratio to baseline",
            0.10,
            served.checks_ratio,
        ),
        most("private memory, idle", 40.0, " MiB", served.idle_mib),
        most("private memory, loaded", 80.0, " MiB", served.loaded_mib),
        most("processor used at rest", 1.0, " %", served.rest_percent),
        most("link page at 500 a second, p99", 20.0, " ms", served.page_p99_ms),
        most("cold start on sqlite", 1.0, " s", cold),
        least("durable links on sqlite, 64 writers to one", 1.8, Some(factor)),
        removal_target(removal),
    ]);
}

fn removal_target(figure: f64) -> Target {
    Target {
        what: "findBySteam beside a removal, p99 of allowed",
        goal: 1.0,
        at_least: false,
        unit: "",
        figure: Some(figure),
    }
}

fn spawn_baseline(ground: &Ground) -> Fallible<Server> {
    let mut bare = Command::new(&ground.binaries.bench);
    let log = ground.directory.join("baseline.log");
    let mut baseline = Server::spawn(bare.arg("baseline"), &[], &log)?;
    baseline.wait_until_up()?;
    Ok(baseline)
}

struct Served {
    sqlite_ratio: Option<f64>,
    postgres_ratio: Option<f64>,
    checks_ratio: Option<f64>,
    idle_mib: f64,
    loaded_mib: f64,
    page_p99_ms: f64,
    rest_percent: f64,
}

/// Everything that needs running servers; they are gone when this returns.
async fn serve(plan: &Plan, ground: &Ground, data: &Dataset, mistakes: &mut Mistakes) -> Fallible<Served> {
    let Ground { binaries, stores, .. } = ground;
    let baseline = spawn_baseline(ground)?;
    let mut contestants = Vec::new();
    for store in stores {
        let server = store.serve_ready(binaries).await?;
        contestants.push(Contestant {
            name: store.name,
            server,
            idle_bytes: 0,
            loaded_bytes: 0,
        });
    }
    tokio::time::sleep(SETTLE).await;
    let rest_percent = rest(&contestants).await?;
    for contestant in &mut contestants {
        contestant.idle_bytes = contestant.server.private_bytes()?;
    }
    let ratios = closed_rounds(
        plan.rounds,
        plan.length,
        &baseline,
        &mut contestants,
        data,
        mistakes,
    )
    .await?;
    let page_p99_ms = open_phases(plan.open_length, &baseline, &contestants, data, mistakes).await?;

    let (idle, loaded) = memory(&baseline, &contestants)?;
    let mib = |bytes: u64| bytes as f64 / (1024.0 * 1024.0);
    Ok(Served {
        sqlite_ratio: ratios.median_of("sqlite findBySteam"),
        postgres_ratio: ratios.median_of("postgres findBySteam"),
        checks_ratio: ratios.median_of("sqlite steamChecks"),
        idle_mib: mib(idle),
        loaded_mib: mib(loaded),
        page_p99_ms,
        rest_percent,
    })
}

/// The most that any server used at rest and under load, in bytes.
fn memory(baseline: &Server, contestants: &[Contestant]) -> Fallible<(u64, u64)> {
    heading("Private memory of the server");
    line(&format!(
        "{:<10} {:>10} after load",
        "baseline",
        mebibytes(baseline.private_bytes()?)
    ));
    let (mut idle, mut loaded) = (0, 0);
    for Contestant {
        name,
        idle_bytes,
        loaded_bytes,
        ..
    } in contestants
    {
        line(&format!(
            "{name:<10} {:>10} idle   {:>10} loaded",
            mebibytes(*idle_bytes),
            mebibytes(*loaded_bytes)
        ));
        (idle, loaded) = (idle.max(*idle_bytes), loaded.max(*loaded_bytes));
    }
    Ok((idle, loaded))
}

/// The share of one processor that the hungriest server uses while nobody asks anything, its database included.
async fn rest(contestants: &[Contestant]) -> Fallible<f64> {
    let used = |contestant: &Contestant| -> Fallible<Duration> {
        Ok(contestant.server.cpu_time()? + contestant.server.helpers_cpu_time())
    };
    let before: Vec<Duration> = contestants.iter().map(used).collect::<Fallible<_>>()?;
    tokio::time::sleep(REST).await;
    heading(&format!("Processor used at rest, over {} s", REST.as_secs()));
    let mut most = 0.0_f64;
    for (contestant, before) in contestants.iter().zip(before) {
        let percent = 100.0 * (used(contestant)? - before).as_secs_f64() / REST.as_secs_f64();
        line(&format!("{:<10} {percent:.2} %", contestant.name));
        most = most.max(percent);
    }
    Ok(most)
}

/// The factor of the first store, which is the embedded one.
async fn write(plan: &Plan, stores: &[Store], data: &Arc<Dataset>, mistakes: &mut Mistakes) -> Fallible<f64> {
    let mut factors = Vec::new();
    let mut writings = Vec::new();
    heading("Durable links a second, through the library");
    for store in stores {
        let writing = Writing::new(store.open().await?, data).await?;
        factors.push(
            writing
                .durable_links(store.name, plan.rounds, plan.length, mistakes)
                .await?,
        );
        writings.push((store.name, writing));
    }
    heading("Regenerating a key, through the library");
    for (name, writing) in &writings {
        writing.regenerations(name, plan.regenerations).await?;
    }
    heading("Check of the data");
    for (name, writing) in &writings {
        writing.finish(name, mistakes).await?;
    }
    factors
        .first()
        .copied()
        .ok_or_else(|| "no store was measured".into())
}
