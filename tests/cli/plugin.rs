//! Builds of the plugin, from the command line.

use testkit::{Engine, Node};

use super::shell::{BINARY, Shell, installed};

/// A running service writes down what is done beside it.
async fn assert_noted(node: &Node, shell: &Shell, version: &str) {
    let person = "123456789012345678";
    shell.json(&["admin", "grant", "--discord", person]);
    let session = shell.json(&["admin", "session", "--discord", person])["session"].clone();
    let cookie = format!("symbolon={}", session.as_str().expect("a session"));
    let headers = [("cookie", cookie.as_str())];
    let log = node
        .request("GET", "/admin/audit?action=plugin.withdrawn", &headers, "")
        .await;
    assert!(
        log.1.contains(version) && log.1.contains("operator_cli"),
        "{log:?}"
    );
}

#[tokio::test]
async fn operators_publish_withdraw_and_restore_builds() {
    let (db, shell) = installed(Engine::Sqlite).await;
    let file = db.directory().join("Symbolon.cs");
    let path = file.to_str().expect("a path").to_owned();
    std::fs::write(&file, "one").expect("a file");
    let said = |arguments: &[&str]| {
        let ran = shell.run(&[&["plugin"], arguments].concat());
        assert_eq!(ran.code, Some(0), "{arguments:?}: {}", ran.err);
        ran.out.trim().to_owned()
    };
    let refused = |arguments: &[&str]| {
        let ran = shell.run(&[&["plugin"], arguments].concat());
        assert_ne!(ran.code, Some(0), "{arguments:?}: {}", ran.out);
        ran.err
    };
    assert!(said(&["list"]).ends_with("latest"), "the one that was carried");
    let alone = shell.run(&["plugin", "publish", &path, "--version", "v90.1.0"]);
    let done = "v90.1.0 is published. The latest build is v90.1.0.";
    assert_eq!(alone.out.trim(), done);
    assert!(alone.err.contains("not in the audit log"), "{}", alone.err);
    let again = said(&["publish", &path, "--version", "v90.1.0"]);
    assert_eq!(
        again,
        "v90.1.0 was published with the same content before. The latest build is v90.1.0."
    );
    std::fs::write(&file, "two").expect("a file");
    assert!(refused(&["publish", &path, "--version", "v90.1.0"]).contains("never change"));
    assert!(refused(&["publish", &path, "--version", "1.1"]).contains("v1.2.3"));
    assert!(refused(&["publish", "nowhere.cs", "--version", "v1.0.0"]).contains("cannot read nowhere.cs"));
    assert!(refused(&["withdraw", "v91.0.0"]).contains("never published"));
    said(&["publish", &path, "--version", "v90.2.0"]);

    // Also while the service runs.
    let node = Node::start(BINARY, shell.data(), shell.database()).await;
    let manifest = async || node.request("GET", "/download/plugin/manifest", &[], "").await.1;
    assert!(manifest().await.contains(r#""version":"v90.2.0""#));
    let done = said(&["withdraw", "v90.2.0"]);
    assert_eq!(done, "v90.2.0 is withdrawn. The latest build is v90.1.0.");
    assert_noted(&node, &shell, "v90.2.0").await;
    testkit::wait_until("the one that is carried is published", || async {
        said(&["list"]).lines().count() == 3
    })
    .await;
    let lines = said(&["list"]);
    let states: Vec<&str> = lines
        .lines()
        .filter_map(|line| line.split_whitespace().nth(3))
        .collect();
    assert_eq!(states, ["withdrawn", "latest"], "{lines}");
    testkit::wait_until("the service sees it", || async {
        manifest().await.contains("v90.1.0")
    })
    .await;
    assert_eq!(
        said(&["restore", "v90.2.0"]),
        "v90.2.0 is offered again. The latest build is v90.2.0."
    );
    assert!(node.stop().await);
    db.finish().await;
}
