//! Readers of the embedded database keep their transaction; nobody may notice but the clock.
#![expect(
    clippy::disallowed_methods,
    reason = "each read is to run on whatever thread is free, and is awaited"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use storage::db::Statement;
use storage::keys::plugin_keys;
use storage::linking::lookups;
use storage::testing::{Engine, TestDb, statement};
use storage::{Db, both_databases, settings};

use crate::support::{NOW, Put, Raw, Tenant, eventually, is_put, plain_key};

unit! { PutMuch { name: String } -> (), |this, tx| {
    settings::put(tx, &this.name, &"x".repeat(1 << 20), NOW).await
} }

unit! { Replace { tenant: Tenant, hash: domain::key::KeyHash, prefix: domain::key::KeyPrefix, version: i64 } -> bool, |this, tx| {
    let server = storage::tenancy::servers::find_in(tx, this.tenant.scope, &this.tenant.server_id).await?.unwrap();
    let new = plugin_keys::Replacement { hash: &this.hash, prefix: &this.prefix, sealed: "s", sealed_kid: "k", now_ms: NOW };
    plugin_keys::replace(tx, this.tenant.scope, server.key.num, this.version, &new).await
} }

fn log_bytes(test: &TestDb) -> u64 {
    let file = test.directory().join("symbolon.db-wal");
    std::fs::metadata(file).map_or(0, |found| found.len())
}

/// Reads on every reader of the store, so that all of them keep a transaction.
async fn look_everywhere(db: &Db) {
    let reads = (0..8).map(|_| {
        let db = db.clone();
        tokio::spawn(async move { is_put(&db, "0").await })
    });
    futures_util::future::join_all(reads).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_stays_bounded_while_readers_never_rest() {
    let test = TestDb::open(Engine::Sqlite).await;
    let stop = Arc::new(AtomicBool::new(false));
    let reader = {
        let (db, stop) = (test.db.clone(), Arc::clone(&stop));
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            while !stop.load(Ordering::Relaxed) {
                runtime.block_on(is_put(&db, "0"));
            }
        })
    };
    let mut largest = 0;
    for number in 0..100 {
        test.db
            .write(PutMuch {
                name: number.to_string(),
            })
            .await
            .unwrap();
        assert!(is_put(&test.db, &number.to_string()).await);
        largest = largest.max(log_bytes(&test));
    }
    stop.store(true, Ordering::Relaxed);
    reader.join().unwrap();
    assert!(
        largest < 48 << 20,
        "100 MiB were written through a log of {largest} bytes"
    );
    test.finish().await;
}

