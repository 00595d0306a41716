//! What an Org's people see first.

use domain::permission::Permission;
use domain::plan::Tier;
use http::Method;
use serde_json::json;
use testkit::{TestApp, both_databases, steam};

use crate::support::call;

both_databases! {
    async fn the_overview_tells_what_there_is_what_happened_and_what_needs_somebody(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Standard).await;
        let uri = format!("/orgs/{}/overview", tenant.org);
        let owner = test.person(&test.session(&tenant.owner).await);
        let kinds = |reply: &serde_json::Value| -> Vec<String> {
            reply["attention"].as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(kinds(&owner.get(&uri).await.json()), ["never_called"]);
        tenant.link(&test.app, 1).await;
        tenant.link(&test.app, 2).await;
        let plugin = test.plugin(&tenant.key).header("x-plugin-version", "1.2.3");
        assert_eq!(plugin.get(&format!("/api?action=remove&id={}", steam(2))).await.status, 200);
        let old_way = format!("/api?action=count&secret={}", tenant.key);
        assert_eq!(test.client().get(&old_way).await.status, 200);
        app::background::keep_house(&test.app).await.unwrap();
        let seen = owner.get(&uri).await.json();
        assert_eq!(seen["servers"][0]["plugin_version"], "1.2.3");
        assert!(seen["servers"][0]["last_call_at_ms"].is_i64());
        assert_eq!((&seen["usage"]["links"], &seen["ceilings"]["links"]), (&1.into(), &20_000.into()));
        let recent = seen["recent"].as_array().unwrap();
        assert_eq!(recent.len(), 3);
        assert_eq!((&recent[0]["linked"], &recent[0]["cause"]), (&false.into(), &"plugin".into()));
        assert_eq!((&recent[2]["linked"], &recent[2]["steam_id"]), (&true.into(), &steam(1).as_str().into()));
        assert_eq!(kinds(&seen), ["query_keys"]);
        test.clock.advance_ms(25 * 60 * 60_000);
        assert_eq!(kinds(&owner.get(&uri).await.json()), ["silent", "query_keys"]);
        let server = format!("/orgs/{}/servers/{}", tenant.org, tenant.server);
        assert_eq!(call(&owner, Method::PATCH, &server, &json!({ "active": false })).await.status, 204);
        assert_eq!(kinds(&owner.get(&uri).await.json()), ["inactive", "query_keys"]);
        let blind = test.person(&test.member(&tenant, 5, &[Permission::ServersView]).await);
        assert!(blind.get(&uri).await.json()["recent"].is_null());
        test.finish().await;
    }

    async fn a_server_is_silent_on_every_page_once_a_day_passed_without_a_call(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Standard).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let servers = format!("/orgs/{}/servers", tenant.org);
        let silent = async || {
            let overview = owner.get(&format!("/orgs/{}/overview", tenant.org)).await.json();
            let list = owner.get(&servers).await.json();
            let one = owner.get(&format!("{servers}/{}", tenant.server)).await.json();
            [&overview["servers"][0], &list["servers"][0], &one].map(|server| server["silent"].as_bool().unwrap())
        };
        test.clock.advance_ms(25 * 60 * 60_000);
        assert_eq!(silent().await, [false; 3], "who never called is not silent");
        assert_eq!(test.plugin(&tenant.key).get("/api?action=count").await.status, 200);
        app::background::keep_house(&test.app).await.unwrap();
        test.clock.advance_ms(23 * 60 * 60_000);
        assert_eq!(silent().await, [false; 3]);
        test.clock.advance_ms(2 * 60 * 60_000);
        assert_eq!(silent().await, [true; 3]);
        test.finish().await;
    }

    async fn a_game_server_is_told_what_the_dashboard_set(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Standard).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let server = format!("/orgs/{}/servers/{}", tenant.org, tenant.server);
        for bad in [json!({ "poll_seconds": 5 }), json!({ "linked_group": "with space" }), json!({ "booster_group": "" }),
            json!({ "booster_group": "Linked" }), json!({ "linked_group": "default" }), json!({ "linked_group": "vip", "booster_group": "vip" })] {
            assert_eq!(call(&owner, Method::PATCH, &server, &bad).await.status, 400, "{bad}");
        }
        let change = json!({ "linked_group": "verified", "booster_group": "nitro", "steam_members_group": "steamers", "poll_seconds": 120 });
        assert_eq!(call(&owner, Method::PATCH, &server, &change).await.status, 204);
        let bot = test.bot_key(&tenant).await;
        let told = test.plugin(&bot).get("/api?action=getServerConfig").await.json();
        assert_eq!((&told["groups"]["linked"], &told["groups"]["booster"], &told["groups"]["steam_group"], &told["poll_seconds"]), (&"verified".into(), &"nitro".into(), &"steamers".into(), &120.into()));
        test.finish().await;
    }
}
