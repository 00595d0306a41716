use std::path::Path;

use config::{Config, ConfigError, LogFormat, Overrides, RateLimits, default_file};

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
    assert_eq!(config.warnings().len(), 2, "Discord is not set up");
}

/// What is needed for nothing to be doubtful.
const DISCORD: [(&str, &str); 3] = [
    ("SYMBOLON_DISCORD_CLIENT_ID", "12345678901234567"),
    ("SYMBOLON_DISCORD_CLIENT_SECRET", "secret"),
    ("SYMBOLON_DISCORD_BOT_TOKEN", "token"),
];

/// What the setting makes doubtful, beside a Discord that is set up.
fn doubts(setting: (&str, &str)) -> Result<Vec<String>, ConfigError> {
    let env: Vec<_> = DISCORD.into_iter().chain([setting]).collect();
    Ok(from("", &env)?.warnings())
}

#[test]
fn a_set_up_installation_is_not_doubtful() {
    let env = [
        DISCORD[0],
        DISCORD[1],
        DISCORD[2],
        ("SYMBOLON_DATA_DIR", "/nowhere"),
    ];
    assert_eq!(from("", &env).unwrap().warnings(), Vec::<String>::new());
}

#[test]
fn https_without_a_proxy_that_is_believed_is_doubtful() {
    let url = ("SYMBOLON_SERVER_PUBLIC_URL", "https://link.example.org");
    let told = doubts(url).unwrap();
    assert!(
        matches!(&told[..], [one] if one.contains("server.trusted_proxies")),
        "{told:?}"
    );
    let env: Vec<_> = DISCORD
        .into_iter()
        .chain([url, ("SYMBOLON_SERVER_TRUSTED_PROXIES", "10.0.0.5")])
        .collect();
    assert_eq!(from("", &env).unwrap().warnings(), Vec::<String>::new());
}

#[test]
fn a_discord_that_is_not_set_up_is_doubtful() {
    let told = from("", &[]).unwrap().warnings();
    assert!(
        matches!(&told[..], [sign_in, bot] if sign_in.contains("discord.client_id") && bot.contains("discord.bot_token")),
        "{told:?}"
    );
    let told = from("", &DISCORD[1..]).unwrap().warnings();
    assert!(
        matches!(&told[..], [one] if one.contains("only one of")),
        "{told:?}"
    );
}

#[test]
fn files_that_others_can_read_are_doubtful() {
    use std::os::unix::fs::PermissionsExt;
    let directory = std::env::temp_dir().join(format!("symbolon-doubts-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let set_mode =
        |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    let secret = directory.join("steam-key");
    std::fs::write(&secret, "a-key").unwrap();
    let (path, data) = (secret.to_str().unwrap(), directory.to_str().unwrap());
    for (mode, told) in [(0o644, 1), (0o604, 1), (0o640, 0), (0o600, 0)] {
        set_mode(&secret, mode);
        let found = doubts(("SYMBOLON_STEAM_API_KEY_FILE", path)).unwrap();
        assert_eq!(found.len(), told, "{mode:o}: {found:?}");
        assert!(
            found
                .iter()
                .all(|one| one.contains("steam.api_key_file") && !one.contains(path)),
            "{found:?}"
        );
    }
    for (mode, told) in [(0o755, 1), (0o701, 1), (0o750, 0), (0o700, 0)] {
        set_mode(&directory, mode);
        let found = doubts(("SYMBOLON_DATA_DIR", data)).unwrap();
        assert_eq!(found.len(), told, "{mode:o}: {found:?}");
        assert!(found.iter().all(|one| one.contains(data)), "{found:?}");
    }
    // A configuration file is one more place for a secret, and is nobody's business without one.
    let file = directory.join("symbolon.toml");
    set_mode(&directory, 0o700);
    for (text, told) in [
        ("[steam]\napi_key = 'a-key'", 1),
        ("[steam]\napi_key = ''", 0),
        ("[log]\nlevel = 'warn'", 0),
    ] {
        std::fs::write(&file, text).unwrap();
        set_mode(&file, 0o644);
        let config =
            Config::from_parts(Some((file.to_str().unwrap(), text)), &[], &Overrides::default()).unwrap();
        let found = config
            .warnings()
            .into_iter()
            .filter(|one| one.contains("steam.api_key"));
        assert_eq!(found.count(), told, "{text}");
    }
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn doubtful_settings_are_warned_about() {
    let file = "[server]\nlisten = '0.0.0.0:80'\nmetrics_listen = '0.0.0.0:81'\ntrusted_proxies = ['::/0']";
    assert_eq!(from(file, &DISCORD).unwrap().warnings().len(), 3);
    let warnings = doubts(("SYMBOLON_SERVER_PUBLIC_URL", "http://link.example.org")).unwrap();
    assert!(
        matches!(&warnings[..], [one] if one.contains("plain http")),
        "{warnings:?}"
    );
}
