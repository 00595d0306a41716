//! The one character that PostgreSQL cannot hold: whoever sends it is told so, the same on both databases.

use domain::action::ActionSet;
use domain::plan::Tier;
use serde_json::Value;
use testkit::{TestApp, both_databases, steam};

use web::routes::Access;

use super::assert_failure;
use super::bodies::everybody;
use crate::authorization::examples::{Example, Target, example, prefixes};
use crate::secrecy::rows::Rows;

const NUL: &str = "a%00b";

/// The addresses of a route with the character in each of its parameters, and behind the question mark.
fn addresses(route: &web::routes::RouteSpec, good: &Example) -> Vec<String> {
    let (path, query) = good.uri.split_once('?').unwrap_or((&good.uri, ""));
    let skipped = path.split('/').count() - route.path.split('/').count();
    let mut found = vec![
        format!("{path}?{query}&x={NUL}"),
        format!("{path}?{query}&{NUL}=x"),
    ];
    for (place, part) in route.path.split('/').enumerate() {
        if part.starts_with('{') {
            let mut parts: Vec<&str> = path.split('/').collect();
            parts[place + skipped] = NUL;
            found.push(format!("{}?{query}", parts.join("/")));
        }
    }
    found
}

/// Each text in a body once with the character at its end.
fn bodies(value: &Value) -> Vec<Value> {
    match value {
        Value::String(text) => vec![Value::String(format!("{text}\0"))],
        Value::Array(items) => {
            let spoilt = items.iter().enumerate().flat_map(|(place, item)| {
                bodies(item).into_iter().map(move |bad| {
                    let mut items = items.clone();
                    items[place] = bad;
                    Value::Array(items)
                })
            });
            spoilt.chain([Value::from(vec!["\0"])]).collect()
        }
        Value::Object(fields) => {
            let spoilt = fields.iter().flat_map(|(name, field)| {
                bodies(field).into_iter().map(move |bad| {
                    let mut fields = fields.clone();
                    fields.insert(name.clone(), bad);
                    Value::Object(fields)
                })
            });
            spoilt.chain([serde_json::json!({ "\0": 1 })]).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

both_databases! {
    async fn a_nul_in_any_address_or_body_of_any_route_is_a_clean_400(engine) {
        let test = TestApp::start_with(engine, |limits| limits.dashboard.burst = 10_000, |_| {}).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        let person = everybody(&test, &tenant).await;
        let bot = test.platform_bot().await;
        let rows = Rows::of(&test.db.db).await;
        let before = rows.all(&test.db.db).await;
        for route in web::table() {
            for prefix in prefixes(&route) {
                let good = example(&route, &Target::from(&tenant)).below(prefix);
                for uri in addresses(&route, &good) {
                    let call = Example { uri, ..good.clone() };
                    let reply = call.send(if route.access == Access::Bot { &bot } else { &person }).await;
                    let place = format!("{} {}", call.method, call.uri);
                    assert_eq!(reply.status, 400, "{place}: {}", reply.text());
                    if reply.header("content-type").is_some_and(|kind| kind.starts_with("application/json")) {
                        assert_failure(&reply, 400, "INVALID_PARAMETER", &place);
                        assert_eq!(reply.json()["parameter"], "address", "{place}");
                    }
                }
                // What is in a file is a matter of its reader.
                let body = good.body.as_deref().filter(|_| !good.is_file);
                let body = body.map(|body| serde_json::from_str(body).unwrap());
                for bad in body.as_ref().map(bodies).unwrap_or_default() {
                    let call = Example { body: Some(bad.to_string()), ..good.clone() };
                    let place = format!("{} {} with {bad}", call.method, call.uri);
                    let caller = if route.access == Access::Bot { &bot } else { &person };
                    assert_failure(&call.send(caller).await, 400, "INVALID_JSON", &place);
                }
            }
        }
        test.settle().await;
        assert_eq!(before, rows.all(&test.db.db).await);
        test.finish().await;
    }

    async fn a_nul_in_a_plugin_call_is_a_clean_400_and_a_look_up_still_says_no_users(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        tenant.link(&test.app, 1).await;
        let (_, of_guild) = test.custom_key(&tenant, ActionSet::ALL, false).await;
        let keys = [test.plugin(&tenant.key), test.plugin(&of_guild), test.client()];
        let (player, server) = (steam(1), tenant.server.as_str());
        for (query, is_look_up) in [
            (format!("action=findBySteam&id={player}%00"), true),
            (format!("action=findBySteam&id={player}&server_id={server}%00"), true),
            (format!("action=findByDiscord&id={player}&guild_id=%00"), true),
            ("action=%00".to_owned(), true),
            ("action=count&server_id=%00".to_owned(), false),
            ("action=listAllLinked&cursor=%00".to_owned(), false),
            (format!("action=updateSteam&id={player}&name=a%00b"), false),
            ("action=listNickname&cursor=%00".to_owned(), false),
        ] {
            for (path, key) in ["/api", "/old/api.php", "/api"].iter().zip(&keys) {
                let reply = key.get(&format!("{path}?{query}")).await;
                assert_failure(&reply, 400, "INVALID_PARAMETER", &query);
                let says = reply.text().contains("No users");
                assert_eq!(says, app::plugin::is_fail_closed(&query), "{query}: {}", reply.text());
                assert!(says || !is_look_up, "{query}");
            }
        }
        for body in [r#"{"id":"\u0000"}"#, r#"["\u0000"]"#, r#"{"groups":{"a\u0000":["7"]}}"#] {
            let reply = keys[0].post("/api?action=updateOxideGroups", body).await;
            assert_failure(&reply, 400, "INVALID_JSON", body);
            let reply = keys[0].post("/api?action=findBySteam", body).await;
            assert!(reply.status == 400 && reply.text().contains("No users"), "{}", reply.text());
        }
        test.finish().await;
    }
}
