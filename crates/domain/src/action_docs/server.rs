//! The groups `cleanup` and `server`.

use super::{ActionDoc, Example, Kind, Param, Shape};
use crate::action::Action;

pub const REMOVE: ActionDoc = ActionDoc::new(
    Action::Remove,
    "Unlinks a player or member.",
    Shape::Text("User Removed"),
    Example::get("id=76561198000000001", "\"User Removed\""),
)
.with(&[Param::query(
    "id",
    Kind::EitherId,
    "Either side of the link; the number shows which.",
)])
.noting(&[
    "Repeating the call, or naming someone who is not linked, gives the same answer and changes nothing.",
    "The link stays in the history with the cause plugin.",
]);

pub const CLEAR_PENDING_OXIDE_CHANGES: ActionDoc = ActionDoc::new(
    Action::ClearPendingOxideChanges,
    "Clears a player's pending changes on this game server.",
    Shape::Text("Pending changes cleared"),
    Example::get("id=76561198000000001", "\"Pending changes cleared\""),
)
.with(&[Param::query("id", Kind::SteamId, "The player.")]);

pub const CLEAR_PENDING_OXIDE_CHANGES_BULK: ActionDoc = ActionDoc::new(
    Action::ClearPendingOxideChangesBulk,
    "Clears the pending changes of several players on this game server.",
    Shape::Text("Bulk pending changes cleared"),
    Example::get(
        "id=76561198000000001,76561198000000009",
        "\"Bulk pending changes cleared\"",
    ),
)
.with(&[
    Param::query("id", Kind::SteamIds, "The players.").optional(),
    Param::body("ids", Kind::SteamIds, "The same as a JSON array, for long lists.").optional(),
])
.noting(&["Entries that are not Steam IDs are ignored."]);

pub const GET_SERVER_CONFIG: ActionDoc = ActionDoc::new(
    Action::GetServerConfig,
    "The Server's settings.",
    Shape::ServerConfig,
    Example::get(
        "",
        r#"{"link_url":"https://symbolon.example/link/guild-1","groups":{"linked":"linked","booster":"booster","steam_group":"steamgroup"},"group_roles":{},"steam_group":{"id":"4","long_id":"103582791429521412","url":"https://steamcommunity.com/gid/103582791429521412"},"poll_seconds":60}"#,
    ),
)
.noting(&["The steam_group is null where the Guild has none."]);

pub const GET_PLAYER: ActionDoc = ActionDoc::new(
    Action::GetPlayer,
    "Everything this game server may know about one or several players.",
    Shape::Player,
    Example::get(
        "id=76561198000000001",
        r#"{"linked":true,"discord_id":"223456789012345678","steam_id":"76561198000000001","discord_name":"ada.l","steam_name":"Ada","linked_at_ms":1767225600000,"country":null,"groups":["vip"],"trust":{"score":65,"tier":"Watch"}}"#,
    ),
)
.with(&[
    Param::query(
        "id",
        Kind::EitherId,
        "Either side of the link; the number shows which. Required without a body.",
    )
    .optional(),
    Param::body("ids", Kind::EitherIds, "Several players instead.").optional(),
])
.for_many(
    Shape::Players,
    Example::post(
        r#"{"ids":["76561198000000001","76561198000000009"]}"#,
        r#"{"76561198000000001":{"linked":true,"discord_id":"223456789012345678","steam_id":"76561198000000001","discord_name":"ada.l","steam_name":"Ada","linked_at_ms":1767225600000,"country":null,"groups":["vip"],"trust":{"score":65,"tier":"Watch"}},"76561198000000009":{"linked":false}}"#,
    ),
)
.noting(&["In a list, an entry that is not an ID is answered as not linked, under its own text."])
.missing(Example::get("id=76561198000000009", r#"{"linked":false}"#));
