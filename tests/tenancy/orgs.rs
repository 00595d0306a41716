//! Making, naming and removing an Org.

use app::instance::{self, CodeRequest};
use app::tenancy::orgs as app_orgs;
use domain::audit::Actor;
use domain::permission::Permission;
use domain::plan::Tier;
use http::Method;
use serde_json::json;
use testkit::{TestApp, both_databases};
use tokio::task::JoinSet;

use crate::support::{call, refusal, refused};

both_databases! {
    async fn an_account_makes_as_many_orgs_as_its_best_tier_allows(engine) {
        let test = TestApp::start(engine).await;
        let person = test.person(&test.session(&test.account(1).await).await);
        let new = |slug: &str| json!({ "name": "My community", "slug": slug });
        let made = call(&person, Method::POST, "/orgs", &new("mine")).await;
        assert_eq!(made.status, 201);
        let me = person.get("/account").await.json();
        assert_eq!((&me["orgs_owned"], &me["orgs_ceiling"], &me["orgs"][0]["role"]), (&1.into(), &1.into(), &"owner".into()));
        assert_eq!(me["orgs"][0]["permissions"].as_array().unwrap().len(), Permission::ALL.len());
        let full = call(&person, Method::POST, "/orgs", &new("second")).await;
        assert_eq!(refusal(&full), refused(409, "LIMIT_REACHED"));
        assert_eq!((&full.json()["dimension"], &full.json()["limit"]), (&"orgs".into(), &1.into()));
        let id = domain::id::OrgId::parse(made.json()["id"].as_str().unwrap()).unwrap();
        let org = app_orgs::get(&test.app, &id).await.unwrap();
        app::billing::grants::set_tier(&test.app, org.scope, Tier::Standard, Actor::System).await.unwrap();
        assert_eq!(refusal(&call(&person, Method::POST, "/orgs", &new("mine")).await), refused(409, "CONFLICT"));
        for slug in ["second", "third"] {
            assert_eq!(call(&person, Method::POST, "/orgs", &new(slug)).await.status, 201);
        }
        assert_eq!(refusal(&call(&person, Method::POST, "/orgs", &new("fourth")).await), refused(409, "LIMIT_REACHED"));
        for (bad, parameter) in [(json!({ "name": "", "slug": "okay" }), "name"), (json!({ "name": "a", "slug": "No" }), "slug")] {
            let reply = call(&person, Method::POST, "/orgs", &bad).await;
            assert_eq!((reply.status.as_u16(), &reply.json()["parameter"]), (400, &parameter.into()));
        }
        test.finish().await;
    }

    async fn twenty_at_once_for_the_last_place_make_one_org(engine) {
        let test = TestApp::start(engine).await;
        let person = test.person(&test.session(&test.account(1).await).await);
        let mut calls = JoinSet::new();
        for racer in 0..20 {
            let person = person.clone();
            let new = json!({ "name": "Race", "slug": format!("race-{racer}") });
            calls.spawn(async move { call(&person, Method::POST, "/orgs", &new).await.status.as_u16() });
        }
        let mut statuses = calls.join_all().await;
        statuses.sort_unstable();
        assert_eq!((statuses[0], statuses[1], statuses[19]), (201, 409, 409));
        assert_eq!(test.db.count("orgs").await, 1);
        test.finish().await;
    }

    async fn while_registration_is_by_invitation_each_code_makes_one_org(engine) {
        let test = TestApp::start(engine).await;
        instance::set_invite_only(&test.app, true, Actor::Operator).await.unwrap();
        let person = test.person(&test.session(&test.account(1).await).await);
        assert_eq!(person.get("/account").await.json()["registration"], "invite_only");
        let new = |slug: String, code: Option<&str>| json!({ "name": "Invited", "slug": slug, "invite_code": code });
        for code in [None, Some(""), Some("guess"), Some("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")] {
            let reply = call(&person, Method::POST, "/orgs", &new("mine".to_owned(), code)).await;
            assert_eq!(refusal(&reply), refused(403, "REGISTRATION_CLOSED"), "{code:?}");
        }
        let request = CodeRequest { note: "for a friend", max_uses: 1, days: Some(7) };
        let (_, code) = instance::make_registration_code(&test.app, request, Actor::Operator).await.unwrap();
        let mut calls = JoinSet::new();
        for racer in 0..8 {
            let someone = test.person(&test.session(&test.account(10 + racer).await).await);
            let body = new(format!("raced-{racer}"), Some(code.expose()));
            calls.spawn(async move { call(&someone, Method::POST, "/orgs", &body).await.status.as_u16() });
        }
        let made = calls.join_all().await.into_iter().filter(|status| *status == 201).count();
        assert_eq!(made, 1, "a code is good for one Org");
        let request = CodeRequest { note: "", max_uses: 1, days: Some(1) };
        let (_, late) = instance::make_registration_code(&test.app, request, Actor::Operator).await.unwrap();
        test.clock.advance_ms(25 * 60 * 60_000);
        let reply = call(&person, Method::POST, "/orgs", &new("mine".to_owned(), Some(late.expose()))).await;
        assert_eq!(refusal(&reply), refused(403, "REGISTRATION_CLOSED"));
        instance::set_invite_only(&test.app, false, Actor::Operator).await.unwrap();
        assert_eq!(call(&person, Method::POST, "/orgs", &new("mine".to_owned(), None)).await.status, 201);
        test.finish().await;
    }

    async fn a_removed_org_leaves_its_history_and_nothing_that_works(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        tenant.link(&test.app, 1).await;
        tenant.link(&test.app, 2).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let member = test.person(&test.member(&tenant, 5, Permission::ALL).await);
        let org = format!("/orgs/{}", tenant.org);
        let gone = |confirm: &str| json!({ "confirm": confirm });
        assert_eq!(refusal(&call(&member, Method::DELETE, &org, &gone("org-1")).await), refused(403, "OWNER_ONLY"));
        assert_eq!(refusal(&call(&owner, Method::DELETE, &org, &gone("org-2")).await), refused(400, "INVALID_PARAMETER"));
        test.clock.advance_ms(16 * 60_000);
        assert_eq!(refusal(&call(&owner, Method::DELETE, &org, &gone("org-1")).await), refused(403, "SIGN_IN_AGAIN"));
        let owner = test.person(&test.session(&tenant.owner).await);
        assert_eq!(call(&owner, Method::DELETE, &org, &gone("org-1")).await.status, 204);
        for person in [&owner, &member] {
            assert_eq!(person.get(&format!("{org}/servers")).await.status, 404);
            assert_eq!(person.get("/account").await.json()["orgs"], json!([]));
        }
        assert_eq!(test.plugin(&tenant.key).get("/api?action=count").await.status, 401);
        assert_eq!(test.client().get("/link/guild-1").await.status, 404);
        assert_eq!(storage::doctor::examine(&test.db.db).await.unwrap(), Vec::<String>::new(), "while its links end");
        test.drain_jobs().await;
        assert_eq!(test.db.count("links WHERE ended_at IS NULL").await, 0);
        assert_eq!(test.db.count("links WHERE end_cause = 'admin'").await, 3);
        assert_eq!(test.db.count("jobs").await, 0, "nothing is posted about it, nor about what was before");
        assert_eq!(storage::doctor::examine(&test.db.db).await.unwrap(), Vec::<String>::new());
        // Its names and its Discord server are free again, and so is the owner's place.
        let again = call(&owner, Method::POST, "/orgs", &json!({ "name": "Org 1", "slug": "org-1" })).await;
        assert_eq!(again.status, 201, "{}", again.text());
        test.finish().await;
    }

    async fn a_removed_guild_gives_its_names_back_and_counts_out_everything(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.full_tenant(1, Tier::Standard).await;
        tenant.link(&test.app, 1).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let guild = format!("/orgs/{}/guilds/{}", tenant.org, tenant.guild);
        assert_eq!(call(&owner, Method::DELETE, &guild, &json!({ "confirm": "guild-2" })).await.status, 400);
        assert_eq!(call(&owner, Method::DELETE, &guild, &json!({ "confirm": "guild-1" })).await.status, 204);
        assert_eq!(owner.get(&guild).await.status, 404);
        test.drain_jobs().await;
        let settings = owner.get(&format!("/orgs/{}/settings", tenant.org)).await.json();
        assert_eq!(settings["usage"], json!({ "guilds": 0, "servers": 0, "links": 0, "navigation_links": 0 }));
        assert_eq!(test.db.count("links WHERE end_cause = 'admin'").await, 2);
        assert_eq!((test.db.count("servers").await, test.db.count("api_keys").await), (0, 0));
        let request = app::tenancy::guilds::NewGuildRequest {
            discord_guild_id: tenant.discord_guild.clone(),
            name: domain::name::DisplayName::parse("Again").unwrap(),
            slug: domain::name::Slug::parse("guild-1").unwrap(),
            log_channel_id: None,
        };
        app::tenancy::guilds::create(&test.app, tenant.scope, request, Actor::System).await.unwrap();
        assert_eq!(test.client().get("/link/guild-1").await.status, 200);
        assert_eq!(storage::doctor::examine(&test.db.db).await.unwrap(), Vec::<String>::new());
        test.finish().await;
    }

    async fn a_guild_is_renamed_and_its_old_address_finds_nothing(engine) {
        let test = TestApp::start(engine).await;
        let (ours, _theirs) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await);
        let owner = test.person(&test.session(&ours.owner).await);
        let guild = format!("/orgs/{}/guilds/{}", ours.org, ours.guild);
        let change = |slug: &str| json!({ "slug": slug, "name": "New name" });
        assert_eq!(refusal(&call(&owner, Method::PATCH, &guild, &change("guild-2")).await), refused(409, "CONFLICT"));
        assert_eq!(call(&owner, Method::PATCH, &guild, &change("new-place")).await.status, 204);
        assert_eq!(test.client().get("/link/guild-1").await.status, 404);
        assert!(test.client().get("/link/new-place").await.text().contains("New name"));
        test.finish().await;
    }
}
