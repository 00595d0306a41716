//! What is said about versions: the notes, and where the running one is shown.

use domain::release::VERSION;
use testkit::{TestApp, both_databases};

const NOTES: &str = include_str!("../../CHANGELOG.md");

/// The versions of the notes, each with its text, in their order.
fn releases() -> Vec<(&'static str, &'static str)> {
    let headings = NOTES.split("\n## v").skip(1);
    let (newest, before) = NOTES.split_once("\n## Before ").expect("the record");
    assert_eq!(headings.count(), newest.matches("\n## v").count(), "{before}");
    let sections = newest
        .split("\n## v")
        .skip(1)
        .chain(before.split("\n### v").skip(1));
    sections
        .map(|section| {
            let (heading, text) = section.split_once('\n').expect("a text");
            (heading.split(' ').next().expect("a version"), text)
        })
        .collect()
}

fn numbers(version: &str) -> Vec<u32> {
    let numbers = version.split('.').map(|number| number.parse().expect("a number"));
    numbers.collect()
}

#[test]
fn the_notes_begin_with_this_version_and_go_back_to_the_first() {
    let releases = releases();
    assert_eq!(format!("v{}", releases[0].0), VERSION);
    assert_eq!(releases.last().expect("a release").0, "3.0.0");
    for pair in releases.windows(2) {
        assert!(
            numbers(pair[0].0) > numbers(pair[1].0),
            "{} {}",
            pair[0].0,
            pair[1].0
        );
    }
    for (version, text) in &releases {
        assert_eq!(numbers(version).len(), 3, "{version}");
        assert!(text.contains("\n- "), "v{version} is listed and says nothing");
    }
}

#[test]
fn the_record_keeps_what_plugins_and_bots_noticed() {
    let releases = releases();
    for (version, word, incompatible) in [
        ("3.0.0", "32 actions", true),
        ("3.6.0", "exactly one key", true),
        ("3.7.0", "PERMISSION_DENIED", true),
        ("3.8.2", "server_id", false),
        ("3.21.0", "/bot/guilds", true),
        ("3.21.1", "`platform`", false),
        ("3.21.2", "getBotGuildMapping", true),
    ] {
        let (_, text) = releases
            .iter()
            .find(|(known, _)| *known == version)
            .expect(version);
        assert!(text.contains(word), "{version}");
        assert_eq!(text.contains("**Incompatible:**"), incompatible, "{version}");
    }
    assert!(NOTES.contains("ends with v3.23.1"));
    assert_eq!(
        NOTES.matches("**Incompatible:**").count(),
        NOTES.matches("- **Incompatible:** ").count()
    );
}

both_databases! {
    async fn health_the_notes_and_the_description_name_the_running_version(engine) {
        let test = TestApp::start(engine).await;
        let health = test.client().get("/healthz").await;
        assert_eq!(health.text(), format!("{{\"status\":\"ok\",\"version\":\"{VERSION}\"}}"));
        let description = test.client().get("/openapi.json").await.json();
        assert_eq!(description["info"]["version"], VERSION);
        let page = test.client().get("/docs/releases").await;
        let html = page.text();
        assert_eq!(page.status, 200);
        assert!(html.contains(&format!("<h2>{VERSION} (unreleased)</h2>")), "{html}");
        assert!(html.contains("<strong>Incompatible:</strong>") && html.contains("<h3>v3.0.0</h3>"));
        assert!(html.contains("href=\"/docs/migrating\""), "documents that are served are linked");
        test.finish().await;
    }
}
