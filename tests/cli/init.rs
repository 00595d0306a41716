//! What a first start needs is asked for once.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use testkit::{Engine, TestDb};

use super::shell::run_bare;

const OPERATOR: &str = "700000000000000001";
const CLIENT: &str = "800000000000000001";
const SECRET: &str = "a-client-secret-of-nobody";

fn init(dir: &Path, more: &[&str]) -> super::shell::Ran {
    let dir = dir.to_str().expect("a plain path");
    run_bare(&[&["init", "--dir", dir], more].concat(), &[])
}

#[tokio::test]
async fn a_configuration_is_written_that_works_with_its_secrets_beside_it() {
    let db = TestDb::open(Engine::Sqlite).await;
    let place = db.directory();
    let given = place.join("given");
    std::fs::write(&given, format!("{SECRET}\n")).expect("a file");
    let dir = place.join("etc/symbolon");
    let told = [
        "--public-url",
        "https://link.example.org",
        "--trusted-proxy",
        "127.0.0.1",
        "--discord-client-id",
        CLIENT,
        "--discord-client-secret-file",
        given.to_str().expect("a plain path"),
        "--operator",
        OPERATOR,
    ];
    let ran = init(&dir, &told);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(!ran.out.contains(SECRET), "{}", ran.out);
    for route in web::table() {
        let path = route.path;
        if path.starts_with("/auth/discord/") && path.ends_with("/callback") {
            assert!(
                ran.out.contains(&format!("https://link.example.org{path}\n")),
                "{path}: {}",
                ran.out
            );
        }
    }
    let file = dir.join("symbolon.toml");
    let text = std::fs::read_to_string(&file).expect("the file");
    assert!(!text.contains(SECRET), "{text}");
    let keys = dir.join("master.keys");
    assert!(
        text.contains(&format!("master_key_file = \"{}\"", keys.display())),
        "{text}"
    );
    for written in [&file, &dir.join("discord-client-secret"), &keys] {
        let mode = written.metadata().expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", written.display());
    }
    let config = file.to_str().expect("a plain path");
    let checked = run_bare(&["--config", config, "config", "check"], &[]);
    assert_eq!(checked.code, Some(0), "{}", checked.err);
    let sealed_with = std::fs::read(&keys).expect("the keys");
    let again = init(&dir, &told);
    assert_eq!(again.code, Some(1), "{}", again.out);
    assert!(again.err.contains("exists already"), "{}", again.err);
    assert_eq!(std::fs::read_to_string(&file).expect("the file"), text);
    // Who begins anew keeps the keys that the database needs.
    for gone in [&file, &dir.join("discord-client-secret")] {
        std::fs::remove_file(gone).expect("it is there");
    }
    assert_eq!(init(&dir, &told).code, Some(0));
    assert_eq!(std::fs::read(&keys).expect("the keys"), sealed_with);
    db.finish().await;
}

#[tokio::test]
async fn what_a_start_would_refuse_is_not_written() {
    let db = TestDb::open(Engine::Sqlite).await;
    let place = db.directory();
    let dir = place.join("etc");
    let ran = init(&dir, &["--public-url", "nowhere", "--operator", "me"]);
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    for wrong in ["server.public_url", "operators"] {
        assert!(ran.err.contains(wrong), "{}", ran.err);
    }
    assert!(!dir.exists());
    db.finish().await;
}
