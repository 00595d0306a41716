//! Shapes of older versions: until March 2025 a subscription itself had a period and a plan.

use serde_json::Value;

/// The first version in which items have the period.
const ITEMS_HAVE_PERIODS: &str = "2025-03-31";

/// The first version in which new subscriptions are flexible.
const FLEXIBLE: &str = "2025-09-30";

/// True for `2026-10-28.endive` and for `2020-08-27`.
pub fn is_version(text: &str) -> bool {
    let date = text.split('.').next().unwrap_or_default();
    let digits = date.bytes().enumerate().all(|(place, byte)| match place {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    date.len() == 10 && digits && text.len() <= 40
}

/// Rewrites an object, and all in it, for a caller of this version.
pub fn shape(value: &mut Value, version: &str) {
    if is_old(version) {
        make_old(value);
    }
}

pub fn is_old(version: &str) -> bool {
    is_before(version, ITEMS_HAVE_PERIODS)
}

/// Whether what a caller of this version makes is in classic billing mode.
pub fn is_classic(version: &str) -> bool {
    is_before(version, FLEXIBLE)
}

fn is_before(version: &str, date: &str) -> bool {
    version.get(..10).is_some_and(|own| own < date)
}

fn make_old(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(make_old),
        Value::Object(fields) => {
            match fields.get("object").and_then(Value::as_str) {
                Some("subscription") => old_subscription(value),
                Some("invoice") => old_invoice(value),
                Some(_) | None => {}
            }
            if let Value::Object(fields) = value {
                fields.values_mut().for_each(make_old);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn old_subscription(value: &mut Value) {
    let Some(items) = value["items"]["data"].as_array_mut() else {
        return;
    };
    let first = items.first().cloned().unwrap_or_default();
    for item in items {
        if let Value::Object(item) = item {
            item.remove("current_period_start");
            item.remove("current_period_end");
        }
    }
    for name in ["current_period_start", "current_period_end", "plan", "quantity"] {
        value[name] = first[name].clone();
    }
    value["discount"] = Value::Null;
}

fn old_invoice(value: &mut Value) {
    value["subscription"] = value["parent"]["subscription_details"]["subscription"].clone();
    value["paid"] = (value["status"] == "paid").into();
    if let Value::Object(fields) = value {
        fields.remove("parent");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn versions_begin_with_a_date() {
        for (text, good) in [
            ("2026-10-28.endive", true),
            ("2020-08-27", true),
            ("2020-8-27", false),
            ("latest", false),
            ("", false),
        ] {
            assert_eq!(is_version(text), good, "{text}");
        }
    }

    #[test]
    fn an_old_subscription_has_the_period_itself() {
        let new = json!({"object": "list", "data": [{"object": "subscription", "items": {"data": [
            {"current_period_start": 1, "current_period_end": 2, "plan": {"id": "p"}, "quantity": 3},
        ]}}]});
        let mut same = new.clone();
        shape(&mut same, "2025-03-31.basil");
        assert_eq!(same, new);
        let mut old = new;
        shape(&mut old, "2024-06-20");
        let subscription = &old["data"][0];
        assert_eq!(
            (&subscription["current_period_end"], &subscription["plan"]["id"]),
            (&json!(2), &json!("p"))
        );
        assert!(
            subscription["items"]["data"][0]
                .get("current_period_end")
                .is_none()
        );
    }
}
