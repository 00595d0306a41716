//! The outermost layer around handlers that misbehave.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use app::background;
use axum::Router;
use axum::routing::get;
use testkit::{Client, TestApp, both_databases, wait_until};
use web::Edge;

use super::assert_failure;

async fn panicking() -> &'static str {
    panic!("on purpose")
}

async fn sleeping() -> &'static str {
    tokio::time::sleep(Duration::from_secs(60)).await;
    "too late"
}

/// A router of our own behind the product's layer.
fn behind_the_layer(test: &TestApp) -> Client {
    let router = Router::new()
        .route("/orgs/panic", get(panicking))
        .route("/panic", get(panicking))
        .route("/api", get(panicking))
        .route("/orgs/sleep", get(sleeping))
        .route("/orgs/fine", get(|| async { "fine" }));
    test.client_of(Edge::new(router, test.state.clone()))
}

both_databases! {
    async fn a_panic_is_one_failure_and_the_next_request_is_served(engine) {
        let test = TestApp::start(engine).await;
        let client = behind_the_layer(&test);
        for _ in 0..3 {
            let reply = client.get("/orgs/panic").await;
            assert_failure(&reply, 500, "INTERNAL", "a panic");
            assert!(!reply.text().contains("purpose") && !reply.text().contains("panic"));
            assert_eq!(client.get("/orgs/fine").await.text(), "fine");
        }
        let page = client.get("/panic").await;
        assert_eq!(
            (page.status.as_u16(), page.header("content-type")),
            (500, Some("text/html; charset=utf-8"))
        );
        assert!(!page.text().contains("purpose"));
        let plugin = client.get("/api?action=findBySteam&id=1").await;
        assert_failure(&plugin, 500, "INTERNAL", "a panic of the plugin API");
        assert!(plugin.json()["message"].as_str().unwrap().contains("No users"));
        test.finish().await;
    }

    async fn a_panic_is_in_the_error_log_with_its_request_id(engine) {
        let test = TestApp::start(engine).await;
        let reply = behind_the_layer(&test).get("/orgs/panic").await;
        background::flush_errors(&test.app).await.unwrap();
        let groups = storage::testing::newest_errors(&test.db.db, 10).await;
        assert_eq!(groups.len(), 1);
        assert_eq!((groups[0].code.as_str(), groups[0].status), ("INTERNAL", 500));
        assert_eq!(groups[0].request_ids, [reply.header("x-request-id").unwrap()]);
        assert!(!groups[0].detail.is_empty());
        test.finish().await;
    }

    async fn a_request_that_takes_too_long_is_a_408(engine) {
        let short = Duration::from_millis(50);
        let test = TestApp::start_with(engine, |_| {}, |settings| settings.request_timeout = short).await;
        let client = behind_the_layer(&test);
        let (slow, quick) = tokio::join!(client.get("/orgs/sleep"), client.get("/orgs/fine"));
        assert_failure(&slow, 408, "TIMEOUT", "a slow handler");
        assert_eq!(slow.header("connection"), Some("close"));
        assert_eq!(slow.header("retry-after"), Some("1"));
        assert_eq!(quick.text(), "fine");
        background::flush_errors(&test.app).await.unwrap();
        let groups = storage::testing::newest_errors(&test.db.db, 10).await;
        assert_eq!((groups.len(), groups[0].detail.as_str()), (1, "the answer took too long"), "it is ours to put right");
        test.finish().await;
    }

    async fn background_work_that_panics_is_started_again(engine) {
        let test = TestApp::start(engine).await;
        let starts = Arc::new(AtomicU32::new(0));
        let counter = Arc::clone(&starts);
        test.app.tasks.supervise("on purpose", move || {
            let counter = Arc::clone(&counter);
            async move {
                assert!(counter.fetch_add(1, Ordering::SeqCst) >= 2, "on purpose");
            }
        });
        wait_until("the third start", || async { starts.load(Ordering::SeqCst) == 3 }).await;
        assert_eq!(test.client().get("/readyz").await.status, 200);
        test.finish().await;
    }
}
