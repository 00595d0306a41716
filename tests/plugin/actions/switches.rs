//! The two switches that old clients and careful owners ask for.

use domain::action::ActionSet;
use domain::plan::Tier;
use http::Method;
use testkit::{TestApp, both_databases, discord, steam};

use crate::plugin::actions::{assert_answer, assert_refused};

both_databases! {
    async fn a_server_with_bare_ids_answers_digits_as_plain_text_and_nothing_else_changes(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Standard).await;
        tenant.link(&test.app, 1).await;
        let (_, before) = test.custom_key(&tenant, ActionSet::ALL, true).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let path = format!("/orgs/{}/servers/{}", tenant.org, tenant.server);
        assert_eq!(owner.send(Method::PATCH, &path, r#"{"bare_ids":true}"#.into()).await.status, 204);
        assert_eq!(owner.get(&path).await.json()["bare_ids"], true);
        let (_, after) = test.custom_key(&tenant, ActionSet::ALL, true).await;
        for key in [&before, &after] {
            let caller = test.plugin(key);
            for (query, digits) in [
                (format!("findBySteam&id={}", steam(1)), discord(1).to_string()),
                (format!("findByDiscord&id={}", discord(1)), steam(1).to_string()),
                (format!("discordCheck&id={}", discord(1)), steam(1).to_string()),
            ] {
                let reply = caller.get(&format!("/api?action={query}")).await;
                assert_answer(&reply, 200, &digits);
                assert_eq!(reply.header("content-type"), Some("text/plain; charset=utf-8"));
            }
            let miss = caller.get(&format!("/api?action=findBySteam&id={}", steam(9))).await;
            assert_answer(&miss, 404, "\"No users found.\"");
            assert_eq!(miss.header("content-type"), Some("application/json; charset=utf-8"));
            assert_answer(&caller.get("/api?action=count").await, 200, r#"{"Total":1}"#);
        }
        owner.send(Method::PATCH, &path, r#"{"bare_ids":false}"#.into()).await;
        let quoted = test.plugin(&tenant.key).get(&format!("/api?action=findBySteam&id={}", steam(1))).await;
        assert_answer(&quoted, 200, &format!("\"{}\"", discord(1)));
        test.finish().await;
    }

    async fn an_org_can_refuse_keys_in_the_address_and_other_orgs_do_not_notice(engine) {
        let test = TestApp::start(engine).await;
        let (ours, theirs) = (test.tenant(1, Tier::Standard).await, test.tenant(2, Tier::Standard).await);
        let in_address = |key: &str| format!("/api?action=count&secret={key}");
        let nobody = test.client();
        assert_eq!(nobody.get(&in_address(&ours.key)).await.status, 200);
        let owner = test.person(&test.session(&ours.owner).await);
        let path = format!("/orgs/{}/settings", ours.org);
        assert_eq!(owner.get(&path).await.json()["refuse_query_keys"], false);
        assert_eq!(owner.send(Method::PATCH, &path, r#"{"refuse_query_keys":true}"#.into()).await.status, 204);
        assert_eq!(owner.get(&path).await.json()["refuse_query_keys"], true);
        let (_, made_later) = test.custom_key(&ours, ActionSet::ALL, false).await;
        for key in [&ours.key, &made_later] {
            assert_refused(&nobody.get(&in_address(key)).await, 403, "QUERY_KEY_REFUSED");
            assert_eq!(test.plugin(key).get("/api?action=count").await.status, 200);
        }
        let lookup = nobody.get(&format!("/api?action=findBySteam&id={}&secret={}", steam(1), ours.key)).await;
        assert!(lookup.text().contains("No users"), "{}", lookup.text());
        assert_eq!(nobody.get(&in_address(&theirs.key)).await.status, 200);
        owner.send(Method::PATCH, &path, r#"{"refuse_query_keys":false}"#.into()).await;
        assert_eq!(nobody.get(&in_address(&ours.key)).await.status, 200);
        test.finish().await;
    }

    async fn roles_that_plugins_may_grant_are_a_setting_of_the_guild(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Standard).await;
        tenant.link(&test.app, 1).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let path = format!("/orgs/{}/guilds/{}", tenant.org, tenant.guild);
        let role = discord(77);
        let update = format!("/api?action=update&id={}&role={role}&mode=add", steam(1));
        assert_refused(&test.plugin(&tenant.key).get(&update).await, 400, "INVALID_PARAMETER");
        let body = format!(r#"{{"plugin_roles":["{role}","{role}"]}}"#);
        assert_eq!(owner.send(Method::PATCH, &path, body.into()).await.status, 204);
        let seen = owner.get(&path).await.json();
        assert_eq!(seen["plugin_roles"], serde_json::json!([role.to_string()]));
        assert!(seen["log_channel_id"].is_string(), "what was left out stays");
        assert_answer(&test.plugin(&tenant.key).get(&update).await, 200, "\"Roles updated\"");
        owner.send(Method::PATCH, &path, r#"{"log_channel_id":null}"#.into()).await;
        assert!(owner.get(&path).await.json()["log_channel_id"].is_null());
        let many: Vec<_> = (0..51).map(|number| discord(1_000 + number).to_string()).collect();
        let body = serde_json::json!({ "verified_roles": many }).to_string();
        assert_refused(&owner.send(Method::PATCH, &path, body.into()).await, 400, "INVALID_PARAMETER");
        test.finish().await;
    }

    async fn how_players_join_and_relink_is_a_setting_of_the_guild(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Standard).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let path = format!("/orgs/{}/guilds/{}", tenant.org, tenant.guild);
        let fields = |seen: serde_json::Value| {
            serde_json::json!([seen["join_mode"], seen["invite_url"], seen["relink_cooldown_ms"]])
        };
        assert_eq!(fields(owner.get(&path).await.json()), serde_json::json!(["off", null, 0]));
        let body = r#"{"join_mode":"invite","invite_url":" https://discord.gg/ashfall ","relink_cooldown_ms":3600000}"#;
        assert_eq!(owner.send(Method::PATCH, &path, body.into()).await.status, 204);
        let set = serde_json::json!(["invite", "https://discord.gg/ashfall", 3_600_000]);
        assert_eq!(fields(owner.get(&path).await.json()), set);
        for wrong in [
            r#"{"join_mode":"always"}"#,
            r#"{"invite_url":"https://evil.example/invite"}"#,
            r#"{"invite_url":"https://discord.gg.evil.example/a"}"#,
            r#"{"invite_url":"javascript:alert(1)"}"#,
            r#"{"relink_cooldown_ms":-1}"#,
            r#"{"relink_cooldown_ms":7776000001}"#,
        ] {
            assert_eq!(owner.send(Method::PATCH, &path, wrong.into()).await.status, 400, "{wrong}");
        }
        assert_eq!(fields(owner.get(&path).await.json()), set, "nothing of a refused change stays");
        assert_eq!(owner.send(Method::PATCH, &path, r#"{"log_channel_id":null}"#.into()).await.status, 204);
        assert_eq!(fields(owner.get(&path).await.json()), set, "what was left out stays");
        owner.send(Method::PATCH, &path, r#"{"invite_url":null,"join_mode":"auto"}"#.into()).await;
        assert_eq!(fields(owner.get(&path).await.json()), serde_json::json!(["auto", null, 3_600_000]));
        test.finish().await;
    }

    async fn a_setting_that_does_not_change_leaves_no_trace_and_one_that_does_leaves_one(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Standard).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let entries = || async { owner.get(&format!("/orgs/{}/audit", tenant.org)).await.json()["entries"].as_array().unwrap().len() };
        let (org, guild, server) = (
            format!("/orgs/{}/settings", tenant.org),
            format!("/orgs/{}/guilds/{}", tenant.org, tenant.guild),
            format!("/orgs/{}/servers/{}", tenant.org, tenant.server),
        );
        let before = entries().await;
        for (path, same, other) in [
            (&org, r#"{"refuse_query_keys":false}"#, r#"{"refuse_query_keys":true,"name":"Other"}"#),
            (&guild, r#"{"verified_roles":[]}"#, r#"{"log_channel_id":null}"#),
            (&server, r#"{"active":true,"bare_ids":false}"#, r#"{"name":"Other","bare_ids":true}"#),
        ] {
            let count = entries().await;
            assert_eq!(owner.send(Method::PATCH, path, same.into()).await.status, 204);
            assert_eq!(entries().await, count, "{path}");
            assert_eq!(owner.send(Method::PATCH, path, other.into()).await.status, 204);
            assert_eq!(entries().await, count + 1, "{path}");
        }
        assert_eq!(entries().await, before + 3);
        test.finish().await;
    }

    async fn a_bot_key_stops_when_the_next_one_is_issued(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let one = test.bot_key(&tenant).await;
        assert_eq!(test.plugin(&one).get("/api?action=count").await.status, 200);
        let two = test.bot_key(&tenant).await;
        assert_refused(&test.plugin(&one).get("/api?action=count").await, 401, "UNAUTHORIZED");
        assert_eq!(test.plugin(&two).get("/api?action=count").await.status, 200);
        let owner = test.person(&test.session(&tenant.owner).await);
        let listed = owner.get(&format!("/orgs/{}/keys", tenant.org)).await;
        assert_eq!(listed.json()["keys"], serde_json::json!([]), "people do not manage it");
        test.finish().await;
    }
}
