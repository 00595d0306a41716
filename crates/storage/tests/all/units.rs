//! Units of work that go wrong harm nobody but themselves.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::join_all;
use storage::db::{Broken, Statement};
use storage::identity::sessions;
use storage::testing::{Engine, TestDb, statement};
use storage::{AccountNum, DbError, both_databases, settings};
use tokio::sync::Notify;

use crate::support::{NOW, Put, is_put, poll_once};

unit!(BreakRule { name: String } -> (), |it, tx| {
    settings::put(tx, &it.name, "x", NOW).await?;
    // No such account.
    sessions::insert(tx, &it.name, AccountNum(-1), NOW, NOW + 1, None).await
});

unit!(Panic { name: String } -> (), |it, tx| {
    settings::put(tx, &it.name, "x", NOW).await?;
    panic!("planted")
});

unit!(Swallow { name: String } -> (), |it, tx| {
    settings::put(tx, &it.name, "x", NOW).await?;
    drop(sessions::insert(tx, &it.name, AccountNum(-1), NOW, NOW + 1, None).await);
    Ok(())
});

unit!(GoOn { name: String } -> (), |it, tx| {
    drop(sessions::insert(tx, &it.name, AccountNum(-1), NOW, NOW + 1, None).await);
    settings::put(tx, &it.name, "x", NOW).await
});

unit!(Wait { name: String, times: u32 } -> (), |it, tx| {
    settings::put(tx, &it.name, "x", NOW).await?;
    for _ in 0..it.times {
        tokio::task::yield_now().await;
    }
    Ok(())
});

unit!(Change { name: String } -> (), |it, tx| {
    settings::put(tx, &it.name, "x", NOW).await?;
    Err(DbError::Bug("decided against it".to_owned()))
});

/// Runs `bad` in the middle of good units; all are waiting at once, so they share a commit where there is one.
async fn among_others<W: storage::Work<For = storage::NoOrg, Output = (), Error = DbError>>(
    test: &TestDb,
    bad: impl Fn(String) -> W,
) -> Vec<DbError> {
    let good = join_all((0..30).map(|n| test.db.write(Put(format!("good-{n}")))));
    let bad = join_all((0..3).map(|n| test.db.write(bad(format!("bad-{n}")))));
    let more = join_all((30..60).map(|n| test.db.write(Put(format!("good-{n}")))));
    let (good, bad, more) = tokio::join!(good, bad, more);
    assert!(
        good.iter().chain(&more).all(Result::is_ok),
        "an innocent unit failed"
    );
    for n in 0..60 {
        assert!(is_put(&test.db, &format!("good-{n}")).await);
    }
    for n in 0..3 {
        assert!(
            !is_put(&test.db, &format!("bad-{n}")).await,
            "a part of a failed unit was kept"
        );
    }
    assert!(!test.db.last_write_failed(), "the disk is not to blame");
    test.db.write(Put("afterwards".to_owned())).await.unwrap();
    bad.into_iter().map(Result::unwrap_err).collect()
}

unit!(WrongParameters { with_one: &'static Statement } -> (), |it, tx| {
    tx.execute(it.with_one, storage::params!["one", 2]).await.map(drop)
});