/// After an erasure nobody waits for a rest that may never come.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_is_emptied_on_demand_while_others_read_and_write() {
    let test = TestDb::open(Engine::Sqlite).await;
    let much = PutMuch {
        name: "much".to_owned(),
    };
    test.db.write(much).await.unwrap();
    look_everywhere(&test.db).await;
    assert!(log_bytes(&test) > 1 << 20, "the test needs a long log");
    test.db.empty_log();
    for number in 0..200 {
        test.db.write(Put(number.to_string())).await.unwrap();
        assert!(is_put(&test.db, &number.to_string()).await);
        if log_bytes(&test) < 1 << 18 {
            return test.finish().await;
        }
    }
    panic!("the log has {} bytes", log_bytes(&test));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_closed_store_leaves_an_empty_log_although_its_readers_looked() {
    let test = TestDb::open(Engine::Sqlite).await;
    test.db.write(Put("0".to_owned())).await.unwrap();
    look_everywhere(&test.db).await;
    assert!(log_bytes(&test) > 0, "the test needs a log");
    test.db.close().await;
    assert_eq!(log_bytes(&test), 0);
    test.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_reader_sees_a_key_as_the_last_commit_left_it() {
    let test = TestDb::open(Engine::Sqlite).await;
    let mut tenant = Tenant::make(&test.db, 1).await;
    for version in 1..50 {
        let fresh = plain_key();
        let unit = Replace {
            tenant: tenant.clone(),
            hash: fresh.hash(),
            prefix: fresh.prefix(),
            version,
        };
        assert!(test.db.write(unit).await.unwrap());
        let (old, new) = (tenant.key_hash.clone(), fresh.hash());
        let reads = (0..8).map(|_| {
            let (db, old, new) = (test.db.clone(), old.clone(), new.clone());
            tokio::spawn(async move {
                let gone = plugin_keys::resolve(&db, &old, None).await.unwrap().is_none();
                gone && plugin_keys::resolve(&db, &new, None).await.unwrap().is_some()
            })
        });
        for seen in futures_util::future::join_all(reads).await {
            assert!(seen.unwrap());
        }
        tenant.key_hash = new;
    }
    test.finish().await;
}

#[tokio::test]
async fn a_store_beside_the_owner_sees_each_commit_and_does_not_hold_the_log() {
    let test = TestDb::open(Engine::Sqlite).await;
    let beside = Db::open_beside(test.options()).await.unwrap();
    for number in 0..5 {
        let name = number.to_string();
        assert!(!is_put(&beside, &name).await);
        test.db.write(Put(name.clone())).await.unwrap();
        assert!(is_put(&beside, &name).await);
    }
    test.db.close().await;
    assert_eq!(log_bytes(&test), 0);
    drop(beside);
    test.finish().await;
}

#[tokio::test]
async fn a_failed_read_does_not_end_reading() {
    let test = TestDb::open(Engine::Sqlite).await;
    test.db.write(Put("0".to_owned())).await.unwrap();
    test.damage("ALTER TABLE settings RENAME TO elsewhere").await;
    assert!(settings::find(&test.db, "0").await.is_err());
    test.damage("ALTER TABLE elsewhere RENAME TO settings").await;
    assert!(is_put(&test.db, "0").await);
    test.finish().await;
}

unit! { Run { statement: &'static Statement } -> (), |this, tx| {
    tx.execute(this.statement, &[]).await.map(drop)
} }

const LOSE: &str = "ALTER TABLE links RENAME TO lost";

/// Whether the key and the list of the Guild's links are answered, asked twice: the second answer is a remembered one.
async fn answers(db: &Db, tenant: &Tenant) -> [bool; 2] {
    let mut answered = [true; 2];
    for _ in 0..2 {
        answered[0] &= plugin_keys::resolve(db, &tenant.key_hash, None).await.is_ok();
        let asked = std::slice::from_ref(&tenant.steam);
        answered[1] &= lookups::linked(db, tenant.guild, asked).await.is_ok();
    }
    answered
}

/// The same on a thread of its own, which has another reader.
async fn answers_elsewhere(db: &Db, tenant: &Tenant) -> [bool; 2] {
    let (db, tenant) = (db.clone(), tenant.clone());
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(answers(&db, &tenant))
    });
    tokio::task::spawn_blocking(|| thread.join().unwrap())
        .await
        .unwrap()
}

both_databases! {
    async fn nothing_is_remembered_beyond_the_commit_it_belongs_to(engine) {
        let test = TestDb::open(engine).await;
        let tenant = Tenant::make(&test.db, 1).await;
        assert_eq!(answers(&test.db, &tenant).await, [true; 2]);
        assert_eq!(answers_elsewhere(&test.db, &tenant).await, [true; 2]);
        test.db.write(Run { statement: statement(LOSE, LOSE) }).await.unwrap();
        assert_eq!(answers(&test.db, &tenant).await, [false; 2]);
        assert_eq!(answers_elsewhere(&test.db, &tenant).await, [false; 2]);
        test.finish().await;
    }
}

/// The database is in doubt once a statement failed, so what was read before does not answer anybody any more.
#[tokio::test]
async fn after_a_failed_read_no_reader_answers_from_memory() {
    let test = TestDb::open(Engine::Sqlite).await;
    let tenant = Tenant::make(&test.db, 1).await;
    assert_eq!(answers(&test.db, &tenant).await, [true; 2]);
    assert_eq!(answers_elsewhere(&test.db, &tenant).await, [true; 2]);
    // Nobody told the store, as if the disk had lost it.
    Raw::open(&test).await.run(LOSE).await.unwrap();
    let fails = statement("SELECT 0", "SELECT num FROM nowhere");
    assert!(test.db.find::<i64>(fails, &[]).await.is_err());
    assert_eq!(answers_elsewhere(&test.db, &tenant).await, [false; 2]);
    assert_eq!(answers(&test.db, &tenant).await, [false; 2]);
    test.finish().await;
}

/// Nobody but the owner may write, but if somebody does, a store at rest must not go on with what was.
#[tokio::test]
async fn a_store_at_rest_notices_what_was_done_past_it() {
    let test = TestDb::open(Engine::Sqlite).await;
    let tenant = Tenant::make(&test.db, 1).await;
    // Opened anew it has nothing of its own to tidy up.
    let test = test.restart().await;
    assert_eq!(answers(&test.db, &tenant).await, [true; 2]);
    Raw::open(&test).await.run(LOSE).await.unwrap();
    eventually("both reads fail", || async {
        answers(&test.db, &tenant).await == [false; 2]
    })
    .await;
    test.finish().await;
}
