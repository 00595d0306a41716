//! What operators see of the service.

use domain::plan::Tier;
use http::Method;
use serde_json::json;
use testkit::{TestApp, both_databases};

use super::{operator, own_log};
use crate::support::call;

both_databases! {
    async fn the_operators_own_log_is_filtered_paged_and_checked(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let (account, me) = operator(&test, 21).await;
        for on in [true, false, true, false] {
            assert_eq!(call(&me, Method::PUT, "/admin/maintenance", &json!({ "on": on })).await.status, 204);
        }
        let found = me.get("/admin/audit?action=maintenance.switched&limit=3").await.json();
        assert_eq!(found["entries"].as_array().unwrap().len(), 3);
        assert_eq!(found["entries"][0]["actor_name"], json!(account.name));
        let rest = me.get(&format!("/admin/audit?action=maintenance.switched&before={}", found["next_before"])).await.json();
        assert_eq!(rest["entries"].as_array().unwrap().len(), 1);
        assert_eq!(me.get(&format!("/admin/audit?target={}", account.id)).await.json()["entries"][0]["action"], "operator.granted");
        for uri in ["/admin/audit/verify".to_owned(), format!("/admin/audit/verify?org={}", tenant.org)] {
            let checked = me.get(&uri).await.json();
            assert_eq!((&checked["intact"], &checked["finding"]), (&json!(true), &json!(null)), "{uri}");
            assert!(checked["entries"].as_i64().unwrap() > 0, "{uri}");
        }
        test.finish().await;
    }

    async fn a_failure_is_found_by_the_reference_that_somebody_quotes(engine) {
        let test = TestApp::start(engine).await;
        let (_, me) = operator(&test, 21).await;
        let refused = me.get("/admin/jobs?state=nothing").await;
        let reference = refused.json()["request_id"].as_str().unwrap().to_owned();
        app::background::flush_errors(&test.app).await.unwrap();
        let found = me.get(&format!("/admin/errors?request_id={reference}")).await.json();
        assert_eq!(found["errors"][0]["route"], "/admin/jobs");
        assert_eq!(me.get("/admin/errors?request_id=ffffffffffffffffffff").await.json()["errors"], json!([]));
        test.finish().await;
    }

    async fn pending_work_is_counted_retried_and_dropped(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let (_, me) = operator(&test, 21).await;
        app::bots::look::enqueue(&test.app, tenant.scope, tenant.guild.clone()).await.unwrap();
        let listed = me.get("/admin/jobs?state=waiting").await.json();
        let job = listed["jobs"][0].clone();
        assert_eq!((&job["org_id"], &job["running"]), (&json!(tenant.org.as_str()), &json!(false)));
        assert_eq!((&listed["kinds"][0]["kind"], &listed["kinds"][0]["jobs"]), (&job["kind"], &json!(1)));
        assert_eq!(me.get("/admin/jobs?state=failed").await.json()["jobs"], json!([]));
        let retry = me.post(&format!("/admin/jobs/{}/retry", job["number"]), "").await;
        assert_eq!(retry.json(), json!({ "running": false }), "{}", retry.text());
        let drop = me.send(http::Method::DELETE, &format!("/admin/jobs/{}", job["number"]), axum::body::Body::empty()).await;
        assert_eq!(drop.json(), json!({ "running": false }), "{}", drop.text());
        assert_eq!(me.get("/admin/jobs").await.json()["jobs"], json!([]));
        assert_eq!(me.post("/admin/jobs/12345/retry", "").await.status, 404);
        let detail = json!({ "job": job["number"], "kind": job["kind"], "org": tenant.org.as_str() });
        assert_eq!(own_log(&test).await, [format!("job.retried - {detail}"), format!("job.dropped - {detail}")]);
        let theirs = format!("audit WHERE chain = {} AND action IN ('job.retried', 'job.dropped')", tenant.scope.num());
        assert_eq!(test.db.count(&theirs).await, 2, "and their Org sees it too");
        test.finish().await;
    }

    async fn the_operators_own_log_names_what_its_entries_are_about(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let (account, me) = operator(&test, 21).await;
        let visit = format!("/admin/orgs/{}/visit", tenant.org);
        assert_eq!(call(&me, Method::POST, &visit, &json!({ "reason": "Ticket 4711" })).await.status, 201);
        let release = json!({ "reason": "Wrong claim", "confirm": tenant.discord_guild.as_str() });
        let uri = format!("/admin/guilds/{}/release", tenant.guild);
        assert_eq!(call(&me, Method::POST, &uri, &release).await.status, 204);
        let found = me.get("/admin/audit").await.json();
        let named = |id: &str| {
            let names = found["names"].as_array().unwrap();
            names.iter().find(|one| one["id"] == id).map(|one| (one["kind"].clone(), one["name"].clone()))
        };
        assert_eq!(named(tenant.org.as_str()), Some((json!("org"), json!("Org 1"))));
        assert_eq!(named(tenant.guild.as_str()), Some((json!("guild"), json!("Guild 1"))));
        assert_eq!(named(account.id.as_str()), Some((json!("account"), json!(account.name))));
        assert_eq!(named(tenant.server.as_str()), None, "it went with its Guild");
        test.finish().await;
    }

    async fn operators_see_which_bots_run(engine) {
        let test = TestApp::start(engine).await;
        let (_, me) = operator(&test, 21).await;
        let shown = me.get("/admin/runners").await.json();
        assert!(shown["bots"].is_array() && shown["states"].is_array() && shown["nodes"].is_array(), "{shown}");
        test.finish().await;
    }
}
