//! `/openapi.json`: all routes and nothing but routes, described as they answer.

use std::collections::{BTreeMap, BTreeSet};

use axum::body::Body;
use domain::action::ACTIONS;
use domain::permission::Permission;
use domain::plan::Tier;
use http::Method;
use serde_json::Value;
use testkit::{Reply, TestApp, both_databases};
use web::routes::{Access, RouteSpec};

use super::schema::{Schemas, assert_valid};
use crate::authorization::examples::{Target, example};

/// Method and path of each operation.
fn operations(document: &Value) -> BTreeSet<(String, String)> {
    let paths = document["paths"].as_object().expect("paths");
    let methods = ["get", "post", "put", "patch", "delete"];
    paths
        .iter()
        .flat_map(|(path, item)| {
            let known = item.as_object().expect("an item").keys();
            known
                .filter(|key| methods.contains(&key.as_str()))
                .map(|method| (method.to_uppercase(), path.clone()))
        })
        .collect()
}

fn operation<'a>(schemas: &'a Schemas, route: &RouteSpec) -> &'a Value {
    &schemas.0["paths"][route.path][route.method.as_str().to_lowercase()]
}

/// The answer has a status that is told, and the body that is told for it.
fn assert_as_told(schemas: &Schemas, route: &RouteSpec, reply: &Reply) {
    let place = format!("{} {} {}", route.method, route.path, reply.status);
    let told = &operation(schemas, route)["responses"][reply.status.as_str()];
    assert!(told.is_object(), "{place} is not told: {}", reply.text());
    let Some(content) = told["content"].as_object() else {
        assert!(reply.body.is_empty(), "{place}");
        return;
    };
    let kind = reply
        .header("content-type")
        .unwrap_or_default()
        .split(';')
        .next()
        .unwrap_or_default();
    let schema = content
        .get(kind)
        .unwrap_or_else(|| panic!("{place}: {kind} is not told"));
    if kind == "application/json" {
        assert_valid(schemas, &schema["schema"], &reply.json(), &place);
    }
}

/// The dashboard's client is made from this file.
#[test]
fn the_description_that_the_dashboard_is_built_from_is_up_to_date() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/openapi.json");
    let kept = std::fs::read_to_string(file).expect("ui/openapi.json");
    assert!(kept == web::openapi::text(&web::table()), "run make gen");
}

