//! What the service remembers about itself: settings, failures, and the audit log.

use domain::audit::{Actor, AuditAction};
use serde_json::json;
use storage::records::audit::{self, Act};
use storage::records::error_log::{self, Group, KEPT_REQUEST_IDS};
use storage::testing::{Beside, Engine, TestDb, newest_errors};
use storage::{NoOrg, OrgScope, both_databases, settings};

use crate::support::{NOW, Raw, Tenant, eventually};

unit!(PutValue { value: &'static str } -> (), |it, tx| { settings::put(tx, "name", it.value, NOW).await });

unit!(PutIfMissing { value: &'static str } -> String, |it, tx| {
    settings::put_if_missing(tx, "name", it.value, NOW).await
});

unit!(Record { group: Group } -> (), |it, tx| { error_log::record(tx, &it.group).await });

unit!(PurgeErrors { before: i64, kept: i64 } -> u64, |it, tx| { error_log::purge(tx, it.before, it.kept).await });

unit!(Append { scope: Option<OrgScope>, number: usize } -> (), |it, tx| {
    let (action, target, detail) = (AuditAction::ServerCreated, Some("srv_x"), json!({ "n": it.number }));
    let act = Act::new(NoOrg, Actor::System, NOW);
    match it.scope {
        Some(scope) => act.within(scope).note(tx, action, target, &detail).await,
        None => act.note(tx, action, target, &detail).await,
    }
});

fn group(code: &str, minute: i64, ids: std::ops::Range<usize>) -> Group {
    Group {
        code: code.to_owned(),
        route: "/r".to_owned(),
        org_num: 0,
        minute,
        status: 500,
        count: ids.len() as i64,
        request_ids: ids.map(|id| format!("r{id}")).collect(),
        detail: "d".to_owned(),
    }
}

async fn append(test: &TestDb, scope: Option<OrgScope>, number: usize) {
    test.db.write(Append { scope, number }).await.unwrap();
}

const NO_GUARD: (&str, &str) = (
    "DROP TRIGGER audit_is_final; DROP TRIGGER audit_stays",
    "ALTER TABLE audit DISABLE TRIGGER USER",
);

both_databases! {
    async fn a_setting_holds_its_newest_value(engine) {
        let test = TestDb::open(engine).await;
        assert_eq!(settings::find(&test.db, "name").await.unwrap(), None);
        assert_eq!(test.db.write(PutIfMissing { value: "first" }).await.unwrap(), "first");
        assert_eq!(test.db.write(PutIfMissing { value: "second" }).await.unwrap(), "first");
        test.db.write(PutValue { value: "third" }).await.unwrap();
        assert_eq!(settings::find(&test.db, "name").await.unwrap().as_deref(), Some("third"));
        test.finish().await;
    }

    async fn a_first_value_is_agreed_on_in_a_rush(engine) {
        let test = TestDb::open(engine).await;
        let values = ["a", "b", "c", "d"];
        let rush = values.map(|value| test.db.write(PutIfMissing { value }));
        let stored: Vec<String> = futures_util::future::join_all(rush).await.into_iter().map(Result::unwrap).collect();
        assert!(stored.iter().all(|value| *value == stored[0]), "{stored:?}");
        test.finish().await;
    }

    async fn failures_of_a_minute_are_one_group(engine) {
        let test = TestDb::open(engine).await;
        for group in [group("a", 1, 0..2), group("a", 2, 0..1), group("b", 1, 0..1), group("a", 1, 2..5)] {
            test.db.write(Record { group }).await.unwrap();
        }
        let newest = newest_errors(&test.db, 10).await;
        assert_eq!(newest, [group("a", 2, 0..1), group("b", 1, 0..1), group("a", 1, 0..5)]);
        assert_eq!(newest_errors(&test.db, 1).await, newest[..1]);
        test.finish().await;
    }

    async fn a_group_keeps_the_newest_request_ids_and_counts_all(engine) {
        let test = TestDb::open(engine).await;
        let newest = async || newest_errors(&test.db, 1).await.remove(0);
        test.db.write(Record { group: group("a", 1, 0..50) }).await.unwrap();
        let kept = group("a", 1, 50 - KEPT_REQUEST_IDS..50).request_ids;
        assert_eq!((newest().await.count, newest().await.request_ids), (50, kept));
        test.db.write(Record { group: group("a", 1, 50..60) }).await.unwrap();
        let kept = group("a", 1, 60 - KEPT_REQUEST_IDS..60).request_ids;
        assert_eq!((newest().await.count, newest().await.request_ids), (60, kept));
        test.finish().await;
    }

    async fn old_and_surplus_groups_are_removed(engine) {
        let test = TestDb::open(engine).await;
        for minute in 1..=6 {
            test.db.write(Record { group: group("a", minute, 0..1) }).await.unwrap();
        }
        assert_eq!(test.db.write(PurgeErrors { before: 2, kept: 100 }).await.unwrap(), 2);
        assert_eq!(test.db.write(PurgeErrors { before: 0, kept: 3 }).await.unwrap(), 1);
        let left: Vec<i64> = newest_errors(&test.db, 10).await.iter().map(|group| group.minute).collect();
        assert_eq!(left, [6, 5, 4]);
        test.finish().await;
    }

    async fn each_org_has_an_audit_chain_of_its_own(engine) {
        let test = TestDb::open(engine).await;
        let (one, two) = (Tenant::make(&test.db, 1).await, Tenant::make(&test.db, 2).await);
        for number in 0..3 {
            append(&test, Some(one.scope), number).await;
        }
        append(&test, Some(two.scope), 0).await;
        append(&test, None, 0).await;
        let rows = audit::list_newest(&test.db, one.scope, 2).await.unwrap();
        assert_eq!(rows.iter().map(|row| row.seq).collect::<Vec<_>>(), [3, 2]);
        assert_eq!((rows[0].action.as_str(), rows[0].target.as_deref()), ("server.created", Some("srv_x")));
        assert_eq!((rows[0].actor_kind.as_str(), rows[0].actor_id.as_deref(), rows[0].at_ms), ("system", None, NOW));
        assert_eq!(audit::list_newest(&test.db, two.scope, 9).await.unwrap().len(), 1);
        assert_eq!(audit::list_newest_for_operators(&test.db, 9).await.unwrap().len(), 1);
        assert_eq!(audit::verify_chains(&test.db).await.unwrap(), Vec::<String>::new());
        test.finish().await;
    }

    async fn appending_in_a_rush_leaves_one_unbroken_chain(engine) {
        let test = TestDb::open(engine).await;
        let scope = Tenant::make(&test.db, 1).await.scope;
        futures_util::future::join_all((0..40).map(|number| append(&test, Some(scope), number))).await;
        let rows = audit::list_newest(&test.db, scope, 100).await.unwrap();
        assert_eq!(rows.iter().map(|row| row.seq).collect::<Vec<_>>(), (1..=40).rev().collect::<Vec<_>>());
        assert_eq!(audit::verify_chains(&test.db).await.unwrap(), Vec::<String>::new());
        test.finish().await;
    }

    async fn a_manipulated_audit_log_shows(engine) {
        let test = TestDb::open(engine).await;
        let scope = Tenant::make(&test.db, 1).await.scope;
        for number in 0..4 {
            append(&test, Some(scope), number).await;
        }
        let raw = Raw::open(&test).await;
        raw.run_either(NO_GUARD.0, NO_GUARD.1).await;
        let chain = scope.num();
        let tampered = [
            ("detail = '{}'", "broken at entry 2"),
            ("at = at + 1", "broken at entry 2"),
            ("actor_kind = 'key'", "broken at entry 2"),
            ("actor_id = 'somebody'", "broken at entry 2"),
            ("action = 'other'", "broken at entry 2"),
            ("target = NULL", "broken at entry 2"),
            ("hash = 'other'", "broken at entry 2"),
            ("seq = 9", "broken at entry 3"),
        ];
        raw.run("CREATE TABLE good AS SELECT * FROM audit").await.unwrap();
        for (change, finding) in tampered {
            raw.run(&format!("UPDATE audit SET {change} WHERE chain = {chain} AND seq = 2")).await.unwrap();
            let findings = audit::verify_chains(&test.db).await.unwrap();
            assert!(findings.len() == 1 && findings[0].contains(finding), "{change}: {findings:?}");
            raw.run("DELETE FROM audit; INSERT INTO audit SELECT * FROM good").await.unwrap();
        }
        for (damage, finding) in [
            (format!("DELETE FROM audit WHERE chain = {chain} AND seq = 3"), "broken at entry 4"),
            (format!("DELETE FROM audit WHERE chain = {chain} AND seq = 4"), "ends at 3 instead of 4"),
            (format!("UPDATE audit_heads SET hash = 'other' WHERE chain = {chain}"), "does not end in its recorded head"),
        ] {
            raw.run(&damage).await.unwrap();
            let findings = audit::verify_chains(&test.db).await.unwrap();
            assert!(findings.len() == 1 && findings[0].contains(finding), "{damage}: {findings:?}");
            raw.run("DELETE FROM audit; INSERT INTO audit SELECT * FROM good").await.unwrap();
        }
        drop(raw);
        test.finish().await;
    }

    async fn long_chains_and_many_chains_are_verified_page_by_page(engine) {
        let test = TestDb::open(engine).await;
        let scope = Tenant::make(&test.db, 1).await.scope;
        futures_util::future::join_all((0..1001).map(|number| append(&test, None, number))).await;
        append(&test, Some(scope), 0).await;
        let raw = Raw::open(&test).await;
        // More than a page of empty chains between the two.
        for chain in 2000..2600 {
            raw.run(&format!("INSERT INTO audit_heads (chain, seq, hash) VALUES ({chain}, 0, '')")).await.unwrap();
        }
        raw.run("UPDATE audit_heads SET seq = 1 WHERE chain = 2599").await.unwrap();
        let findings = audit::verify_chains(&test.db).await.unwrap();
        assert!(findings.len() == 1 && findings[0].contains("chain 2599 ends at 0 instead of 1"), "{findings:?}");
        drop(raw);
        test.finish().await;
    }
}

/// Lets a second connection go first, once somebody waits for it.
async fn goes_first(beside: Beside) {
    eventually("somebody waits for the other connection", || beside.is_awaited()).await;
    beside.commit().await;
}

/// The statement that waits shows the row it locks as it is after the wait.
#[tokio::test]
async fn on_postgres_whoever_waited_goes_on_from_what_the_other_one_wrote() {
    let test = TestDb::open(Engine::Postgres).await;
    let head = "UPDATE audit_heads SET seq = 7, hash = 'h' WHERE chain = 0";
    let beside = test.begin_beside(head).await;
    tokio::join!(append(&test, None, 1), goes_first(beside));
    assert_eq!(test.count("audit WHERE chain = 0 AND seq = 8").await, 1);

    let record = |ids| {
        test.db.write(Record {
            group: group("C", 1, ids),
        })
    };
    record(0..1).await.unwrap();
    let beside = test
        .begin_beside("UPDATE error_log SET count = 6, request_ids = 'other'")
        .await;
    let (recorded, ()) = tokio::join!(record(1..2), goes_first(beside));
    recorded.unwrap();
    assert_eq!(
        test.count("error_log WHERE count = 7 AND request_ids = 'other,r1'")
            .await,
        1
    );
    test.finish().await;
}
