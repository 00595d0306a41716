//! Who does which job. It stands above the areas, as jobs of any of them are done here.

use std::sync::Arc;

use domain::job::{Job, LaneKind};
use tokio::sync::watch;

use crate::billing;
use crate::bots::{log, look};
use crate::error::AppError;
use crate::import;
use crate::jobs::{Claimed, Engine, Outcome, Worker, carry};
use crate::players::{bulk_unlink, cleanup_run, following, sweep};
use crate::roles;
use crate::state::App;
use crate::tenancy::end_guild;
use crate::webhooks;

/// Lanes that somebody works off here. What is done on Discord waits while no bot is set up, and ends after its time.
pub fn worked(app: &App) -> impl Iterator<Item = LaneKind> {
    let (has_bot, is_sold, sends) = (
        app.platforms.discord_bot.is_some(),
        app.platforms.stripe.is_some(),
        app.platforms.webhooks.is_some(),
    );
    let is_worked = move |kind: &LaneKind| match kind {
        LaneKind::Guild | LaneKind::People | LaneKind::Org => true,
        LaneKind::Log | LaneKind::Bot | LaneKind::Roles => has_bot,
        LaneKind::Billing => is_sold,
        LaneKind::Webhook => sends,
    };
    LaneKind::ALL.iter().copied().filter(is_worked)
}

fn worker() -> Worker {
    Arc::new(|app, claimed| Box::pin(async move { step(&app, claimed).await }))
}

async fn step(app: &App, claimed: Claimed) -> Result<Outcome, AppError> {
    match &claimed.job {
        Job::EndGuild { guild } => end_guild::step(app, &claimed, guild).await,
        Job::EndServer { server, .. } => end_guild::server_step(app, &claimed, server).await,
        Job::LogLinked { guild, .. } | Job::LogUnlinked { guild, .. } | Job::LogMore { guild } => {
            log::step(app, &claimed, guild).await
        }
        Job::LookAtGuild { guild } => look::step(app, &claimed, guild).await,
        Job::SyncRoles { guild } => roles::step(app, &claimed, guild).await,
        Job::RecheckRoles { guild } => roles::recheck_step(app, &claimed, guild).await,
        Job::FollowPeople { .. } => following::step(app, &claimed).await,
        Job::UnlinkPeople { by, .. } => bulk_unlink::step(app, &claimed, by).await,
        Job::SweepPeople { .. } => sweep::step(app, &claimed).await,
        Job::CleanUp { .. } => cleanup_run::step(app, &claimed).await,
        Job::ReadBilling { .. } => billing::read::step(app, &claimed).await,
        Job::SendWebhook { webhook } => webhooks::step(app, &claimed, webhook).await,
        Job::ImportLinks { import, by, .. } => import::job::step(app, &claimed, import, by).await,
    }
}

/// An engine for each kind of lane that is worked off.
pub fn engines(app: &App, stop: &watch::Receiver<bool>) -> Vec<Engine> {
    worked(app)
        .map(|lanes| Engine::new(app, lanes, worker(), stop.clone()))
        .collect()
}

/// Starts the engines and what wakes them; they end when `stop` becomes true.
pub fn start(app: &App, stop: &watch::Receiver<bool>) {
    for engine in engines(app, stop) {
        app.tasks.supervise("jobs", move || engine.clone().run());
    }
    let (app_of_task, stop) = (app.clone(), stop.clone());
    app.tasks
        .supervise("bell", move || carry(app_of_task.clone(), stop.clone()));
}

/// Does what is due to people, and nothing else: no message is sent and no role is given.
pub async fn catch_up_with_people(app: &App) -> Result<(), AppError> {
    sweep::begin_due(app).await?;
    let (_never, stop) = watch::channel(false);
    for lanes in [LaneKind::People, LaneKind::Org] {
        Engine::new(app, lanes, worker(), stop.clone()).drain().await?;
    }
    Ok(())
}

/// Does all that is due and can be done. What waits after that is told by the kind of its lane.
pub async fn drain(app: &App) -> Result<Vec<(String, i64)>, AppError> {
    let (_never, stop) = watch::channel(false);
    for engine in engines(app, &stop) {
        engine.drain().await?;
    }
    let left = storage::jobs::count_waiting(&app.db).await?;
    Ok(left.into_iter().map(|left| (left.lanes, left.jobs)).collect())
}
