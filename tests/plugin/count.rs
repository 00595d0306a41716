//! `count`.

use domain::plan::Tier;
use testkit::{TestApp, both_databases};

both_databases! {
    async fn count_is_the_number_of_active_links_of_the_keys_guild(engine) {
        let test = TestApp::start(engine).await;
        let (one, other) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await);
        for player in 0..3 {
            one.link(&test.app, player).await;
        }
        other.link(&test.app, 1).await;
        let reply = test.plugin(&one.key).get("/api?action=count").await;
        assert_eq!((reply.status.as_u16(), reply.text()), (200, r#"{"Total":3}"#));
        test.finish().await;
    }

    async fn count_is_a_number_even_when_there_is_nothing_to_count(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let caller = test.plugin(&tenant.key);
        let reply = caller.get("/api?action=count").await;
        assert_eq!((reply.status.as_u16(), reply.text()), (200, r#"{"Total":0}"#));
        assert!(reply.json()["Total"].is_u64());
        assert_eq!(caller.post("/api?action=count&id=ignored", "{").await.text(), r#"{"Total":0}"#);
        test.finish().await;
    }
}
