//! JSON schemas of the plugin API's parameters and answers.

use domain::action_docs::{Kind, Shape};
use domain::trust::TrustTier;
use serde_json::{Value, json};

const STEAM_ID: &str = "^7656119[0-9]{10}$|^765612[0-9]{11}$";
const DISCORD_ID: &str = "^[1-9][0-9]{16,19}$";

fn steam_id() -> Value {
    json!({ "type": "string", "pattern": STEAM_ID })
}

fn discord_id() -> Value {
    json!({ "type": "string", "pattern": DISCORD_ID })
}

/// The schema of a parameter. In the address a list is one text.
pub fn parameter(kind: Kind, in_body: bool) -> Value {
    let list = |item: Value| match in_body {
        true => json!({ "type": "array", "items": item }),
        false => json!({ "type": "string", "description": "Comma-separated." }),
    };
    match kind {
        Kind::SteamId => steam_id(),
        Kind::DiscordId | Kind::EitherId => discord_id(),
        // What is no id is passed over, so that one entry does not spoil the others.
        Kind::SteamIds | Kind::DiscordIds | Kind::EitherIds => list(json!({ "type": "string" })),
        Kind::Text { most } => json!({ "type": "string", "minLength": 1, "maxLength": most }),
        Kind::OneOf(words) => json!({ "type": "string", "enum": words }),
        Kind::Number { from, to } => json!({ "type": "integer", "minimum": from, "maximum": to }),
        Kind::Cursor => json!({ "type": "string" }),
        Kind::Names => list(json!({ "type": "string", "maxLength": 64 })),
        Kind::GroupsByPlayer => map(json!({ "type": "array", "items": { "type": "string" } })),
        Kind::NamesByPlayer => map(json!({ "type": "string" })),
        Kind::Changes => changes(),
    }
}

/// The name of an answer's schema. Texts differ by their content only.
pub fn name(shape: Shape) -> &'static str {
    match shape {
        Shape::Text(_) => "Text",
        Shape::DiscordId => "DiscordId",
        Shape::SteamId => "SteamId",
        Shape::Name => "Name",
        Shape::Flags => "Flags",
        Shape::Names => "Names",
        Shape::Total => "Total",
        Shape::Links => "Links",
        Shape::Boosters => "Boosters",
        Shape::Counted => "Counted",
        Shape::WaitingRoles => "WaitingRoles",
        Shape::Changes => "Changes",
        Shape::ChangesByPlayer => "ChangesByPlayer",
        Shape::Player => "Player",
        Shape::Players => "Players",
        Shape::ServerConfig => "ServerConfig",
    }
}

/// The schema of an answer.
pub fn answer(shape: Shape) -> Value {
    match shape {
        Shape::Text(_) => json!({ "type": "string" }),
        Shape::DiscordId => discord_id(),
        Shape::SteamId => steam_id(),
        Shape::Name => json!({ "anyOf": [{ "type": "string" }, { "const": false }] }),
        Shape::Flags => map(json!({ "type": "boolean" })),
        Shape::Names => map(json!({ "type": "string" })),
        Shape::Total => object(json!({ "Total": { "type": "integer" } })),
        Shape::Links => links(),
        Shape::Boosters => {
            let entry = object(json!({ "discord_id": discord_id() }));
            object(json!({ "Result": list_or_zero(entry) }))
        }
        Shape::Counted => {
            object(json!({ "updated": { "type": "integer" }, "errors": { "type": "integer" } }))
        }
        Shape::WaitingRoles => json!({
            "type": "array",
            "items": object(json!({
                "discord_id": discord_id(),
                "steam_id": steam_id(),
                "oxide_groups": texts(),
                "discord_roles_synced": { "type": ["array", "null"], "items": { "type": "string" } },
            })),
        }),
        Shape::Changes => changes(),
        Shape::ChangesByPlayer => map(changes()),
        Shape::Player => player(),
        Shape::Players => map(player()),
        Shape::ServerConfig => server_config(),
    }
}

fn links() -> Value {
    let mut entry = object(json!({
        "discord_id": discord_id(),
        "steam_id": steam_id(),
        "discord_name": text_or_null(),
        "steam_name": text_or_null(),
        "linked_at_ms": { "type": "integer" },
    }));
    entry["properties"]["ended_at"] = json!({ "type": "integer" });
    json!({
        "type": "object",
        "properties": { "Result": list_or_zero(entry), "next": text_or_null() },
        "required": ["Result"],
        "additionalProperties": false,
    })
}

fn player() -> Value {
    let tiers: Vec<&str> = TrustTier::ALL.iter().map(|tier| tier.as_str()).collect();
    let trust = object(json!({
        "score": { "type": "integer", "minimum": 0, "maximum": 100 },
        "tier": { "type": "string", "enum": tiers },
    }));
    let linked = object(json!({
        "linked": { "const": true },
        "discord_id": discord_id(),
        "steam_id": steam_id(),
        "discord_name": text_or_null(),
        "steam_name": text_or_null(),
        "linked_at_ms": { "type": "integer" },
        "country": text_or_null(),
        "groups": texts(),
        "trust": { "anyOf": [trust, { "type": "null" }] },
    }));
    json!({ "anyOf": [linked, object(json!({ "linked": { "const": false } }))] })
}

fn server_config() -> Value {
    let steam_group = object(json!({
        "id": { "type": "string" },
        "long_id": { "type": "string" },
        "url": { "type": "string" },
    }));
    object(json!({
        "link_url": { "type": "string" },
        "groups": object(json!({
            "linked": { "type": "string" },
            "booster": { "type": "string" },
            "steam_group": { "type": "string" },
        })),
        "group_roles": map(texts()),
        "steam_group": { "anyOf": [steam_group, { "type": "null" }] },
        "poll_seconds": { "type": "integer" },
    }))
}

fn changes() -> Value {
    let change = object(json!({ "group": { "type": "string" }, "action": { "enum": ["add", "remove"] } }));
    json!({ "type": "array", "items": change })
}

fn texts() -> Value {
    json!({ "type": "array", "items": { "type": "string" } })
}

fn text_or_null() -> Value {
    json!({ "type": ["string", "null"] })
}

/// Old clients know an empty list as the number 0.
fn list_or_zero(item: Value) -> Value {
    json!({ "anyOf": [{ "type": "array", "items": item }, { "const": 0 }] })
}

fn map(value: Value) -> Value {
    json!({ "type": "object", "additionalProperties": value })
}

/// An object with exactly these fields.
fn object(properties: Value) -> Value {
    let required: Vec<String> = properties
        .as_object()
        .map(|fields| fields.keys().cloned().collect())
        .unwrap_or_default();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}
