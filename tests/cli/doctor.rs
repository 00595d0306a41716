//! `doctor` and `migrate`.

use std::time::Duration;

use domain::plan::Tier;
use storage::testing::statement;
use storage::{DbError, NoOrg, Tx, Work};
use testkit::{Engine, Node, TestApp, both_databases, wait_until};

use super::shell::{BINARY, Shell, empty, installed, run_bare};

/// One statement that no program of ours would run.
struct Damage(&'static str);

impl Work for Damage {
    type For = NoOrg;
    type Output = u64;
    type Error = DbError;
    const NAME: &'static str = "damage";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<u64, DbError> {
        tx.execute(statement(self.0, self.0), &[]).await
    }
}

async fn look(test: &TestApp) -> Shell {
    Shell::at(test.db.directory(), &test.db.url_or_path())
}

both_databases! {
    async fn doctor_names_planted_damage_and_nothing_else(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        let shell = look(&test).await;
        let clean = shell.run(&["doctor"]);
        assert_eq!((clean.code, clean.out.trim(), clean.err.as_str()), (Some(0), "all invariants hold", ""));
        let wounds = [
            ("UPDATE org_usage SET links = links + 1", "UPDATE org_usage SET links = links - 1",
             "an Org's count of links differs from its active links (1 times)"),
            ("UPDATE accounts SET orgs_owned = 7", "UPDATE accounts SET orgs_owned = 1",
             "an account's count of owned Orgs differs from its Orgs (1 times)"),
            ("UPDATE api_keys SET actions = 1", "", "a plugin key does not hold exactly its twelve actions (1 times)"),
        ];
        for (wound, cure, finding) in wounds {
            assert_eq!(test.db.db.write(Damage(wound)).await.expect("the damage"), 1);
            let ran = shell.run(&["doctor"]);
            let told = ran.out.trim();
            assert!(told.starts_with(&format!("- {finding}: ")) && told.lines().count() == 1, "{told}");
            assert!(told.contains(tenant.org.as_str()) || told.contains(tenant.owner.id.as_str()), "{told}");
            ran.fails_with_one_line("1 invariants are broken");
            if !cure.is_empty() {
                test.db.db.write(Damage(cure)).await.expect("the cure");
            }
        }
        let TestApp { db, .. } = test;
        db.finish().await;
    }

    async fn doctor_works_while_the_service_runs(engine) {
        let (db, shell) = empty(engine).await;
        let node = Node::start(BINARY, shell.data(), shell.database()).await;
        shell.json(&["admin", "create-org", "--name", "First", "--owner", "700000000000000001"]);
        let ran = shell.run(&["doctor"]);
        assert_eq!((ran.code, ran.out.trim()), (Some(0), "all invariants hold"), "{}", ran.err);
        assert!(node.stop().await);
        db.finish().await;
    }

    async fn migrate_can_be_repeated_and_says_what_there_is(engine) {
        let (db, shell) = installed(engine).await;
        let name = match engine {
            Engine::Sqlite => "sqlite",
            Engine::Postgres => "postgres",
        };
        for _ in 0..2 {
            let ran = shell.run(&["migrate"]);
            assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
            let expected = format!("the {name} database has schema {}", storage::migrate::newest());
            assert_eq!(ran.out.trim(), expected);
        }
        db.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_postgres_doctor_takes_longer_than_a_request_may() {
    let test = TestApp::start(Engine::Postgres).await;
    let database = test.db.url_or_path();
    let held = test.db.begin_beside("LOCK TABLE links").await;
    let doctor = tokio::task::spawn_blocking(move || {
        let environment = [
            ("SYMBOLON_DATABASE_STATEMENT_TIMEOUT_MS", "20"),
            ("SYMBOLON_DATABASE_LOCK_TIMEOUT_MS", "30000"),
        ];
        run_bare(
            &["doctor", "--data", "/nowhere", "--database", &database],
            &environment,
        )
    });
    wait_until("the doctor waits for the table", || held.is_awaited()).await;
    // Many times what a statement may take.
    tokio::time::sleep(Duration::from_secs(1)).await;
    held.commit().await;
    let ran = doctor.await.expect("doctor ends");
    assert_eq!(
        (ran.code, ran.out.trim()),
        (Some(0), "all invariants hold"),
        "{}",
        ran.err
    );
    test.finish().await;
}
