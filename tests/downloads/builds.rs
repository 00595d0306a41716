//! Publishing, withdrawing, and what is the latest.

use app::downloads::builds::{self, BuildError, NewBuild};
use app::downloads::shelf;
use app::platforms::Blobs;
use domain::plugin_build::{MOST_BYTES, PluginVersion};
use testkit::{Engine, TestApp, rounds};
use tokio::task::JoinSet;

/// A build of these bytes.
pub fn build(version: &str, bytes: &[u8]) -> NewBuild {
    NewBuild {
        version: version_of(version),
        file_name: "Symbolon.cs".to_owned(),
        bytes: bytes.to_vec(),
    }
}

pub fn version_of(text: &str) -> PluginVersion {
    PluginVersion::parse(text).expect("a version")
}

pub fn blobs(test: &TestApp) -> &Blobs {
    test.app.platforms.blobs.as_ref().expect("a file store")
}

/// Publishes builds, and lets the service see them.
pub async fn publish(test: &TestApp, listed: &[(&str, &[u8])]) {
    for (version, bytes) in listed {
        let new = build(version, bytes);
        assert!(
            builds::publish(blobs(test), new, 1_700_000_000_000)
                .await
                .expect("a build")
        );
    }
    shelf::refresh(&test.app).await.expect("a list");
}

#[tokio::test]
async fn the_latest_is_the_highest_version_that_was_not_withdrawn() {
    let test = TestApp::start(Engine::Sqlite).await;
    let latest = async || {
        let reply = test.client().get("/download/plugin/manifest").await;
        (reply.status == 200).then(|| reply.json()["version"].as_str().unwrap().to_owned())
    };
    assert_eq!(latest().await, None);
    publish(
        &test,
        &[("v1.9.0", b"nine"), ("v1.10.0", b"ten"), ("v1.2.0", b"two")],
    )
    .await;
    assert_eq!(latest().await.as_deref(), Some("v1.10.0"));
    builds::withdraw(blobs(&test), version_of("v1.10.0"))
        .await
        .unwrap();
    shelf::refresh(&test.app).await.unwrap();
    assert_eq!(latest().await.as_deref(), Some("v1.9.0"));
    assert_eq!(
        test.client().get("/download/plugin/v1.10.0").await.text(),
        "ten",
        "its own address stays"
    );
    assert_eq!(test.client().get("/download/plugin").await.text(), "nine");
    builds::restore(blobs(&test), version_of("v1.10.0"))
        .await
        .unwrap();
    shelf::refresh(&test.app).await.unwrap();
    assert_eq!(latest().await.as_deref(), Some("v1.10.0"));
    let unknown = builds::withdraw(blobs(&test), version_of("v9.0.0")).await;
    assert!(matches!(unknown, Err(BuildError::Unknown(_))));
    test.finish().await;
}

