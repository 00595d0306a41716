//! Invitations: what strangers see, and what following one does.

use axum::body::Body;
use domain::permission::{Permission, Role};
use domain::plan::Tier;
use http::Method;
use serde_json::json;
use testkit::{Client, TestApp, both_databases};
use tokio::task::JoinSet;

use crate::support::{call, refusal, refused};

const DAY_MS: i64 = 24 * 60 * 60_000;

/// The form of the invitation page, as a browser sends it.
async fn join(person: &Client, code: &str) -> testkit::Reply {
    let person = person.clone().header("sec-fetch-site", "same-origin");
    person
        .send(Method::POST, &format!("/invite/{code}/accept"), Body::empty())
        .await
}

both_databases! {
    async fn strangers_see_the_workspace_the_role_and_the_permissions_and_sign_in_from_there(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let new = json!({ "role": "admin", "permissions": ["links.view", "servers.keys", "org.billing", "servers.bots", "analytics.view"], "note": "for <b>Mia</b>", "expires": "1d" });
        let made = call(&owner, Method::POST, &format!("/orgs/{}/invites", tenant.org), &new).await.json();
        let code = made["url"].as_str().unwrap().rsplit('/').next().unwrap();
        let page = test.client().get(&format!("/invite/{code}")).await;
        assert_eq!(page.status, 200);
        for shown in ["Org 1", "<bdi class=\"who\">Person ", "Admin", "View links", "View analytics", "Reveal and replace keys", "Manage billing", "Manage custom bots", "until 2 January 2026, 00:00 UTC", &format!("/auth/discord/login?return_to=/invite/{code}")] {
            assert!(page.text().contains(shown), "{shown}: {}", page.text());
        }
        for hidden in ["Mia", "links.view", "org.billing", "servers.bots", "analytics.view", "Guild 1", "Server 1", "org_", "usr_", "inv_"] {
            assert!(!page.text().contains(hidden), "{hidden}");
        }
        assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
        let signed_in = test.person(&test.session(&test.account(5).await).await);
        assert!(signed_in.get(&format!("/invite/{code}")).await.text().contains("Join Org 1"));
        let member = owner.get(&format!("/invite/{code}")).await;
        assert!(member.text().contains("You’re already in this team"), "{}", member.text());
        assert!(member.text().contains(&format!("href=\"/app/orgs/{}\"", tenant.org)) && !member.text().contains("<form"), "{}", member.text());
        assert_eq!(test.client().get(&format!("/invite/{}", "A".repeat(43))).await.status, 404);
        let rows = crate::secrecy::rows::Rows::of(&test.db.db).await.all(&test.db.db).await.join("\n");
        assert!(!rows.contains(code), "codes are stored hashed and sealed");
        test.finish().await;
    }

    async fn accepting_many_times_at_once_makes_one_membership(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let (_, code) = test.invite(&tenant, Role::Staff, &[Permission::LinksView]).await;
        let person = test.person(&test.session(&test.account(5).await).await);
        assert_eq!(join(&test.client(), &code).await.status, 401);
        let other_site = person.clone().header("sec-fetch-site", "cross-site");
        assert_eq!(other_site.post(&format!("/invite/{code}/accept"), "").await.status, 403);
        let rounds = i64::try_from(testkit::rounds(3, 500)).unwrap();
        for round in 1..=rounds {
            let account = test.account(1_000 + round.unsigned_abs()).await;
            let person = test.person(&test.session(&account).await);
            let mut calls = JoinSet::new();
            for _ in 0..50 {
                let (person, code) = (person.clone(), code.clone());
                calls.spawn(async move { join(&person, &code).await });
            }
            for reply in calls.join_all().await {
                assert_eq!((reply.status.as_u16(), reply.header("location")), (303, Some(&*format!("/app/orgs/{}", tenant.org))));
            }
            assert_eq!(test.db.count("members").await, round);
            assert_eq!(test.db.count(&format!("invites WHERE uses = {round}")).await, 1);
            test.clock.advance_ms(60_000);
        }
        // Whoever is more already stays so, the owner too.
        let owner = test.person(&test.session(&tenant.owner).await);
        assert_eq!(join(&owner, &code).await.status, 303);
        assert_eq!(test.db.count("members").await, rounds);
        test.finish().await;
    }

    async fn an_invitation_ends_by_time_revocation_and_a_new_code(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let base = format!("/orgs/{}/invites", tenant.org);
        let make = |expires: &'static str| {
            let (owner, base) = (owner.clone(), base.clone());
            async move {
                let body = json!({ "role": "staff", "permissions": [], "expires": expires });
                call(&owner, Method::POST, &base, &body).await.json()
            }
        };
        let code = |made: &serde_json::Value| made["url"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        let (short, kept, dropped) = (make("1d").await, make("never").await, make("30d").await);
        assert_eq!(refusal(&call(&owner, Method::POST, &base, &json!({ "role": "staff", "permissions": [], "expires": "2d" })).await), refused(400, "INVALID_JSON"));
        let newcomer = |number| { let test = &test; async move { test.person(&test.session(&test.account(number).await).await) } };
        let first = newcomer(31).await;
        assert_eq!(join(&first, &code(&kept)).await.status, 303);
        let again = call(&owner, Method::POST, &format!("{base}/{}/reissue", kept["id"].as_str().unwrap()), &json!({})).await.json();
        assert_ne!(code(&again), code(&kept));
        assert_eq!(join(&newcomer(32).await, &code(&kept)).await.status, 404, "the old code is gone");
        assert_eq!(join(&newcomer(32).await, &code(&again)).await.status, 303);
        assert_eq!(first.get(&format!("/orgs/{}/servers", tenant.org)).await.status, 403, "members stay");
        let revoke = format!("{base}/{}/revoke", dropped["id"].as_str().unwrap());
        for _ in 0..2 {
            assert_eq!(call(&owner, Method::POST, &revoke, &json!({})).await.status, 204);
        }
        assert_eq!(join(&newcomer(33).await, &code(&dropped)).await.status, 404);
        test.clock.advance_ms(DAY_MS);
        assert_eq!(join(&newcomer(33).await, &code(&short)).await.status, 404);
        let list = owner.get(&base).await.json();
        let states: Vec<_> = list["invites"].as_array().unwrap().iter().map(|one| (one["revoked"].as_bool().unwrap(), one["expired"].as_bool().unwrap(), one["url"].is_string(), one["uses"].as_i64().unwrap())).collect();
        assert_eq!(states, [(true, false, false, 0), (false, false, true, 2), (false, true, false, 0)]);
        let dead = call(&owner, Method::POST, &format!("{base}/{}/reissue", dropped["id"].as_str().unwrap()), &json!({})).await;
        assert_eq!(refusal(&dead), refused(409, "CONFLICT"));
        test.finish().await;
    }

    async fn a_dead_invitation_names_nobody_who_cannot_make_another(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let account = test.account(5).await;
        let inviter = test.person(&test.member(&tenant, 5, &[Permission::OrgInvites, Permission::LinksView]).await);
        let base = format!("/orgs/{}/invites", tenant.org);
        let new = json!({ "role": "staff", "permissions": ["links.view"], "expires": "7d" });
        let made = call(&inviter, Method::POST, &base, &new).await.json();
        let page = format!("/invite/{}", made["url"].as_str().unwrap().rsplit('/').next().unwrap());
        let shown = async || test.client().get(&page).await.text().to_owned();
        let named = format!(r#"<bdi class="who">{}</bdi>"#, account.name);
        assert!(shown().await.contains(&format!("{named} invites you")), "{}", shown().await);
        assert_eq!(call(&inviter, Method::POST, &format!("{base}/{}/revoke", made["id"].as_str().unwrap()), &json!({})).await.status, 204);
        assert!(shown().await.contains(&format!("Ask {named} for a new one")), "{}", shown().await);
        test.set_permissions(&tenant, &account, [Permission::LinksView].into_iter().collect()).await;
        assert!(shown().await.contains("Ask the team for a new one") && !shown().await.contains(&account.name), "{}", shown().await);
        app::tenancy::team::remove(&test.app, tenant.scope, tenant.owner_actor(), account.id.clone()).await.unwrap();
        assert!(shown().await.contains("Ask the team for a new one") && !shown().await.contains(&account.name), "{}", shown().await);
        test.finish().await;
    }

    async fn nobody_invites_to_more_than_they_are_when_it_is_accepted(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let held = [Permission::OrgInvites, Permission::LinksView, Permission::ServersKeys];
        let inviter = test.person(&test.member(&tenant, 5, &held).await);
        let base = format!("/orgs/{}/invites", tenant.org);
        let invite = |role: &str, permissions: &[&str]| json!({ "role": role, "permissions": permissions, "expires": "7d" });
        assert_eq!(refusal(&call(&inviter, Method::POST, &base, &invite("admin", &[])).await), refused(403, "RANK_TOO_LOW"));
        assert_eq!(refusal(&call(&inviter, Method::POST, &base, &invite("owner", &[])).await), refused(400, "INVALID_PARAMETER"));
        assert_eq!(refusal(&call(&inviter, Method::POST, &base, &invite("staff", &["audit.view"])).await), refused(403, "CANNOT_GRANT"));
        let made = call(&inviter, Method::POST, &base, &invite("staff", &["links.view", "servers.keys"])).await.json();
        let code = made["url"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        // The inviter loses something before anybody follows.
        test.set_permissions(&tenant, &test.account(5).await, [Permission::OrgInvites, Permission::LinksView].into_iter().collect()).await;
        let guest = test.person(&test.session(&test.account(6).await).await);
        let promised = guest.get(&format!("/invite/{code}")).await;
        assert!(promised.text().contains("View links") && !promised.text().contains("Reveal and replace keys"), "{}", promised.text());
        assert_eq!(join(&guest, &code).await.status, 303);
        let me = guest.get("/account").await.json();
        assert_eq!((&me["orgs"][0]["permissions"], &me["orgs"][0]["role"]), (&json!(["links.view"]), &"staff".into()));
        test.finish().await;
    }

    async fn only_who_could_have_made_an_invitation_sees_its_link_reissues_or_revokes_it(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let held = [Permission::OrgInvites, Permission::LinksView];
        let everything: Vec<Permission> = Permission::ALL.to_vec();
        let (above, above_code) = test.invite(&tenant, Role::Admin, &everything).await;
        let (same_rank, same_rank_code) = test.invite(&tenant, Role::Staff, &[Permission::ServersKeys]).await;
        let (own, own_code) = test.invite(&tenant, Role::Staff, &[Permission::LinksView]).await;
        let staff = test.person(&test.member(&tenant, 5, &held).await);
        let base = format!("/orgs/{}/invites", tenant.org);

        let list = staff.get(&base).await;
        for hidden in [&above_code, &same_rank_code] {
            assert!(!list.text().contains(hidden.as_str()));
        }
        let list = list.json();
        let shown = |row: usize| {
            let row = &list["invites"][row];
            (row["id"].as_str().unwrap(), row["url"].is_string(), row["can_edit"].as_bool().unwrap())
        };
        assert_eq!(shown(0), (own.as_str(), true, true));
        assert_eq!(shown(1), (same_rank.as_str(), false, false));
        assert_eq!(shown(2), (above.as_str(), false, false));

        let rows = crate::secrecy::rows::Rows::of(&test.db.db).await;
        let before = rows.of_tables(&test.db.db, &["invites", "audit"]).await;
        for (invite, code) in [(&above, "RANK_TOO_LOW"), (&same_rank, "CANNOT_GRANT")] {
            for what in ["reissue", "revoke"] {
                let reply = call(&staff, Method::POST, &format!("{base}/{invite}/{what}"), &json!({})).await;
                assert_eq!(refusal(&reply), refused(403, code), "{what}");
            }
        }
        assert_eq!(before, rows.of_tables(&test.db.db, &["invites", "audit"]).await);
        let again = call(&staff, Method::POST, &format!("{base}/{own}/reissue"), &json!({})).await;
        assert_eq!((again.status.as_u16(), again.json()["url"].as_str().unwrap().ends_with(&own_code)), (200, false));
        assert_eq!(call(&staff, Method::POST, &format!("{base}/{own}/revoke"), &json!({})).await.status, 204);
        // Those above still work, and their maker sees them.
        let owner = test.person(&test.session(&tenant.owner).await);
        let list = owner.get(&base).await;
        assert!(list.text().contains(&above_code) && list.text().contains(&same_rank_code));
        test.finish().await;
    }

    async fn whoever_is_demoted_loses_the_links_of_what_they_could_give_before(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let account = test.account(5).await;
        app::tenancy::orgs::add_member(&test.app, tenant.scope, &account, Role::Admin).await.unwrap();
        let admin = test.person(&test.session(&account).await);
        let base = format!("/orgs/{}/invites", tenant.org);
        let new = json!({ "role": "admin", "permissions": ["links.view"], "expires": "7d" });
        let made = call(&admin, Method::POST, &base, &new).await.json();
        assert_eq!((made["url"].is_string(), &made["can_edit"]), (true, &true.into()));
        let staff = app::tenancy::team::MemberChange { role: Some(Role::Staff), permissions: Some(Role::Admin.default_permissions()), revision: None };
        app::tenancy::team::change(&test.app, tenant.scope, tenant.owner_actor(), account.id, staff).await.unwrap();
        let code = made["url"].as_str().unwrap().rsplit('/').next().unwrap();
        let page = test.client().get(&format!("/invite/{code}")).await;
        assert!(page.text().contains(r#"Your role will be <b class="who">Staff"#), "{}", page.text());
        let seen = admin.get(&base).await.json();
        assert_eq!((seen["invites"][0]["url"].is_null(), &seen["invites"][0]["can_edit"]), (true, &false.into()));
        let reissue = format!("{base}/{}/reissue", made["id"].as_str().unwrap());
        assert_eq!(refusal(&call(&admin, Method::POST, &reissue, &json!({})).await), refused(403, "RANK_TOO_LOW"));
        test.finish().await;
    }

    /// The request was let in before; the unit of work asks again.
    async fn a_permission_lost_on_the_way_is_not_used(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let (invite, _) = test.invite(&tenant, Role::Staff, &[]).await;
        let (admin, staff) = (test.account(5).await, test.account(6).await);
        for (account, role) in [(&admin, Role::Admin), (&staff, Role::Staff)] {
            app::tenancy::orgs::add_member(&test.app, tenant.scope, account, role).await.unwrap();
        }
        test.set_permissions(&tenant, &admin, [Permission::LinksView].into_iter().collect()).await;
        let by = || app::tenancy::team::TeamActor { account: admin.num, actor: domain::audit::Actor::Account(admin.id.clone()) };
        let (app, scope) = (&test.app, tenant.scope);
        let request = app::tenancy::invites::InviteRequest {
            role: Role::Staff,
            permissions: domain::permission::PermissionSet::EMPTY,
            note: None,
            expiry: domain::invitation::Expiry::Never,
        };
        let change = app::tenancy::team::MemberChange { permissions: Some(domain::permission::PermissionSet::EMPTY), ..Default::default() };
        let answers = [
            app::tenancy::invites::create(app, scope, by(), request).await.map(drop),
            app::tenancy::invites::reissue(app, scope, by(), invite.clone()).await.map(drop),
            app::tenancy::invites::revoke(app, scope, by(), invite).await,
            app::tenancy::team::change(app, scope, by(), staff.id.clone(), change).await,
            app::tenancy::team::remove(app, scope, by(), staff.id.clone()).await,
        ];
        for answer in answers {
            assert_eq!(answer.unwrap_err().code(), "MISSING_PERMISSION");
        }
        assert_eq!(test.db.count("members").await, 2);
        assert_eq!(test.db.count("invites WHERE revoked_at IS NULL AND version = 1").await, 1);
        test.finish().await;
    }

    async fn invitations_survive_a_rotation_of_the_master_key(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let (_, code) = test.invite(&tenant, Role::Staff, &[]).await;
        let old = test.app.vault.active_kid();
        app::master_keys::rotate(&test.app).await.unwrap();
        app::master_keys::remove(&test.app, &old).await.unwrap();
        let owner = test.person(&test.session(&tenant.owner).await);
        let list = owner.get(&format!("/orgs/{}/invites", tenant.org)).await.json();
        assert!(list["invites"][0]["url"].as_str().unwrap().ends_with(&code));
        test.finish().await;
    }
}
