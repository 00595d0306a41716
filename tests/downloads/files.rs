//! Downloads as browsers, plugins and crawlers meet them.

use app::instance;
use axum::body::Body;
use domain::audit::Actor;
use futures_util::StreamExt;
use http::Method;
use sha2::{Digest, Sha256};
use testkit::{Engine, TestApp, rounds};
use tokio::task::JoinSet;

use super::builds::publish;

/// More than fits into the buffers of a connection.
fn long_file() -> Vec<u8> {
    (0..3_000_000_u32)
        .map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect()
}

#[tokio::test]
async fn a_build_comes_with_everything_that_tells_what_it_is() {
    let test = TestApp::start(Engine::Sqlite).await;
    publish(&test, &[("v1.2.3", b"class Symbolon {}")]).await;
    let sha256: String = Sha256::digest(b"class Symbolon {}")
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let manifest = test.client().get("/download/plugin/manifest").await;
    assert_eq!(manifest.header("content-type"), Some("application/json"));
    let told = manifest.json();
    assert_eq!(
        told,
        serde_json::json!({
            "version": "v1.2.3", "sha256": sha256, "size": 17, "published_at": "2023-11-14T22:13:20Z",
            "url": told["url"],
        })
    );
    assert!(told["url"].as_str().unwrap().ends_with("/download/plugin/v1.2.3"));
    for (address, kept) in [
        ("/download/plugin", "no-cache"),
        ("/download/plugin/v1.2.3", "public, max-age=31536000, immutable"),
    ] {
        let reply = test.client().get(address).await;
        assert_eq!((reply.status.as_u16(), reply.text()), (200, "class Symbolon {}"));
        let tag = format!("\"{sha256}\"");
        for (name, value) in [
            ("etag", tag.as_str()),
            ("content-length", "17"),
            ("accept-ranges", "bytes"),
            ("cache-control", kept),
            ("content-disposition", "attachment; filename=\"Symbolon.cs\""),
            ("content-type", "application/octet-stream"),
            ("x-content-type-options", "nosniff"),
        ] {
            assert_eq!(reply.header(name), Some(value), "{name} of {address}");
        }
        assert!(reply.header("repr-digest").unwrap().starts_with("sha-256=:"));
        let head = test.client().send(Method::HEAD, address, Body::empty()).await;
        assert_eq!(
            (
                head.status.as_u16(),
                head.header("content-length"),
                head.body.len()
            ),
            (200, Some("17"), 0)
        );
        let known = test.client().header("if-none-match", &tag).get(address).await;
        assert_eq!(
            (known.status.as_u16(), known.body.len(), known.header("etag")),
            (304, 0, Some(tag.as_str()))
        );
    }
    test.finish().await;
}

#[tokio::test]
async fn parts_are_what_was_asked_for() {
    let test = TestApp::start(Engine::Sqlite).await;
    publish(&test, &[("v1.0.0", b"0123456789")]).await;
    let part = async |range: &str| {
        let reply = test.client().header("range", range).get("/download/plugin").await;
        let told = reply.header("content-range").map(str::to_owned);
        (reply.status.as_u16(), reply.text().to_owned(), told)
    };
    assert_eq!(
        part("bytes=2-4").await,
        (206, "234".to_owned(), Some("bytes 2-4/10".to_owned()))
    );
    assert_eq!(
        part("bytes=-2").await,
        (206, "89".to_owned(), Some("bytes 8-9/10".to_owned()))
    );
    let head = test.client().header("range", "bytes=2-4");
    let head = head
        .send(http::Method::HEAD, "/download/plugin", axum::body::Body::empty())
        .await;
    assert_eq!(
        (head.status.as_u16(), head.header("content-length")),
        (200, Some("10")),
        "a part is to be got"
    );
    let (status, _, told) = part("bytes=10-").await;
    assert_eq!((status, told.as_deref()), (416, Some("bytes */10")));
    assert_eq!(part("bytes=0-1,4-5").await, (200, "0123456789".to_owned(), None));
    // A part is only right for whoever has the beginning of the same file.
    let tag = test
        .client()
        .get("/download/plugin")
        .await
        .header("etag")
        .unwrap()
        .to_owned();
    for (known, status) in [
        (tag.as_str(), 206),
        ("\"other\"", 200),
        ("Wed, 21 Oct 2026 07:28:00 GMT", 200),
    ] {
        let client = test
            .client()
            .header("range", "bytes=1-")
            .header("if-range", known);
        assert_eq!(client.get("/download/plugin").await.status, status, "{known}");
    }
    test.finish().await;
}