both_databases! {
    async fn a_text_with_a_nul_is_refused_before_it_is_sent(engine) {
        let test = TestDb::open(engine).await;
        let errors = among_others(&test, |name| BreakRule { name: format!("{name}\0") }).await;
        assert!(errors.iter().all(|error| matches!(error, DbError::Nul)), "{errors:?}");
        let asks = statement("SELECT name FROM settings WHERE name = $1", "SELECT name FROM settings WHERE name = ?1");
        let nul = storage::params!["good-1\0"];
        assert!(matches!(test.db.find::<String>(asks, nul).await, Err(DbError::Nul)));
        assert!(matches!(test.db.list::<String>(asks, nul).await, Err(DbError::Nul)));
        assert!(matches!(test.db.list_heavy::<String>(asks, nul).await, Err(DbError::Nul)));
        assert!(is_put(&test.db, "good-1").await, "the connections still work");
        test.finish().await;
    }

    async fn a_statement_given_the_wrong_parameters_is_our_defect_and_not_the_disks(engine) {
        let test = TestDb::open(engine).await;
        let with_one = statement("DELETE FROM settings WHERE name = $1", "DELETE FROM settings WHERE name = ?1");
        let error = test.db.write(WrongParameters { with_one }).await.unwrap_err();
        assert!(matches!(error, DbError::Bug(_)), "{error:?}");
        assert!(!test.db.last_write_failed());
        test.finish().await;
    }

    async fn a_broken_rule_undoes_its_own_unit_and_no_other(engine) {
        let test = TestDb::open(engine).await;
        for error in among_others(&test, |name| BreakRule { name }).await {
            assert!(matches!(error, DbError::Constraint(Broken::ForeignKey, _)), "{error:?}");
        }
        test.finish().await;
    }

    async fn a_refusal_by_the_unit_itself_undoes_it(engine) {
        let test = TestDb::open(engine).await;
        for error in among_others(&test, |name| Change { name }).await {
            assert!(matches!(error, DbError::Bug(text) if text == "decided against it"));
        }
        test.finish().await;
    }

    async fn a_panic_stays_inside_its_unit(engine) {
        let test = TestDb::open(engine).await;
        for error in among_others(&test, |name| Panic { name }).await {
            assert!(matches!(error, DbError::Panicked("Panic")), "{error:?}");
        }
        test.finish().await;
    }

    async fn a_swallowed_failure_is_not_committed(engine) {
        let test = TestDb::open(engine).await;
        for error in among_others(&test, |name| Swallow { name }).await {
            assert!(matches!(&error, DbError::Bug(text) if text.contains("swallowed")), "{error:?}");
        }
        test.finish().await;
    }

    async fn a_unit_cannot_go_on_after_a_failure(engine) {
        let test = TestDb::open(engine).await;
        for error in among_others(&test, |name| GoOn { name }).await {
            assert!(matches!(&error, DbError::Bug(text) if text.contains("went on")), "{error:?}");
        }
        test.finish().await;
    }

    async fn a_caller_that_goes_away_does_not_stop_its_unit(engine) {
        let test = TestDb::open(engine).await;
        {
            let mut write = pin!(test.db.write(Put("dropped".to_owned())));
            assert!(poll_once(write.as_mut()).is_pending());
        }
        // close() waits for what was accepted.
        let test = test.restart().await;
        assert!(is_put(&test.db, "dropped").await);
        test.finish().await;
    }

    async fn an_aborted_task_does_not_stop_its_unit(engine) {
        let test = TestDb::open(engine).await;
        let (db, polled) = (test.db.clone(), Arc::new(Notify::new()));
        let signal = Arc::clone(&polled);
        #[expect(clippy::disallowed_methods, reason = "the test aborts it")]
        let task = tokio::spawn(async move {
            let mut write = pin!(db.write(Put("aborted".to_owned())));
            drop(poll_once(write.as_mut()));
            signal.notify_one();
            std::future::pending::<()>().await;
        });
        polled.notified().await;
        task.abort();
        assert!(task.await.unwrap_err().is_cancelled());
        let test = test.restart().await;
        assert!(is_put(&test.db, "aborted").await);
        test.finish().await;
    }

    async fn closing_waits_for_accepted_units_and_refuses_later_ones(engine) {
        let test = TestDb::open(engine).await;
        let accepted = Arc::new(AtomicBool::new(false));
        let writes = async {
            let all = join_all((0..50).map(|n| test.db.write(Put(format!("early-{n}")))));
            let mut all = pin!(all);
            drop(poll_once(all.as_mut()));
            accepted.store(true, Ordering::SeqCst);
            all.await
        };
        let close = async {
            assert!(accepted.load(Ordering::SeqCst));
            test.db.close().await;
        };
        let (results, ()) = tokio::join!(writes, close);
        assert!(results.iter().all(Result::is_ok));
        let late = test.db.write(Put("late".to_owned())).await.unwrap_err();
        assert!(matches!(late, DbError::Unavailable(_)), "{late:?}");
        test.db.close().await;
        let test = test.restart().await;
        assert!(is_put(&test.db, "early-49").await && !is_put(&test.db, "late").await);
        test.finish().await;
    }
}

/// SQLite holds everybody up while it waits, so a unit that waits for anything else is a defect: loud in
/// development, a failed request in production.
#[tokio::test]
async fn on_sqlite_a_unit_that_waits_for_something_else_is_undone() {
    let test = TestDb::open(Engine::Sqlite).await;
    let db = test.db.clone();
    #[expect(clippy::disallowed_methods, reason = "joined below")]
    let task = tokio::spawn(async move {
        db.write(Wait {
            name: "bad".to_owned(),
            times: 1,
        })
        .await
    });
    match task.await {
        Err(error) => assert!(cfg!(debug_assertions) && error.is_panic()),
        Ok(answer) => assert!(matches!(answer, Err(DbError::Waited("Wait"))) && !cfg!(debug_assertions)),
    }
    assert!(!is_put(&test.db, "bad").await);
    test.db
        .write(Wait {
            name: "good".to_owned(),
            times: 0,
        })
        .await
        .unwrap();
    assert!(is_put(&test.db, "good").await);
    test.finish().await;
}

#[tokio::test]
async fn on_postgres_a_unit_may_wait() {
    let test = TestDb::open(Engine::Postgres).await;
    test.db
        .write(Wait {
            name: "waited".to_owned(),
            times: 3,
        })
        .await
        .unwrap();
    assert!(is_put(&test.db, "waited").await);
    test.finish().await;
}
