//! The description of the HTTP API (OpenAPI 3.1), put together from the route table, the types of the handlers, the
//! table of actions and the table of codes. Nothing is written down twice.

mod described;
mod failures;
mod plugin;
mod route_codes;
mod shapes;
pub mod words;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use axum::extract::State;
use axum::response::Response;
use domain::permission::Permission;
use domain::release::VERSION;
use http::{HeaderMap, Method};
use serde_json::{Map, Value, json};

pub use described::{Described, Gives, Takes, described};
use failures::Form;
pub use failures::{Code, codes};
use route_codes::route_codes;

use crate::constant::Constant;
use crate::error::ErrorObject;
use crate::extract::{Asks, FILE, IDEMPOTENCY_KEY};
use crate::layers::{self, Surface};
use crate::routes::{Access, RouteAnswer, RouteSpec};
use crate::state::WebState;

pub async fn document(State(state): State<WebState>, headers: HeaderMap) -> Response {
    static DOCUMENT: OnceLock<Constant> = OnceLock::new();
    let document = DOCUMENT.get_or_init(|| {
        let text = description(state.routes.routes()).to_string();
        Constant::new("application/json; charset=utf-8", text)
    });
    document.unless_known(&headers)
}

/// The whole document for people and generators to read, the same bytes each time.
pub fn text(table: &[RouteSpec]) -> String {
    let document = description(table);
    format!("{document:#}\n")
}

/// The whole document.
fn description(table: &[RouteSpec]) -> Value {
    let mut schemas: BTreeMap<String, Value> = plugin::schemas().collect();
    add(&mut schemas, described::<ErrorObject<'static>>());
    let mut paths: Map<String, Value> = Map::new();
    for route in table {
        let item = paths.entry(route.path).or_insert_with(|| path_item(route));
        match route.answer {
            RouteAnswer::Action => {
                item["get"] = plugin::operation(false);
                item["post"] = plugin::operation(true);
            }
            RouteAnswer::Page
            | RouteAnswer::Description
            | RouteAnswer::Json(..)
            | RouteAnswer::SeeOther
            | RouteAnswer::File
            | RouteAnswer::Asset
            | RouteAnswer::Nothing => {
                item[route.method.as_str().to_ascii_lowercase()] = operation(route, &mut schemas);
            }
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Symbolon",
            "version": VERSION,
            "summary": "Links Discord and Steam accounts for game communities",
            "license": { "name": "AGPL-3.0-or-later", "identifier": "AGPL-3.0-or-later" },
        },
        "servers": [{ "url": "/" }],
        "paths": paths,
        "components": { "schemas": schemas, "securitySchemes": security_schemes() },
        "x-actions": plugin::actions(),
    })
}

fn add(schemas: &mut BTreeMap<String, Value>, described: Described) -> Value {
    for (name, schema) in described.schemas {
        schemas.insert(name, json!(schema));
    }
    json!({ "$ref": format!("#/components/schemas/{}", described.name) })
}

/// What the operations of a path share: where it is served, and the ids in it.
fn path_item(route: &RouteSpec) -> Value {
    let names = route
        .path
        .split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
        .map(|name| name.trim_start_matches('*'));
    let parameters: Vec<Value> = names
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": path_schema(name) }))
        .collect();
    let mut item = json!({ "parameters": parameters });
    if route.mirrored {
        item["servers"] = json!([{ "url": "/" }, { "url": "/api" }]);
    }
    item
}

fn path_schema(name: &str) -> Value {
    let prefix = match name {
        "org" => "org_",
        "guild" => "gld_",
        "server" => "srv_",
        "key" => "key_",
        "account" => "usr_",
        "invite" => "inv_",
        "import" => "imp_",
        _ => return json!({ "type": "string" }),
    };
    json!({ "type": "string", "pattern": format!("^{prefix}[0-9A-HJKMNP-TV-Z]{{26}}$") })
}

