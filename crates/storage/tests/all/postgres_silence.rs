//! A PostgreSQL that is not down but does not answer: its process is stopped, its disk hangs, a packet filter is in
//! between. It keeps no limit of its own then.

use std::sync::Arc;
use std::time::Duration;

use storage::testing::{Engine, Proxy, TestDb, statement};
use storage::{Db, DbError, NoOrg, OrgScope, Tx, Work, settings};

use crate::support::{NOW, Put, Tenant, eventually, is_put};

/// Short for who waits, and long for what a busy machine does with a server that answers.
const READ: Duration = Duration::from_secs(1);
const WORK: Duration = Duration::from_secs(3);

/// A store whose wire to the server can be frozen, and which does not wait long.
async fn through(proxy: &Proxy, test: &TestDb, change: impl FnOnce(&mut storage::OpenOptions)) -> Db {
    let mut options = test.options();
    options.target = storage::Target::Postgres {
        url: proxy.address(&test.url_or_path()).into(),
    };
    options.read_deadline = READ;
    options.work_deadline = WORK;
    change(&mut options);
    Db::open(options).await.unwrap()
}

fn is_unavailable<T: std::fmt::Debug>(answer: &Result<T, DbError>) -> bool {
    matches!(answer, Err(DbError::Unavailable(_)))
}

