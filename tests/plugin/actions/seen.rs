//! Who was seen on which Server.

use domain::plan::Tier;
use storage::players::server_players;
use testkit::{START_MS, TestApp, both_databases, steam};

use crate::plugin::actions::Stage;

both_databases! {
    async fn a_servers_own_key_marks_linked_players_as_seen(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        let server = app::tenancy::servers::get(&test.app, tenant.scope, &tenant.server).await.unwrap().num;
        let caller = test.plugin(&tenant.key);
        caller.get(&format!("/api?action=findBySteam&id={}", steam(1))).await;
        caller.get(&format!("/api?action=findBySteam&id={}", steam(2))).await;
        app::background::flush_seen(&test.app).await.unwrap();
        let (one, two) = (steam(1), steam(2));
        let seen = |id| server_players::find_last_seen(&test.app.db, server, id);
        assert_eq!(seen(&one).await.unwrap(), Some(START_MS));
        assert_eq!(seen(&two).await.unwrap(), None, "not linked");
        test.clock.advance_ms(60 * 60_000);
        caller.get(&format!("/api?action=steamChecks&id={},{}", steam(1), steam(2))).await;
        app::background::flush_seen(&test.app).await.unwrap();
        assert_eq!(seen(&one).await.unwrap(), Some(START_MS + 60 * 60_000));
        test.finish().await;
    }

    async fn calls_about_many_mark_those_who_are_linked(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        let server = app::tenancy::servers::get(&test.app, tenant.scope, &tenant.server).await.unwrap().num;
        let caller = test.plugin(&tenant.key);
        let (one, two) = (steam(1), steam(2));
        for (action, value) in [("updateSteam", r#""Ada""#), ("updateOxideGroupsBulk", "[]")] {
            test.clock.advance_ms(60 * 60_000);
            let body = format!(r#"{{"players":{{"{one}":{value},"{two}":{value}}}}}"#);
            assert_eq!(caller.post(&format!("/api?action={action}"), &body).await.json()["updated"], 1, "{action}");
            app::background::flush_seen(&test.app).await.unwrap();
            let seen = server_players::find_last_seen(&test.app.db, server, &one).await.unwrap();
            assert_eq!(seen, Some(test.app.now_ms()), "{action}");
        }
        // What is asked or told about a player names them, whatever comes of it: nobody boosts here and nothing waits.
        for call in [
            "nitroChecks",
            "getPendingOxideChangesBulk",
            "clearPendingOxideChangesBulk",
            "update&role=820000000000000001&mode=remove",
        ] {
            test.clock.advance_ms(60 * 60_000);
            let reply = caller.get(&format!("/api?action={call}&id={one},{two}")).await;
            assert_eq!(reply.status, 200, "{call}: {}", reply.text());
            app::background::flush_seen(&test.app).await.unwrap();
            let seen = server_players::find_last_seen(&test.app.db, server, &one).await.unwrap();
            assert_eq!(seen, Some(test.app.now_ms()), "{call}");
        }
        assert_eq!(server_players::find_last_seen(&test.app.db, server, &two).await.unwrap(), None);
        test.finish().await;
    }

    async fn other_keys_mark_nobody(engine) {
        let stage = Stage::set(engine).await;
        stage.get(&format!("findBySteam&id={}", steam(1))).await;
        stage.get(&format!("steamChecks&id={}", steam(1))).await;
        app::background::flush_seen(&stage.test.app).await.unwrap();
        let server = app::tenancy::servers::get(&stage.test.app, stage.tenant.scope, &stage.tenant.server).await.unwrap().num;
        assert_eq!(server_players::find_last_seen(&stage.test.app.db, server, &steam(1)).await.unwrap(), None);
        stage.test.finish().await;
    }
}
