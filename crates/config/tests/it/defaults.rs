use std::path::Path;

use config::{Config, LogFormat, Overrides, RateLimits, default_file};

use crate::{from, same, sqlite_path};

/// Switches a setting of the default file on; other lines stay as they are.
fn without_mark(line: &str) -> &str {
    match line.strip_prefix('#') {
        Some(rest) if !rest.is_empty() && !rest.starts_with(' ') => rest,
        Some(_) | None => line,
    }
}

#[test]
fn defaults_are_as_documented() {
    let config = Config::from_parts(None, &[], &Overrides::default()).unwrap();
    assert_eq!(config.data_dir, Path::new("./data"));
    assert_eq!(config.server.public_url, "http://127.0.0.1:8080");
    assert_eq!(config.server.metrics_listen, "127.0.0.1:9464".parse().ok());
    assert_eq!(config.keys.master_key_file, Path::new("./data/master.keys"));
    assert_eq!(
        config.limits.pro,
        RateLimits {
            per_minute: 6000,
            burst: 12_000,
            bulk_ids: 2000
        }
    );
    assert_eq!(config.log.format, LogFormat::Json);
    assert_eq!(config.database.tls_roots, None);
    assert_eq!(sqlite_path(&config), Some(Path::new("./data/symbolon.db")));
}

#[test]
fn default_file_parses_to_the_defaults_with_and_without_its_comments() {
    let defaults = from("", &[]).unwrap();
    same(&from(default_file(), &[]).unwrap(), &defaults);

    let lines: Vec<_> = default_file().lines().map(without_mark).collect();
    assert!(lines.contains(&"listen = \"127.0.0.1:8080\""));
    same(&from(&lines.join("\n"), &[]).unwrap(), &defaults);
}

#[test]
fn reference_page_is_up_to_date() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/configuration.md");
    let written = std::fs::read_to_string(page).unwrap();
    let hint = "run: cargo run -p config --example reference > docs/configuration.md";
    assert!(written == config::reference_markdown(), "{hint}");
}

#[test]
fn test_configuration_stays_in_its_directory() {
    let config = Config::for_tests(Path::new("/tmp/some"));
    assert_eq!(config.server.listen.to_string(), "127.0.0.1:0");
    assert_eq!(config.server.metrics_listen, None);
    assert_eq!(config.keys.master_key_file, Path::new("/tmp/some/master.keys"));
    assert_eq!(sqlite_path(&config), Some(Path::new("/tmp/some/symbolon.db")));
    assert_eq!(config.warnings(), Vec::<String>::new());
}

#[test]
fn doubtful_settings_are_warned_about() {
    let file = "[server]\nlisten = '0.0.0.0:80'\nmetrics_listen = '0.0.0.0:81'\ntrusted_proxies = ['::/0']";
    assert_eq!(from(file, &[]).unwrap().warnings().len(), 3);
    let plain = [("SYMBOLON_SERVER_PUBLIC_URL", "http://link.example.org")];
    let warnings = from("", &plain).unwrap().warnings();
    assert!(
        matches!(&warnings[..], [one] if one.contains("plain http")),
        "{warnings:?}"
    );
    assert_eq!(from("", &[]).unwrap().warnings(), Vec::<String>::new());
}