/// Long enough for whoever does not keep to the deadlines to be noticed, on a slow machine too.
async fn in_time<T>(work: impl Future<Output = T>) -> T {
    let limit = Duration::from_secs(60);
    tokio::time::timeout(limit, work)
        .await
        .unwrap_or_else(|_| panic!("it was waited for"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_and_units_of_a_hung_server_fail_in_time_and_its_connections_are_thrown_away() {
    let test = TestDb::open(Engine::Postgres).await;
    let proxy = Proxy::start(&test.url_or_path()).await;
    let db = through(&proxy, &test, |options| options.statement_timeout = READ).await;
    db.write(Put("before".to_owned())).await.unwrap();
    let heavy = statement("SELECT CAST(COUNT(*) AS BIGINT) FROM settings", "SELECT 0");
    db.list_heavy::<i64>(heavy, &[]).await.unwrap();
    assert!(is_put(&db, "before").await);

    proxy.freeze();
    let all = async {
        tokio::join!(
            settings::find(&db, "before"),
            db.list_heavy::<i64>(heavy, &[]),
            db.write(Put("during".to_owned())),
        )
    };
    let (read, listed, written) = in_time(all).await;
    assert!(is_unavailable(&read) && is_unavailable(&listed) && is_unavailable(&written));
    assert!(db.last_write_failed());
    eventually("hung connections are closed", || async { proxy.open() == 0 }).await;

    // New connections are taken and get no answer either.
    let both = async { tokio::join!(settings::find(&db, "before"), db.write(Put("during".to_owned()))) };
    let (read, written) = in_time(both).await;
    assert!(is_unavailable(&read) && is_unavailable(&written));

    // The old connections would still hang.
    proxy.mend();
    in_time(db.write(Put("after".to_owned()))).await.unwrap();
    assert!(
        in_time(is_put(&db, "before")).await && is_put(&db, "after").await && !is_put(&db, "during").await
    );
    db.close().await;
    test.finish().await;
}

/// Look-ups through the pool have the shorter of the two deadlines too.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_shared_connections_look_ups_fail_in_time_too() {
    let test = TestDb::open(Engine::Postgres).await;
    let proxy = Proxy::start(&test.url_or_path()).await;
    let db = through(&proxy, &test, |options| options.read_clients = 0).await;
    assert!(!is_put(&db, "before").await);
    proxy.freeze();
    assert!(is_unavailable(&in_time(settings::find(&db, "before")).await));
    eventually("the hung connection is closed", || async { proxy.open() == 0 }).await;
    db.close().await;
    test.finish().await;
}

/// The units of one Org take turns; those that wait for a hung one do not wait for longer than their own deadline.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn units_that_wait_behind_a_hung_one_fail_in_time_and_are_not_run() {
    let test = TestDb::open(Engine::Postgres).await;
    let scope = Tenant::make(&test.db, 1).await.scope;
    let proxy = Arc::new(Proxy::start(&test.url_or_path()).await);
    let db = through(&proxy, &test, |options| options.pool_size = 1).await;
    db.write(Put("before".to_owned())).await.unwrap();
    proxy.freeze();
    let units = (0..5).map(|number| db.write_for(scope, OfOneOrg(number.to_string())));
    let answers = in_time(futures_util::future::join_all(units)).await;
    for answer in answers {
        assert!(
            matches!(answer, Err(DbError::Unavailable(_) | DbError::Overloaded)),
            "{answer:?}"
        );
    }
    for number in 0..5 {
        assert!(!is_put(&test.db, &number.to_string()).await);
    }
    db.close().await;
    test.finish().await;
}

struct OfOneOrg(String);

impl Work for OfOneOrg {
    type For = OrgScope;
    type Output = ();
    type Error = DbError;
    const NAME: &'static str = "of_one_org";

    async fn run(&self, tx: &mut Tx<'_>, _: &OrgScope) -> Result<(), DbError> {
        settings::put(tx, &self.0, "x", NOW).await
    }
}

/// Writes, and lets something happen to the wire before the layer commits.
struct ThenWire {
    name: &'static str,
    proxy: Arc<Proxy>,
    happens: fn(&Proxy),
}

impl Work for ThenWire {
    type For = NoOrg;
    type Output = ();
    type Error = DbError;
    const NAME: &'static str = "then_wire";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), DbError> {
        settings::put(tx, self.name, "x", NOW).await?;
        (self.happens)(&self.proxy);
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_without_an_answer_is_in_doubt() {
    let test = TestDb::open(Engine::Postgres).await;
    let proxy = Arc::new(Proxy::start(&test.url_or_path()).await);
    let db = through(&proxy, &test, |_| {}).await;
    let unit = |name, happens| ThenWire {
        name,
        proxy: Arc::clone(&proxy),
        happens,
    };
    // The commit arrives and is carried out; nobody hears of it.
    let error = in_time(db.write(unit("stored", Proxy::lose_answers)))
        .await
        .unwrap_err();
    assert!(matches!(error, DbError::InDoubt(_)), "{error:?}");
    assert!(db.last_write_failed());
    eventually("it is stored", || async { is_put(&test.db, "stored").await }).await;

    // The commit never arrives.
    proxy.mend();
    let error = in_time(db.write(unit("lost", Proxy::freeze))).await.unwrap_err();
    assert!(matches!(error, DbError::InDoubt(_)), "{error:?}");
    assert!(!is_put(&test.db, "lost").await);

    proxy.mend();
    in_time(db.write(Put("after".to_owned()))).await.unwrap();
    assert!(!db.last_write_failed());
    db.close().await;
    test.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_is_lost_during_the_commit_leaves_it_in_doubt() {
    let test = TestDb::open(Engine::Postgres).await;
    let proxy = Arc::new(Proxy::start(&test.url_or_path()).await);
    let db = through(&proxy, &test, |options| {
        options.work_deadline = Duration::from_secs(600)
    })
    .await;
    let unit = ThenWire {
        name: "stored",
        proxy: Arc::clone(&proxy),
        happens: Proxy::lose_answers,
    };
    let crash = async {
        eventually("it is stored", || async { is_put(&test.db, "stored").await }).await;
        proxy.cut().await;
    };
    let (answer, ()) = tokio::join!(db.write(unit), crash);
    let error = answer.unwrap_err();
    assert!(matches!(error, DbError::InDoubt(_)), "{error:?}");
    db.close().await;
    test.finish().await;
}
