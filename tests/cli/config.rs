//! Looking at the configuration.

use testkit::{Engine, Node, TestDb};

use super::shell::{BINARY, empty, run_bare};

#[tokio::test]
async fn the_default_file_is_valid_as_it_is() {
    let db = TestDb::open(Engine::Sqlite).await;
    let file = db.directory().join("symbolon.toml");
    let printed = run_bare(&["config", "default"], &[]);
    assert_eq!((printed.code, printed.err.as_str()), (Some(0), ""));
    std::fs::write(&file, &printed.out).expect("a file");
    let checked = run_bare(
        &["config", "check", "--config", file.to_str().expect("a path")],
        &[],
    );
    let told: Vec<&str> = checked.out.lines().collect();
    assert!(
        matches!(told[..], [sign_in, bot, "the configuration is valid"]
            if sign_in.contains("discord.client_id") && bot.contains("discord.bot_token")),
        "{checked:?}"
    );
    assert_eq!(checked.code, Some(0));
    db.finish().await;
}

#[tokio::test]
async fn unknown_names_are_reported_with_the_place_they_stand_in() {
    let db = TestDb::open(Engine::Sqlite).await;
    let file = db.directory().join("symbolon.toml");
    let path = file.to_str().expect("a path");
    std::fs::write(&file, "[server]\nlisen = \"127.0.0.1:1\"\n").expect("a file");
    let ran = run_bare(&["config", "check", "--config", path], &[]);
    ran.fails_with_one_line("lisen");
    assert!(
        ran.err.contains(path) && ran.err.contains("server.listen"),
        "{ran:?}"
    );
    let ran = run_bare(&["config", "check"], &[("SYMBOLON_SERVER_LISEN", "127.0.0.1:1")]);
    ran.fails_with_one_line("SYMBOLON_SERVER_LISEN");
    run_bare(&["config", "check", "--config", "/nowhere/symbolon.toml"], &[])
        .fails_with_one_line("/nowhere/symbolon.toml");
    db.finish().await;
}

#[test]
fn what_is_probably_not_meant_is_pointed_out() {
    let ran = run_bare(
        &["config", "check"],
        &[("SYMBOLON_SERVER_TRUSTED_PROXIES", "0.0.0.0/0")],
    );
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(
        ran.out.contains("worth a look: server.trusted_proxies"),
        "{ran:?}"
    );
}

#[tokio::test]
async fn what_is_probably_not_meant_is_told_at_the_start_too() {
    let (db, shell) = empty(Engine::Sqlite).await;
    let trusting = [("SYMBOLON_SERVER_TRUSTED_PROXIES", "0.0.0.0/0")];
    let node = Node::start_with(BINARY, shell.data(), shell.database(), &trusting).await;
    assert!(node.stop().await);
    let log = std::fs::read_dir(shell.data()).expect("a directory").flatten();
    let log = log.filter(|file| file.file_name().to_string_lossy().ends_with(".log"));
    let told: String = log
        .filter_map(|file| std::fs::read_to_string(file.path()).ok())
        .collect();
    let is_told =
        |line: &str| line.contains("WARN") && line.contains("server.trusted_proxies trusts every address");
    assert!(told.lines().any(is_told), "{told}");
    db.finish().await;
}
