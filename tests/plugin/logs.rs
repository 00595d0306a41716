//! What the process log says about calls: the route, never what was asked or with which key.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Body;
use domain::plan::Tier;
use http::Method;
use storage::testing::statement;
use storage::{DbError, NoOrg, Tx, Work};
use testkit::{Engine, TestApp, both_databases, discord, steam};
use tracing::level_filters::LevelFilter;
use tracing::subscriber::DefaultGuard;

use super::support::stranger;
use crate::secrecy::search;

#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    pub fn text(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Takes down everything that is said on this thread, until the answer is dropped.
    pub fn listen(&self) -> DefaultGuard {
        let writer = self.clone();
        let subscriber = tracing_subscriber::fmt()
            .json()
            .with_max_level(LevelFilter::TRACE)
            .with_writer(move || writer.clone())
            .finish();
        tracing::subscriber::set_default(subscriber)
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

both_databases! {
    async fn the_log_names_the_route_and_neither_key_nor_query_nor_address(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        let log = Log::default();
        let listening = log.listen();
        let (key, unknown, id) = (tenant.key.as_str(), stranger(0xabcdef), steam(1));
        for (caller, query) in [
            (test.plugin(key), format!("action=findBySteam&id={id}")),
            (test.client(), format!("action=count&secret={key}")),
            (test.client(), format!("action=x&secret={key}&note=needle")),
            (test.client(), format!("action=count&secret={unknown}")),
            (test.plugin(key), format!("action=count&guild_id={}", discord(5))),
            (test.plugin(key), "action=findBySteam&id=needle".to_owned()),
        ] {
            caller.get(&format!("/needle/api.php?{query}")).await;
        }
        test.plugin(key).send(Method::PUT, "/api?needle", Body::from("needle")).await;
        test.db.damage("ALTER TABLE links RENAME TO lost").await;
        test.client().get(&format!("/api?action=findBySteam&id={id}&secret={key}")).await;
        test.db.damage("ALTER TABLE lost RENAME TO links").await;
        drop(listening);

        let text = log.text();
        assert!(text.contains(r#""route":"/api""#) && text.contains("request failed"), "{text}");
        for secret in [&key[12..], &unknown[12..], id.as_str(), discord(5).as_str(), "needle", "203.0.113.7"] {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
        test.finish().await;
    }
    async fn a_storm_of_failures_is_one_line_with_a_count(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let (caller, address) = (test.plugin(&tenant.key), format!("/api?action=findBySteam&id={}", steam(1)));
        test.db.damage("ALTER TABLE links RENAME TO lost").await;
        let log = Log::default();
        let listening = log.listen();
        for _ in 0..500 {
            assert_eq!(caller.get(&address).await.status, 500);
        }
        test.clock.advance_ms(10_000);
        caller.get(&address).await;
        drop(listening);
        test.db.damage("ALTER TABLE lost RENAME TO links").await;

        let text = log.text();
        let lines: Vec<&str> = text.lines().filter(|line| line.contains("request failed")).collect();
        assert_eq!(lines.len(), 2, "{text}");
        assert!(lines[0].contains(r#""left_out":0"#) && lines[1].contains(r#""left_out":499"#), "{text}");
        test.finish().await;
    }
}

/// SQLite ends the whole batch over it, as it does when the disk is full.
struct Undone;

impl Work for Undone {
    type For = NoOrg;
    type Output = u64;
    type Error = DbError;
    const NAME: &'static str = "undone";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<u64, DbError> {
        let twice = "INSERT OR ROLLBACK INTO settings SELECT * FROM settings";
        tx.execute(statement(twice, twice), &[]).await
    }
}

/// Only the embedded database has a writer that speaks for itself.
#[tokio::test]
async fn a_storm_of_writes_that_the_disk_does_not_take_is_a_few_lines() {
    let log = search::Log::capture();
    let test = TestApp::start(Engine::Sqlite).await;
    for _ in 0..500 {
        let failed = test.app.db.write(Undone).await;
        assert!(matches!(failed, Err(DbError::Unavailable(_))), "{failed:?}");
    }
    let text = log.text();
    let is_told = |line: &&str| line.contains("was not committed") && line.contains(Undone::NAME);
    let told = text.lines().filter(is_told).count();
    assert!((1..50).contains(&told), "{told} lines about 500 failures");
    test.finish().await;
}
