use std::path::Path;

use config::{DatabaseUrl, Overrides};
use secrecy::ExposeSecret;

use crate::{from, refusal, sqlite_path, with_overrides};

const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/database-url");
const MARK: &str = "MARKED-PASSWORD";

#[test]
fn secret_file_gives_the_database_address_without_surrounding_space() {
    for config in [
        from("", &[("SYMBOLON_DATABASE_URL_FILE", FIXTURE)]),
        from(&format!("database.url_file = '{FIXTURE}'"), &[]),
    ] {
        let config = config.unwrap();
        assert!(!format!("{config:#?}").contains(MARK));
        let DatabaseUrl::Postgres { url } = config.database.url else {
            panic!("not PostgreSQL")
        };
        assert_eq!(
            url.expose_secret(),
            format!("postgres://symbolon:{MARK}@db.example/symbolon")
        );
    }
}

#[test]
fn secret_and_its_file_together_are_refused_unless_the_command_line_decides() {
    let env = [("SYMBOLON_DATABASE_URL_FILE", FIXTURE)];
    let file = "database.url = 'sqlite'";
    assert_eq!(
        refusal(file, &env),
        "SYMBOLON_DATABASE_URL_FILE: database.url_file and database.url (symbolon.toml) are both set: keep one"
    );
    let overrides = Overrides {
        database_url: Some("sqlite".to_owned()),
        ..Overrides::default()
    };
    let config = with_overrides(file, &env, &overrides).unwrap();
    assert_eq!(sqlite_path(&config), Some(Path::new("./data/symbolon.db")));
}

#[test]
fn password_is_in_neither_debug_nor_errors() {
    let url = format!("postgres://symbolon:{MARK}@db.example/symbolon");
    let config = from("", &[("SYMBOLON_DATABASE_URL", &url)]).unwrap();
    assert!(!format!("{config:?} {config:#?}").contains(MARK));

    let files = [
        format!("[database]\nurl = {url}"),
        format!("[database]\nurl = \"{url}"),
        format!("[database]\nurl = '{url}' x"),
        format!("[database]\nurl = '{url}'\nurl = '{url}'"),
        format!("[database]\nurl = ['{url}']"),
        format!("[database]\nurl = \"{url}\\q\""),
        format!("[database]\nurl_file = '{url}'"),
        format!("[database]\nurll = '{url}'"),
        format!("database = '{url}'"),
        format!("[database]\nurl = 'mysql{url}'"),
        url.clone(),
        format!("server.public_url = 'https://symbolon:{MARK}@example.org'"),
    ];
    for file in &files {
        let error = from(file, &[]).expect_err(file);
        assert!(!format!("{error} {error:?}").contains(MARK), "{file}\n{error}");
    }
    for name in [
        "SYMBOLON_DATABASE_URL_FILE",
        "SYMBOLON_DATABASE_URI",
        "SYMBOLON_SERVER_LISTEN",
        "SYMBOLON_LOG_LEVEL",
        "SYMBOLON_OPERATORS",
        "SYMBOLON_DATABASE_POOL_SIZE",
    ] {
        let error = from("", &[(name, &url)]).expect_err(name);
        assert!(!format!("{error} {error:?}").contains(MARK), "{name}\n{error}");
    }
}

#[test]
fn every_secret_has_a_file_and_none_is_printed() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("every_secret_has_a_file");
    std::fs::write(&path, format!("  {MARK}\n")).unwrap();
    let path = path.to_str().unwrap();
    for name in ["STEAM_API_KEY", "DISCORD_CLIENT_SECRET", "DISCORD_BOT_TOKEN"] {
        let (variable, file) = (format!("SYMBOLON_{name}"), format!("SYMBOLON_{name}_FILE"));
        for env in [(variable.as_str(), MARK), (file.as_str(), path)] {
            let config = from("", &[env]).unwrap();
            assert!(!format!("{config:?} {config:#?}").contains(MARK), "{name}");
            let secrets = [
                config.steam.api_key,
                config.discord.client_secret,
                config.discord.bot_token,
            ];
            let given: Vec<_> = secrets
                .iter()
                .flatten()
                .map(|secret| secret.expose_secret())
                .collect();
            assert_eq!(given, [MARK], "{name}");
        }
        for wrong in [format!("{MARK} {MARK}"), format!("{MARK}\u{fc}"), MARK.repeat(18)] {
            let text = refusal("", &[(&variable, &wrong)]);
            assert!(
                text.contains("must be a secret") && !text.contains(MARK),
                "{text}"
            );
        }
        assert!(refusal("", &[(&variable, MARK), (&file, path)]).contains("are both set"));
    }
}

#[test]
fn secrets_are_not_sent_in_clear_to_another_machine() {
    for variable in [
        "STEAM_API_URL",
        "STEAM_OPENID_URL",
        "DISCORD_API_URL",
        "DISCORD_AUTHORIZE_URL",
    ] {
        let variable = format!("SYMBOLON_{variable}");
        assert!(refusal("", &[(&variable, "http://steam.example")]).contains("http only on this machine"));
        assert_eq!(refusal("", &[(&variable, "http://127.0.0.1:9/x")]), "");
    }
}
