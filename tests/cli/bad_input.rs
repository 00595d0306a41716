//! What was typed wrong is said in one line.

use std::net::TcpListener;

use testkit::{Engine, both_databases};

use super::shell::{empty, installed, run_bare};

const PASSWORD: &str = "hunter2-is-a-secret";

both_databases! {
    async fn wrong_arguments_are_named_in_one_line(engine) {
        let (db, shell) = installed(engine).await;
        let org = shell.json(&["admin", "create-org", "--name", "First", "--owner", "700000000000000001"]);
        let org = org["org"].as_str().expect("an Org").to_owned();
        let missing = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
        let (no_org, no_guild, no_server) =
            (format!("org_{missing}"), format!("gld_{missing}"), format!("srv_{missing}"));
        let cases: &[(&[&str], &str)] = &[
            (&["create-org", "--name", "", "--owner", "700000000000000001"], "name"),
            (&["create-org", "--name", "Second", "--owner", "me"], "owner"),
            (&["create-org", "--name", "Second", "--owner", "700000000000000002", "--slug", "No Slug!"], "slug"),
            (&["create-org", "--name", "First", "--owner", "700000000000000002"], "taken"),
            (&["create-org", "--name", "Second", "--owner", "700000000000000001"], "plan allows 1"),
            (&["create-guild", "--org", "nonsense", "--discord-guild", "800000000000000001", "--name", "Guild"], "org"),
            (&["create-guild", "--org", &no_org, "--discord-guild", "800000000000000001", "--name", "Guild"], "organisation"),
            (&["create-guild", "--org", &org, "--discord-guild", "x", "--name", "Guild"], "discord_guild"),
            (&["create-server", "--guild", &no_guild, "--name", "Server"], "Guild"),
            (&["create-server", "--guild", &org, "--name", "Server"], "guild"),
            (&["create-link", "--guild", &no_guild, "--discord", "700000000000000009", "--steam", "76561197960300000"], "Guild"),
            (&["print-key", "--server", &no_server], "no such Server"),
            (&["regenerate-key", "--server", "srv_"], "server"),
            (&["revoke-key", "--server", &no_server], "no such Server"),
            (&["activate-server", "--server", &no_server], "no such Server"),
            (&["deactivate-server", "--server", &no_server], "no such Server"),
            (&["set-tier", "--org", &org, "--tier", "gold"], "free, standard, pro or none"),
            (&["set-tier", "--org", &no_org, "--tier", "pro"], "organisation"),
            (&["session", "--discord", "700000000000000999"], "account"),
            (&["grant", "--discord", "12"], "discord"),
            (&["remove-master-key", "--kid", "k99"], "k99"),
            (&["remove-master-key", "--kid", "k1"], "k1"),
        ];
        for (arguments, what) in cases {
            shell.run(&[&["admin"], *arguments].concat()).fails_with_one_line(what);
        }
        db.finish().await;
    }
}

#[tokio::test]
async fn an_address_that_is_taken_is_named() {
    let (db, shell) = empty(Engine::Sqlite).await;
    let taken = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    shell
        .run(&["serve", "--listen", &address])
        .fails_with_one_line(&format!("cannot listen on {address}"));
    db.finish().await;
}

#[tokio::test]
async fn an_unreachable_postgres_is_said_without_the_password() {
    let (db, shell) = empty(Engine::Sqlite).await;
    let data = shell.data().to_str().expect("a path");
    let addresses = [
        (
            format!("postgres://someone:{PASSWORD}@127.0.0.1:1/symbolon"),
            "PostgreSQL does not answer at 127.0.0.1:1",
        ),
        (
            format!("postgres://someone:{PASSWORD}@127.0.0.1:notaport/symbolon"),
            "database address",
        ),
        (
            format!("mysql://someone:{PASSWORD}@127.0.0.1/symbolon"),
            "database",
        ),
    ];
    for (address, what) in &addresses {
        for command in [
            &["migrate"][..],
            &["doctor"],
            &["serve", "--listen", "127.0.0.1:0"],
            &["admin", "list-orgs"],
        ] {
            let ran = run_bare(
                &[command, &["--data", data, "--database", address]].concat(),
                &[
                    ("SYMBOLON_SERVER_METRICS_LISTEN", ""),
                    ("SYMBOLON_DATABASE_START_WAIT_MS", "0"),
                    ("SYMBOLON_LOG_LEVEL", "error"),
                ],
            );
            ran.fails_with_one_line(what);
            assert!(
                !ran.out.contains(PASSWORD) && !ran.err.contains(PASSWORD),
                "{ran:?}"
            );
        }
    }
    db.finish().await;
}
