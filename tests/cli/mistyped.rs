//! Commands that are given the wrong place look into it and leave nothing behind.

use storage::testing::Place;
use testkit::{Engine, Node, both_databases};

use super::shell::{BINARY, Shell, empty, installed};

const CREATE: [&str; 6] = [
    "admin",
    "create-org",
    "--name",
    "First",
    "--owner",
    "700000000000000001",
];

#[tokio::test]
async fn without_a_database_commands_make_none() {
    let (db, shell) = empty(Engine::Sqlite).await;
    for command in [&["doctor"][..], &["migrate"], &["admin", "list-orgs"], &CREATE] {
        let ran = shell.run(command);
        let path = shell.data().join("symbolon.db");
        ran.fails_with_one_line(&format!("there is no database at {}", path.display()));
        assert!(ran.err.contains("--data"), "{ran:?}");
        assert!(!shell.data().exists(), "{command:?} left something behind");
    }
    db.finish().await;
}

#[tokio::test]
async fn a_postgres_database_without_its_master_keys_gets_no_new_ones() {
    let (db, shell) = installed(Engine::Postgres).await;
    let elsewhere = Shell::at(&shell.data().join("mistyped"), shell.database());
    for command in [&["admin", "list-orgs"][..], &CREATE] {
        let ran = elsewhere.run(command);
        ran.fails_with_one_line("no master keys at");
        assert!(!elsewhere.data().exists(), "{command:?} left something behind");
    }
    // The right directory still works.
    shell.json(&["admin", "list-orgs"]);
    db.finish().await;
}

#[tokio::test]
async fn an_empty_postgres_database_is_filled_by_migrate_and_by_no_other_command() {
    let place = Place::make(Engine::Postgres).await;
    let (db, other) = installed(Engine::Postgres).await;
    let shell = Shell::at(other.data(), &place.url_or_path());
    shell
        .run(&["doctor"])
        .fails_with_one_line("run `symbolon migrate` first");
    shell
        .run(&["admin", "list-orgs"])
        .fails_with_one_line("the database is empty");
    shell
        .run(&["doctor"])
        .fails_with_one_line("run `symbolon migrate` first");
    let ran = shell.run(&["migrate"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(shell.run(&["doctor"]).code, Some(0));
    db.finish().await;
}

both_databases! {
    async fn the_right_place_is_found_whatever_kubernetes_says_about_a_service_of_our_name(engine) {
        let (db, shell) = installed(engine).await;
        let told = [
            ("SYMBOLON_PORT", "tcp://10.96.0.7:8080"),
            ("SYMBOLON_SERVICE_HOST", "10.96.0.7"),
            ("SYMBOLON_SERVICE_PORT", "8080"),
            ("SYMBOLON_PORT_8080_TCP_ADDR", "10.96.0.7"),
        ];
        let node = Node::start_with(BINARY, shell.data(), shell.database(), &told).await;
        assert!(node.stop().await);
        db.finish().await;
    }
}