fn operation(route: &RouteSpec, schemas: &mut BTreeMap<String, Value>) -> Value {
    let form = match route.surface.form() {
        layers::Form::Page => Form::Page,
        layers::Form::Plugin | layers::Form::Api => Form::Object,
    };
    let mut responses = failures::responses(&route_codes(route), form);
    let (status, success) = success(route.answer, schemas);
    responses.insert(status, success);
    if matches!(route.surface, Surface::DashboardPage | Surface::AdminPage) {
        responses.insert(
            "303".to_owned(),
            json!({ "description": "Signed out: redirects to the sign-in." }),
        );
    }
    let mut operation = json!({
        "operationId": operation_id(route),
        "summary": route.summary,
        "security": [],
        "responses": responses,
    });
    let needed = match route.access {
        Access::Permission(permission) => Some((permission, needs(permission))),
        Access::Owner(permission) => Some((permission, "Only the Owner of the organisation.".to_owned())),
        Access::Public
        | Access::PluginKey
        | Access::SignedIn
        | Access::Member
        | Access::Operator
        | Access::Bot
        | Access::Sender => None,
    };
    if let Some((scheme, tag)) = scheme_and_tag(route.access) {
        operation["security"] = json!([{ scheme: [] }]);
        operation["tags"] = json!([tag]);
    }
    if route.access == Access::Operator {
        operation["description"] = "Operators only; for everyone else it does not exist.".into();
    }
    if let Some((permission, description)) = needed {
        operation["x-permission"] = permission.as_str().into();
        operation["description"] = description.into();
    }
    let mut parameters: Vec<Value> = route.asks.iter().map(query_parameter).collect();
    if route.repeatable {
        parameters.push(idempotency_key());
    }
    if !parameters.is_empty() {
        operation["parameters"] = parameters.into();
    }
    if route.method != Method::GET {
        operation["requestBody"] = request_body(route, schemas);
    }
    operation
}

/// What is sent: JSON, a file, or nothing that is read.
fn request_body(route: &RouteSpec, schemas: &mut BTreeMap<String, Value>) -> Value {
    let (kind, schema) = match route.takes {
        Some(body) => ("application/json", add(schemas, body())),
        None if route.takes_file => (FILE, json!({ "type": "string", "format": "binary" })),
        None => return no_fields(route),
    };
    json!({ "required": true, "content": { kind: { "schema": schema } } })
}

/// How callers of a route prove who they are, and where it is listed.
fn scheme_and_tag(access: Access) -> Option<(&'static str, &'static str)> {
    match access {
        Access::Public | Access::PluginKey | Access::Sender => None,
        Access::SignedIn | Access::Member | Access::Permission(_) | Access::Owner(_) => {
            Some(("session", "dashboard"))
        }
        Access::Operator => Some(("session", "operators")),
        Access::Bot => Some(("bearer", "bots")),
    }
}

/// What a call without a body still has to say about itself: a page of another site cannot send this.
fn no_fields(route: &RouteSpec) -> Value {
    let (kind, description) = match route.access {
        Access::Public | Access::PluginKey => ("application/x-www-form-urlencoded", "The form of the page."),
        Access::Sender => ("application/json", "The signed body, byte for byte."),
        Access::Bot => ("application/json", "The body is ignored."),
        Access::SignedIn | Access::Member | Access::Permission(_) | Access::Owner(_) | Access::Operator => (
            "application/json",
            "The body is ignored, but the header `Content-Type: application/json` is required even without one.",
        ),
    };
    json!({ "required": false, "description": description, "content": { kind: { "schema": { "type": "object" } } } })
}

fn query_parameter(asks: &Asks) -> Value {
    let schema = match asks {
        Asks::Text(_) => json!({ "type": "string" }),
        Asks::Number(_) => json!({ "type": "integer" }),
        Asks::OneOf(_, words) => json!({ "type": "string", "enum": words }),
    };
    json!({ "name": asks.name(), "in": "query", "required": false, "schema": schema })
}

fn idempotency_key() -> Value {
    json!({
        "name": IDEMPOTENCY_KEY,
        "in": "header",
        "required": false,
        "description": "A unique name for this request. Sending it again with the same body within 24 hours returns what was created the first time, without secrets.",
        "schema": { "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$" },
    })
}

fn needs(permission: Permission) -> String {
    format!("Needs the permission `{permission}` in the organisation.")
}

