//! The group `lookup`.

use super::{ActionDoc, Example, Kind, Param, Shape};
use crate::action::Action;

const STEAM: Param = Param::query("id", Kind::SteamId, "The player.");
const DISCORD: Param = Param::query("id", Kind::DiscordId, "The member.");
const STEAM_LIST: [Param; 2] = [
    Param::query("id", Kind::SteamIds, "The players.").optional(),
    Param::body("ids", Kind::SteamIds, "The same as a JSON array, for long lists.").optional(),
];
const NO_USERS: &str = "\"No users found.\"";
const BARE: &str = "A Server with bare_ids turned on gets the digits alone, as plain text.";
const ANSWERED_ONCE: &str = "Every ID you ask for is answered once, in the order you asked.";
const ODD_IDS: &str = "An entry that is not a Steam ID is answered with false under its own text.";
const NO_ID: &str = "A call without id is refused; an empty id returns an empty object.";

pub const FIND_BY_STEAM: ActionDoc = ActionDoc::new(
    Action::FindBySteam,
    "The Discord ID linked to a Steam ID.",
    Shape::DiscordId,
    Example::get("id=76561198000000001", "\"223456789012345678\""),
)
.with(&[STEAM])
.noting(&[BARE])
.missing(Example::get("id=76561198000000009", NO_USERS).status(404));

pub const FIND_BY_DISCORD: ActionDoc = ActionDoc::new(
    Action::FindByDiscord,
    "The Steam ID linked to a Discord ID.",
    Shape::SteamId,
    Example::get("id=223456789012345678", "\"76561198000000001\""),
)
.with(&[DISCORD])
.noting(&[BARE])
.missing(Example::get("id=923456789012345678", NO_USERS).status(404));

pub const DISCORD_CHECK: ActionDoc = ActionDoc {
    action: Action::DiscordCheck,
    notes: &["An older name for findByDiscord.", BARE],
    ..FIND_BY_DISCORD
};

pub const STEAM_CHECKS: ActionDoc = ActionDoc::new(
    Action::SteamChecks,
    "Which of several Steam IDs are linked.",
    Shape::Flags,
    Example::get(
        "id=76561198000000001,76561198000000009",
        r#"{"76561198000000001":true,"76561198000000009":false}"#,
    ),
)
.with(&STEAM_LIST)
.noting(&[ANSWERED_ONCE, ODD_IDS, NO_ID]);

pub const IS_LINKED_STEAM_BULK: ActionDoc = ActionDoc {
    action: Action::IsLinkedSteamBulk,
    notes: &["An older name for steamChecks.", ANSWERED_ONCE, ODD_IDS, NO_ID],
    example: Example::post(
        r#"{"ids":["76561198000000009","76561198000000001"]}"#,
        r#"{"76561198000000009":false,"76561198000000001":true}"#,
    ),
    ..STEAM_CHECKS
};

pub const NITRO_CHECKS: ActionDoc = ActionDoc {
    action: Action::NitroChecks,
    summary: "Which of several Steam IDs belong to boosters of the Discord server.",
    ..STEAM_CHECKS
};

pub const GROUP_CHECKS: ActionDoc = ActionDoc::new(
    Action::GroupChecks,
    "Which of several Steam IDs are members of a Steam group.",
    Shape::Flags,
    Example::get(
        "id=76561198000000001,76561198000000009",
        r#"{"76561198000000001":true,"76561198000000009":false}"#,
    ),
)
.with(&[
    STEAM_LIST[0],
    STEAM_LIST[1],
    Param::query(
        "group",
        Kind::Text { most: 64 },
        "ID of the Steam group. Without one, or with a name, the Guild's own group is used.",
    )
    .optional(),
])
.noting(&[
    "Steam is asked, and its answer is cached for a few minutes.",
    "An ID that Steam says nothing about, such as a private profile, is left out of the answer.",
    "So is an entry that is not a Steam ID.",
    "When Steam says nothing at all, the call fails.",
]);

pub const GET_STEAM: ActionDoc = ActionDoc::new(
    Action::GetSteam,
    "The Steam name of a Discord member, as last reported.",
    Shape::Name,
    Example::get("id=223456789012345678", "\"Ada\""),
)
.with(&[DISCORD])
.missing(Example::get("id=923456789012345678", "false"))
.noting(&["For a member who is not linked, or whose name is unknown, the answer is false with status 200."]);

pub const GET_DISCORD: ActionDoc = ActionDoc {
    action: Action::GetDiscord,
    summary: "The Discord name of a linked member, as last known.",
    example: Example::get("id=223456789012345678", "\"ada.l\""),
    ..GET_STEAM
};

pub const GET_STEAM_BULK: ActionDoc = ActionDoc::new(
    Action::GetSteamBulk,
    "The Steam names of several Discord members.",
    Shape::Names,
    Example::post(
        r#"{"discord_ids":["223456789012345678","923456789012345678"]}"#,
        r#"{"223456789012345678":"Ada"}"#,
    ),
)
.with(&[
    Param::body("discord_ids", Kind::DiscordIds, "The members.").optional(),
    Param::query("id", Kind::DiscordIds, "The same in the query.").optional(),
])
.noting(&["Members without a known name are left out, and so are entries that are not Discord IDs."]);

pub const COUNT: ActionDoc = ActionDoc::new(
    Action::Count,
    "How many active links the Guild has.",
    Shape::Total,
    Example::get("", r#"{"Total":2}"#),
);

pub const LIST_ALL_LINKED: ActionDoc = ActionDoc::new(
    Action::ListAllLinked,
    "Every active link of the Guild, page by page.",
    Shape::Links,
    Example::get(
        "limit=1",
        r#"{"Result":[{"discord_id":"223456789012345678","steam_id":"76561198000000001","discord_name":"ada.l","steam_name":"Ada","linked_at_ms":1767225600000}],"next":"223456789012345678"}"#,
    ),
)
.with(&[
    Param::query("limit", Kind::Number { from: 1, to: 1000 }, "Links per page; 1000 by default.").optional(),
    Param::query("cursor", Kind::Cursor, "The next value of the previous page.").optional(),
    Param::query(
        "since",
        Kind::Number { from: 0, to: 253_402_300_799_999 },
        "Unix time in milliseconds: only links created, verified or ended since then, in the order of their last change.",
    )
    .optional(),
])
.missing(Example::get("cursor=99999999999999999999", r#"{"Result":0}"#))
.noting(&[
    "On the last page next is null.",
    "When nothing is left, Result is the number 0 instead of a list.",
    "With since, ended links are listed too, with ended_at as a Unix time in milliseconds; send the same since with every page.",
    "To miss nothing, ask from a minute before your last call: several machines' clocks write these times.",
]);

pub const LIST_NITRO: ActionDoc = ActionDoc::new(
    Action::ListNitro,
    "The boosters of the Discord server who are linked.",
    Shape::Boosters,
    Example::get("", r#"{"Result":[{"discord_id":"223456789012345678"}]}"#),
)
.noting(&[
    "When a link ends, its member no longer counts as a booster until that is reported again.",
    "With no boosters the answer is {\"Result\":0} with status 404.",
]);
