//! The end of a dashboard account.

use domain::permission::Permission;
use domain::plan::Tier;
use http::Method;
use testkit::{TestApp, both_databases, discord};

use super::{erase_everywhere, link, press, visitor};
use crate::linking::stage::Stage;
use crate::players::crowd::call;

both_databases! {
    async fn a_deleted_account_is_gone_with_its_sessions_teams_and_invites(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let session = test.member(&tenant, 77, &[Permission::AuditView]).await;
        let person = test.person(&session);
        let me = person.get("/account").await.json();
        for wrong in ["", "{}", r#"{"confirm":"Delete"}"#] {
            call(&person, Method::DELETE, "/account", wrong, 400).await;
        }
        let left = call(&person, Method::DELETE, "/account", r#"{"confirm":"delete"}"#, 204).await;
        assert!(left.header("set-cookie").unwrap().contains("Max-Age=0"));
        assert_eq!(person.get("/account").await.status, 401);
        let rows = crate::secrecy::rows::Rows::of(&test.db.db).await.all(&test.db.db).await.join("\n");
        assert!(!rows.contains(discord(77).as_str()), "{rows}");
        for from in ["sessions WHERE account_num NOT IN (SELECT num FROM accounts)", "members", "managed_guilds"] {
            assert_eq!(test.db.count(from).await, 0, "{from}");
        }
        assert_eq!(test.db.count("audit WHERE action = 'account.deleted'").await, 1);
        assert_eq!(test.db.count("audit WHERE action = 'member.left'").await, 1);
        // What they did stays, and names nobody.
        let owner = test.session(&tenant.owner).await;
        let log = test.person(&owner).get(&format!("/orgs/{}/audit", tenant.org)).await;
        assert!(log.text().contains(me["id"].as_str().unwrap()), "{}", log.text());
        // Whoever comes back is somebody new.
        let anew = test.account(77).await;
        assert_ne!(anew.id.as_str(), me["id"].as_str().unwrap());
        assert_eq!(format!("{:?}", storage::doctor::examine(&test.db.db).await.unwrap()), "[]");
        test.finish().await;
    }

    async fn an_owner_hands_over_or_removes_first(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = test.session(&tenant.owner).await;
        let person = test.person(&owner);
        let refused = call(&person, Method::DELETE, "/account", r#"{"confirm":"delete"}"#, 409).await;
        assert_eq!(refused.code(), "OWNS_ORGS");
        app::tenancy::orgs::remove(&test.app, tenant.scope, tenant.owner_actor()).await.unwrap();
        call(&person, Method::DELETE, "/account", r#"{"confirm":"delete"}"#, 204).await;
        // What they owned and removed is nobody's.
        assert_eq!(test.db.count("orgs WHERE owner_account_num = (SELECT num FROM accounts WHERE discord_id = 'x:')").await, 1);
        test.drain_jobs().await;
        assert_eq!(format!("{:?}", storage::doctor::examine(&test.db.db).await.unwrap()), "[]");
        // Twice is no trouble.
        let second = test.tenant(2, Tier::Pro).await;
        app::tenancy::orgs::remove(&test.app, second.scope, second.owner_actor()).await.unwrap();
        let owner = test.session(&second.owner).await;
        call(&test.person(&owner), Method::DELETE, "/account", r#"{"confirm":"delete"}"#, 204).await;
        test.finish().await;
    }

    async fn a_sign_in_of_long_ago_deletes_nothing(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let session = test.member(&tenant, 77, &[]).await;
        test.clock.advance_ms(16 * 60_000);
        let refused = test.person(&session).send(Method::DELETE, "/account", r#"{"confirm":"delete"}"#.into()).await;
        assert_eq!(refused.status, 403, "{}", refused.text());
        assert_eq!(refused.code(), "SIGN_IN_AGAIN");
        test.finish().await;
    }

    async fn erasing_everything_deletes_the_dashboard_account_and_one_community_does_not(engine) {
        let stage = Stage::set(engine).await;
        link(&stage, 5).await;
        stage.test.account(5).await;
        let mut browser = visitor(&stage, 5).await;
        let org = stage.tenant.org.clone();
        press(&mut browser, "/me/erase", &format!("&what={org}&sure=yes")).await;
        let mine = format!("accounts WHERE discord_id = '{}'", discord(5));
        assert_eq!(stage.count(&mine).await, 1);
        erase_everywhere(&mut browser).await;
        assert_eq!(stage.count(&mine).await, 0);
        stage.finish().await;
    }
}
