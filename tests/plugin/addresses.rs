//! The spellings of the address that existing installations use.

use domain::plan::Tier;
use testkit::{Tenant, TestApp, both_databases, steam};

use super::support::{JSON, assert_answer, assert_failure, links};

/// Every page and JSON address there is, with ids in place of their names, and some that do not exist.
fn astray(tenant: &Tenant) -> Vec<String> {
    let known = web::router::table().into_iter().map(|route| route.path);
    let mut paths: Vec<String> = known
        .filter(|path| *path != "/api")
        .map(|path| {
            path.replace("{org}", tenant.org.as_str())
                .replace("{slug}", "guild-1")
                .replace("{server}", tenant.server.as_str())
                .replace(['{', '}', '*'], "")
        })
        .collect();
    paths.sort_unstable();
    paths.dedup();
    paths.extend(
        [
            "/nowhere",
            "/link/guild-1/",
            "/api/x",
            "/api/orgs",
            "//",
            "/api.php/x",
        ]
        .map(str::to_owned),
    );
    paths
}

both_databases! {
    async fn every_spelling_of_the_address_is_the_same_api(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        for path in [
            "/api",
            "//api",
            "/api.php",
            "//api.php",
            "/x/api.php",
            "/x/y/api.php",
            "/x//api.php",
            "//x/y/api.php",
            "/a%20b/api.php",
            "/orgs/1/servers/api.php",
            "/api/",
            "/API",
            "//api/",
            "/api.php/",
            "/API.php",
            "/x/Api.PHP/",
            "/xapi.php",
            "/link/guild-1api.php",
            "/link/guild-1api.php/",
        ] {
            let caller = test.plugin(&tenant.key);
            assert_answer(&caller.get(&format!("{path}?action=count")).await, 200, r#"{"Total":1}"#);
            assert_answer(&caller.post(&format!("{path}?action=count"), "").await, 200, r#"{"Total":1}"#);
            let in_address = format!("{path}?action=count&secret={}", tenant.key);
            assert_answer(&test.client().get(&in_address).await, 200, r#"{"Total":1}"#);
            assert_failure(&test.client().get(path).await, 401, "UNAUTHORIZED");
        }
        test.finish().await;
    }

    async fn nothing_is_ever_redirected(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        for path in [
            "/api", "/api/", "//api", "//api/", "/api.php", "/api.php/", "//api.php", "/x/api.php", "/apix", "/API", "//", "/",
        ] {
            let reply = test.plugin(&tenant.key).get(&format!("{path}?action=count")).await;
            assert!(!reply.status.is_redirection(), "{path}");
            assert_eq!(reply.header("location"), None, "{path}");
        }
        test.finish().await;
    }

    async fn neighbouring_addresses_are_not_the_plugin_api(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        for path in [
            "/apix", "/api%2f", "/%61pi", "/api.php/x", "/api.phpx", "/api.ph", "/api;x", "/api/x", "/api/api", "/x/api",
        ] {
            let reply = test
                .plugin(&tenant.key)
                .get(&format!("{path}?action=remove&id={}", steam(1)))
                .await;
            assert_eq!(reply.status, 404, "{path}");
            assert_eq!(reply.header("x-ratelimit-limit"), None, "{path}");
        }
        assert_eq!(links(&test, &tenant).await[0].ended_at_ms, None);
        test.finish().await;
    }

    async fn a_look_up_at_a_wrong_address_is_a_failure_that_says_no_users(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        for path in astray(&tenant) {
            for action in ["findBySteam", "findByDiscord", "discordCheck", "findbysteam", "count&action=findBySteam"] {
                for caller in [test.plugin(&tenant.key), test.client(), owner.clone()] {
                    let uri = format!("{path}?action={action}&id={}&secret={}", steam(1), tenant.key);
                    for reply in [caller.get(&uri).await, caller.post(&uri, "").await] {
                        assert_failure(&reply, 404, "NOT_FOUND");
                        assert_eq!(reply.header("content-type"), Some(JSON), "{uri}");
                        assert_eq!(reply.header("location"), None, "{uri}");
                        assert_eq!(reply.header("referrer-policy"), Some("no-referrer"), "{uri}");
                        assert!(reply.json()["message"].as_str().unwrap().contains("No users"), "{uri}");
                        assert_eq!(reply.header("set-cookie"), None, "{uri}");
                    }
                }
            }
            for query in ["guild=x?action=findBySteam", "guild=x;action=findBySteam&action=count"] {
                let joined = format!("{path}?{query}&id={}", steam(1));
                assert!(test.client().get(&joined).await.text().contains("No users"), "{joined}");
            }
        }
        test.finish().await;
    }

    async fn below_the_api_failures_stay_json(engine) {
        let test = TestApp::start(engine).await;
        for path in ["/api/x", "/api/action"] {
            let reply = test.client().get(path).await;
            assert_failure(&reply, 404, "NOT_FOUND");
            assert_eq!(reply.header("content-type"), Some(JSON));
        }
        test.finish().await;
    }

    async fn what_follows_the_known_parameters_does_not_matter(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        for query in [
            "action=count&",
            "&action=count",
            "action=count&&&",
            "action=count&=",
            "action=count&x",
            "action=count&%ff=%fe",
            "action=count&_=1700000000000",
            "actio%6e=coun%74",
            "action=count?",
        ] {
            let reply = test.plugin(&tenant.key).get(&format!("/api?{query}")).await;
            if query.ends_with('?') {
                assert_failure(&reply, 400, "UNKNOWN_ACTION");
            } else {
                assert_answer(&reply, 200, r#"{"Total":0}"#);
            }
        }
        test.finish().await;
    }
}
