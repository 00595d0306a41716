//! Custom keys: who may have them, and that a change counts on the next request.

use domain::action::ActionSet;
use domain::plan::Tier;
use http::Method;
use serde_json::json;
use testkit::{TestApp, both_databases, steam};

use crate::plugin::actions::{assert_answer, assert_refused};

both_databases! {
    async fn a_custom_key_is_made_edited_shown_and_revoked(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Standard).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let path = format!("/api/orgs/{}/keys", tenant.org);
        let body = json!({ "name": "Stats", "guild_id": tenant.guild, "groups": ["lookup"], "actions": ["remove"] });
        let made = owner.post(&path, &body.to_string()).await;
        assert_eq!(made.status, 201, "{}", made.text());
        let (id, key) = (made.json()["id"].as_str().unwrap().to_owned(), made.json()["key"].as_str().unwrap().to_owned());
        let caller = test.plugin(&key);
        assert_eq!(caller.get("/api?action=count").await.status, 200);
        assert_refused(&caller.get("/api?action=updateSteam").await, 403, "PERMISSION_DENIED");
        let listed = owner.get(&path).await;
        assert!(!listed.text().contains(&key));
        assert_eq!(listed.json()["keys"][0]["actions"].as_array().unwrap().len(), ActionSet::of_group(domain::action::ActionGroup::Lookup).len() + 1);
        let edited = owner.send(Method::PUT, &format!("{path}/{id}"), json!({ "name": "Less", "groups": [], "actions": ["findBySteam"] }).to_string().into()).await;
        assert_eq!(edited.status, 204, "{}", edited.text());
        assert_refused(&caller.get("/api?action=count").await, 403, "PERMISSION_DENIED");
        assert_eq!(caller.get(&format!("/api?action=findBySteam&id={}", steam(1))).await.status, 404);
        assert_eq!(owner.post(&format!("{path}/{id}/reveal"), "").await.json()["key"], key.as_str());
        assert_eq!(owner.post(&format!("{path}/{id}/revoke"), "").await.status, 204);
        assert_refused(&caller.get("/api?action=count").await, 403, "KEY_REVOKED");
        test.finish().await;
    }

    async fn free_orgs_get_none_and_keep_what_they_have_after_a_downgrade(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Standard).await;
        let (_, key) = test.custom_key(&tenant, ActionSet::ALL, false).await;
        app::billing::grants::set_tier(&test.app, tenant.scope, Tier::Free, domain::audit::Actor::System).await.unwrap();
        assert_eq!(test.plugin(&key).get("/api?action=count").await.status, 200);
        let owner = test.person(&test.session(&tenant.owner).await);
        let body = json!({ "name": "No", "guild_id": tenant.guild, "groups": [], "actions": ["count"] });
        assert_refused(&owner.post(&format!("/orgs/{}/keys", tenant.org), &body.to_string()).await, 403, "PLAN_REQUIRED");
        test.finish().await;
    }

    async fn bad_choices_and_the_fifty_first_key_are_refused(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let path = format!("/orgs/{}/keys", tenant.org);
        for (groups, actions) in [(json!([]), json!([])), (json!(["all"]), json!([])), (json!([]), json!(["getBotGuildMapping"]))] {
            let body = json!({ "name": "Bad", "guild_id": tenant.guild, "groups": groups, "actions": actions });
            assert_refused(&owner.post(&path, &body.to_string()).await, 400, "INVALID_PARAMETER");
        }
        for _ in 0..50 {
            test.custom_key(&tenant, ActionSet::PLUGIN, false).await;
        }
        let body = json!({ "name": "More", "guild_id": tenant.guild, "groups": [], "actions": ["count"] });
        assert_refused(&owner.post(&path, &body.to_string()).await, 409, "CONFLICT");
        test.finish().await;
    }

    async fn a_guild_key_names_its_server_and_no_other_guilds(engine) {
        let test = TestApp::start(engine).await;
        let (ours, theirs) = (test.tenant(1, Tier::Standard).await, test.tenant(2, Tier::Standard).await);
        ours.link(&test.app, 1).await;
        let (_, key) = test.custom_key(&ours, ActionSet::ALL, false).await;
        let caller = test.plugin(&key);
        let at = |server: &str| format!("/api?action=updateOxideGroups&id={}&groups=vip{server}", steam(1));
        assert_refused(&caller.get(&at("")).await, 400, "INVALID_PARAMETER");
        assert_refused(&caller.get(&at(&format!("&server_id={}", theirs.server))).await, 403, "SCOPE_MISMATCH");
        assert_answer(&caller.get(&at(&format!("&server_id={}", ours.server))).await, 200, "\"Oxide groups updated\"");
        app::tenancy::servers::set_active(&test.app, ours.scope, ours.server.clone(), false, domain::audit::Actor::System).await.unwrap();
        assert_refused(&caller.get(&at(&format!("&server_id={}", ours.server))).await, 403, "SERVER_INACTIVE");
        test.finish().await;
    }
}
