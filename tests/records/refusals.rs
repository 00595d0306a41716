//! People who are refused, in the audit log.

use app::background::keep_house;
use app::tenancy::orgs;
use domain::permission::{Permission, Role};
use domain::plan::Tier;
use http::Method;
use serde_json::json;
use testkit::{TestApp, both_databases};

use crate::secrecy::rows;
use crate::support::{call, server_of, servers_of};

const DENIED: &str = "SELECT detail FROM audit WHERE action = 'access.denied' ORDER BY seq";

fn entry(route: &str, permission: &str, count: u32) -> String {
    json!({ "permission": permission, "route": route, "count": count }).to_string()
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

    async fn who_lacks_a_rank_ownership_or_the_rights_of_an_operator_is_noted_too(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let held = [Permission::OrgTeam, Permission::OrgSettings];
        let (one, two) = (test.person(&test.member(&tenant, 5, &held).await), test.account(6).await);
        test.member(&tenant, 6, &[]).await;
        let equal = format!("/orgs/{}/team/{}", tenant.org, two.id);
        assert_eq!(call(&one, Method::DELETE, &equal, &json!({})).await.code(), "RANK_TOO_LOW");
        let body = json!({ "confirm": "org-1" });
        assert_eq!(call(&one, Method::DELETE, &format!("/orgs/{}", tenant.org), &body).await.code(), "OWNER_ONLY");
        let admin = test.account(7).await;
        orgs::add_member(&test.app, tenant.scope, &admin, Role::Admin).await.unwrap();
        let body = json!({ "permissions": ["org.billing"] });
        assert_eq!(call(&test.person(&test.session(&admin).await), Method::PATCH, &equal, &body).await.code(), "CANNOT_GRANT");
        for _ in 0..3 {
            assert_eq!(one.get("/admin/errors").await.status, 404);
        }
        // Nobody is refused who is not there, or not known.
        assert_eq!(one.get("/admin/nothing").await.status, 404);
        assert_eq!(test.client().get("/admin/errors").await.status, 401);
        test.settle().await;
        let of_chain = async |chain: i64| {
            let denied = format!("SELECT detail FROM audit WHERE action = 'access.denied' AND chain = {chain}").leak();
            let mut found = rows::texts(&test.db.db, denied).await;
            found.sort_unstable();
            found
        };
        let noted = |what: &str, value: &str, route: &str, count: u32| json!({ what: value, "route": route, "count": count }).to_string();
        assert_eq!(of_chain(tenant.scope.num()).await, [
            noted("permission", "org.billing", "PATCH /orgs/{org}/team/{account}", 1),
            noted("role", "higher", "DELETE /orgs/{org}/team/{account}", 1),
            noted("role", "owner", "DELETE /orgs/{org}", 1),
        ]);
        assert_eq!(of_chain(0).await, [noted("role", "operator", "GET /admin/errors", 3)]);
        test.finish().await;
    }
}
