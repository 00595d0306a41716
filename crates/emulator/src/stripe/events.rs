//! Everything that happened, as Stripe tells it.

use std::collections::{HashMap, VecDeque};

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::version;

/// Older events are forgotten.
pub const KEPT: usize = 25_000;

/// One thing that happened. The object is kept as text in the current shape: there are many, and few are read.
#[derive(Clone, Debug)]
pub struct Event {
    pub id: String,
    pub kind: String,
    pub created: i64,
    pub object: Box<str>,
    pub previous: Option<Box<str>>,
    pub cause: Option<Cause>,
    pub livemode: bool,
    /// Deliveries that wait for their turn or for another try.
    pub pending: u32,
    /// Deliveries that were given up or dropped.
    pub failed: u32,
}

/// The request that made it happen.
#[derive(Clone, Debug)]
pub struct Cause {
    pub request: String,
    pub idempotency_key: Option<String>,
}

/// The same as [`Event::wire`], as it is sent: the object is not read first.
#[derive(Serialize)]
struct Letter<'a> {
    id: &'a str,
    object: &'static str,
    api_version: &'a str,
    created: i64,
    data: Data<'a>,
    livemode: bool,
    pending_webhooks: u32,
    request: Request<'a>,
    #[serde(rename = "type")]
    kind: &'a str,
}

#[derive(Serialize)]
struct Data<'a> {
    object: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_attributes: Option<&'a RawValue>,
}

#[derive(Serialize)]
struct Request<'a> {
    id: Option<&'a str>,
    idempotency_key: Option<&'a str>,
}

impl Event {
    /// The body that endpoints of this version get. It has line breaks, as Stripe's have: who checks the signature of
    /// what they made of it, instead of what came, is found out.
    pub fn payload(&self, api_version: &str) -> Result<String, serde_json::Error> {
        if version::is_old(api_version) {
            return serde_json::to_string_pretty(&self.wire(api_version));
        }
        let cause = self.cause.as_ref();
        serde_json::to_string_pretty(&Letter {
            id: &self.id,
            object: "event",
            api_version,
            created: self.created,
            data: Data {
                object: serde_json::from_str(&self.object)?,
                previous_attributes: self.previous.as_deref().map(serde_json::from_str).transpose()?,
            },
            livemode: self.livemode,
            pending_webhooks: self.pending,
            request: Request {
                id: cause.map(|cause| cause.request.as_str()),
                idempotency_key: cause.and_then(|cause| cause.idempotency_key.as_deref()),
            },
            kind: &self.kind,
        })
    }

    pub fn wire(&self, api_version: &str) -> Value {
        let read = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
        let mut data = json!({"object": read(&self.object)});
        if let Some(previous) = &self.previous {
            data["previous_attributes"] = read(previous);
        }
        version::shape(&mut data, api_version);
        let cause = self.cause.as_ref();
        json!({
            "id": self.id,
            "object": "event",
            "api_version": api_version,
            "created": self.created,
            "data": data,
            "livemode": self.livemode,
            "pending_webhooks": self.pending,
            "request": {
                "id": cause.map(|cause| &cause.request),
                "idempotency_key": cause.and_then(|cause| cause.idempotency_key.as_ref()),
            },
            "type": self.kind,
        })
    }
}

#[derive(Default)]
pub struct EventLog {
    list: VecDeque<Event>,
    /// How many were forgotten.
    gone: usize,
    places: HashMap<String, usize>,
    /// How many there were of each type.
    kinds: HashMap<String, usize>,
}

impl EventLog {
    pub fn add(&mut self, event: Event) {
        if self.list.len() == KEPT
            && let Some(old) = self.list.pop_front()
        {
            self.places.remove(&old.id);
            self.gone += 1;
        }
        self.places.insert(event.id.clone(), self.gone + self.list.len());
        *self.kinds.entry(event.kind.clone()).or_default() += 1;
        self.list.push_back(event);
    }

    /// How many there were of these types, with those that were forgotten.
    pub fn count(&self, kinds: &[&str]) -> usize {
        kinds.iter().filter_map(|kind| self.kinds.get(*kind)).sum()
    }

    pub fn get(&self, id: &str) -> Option<&Event> {
        self.places
            .get(id)
            .and_then(|place| self.list.get(place - self.gone))
    }

    pub fn get_mut(&mut self, id: &str) -> Option<&mut Event> {
        let place = self.places.get(id)? - self.gone;
        self.list.get_mut(place)
    }

    /// The oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Event> + ExactSizeIterator {
        self.list.iter()
    }
}

/// What was different before, in the fields that changed. Lists are told whole, other objects by what changed in them.
pub fn previous_attributes(before: &Value, after: &Value) -> Option<Value> {
    let (Value::Object(before), Value::Object(after)) = (before, after) else {
        return None;
    };
    let mut changed = serde_json::Map::new();
    for name in before.keys().chain(after.keys()) {
        let (old, new) = (before.get(name), after.get(name));
        if old == new || changed.contains_key(name) {
            continue;
        }
        let old = old.cloned().unwrap_or_default();
        let nested = new.filter(|new| new["object"].is_null());
        let told = nested
            .and_then(|new| previous_attributes(&old, new))
            .unwrap_or(old);
        changed.insert(name.clone(), told);
    }
    (!changed.is_empty()).then_some(Value::Object(changed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(id: usize) -> Event {
        Event {
            id: format!("evt_{id}"),
            kind: "customer.updated".to_owned(),
            created: 7,
            object: "{\"object\":\"customer\"}".into(),
            previous: Some("{\"name\":null}".into()),
            cause: None,
            livemode: false,
            pending: 1,
            failed: 0,
        }
    }

    #[test]
    fn the_oldest_events_are_forgotten() {
        let mut log = EventLog::default();
        for number in 0..KEPT + 3 {
            log.add(event(number));
        }
        assert_eq!(log.iter().len(), KEPT);
        assert_eq!(log.count(&["customer.updated", "customer.deleted"]), KEPT + 3);
        assert!(log.get("evt_2").is_none());
        for number in [3, KEPT + 2] {
            let id = format!("evt_{number}");
            assert_eq!(log.get(&id).map(|event| &event.id), Some(&id));
        }
    }

    #[test]
    fn what_is_sent_is_what_is_told() {
        let mut event = event(1);
        event.cause = Some(Cause {
            request: "req_1".to_owned(),
            idempotency_key: None,
        });
        for version in ["2026-10-28.endive", "2020-08-27"] {
            let sent = event.payload(version).expect("a body");
            let read: Value = serde_json::from_str(&sent).expect("JSON");
            assert_eq!(read, event.wire(version));
            assert!(sent.contains('\n'));
        }
    }

    #[test]
    fn only_what_changed_is_told() {
        let before =
            json!({"a": 1, "b": 2, "m": {"x": 1, "y": 2}, "l": {"object": "list", "data": [1], "url": "u"}});
        let after =
            json!({"a": 1, "b": 3, "m": {"x": 1, "z": 2}, "l": {"object": "list", "data": [2], "url": "u"}});
        let told =
            json!({"b": 2, "m": {"y": 2, "z": null}, "l": {"object": "list", "data": [1], "url": "u"}});
        assert_eq!(previous_attributes(&before, &after), Some(told));
        assert_eq!(previous_attributes(&before, &before), None);
    }
}
