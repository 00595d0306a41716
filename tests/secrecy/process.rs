//! The same search around a real process that logs everything it can.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use testkit::{Engine, Node, TestDb, both_databases};

use super::rows::Rows;
use super::search::Secrets;

const BINARY: &str = env!("CARGO_BIN_EXE_symbolon");
const CLIENT: &str = "198.51.100.77";
const QUERY_WORD: &str = "marked_in_the_query_string";
const OWNER: &str = "700000000000900001";

/// Where a node of this test keeps its things.
struct Place<'a> {
    data: &'a Path,
    database: &'a str,
}

impl Place<'_> {
    fn admin(&self, arguments: &[&str]) -> Value {
        let output = Command::new(BINARY)
            .args(["admin", "--json", "--database", self.database, "--data"])
            .arg(self.data)
            .args(arguments)
            .output()
            .expect("the binary runs");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        serde_json::from_slice(&output.stdout).expect("a JSON answer")
    }
}

fn text(answer: &Value, name: &str) -> String {
    answer[name].as_str().expect("a text").to_owned()
}

/// Uses keys and a session in right and wrong ways; returns the answers to what failed.
async fn use_node(
    node: &Node,
    org: &str,
    server: &str,
    key: &str,
    token: &str,
    secrets: &mut Secrets,
) -> String {
    let cookie = format!("symbolon={token}");
    let person = [
        ("cookie", cookie.as_str()),
        ("content-type", "application/json"),
        ("x-forwarded-for", CLIENT),
    ];
    let address = format!("/orgs/{org}/servers/{server}/key/regenerate");
    let (status, body) = node.request("POST", &address, &person, "").await;
    assert_eq!(status, 200, "{body}");
    let answer: Value = serde_json::from_str(&body).expect("JSON");
    let new = text(&answer, "key");
    secrets.key(&new);
    let from = ("x-forwarded-for", CLIENT);
    let count = format!("/api?action=count&secret={new}&x={QUERY_WORD}");
    assert_eq!(node.request("GET", &count, &[from], "").await.0, 200);
    let mut failures = String::new();
    for (method, uri, headers, body) in [
        (
            "GET",
            format!("/api?action=count&x={QUERY_WORD}"),
            vec![("x-api-key", key), from],
            "",
        ),
        ("GET", format!("/api?action={new}&secret={new}"), vec![from], ""),
        (
            "POST",
            format!("/{new}?x={QUERY_WORD}"),
            vec![("authorization", new.as_str()), from],
            &new,
        ),
        ("GET", format!("/orgs/{org}/servers/{new}"), person.to_vec(), ""),
        ("POST", format!("/orgs/{org}/servers"), person.to_vec(), &new),
        (
            "GET",
            format!("/orgs/{org}/servers?{QUERY_WORD}"),
            vec![("cookie", &new), from],
            "",
        ),
    ] {
        let (status, answer) = node.request(method, &uri, &headers, body).await;
        assert!(status >= 400, "{method} {uri}: {status}");
        failures.push_str(&answer);
    }
    failures
}

both_databases! {
    async fn a_process_at_its_most_talkative_tells_no_secret_query_or_address(engine) {
        let test = TestDb::open(engine).await;
        let data = test.directory().join("node");
        let database = match engine {
            Engine::Sqlite => "sqlite".to_owned(),
            Engine::Postgres => test.url_or_path(),
        };
        let environment = [
            ("SYMBOLON_LOG_LEVEL", "trace"),
            ("SYMBOLON_SERVER_TRUSTED_PROXIES", "127.0.0.1/32"),
        ];
        let node = Node::start_with(BINARY, &data, &database, &environment).await;
        let place = Place {
            data: &data,
            database: &database,
        };
        let org = text(&place.admin(&["create-org", "--name", "Quiet", "--owner", OWNER]), "org");
        let guild = ["create-guild", "--discord-guild", "700000000800000001", "--name", "Silence", "--org", &org];
        let guild = text(&place.admin(&guild), "guild");
        let made = place.admin(&["create-server", "--guild", &guild, "--name", "Main"]);
        let (server, key) = (text(&made, "server"), text(&made, "key"));
        let token = text(&place.admin(&["session", "--discord", OWNER]), "session");
        let mut secrets = Secrets::default();
        secrets.key(&key);
        secrets.token(&token);
        let failures = use_node(&node, &org, &server, &key, &token, &mut secrets).await;
        let (log, dropped) = (node.log.clone(), node.stop().await);
        assert!(dropped, "the node stops with success");
        secrets.master_keys(&std::fs::read_to_string(data.join("master.keys")).unwrap());

        secrets.assert_absent("the answer to a failed request", failures.as_bytes());
        match engine {
            Engine::Sqlite => {
                for file in std::fs::read_dir(&data).unwrap() {
                    let path = file.unwrap().path();
                    if path.is_file() && !path.ends_with("master.keys") {
                        secrets.assert_absent(&path.display().to_string(), &std::fs::read(&path).unwrap());
                    }
                }
            }
            Engine::Postgres => {
                let rows = Rows::of(&test.db).await.all(&test.db).await.join("\n");
                assert!(rows.contains("error_log|") && rows.contains("key.regenerated"));
                secrets.assert_absent("the database", rows.as_bytes());
            }
        }
        let logged = std::fs::read_to_string(&log).unwrap();
        assert!(logged.contains("/orgs/{org}/servers"), "{logged}");
        secrets.word("a query string", QUERY_WORD);
        secrets.assert_absent("the log", logged.as_bytes());
        assert!(logged.lines().all(|line| line.starts_with('{')), "{logged}");
        let start = logged.lines().find(|line| line.contains("\"listening\"")).expect("a start");
        assert!(start.contains(domain::release::VERSION), "{start}");
        assert!(!logged.contains("/readyz"), "probes are not told of: {logged}");
        for line in logged.lines().filter(|line| *line != start) {
            assert!(!line.contains(CLIENT) && !line.contains("127.0.0.1:"), "{line}");
        }
        test.finish().await;
    }
}
