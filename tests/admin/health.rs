//! What operators see of the service.

use app::downloads::builds::{self, NewBuild};
use domain::audit::Actor;
use domain::plan::Tier;
use domain::plugin_build::PluginVersion;
use serde_json::json;
use testkit::{TestApp, both_databases};

use super::{operator, own_log};

both_databases! {
    async fn the_operators_own_log_is_filtered_paged_and_checked(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let (account, me) = operator(&test, 21).await;
        for on in [true, false, true, false] {
            app::instance::set_maintenance(&test.app, on, None, Actor::Account(account.id.clone())).await.unwrap();
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
        test.finish().await;
    }

    async fn a_withdrawn_build_is_not_offered_until_it_is_offered_again(engine) {
        let test = TestApp::start(engine).await;
        let (_, me) = operator(&test, 21).await;
        let new = NewBuild {
            version: PluginVersion::parse("v1.2.3").unwrap(),
            file_name: "Symbolon.cs".to_owned(),
            bytes: b"class Symbolon".to_vec(),
        };
        let blobs = test.app.platforms.blobs.as_ref().unwrap();
        builds::publish(blobs, new, test.app.now_ms()).await.unwrap();
        let row = async || me.get("/admin/plugin-builds").await.json()["builds"][0].clone();
        assert_eq!((&row().await["withdrawn"], &row().await["latest"]), (&json!(false), &json!(true)));
        assert_eq!(me.post("/admin/plugin-builds/v1.2.3/withdraw", "").await.status, 204);
        assert_eq!((&row().await["withdrawn"], &row().await["latest"]), (&json!(true), &json!(false)));
        assert_eq!(test.client().get("/download/plugin/manifest").await.status, 404);
        assert_eq!(me.post("/admin/plugin-builds/v1.2.3/restore", "").await.status, 204);
        assert_eq!(test.client().get("/download/plugin/manifest").await.status, 200);
        assert_eq!(me.post("/admin/plugin-builds/v9.9.9/withdraw", "").await.status, 404);
        let expected = [r#"plugin.withdrawn - {"version":"v1.2.3"}"#, r#"plugin.restored - {"version":"v1.2.3"}"#];
        assert_eq!(own_log(&test).await, expected);
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