#[tokio::test]
async fn a_published_version_never_changes() {
    let test = TestApp::start(Engine::Sqlite).await;
    publish(&test, &[("v1.0.0", b"first")]).await;
    let again = builds::publish(blobs(&test), build("v1.0.0", b"first"), 5).await;
    assert!(!again.unwrap(), "the same bytes are no new build");
    builds::withdraw(blobs(&test), version_of("v1.0.0"))
        .await
        .unwrap();
    let other = builds::publish(blobs(&test), build("v1.0.0", b"other"), 5).await;
    assert!(
        matches!(other, Err(BuildError::OtherBytes(_))),
        "withdrawn or not"
    );
    shelf::refresh(&test.app).await.unwrap();
    assert_eq!(test.client().get("/download/plugin/v1.0.0").await.text(), "first");
    test.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_who_publish_a_version_at_once_one_does() {
    let test = TestApp::start(Engine::Sqlite).await;
    for round in 0..rounds(20, 200) {
        let version = format!("v1.0.{round}");
        let mut both = JoinSet::new();
        for bytes in [b"one".as_slice(), b"two"] {
            let (app, new) = (test.app.clone(), build(&version, bytes));
            both.spawn(async move {
                let blobs = app.platforms.blobs.as_ref().expect("a file store");
                builds::publish(blobs, new, 1).await
            });
        }
        let ended = both.join_all().await;
        let won = ended.iter().filter(|ended| matches!(ended, Ok(true))).count();
        let lost = ended
            .iter()
            .filter(|ended| matches!(ended, Err(BuildError::OtherBytes(_))))
            .count();
        assert_eq!((won, lost), (1, 1), "{version}");
    }
    test.finish().await;
}

#[tokio::test]
async fn a_lost_file_is_put_back_and_a_damaged_record_is_in_nobodys_way() {
    let test = TestApp::start(Engine::Sqlite).await;
    publish(&test, &[("v1.0.0", b"first"), ("v1.1.0", b"second")]).await;
    let manifest = test.client().get("/download/plugin/manifest").await.json();
    let sha256 = manifest["sha256"].as_str().expect("a digest");
    let stored = blobs(&test);
    stored
        .delete(&format!("plugin/files/{sha256}"))
        .await
        .expect("a loss");
    assert_eq!(test.client().get("/download/plugin").await.status, 500);
    let again = builds::publish(stored, build("v1.1.0", b"second"), 5).await;
    assert!(!again.unwrap(), "it is no new build");
    assert_eq!(test.client().get("/download/plugin").await.text(), "second");
    stored
        .put("plugin/versions/v1.2.0", b"{".to_vec())
        .await
        .expect("damage");
    builds::withdraw(stored, version_of("v1.1.0"))
        .await
        .expect("a withdrawal");
    shelf::refresh(&test.app).await.expect("a list");
    assert_eq!(test.client().get("/download/plugin").await.text(), "first");
    test.finish().await;
}

#[tokio::test]
async fn a_version_that_another_node_published_is_had_at_once() {
    let test = TestApp::start(Engine::Sqlite).await;
    publish(&test, &[("v1.0.0", b"first")]).await;
    let published = builds::publish(blobs(&test), build("v1.1.0", b"second"), 5).await;
    assert!(published.unwrap());
    assert_eq!(
        test.client().get("/download/plugin/v1.1.0").await.text(),
        "second"
    );
    assert_eq!(test.client().get("/download/plugin/v9.9.9").await.status, 404);
    test.finish().await;
}

#[tokio::test]
async fn what_cannot_be_a_build_is_refused() {
    let test = TestApp::start(Engine::Sqlite).await;
    let publish = async |new| builds::publish(blobs(&test), new, 1).await;
    assert!(matches!(
        publish(build("v1.0.0", b"")).await,
        Err(BuildError::Size)
    ));
    let large = vec![b'x'; MOST_BYTES + 1];
    assert!(matches!(
        publish(build("v1.0.0", &large)).await,
        Err(BuildError::Size)
    ));
    for name in ["", "../Symbolon.cs", "a\"b.cs", "Symbolon\r\n.cs"] {
        let odd = NewBuild {
            file_name: name.to_owned(),
            ..build("v1.0.0", b"x")
        };
        assert!(
            matches!(publish(odd).await, Err(BuildError::FileName)),
            "{name:?}"
        );
    }
    assert_eq!(builds::list(blobs(&test), &[]).await.unwrap(), []);
    test.finish().await;
}

#[tokio::test]
async fn a_start_publishes_the_plugin_that_it_carries_once() {
    let test = TestApp::start(Engine::Sqlite).await;
    shelf::begin(&test.app, build("v1.0.0", b"carried")).await;
    assert_eq!(test.client().get("/download/plugin").await.text(), "carried");
    // Whoever withdrew it, or built it from other sources, is not overruled by the next start.
    builds::withdraw(blobs(&test), version_of("v1.0.0"))
        .await
        .unwrap();
    shelf::begin(&test.app, build("v1.0.0", b"another")).await;
    assert_eq!(test.client().get("/download/plugin").await.status, 404);
    assert_eq!(
        test.client().get("/download/plugin/v1.0.0").await.text(),
        "carried"
    );
    test.finish().await;
}
