//! The write queue is bounded, and no tenant can fill it alone.

use std::marker::PhantomData;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::audit::Actor;
use storage::players::group_changes::ServerPlace;
use storage::records::audit::Act;
use storage::testing::{Engine, TestDb};
use storage::{DbError, NoOrg, OrgScope, Tx, Unfinished, Whose, Work, Writing, both_databases, settings};

use crate::support::{NOW, Put, Tenant, eventually, is_put, poll_once};

/// Holds the writer until the test lets go. A write on SQLite runs on a thread of its own, which may block.
struct Hold {
    started: Mutex<Option<tokio::sync::oneshot::Sender<()>>>,
    release: Mutex<Receiver<()>>,
    /// PostgreSQL runs on the test's own threads.
    async_release: Arc<tokio::sync::Notify>,
    engine: Engine,
}

impl Work for Hold {
    type For = NoOrg;
    type Output = ();
    type Error = DbError;
    const NAME: &'static str = "hold";

    async fn run(&self, _tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), DbError> {
        if let Some(started) = self.started.lock().unwrap().take() {
            started.send(()).unwrap();
        }
        match self.engine {
            Engine::Sqlite => drop(self.release.lock().unwrap().recv()),
            Engine::Postgres => self.async_release.notified().await,
        }
        Ok(())
    }
}

struct Held {
    blocking: Sender<()>,
    waiting: Arc<tokio::sync::Notify>,
}

impl Held {
    fn release(self) {
        self.waiting.notify_one();
        drop(self.blocking);
    }
}

fn hold(engine: Engine) -> (Hold, Held, tokio::sync::oneshot::Receiver<()>) {
    let (blocking, release) = channel();
    let (started, has_started) = tokio::sync::oneshot::channel();
    let waiting = Arc::new(tokio::sync::Notify::new());
    let unit = Hold {
        started: Mutex::new(Some(started)),
        release: Mutex::new(release),
        async_release: Arc::clone(&waiting),
        engine,
    };
    (unit, Held { blocking, waiting }, has_started)
}

/// The same as `Put`, for somebody.
struct PutFor<F>(String, PhantomData<F>);

impl<F: Whose> PutFor<F> {
    fn named(name: &str) -> Self {
        Self(name.to_owned(), PhantomData)
    }
}

impl<F: Whose> Work for PutFor<F> {
    type For = F;
    type Output = ();
    type Error = DbError;
    const NAME: &'static str = "put_for";

    async fn run(&self, tx: &mut Tx<'_>, _: &F) -> Result<(), DbError> {
        settings::put(tx, &self.0, "x", NOW).await
    }
}

type Running = tokio::task::JoinHandle<Result<(), DbError>>;

/// A store with a queue of `capacity` whose only connection for writing is busy until released.
async fn busy(engine: Engine, capacity: usize) -> (TestDb, Held, Running) {
    busy_with(TestDb::open(engine).await, engine, capacity).await
}

async fn busy_with(test: TestDb, engine: Engine, capacity: usize) -> (TestDb, Held, Running) {
    let test = test.restart_with(|options| {
        // On PostgreSQL the unit that runs counts too.
        options.write_queue = capacity + usize::from(engine == Engine::Postgres);
        options.pool_size = 1;
    });
    let test = test.await.unwrap();
    let (unit, held, has_started) = hold(engine);
    let db = test.db.clone();
    #[expect(clippy::disallowed_methods, reason = "joined by the test")]
    let running = tokio::spawn(async move { db.write(unit).await });
    has_started.await.unwrap();
    (test, held, running)
}

