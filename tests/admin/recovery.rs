//! Getting back what was lost.

use axum::body::Body;
use domain::permission::Permission;
use domain::plan::Tier;
use http::Method;
use serde_json::json;
use testkit::{TestApp, both_databases};

use super::{operator, own_log};
use crate::secrecy::rows;
use crate::support::{call, refusal, refused, servers_of};

both_databases! {
    async fn an_org_whose_owner_lost_their_account_gets_another_one(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let old = test.person(&test.session(&tenant.owner).await);
        let (_, code) = test.invite(&tenant, domain::permission::Role::Staff, &[]).await;
        test.member(&tenant, 31, &[Permission::LinksView]).await;
        let heir = test.account(31).await;
        let (_, me) = operator(&test, 21).await;
        let uri = format!("/admin/orgs/{}/transfer", tenant.org);
        let body = |confirm: &str| json!({ "account_id": heir.id.as_str(), "reason": "Account was stolen", "confirm": confirm });
        assert_eq!(call(&me, Method::POST, &uri, &body("no")).await.json()["parameter"], "confirm");
        assert_eq!(old.get(&servers_of(&tenant)).await.status, 200);
        let slug = rows::texts(&test.db.db, "SELECT slug FROM orgs").await;
        let done = call(&me, Method::POST, &uri, &body(&slug[0])).await;
        assert_eq!(done.status, 204, "{}", done.text());
        assert_eq!(old.get(&servers_of(&tenant)).await.status, 404, "the old owner is out");
        let new = test.person(&test.session(&heir).await);
        let shown = new.get("/account").await.json();
        assert_eq!((&shown["orgs"][0]["role"], &shown["orgs_owned"]), (&json!("owner"), &json!(1)));
        let guest = test.person(&test.session(&test.account(33).await).await).header("sec-fetch-site", "same-origin");
        let joined = guest.send(Method::POST, &format!("/invite/{code}/accept"), Body::empty()).await;
        assert_eq!(joined.status, 404, "their invites have ended");
        let again = call(&me, Method::POST, &uri, &body(&slug[0])).await;
        assert_eq!(refusal(&again), refused(409, "CONFLICT"));
        let log = own_log(&test).await;
        assert_eq!(log.len(), 1);
        assert!(log[0].starts_with(&format!("org.recovered {} ", tenant.org)) && log[0].contains("Account was stolen"), "{log:?}");
        let theirs = "SELECT detail FROM audit WHERE action = 'org.owner_changed'";
        assert!(rows::texts(&test.db.db, theirs).await[0].contains("Account was stolen"));
        test.finish().await;
    }

    async fn an_org_is_given_to_nobody_who_cannot_enter_it_nor_to_who_gives_it(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let (own, me) = operator(&test, 21).await;
        let (absent, blocked) = (test.account(31).await, test.account(32).await);
        test.session(&blocked).await;
        let block = json!({ "kind": "discord", "value": blocked.discord_id.as_str(), "reason": "ban evasion" });
        assert_eq!(call(&me, Method::POST, "/admin/blocks", &block).await.status, 201);
        let uri = format!("/admin/orgs/{}/transfer", tenant.org);
        let give = async |id: &str| {
            let body = json!({ "account_id": id, "reason": "Account was stolen", "confirm": "org-1" });
            call(&me, Method::POST, &uri, &body).await
        };
        assert_eq!(refusal(&give(own.id.as_str()).await), refused(409, "CONFLICT"), "that takes a second operator");
        for id in [absent.id.as_str(), blocked.id.as_str(), "usr_01ARZ3NDEKTSV4RRFFQ69G5FAV"] {
            let reply = give(id).await;
            assert_eq!((reply.status.as_u16(), reply.json()["parameter"].as_str()), (400, Some("account_id")), "{id}");
        }
        let owner = test.person(&test.session(&tenant.owner).await);
        assert_eq!(owner.get(&servers_of(&tenant)).await.status, 200);
        assert!(!own_log(&test).await.iter().any(|line| line.starts_with("org.recovered")));
        // Whoever comes for the first time can have it.
        test.session(&absent).await;
        assert_eq!(give(absent.id.as_str()).await.status, 204);
        test.finish().await;
    }

    async fn a_discord_server_that_the_wrong_org_claimed_is_free_again(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let (_, me) = operator(&test, 21).await;
        let uri = format!("/admin/guilds/{}/release", tenant.guild);
        let body = |confirm: &str| json!({ "reason": "Claimed by mistake", "confirm": confirm });
        assert_eq!(call(&me, Method::POST, &uri, &body("1")).await.json()["parameter"], "confirm");
        assert_eq!(test.plugin(&tenant.key).get("/api?action=count").await.status, 200);
        let done = call(&me, Method::POST, &uri, &body(tenant.discord_guild.as_str())).await;
        assert_eq!(done.status, 204, "{}", done.text());
        assert_eq!(test.plugin(&tenant.key).get("/api?action=count").await.status, 401, "its Servers and keys are gone");
        assert_eq!(test.db.count(&format!("guilds WHERE discord_guild_id = '{}'", tenant.discord_guild)).await, 0);
        assert_eq!(call(&me, Method::POST, &uri, &body(tenant.discord_guild.as_str())).await.status, 404);
        let log = own_log(&test).await;
        assert!(log[0].starts_with(&format!("guild.released {} ", tenant.guild)) && log[0].contains("Claimed by mistake"), "{log:?}");
        let theirs = "SELECT detail FROM audit WHERE action = 'guild.removed'";
        assert!(rows::texts(&test.db.db, theirs).await[0].contains("Claimed by mistake"));
        test.finish().await;
    }
}
