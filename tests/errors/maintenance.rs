//! While the dashboard is closed.

use app::identity::accounts;
use app::instance;
use domain::audit::Actor;
use domain::plan::Tier;
use testkit::{TestApp, both_databases};

both_databases! {
    async fn the_dashboard_is_closed_for_everybody_but_operators_and_nothing_else_is(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let operator = test.account(9).await;
        accounts::grant_operator(&test.app, operator.clone()).await.unwrap();
        let operator = test.person(&test.session(&operator).await);
        let (_, code) = test.invite(&tenant, domain::permission::Role::Staff, &[]).await;
        instance::set_maintenance(&test.app, true, Some("Back at <noon>."), Actor::Operator).await.unwrap();
        for path in ["/account".to_owned(), format!("/api/orgs/{}/servers", tenant.org)] {
            let reply = owner.get(&path).await;
            assert_eq!((reply.status.as_u16(), reply.code().as_str()), (503, "MAINTENANCE"), "{path}");
            assert_eq!((&reply.json()["message"], reply.header("retry-after")), (&"Back at <noon>.".into(), Some("120")));
        }
        let card = owner.get("/app/orgs").await;
        assert_eq!((card.status.as_u16(), card.header("retry-after")), (503, Some("120")));
        for words in ["<h1>Down for maintenance</h1>", "Back at &#60;noon&#62;.", ">Check now</a>"] {
            assert!(card.text().contains(words), "{words}: {}", card.text());
        }
        assert_eq!(operator.get("/account").await.status, 200);
        // An operator whose session ended has to be able to come back in.
        for (path, back) in [("/app/admin", "%2Fapp%2Fadmin"), ("/app/admin/", "%2Fapp%2Fadmin%2F"), ("/app/admin/errors", "%2Fapp%2Fadmin%2Ferrors")] {
            let away = test.client().get(path).await;
            assert_eq!(away.header("location"), Some(&*format!("/auth/discord/login?return_to={back}")), "{path}");
            assert_eq!(operator.get(path).await.status, 200, "{path}");
        }
        for path in ["/app", "/app/", "/app/orgs", "/app/administrators", "/app/assets", "/app/assets/"] {
            for caller in [&test.client(), &owner] {
                assert_eq!(caller.get(path).await.status, 503, "{path}");
            }
        }
        for path in ["/", "/healthz", "/readyz", "/link/guild-1", "/unlink/guild-1", &format!("/invite/{code}"), "/docs/api"] {
            assert_eq!(test.client().get(path).await.status, 200, "{path}");
        }
        assert_eq!(test.plugin(&tenant.key).get("/api?action=count").await.status, 200);
        instance::set_maintenance(&test.app, false, None, Actor::Operator).await.unwrap();
        assert_eq!(owner.get("/account").await.status, 200);
        let entries = crate::secrecy::rows::texts(&test.db.db, "SELECT detail FROM audit WHERE action = 'maintenance.switched' ORDER BY seq").await;
        assert_eq!(entries, [r#"{"on":true}"#, r#"{"on":false}"#]);
        test.finish().await;
    }
}
