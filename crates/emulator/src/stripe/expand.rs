//! `expand[]`: ids that are answered as the objects behind them.

use serde_json::Value;

use super::error::ApiError;
use super::wire::Wire;

const DEEPEST: usize = 4;

/// Fields that are there only when asked for.
const HIDDEN: [&str; 1] = ["line_items"];

pub fn expand(value: &mut Value, paths: &[String], wire: Wire<'_>) -> Result<(), ApiError> {
    for path in paths {
        let names: Vec<&str> = path.split('.').collect();
        if names.len() > DEEPEST {
            let message =
                format!("You cannot expand more than {DEEPEST} levels of a property. Property: {path}");
            return Err(ApiError::param("property_expansion_max_depth", "expand", message));
        }
        if !walk(value, &names, wire) {
            let message = format!("This property cannot be expanded ({path}).");
            return Err(ApiError::param(
                "property_expansion_unexpandable",
                "expand",
                message,
            ));
        }
    }
    Ok(())
}

/// False when the path leads nowhere.
fn walk(value: &mut Value, names: &[&str], wire: Wire<'_>) -> bool {
    let [name, rest @ ..] = names else { return true };
    if let Value::Array(list) = value {
        return list.iter_mut().all(|value| walk(value, names, wire));
    }
    if HIDDEN.contains(name) {
        return show_hidden(value, wire);
    }
    let Some(field) = value.get_mut(*name) else {
        return false;
    };
    if let Some(object) = field.as_str().and_then(|id| wire.object(id)) {
        *field = object;
    }
    match field {
        Value::Null => true,
        Value::Object(_) | Value::Array(_) => walk(field, rest, wire),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn show_hidden(value: &mut Value, wire: Wire<'_>) -> bool {
    let id = value["id"].as_str().unwrap_or_default().to_owned();
    let Some(session) = wire.state.checkout_sessions.get(&id) else {
        return false;
    };
    let items = session.line_items.iter().map(|item| wire.line_item(item));
    let url = format!("/v1/checkout/sessions/{id}/line_items");
    value["line_items"] = super::wire::whole_list(items.collect(), &url);
    true
}
