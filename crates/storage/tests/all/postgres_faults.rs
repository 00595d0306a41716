//! What PostgreSQL does to its clients on a bad day.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use storage::db::{Broken, Statement};
use storage::testing::{Engine, Proxy, TestDb, statement};
use storage::{Db, DbError, NoOrg, Tx, Work, settings};
use tokio::sync::{Barrier, Notify};

use crate::support::{NOW, Put, eventually, is_put, postgres_client};

/// Locks two rows, and on the first try only once the other unit has its first row too.
struct LockBoth {
    first: &'static str,
    second: &'static str,
    meet: Arc<Barrier>,
    tries: Arc<AtomicU32>,
    mine: AtomicU32,
}

impl Work for LockBoth {
    type For = NoOrg;
    type Output = ();
    type Error = DbError;
    const NAME: &'static str = "lock_both";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), DbError> {
        self.tries.fetch_add(1, Ordering::SeqCst);
        settings::put(tx, self.first, "locked", NOW).await?;
        if self.mine.fetch_add(1, Ordering::SeqCst) == 0 {
            self.meet.wait().await;
        }
        settings::put(tx, self.second, "locked", NOW).await
    }
}

#[tokio::test]
async fn a_deadlock_is_repeated_until_both_succeed() {
    let test = TestDb::open(Engine::Postgres).await;
    for name in ["a", "b"] {
        test.db.write(Put(name.to_owned())).await.unwrap();
    }
    let (meet, tries) = (Arc::new(Barrier::new(2)), Arc::new(AtomicU32::new(0)));
    let unit = |first, second| LockBoth {
        first,
        second,
        meet: Arc::clone(&meet),
        tries: Arc::clone(&tries),
        mine: AtomicU32::new(0),
    };
    let (one, two) = tokio::join!(test.db.write(unit("a", "b")), test.db.write(unit("b", "a")));
    one.unwrap();
    two.unwrap();
    assert_eq!(
        tries.load(Ordering::SeqCst),
        3,
        "one of the two was repeated once"
    );
    assert!(!test.db.last_write_failed());
    test.finish().await;
}

/// Is told to start over `failures` times. Each try leaves a mark of its own.
struct StartOver {
    failures: u32,
    tries: Arc<AtomicU32>,
    raise: &'static Statement,
}

impl StartOver {
    fn times(failures: u32) -> (Self, Arc<AtomicU32>) {
        let raise = "DO $$ BEGIN RAISE EXCEPTION 'planted' USING ERRCODE = '40001'; END $$";
        let tries = Arc::new(AtomicU32::new(0));
        (
            Self {
                failures,
                tries: Arc::clone(&tries),
                raise: statement(raise, raise),
            },
            tries,
        )
    }
}

impl Work for StartOver {
    type For = NoOrg;
    type Output = ();
    type Error = DbError;
    const NAME: &'static str = "start_over";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), DbError> {
        let tried = self.tries.fetch_add(1, Ordering::SeqCst);
        settings::put(tx, &format!("try-{tried}"), "x", NOW).await?;
        if tried < self.failures {
            tx.execute(self.raise, &[]).await?;
        }
        Ok(())
    }
}

#[tokio::test]
async fn a_serialisation_failure_is_repeated_from_the_start() {
    let test = TestDb::open(Engine::Postgres).await;
    let (unit, tries) = StartOver::times(3);
    test.db.write(unit).await.unwrap();
    assert_eq!(tries.load(Ordering::SeqCst), 4);
    for tried in 0..4 {
        assert_eq!(is_put(&test.db, &format!("try-{tried}")).await, tried == 3);
    }
    test.finish().await;
}

#[tokio::test]
async fn repetition_ends_and_the_caller_may_try_again() {
    let test = TestDb::open(Engine::Postgres).await;
    let (unit, tries) = StartOver::times(u32::MAX);
    let error = test.db.write(unit).await.unwrap_err();
    assert!(matches!(error, DbError::Repeat(_)), "{error:?}");
    assert_eq!(tries.load(Ordering::SeqCst), 4);
    test.db.write(Put("afterwards".to_owned())).await.unwrap();
    test.finish().await;
}

