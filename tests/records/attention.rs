//! What needs a person's attention: told once, for an Org and for operators.

use std::collections::BTreeSet;

use app::error::{IdentityError, RequestError, ServiceError};
use app::identity::accounts;
use app::memories::error_log::Failure;
use app::{AppError, background, instance};
use domain::action::ActionSet;
use domain::audit::Actor;
use domain::flow::Provider;
use domain::permission::Permission;
use domain::plan::Tier;
use http::Method;
use serde_json::{Value, json};
use testkit::{Client, TestApp, both_databases};

use crate::support::call;

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
        assert_eq!(provider["fix"], json!({ "label": "View errors", "page": "/admin/errors?code=PROVIDER_MISCONFIGURED" }));
        assert_eq!((&failures["text"], &failures["fix"]["page"]), (&"2 requests failed in the last hour.".into(), &"/admin/errors?status=faults".into()));

        // What is over needs nobody any more.
        instance::set_maintenance(&test.app, false, None, Actor::Operator).await.unwrap();
        test.clock.advance_ms(62 * 60_000);
        assert_eq!(kinds(&operator).await, ["granted_operators"]);
        test.finish().await;
    }

    async fn what_maintenance_refuses_is_no_failure_and_hides_none(engine) {
        let test = TestApp::start(engine).await;
        let (account, tenant) = (test.account(9).await, test.tenant(1, Tier::Free).await);
        accounts::grant_operator(&test.app, account.clone()).await.unwrap();
        let operator = test.person(&test.session(&account).await);
        let owner = test.person(&test.session(&tenant.owner).await);
        let note = |error: &AppError, route, org_num| {
            let now_ms = test.app.now_ms();
            test.app.memories.errors.note(&Failure { error, route, org_num, request_id: "r", now_ms });
        };
        for setting in ["discord.client_id", "discord.client_secret"] {
            note(&IdentityError::ProviderMisconfigured { provider: Provider::Discord, setting }.into(), setting, 0);
        }
        test.clock.advance_ms(60_000);
        instance::set_maintenance(&test.app, true, None, Actor::Operator).await.unwrap();
        assert_eq!(owner.get("/account").await.status, 503);
        for org_num in 1..=300 {
            note(&ServiceError::Maintenance { message: "Closed.".to_owned() }.into(), "/account", org_num);
        }
        background::flush_errors(&test.app).await.unwrap();
        assert_eq!(kinds(&operator).await, ["provider_misconfigured", "provider_misconfigured", "maintenance", "granted_operators"]);

        // The page that a notice about failures leads to lists what it counted, and nothing that was refused on purpose.
        note(&AppError::internal("a row is gone"), "/orgs", 0);
        background::flush_errors(&test.app).await.unwrap();
        let told = operator.get("/admin/attention").await.json();
        let failures = told["attention"].as_array().unwrap().iter().find(|one| one["kind"] == "failures").expect("a notice");
        let listed = operator.get(failures["fix"]["page"].as_str().unwrap()).await.json();
        let codes: BTreeSet<&str> = listed["errors"].as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect();
        assert_eq!(codes, BTreeSet::from(["INTERNAL", "PROVIDER_MISCONFIGURED"]));
        test.finish().await;
    }

    async fn answers_that_came_too_late_are_told_and_bodies_that_did_are_not(engine) {
        let test = TestApp::start(engine).await;
        let account = test.account(9).await;
        accounts::grant_operator(&test.app, account.clone()).await.unwrap();
        let operator = test.person(&test.session(&account).await);
        let note = |error: ServiceError, route, request_id| {
            let now_ms = test.app.now_ms();
            test.app.memories.errors.note(&Failure { error: &error.into(), route, org_num: 0, request_id, now_ms });
        };
        note(ServiceError::Timeout, "/orgs", "body");
        background::flush_errors(&test.app).await.unwrap();
        assert_eq!(kinds(&operator).await, ["granted_operators"]);
        note(ServiceError::AnswerTooLate, "/account", "answer");
        background::flush_errors(&test.app).await.unwrap();
        let told = operator.get("/admin/attention").await.json()["attention"][0].take();
        assert_eq!((&told["kind"], &told["text"]), (&"timeouts".into(), &"1 request took too long in the last hour.".into()));
        assert_eq!(told["fix"]["page"], "/admin/errors?code=TIMEOUT");
        // Both of one minute are one group, whichever came first and wherever they meet.
        note(ServiceError::AnswerTooLate, "/orgs", "answer");
        background::flush_errors(&test.app).await.unwrap();
        let told = operator.get("/admin/attention").await.json()["attention"][0].take();
        assert_eq!(told["text"], "3 requests took too long in the last hour.");
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
        let text = "3 failures are missing from the error log, because too many came at once.";
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
            "text": "Server 1 has never called. Add its key to the plugin.",
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
            (&"bad".into(), &"The key of Server 1 is revoked, so its calls are refused.".into()),
            (&"warn".into(), &"Server 1 sends its key in the URL, where logs may keep it.".into()),
        ]);
        test.finish().await;
    }

    async fn nobody_is_told_of_keys_and_settings_that_their_permissions_do_not_show(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Standard).await;
        let (custom, secret) = test.custom_key(&tenant, ActionSet::ALL, true).await;
        assert_eq!(test.client().get(&format!("/api?action=count&secret={secret}")).await.status, 200);
        let owner = test.person(&test.session(&tenant.owner).await);
        let regenerate = format!("/orgs/{}/servers/{}/key/regenerate", tenant.org, tenant.server);
        assert_eq!(owner.post(&regenerate, "").await.status, 200);
        assert_eq!(test.plugin(&tenant.key).get("/api?action=count").await.status, 401);
        let guild = format!("/orgs/{}/guilds/{}", tenant.org, tenant.guild);
        assert_eq!(call(&owner, Method::PATCH, &guild, &json!({ "log_channel_id": null })).await.status, 204);
        test.settle().await;
        background::keep_house(&test.app).await.unwrap();
        let told = async |who: &Client| {
            let reply = who.get(&format!("/orgs/{}/overview", tenant.org)).await.json()["attention"].take();
            let kinds: Vec<String> = reply.as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap().to_owned()).collect();
            (kinds, reply.to_string())
        };
        assert_eq!(told(&owner).await.0, ["retired_key_used", "query_keys", "no_log_channel", "never_called"]);
        for (number, held, kinds) in [
            (5, &[][..], &["never_called"][..]),
            (6, &[Permission::OrgSettings], &["no_log_channel", "never_called"]),
            (7, &[Permission::ServersKeys], &["retired_key_used", "query_keys", "never_called"]),
        ] {
            let held = [&[Permission::ServersView][..], held].concat();
            let member = test.person(&test.member(&tenant, number, &held).await);
            let (seen, text) = told(&member).await;
            assert_eq!(seen, kinds, "{held:?}");
            let names_key = text.contains(custom.as_str()) || text.contains("The custom key");
            assert_eq!(names_key, held.contains(&Permission::ServersKeys), "{text}");
        }
        test.finish().await;
    }
}
