//! Readers of the embedded database keep their transaction; nobody may notice but the clock.
#![expect(
    clippy::disallowed_methods,
    reason = "each read is to run on whatever thread is free, and is awaited"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use storage::testing::{Engine, TestDb};
use storage::{Db, keys, settings};

use crate::support::{NOW, Put, Tenant, is_put, plain_key};

unit! { PutMuch { name: String } -> (), |this, tx| {
    settings::put(tx, &this.name, &"x".repeat(1 << 20), NOW).await
} }

unit! { Replace { tenant: Tenant, hash: domain::key::KeyHash, prefix: domain::key::KeyPrefix, version: i64 } -> bool, |this, tx| {
    let server = storage::servers::find_in(tx, this.tenant.scope, &this.tenant.server_id).await?.unwrap();
    let new = keys::Replacement { hash: &this.hash, prefix: &this.prefix, sealed: "s", sealed_kid: "k", now_ms: NOW };
    keys::replace(tx, this.tenant.scope, server.key.num, this.version, &new).await
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
                let gone = keys::resolve(&db, &old, None).await.unwrap().is_none();
                gone && keys::resolve(&db, &new, None).await.unwrap().is_some()
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
