//! What is told about each action: one entry per line of [`crate::action::ACTIONS`], for the reference pages and the
//! API description. What follows from the table itself, such as scope and allow-lists, is not repeated here.

mod lookup;
mod server;
mod sync;
mod update;

use crate::action::{ACTIONS, Action, ActionSpec};

/// Two linked players and one who is not, in every example.
pub mod people {
    pub const DISCORD: &str = "223456789012345678";
    pub const STEAM: &str = "76561198000000001";
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActionDoc {
    pub action: Action,
    /// One sentence.
    pub summary: &'static str,
    /// What surprises, a sentence each.
    pub notes: &'static [&'static str],
    pub params: &'static [Param],
    pub shape: Shape,
    pub example: Example,
    /// The answer when there is nothing to tell, where that differs in form.
    pub miss: Option<Example>,
}

/// A parameter of the address or a field of the JSON body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    pub name: &'static str,
    pub place: Place,
    pub kind: Kind,
    pub required: bool,
    pub about: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Query,
    Body,
}

/// What a parameter holds. Lists are comma-separated in the address and arrays in the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    SteamId,
    DiscordId,
    EitherId,
    SteamIds,
    DiscordIds,
    /// A text of 1 to this many characters.
    Text {
        most: usize,
    },
    OneOf(&'static [&'static str]),
    Number {
        from: i64,
        to: i64,
    },
    /// What an earlier answer gave as `next`.
    Cursor,
    /// Names of permission groups or ids of roles, at most 64 of at most 64 characters.
    Names,
    /// An object from Steam id to a list of permission groups.
    GroupsByPlayer,
    /// A list of `{"group","action"}`, the action being `add` or `remove`.
    Changes,
}

impl Kind {
    /// How many ids a call may name depends on the plan.
    pub const fn is_bulk(self) -> bool {
        matches!(self, Kind::SteamIds | Kind::DiscordIds | Kind::GroupsByPlayer)
    }
}

/// The form of a successful answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// This text, always the same.
    Text(&'static str),
    DiscordId,
    SteamId,
    /// A name, or `false`.
    Name,
    /// From Steam id to yes or no.
    Flags,
    /// From Discord id to name.
    Names,
    Total,
    Links,
    Boosters,
    Counted,
    WaitingRoles,
    Changes,
    ChangesByPlayer,
    Player,
    ServerConfig,
}

/// A call and its answer, to the byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// What follows `action=…` in the address, without the leading `&`.
    pub query: &'static str,
    /// The JSON body, sent with POST.
    pub body: Option<&'static str>,
    pub status: u16,
    pub answer: &'static str,
}

impl Example {
    const fn get(query: &'static str, answer: &'static str) -> Self {
        Self {
            query,
            body: None,
            status: 200,
            answer,
        }
    }

    const fn post(body: &'static str, answer: &'static str) -> Self {
        Self {
            query: "",
            body: Some(body),
            status: 200,
            answer,
        }
    }

    const fn status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }
}

impl Param {
    const fn query(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self {
            name,
            place: Place::Query,
            kind,
            required: true,
            about,
        }
    }

    const fn body(name: &'static str, kind: Kind, about: &'static str) -> Self {
        let mut param = Self::query(name, kind, about);
        param.place = Place::Body;
        param
    }

    const fn optional(mut self) -> Self {
        self.required = false;
        self
    }
}

impl ActionDoc {
    const fn new(action: Action, summary: &'static str, shape: Shape, example: Example) -> Self {
        Self {
            action,
            summary,
            notes: &[],
            params: &[],
            shape,
            example,
            miss: None,
        }
    }

    const fn with(mut self, params: &'static [Param]) -> Self {
        self.params = params;
        self
    }

    const fn noting(mut self, notes: &'static [&'static str]) -> Self {
        self.notes = notes;
        self
    }

    const fn missing(mut self, miss: Example) -> Self {
        self.miss = Some(miss);
        self
    }

    pub const fn spec(&self) -> &'static ActionSpec {
        self.action.spec()
    }

    /// Codes of failures that this action can answer with, beyond those that every call can.
    pub fn failures(&self) -> Vec<&'static str> {
        let spec = self.spec();
        let mut codes = Vec::new();
        if !self.params.is_empty() {
            codes.push("INVALID_PARAMETER");
        }
        if self.params.iter().any(|param| param.kind.is_bulk()) {
            codes.push("TOO_MANY_IDS");
        }
        if spec.mutating {
            codes.extend(["BROWSER_REFUSED", "OVERLOADED"]);
        }
        if self.action == Action::GroupChecks {
            codes.extend(["STEAM_NOT_CONFIGURED", "STEAM_UNAVAILABLE"]);
        }
        codes
    }
}

/// Parameters that every action takes.
pub const COMMON_PARAMS: [Param; 4] = [
    Param::query(
        "action",
        Kind::Text { most: 64 },
        "Name of the action; upper and lower case matter.",
    ),
    Param::query(
        "guild_id",
        Kind::Text { most: 30 },
        "Own or Discord id of the key's Guild; anything else is refused. Usually left out.",
    )
    .optional(),
    Param::query(
        "server_id",
        Kind::Text { most: 30 },
        "Id of the key's Server. A key for a whole Guild names one of its Servers here.",
    )
    .optional(),
    Param::query(
        "secret",
        Kind::Text { most: 57 },
        "The key, for clients that cannot send a header. Addresses end up in logs: prefer X-API-Key.",
    )
    .optional(),
];

