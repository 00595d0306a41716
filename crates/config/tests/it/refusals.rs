use config::Overrides;

use crate::{from, refusal, same, with_overrides};

#[test]
fn unknown_key_is_refused_with_the_nearest_one() {
    let text = refusal(
        "listen = 'x'\n[server]\nidle_timeout = 5\n[limit]\nx = 1\n[log.level]\n",
        &[],
    );
    for line in [
        "symbolon.toml: listen: unknown key; the nearest known one is server.listen",
        "symbolon.toml: server.idle_timeout: unknown key; the nearest known one is server.idle_timeout_ms",
        "symbolon.toml: limit: unknown key; the nearest known one is limits",
        "symbolon.toml: log.level must be one of error, warn, info, debug, trace",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\nnot in\n{text}");
    }
    assert_eq!(text.lines().count(), 4, "{text}");
    assert_eq!(
        refusal("server = 1", &[]),
        "symbolon.toml: server must be a section"
    );
}

#[test]
fn unknown_variable_is_refused_with_the_nearest_one() {
    assert_eq!(
        refusal("", &[("SYMBOLON_SERVER_LISTN", "x")]),
        "SYMBOLON_SERVER_LISTN: unknown variable; the nearest known one is SYMBOLON_SERVER_LISTEN"
    );
    let allowed = [
        ("SYMBOLON_CONFIG", "x"),
        ("SYMBOLON_TEST_POSTGRES", "x"),
        ("PATH", "x"),
    ];
    same(&from("", &allowed).unwrap(), &from("", &[]).unwrap());
}

#[test]
fn what_kubernetes_tells_about_a_service_of_our_name_is_not_ours() {
    let told = [
        ("SYMBOLON_SERVICE_HOST", "10.96.0.7"),
        ("SYMBOLON_SERVICE_PORT", "8080"),
        ("SYMBOLON_SERVICE_PORT_HTTP", "8080"),
        ("SYMBOLON_SERVICE_PORT_METRICS_WEB", "9464"),
        ("SYMBOLON_PORT", "tcp://10.96.0.7:8080"),
        ("SYMBOLON_PORT_8080_TCP", "tcp://10.96.0.7:8080"),
        ("SYMBOLON_PORT_8080_TCP_PROTO", "tcp"),
        ("SYMBOLON_PORT_8080_TCP_PORT", "8080"),
        ("SYMBOLON_PORT_8080_TCP_ADDR", "10.96.0.7"),
        ("SYMBOLON_PORT_53_UDP", "udp://10.96.0.7:53"),
        ("SYMBOLON_METRICS_SERVICE_HOST", "10.96.0.8"),
        ("SYMBOLON_METRICS_PORT_9464_TCP_ADDR", "10.96.0.8"),
        ("SYMBOLON_METRICS_PORT", "tcp://10.96.0.8:9464"),
    ];
    same(&from("", &told).unwrap(), &from("", &[]).unwrap());
    // Looks like a setting and is none: whoever wrote it wants to know.
    for (name, value) in [
        ("SYMBOLON_PORT", "8080"),
        ("SYMBOLON_LISTEN_PORT", "8080"),
        ("SYMBOLON_PORT_HTTP_TCP", "8080"),
        ("SYMBOLON_SERVICE_NAME", "symbolon"),
        ("SYMBOLON_SERVER_LISTEN_PORT_X", "tcp://127.0.0.1:1"),
    ] {
        let text = refusal("", &[(name, value)]);
        assert!(
            text.starts_with(&format!(
                "{name}: unknown variable; the nearest known one is SYMBOLON_"
            )),
            "{text}"
        );
    }
}

#[test]
fn all_problems_are_listed_at_once_with_their_place() {
    let file = "operators = ['12345678901234567', 'me']\n\
                [database]\npool_size = 0\n[server]\nrequire_tls = 'yes'\nlisten = 8080";
    let env = [
        ("SYMBOLON_SERVER_IDLE_TIMEOUT_MS", "5"),
        ("SYMBOLON_LIMITS_PRO_BURST", "many"),
    ];
    let overrides = Overrides {
        database_url: Some("mysql://x".to_owned()),
        ..Overrides::default()
    };
    let text = with_overrides(file, &env, &overrides).unwrap_err().to_string();
    let expected = "\
symbolon.toml: operators must be a list of Discord user IDs of 17 to 20 digits; entry 2 is not
symbolon.toml: server.listen must be an IP address and port
symbolon.toml: server.require_tls must be true or false
SYMBOLON_SERVER_IDLE_TIMEOUT_MS: server.idle_timeout_ms must be a whole number of milliseconds from 100 to 600000, not 5
command line: database.url must be sqlite, sqlite:PATH, postgres://… or postgresql://…
symbolon.toml: database.pool_size must be a whole number of connections from 1 to 256, not 0
SYMBOLON_LIMITS_PRO_BURST: limits.pro.burst must be a whole number of requests from 1 to 1000000";
    assert_eq!(text, expected);
}

#[test]
fn operators_that_cannot_be_discord_ids_are_refused() {
    for id in [
        "1234567890123456",
        "123456789012345678901",
        "18446744073709551616",
        "01234567890123456",
        "+2345678901234567",
    ] {
        assert!(
            refusal("", &[("SYMBOLON_OPERATORS", id)]).contains("17 to 20 digits"),
            "{id}"
        );
    }
}

#[test]
fn database_addresses_that_cannot_work_are_refused() {
    for url in [
        "",
        "sqlite:",
        "sqlite://x.db",
        "sqlite::memory:",
        "postgres://",
        "postgres://a b",
        "SQLITE",
    ] {
        assert!(
            refusal("", &[("SYMBOLON_DATABASE_URL", url)]).contains("sqlite:PATH"),
            "{url}"
        );
    }
}

#[test]
fn broken_file_is_refused_with_its_line() {
    let text = refusal("data_dir = 'x'\n[server\n", &[("SYMBOLON_LOG_LEVEL", "loud")]);
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert!(
        lines[0].starts_with("symbolon.toml: line 2 is not TOML: "),
        "{text}"
    );
    assert!(
        lines[1].starts_with("SYMBOLON_LOG_LEVEL: log.level must be one of "),
        "{text}"
    );
}
