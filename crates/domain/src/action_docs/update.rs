//! The group `update`.

use super::{ActionDoc, Example, Kind, Param, Shape};
use crate::action::Action;

const IDEMPOTENT: &str = "The same call again changes nothing.";

pub const UPDATE: ActionDoc = ActionDoc::new(
    Action::Update,
    "Asks the bot to give players a Discord role, or to take it away.",
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
        "The players; those who are not linked are passed over.",
    )
    .optional(),
    Param::body("ids", Kind::SteamIds, "The same as a JSON array, for long lists.").optional(),
    Param::query(
        "role",
        Kind::DiscordId,
        "A role that the Guild's settings let plugins change; any other is refused.",
    ),
    Param::query("mode", Kind::OneOf(&["add", "remove"]), "What to do with it."),
])
.noting(&[IDEMPOTENT]);

pub const UPDATE_NITRO: ActionDoc = ActionDoc::new(
    Action::UpdateNitro,
    "Notes whether a member boosts the Discord server.",
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
    "Marks many members as boosters and leaves all others as they are.",
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
    "Entries that are not Discord ids are counted as errors; the others are stored.",
    "A Guild has at most 10,000 boosters.",
]);

pub const UPDATE_STEAM: ActionDoc = ActionDoc::new(
    Action::UpdateSteam,
    "Reports the current Steam name of a player, or of many.",
    Shape::Text("Steam updated"),
    Example::get("id=76561198000000001&name=Ada", "\"Steam updated\""),
)
.with(&[
    Param::query(
        "id",
        Kind::SteamId,
        "The player; one who is not linked is passed over. Needed without a body.",
    )
    .optional(),
    Param::query(
        "name",
        Kind::Text { most: 200 },
        "The name. Characters such as & need not be encoded. Needed without a body.",
    )
    .optional(),
    Param::body("players", Kind::NamesByPlayer, "The names of many players instead.").optional(),
])
.for_many(
    Shape::Counted,
    Example::post(
        r#"{"players":{"76561198000000001":"Ada","76561198000000009":"Zed"}}"#,
        r#"{"updated":1,"errors":1}"#,
    ),
)
.noting(&[
    "A nickname that differs from the name is offered by pendingNicknames from now on.",
    "Characters that take no room are left out of a name.",
    "Of many, players who are not linked and entries that cannot be read are counted as errors; the others are stored.",
]);

pub const UPDATE_OXIDE_GROUPS: ActionDoc = ActionDoc::new(
    Action::UpdateOxideGroups,
    "Reports the permission groups that a player is in on this game server.",
    Shape::Text("Oxide groups updated"),
    Example::get(
        "id=76561198000000001&groups=vip,default",
        "\"Oxide groups updated\"",
    ),
)
.with(&[
    Param::query(
        "id",
        Kind::SteamId,
        "The player; one who is not linked is passed over.",
    ),
    Param::query(
        "groups",
        Kind::Names,
        "All groups of the player; none means no groups.",
    )
    .optional(),
])
.noting(&["The list replaces the one reported before."]);

pub const UPDATE_OXIDE_GROUPS_BULK: ActionDoc = ActionDoc::new(
    Action::UpdateOxideGroupsBulk,
    "Reports the permission groups of many players.",
    Shape::Counted,
    Example::post(
        r#"{"players":{"76561198000000001":["vip"],"76561198000000009":["default"]}}"#,
        r#"{"updated":1,"errors":1}"#,
    ),
)
.with(&[Param::body("players", Kind::GroupsByPlayer, "All groups of each player.")])
.noting(&["Players who are not linked and entries that cannot be read are counted as errors; the others are stored."]);
