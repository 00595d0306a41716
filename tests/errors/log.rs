//! Failures that are written down for members and operators.

use app::background;
use app::error::RequestError;
use app::memories::error_log::Failure;
use domain::plan::Tier;
use storage::records::error_log::Group;
use storage::testing::newest_errors;
use testkit::{Tenant, TestApp, both_databases};

/// What is written down after a flush, ordered by code and minute.
async fn groups(test: &TestApp) -> Vec<Group> {
    background::flush_errors(&test.app).await.expect("a flush");
    let mut groups = newest_errors(&test.db.db, 2_000).await;
    groups.sort_by_key(|group| (group.code.clone(), group.minute));
    groups
}

fn reveal(tenant: &Tenant) -> String {
    format!("/orgs/{}/servers/{}/key/reveal", tenant.org, tenant.server)
}

both_databases! {
    async fn failures_are_grouped_by_code_route_org_and_minute(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let member = test.person(&test.member(&tenant, 5, &[]).await);
        let mut ids = Vec::new();
        for turn in 0..30 {
            let prefix = if turn % 2 == 0 { "" } else { "/api" };
            let reply = member.post(&[prefix, &reveal(&tenant)].concat(), "").await;
            assert_eq!(reply.status, 403);
            ids.push(reply.header("x-request-id").unwrap().to_owned());
            if turn == 9 {
                assert_eq!(groups(&test).await[0].count, 10);
            }
        }
        let found = groups(&test).await;
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0],
            Group {
                code: "MISSING_PERMISSION".to_owned(),
                route: "/orgs/{org}/servers/{server}/key/reveal".to_owned(),
                org_num: tenant.scope.num(),
                minute: test.app.now_ms() / 60_000,
                status: 403,
                count: 30,
                request_ids: ids[10..].to_vec(),
                detail: String::new(),
            }
        );
        test.clock.advance_ms(60_000);
        member.post(&reveal(&tenant), "").await;
        let found = groups(&test).await;
        assert_eq!(
            (found.len(), found[1].count, found[1].minute),
            (2, 1, found[0].minute + 1)
        );
        test.finish().await;
    }

    async fn every_kind_of_dashboard_failure_is_written_down_with_the_org_it_was_about(engine) {
        let test = TestApp::start(engine).await;
        let (ours, theirs) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await);
        let owner = test.person(&test.session(&ours.owner).await);
        let servers = format!("/orgs/{}/servers", ours.org);
        owner.post(&servers, "{").await;
        owner.clone().header("origin", "null").post(&servers, "{}").await;
        owner.get(&format!("{servers}/{}", theirs.server)).await;
        owner.get(&format!("/orgs/{}/servers", theirs.org)).await;
        test.client().get(&servers).await;
        test.client().get("/orgs/nothing/here").await;
        let found = groups(&test).await;
        let seen: Vec<(&str, &str, i64)> = found
            .iter()
            .map(|group| (group.code.as_str(), group.route.as_str(), group.org_num))
            .collect();
        let org = ours.scope.num();
        for expected in [
            ("INVALID_JSON", "/orgs/{org}/servers", org),
            ("CROSS_SITE", "/orgs/{org}/servers", org),
            ("NOT_FOUND", "/orgs/{org}/servers/{server}", org),
            // A stranger's failure is nobody's business in the Org they tried.
            ("NOT_FOUND", "/orgs/{org}/servers", 0),
            ("SIGN_IN_REQUIRED", "/orgs/{org}/servers", 0),
            ("NOT_FOUND", "(none)", 0),
        ] {
            assert!(seen.contains(&expected), "{expected:?} in {seen:?}");
        }
        assert_eq!(seen.len(), 6);
        test.finish().await;
    }

    async fn a_failure_of_ours_is_written_down_with_its_cause(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        test.db.damage("UPDATE api_keys SET sealed = 'v1.k1.AAAA'").await;
        assert_eq!(owner.post(&reveal(&tenant), "").await.code(), "INTERNAL");
        let found = groups(&test).await;
        assert_eq!((found.len(), found[0].org_num), (1, tenant.scope.num()));
        assert!(found[0].detail.contains("sealed"), "{}", found[0].detail);
        test.finish().await;
    }

    async fn plugin_refusals_are_not_written_down_and_plugin_failures_are(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let plugin = test.plugin(&tenant.key);
        for uri in [
            "/api",
            "/api?action=nothing",
            "/api?action=listAllLinked",
            "/api?action=findBySteam&id=x",
        ] {
            assert!(plugin.get(uri).await.status.is_client_error());
            assert!(test.client().get(uri).await.status.is_client_error());
        }
        assert_eq!(groups(&test).await, []);
        test.db
            .damage("UPDATE api_keys SET actions = actions + 4611686018427387904")
            .await;
        let failed = plugin.get("/api?action=findBySteam&id=76561197960265729").await;
        assert_eq!(failed.status, 500);
        assert!(failed.json()["message"].as_str().unwrap().contains("No users"));
        test.db
            .damage("UPDATE api_keys SET actions = actions - 4611686018427387904")
            .await;
        let found = groups(&test).await;
        assert_eq!(
            (found.len(), found[0].code.as_str(), found[0].route.as_str()),
            (1, "INTERNAL", "/api")
        );
        assert_eq!(found[0].request_ids, [failed.header("x-request-id").unwrap()]);
        test.finish().await;
    }

    async fn a_full_buffer_counts_what_it_drops_and_has_room_again_after_a_flush(engine) {
        let test = TestApp::start(engine).await;
        let note = |org_num| {
            test.app.memories.errors.note(&Failure {
                error: &RequestError::NotFound.into(),
                route: "/orgs/{org}/servers",
                org_num,
                request_id: "r",
                now_ms: test.app.now_ms(),
            });
        };
        (0..1_005).for_each(note);
        assert_eq!(test.app.memories.errors.dropped(), 5);
        note(3);
        assert_eq!(test.app.memories.errors.dropped(), 5, "a known group still counts");
        assert_eq!(groups(&test).await.len(), 1_000);
        note(2_000);
        assert_eq!(test.app.memories.errors.dropped(), 5);
        assert_eq!(groups(&test).await.len(), 1_001);
        test.finish().await;
    }

    async fn failures_older_than_thirty_days_are_removed(engine) {
        let test = TestApp::start(engine).await;
        test.client().get("/orgs/nothing").await;
        assert_eq!(groups(&test).await.len(), 1);
        test.clock.advance_ms(29 * 24 * 60 * 60_000);
        test.client().get("/orgs/nothing").await;
        background::keep_house(&test.app).await.unwrap();
        assert_eq!(groups(&test).await.len(), 2);
        test.clock.advance_ms(25 * 60 * 60_000);
        background::keep_house(&test.app).await.unwrap();
        assert_eq!(groups(&test).await.len(), 1);
        test.finish().await;
    }
}
