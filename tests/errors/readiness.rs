//! Databases that hang instead of failing.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use app::App;
use domain::plan::Tier;
use storage::testing::{Engine, Proxy};
use storage::{Db, DbError, NoOrg, OpenOptions, Target, Tx, Work};
use testkit::{Client, TestApp, discord, steam, wait_until};
use web::WebState;

use super::assert_failure;

/// Keeps the writer of the embedded database until it is released, as a disk does that takes no writes.
struct Hang(Mutex<Receiver<()>>);

impl Work for Hang {
    type For = NoOrg;
    type Output = ();
    type Error = DbError;
    const NAME: &'static str = "hang";

    async fn run(&self, _: &mut Tx<'_>, _: &NoOrg) -> Result<(), DbError> {
        let _released = self.0.lock().unwrap().recv();
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stuck_writer_is_not_ready_until_it_moves_again() {
    let test = TestApp::start(Engine::Sqlite).await;
    let tenant = test.tenant(1, Tier::Free).await;
    tenant.link(&test.app, 1).await;
    assert_eq!(test.client().get("/readyz").await.status, 200);
    let (release, held) = channel();
    let db = test.app.db.clone();
    test.app.tasks.spawn(async move {
        db.write(Hang(Mutex::new(held))).await.unwrap();
    });
    wait_until("the service is not ready", || async {
        let reply = test.client().get("/readyz").await;
        if reply.status != 200 {
            assert_failure(&reply, 503, "STORAGE_UNAVAILABLE", "a stuck writer");
        }
        reply.status != 200
    })
    .await;
    let look_up = format!("/api?action=findBySteam&id={}", steam(1));
    let reply = test.plugin(&tenant.key).get(&look_up).await;
    assert_eq!(
        (reply.status.as_u16(), reply.text()),
        (200, format!("\"{}\"", discord(1)).as_str())
    );
    drop(release);
    wait_until("it is ready again", || async {
        test.client().get("/readyz").await.status == 200
    })
    .await;
    test.finish().await;
}

/// A second node on the database of `test`, over a wire that can be frozen.
async fn node(test: &TestApp, proxy: &Proxy, change: impl FnOnce(&mut OpenOptions)) -> (App, Client) {
    let mut options = test.db.options();
    options.target = Target::Postgres {
        url: proxy.address(&test.db.url_or_path()).into(),
    };
    change(&mut options);
    let mut parts = test.parts();
    parts.db = Db::open(options).await.unwrap();
    let app = App::start(parts).await.unwrap();
    let state = WebState {
        app: app.clone(),
        ..test.state.clone()
    };
    (app, test.client_of(web::service(state)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hung_postgres_is_a_503_that_fails_closed_and_is_found_again() {
    let test = TestApp::start(Engine::Postgres).await;
    let tenant = test.tenant(1, Tier::Free).await;
    tenant.link(&test.app, 1).await;
    let proxy = Proxy::start(&test.db.url_or_path()).await;
    let (app, client) = node(&test, &proxy, |options| {
        options.read_deadline = Duration::from_secs(1);
        options.work_deadline = Duration::from_secs(3);
    })
    .await;
    let caller = client.header("x-api-key", &tenant.key);
    let look_up = format!("/api?action=findBySteam&id={}", steam(1));
    let found = format!("\"{}\"", discord(1));
    assert_eq!(caller.get(&look_up).await.text(), found);

    proxy.freeze();
    let reply = caller.get(&look_up).await;
    assert_failure(&reply, 503, "STORAGE_UNAVAILABLE", "a look-up");
    assert!(reply.text().contains("No users"), "{}", reply.text());
    let remove = format!("/api?action=remove&id={}", steam(1));
    assert_failure(&caller.get(&remove).await, 503, "STORAGE_UNAVAILABLE", "a change");
    assert_failure(
        &caller.get("/readyz").await,
        503,
        "STORAGE_UNAVAILABLE",
        "readiness",
    );

    proxy.mend();
    wait_until("it is ready again", || async {
        caller.get("/readyz").await.status == 200
    })
    .await;
    assert_eq!(caller.get(&look_up).await.text(), found);
    drop((app, caller));
    test.finish().await;
}

/// Whoever asks whether we are ready does not wait for the store's own deadlines; here these are longer than a request
/// may take.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readiness_is_answered_before_the_database_is_given_up() {
    let test = TestApp::start(Engine::Postgres).await;
    let proxy = Proxy::start(&test.db.url_or_path()).await;
    let (app, client) = node(&test, &proxy, |options| {
        options.read_deadline = Duration::from_secs(600);
        options.work_deadline = Duration::from_secs(600);
    })
    .await;
    assert_eq!(client.get("/readyz").await.status, 200);
    proxy.freeze();
    let (one, two) = tokio::join!(client.get("/readyz"), client.get("/readyz"));
    assert_failure(&one, 503, "STORAGE_UNAVAILABLE", "the first");
    assert_failure(
        &two,
        503,
        "STORAGE_UNAVAILABLE",
        "the second, which waits for its turn",
    );
    proxy.cut().await;
    drop((app, client));
    test.finish().await;
}

/// The server goes away at the very moment of the commit.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_whose_commit_was_not_confirmed_may_have_been_stored() {
    let test = TestApp::start(Engine::Postgres).await;
    let tenant = test.tenant(1, Tier::Free).await;
    tenant.link(&test.app, 1).await;
    test.db
        .damage(
            "CREATE FUNCTION crash() RETURNS trigger LANGUAGE plpgsql AS $$
             BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
             CREATE CONSTRAINT TRIGGER crash AFTER UPDATE ON links DEFERRABLE INITIALLY DEFERRED
             FOR EACH ROW EXECUTE FUNCTION crash()",
        )
        .await;
    let remove = format!("/api?action=remove&id={}", steam(1));
    let reply = test.plugin(&tenant.key).get(&remove).await;
    assert_failure(&reply, 503, "OUTCOME_UNKNOWN", "a change");
    assert!(reply.text().contains("may have been saved"), "{}", reply.text());
    assert_eq!(reply.header("retry-after"), None);
    test.db.damage("DROP TRIGGER crash ON links").await;
    let reply = test.plugin(&tenant.key).get(&remove).await;
    assert_eq!((reply.status.as_u16(), reply.text()), (200, r#""User Removed""#));
    test.finish().await;
}