/// Codes that every call can be answered with.
pub const COMMON_FAILURES: [&str; 15] = [
    "UNAUTHORIZED",
    "KEY_REVOKED",
    "SERVER_INACTIVE",
    "QUERY_KEY_REFUSED",
    "RATE_LIMITED",
    "SCOPE_MISMATCH",
    "UNKNOWN_ACTION",
    "PERMISSION_DENIED",
    "TLS_REQUIRED",
    "METHOD_NOT_ALLOWED",
    "TIMEOUT",
    "PAYLOAD_TOO_LARGE",
    "URI_TOO_LONG",
    "INTERNAL",
    "STORAGE_UNAVAILABLE",
];

/// What is told about an action.
pub fn doc(action: Action) -> &'static ActionDoc {
    &DOCS[action as usize]
}

/// All entries, in the order of the table of actions.
pub fn docs() -> impl Iterator<Item = &'static ActionDoc> {
    DOCS.iter()
}

static DOCS: [ActionDoc; ACTIONS.len()] = [
    lookup::FIND_BY_STEAM,
    lookup::FIND_BY_DISCORD,
    lookup::DISCORD_CHECK,
    lookup::IS_LINKED_STEAM_BULK,
    lookup::STEAM_CHECKS,
    lookup::NITRO_CHECKS,
    lookup::GROUP_CHECKS,
    lookup::GET_STEAM,
    lookup::GET_STEAM_BULK,
    lookup::GET_DISCORD,
    lookup::COUNT,
    lookup::LIST_ALL_LINKED,
    lookup::LIST_NITRO,
    update::UPDATE,
    update::UPDATE_NITRO,
    update::UPDATE_NITRO_BULK,
    update::UPDATE_STEAM,
    update::UPDATE_OXIDE_GROUPS,
    update::UPDATE_OXIDE_GROUPS_BULK,
    sync::PENDING_NICKNAMES,
    sync::CONFIRM_NICKNAME_SYNC,
    sync::LIST_ALL_NICKNAMES,
    sync::PENDING_ROLES,
    sync::CONFIRM_ROLE_SYNC,
    sync::SET_OXIDE_GROUP_FROM_DISCORD,
    sync::GET_PENDING_OXIDE_CHANGES,
    sync::GET_PENDING_OXIDE_CHANGES_BULK,
    server::REMOVE,
    server::CLEAR_PENDING_OXIDE_CHANGES,
    server::CLEAR_PENDING_OXIDE_CHANGES_BULK,
    server::GET_SERVER_CONFIG,
    server::GET_PLAYER,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_has_its_own_entry() {
        for spec in ACTIONS {
            assert_eq!(doc(spec.action).action, spec.action);
        }
    }

    #[test]
    fn every_text_is_a_sentence() {
        for doc in docs() {
            let name = doc.spec().name;
            let about = doc.params.iter().map(|param| param.about);
            for text in about.chain(doc.notes.iter().copied()).chain([doc.summary]) {
                assert!(text.ends_with('.') && text.len() > 10, "{name}: {text}");
                assert!(text.starts_with(|c: char| c.is_uppercase()), "{name}: {text}");
                assert!(!text.contains('`'), "{name}: it is shown as it is: {text}");
            }
        }
    }

    #[test]
    fn answers_are_json_and_successes_are_what_the_shape_says() {
        for doc in docs() {
            let name = doc.spec().name;
            for example in [Some(doc.example), doc.miss].into_iter().flatten() {
                serde_json::from_str::<serde_json::Value>(example.answer).expect(name);
                if let Some(body) = example.body {
                    serde_json::from_str::<serde_json::Value>(body).expect(name);
                }
            }
            if let Shape::Text(text) = doc.shape {
                assert_eq!(doc.example.answer, format!("\"{text}\""), "{name}");
                assert!(!text.to_lowercase().contains("error"), "{name}");
            }
            assert_eq!(doc.example.status, 200, "{name}");
        }
    }

    #[test]
    fn examples_use_the_parameters_that_are_told() {
        for doc in docs() {
            let name = doc.spec().name;
            let told = |place: Place| doc.params.iter().filter(move |param| param.place == place);
            for pair in doc.example.query.split('&').filter(|pair| !pair.is_empty()) {
                let key = pair.split('=').next().unwrap();
                assert!(told(Place::Query).any(|param| param.name == key), "{name}: {key}");
            }
            let body: serde_json::Value = doc.example.body.map_or_else(
                || serde_json::json!({}),
                |body| serde_json::from_str(body).unwrap(),
            );
            for key in body.as_object().unwrap().keys() {
                assert!(told(Place::Body).any(|param| param.name == key), "{name}: {key}");
            }
            for param in doc.params.iter().filter(|param| param.required) {
                let there = match param.place {
                    Place::Query => doc
                        .example
                        .query
                        .split('&')
                        .any(|pair| pair.split('=').next() == Some(param.name)),
                    Place::Body => body.get(param.name).is_some(),
                };
                assert!(there, "{name}: {}", param.name);
            }
        }
    }
}