fn operation_id(route: &RouteSpec) -> String {
    let words = route
        .path
        .split(|character: char| !character.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    let mut id = route.method.as_str().to_ascii_lowercase();
    for word in words {
        id.push('_');
        id.push_str(word);
    }
    if route.path.len() > 1 && route.path.ends_with('/') {
        id.push('_');
    }
    id
}

fn success(answer: RouteAnswer, schemas: &mut BTreeMap<String, Value>) -> (String, Value) {
    let content = |kind: &str, schema: Value| json!({ kind: { "schema": schema } });
    let text = || json!({ "type": "string" });
    let (status, content) = match answer {
        RouteAnswer::Page => (200, content("text/html", text())),
        RouteAnswer::Description | RouteAnswer::Action => {
            (200, content("application/json", json!({ "type": "object" })))
        }
        RouteAnswer::Json(status, body) => {
            let schema = add(schemas, body());
            (status, content("application/json", schema))
        }
        RouteAnswer::SeeOther => {
            return (
                "303".to_owned(),
                json!({ "description": "Redirects the browser." }),
            );
        }
        RouteAnswer::File => (
            200,
            json!({ "text/csv": { "schema": text() }, "application/x-ndjson": { "schema": text() } }),
        ),
        RouteAnswer::Asset => {
            let kinds = ["text/javascript", "text/css", "image/svg+xml", "font/woff2"];
            let kinds = kinds
                .into_iter()
                .map(|kind| (kind.to_owned(), json!({ "schema": text() })));
            (200, Value::Object(kinds.collect()))
        }
        RouteAnswer::Nothing => return ("204".to_owned(), json!({ "description": "Done." })),
    };
    (
        status.to_string(),
        json!({ "description": "Done.", "content": content }),
    )
}

fn security_schemes() -> Value {
    json!({
        "session": {
            "type": "apiKey",
            "in": "cookie",
            "name": "__Host-symbolon",
            "description": "A dashboard session. Over plain HTTP the cookie is called symbolon.",
        },
        "api_key": { "type": "apiKey", "in": "header", "name": "X-API-Key" },
        "bearer": { "type": "http", "scheme": "bearer" },
        "secret": {
            "type": "apiKey",
            "in": "query",
            "name": "secret",
            "description": "For clients that cannot send headers. URLs end up in logs.",
        },
    })
}

#[cfg(test)]
mod tests {
    use app::error::KeysError;
    use app::{App, AppError};
    use domain::bot::{BotId, BotSecretHash};
    use http::HeaderMap;

    use super::*;
    use crate::extract::{Bot, BotRegister, Shown, Signature, Signed};
    use crate::routes::{Answer, Done, Routes};

    struct Nobody;

    impl Signature for Nobody {
        fn shown(_: &HeaderMap) -> Option<Shown> {
            None
        }

        fn secrets(_: &WebState) -> Vec<&[u8]> {
            Vec::new()
        }
    }

    impl BotRegister for Nobody {
        type Record = BotId;

        async fn holder(_: &App, _: &BotSecretHash) -> Result<Option<BotId>, AppError> {
            Ok(None)
        }

        fn mismatch() -> AppError {
            KeysError::Unauthorized.into()
        }
    }

    async fn told(_: App, _: Signed<Nobody>) -> Answer<Done> {
        Ok(Done)
    }

    async fn asked(_: App, _: Bot<Nobody>, (): ()) -> Answer<Done> {
        Ok(Done)
    }

    #[test]
    fn programs_are_told_how_to_prove_themselves_and_of_no_session() {
        let routes =
            Routes::new()
                .webhook("/told", "Be told", told)
                .bot(Method::POST, "/asked", "Ask", asked);
        let (_, table) = routes.finish();
        let told: Vec<Value> = table
            .iter()
            .map(|route| operation(route, &mut BTreeMap::new()))
            .collect();
        assert_eq!(told[0]["security"], json!([]));
        assert_eq!(told[1]["security"], json!([{ "bearer": [] }]));
        for (operation, refused) in told.iter().zip(["400", "401"]) {
            let content = &operation["responses"][refused]["content"];
            assert!(content["application/json"].is_object(), "{operation}");
            assert!(!operation.to_string().contains("Content-Type"), "{operation}");
        }
    }

    /// Two types with one name would describe each other's bodies.
    #[test]
    fn no_name_stands_for_two_types() {
        let mut known: BTreeMap<String, Value> = plugin::schemas().collect();
        let mut bodies = vec![described::<ErrorObject<'static>>()];
        for route in crate::router::table() {
            bodies.extend(route.takes.map(|body| body()));
            if let RouteAnswer::Json(_, body) = route.answer {
                bodies.push(body());
            }
        }
        for (name, schema) in bodies.into_iter().flat_map(|body| body.schemas) {
            let schema = json!(schema);
            let before = known.entry(name.clone()).or_insert_with(|| schema.clone());
            assert_eq!(*before, schema, "{name}");
        }
    }
}
