//! A block and a sign-in at the same moment.

use std::sync::{Arc, Mutex};

use app::AppError;
use app::error::IdentityError;
use app::identity::blocklist::{BlockRequest, block};
use domain::audit::{Actor, AuditAction};
use domain::blocklist::BlockEntry;
use serde_json::json;
use storage::records::audit::Act;
use storage::{NoOrg, Tx, Work};
use testkit::{Engine, both_databases, discord, wait_until};
use tokio::sync::{Notify, oneshot};

use crate::identity::sign_in::{answer, enter};
use crate::linking::stage::{Browser, Stage};

/// Holds the operators' chain, which both need at their end, until it is let go.
struct Hold {
    begun: Mutex<Option<oneshot::Sender<()>>>,
    let_go: Arc<Notify>,
}

impl Work for Hold {
    type For = Act<NoOrg>;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "hold_chain";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<(), AppError> {
        act.note(tx, AuditAction::BlockRemoved, None, &json!({})).await?;
        if let Some(begun) = self.begun.lock().unwrap().take() {
            begun.send(()).unwrap();
        }
        self.let_go.notified().await;
        Ok(())
    }
}

fn request(number: u64) -> BlockRequest {
    BlockRequest {
        entry: BlockEntry::discord(&discord(number)),
        discord_id: Some(discord(number)),
        reason: "test".to_owned(),
        days: Some(1),
    }
}

async fn who_am_i(stage: &Stage, browser: &Browser) -> u16 {
    let Some(session) = browser.cookies.get("symbolon") else {
        return 401;
    };
    stage.test.person(session).get("/account").await.status.as_u16()
}

/// On SQLite units take turns, so there is no such moment.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_begins_in_the_moment_of_the_block_opens_nothing() {
    let stage = Stage::set(Engine::Postgres).await;
    let mut browser = stage.browser();
    let back = answer(&mut browser, "/app/", 1).await;
    let (begun, has_begun) = oneshot::channel();
    let let_go = Arc::new(Notify::new());
    let hold = Hold {
        begun: Mutex::new(Some(begun)),
        let_go: Arc::clone(&let_go),
    };
    let db = &stage.test.db;
    let waiting = async |units: i64| {
        let place = "pg_locks WHERE locktype = 'tuple' AND relation = CAST('audit_heads' AS regclass)";
        wait_until("units that wait for the chain", || async {
            db.count(place).await == units
        })
        .await;
    };
    let act = Act::new(NoOrg, Actor::System, 0);
    let holding = stage.test.app.db.write_for(act, hold);
    let racing = async {
        has_begun.await.unwrap();
        // The sign-in has looked at the blocklist and stored its session; nobody sees that yet.
        let signing_in = browser.get(&back);
        let blocking = async {
            waiting(1).await;
            // The block has ended all sessions that it sees.
            let blocking = block(&stage.test.app, request(1), Actor::Operator);
            let releasing = async {
                waiting(2).await;
                let_go.notify_one();
            };
            tokio::join!(blocking, releasing).0.map(drop)
        };
        tokio::join!(signing_in, blocking)
    };
    let (held, (signed_in, blocked)) = tokio::join!(holding, racing);
    held.unwrap();
    blocked.unwrap();
    assert_eq!(signed_in.status, 303, "the sign-in came first");
    assert_eq!(stage.count("sessions").await, 1, "so its session is there");
    assert_eq!(who_am_i(&stage, &browser).await, 401, "and opens nothing");
    stage.finish().await;
}

both_databases! {
    async fn a_block_shuts_every_session_out_for_as_long_as_it_holds(engine) {
        let stage = Stage::set(engine).await;
        let (browser, other) = (enter(&stage, 1).await, enter(&stage, 2).await);
        // As if the block had not seen the session.
        let past_ours = BlockRequest { discord_id: None, ..request(1) };
        block(&stage.test.app, past_ours, Actor::Operator).await.unwrap();
        assert_eq!((who_am_i(&stage, &browser).await, who_am_i(&stage, &other).await), (401, 200));
        let account = app::identity::accounts::get_by_discord(&stage.test.app, &discord(1)).await.unwrap();
        let refused = app::identity::sessions::start(&stage.test.app, &account, 60_000).await;
        assert!(matches!(refused, Err(AppError::Identity(IdentityError::Blocked))), "nor does the command line make one");
        stage.finish().await;
    }
}