both_databases! {
    async fn a_full_queue_refuses_at_once_and_does_nothing(engine) {
        let (test, held, running) = busy(engine, 3).await;
        let mut accepted: Vec<_> = (0..3).map(|n| Box::pin(test.db.write(Put(format!("in-{n}"))))).collect();
        for write in &mut accepted {
            assert!(poll_once(write.as_mut()).is_pending());
        }
        let mut refused = Box::pin(test.db.write(Put("out".to_owned())));
        assert!(matches!(poll_once(refused.as_mut()), std::task::Poll::Ready(Err(DbError::Overloaded))));
        drop(refused);
        held.release();
        for write in accepted {
            write.await.unwrap();
        }
        running.await.unwrap().unwrap();
        assert!(is_put(&test.db, "in-2").await && !is_put(&test.db, "out").await);
        test.db.write(Put("afterwards".to_owned())).await.unwrap();
        test.finish().await;
    }

    async fn one_org_gets_a_quarter_of_the_queue_and_others_still_get_in(engine) {
        // 16 places on SQLite, 17 on PostgreSQL: a quarter is 4 on both.
        let test = TestDb::open(engine).await;
        let (one, two) = (Tenant::make(&test.db, 1).await, Tenant::make(&test.db, 2).await);
        let (test, held, running) = busy_with(test, engine, 16).await;
        let put = |scope, name: &str| Box::pin(test.db.write_for(scope, PutFor::named(name)));
        let mut accepted: Vec<_> = (0..4).map(|n| put(one.scope, &format!("one-{n}"))).collect();
        for write in &mut accepted {
            assert!(poll_once(write.as_mut()).is_pending());
        }
        let refused = put(one.scope, "too-much").await.unwrap_err();
        assert!(matches!(refused, DbError::Overloaded));
        let mut other = put(two.scope, "two");
        assert!(poll_once(other.as_mut()).is_pending());
        held.release();
        for write in accepted {
            write.await.unwrap();
        }
        other.await.unwrap();
        running.await.unwrap().unwrap();
        assert!(is_put(&test.db, "two").await && is_put(&test.db, "one-3").await && !is_put(&test.db, "too-much").await);
        test.finish().await;
    }

    async fn a_unit_uses_the_share_of_its_org_whatever_names_the_org(engine) {
        let test = TestDb::open(engine).await;
        let one = Tenant::make(&test.db, 1).await;
        // A quarter of 12 places, and of 13 on PostgreSQL: one for each way to name an Org.
        let (test, held, running) = busy_with(test, engine, 12).await;
        let (scope, act) = (one.scope, || Act::new(one.scope, Actor::System, NOW));
        let place = || ServerPlace { scope, guild: one.guild, server: one.server };
        let mut by_scope = Box::pin(test.db.write_for(scope, PutFor::named("scope")));
        let mut by_act = Box::pin(test.db.write_for(act(), PutFor::named("act")));
        let mut by_place = Box::pin(test.db.write_for(place(), PutFor::named("place")));
        assert!(poll_once(by_scope.as_mut()).is_pending());
        assert!(poll_once(by_act.as_mut()).is_pending());
        assert!(poll_once(by_place.as_mut()).is_pending());
        let refused = [
            test.db.write_for(scope, PutFor::named("more")).await,
            test.db.write_for(act(), PutFor::named("more")).await,
            test.db.write_for(place(), PutFor::named("more")).await,
        ];
        assert!(refused.iter().all(|answer| matches!(answer, Err(DbError::Overloaded))), "{refused:?}");
        let operator = Act::new(NoOrg, Actor::Operator, NOW);
        let mut of_none = Box::pin(test.db.write_for(operator, PutFor::named("none")));
        assert!(poll_once(of_none.as_mut()).is_pending());
        held.release();
        for answer in [by_scope.await, by_act.await, by_place.await, of_none.await] {
            answer.unwrap();
        }
        running.await.unwrap().unwrap();
        test.finish().await;
    }

    async fn closing_leaves_a_hung_unit_behind_and_tells_of_it(engine) {
        let (test, held, running) = busy(engine, 3).await;
        let left = test.db.close_within(Duration::from_millis(50)).await;
        assert_eq!(left, Err(Unfinished { units: 1 }));
        held.release();
        running.await.unwrap().unwrap();
        assert_eq!(test.db.close_within(Duration::from_secs(60)).await, Ok(()));
        test.finish().await;
    }

    async fn a_place_is_free_again_once_its_unit_is_answered(engine) {
        let test = TestDb::open(engine).await;
        // A queue of four leaves one place per Org, so every write needs the place of the one before it.
        let test = test.restart_with(|options| options.write_queue = 4).await.unwrap();
        let scope = Tenant::make(&test.db, 1).await.scope;
        for n in 0..300 {
            test.db.write_for(scope, PutFor::named(&format!("n-{n}"))).await.unwrap();
        }
        test.finish().await;
    }

    async fn a_place_is_free_again_after_a_panic(engine) {
        let test = TestDb::open(engine).await;
        let test = test.restart_with(|options| options.write_queue = 4).await.unwrap();
        let scope = Tenant::make(&test.db, 1).await.scope;
        for _ in 0..5 {
            let error = test.db.write_for(scope, Panic).await.unwrap_err();
            assert!(matches!(error, DbError::Panicked(_)), "{error:?}");
        }
        test.db.write_for(scope, PutFor::named("x")).await.unwrap();
        test.finish().await;
    }
}

