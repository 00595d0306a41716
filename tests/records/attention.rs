//! What needs a person's attention: told once, for an Org and for operators.

use app::error::{IdentityError, RequestError};
use app::identity::accounts;
use app::memories::error_log::Failure;
use app::{AppError, background, instance};
use domain::audit::Actor;
use domain::flow::Provider;
use domain::plan::Tier;
use serde_json::{Value, json};
use testkit::{Client, TestApp, both_databases};

async fn kinds(who: &Client) -> Vec<String> {
    let told = who.get("/admin/attention").await.json();
    let list = told["attention"].as_array().expect("a list");
    list.iter()
        .map(|one| one["kind"].as_str().expect("a kind").to_owned())
        .collect()
}

both_databases! {
    async fn operators_are_told_what_needs_them_the_worst_first(engine) {
        let test = TestApp::start(engine).await;
        let account = test.account(9).await;
        accounts::grant_operator(&test.app, account.clone()).await.unwrap();
        let operator = test.person(&test.session(&account).await);
        assert_eq!(kinds(&operator).await, ["granted_operators"]);

        let wrong: AppError = IdentityError::ProviderMisconfigured { provider: Provider::Discord, setting: "discord.client_secret" }.into();
        let broken = AppError::internal("a row is gone");
        for (error, route) in [(&wrong, "/auth/discord/login/callback"), (&wrong, "/auth/discord/link/callback"), (&broken, "/orgs"), (&broken, "/orgs")] {
            let now_ms = test.app.now_ms();
            test.app.memories.errors.note(&Failure { error, route, org_num: 0, request_id: "r", now_ms });
        }
        background::flush_errors(&test.app).await.unwrap();
        instance::set_maintenance(&test.app, true, None, Actor::Operator).await.unwrap();
        assert_eq!(kinds(&operator).await, ["provider_misconfigured", "failures", "maintenance", "granted_operators"]);
        let told = operator.get("/admin/attention").await.json();
        let (provider, failures) = (&told["attention"][0], &told["attention"][1]);
        assert_eq!(provider["severity"], "bad");
        assert!(provider["text"].as_str().unwrap().ends_with("refused our credentials: discord.client_secret is wrong."), "{provider}");
        assert_eq!(provider["fix"], json!({ "label": "Look at errors", "page": "/admin/errors?code=PROVIDER_MISCONFIGURED" }));
        assert_eq!((&failures["text"], &failures["fix"]["page"]), (&"2 requests failed in the last hour.".into(), &"/admin/errors?status=5xx".into()));

        // What is over needs nobody any more.
        instance::set_maintenance(&test.app, false, None, Actor::Operator).await.unwrap();
        test.clock.advance_ms(62 * 60_000);
        assert_eq!(kinds(&operator).await, ["granted_operators"]);
        test.finish().await;
    }

    async fn failures_that_did_not_fit_into_the_log_are_told(engine) {
        let test = TestApp::start(engine).await;
        let account = test.account(9).await;
        accounts::grant_operator(&test.app, account.clone()).await.unwrap();
        let operator = test.person(&test.session(&account).await);
        for org_num in 0..1_003 {
            let now_ms = test.app.now_ms();
            test.app.memories.errors.note(&Failure { error: &RequestError::NotFound.into(), route: "/orgs", org_num, request_id: "r", now_ms });
        }
        let told = operator.get("/admin/attention").await.json();
        let text = "3 failures are missing in the error log: too many came at once.";
        assert_eq!((&told["attention"][0]["kind"], &told["attention"][0]["text"]), (&"errors_dropped".into(), &text.into()));
        test.finish().await;
    }

    async fn each_line_of_an_org_names_the_thing_and_leads_to_its_page(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Standard).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let attention = async || owner.get(&format!("/orgs/{}/overview", tenant.org)).await.json()["attention"].take();
        assert_eq!(attention().await, json!([{
            "kind": "never_called",
            "severity": "info",
            "text": "Server 1 has never called. Put its key into the plugin.",
            "subject": tenant.server.as_str(),
            "fix": { "label": "Show key", "page": format!("/orgs/{}/servers/{}", tenant.org, tenant.server) },
        }]));
        let old_way = format!("/api?action=count&secret={}", tenant.key);
        assert_eq!(test.client().get(&old_way).await.status, 200);
        background::keep_house(&test.app).await.unwrap();
        let revoke = format!("/orgs/{}/servers/{}/key/revoke", tenant.org, tenant.server);
        assert_eq!(owner.post(&revoke, "").await.status, 204);
        let told = attention().await;
        let lines: Vec<(&Value, &Value)> = told.as_array().unwrap().iter().map(|one| (&one["severity"], &one["text"])).collect();
        assert_eq!(lines, [
            (&"bad".into(), &"The key of Server 1 is revoked: its calls are refused.".into()),
            (&"warn".into(), &"Server 1 sends its key in the address, where logs may keep it.".into()),
        ]);
        test.finish().await;
    }
}
