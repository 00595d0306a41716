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
const BARE: &str = "A Server whose bare_ids is switched on is answered with the digits alone, as plain text.";
const ANSWERED_ONCE: &str = "Every id that was asked for is answered once, in the order asked.";
const ODD_IDS: &str = "An entry that is not a Steam id is answered with false under its own text.";
const NO_ID: &str = "A call without id is refused; an empty one is answered with an empty object.";

pub const FIND_BY_STEAM: ActionDoc = ActionDoc::new(
    Action::FindBySteam,
    "The Discord id that a Steam id is linked to.",
    Shape::DiscordId,
    Example::get("id=76561198000000001", "\"223456789012345678\""),
)
.with(&[STEAM])
.noting(&[BARE])
.missing(Example::get("id=76561198000000009", NO_USERS).status(404));

pub const FIND_BY_DISCORD: ActionDoc = ActionDoc::new(
    Action::FindByDiscord,
    "The Steam id that a Discord id is linked to.",
    Shape::SteamId,
    Example::get("id=223456789012345678", "\"76561198000000001\""),
)
.with(&[DISCORD])
.noting(&[BARE])
.missing(Example::get("id=923456789012345678", NO_USERS).status(404));

pub const DISCORD_CHECK: ActionDoc = ActionDoc {
    action: Action::DiscordCheck,
    notes: &["An older name of findByDiscord.", BARE],
    ..FIND_BY_DISCORD
};

pub const STEAM_CHECKS: ActionDoc = ActionDoc::new(
    Action::SteamChecks,
    "Which of many Steam ids are linked.",
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
    notes: &["An older name of steamChecks.", ANSWERED_ONCE, ODD_IDS, NO_ID],
    example: Example::post(
        r#"{"ids":["76561198000000009","76561198000000001"]}"#,
        r#"{"76561198000000009":false,"76561198000000001":true}"#,
    ),
    ..STEAM_CHECKS
};

pub const NITRO_CHECKS: ActionDoc = ActionDoc {
    action: Action::NitroChecks,
    summary: "Which of many Steam ids belong to boosters of the Discord server.",
    ..STEAM_CHECKS
};

pub const GROUP_CHECKS: ActionDoc = ActionDoc::new(
    Action::GroupChecks,
    "Which of many Steam ids are members of a Steam group.",
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
        "Number of the Steam group. Without one, or with a name, the Guild's own group is meant.",
    )
    .optional(),
])
.noting(&[
    "Steam is asked, and its answer is remembered for a few minutes.",
    "An id that Steam tells nothing about, such as a private profile, is left out of the answer.",
    "So is an entry that is not a Steam id.",
    "When Steam tells nothing at all, the call fails.",
]);

pub const GET_STEAM: ActionDoc = ActionDoc::new(
    Action::GetSteam,
    "The Steam name of a Discord member, as last reported.",
    Shape::Name,
    Example::get("id=223456789012345678", "\"Ada\""),
)
.with(&[DISCORD])
.missing(Example::get("id=923456789012345678", "false"))
.noting(&["A member who is not linked, or whose name is not known, is answered with false and status 200."]);

pub const GET_DISCORD: ActionDoc = ActionDoc {
    action: Action::GetDiscord,
    summary: "The Discord name of a linked member, as last known.",
    example: Example::get("id=223456789012345678", "\"ada.l\""),
    ..GET_STEAM
};

pub const GET_STEAM_BULK: ActionDoc = ActionDoc::new(
    Action::GetSteamBulk,
    "The Steam names of many Discord members.",
    Shape::Names,
    Example::post(
        r#"{"discord_ids":["223456789012345678","923456789012345678"]}"#,
        r#"{"223456789012345678":"Ada"}"#,
    ),
)
.with(&[
    Param::body("discord_ids", Kind::DiscordIds, "The members.").optional(),
    Param::query("id", Kind::DiscordIds, "The same in the address.").optional(),
])
.noting(&["Members without a known name are left out, and so are entries that are not Discord ids."]);

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
    Param::query("limit", Kind::Number { from: 1, to: 1000 }, "Links of one page; 1000 unless given.").optional(),
    Param::query("cursor", Kind::Cursor, "The next of the page before.").optional(),
    Param::query(
        "since",
        Kind::Number { from: 0, to: 253_402_300_799_999 },
        "Unix time in milliseconds: only links that were made, verified or ended then or later, in the order of their last change.",
    )
    .optional(),
])
.missing(Example::get("cursor=99999999999999999999", r#"{"Result":0}"#))
.noting(&[
    "On the last page next is null.",
    "Where nothing is left, Result is the number 0 and not a list.",
    "With since, links that have ended are listed too and carry ended_at, a Unix time in milliseconds; send the same since with every page.",
    "To miss nothing, ask from a minute before the last time you asked: several machines' clocks write these times.",
]);

pub const LIST_NITRO: ActionDoc = ActionDoc::new(
    Action::ListNitro,
    "The boosters of the Discord server who are linked.",
    Shape::Boosters,
    Example::get("", r#"{"Result":[{"discord_id":"223456789012345678"}]}"#),
)
.noting(&[
    "The end of a link forgets that its member boosts, until that is reported again.",
    "Without boosters the answer is {\"Result\":0} with status 404.",
]);
