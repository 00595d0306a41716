//! The plugin API in the description. One address serves all actions, so its operation is the sum of them, and
//! `x-actions` tells them apart.

use std::collections::BTreeMap;

use domain::action::{ACTIONS, ActionScope};
use domain::action_docs::{self, ActionDoc, COMMON_FAILURES, COMMON_PARAMS, Example, Kind, Param, Place};
use serde_json::{Map, Value, json};

use super::failures::{self, Form};
use super::shapes;

/// Schemas of all answers.
pub fn schemas() -> impl Iterator<Item = (String, Value)> {
    let shapes = action_docs::docs().flat_map(ActionDoc::shapes);
    shapes.map(|shape| (shapes::name(shape).to_owned(), shapes::answer(shape)))
}

/// The operation; with POST lists and reports may stand in the body.
pub fn operation(with_body: bool) -> Value {
    let mut operation = json!({
        "tags": ["plugin"],
        "summary": "Call a plugin API action",
        "description": "See `x-actions` for what each action takes and returns, or /docs/api for a readable reference.",
        "security": [{ "api_key": [] }, { "bearer": [] }, { "secret": [] }],
        "parameters": parameters(),
        "responses": responses(),
    });
    operation["operationId"] = if with_body { "post_action" } else { "get_action" }.into();
    if with_body {
        operation["requestBody"] = body();
    }
    operation
}

/// Everything about each action.
pub fn actions() -> Map<String, Value> {
    action_docs::docs()
        .map(|doc| (doc.spec().name.to_owned(), action(doc)))
        .collect()
}

fn action(doc: &ActionDoc) -> Value {
    let spec = doc.spec();
    let parameters: Vec<Value> = doc.params.iter().map(parameter).collect();
    let answer = |shape| json!({ "$ref": format!("#/components/schemas/{}", shapes::name(shape)) });
    let mut action = json!({
        "summary": doc.summary,
        "notes": doc.notes,
        "group": spec.group.name(),
        "scope": match spec.scope {
            ActionScope::Guild => "guild",
            ActionScope::Server => "server",
        },
        "plugin_keys": spec.plugin,
        "changes": spec.mutating,
        "says_no_users_on_failure": spec.fail_closed,
        "parameters": parameters,
        "answer": answer(doc.shape),
        "failures": doc.failures(),
    });
    if let Some((shape, _)) = doc.many {
        action["answer_for_many"] = answer(shape);
    }
    action
}

fn parameter(param: &Param) -> Value {
    let (place, in_body) = match param.place {
        Place::Query => ("query", false),
        Place::Body => ("body", true),
    };
    json!({
        "name": param.name,
        "in": place,
        "required": param.required,
        "description": param.about,
        "schema": shapes::parameter(param.kind, in_body),
    })
}

/// The parameters of the address: those of every call, then those of single actions with who reads them.
fn parameters() -> Vec<Value> {
    let mut all: Vec<Value> = COMMON_PARAMS
        .iter()
        .filter(|param| param.name != "secret")
        .map(parameter)
        .collect();
    if let Some(action) = all.first_mut() {
        action["schema"] = json!({ "type": "string", "enum": ACTIONS.map(|spec| spec.name) });
    }
    let mut readers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for doc in action_docs::docs() {
        for param in doc.params.iter().filter(|param| param.place == Place::Query) {
            readers.entry(param.name).or_default().push(doc.spec().name);
        }
    }
    all.extend(readers.into_iter().map(|(name, actions)| {
        json!({
            "name": name,
            "in": "query",
            "required": false,
            "description": format!("Read by {}.", actions.join(", ")),
            "schema": { "type": "string" },
        })
    }));
    all
}

fn body() -> Value {
    let mut fields: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    let mut examples = Map::new();
    for doc in action_docs::docs() {
        for param in doc.params.iter().filter(|param| param.place == Place::Body) {
            let (known, schema) = (
                fields.entry(param.name).or_default(),
                shapes::parameter(param.kind, true),
            );
            if !known.contains(&schema) {
                known.push(schema);
            }
        }
        let many = doc.many.map(|(_, example)| example);
        if let Some(body) = doc.example.body.or(many.and_then(|example| example.body)) {
            examples.insert(doc.spec().name.to_owned(), json!({ "value": parsed(body) }));
        }
    }
    // One name may mean something else to another action.
    let either = |mut schemas: Vec<Value>| match schemas.len() {
        1 => schemas.remove(0),
        _ => json!({ "anyOf": schemas }),
    };
    let properties: Map<String, Value> = fields
        .into_iter()
        .map(|(name, schemas)| (name.to_owned(), either(schemas)))
        .collect();
    let schema = json!({ "type": "object", "properties": properties });
    json!({ "required": false, "content": { "application/json": { "schema": schema, "examples": examples } } })
}

fn responses() -> Map<String, Value> {
    let mut codes: Vec<&str> = COMMON_FAILURES.to_vec();
    codes.extend(action_docs::docs().flat_map(ActionDoc::failures));
    let mut responses = failures::responses(&codes, Form::Object);
    let mut answer = answered(200, "The action's response.");
    // For Servers that ask for bare ids.
    answer["content"]["text/plain"] = json!({ "schema": shapes::parameter(Kind::EitherId, false) });
    responses.insert("200".to_owned(), answer);
    responses.insert("404".to_owned(), answered(404, "Nothing was found."));
    responses
}

fn answered(status: u16, description: &str) -> Value {
    let told = |doc: &'static ActionDoc| {
        let examples = [("", Some(doc.example)), (" without a result", doc.miss)];
        examples
            .into_iter()
            .filter_map(|(suffix, example)| Some((suffix, example?)))
            .filter(move |(_, example)| example.status == status)
            .map(move |(suffix, example): (&str, Example)| {
                (
                    [doc.spec().name, suffix].concat(),
                    json!({ "value": parsed(example.answer) }),
                )
            })
    };
    let examples: Map<String, Value> = action_docs::docs().flat_map(told).collect();
    let shapes = action_docs::docs().flat_map(ActionDoc::shapes);
    let mut names: Vec<&str> = shapes.map(shapes::name).collect();
    names.sort_unstable();
    names.dedup();
    let any: Vec<Value> = names
        .into_iter()
        .map(|name| json!({ "$ref": format!("#/components/schemas/{name}") }))
        .collect();
    let content = json!({ "application/json": { "schema": { "anyOf": any }, "examples": examples } });
    json!({ "description": description, "content": content })
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}