both_databases! {
    async fn the_description_holds_every_route_and_nothing_else(engine) {
        let test = TestApp::start(engine).await;
        let schemas = Schemas::of(&test).await;
        let mut expected: BTreeSet<(String, String)> = BTreeSet::new();
        for route in web::table() {
            expected.insert((route.method.to_string(), route.path.to_owned()));
            if route.access == Access::PluginKey {
                expected.insert(("POST".to_owned(), route.path.to_owned()));
            }
        }
        assert_eq!(operations(&schemas.0), expected);
        let ids: Vec<&str> = schemas.0["paths"].as_object().expect("paths").values()
            .flat_map(|item| item.as_object().expect("an item").values())
            .filter_map(|operation| operation["operationId"].as_str())
            .collect();
        assert_eq!(ids.len(), expected.len());
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "names are unique");
        test.finish().await;
    }

    async fn permissions_and_places_are_told(engine) {
        let test = TestApp::start(engine).await;
        let schemas = Schemas::of(&test).await;
        for route in web::table() {
            let told = operation(&schemas, &route);
            match route.access {
                Access::Permission(permission) | Access::Owner(permission) => assert_eq!(told["x-permission"], permission.as_str(), "{}", route.path),
                Access::Public | Access::PluginKey | Access::SignedIn | Access::Member | Access::Operator | Access::Bot | Access::Sender => assert!(told["x-permission"].is_null(), "{}", route.path),
            }
            let served = schemas.0["paths"][route.path]["servers"].as_array().map_or(1, Vec::len);
            assert_eq!(served, if route.mirrored { 2 } else { 1 }, "{}", route.path);
            let names = route.path.matches('{').count();
            assert_eq!(schemas.0["paths"][route.path]["parameters"].as_array().map(Vec::len), Some(names), "{}", route.path);
        }
        let actions = schemas.0["x-actions"].as_object().expect("actions");
        assert_eq!(actions.len(), ACTIONS.len());
        for spec in ACTIONS {
            assert_eq!(actions[spec.name]["plugin_keys"], spec.plugin, "{}", spec.name);
            assert_eq!(actions[spec.name]["group"], spec.group.as_str(), "{}", spec.name);
        }
        let named = &schemas.0["paths"]["/api"]["get"]["parameters"][0]["schema"]["enum"];
        assert_eq!(named.as_array().map(Vec::len), Some(ACTIONS.len()));
        test.finish().await;
    }

    async fn what_a_caller_has_to_send_is_told(engine) {
        let test = TestApp::start(engine).await;
        let schemas = Schemas::of(&test).await;
        for route in web::table() {
            let (told, place) = (operation(&schemas, &route), format!("{} {}", route.method, route.path));
            if route.path.starts_with("/auth/") {
                let names: Vec<&str> = told["parameters"].as_array().expect(&place).iter().filter_map(|one| one["name"].as_str()).collect();
                let needed = match (route.path.ends_with("/callback"), route.path.contains("/steam/")) {
                    (true, true) => "openid.sig",
                    (true, false) => "code",
                    (false, _) if route.path == "/auth/discord/login" => "return_to",
                    (false, _) if route.path == "/auth/discord/claim" => "org",
                    (false, _) => "guild",
                };
                assert!(names.contains(&needed), "{place}: {names:?}");
            }
            if matches!(route.access, Access::SignedIn | Access::Member | Access::Permission(_) | Access::Owner(_) | Access::Operator) && route.method != Method::GET {
                let body = &told["requestBody"];
                assert_eq!(body["required"], route.takes.is_some() || route.takes_file, "{place}");
                let kind = if route.takes_file { "application/octet-stream" } else { "application/json" };
                assert!(body["content"][kind].is_object(), "{place}");
            }
        }
        let schema = |name: &str, field: &str| schemas.0["components"]["schemas"][name]["properties"][field].clone();
        let label = schema("TypedNavigationLink", "label");
        assert_eq!((&label["minLength"], &label["maxLength"]), (&1.into(), &24.into()));
        let url = schema("TypedNavigationLink", "url");
        assert!(url["maxLength"] == 2048 && url["pattern"].is_string(), "{url}");
        for name in ["OrgRemoval", "GuildRemoval", "Transfer"] {
            let confirm = schema(name, "confirm");
            assert!(confirm["minLength"] == 3 && confirm["maxLength"] == 40 && confirm["pattern"].is_string(), "{name}: {confirm}");
        }
        for name in ["NewOrg", "NewKey", "EditedKey", "NewServer", "ServerChange", "OrgChange", "NewGuild"] {
            assert_eq!(schema(name, "name")["maxLength"], 64, "{name}");
        }
        test.finish().await;
    }

    /// Every route, called rightly and wrongly by every kind of caller, answers as the description says.
    async fn answers_are_as_described(engine) {
        let test = TestApp::start_with(engine, |limits| limits.dashboard.burst = 10_000, |_| {}).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        let schemas = Schemas::of(&test).await;
        let callers = [
            test.client().header("content-type", "application/json"),
            test.plugin(&tenant.key),
            test.person(&test.session(&tenant.owner).await),
            test.person(&test.member(&tenant, 20, &[]).await),
            test.person(&test.member(&tenant, 21, Permission::ALL).await).header("sec-fetch-site", "cross-site"),
        ];
        let mut seen: BTreeMap<u16, usize> = BTreeMap::new();
        let mut table = web::table();
        // Deleting comes last, so that there is something to look at before.
        table.sort_by_key(|route| (route.path == "/account/sign-out", route.method == Method::DELETE));
        for route in &table {
            let call = example(route, &Target::from(&tenant));
            let missing = call.uri.replace(tenant.server.as_str(), "srv_01ARZ3NDEKTSV4RRFFQ69G5FAV");
            let missing = missing.replace("/docs/api/count", "/docs/api/nothing");
            let long = "x".repeat(70 * 1024);
            for caller in &callers {
                let mut requests = vec![(call.uri.clone(), call.body.clone()), (missing.clone(), call.body.clone())];
                if route.takes.is_some() {
                    requests.extend([(call.uri.clone(), Some("{}".to_owned())), (call.uri.clone(), Some(long.clone()))]);
                }
                for (uri, body) in requests {
                    let reply = caller.send(call.method.clone(), &uri, body.map_or_else(Body::empty, Body::from)).await;
                    assert_as_told(&schemas, route, &reply);
                    *seen.entry(reply.status.as_u16()).or_default() += 1;
                }
            }
        }
        for status in [200, 201, 204, 400, 401, 403, 404, 413] {
            assert!(seen.contains_key(&status), "{status} was never seen: {seen:?}");
        }
        test.finish().await;
    }
}
