use std::path::{Path, PathBuf};

use config::{Config, LogFormat, Overrides};

use crate::{from, sqlite_path, with_overrides};

#[test]
fn environment_beats_file_and_command_line_beats_both() {
    let file = "data_dir = '/file'\n[server]\nlisten = '127.0.0.1:1'\n[database]\nurl = 'sqlite:file.db'";
    let env = [
        ("SYMBOLON_DATA_DIR", "/env"),
        ("SYMBOLON_SERVER_LISTEN", "127.0.0.1:2"),
        ("SYMBOLON_DATABASE_URL", "sqlite:env.db"),
    ];
    let config = from(file, &env).unwrap();
    assert_eq!(
        (config.data_dir.clone(), config.server.listen.port()),
        (PathBuf::from("/env"), 2)
    );

    let overrides = Overrides {
        data_dir: Some("/flag".into()),
        listen: "127.0.0.1:3".parse().ok(),
        database_url: Some("sqlite".to_owned()),
    };
    let config = with_overrides(file, &env, &overrides).unwrap();
    assert_eq!(
        (config.data_dir.clone(), config.server.listen.port()),
        (PathBuf::from("/flag"), 3)
    );
    assert_eq!(sqlite_path(&config), Some(Path::new("/flag/symbolon.db")));
    assert_eq!(config.keys.master_key_file, Path::new("/flag/master.keys"));
}

#[test]
fn public_url_follows_the_listen_port_only_when_left_alone() {
    let overrides = Overrides {
        listen: "0.0.0.0:9000".parse().ok(),
        ..Overrides::default()
    };
    let config = with_overrides("", &[], &overrides).unwrap();
    assert_eq!(config.server.public_url, "http://127.0.0.1:9000");

    let file = "server.public_url = 'https://Link.Example.org/'";
    let config = with_overrides(file, &[], &overrides).unwrap();
    assert_eq!(config.server.public_url, "https://link.example.org");
}

#[test]
fn lists_in_variables_are_separated_by_commas() {
    let env = [
        ("SYMBOLON_OPERATORS", "12345678901234567, 18446744073709551615,"),
        ("SYMBOLON_SERVER_TRUSTED_PROXIES", "10.0.0.0/8,::1"),
    ];
    let config = from("", &env).unwrap();
    assert_eq!(config.operators, ["12345678901234567", "18446744073709551615"]);
    let networks: Vec<_> = config
        .server
        .trusted_proxies
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(networks, ["10.0.0.0/8", "::1/128"]);
}

#[test]
fn missing_file_is_refused_by_name() {
    let error = Config::load(Some(Path::new("no-such.toml")), &Overrides::default()).unwrap_err();
    assert!(
        error.to_string().starts_with("no-such.toml: cannot be read: "),
        "{error}"
    );
}

#[test]
fn file_is_read_from_disk() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("file_is_read_from_disk.toml");
    std::fs::write(&path, "[log]\nformat = 'text'").unwrap();
    let config = Config::load(Some(&path), &Overrides::default()).unwrap();
    assert_eq!(config.log.format, LogFormat::Text);
}
