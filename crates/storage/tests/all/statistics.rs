//! The embedded database keeps no statistics. They are made of the few rows that were there at the time, and the plans
//! they lead to are up to a thousand times slower once there are many.

use storage::testing::{Engine, TestDb};
use storage::{Db, catalogue, doctor};

use crate::support::{Put, Tenant, is_put};

/// What SQLite would do for every statement of the catalogue.
async fn plans(db: &Db) -> Vec<(&'static str, String)> {
    let mut plans = Vec::new();
    for statement in catalogue::statements() {
        plans.push((statement.name(), db.explain(statement).await.unwrap()));
    }
    plans
}

#[tokio::test]
async fn bad_statistics_are_thrown_away_before_anything_is_planned() {
    let test = TestDb::open(Engine::Sqlite).await;
    let fresh = plans(&test.db).await;
    Tenant::make(&test.db, 1).await;
    test.damage("ANALYZE").await;
    // Explaining looks at what the connection knows of the schema; a read makes it look at the schema itself.
    assert!(!is_put(&test.db, "any").await);
    let misled = plans(&test.db).await;
    let import = "storage::linking::imports::ACTIVE_OF_DISCORD";
    let by_index = |plans: &[(&str, String)]| {
        let plan = plans.iter().find(|(name, _)| *name == import).unwrap();
        plan.1.contains("discord_id=?")
    };
    assert!(
        by_index(&fresh) && !by_index(&misled),
        "the statistics do no harm"
    );

    let test = test.restart().await;
    for (now, before) in plans(&test.db).await.into_iter().zip(fresh) {
        assert_eq!(now, before);
    }
    assert_eq!(
        test.count("sqlite_schema WHERE name LIKE 'sqlite_stat%'").await,
        0
    );
    assert!(doctor::examine(&test.db).await.unwrap().is_empty());
    test.finish().await;
}

#[tokio::test]
async fn writing_and_resting_leave_no_statistics_behind() {
    let test = TestDb::open(Engine::Sqlite).await;
    Tenant::make(&test.db, 1).await;
    for number in 0..300 {
        test.db.write(Put(number.to_string())).await.unwrap();
    }
    // What the writer does at rest, it does when the store is closed too.
    test.db.close().await;
    assert_eq!(
        test.count("sqlite_schema WHERE name LIKE 'sqlite_stat%'").await,
        0
    );
    test.finish().await;
}
