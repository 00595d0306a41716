//! The group `update`.

use super::{ActionDoc, Example, Kind, Param, Shape};
use crate::action::Action;

const IDEMPOTENT: &str = "Repeating the call changes nothing.";

pub const UPDATE: ActionDoc = ActionDoc::new(
    Action::Update,
    "Asks the bot to give players a Discord role or take it away.",
    Shape::Text("Roles updated"),
    Example::get(
        "id=76561198000000001&role=523456789012345678&mode=add",
        "\"Roles updated\"",
    ),
)
.with(&[
    Param::query(
        "id",
        Kind::SteamIds,
        "The players; any who are not linked are ignored.",
    )
    .optional(),
    Param::body("ids", Kind::SteamIds, "The same as a JSON array, for long lists.").optional(),
    Param::query(
        "role",
        Kind::DiscordId,
        "A role the Guild's settings let plugins change; any other is refused.",
    ),
    Param::query("mode", Kind::OneOf(&["add", "remove"]), "What to do with it."),
])
.noting(&[IDEMPOTENT]);

pub const UPDATE_NITRO: ActionDoc = ActionDoc::new(
    Action::UpdateNitro,
    "Records whether a member boosts the Discord server.",
    Shape::Text("Nitro updated"),
    Example::get("id=223456789012345678&status=1", "\"Nitro updated\""),
)
.with(&[
    Param::query("id", Kind::DiscordId, "The member, linked or not."),
    Param::query(
        "status",
        Kind::OneOf(&["0", "1"]),
        "Whether they boost: 1 for yes, 0 for no.",
    ),
])
.noting(&[IDEMPOTENT]);

pub const UPDATE_NITRO_BULK: ActionDoc = ActionDoc::new(
    Action::UpdateNitroBulk,
    "Marks several members as boosters and leaves everyone else unchanged.",
    Shape::Counted,
    Example::post(
        r#"{"discord_ids":["223456789012345678"]}"#,
        r#"{"updated":1,"errors":0}"#,
    ),
)
.with(&[Param::body(
    "discord_ids",
    Kind::DiscordIds,
    "The members, linked or not.",
)])
.noting(&[
    "Entries that are not Discord IDs count as errors; the others are stored.",
    "A Guild has at most 10,000 boosters.",
]);

pub const UPDATE_STEAM: ActionDoc = ActionDoc::new(
    Action::UpdateSteam,
    "Reports the current Steam name of one or several players.",
    Shape::Text("Steam updated"),
    Example::get("id=76561198000000001&name=Ada", "\"Steam updated\""),
)
.with(&[
    Param::query(
        "id",
        Kind::SteamId,
        "The player; ignored if not linked. Required without a body.",
    )
    .optional(),
    Param::query(
        "name",
        Kind::Text { most: 200 },
        "The name. Characters such as & need no encoding. Required without a body.",
    )
    .optional(),
    Param::body(
        "players",
        Kind::NamesByPlayer,
        "The names of several players instead.",
    )
    .optional(),
])
.for_many(
    Shape::Counted,
    Example::post(
        r#"{"players":{"76561198000000001":"Ada","76561198000000009":"Zed"}}"#,
        r#"{"updated":1,"errors":1}"#,
    ),
)
.noting(&[
    "If a nickname differs from the name, pendingNicknames lists it from now on.",
    "Zero-width characters are removed from names.",
    "In a list, players who are not linked and unreadable entries count as errors; the others are stored.",
]);

pub const UPDATE_OXIDE_GROUPS: ActionDoc = ActionDoc::new(
    Action::UpdateOxideGroups,
    "Reports a player's permission groups on this game server.",
    Shape::Text("Oxide groups updated"),
    Example::get(
        "id=76561198000000001&groups=vip,default",
        "\"Oxide groups updated\"",
    ),
)
.with(&[
    Param::query("id", Kind::SteamId, "The player; ignored if not linked."),
    Param::query(
        "groups",
        Kind::Names,
        "All of the player's groups; leave out for none.",
    )
    .optional(),
])
.noting(&["The list replaces the previous one."]);

pub const UPDATE_OXIDE_GROUPS_BULK: ActionDoc = ActionDoc::new(
    Action::UpdateOxideGroupsBulk,
    "Reports the permission groups of several players.",
    Shape::Counted,
    Example::post(
        r#"{"players":{"76561198000000001":["vip"],"76561198000000009":["default"]}}"#,
        r#"{"updated":1,"errors":1}"#,
    ),
)
.with(&[Param::body(
    "players",
    Kind::GroupsByPlayer,
    "All groups of each player.",
)])
.noting(&["Players who are not linked and unreadable entries count as errors; the others are stored."]);
