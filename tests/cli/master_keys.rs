//! The master keys are changed while the service runs.

use testkit::{Node, both_databases};

use super::shell::{BINARY, installed};

both_databases! {
    async fn the_master_key_is_rotated_under_a_running_service(engine) {
        let (db, shell) = installed(engine).await;
        let node = Node::start(BINARY, shell.data(), shell.database()).await;
        let org = shell.json(&["admin", "create-org", "--name", "First", "--owner", "700000000000000001"]);
        let org = org["org"].as_str().expect("an Org");
        let guild = shell.json(&["admin", "create-guild", "--org", org, "--discord-guild", "800000000000000001", "--name", "Guild"]);
        let guild = guild["guild"].as_str().expect("a Guild");
        let server = shell.json(&["admin", "create-server", "--guild", guild, "--name", "Server"]);
        let (id, key) = (server["server"].as_str().expect("a Server"), server["key"].as_str().expect("a key"));
        shell.run(&["admin", "remove-master-key", "--kid", "k1"]).fails_with_one_line("k1");
        let rotated = shell.json(&["admin", "rotate-master-key"]);
        assert_eq!((rotated["active"].as_str(), rotated["resealed"].as_i64()), (Some("k2"), Some(2)), "the key and the secret of the shared bot");
        assert_eq!(shell.json(&["admin", "print-key", "--server", id])["key"], key);
        let (status, _) = node.request("GET", "/api?action=count", &[("x-api-key", key)], "").await;
        assert_eq!(status, 200, "the plugin notices nothing");
        assert_eq!(shell.json(&["admin", "remove-master-key", "--kid", "k1"])["removed"], "k1");
        assert!(node.stop().await);
        let node = Node::start(BINARY, shell.data(), shell.database()).await;
        assert_eq!(shell.json(&["admin", "print-key", "--server", id])["key"], key);
        assert!(node.stop().await);
        let mode = std::os::unix::fs::PermissionsExt::mode(
            &std::fs::metadata(shell.data().join("master.keys")).expect("the master keys").permissions(),
        );
        assert_eq!(mode & 0o777, 0o600);
        db.finish().await;
    }
}
