//! Members, what they may do, and who may change that.

use domain::permission::{Permission, Role};
use domain::plan::Tier;
use http::Method;
use serde_json::json;
use testkit::{TestApp, both_databases};
use tokio::task::JoinSet;

use crate::support::{call, refusal, refused};

/// Rank and permissions decide, whatever the other one is called.
const STAFF: u64 = 21;
const ADMIN: u64 = 22;
const OTHER_ADMIN: u64 = 23;

async fn team(test: &TestApp) -> (testkit::Tenant, String) {
    let tenant = test.tenant(1, Tier::Pro).await;
    for (number, role) in [
        (STAFF, Role::Staff),
        (ADMIN, Role::Admin),
        (OTHER_ADMIN, Role::Admin),
    ] {
        let account = test.account(number).await;
        app::tenancy::orgs::add_member(&test.app, tenant.scope, &account, role)
            .await
            .unwrap();
    }
    let base = format!("/orgs/{}/team", tenant.org);
    (tenant, base)
}

async fn as_person(test: &TestApp, number: u64) -> testkit::Client {
    test.person(&test.session(&test.account(number).await).await)
}

both_databases! {
    async fn nobody_touches_their_equals_or_gives_what_they_lack(engine) {
        let test = TestApp::start(engine).await;
        let (tenant, base) = team(&test).await;
        let (admin, owner) = (as_person(&test, ADMIN).await, test.person(&test.session(&tenant.owner).await));
        let of = |id: &str| format!("{base}/{id}");
        let staff = of(test.account(STAFF).await.id.as_str());
        let equal = of(test.account(OTHER_ADMIN).await.id.as_str());
        let above = of(tenant.owner.id.as_str());
        let everything: Vec<&str> = Permission::ALL.iter().map(|one| one.as_str()).collect();
        for (target, body, expected) in [
            (&staff, json!({ "permissions": ["links.view", "links.unlink"] }), None),
            (&staff, json!({ "permissions": everything }), Some("CANNOT_GRANT")),
            (&staff, json!({ "role": "owner" }), Some("INVALID_PARAMETER")),
            (&staff, json!({ "permissions": ["org.everything"] }), Some("INVALID_PARAMETER")),
            (&equal, json!({ "permissions": [] }), Some("RANK_TOO_LOW")),
            (&above, json!({ "permissions": [] }), Some("RANK_TOO_LOW")),
        ] {
            let reply = call(&admin, Method::PATCH, target, &body).await;
            match expected {
                None => assert_eq!(reply.status, 204, "{body}"),
                Some(code) => assert_eq!(reply.code(), code, "{body}"),
            }
        }
        let lacking = call(&admin, Method::PATCH, &staff, &json!({ "permissions": everything })).await;
        assert_eq!(lacking.json()["permission"], "org.billing");
        assert_eq!(refusal(&call(&admin, Method::DELETE, &equal, &json!({})).await), refused(403, "RANK_TOO_LOW"));
        assert_eq!(refusal(&call(&admin, Method::DELETE, &above, &json!({})).await), refused(403, "RANK_TOO_LOW"));
        // The owner may do all of that but remove themselves.
        assert_eq!(call(&owner, Method::PATCH, &staff, &json!({ "permissions": everything })).await.status, 204);
        // What a member already holds and the admin lacks may stay.
        let kept: Vec<&str> = everything.iter().copied().filter(|one| *one != "links.view").collect();
        assert_eq!(call(&admin, Method::PATCH, &staff, &json!({ "permissions": kept })).await.status, 204);
        assert_eq!(call(&owner, Method::DELETE, &equal, &json!({})).await.status, 204);
        assert_eq!(refusal(&call(&owner, Method::DELETE, &above, &json!({})).await), refused(403, "RANK_TOO_LOW"));
        test.finish().await;
    }

    async fn a_change_of_role_fills_in_its_defaults_and_counts_on_the_next_request(engine) {
        let test = TestApp::start(engine).await;
        let (tenant, base) = team(&test).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let staff = as_person(&test, STAFF).await;
        let member = format!("{base}/{}", test.account(STAFF).await.id);
        assert_eq!(staff.get(&base).await.status, 403);
        assert_eq!(call(&owner, Method::PATCH, &member, &json!({ "role": "admin" })).await.status, 204);
        let seen = staff.get(&base).await.json();
        let me = seen["members"].as_array().unwrap().iter().find(|one| one["you"] == true).unwrap();
        assert_eq!((me["role"].as_str(), me["permissions"].as_array().unwrap().len()), (Some("admin"), 18));
        assert_eq!(seen["members"][0]["role"], "owner");
        assert_eq!((seen["members"][0]["permissions"].as_array().unwrap().len(), &seen["members"][0]["can_edit"]), (19, &false.into()));
        assert_eq!(seen["areas"].as_array().unwrap().len(), 5);
        assert_eq!(call(&owner, Method::PATCH, &member, &json!({ "permissions": ["servers.view"] })).await.status, 204);
        assert_eq!(staff.get(&base).await.status, 403);
        assert_eq!(call(&owner, Method::DELETE, &member, &json!({})).await.status, 204);
        assert_eq!(staff.get(&base).await.status, 404);
        test.finish().await;
    }

    async fn members_leave_and_the_owner_does_not(engine) {
        let test = TestApp::start(engine).await;
        let (tenant, base) = team(&test).await;
        let (owner, admin) = (test.person(&test.session(&tenant.owner).await), as_person(&test, ADMIN).await);
        let invite = json!({ "role": "staff", "permissions": [], "expires": "never" });
        let made = call(&admin, Method::POST, &format!("/orgs/{}/invites", tenant.org), &invite).await;
        assert_eq!(made.status, 201);
        let leave = format!("/account/memberships/{}", tenant.org);
        assert_eq!(refusal(&call(&owner, Method::DELETE, &leave, &json!({})).await), refused(409, "OWNER_STAYS"));
        assert_eq!(call(&admin, Method::DELETE, &leave, &json!({})).await.status, 204);
        assert_eq!(admin.get(&base).await.status, 404);
        let code = made.json()["url"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        let page = test.client().get(&format!("/invite/{code}")).await;
        assert!(page.text().contains("no longer works"), "what they handed out ends with them");
        test.finish().await;
    }

    async fn two_transfers_at_once_leave_exactly_one_owner(engine) {
        let test = TestApp::start(engine).await;
        for round in 1..=testkit::rounds(20, 500) as u64 {
            let tenant = test.tenant(round, Tier::Pro).await;
            let owner = test.person(&test.session(&tenant.owner).await);
            let mut calls = JoinSet::new();
            for racer in 0..2 {
                let account = test.account(1_000 + 2 * round + racer).await;
                app::tenancy::orgs::add_member(&test.app, tenant.scope, &account, Role::Staff).await.unwrap();
                let (owner, uri) = (owner.clone(), format!("/orgs/{}/transfer", tenant.org));
                let body = json!({ "account_id": account.id.as_str(), "confirm": format!("org-{round}") });
                calls.spawn(async move { call(&owner, Method::POST, &uri, &body).await.status.as_u16() });
            }
            let mut statuses = calls.join_all().await;
            statuses.sort_unstable();
            assert_eq!(statuses, [204, 403]);
            let num = tenant.owner.num.0;
            assert_eq!(test.db.count(&format!("orgs WHERE owner_account_num = {num}")).await, 0);
            assert_eq!(test.db.count(&format!("accounts WHERE num = {num} AND orgs_owned = 0")).await, 1);
            assert_eq!(test.db.count("accounts WHERE orgs_owned = 1").await, i64::try_from(round).unwrap());
            let me = owner.get("/account").await.json();
            assert_eq!(me["orgs"][0]["role"], "admin", "the owner of before stays as an admin");
        }
        assert_eq!(storage::doctor::examine(&test.db.db).await.unwrap(), Vec::<String>::new());
        test.finish().await;
    }

    async fn an_org_is_handed_over_to_a_member_with_room_after_a_fresh_sign_in(engine) {
        let test = TestApp::start(engine).await;
        let (tenant, _) = team(&test).await;
        app::billing::grants::set_tier(&test.app, tenant.scope, Tier::Free, domain::audit::Actor::System).await.unwrap();
        let transfer = format!("/orgs/{}/transfer", tenant.org);
        let to = |account: &str, confirm: &str| json!({ "account_id": account, "confirm": confirm });
        let admin_id = test.account(ADMIN).await.id;
        let owner = test.person(&test.session(&tenant.owner).await);
        let admin = as_person(&test, ADMIN).await;
        assert_eq!(refusal(&call(&admin, Method::POST, &transfer, &to(admin_id.as_str(), "org-1")).await), refused(403, "OWNER_ONLY"));
        assert_eq!(call(&owner, Method::POST, &transfer, &to(admin_id.as_str(), "org")).await.status, 400);
        let stranger = test.account(99).await.id;
        assert_eq!(call(&owner, Method::POST, &transfer, &to(stranger.as_str(), "org-1")).await.status, 404);
        // The receiver owns a Free Org already, and Free has room for one.
        assert_eq!(call(&admin, Method::POST, "/orgs", &json!({ "name": "Own", "slug": "own" })).await.status, 201);
        let full = call(&owner, Method::POST, &transfer, &to(admin_id.as_str(), "org-1")).await;
        assert_eq!(refusal(&full), refused(409, "LIMIT_REACHED"));
        let staff = test.account(STAFF).await.id;
        test.clock.advance_ms(16 * 60_000);
        assert_eq!(refusal(&call(&owner, Method::POST, &transfer, &to(staff.as_str(), "org-1")).await), refused(403, "SIGN_IN_AGAIN"));
        let owner = test.person(&test.session(&tenant.owner).await);
        assert_eq!(call(&owner, Method::POST, &transfer, &to(staff.as_str(), "org-1")).await.status, 204);
        let audit = as_person(&test, STAFF).await.get(&format!("/orgs/{}/audit?action=org.owner_changed", tenant.org)).await.json();
        assert_eq!(audit["entries"][0]["target"], staff.as_str());
        test.finish().await;
    }
}