fn backend_pid() -> &'static Statement {
    statement("SELECT CAST(pg_backend_pid() AS BIGINT)", "SELECT 0")
}

/// Tells its backend, writes, waits to be released and writes again.
struct InFlight {
    pid: tokio::sync::mpsc::UnboundedSender<i64>,
    release: Arc<Notify>,
    ask: &'static Statement,
}

impl Work for InFlight {
    type For = NoOrg;
    type Output = ();
    type Error = DbError;
    const NAME: &'static str = "in_flight";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), DbError> {
        settings::put(tx, "half", "x", NOW).await?;
        self.pid.send(tx.get(self.ask, &[]).await?).unwrap();
        self.release.notified().await;
        settings::put(tx, "other half", "x", NOW).await
    }
}

async fn terminate(test: &TestDb, pid: i64) {
    let client = postgres_client(&test.url_or_path()).await;
    client
        .execute("SELECT pg_terminate_backend($1)", &[&i32::try_from(pid).unwrap()])
        .await
        .unwrap();
    let gone = "SELECT COUNT(*) FROM pg_stat_activity WHERE pid = $1";
    eventually("the backend is gone", || async {
        let row = client
            .query_one(gone, &[&i32::try_from(pid).unwrap()])
            .await
            .unwrap();
        row.get::<_, i64>(0) == 0
    })
    .await;
}

#[tokio::test]
async fn a_killed_connection_fails_its_unit_and_the_next_one_works() {
    let test = TestDb::open(Engine::Postgres).await;
    let test = test.restart_with(|options| options.pool_size = 1).await.unwrap();
    let ask = backend_pid();
    for _ in 0..20 {
        let (pid, mut pids) = tokio::sync::mpsc::unbounded_channel();
        let release = Arc::new(Notify::new());
        let unit = InFlight {
            pid,
            release: Arc::clone(&release),
            ask,
        };
        let kill = async {
            terminate(&test, pids.recv().await.unwrap()).await;
            release.notify_one();
        };
        let (answer, ()) = tokio::join!(test.db.write(unit), kill);
        let error = answer.unwrap_err();
        assert!(matches!(error, DbError::Unavailable(_)), "{error:?}");
        assert!(test.db.last_write_failed());
        test.db.write(Put("next".to_owned())).await.unwrap();
        assert!(!test.db.last_write_failed());
        assert!(!is_put(&test.db, "half").await && !is_put(&test.db, "other half").await);
    }
    test.finish().await;
}

#[tokio::test]
async fn a_killed_read_connection_is_replaced() {
    let test = TestDb::open(Engine::Postgres).await;
    test.db.write(Put("there".to_owned())).await.unwrap();
    let ask = backend_pid();
    for _ in 0..20 {
        let pid: i64 = test.db.find(ask, &[]).await.unwrap().unwrap();
        terminate(&test, pid).await;
        eventually("reads work again", || async {
            test.db.find::<i64>(ask, &[]).await.is_ok()
        })
        .await;
        assert!(is_put(&test.db, "there").await);
        let other: i64 = test.db.find(ask, &[]).await.unwrap().unwrap();
        assert_ne!(pid, other);
    }
    test.finish().await;
}

#[tokio::test]
async fn a_read_whose_connection_is_killed_fails_and_the_next_one_works() {
    let test = TestDb::open(Engine::Postgres).await;
    let slow = statement("SELECT CAST(COUNT(*) AS BIGINT) FROM pg_sleep(60)", "SELECT 0");
    let ask = backend_pid();
    let pid: i64 = test.db.find(ask, &[]).await.unwrap().unwrap();
    let client = postgres_client(&test.url_or_path()).await;
    let busy = "SELECT COUNT(*) FROM pg_stat_activity \
                WHERE pid = $1 AND state = 'active' AND query LIKE '%pg_sleep%'";
    let kill = async {
        eventually("the read runs", || async {
            let row = client
                .query_one(busy, &[&i32::try_from(pid).unwrap()])
                .await
                .unwrap();
            row.get::<_, i64>(0) == 1
        })
        .await;
        terminate(&test, pid).await;
    };
    let (answer, ()) = tokio::join!(test.db.find::<i64>(slow, &[]), kill);
    let error = answer.unwrap_err();
    assert!(matches!(error, DbError::Unavailable(_)), "{error:?}");
    eventually("reads work again", || async {
        test.db.find::<i64>(ask, &[]).await.is_ok()
    })
    .await;
    test.finish().await;
}

