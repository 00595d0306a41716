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
