//! A large Guild is removed while others go on: what that long work costs them.

use std::time::{Duration, Instant};

use app::identity::sessions;
use domain::job::LaneKind;
use storage::identity::accounts;
use storage::migrate::Migrate;
use storage::{Db, jobs};

use crate::Fallible;
use crate::data::{Dataset, LARGE_LINKS, large_slug};
use crate::load::{Call, status_of};
use crate::phase::{COLUMNS, Mistakes, WARM_UP, open_phase};
use crate::process::Server;
use crate::report::{heading, line};
use crate::store::{Binaries, Store};

pub const PER_SECOND: u64 = 500;
pub const LOOK_EVERY: Duration = Duration::from_millis(20);
/// What others may wait, however quick they are answered at rest.
pub const ALWAYS_FINE_MS: f64 = 5.0;

/// Returns by how much the worst p99 passes what is allowed: twice that of the same calls at rest, or 5 ms.
pub async fn removals(
    length: Duration,
    stores: &[Store],
    binaries: &Binaries,
    data: &Dataset,
    mistakes: &mut Mistakes,
) -> Fallible<f64> {
    heading(&format!(
        "Removing a Guild of {LARGE_LINKS} links beside findBySteam at {PER_SECOND} requests a second of others"
    ));
    line(COLUMNS);
    let mut worst = 0.0_f64;
    let mut ends = Vec::new();
    for store in stores {
        let cookie = sign_in(store, data).await?;
        let server = store.serve_ready(binaries).await?;
        let rest = open_phase(&server, Call::FindBySteam, data, length, PER_SECOND, mistakes).await?;
        rest.print(1, &format!("{} at rest", store.name), None);
        let beside = open_phase(&server, Call::FindBySteam, data, length, PER_SECOND, mistakes);
        let (beside, took) = tokio::join!(beside, removal(store, &server, &cookie, data));
        let beside = beside?;
        beside.print(1, &format!("{} removal", store.name), None);
        ends.push(format!(
            "{:<10} removed in {:.1} s",
            store.name,
            took?.as_secs_f64()
        ));
        let ms = |micros: u64| micros as f64 / 1000.0;
        let allowed = (2.0 * ms(rest.p99_micros)).max(ALWAYS_FINE_MS);
        worst = worst.max(ms(beside.p99_micros) / allowed);
    }
    line("");
    for end in ends {
        line(&end);
    }
    Ok(worst)
}

/// The cookie of the owner, who signed in just now.
pub async fn sign_in(store: &Store, data: &Dataset) -> Fallible<String> {
    let app = store.open().await?;
    let owner = accounts::find(&app.db, &data.owner).await?;
    let owner = owner.ok_or("the seeded owner is missing")?;
    let token = sessions::start(&app, &owner, sessions::ABSOLUTE_MS).await;
    let token = token.map_err(|error| error.internal_detail())?;
    app.db.close().await;
    Ok(format!("symbolon={}", token.expose()))
}

/// Removes the Guild when the warm-up is over, and returns how long it took until nothing of it was left to be done.
async fn removal(store: &Store, server: &Server, cookie: &str, data: &Dataset) -> Fallible<Duration> {
    let body = format!("{{\"confirm\":\"{}\"}}", large_slug());
    let request = format!(
        "DELETE /orgs/{}/guilds/{} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        data.large.org,
        data.large.guild,
        body.len()
    );
    let db = Db::open_beside(store.options(Migrate::Require)).await?;
    tokio::time::sleep(WARM_UP).await;
    let (addr, begun) = (server.addr, Instant::now());
    let status = tokio::task::spawn_blocking(move || status_of(addr, request.as_bytes())).await??;
    if status != 204 {
        return Err(format!("the removal was answered with {status}").into());
    }
    // Roles are nobody's work here: this server has no bot.
    let is_work = |waiting: &jobs::Waiting| waiting.lanes != LaneKind::Roles.as_str();
    while jobs::count_waiting(&db).await?.iter().any(is_work) {
        tokio::time::sleep(LOOK_EVERY).await;
    }
    let took = begun.elapsed();
    db.close().await;
    Ok(took)
}