async fn through(proxy: &Proxy, test: &TestDb) -> Db {
    let mut options = test.options();
    options.target = storage::Target::Postgres {
        url: proxy.address(&test.url_or_path()).into(),
    };
    Db::open(options).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unreachable_server_is_reported_and_found_again_without_a_restart() {
    let test = TestDb::open(Engine::Postgres).await;
    let proxy = Proxy::start(&test.url_or_path()).await;
    let db = through(&proxy, &test).await;
    db.write(Put("before".to_owned())).await.unwrap();
    proxy.cut().await;
    let error = db.write(Put("during".to_owned())).await.unwrap_err();
    assert!(matches!(error, DbError::Unavailable(_)), "{error:?}");
    let error = settings::find(&db, "before").await.unwrap_err();
    assert!(matches!(error, DbError::Unavailable(_)), "{error:?}");
    // Every connection of the pool is known to be dead now, so this one cannot even begin.
    let error = db.write(Put("during".to_owned())).await.unwrap_err();
    assert!(matches!(error, DbError::Unavailable(_)), "{error:?}");
    assert!(db.last_write_failed());
    proxy.mend();
    db.write(Put("after".to_owned())).await.unwrap();
    assert!(!db.last_write_failed());
    assert!(is_put(&db, "before").await && is_put(&db, "after").await && !is_put(&db, "during").await);
    db.close().await;
    test.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_was_never_reachable_by_the_pool_makes_the_store_unready() {
    let test = TestDb::open(Engine::Postgres).await;
    let proxy = Proxy::start(&test.url_or_path()).await;
    // Nothing was written yet, so the pool has no connection to lose.
    let db = through(&proxy, &test).await;
    proxy.cut().await;
    let error = db.write(Put("during".to_owned())).await.unwrap_err();
    assert!(matches!(error, DbError::Unavailable(_)), "{error:?}");
    assert!(
        db.last_write_failed(),
        "readiness must see that nothing can be written"
    );
    test.finish().await;
}

struct Raise(&'static Statement);

impl Work for Raise {
    type For = NoOrg;
    type Output = ();
    type Error = DbError;
    const NAME: &'static str = "raise";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), DbError> {
        tx.execute(self.0, &[]).await.map(drop)
    }
}

#[tokio::test]
async fn an_answer_of_the_server_is_sorted_by_what_the_caller_may_do() {
    let test = TestDb::open(Engine::Postgres).await;
    macro_rules! raise {
        ($code:literal) => {{
            let text = concat!(
                "DO $$ BEGIN RAISE EXCEPTION 'planted' USING ERRCODE = '",
                $code,
                "'; END $$"
            );
            test.db.write(Raise(statement(text, text))).await.unwrap_err()
        }};
    }
    assert!(matches!(raise!("23505"), DbError::Constraint(Broken::Unique, _)));
    assert!(matches!(
        raise!("23503"),
        DbError::Constraint(Broken::ForeignKey, _)
    ));
    for error in [raise!("23502"), raise!("23514")] {
        assert!(matches!(error, DbError::Constraint(Broken::Rule, _)), "{error:?}");
    }
    let storage = [
        raise!("08006"),
        raise!("25006"),
        raise!("25P03"),
        raise!("40003"),
        raise!("53100"),
        raise!("55P03"),
        raise!("57P03"),
        raise!("58030"),
        raise!("XX001"),
    ];
    for error in storage {
        assert!(matches!(error, DbError::Unavailable(_)), "{error:?}");
    }
    for error in [raise!("22003"), raise!("42P01"), raise!("XX000")] {
        assert!(matches!(error, DbError::Bug(_)), "{error:?}");
    }
    test.db.write(Put("afterwards".to_owned())).await.unwrap();
    test.finish().await;
}
