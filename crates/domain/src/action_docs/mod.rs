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
    /// The same call about many, where that is answered in another form.
    pub many: Option<(Shape, Example)>,
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
    /// Ids of both platforms.
    EitherIds,
    /// An object from Steam id to a list of permission groups.
    GroupsByPlayer,
    /// An object from Steam id to a name.
    NamesByPlayer,
    /// A list of `{"group","action"}`, the action being `add` or `remove`.
    Changes,
}

impl Kind {
    /// How many ids a call may name depends on the plan.
    pub const fn is_bulk(self) -> bool {
        matches!(
            self,
            Kind::SteamIds | Kind::DiscordIds | Kind::EitherIds | Kind::GroupsByPlayer | Kind::NamesByPlayer
        )
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
    /// From id to player.
    Players,
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
            many: None,
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

    const fn for_many(mut self, shape: Shape, example: Example) -> Self {
        self.many = Some((shape, example));
        self
    }

    pub const fn spec(&self) -> &'static ActionSpec {
        self.action.spec()
    }

    /// The forms of all its successful answers.
    pub fn shapes(&self) -> impl Iterator<Item = Shape> {
        [Some(self.shape), self.many.map(|(shape, _)| shape)]
            .into_iter()
            .flatten()
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
            codes.extend(["BROWSER_REFUSED", "OUTCOME_UNKNOWN"]);
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
        "Name of the action; case-sensitive.",
    ),
    Param::query(
        "guild_id",
        Kind::Text { most: 30 },
        "The Guild's ID or Discord ID, for the key's own Guild only. Usually left out.",
    )
    .optional(),
    Param::query(
        "server_id",
        Kind::Text { most: 30 },
        "ID of the key's Server. With a key for a whole Guild, name one of its Servers here.",
    )
    .optional(),
    Param::query(
        "secret",
        Kind::Text { most: 57 },
        "The key, for clients that cannot send a header. URLs end up in logs, so prefer X-API-Key.",
    )
    .optional(),
];

/// Codes that every call can be answered with.
pub const COMMON_FAILURES: [&str; 16] = [
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
    "OVERLOADED",
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
mod tests;
