//! Ending the sessions of everybody: what it costs does not hang on how many there are.

use std::time::Duration;

use http::Method;
use serde_json::json;
use storage::identity::sessions;
use storage::{DbError, NoOrg, Tx, Work};
use testkit::{Client, Engine, TestApp, both_databases, own_time, rounds};
use web::WebState;

use super::race::{Nodes, report};
use crate::admin::operator;
use crate::secrecy::rows::numbers;
use crate::support::call;

/// At full scale, on the machine of the measurements.
const MOST: Duration = Duration::from_millis(200);

/// Living sessions of somebody, past the service.
async fn seed(test: &TestApp, engine: Engine, account: i64, count: usize) {
    let now_ms = test.app.now_ms();
    let expires_at_ms = now_ms + 90 * 24 * 60 * 60_000;
    let (hash, numbers) = match engine {
        Engine::Sqlite => (
            "printf('%064x', i)",
            format!(
                "(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) SELECT i FROM n)"
            ),
        ),
        Engine::Postgres => (
            "lpad(to_hex(i), 64, '0')",
            format!("generate_series(1, {count}) AS i"),
        ),
    };
    let seeded = format!(
        "INSERT INTO sessions (hash, account_num, created_at, seen_at, expires_at)
         SELECT {hash}, {account}, {now_ms}, {now_ms}, {expires_at_ms} FROM {numbers}"
    );
    test.db.damage(&seeded).await;
}

async fn is_in(node: &Client, session: &str) -> bool {
    let cookie = format!("symbolon={session}");
    let reply = node.clone().header("cookie", &cookie).get("/account").await;
    assert!(
        reply.status == 200 || reply.code() == "SIGN_IN_REQUIRED",
        "{}",
        reply.text()
    );
    reply.status == 200
}

/// One slice of what housekeeping does.
struct Purge {
    now_ms: i64,
}

impl Work for Purge {
    type For = NoOrg;
    type Output = u64;
    type Error = DbError;
    const NAME: &'static str = "purge_in_test";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<u64, DbError> {
        sessions::purge(tx, self.now_ms).await
    }
}

both_databases! {
    async fn signing_out_everyone_costs_the_same_however_many_they_are(engine) {
        let nodes = Nodes::start(engine).await;
        let test = &nodes.test;
        let (count, probed) = (rounds(5_000, 1_000_000), rounds(50, 1_000));
        let (account, _) = operator(test, 21).await;
        let own = test.session(&account).await;
        let (me, crowd) = (test.person(&own), test.account(30).await);
        let mut probes = vec![test.session(&account).await];
        for _ in 0..probed {
            probes.push(test.session(&crowd).await);
        }
        seed(test, engine, crowd.num.0, count).await;
        let second = web::service(WebState { app: nodes.app(1), ..test.state.clone() });
        let both = [test.client(), test.client_of(second)];
        for node in &both {
            assert!(is_in(node, &probes[0]).await && is_in(node, &probes[probed]).await && is_in(node, &own).await);
        }

        let (counted, looked) = own_time(me.get("/admin/sessions")).await;
        assert_eq!(counted.json()["living"], json!(count + probed + 3), "the operator has three");
        let body = json!({ "confirm": "sign out everyone" });
        let (ended, took) = own_time(call(&me, Method::POST, "/admin/sessions/end-all", &body)).await;
        assert_eq!(ended.status, 204, "{}", ended.text());
        for node in &both {
            for probe in &probes {
                assert!(!is_in(node, probe).await);
            }
            assert!(is_in(node, &own).await, "whoever asks stays");
        }
        assert_eq!(me.get("/admin/sessions").await.json()["living"], 1);
        if rounds(0, 1) == 1 {
            assert!(took <= MOST, "{count} sessions took {took:?}");
        }

        let now_ms = test.app.now_ms();
        let (slices, cleaned) = own_time(async {
            let mut slices = 0;
            while test.db.db.write(Purge { now_ms }).await.expect("a slice") > 0 {
                slices += 1;
            }
            slices
        })
        .await;
        assert_eq!(numbers(&test.db.db, "SELECT CAST(COUNT(*) AS BIGINT) FROM sessions").await, [1]);
        report(engine, &format!(
            "mass sign-out: {count} sessions ended in {took:?} and counted in {looked:?}, {} probes refused on both nodes, rows gone after {slices} slices in {cleaned:?}",
            probes.len() * both.len()
        ));
        nodes.finish(engine).await;
    }
}