#[tokio::test]
async fn odd_addresses_lead_nowhere() {
    let test = TestApp::start(Engine::Sqlite).await;
    publish(&test, &[("v1.0.0", b"build")]).await;
    for odd in [
        "v1.0",
        "v1.0.0.0",
        "v01.0.0",
        "1.0.0",
        "V1.0.0",
        "v1.0.0%20",
        "v1.0.0%00",
        "v1.0.1",
        "v1.0.0-beta",
        "..%2f..%2fsymbolon.db",
        "%2e%2e%2fversions%2fv1.0.0",
        "files",
        "v1.0.0%2f..",
        "latest",
        "v99999999999999999999.0.0",
    ] {
        let reply = test.client().get(&format!("/download/plugin/{odd}")).await;
        assert!([400, 404].contains(&reply.status.as_u16()), "{odd}");
        assert!(
            !reply.text().contains("build\n") && !reply.text().contains("sha256"),
            "{odd}"
        );
    }
    for odd in [
        "/download/plugin/v1.0.0/x",
        "/download",
        "/download/plugin/../plugin/v1.0.0",
    ] {
        assert_eq!(test.client().get(odd).await.status, 404, "{odd}");
    }
    for method in [Method::POST, Method::PUT, Method::DELETE] {
        assert_eq!(
            test.client()
                .send(method, "/download/plugin", Body::empty())
                .await
                .status,
            405
        );
    }
    test.finish().await;
}

#[tokio::test]
async fn downloads_need_neither_the_database_nor_the_dashboard() {
    let test = TestApp::start(Engine::Sqlite).await;
    publish(&test, &[("v1.0.0", b"build")]).await;
    instance::set_maintenance(&test.app, true, None, Actor::Operator)
        .await
        .unwrap();
    for address in [
        "/download/plugin",
        "/download/plugin/v1.0.0",
        "/download/plugin/manifest",
    ] {
        assert_eq!(test.client().get(address).await.status, 200, "{address}");
    }
    test.db.db.close().await;
    for address in [
        "/download/plugin",
        "/download/plugin/v1.0.0",
        "/download/plugin/manifest",
    ] {
        assert_eq!(test.client().get(address).await.status, 200, "{address}");
    }
}

#[tokio::test]
async fn a_file_that_is_not_what_was_published_is_not_given_to_anybody() {
    let test = TestApp::start(Engine::Sqlite).await;
    publish(&test, &[("v1.0.0", b"build")]).await;
    let folder = test.db.directory().join("blobs/plugin/files");
    let file = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    std::fs::write(file, "tampered").unwrap();
    let reply = test.client().get("/download/plugin").await;
    assert_eq!(reply.status, 500);
    assert!(!reply.text().contains("tampered"));
    test.finish().await;
}

/// Some want all, some want a part, and some leave in the middle.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_at_once_get_every_byte() {
    let test = TestApp::start(Engine::Sqlite).await;
    let file = long_file();
    publish(&test, &[("v1.0.0", &file)]).await;
    let mut all = JoinSet::new();
    for number in 0..rounds(100, 1_000) {
        let client = test.client();
        let file = file.clone();
        all.spawn(async move {
            let first = number * 7_919 % file.len();
            let (client, expected) = match number % 3 {
                0 => (client, &file[..]),
                1 => (client.header("range", &format!("bytes={first}-")), &file[first..]),
                _ => {
                    let response = client.begin(Method::GET, "/download/plugin", Body::empty()).await;
                    drop(response.into_body().into_data_stream().next().await);
                    return;
                }
            };
            assert!(
                client.get("/download/plugin/v1.0.0").await.body == expected,
                "{number}"
            );
        });
    }
    while let Some(ended) = all.join_next().await {
        ended.unwrap();
    }
    test.finish().await;
}
