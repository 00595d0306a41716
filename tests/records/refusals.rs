//! Members who are refused, in the audit log.

use app::background::keep_house;
use domain::plan::Tier;
use http::Method;
use testkit::{TestApp, both_databases};

use crate::secrecy::rows;
use crate::support::{server_of, servers_of};

const DENIED: &str = "SELECT detail FROM audit WHERE action = 'access.denied' ORDER BY seq";

fn entry(route: &str, permission: &str, count: u32) -> String {
    serde_json::json!({ "permission": permission, "route": route, "count": count }).to_string()
}

both_databases! {
    async fn refusals_are_written_once_for_each_person_route_and_minute_with_a_count(engine) {
        let test = TestApp::start_with(engine, |limits| limits.dashboard.burst = 10_000, |_| {}).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let (one, two) = (test.person(&test.member(&tenant, 5, &[]).await), test.person(&test.member(&tenant, 6, &[]).await));
        for turn in 0..109 {
            assert_eq!(one.get(&servers_of(&tenant)).await.status, 403);
            if turn % 10 == 0 {
                // The same route below its other address.
                assert_eq!(one.get(&format!("/api{}", servers_of(&tenant))).await.status, 403);
                assert_eq!(two.get(&servers_of(&tenant)).await.status, 403);
                assert_eq!(one.send(Method::DELETE, &server_of(&tenant), "".into()).await.status, 403);
            }
        }
        keep_house(&test.app).await.unwrap();
        assert!(rows::texts(&test.db.db, DENIED).await.is_empty(), "the minute is not over");
        test.clock.advance_ms(60_000);
        assert_eq!(one.get(&servers_of(&tenant)).await.status, 403);
        for _ in 0..2 {
            keep_house(&test.app).await.unwrap();
            let list = "GET /orgs/{org}/servers";
            let mut found = rows::texts(&test.db.db, DENIED).await;
            found.sort_unstable();
            let mut expected = [
                entry(list, "servers.view", 120),
                entry(list, "servers.view", 11),
                entry("DELETE /orgs/{org}/servers/{server}", "servers.manage", 11),
            ];
            expected.sort_unstable();
            assert_eq!(found, expected);
        }
        // When the service ends, what it has counted is written as it is.
        test.settle().await;
        let last = rows::texts(&test.db.db, DENIED).await.pop();
        assert_eq!(last, Some(entry("GET /orgs/{org}/servers", "servers.view", 1)));
        let actors = rows::texts(&test.db.db, "SELECT DISTINCT actor_id FROM audit WHERE action = 'access.denied'").await;
        assert_eq!(actors.len(), 2);
        test.finish().await;
    }

    async fn a_wall_clock_set_back_keeps_no_refusal_waiting(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let one = test.person(&test.member(&tenant, 5, &[]).await);
        assert_eq!(one.get(&servers_of(&tenant)).await.status, 403);
        test.clock.advance_ms(-10 * 60_000);
        test.clock.advance_ms(60_000);
        keep_house(&test.app).await.unwrap();
        assert_eq!(rows::texts(&test.db.db, DENIED).await, [entry("GET /orgs/{org}/servers", "servers.view", 1)]);
        test.finish().await;
    }
}
