//! `config check --online`.

use testkit::{Engine, STEAM_KEY, start_platforms};

use super::shell::{installed, run_bare};

/// Runs the check with these variables, beside the emulated platforms.
async fn check(environment: &[(&'static str, String)], more: &[(&'static str, &str)]) -> super::shell::Ran {
    let bot = (
        "SYMBOLON_DISCORD_BOT_TOKEN",
        "MARKED-DISCORD-BOT-TOKEN".to_owned(),
    );
    let environment: Vec<(&'static str, String)> = [bot]
        .into_iter()
        .chain(environment.iter().cloned())
        .chain(more.iter().map(|(name, value)| (*name, (*value).to_owned())))
        .collect();
    tokio::task::spawn_blocking(move || {
        let environment: Vec<(&str, &str)> = environment
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        run_bare(&["config", "check", "--online"], &environment)
    })
    .await
    .expect("the command ends")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everybody_who_is_set_up_is_asked_and_quoted() {
    let (db, shell) = installed(Engine::Sqlite).await;
    let (discord, steam, mut environment) = start_platforms().await;
    steam.change(|state| state.api_keys.insert(STEAM_KEY.to_owned()));
    environment.push((
        "SYMBOLON_DATA_DIR",
        shell.data().to_str().expect("a path").to_owned(),
    ));
    let ran = check(&environment, &[]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for line in [
        "Database: sqlite answers, schema",
        "Discord sign-in: knows this application",
        "Discord bot: knows this bot",
        "Steam Web API: accepts this key",
    ] {
        assert!(ran.out.contains(line), "{line} is not in {ran:?}");
    }
    let wrong = [
        (
            "SYMBOLON_DISCORD_CLIENT_SECRET",
            "wrong-secret",
            "Discord sign-in: FAILED, rejected our credentials: correct discord.client_id",
        ),
        (
            "SYMBOLON_DISCORD_BOT_TOKEN",
            "wrong-token",
            "Discord bot: FAILED, rejected the token: correct discord.bot_token",
        ),
        (
            "SYMBOLON_STEAM_API_KEY",
            "wrong-key",
            "Steam Web API: FAILED, rejected the key: correct steam.api_key",
        ),
        (
            "SYMBOLON_DISCORD_API_URL",
            "http://127.0.0.1:1/api/v10",
            "FAILED, did not answer (not reachable)",
        ),
        (
            "SYMBOLON_DATABASE_URL",
            "postgres://nobody@127.0.0.1:1/none",
            "Database: FAILED, PostgreSQL does not answer at 127.0.0.1:1",
        ),
    ];
    for (name, value, told) in wrong {
        let ran = check(&environment, &[(name, value)]).await;
        assert_eq!(ran.code, Some(1), "{name}: {ran:?}");
        assert!(ran.out.contains(told), "{told} is not in {ran:?}");
        assert!(
            !ran.out.contains(value) || value.contains("127.0.0.1"),
            "a secret is told: {ran:?}"
        );
    }
    drop((discord, steam));
    db.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_is_not_there_yet_is_no_failure_and_is_not_made() {
    let (_discord, _steam, mut environment) = start_platforms().await;
    let nowhere = std::env::temp_dir().join("symbolon-nowhere-yet");
    environment.push(("SYMBOLON_DATA_DIR", nowhere.to_str().expect("a path").to_owned()));
    let ran = check(&environment, &[]).await;
    assert!(ran.out.contains("Database: none at"), "{ran:?}");
    assert!(
        ran.out.contains("Files: in the directory blobs in data_dir"),
        "{ran:?}"
    );
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(!nowhere.exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_that_does_not_answer_is_told_without_its_secret() {
    let (_discord, _steam, environment) = start_platforms().await;
    let bucket = [
        ("SYMBOLON_BLOBS_BUCKET", "nobodys-bucket"),
        ("SYMBOLON_BLOBS_ENDPOINT", "http://127.0.0.1:1"),
        ("SYMBOLON_BLOBS_ACCESS_KEY_ID", "nobody"),
        ("SYMBOLON_BLOBS_SECRET_ACCESS_KEY", "nobodys-secret"),
    ];
    let ran = check(&environment, &bucket).await;
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let told = "Files: FAILED, the file store failed: it did not answer or gave an unexpected answer; check";
    assert!(ran.out.contains(told), "{ran:?}");
    assert!(!format!("{ran:?}").contains("nobodys-secret"), "{ran:?}");
}
