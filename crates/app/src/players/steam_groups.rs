//! Which Steam groups players are in, remembered for ten minutes for the polls of game servers. Whoever must know it
//! now, such as a person who verifies, asks `platform` directly.

use std::sync::Arc;
use std::time::Duration;

use domain::platform_id::SteamId;
use domain::quota::Purpose;
use domain::steam_group::Groups;
use futures_util::StreamExt;
use tokio::sync::oneshot;

use crate::error::AppError;
use crate::memories::steam_groups::AT_ONCE;
use crate::state::App;

/// How long a poll waits for what is not known yet.
const POLL_WAITS: Duration = Duration::from_secs(5);
/// How long the rest goes on behind it, for the next poll.
const REFRESH_LASTS: Duration = Duration::from_secs(60);

/// The groups of these players as far as they are known, in the order asked. Steam is asked about the others for a few
/// seconds, those who are `first` before the rest; it goes on behind the answer.
pub(crate) async fn of_players(
    app: &App,
    org_num: i64,
    players: &[SteamId],
    first: impl Fn(&SteamId) -> bool,
) -> Result<Vec<Option<Arc<Groups>>>, AppError> {
    app.platforms.steam_api()?;
    let groups = &app.memories.steam_groups;
    let steady_ms = app.clock.steady_ms();
    let mut unknown: Vec<SteamId> = players
        .iter()
        .filter(|player| groups.find(player, steady_ms).is_none())
        .cloned()
        .collect();
    unknown.sort_by_key(|player| !first(player));
    if !unknown.is_empty() {
        let (done, asked) = oneshot::channel::<()>();
        let task = refresh(app.clone(), org_num, unknown);
        app.tasks.spawn(async move {
            task.await;
            drop(done);
        });
        drop(tokio::time::timeout(POLL_WAITS, asked).await);
    }
    let steady_ms = app.clock.steady_ms();
    Ok(players
        .iter()
        .map(|player| groups.find(player, steady_ms))
        .collect())
}

/// Asks about as many as the Org has room for; the next poll asks about the others.
async fn refresh(app: App, org_num: i64, mut players: Vec<SteamId>) {
    let room = app.memories.steam_groups.wait(org_num, players.len());
    players.truncate(room.count as usize);
    let each =
        futures_util::stream::iter(players).for_each_concurrent(AT_ONCE, |player| ask(&app, org_num, player));
    if tokio::time::timeout(REFRESH_LASTS, each).await.is_err() {
        tracing::debug!("Steam was too slow to tell the groups of all players of a poll");
    }
}

/// Asks about one player unless somebody else just did. Without an answer nothing is remembered.
async fn ask(app: &App, org_num: i64, player: SteamId) {
    let groups = &app.memories.steam_groups;
    let _turn = groups.turn(&player).await;
    if groups.find(&player, app.clock.steady_ms()).is_some() {
        return;
    }
    let (Some(steam), Ok(_permit)) = (&app.platforms.steam_api, groups.calls.acquire().await) else {
        return;
    };
    if let Ok(found) = steam.groups(&player, Purpose::Bulk { org_num }).await {
        groups.remember(player, found, app.clock.steady_ms());
    }
}
