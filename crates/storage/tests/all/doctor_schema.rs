//! The doctor looks at the schema itself, and at ids that nobody can read.

use storage::both_databases;
use storage::testing::{Engine, TestDb};

use crate::doctor::{beside_the_schema, disarm};
use crate::support::{Raw, Tenant};

/// Ids that no program of ours wrote, and the kind of row that holds them.
fn strange_ids(tenant: &Tenant) -> Vec<(String, String, &'static str)> {
    let org = tenant.scope.num();
    let swap = |table: &str, column: &str, value: &str, condition: &str| {
        format!("UPDATE {table} SET {column} = '{value}' WHERE {condition}")
    };
    let mine = format!("org_num = {org}");
    let (itself, account) = (format!("num = {org}"), format!("num = {}", tenant.account.0));
    let (discord, steam) = (tenant.discord.as_str(), tenant.steam.as_str());
    vec![
        (
            swap("links", "discord_id", "someone", &mine),
            swap("links", "discord_id", discord, &mine),
            "a link has",
        ),
        (
            swap("links", "steam_id", "123", &mine),
            swap("links", "steam_id", steam, &mine),
            "a link has",
        ),
        (
            swap("orgs", "id", "org_lower", &itself),
            swap("orgs", "id", tenant.org_id.as_str(), &itself),
            "an Org has",
        ),
        (
            swap("accounts", "discord_id", "x", &account),
            swap("accounts", "discord_id", discord, &account),
            "an account has",
        ),
        (
            format!("UPDATE servers SET id = 'gld_' || id WHERE {mine}"),
            format!("UPDATE servers SET id = substr(id, 5) WHERE {mine}"),
            "a Server has",
        ),
        (
            format!("UPDATE api_keys SET id = lower(id) WHERE {mine}"),
            format!("UPDATE api_keys SET id = 'key_' || upper(substr(id, 5)) WHERE {mine}"),
            "a key has",
        ),
        (
            format!("UPDATE guilds SET log_channel_id = '#log' WHERE {mine}"),
            format!("UPDATE guilds SET log_channel_id = NULL WHERE {mine}"),
            "a Guild has",
        ),
    ]
}

both_databases! {
    async fn ids_that_cannot_be_read_are_found_with_their_org_and_row(engine) {
        let test = TestDb::open(engine).await;
        let tenant = Tenant::make(&test.db, 1).await;
        Tenant::make(&test.db, 2).await;
        let raw = Raw::open(&test).await;
        disarm(&raw).await;
        for (damage, remedy, expected) in strange_ids(&tenant) {
            raw.run(&damage).await.unwrap_or_else(|error| panic!("{damage}: {error}"));
            let findings = beside_the_schema(&test).await;
            let found = findings.iter().find(|finding| finding.starts_with(expected) && finding.contains("unreadable"));
            let found = found.unwrap_or_else(|| panic!("{damage}\n{findings:?}"));
            assert!(found.contains("(1 times)") && found.contains("(row 1)"), "{found}");
            if !["an account has", "an Org has"].contains(&expected) {
                assert!(found.contains(tenant.org_id.as_str()), "{found}");
            }
            raw.run(&remedy).await.unwrap_or_else(|error| panic!("{remedy}: {error}"));
            let left = beside_the_schema(&test).await;
            assert!(left.is_empty(), "{damage}\n{left:?}");
        }
        drop(raw);
        test.finish().await;
    }

    async fn every_missing_index_and_trigger_is_found(engine) {
        let test = TestDb::open(engine).await;
        let raw = Raw::open(&test).await;
        let parts = match engine {
            Engine::Sqlite => {
                "SELECT type || ' ' || name FROM sqlite_schema WHERE sql IS NOT NULL AND type IN ('index', 'trigger') ORDER BY 1"
            }
            Engine::Postgres => {
                "SELECT 'index ' || indexrelid::regclass::text FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid
                 WHERE t.relnamespace = current_schema()::regnamespace
                   AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conindid = x.indexrelid)
                 UNION ALL
                 SELECT 'trigger ' || g.tgname FROM pg_trigger g JOIN pg_class t ON t.oid = g.tgrelid
                 WHERE NOT g.tgisinternal AND t.relnamespace = current_schema()::regnamespace ORDER BY 1"
            }
        };
        let parts = raw.texts(parts).await;
        assert!(parts.len() > 30, "{parts:?}");
        for (dropped, part) in parts.iter().enumerate() {
            let sql = match (engine, part.split_once(' ')) {
                (Engine::Postgres, Some(("trigger", name))) => {
                    let table = if name.starts_with("audit") { "audit" } else { "links" };
                    format!("DROP TRIGGER {name} ON {table}")
                }
                _ => format!("DROP {part}"),
            };
            raw.run(&sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
            let findings = storage::doctor::examine(&test.db).await.unwrap();
            assert_eq!(findings.len(), dropped + 1, "{part}\n{findings:?}");
            assert!(findings.iter().any(|finding| finding.contains(part.as_str())), "{part}\n{findings:?}");
        }
        drop(raw);
        test.finish().await;
    }
}

#[tokio::test]
async fn on_postgres_rules_of_tables_and_switched_off_triggers_are_missed() {
    let test = TestDb::open(Engine::Postgres).await;
    let raw = Raw::open(&test).await;
    for (damage, finding) in [
        (
            "ALTER TABLE orgs DROP CONSTRAINT orgs_slug_key",
            "the unique index of the table orgs on slug is missing or does not work",
        ),
        (
            "ALTER TABLE audit DISABLE TRIGGER audit_stays",
            "the trigger audit_stays of the table audit is missing or does not work",
        ),
        (
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'sessions_expiry'::regclass",
            "the index sessions_expiry of the table sessions on expires_at is missing or does not work",
        ),
        (
            "DROP INDEX flows_age; CREATE INDEX flows_age ON flows (guild_num)",
            "the index flows_age of the table flows on touched_at is missing or does not work",
        ),
    ] {
        raw.run(damage)
            .await
            .unwrap_or_else(|error| panic!("{damage}: {error}"));
        let findings = storage::doctor::examine(&test.db).await.unwrap();
        assert!(
            findings.iter().any(|one| one == finding),
            "{finding} is not in {findings:?}"
        );
    }
    drop(raw);
    test.finish().await;
}