/// The writer hangs in one unit and others wait behind it: all callers are told in time, and truly.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_sqlite_nobody_waits_for_a_stuck_writer_for_ever() {
    let test = TestDb::open(Engine::Sqlite).await;
    // For who waits, and not for a busy machine that begins and commits what does not hang.
    let short = Duration::from_secs(2);
    let test = test
        .restart_with(|options| options.work_deadline = short)
        .await
        .unwrap();
    assert_eq!(test.db.writing(), Writing::Fine);
    let (unit, held, has_started) = hold(Engine::Sqlite);
    let waiting = async {
        has_started.await.unwrap();
        test.db.write(Put("waits".to_owned())).await
    };
    let (running, waiting) = tokio::join!(test.db.write(unit), waiting);
    assert!(matches!(running, Err(DbError::InDoubt(_))), "{running:?}");
    assert!(matches!(waiting, Err(DbError::Unavailable(_))), "{waiting:?}");
    eventually("it shows", || async {
        matches!(test.db.writing(), Writing::Stuck(_))
    })
    .await;
    held.release();
    eventually("it is over", || async { test.db.writing() == Writing::Fine }).await;
    test.db.write(Put("after".to_owned())).await.unwrap();
    assert!(
        !is_put(&test.db, "waits").await,
        "its caller was told that nothing was changed"
    );
    test.finish().await;
}

/// The callers of four heavy reads go away and the reads do not: nobody may add a fifth before one is done.
#[tokio::test]
async fn on_sqlite_abandoned_heavy_reads_still_count() {
    let test = TestDb::open(Engine::Sqlite).await;
    let slow = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 500000) SELECT COUNT(*) FROM n";
    let slow = storage::testing::statement("SELECT 0", slow);
    // A read keeps its connection for the next one, so the open files tell how many ran at once.
    let file = test.directory().join("symbolon.db");
    let connections = || {
        let open = std::fs::read_dir("/proc/self/fd").unwrap();
        open.filter(|entry| std::fs::read_link(entry.as_ref().unwrap().path()).is_ok_and(|to| to == file))
            .count()
    };
    let before = connections();
    assert!(before > 0);
    for _ in 0..40 {
        drop(poll_once(Box::pin(test.db.list_heavy::<i64>(slow, &[])).as_mut()));
    }
    assert_eq!(test.db.list_heavy::<i64>(slow, &[]).await.unwrap(), [500_000]);
    assert!(
        connections() <= before + 4,
        "{} read at once",
        connections() - before
    );
    test.finish().await;
}

struct Panic;

impl Work for Panic {
    type For = OrgScope;
    type Output = ();
    type Error = DbError;
    const NAME: &'static str = "panic";

    async fn run(&self, _tx: &mut Tx<'_>, _: &OrgScope) -> Result<(), DbError> {
        panic!("planted")
    }
}
