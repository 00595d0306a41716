//! How pages of the audit log are found.

use storage::testing::{Engine, TestDb};

use crate::catalogue::named;

/// Each filter of the audit log has an index. SQLite reads it in its order, except for two targets at once; PostgreSQL,
/// which plans without knowing the filters, may sort what the index gave.
#[tokio::test]
async fn a_filtered_page_of_the_audit_log_is_found_by_the_index_of_its_filter() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let test = TestDb::open(engine).await;
        if engine == Engine::Postgres {
            // Its plans go by what is there: in an empty table every way is as short.
            let fill = "INSERT INTO audit_heads (chain, seq, hash) VALUES (7, 20000, '');
                INSERT INTO audit (chain, seq, at, actor_kind, actor_id, action, target, detail, hash)
                SELECT 7, i, 1, 'account', 'usr_' || i % 20, 'kind.' || i % 40, 'srv_' || i % 300, '{}', ''
                FROM generate_series(1, 20000) i;
                ANALYZE audit";
            test.damage(fill).await;
        }
        for (filter, index, sorts) in [
            ("BY_TARGET", "audit_by_target", true),
            ("BY_ACTOR", "audit_by_actor", false),
            ("BY_ACTION", "audit_by_action", false),
            // One of two that both lead to a few rows.
            ("CREATION", "audit_by_", false),
        ] {
            let name = format!("storage::records::audit_pages::{filter}");
            let plan = test.db.explain(named(&name)).await.unwrap();
            assert!(plan.contains(index), "{name}: {plan}");
            assert_eq!(
                plan.contains("TEMP"),
                sorts && engine == Engine::Sqlite,
                "{name}: {plan}"
            );
        }
        let plan = test
            .db
            .explain(named("storage::records::audit_pages::ACTORS"))
            .await
            .unwrap();
        // PostgreSQL does not show the plan of the step from one to the next.
        let shown = if engine == Engine::Sqlite { 2 } else { 1 };
        assert_eq!(plan.matches("audit_by_actor").count(), shown, "{plan}");
        assert!(!plan.contains("Seq Scan on audit"), "{plan}");
        test.finish().await;
    }
}
