//! A judge of JSON against the schemas of the description: the part of JSON Schema that the description uses. A word it
//! does not know is a failure, so that nothing goes unchecked.

use serde_json::{Map, Value, json};
use testkit::TestApp;

/// The description, as it is served.
pub struct Schemas(pub Value);

impl Schemas {
    pub async fn of(test: &TestApp) -> Schemas {
        let reply = test.client().get("/openapi.json").await;
        assert_eq!(reply.status, 200);
        Schemas(reply.json())
    }

    /// The schema of an action's answer, in one of its forms.
    pub fn answer_of(&self, action: &str, form: &str) -> Value {
        self.0["x-actions"][action][form].clone()
    }

    fn resolve(&self, reference: &str) -> &Value {
        let pointer = reference
            .strip_prefix('#')
            .expect("a reference into the document");
        self.0
            .pointer(pointer)
            .unwrap_or_else(|| panic!("{reference} leads nowhere"))
    }
}

pub fn assert_valid(schemas: &Schemas, schema: &Value, value: &Value, place: &str) {
    if let Err(problem) = check(schemas, schema, value) {
        panic!("{place}: {problem}: {value}");
    }
}

pub fn check(schemas: &Schemas, schema: &Value, value: &Value) -> Result<(), String> {
    let words = schema.as_object().ok_or("a schema is an object")?;
    for (word, expected) in words {
        match word.as_str() {
            "$ref" => check(
                schemas,
                schemas.resolve(expected.as_str().unwrap_or_default()),
                value,
            )?,
            "type" => check_type(expected, value)?,
            "const" if expected == value => {}
            "enum" if expected.as_array().is_some_and(|all| all.contains(value)) => {}
            "const" | "enum" => return Err(format!("is not {expected}")),
            "anyOf" | "oneOf" => {
                let any = expected.as_array().ok_or("a list of schemas")?;
                if !any.iter().any(|one| check(schemas, one, value).is_ok()) {
                    return Err("fits none of the alternatives".to_owned());
                }
            }
            "allOf" => {
                for one in expected.as_array().ok_or("a list of schemas")? {
                    check(schemas, one, value)?;
                }
            }
            "items" => {
                for item in value.as_array().into_iter().flatten() {
                    check(schemas, expected, item)?;
                }
            }
            "required" => {
                for name in expected
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                {
                    if value.get(name).is_none() {
                        return Err(format!("lacks {name}"));
                    }
                }
            }
            "properties" | "additionalProperties" => check_fields(schemas, words, value)?,
            "pattern" | "description" | "format" | "example" | "minLength" | "maxLength" | "minimum"
            | "maximum" => {}
            other => return Err(format!("the judge does not know {other}")),
        }
    }
    Ok(())
}

fn check_fields(schemas: &Schemas, words: &Map<String, Value>, value: &Value) -> Result<(), String> {
    let known = words.get("properties").cloned().unwrap_or_else(|| json!({}));
    let others = words.get("additionalProperties").unwrap_or(&Value::Bool(true));
    for (name, field) in value.as_object().into_iter().flatten() {
        match (known.get(name), others) {
            (Some(schema), _) => {
                check(schemas, schema, field).map_err(|problem| format!("{name} {problem}"))?
            }
            (None, Value::Bool(true)) => {}
            (None, Value::Bool(false)) => return Err(format!("has {name}, which is not described")),
            (None, schema) => check(schemas, schema, field)?,
        }
    }
    Ok(())
}

fn check_type(expected: &Value, value: &Value) -> Result<(), String> {
    let fits = |name: &str| match name {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "null" => value.is_null(),
        other => panic!("the judge does not know the type {other}"),
    };
    let found = match expected {
        Value::String(name) => fits(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(fits),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    };
    if found {
        Ok(())
    } else {
        Err(format!("is not {expected}"))
    }
}

#[test]
fn the_judge_can_say_no() {
    let schemas = Schemas(json!({ "x": { "type": "integer" } }));
    let schema = json!({
        "type": "object",
        "properties": { "a": { "$ref": "#/x" }, "b": { "type": ["string", "null"] } },
        "required": ["a"],
        "additionalProperties": false,
    });
    assert_eq!(check(&schemas, &schema, &json!({ "a": 1, "b": null })), Ok(()));
    for wrong in [
        json!({}),
        json!({ "a": "1" }),
        json!({ "a": 1, "b": 2 }),
        json!({ "a": 1, "c": 2 }),
        json!([]),
    ] {
        assert!(check(&schemas, &schema, &wrong).is_err(), "{wrong}");
    }
    let either = json!({ "anyOf": [{ "const": 0 }, { "type": "array", "items": { "enum": ["x"] } }] });
    assert_eq!(check(&schemas, &either, &json!(["x"])), Ok(()));
    for wrong in [json!(1), json!(["y"]), json!("x")] {
        assert!(check(&schemas, &either, &wrong).is_err(), "{wrong}");
    }
    assert!(check(&schemas, &json!({ "not": {} }), &json!(1)).is_err());
}
