//! The game servers of the demo world: their plugins call every minute, as real ones do.

use std::net::SocketAddr;
use std::time::Duration;

use app::{App, background};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;

use super::people::FIRST_STEAM;
use crate::plugin;

const EVERY: Duration = Duration::from_secs(45);
const PATIENCE: Duration = Duration::from_secs(5);
/// Players whose groups are reported.
const PLAYERS: u64 = 260;
/// In one call, on the smallest plan.
const AT_ONCE: usize = 100;
/// The last Server of the world has not been updated for a while.
const OLD_VERSION: &str = "0.9.0";

/// Calls with these keys until the service stops. What the first calls left is written down at once, so that nobody
/// meets a world in which no Server ever called.
pub fn start(app: &App, address: SocketAddr, keys: Vec<String>, mut stop: watch::Receiver<bool>) {
    let told = app.clone();
    app.tasks.spawn(async move {
        call_all(address, &keys).await;
        report_groups(address, &keys).await;
        let written = async {
            background::flush_uses(&told).await?;
            let now_ms = told.clock.steady_ms();
            told.memories.plugins.flush(&told.db, now_ms).await
        };
        if let Err(error) = written.await {
            tracing::warn!(error = %error.internal_detail(), "the demo's first calls were not saved");
        }
        loop {
            tokio::select! {
                () = tokio::time::sleep(EVERY) => {}
                _ = stop.wait_for(|stopped| *stopped) => return,
            }
            call_all(address, &keys).await;
        }
    });
}

async fn call_all(address: SocketAddr, keys: &[String]) {
    let carried = plugin::carried().map(|build| build.version.to_string());
    let latest = carried.unwrap_or_default();
    for (index, key) in keys.iter().enumerate() {
        let is_last = index > 0 && index + 1 == keys.len();
        let version = if is_last {
            OLD_VERSION
        } else {
            latest.trim_start_matches('v')
        };
        let called = tokio::time::timeout(PATIENCE, call(address, key, version)).await;
        if !matches!(called, Ok(Ok(()))) {
            tracing::debug!("a demo game server got no answer");
        }
    }
}

/// Permission groups of the players that the world is seeded with: some keep order, some pay, most do neither. A Server
/// stores those of players who are linked in its Guild.
async fn report_groups(address: SocketAddr, keys: &[String]) {
    let players: Vec<String> = (0..PLAYERS)
        .map(|number| format!(r#""{}":["{}"]"#, FIRST_STEAM + number, group_of(number)))
        .collect();
    for key in keys {
        for some in players.chunks(AT_ONCE) {
            let body = format!(r#"{{"players":{{{}}}}}"#, some.join(","));
            let told = tokio::time::timeout(PATIENCE, report(address, key, &body)).await;
            if !matches!(told, Ok(Ok(()))) {
                tracing::debug!("a demo game server could not report groups");
            }
        }
    }
}

const fn group_of(number: u64) -> &'static str {
    match number {
        number if number.is_multiple_of(41) => "admin",
        number if number.is_multiple_of(23) => "moderator",
        number if number.is_multiple_of(6) => "vip",
        _ => "default",
    }
}

async fn report(address: SocketAddr, key: &str, body: &str) -> std::io::Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!(
        "POST /api?action=updateOxideGroupsBulk HTTP/1.1\r\nHost: {address}\r\nX-API-Key: {key}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await?;
    stream.read_to_end(&mut Vec::new()).await.map(drop)
}

async fn call(address: SocketAddr, key: &str, version: &str) -> std::io::Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!(
        "GET /api?action=count HTTP/1.1\r\nHost: {address}\r\nX-API-Key: {key}\r\n\
         X-Plugin-Version: {version}\r\nX-Config-Stamp: none\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await?;
    stream.read_to_end(&mut Vec::new()).await.map(drop)
}
