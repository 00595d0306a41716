//! The group `sync`.

use super::{ActionDoc, Example, Kind, Param, Shape};
use crate::action::Action;

pub const PENDING_NICKNAMES: ActionDoc = ActionDoc::new(
    Action::PendingNicknames,
    "Members whose Discord nickname should become their Steam name.",
    Shape::Names,
    Example::get("", r#"{"223456789012345678":"Ada"}"#),
)
.noting(&["At most 50 at a time, the oldest links first; confirm each with confirmNicknameSync."]);

pub const CONFIRM_NICKNAME_SYNC: ActionDoc = ActionDoc::new(
    Action::ConfirmNicknameSync,
    "Records the nickname that was set on Discord.",
    Shape::Text("Nickname sync confirmed"),
    Example::get(
        "id=223456789012345678&nickname=Ada",
        "\"Nickname sync confirmed\"",
    ),
)
.with(&[
    Param::query("id", Kind::DiscordId, "The member; ignored if not linked."),
    Param::query("nickname", Kind::Text { most: 200 }, "The nickname as it is now."),
]);

pub const LIST_ALL_NICKNAMES: ActionDoc = ActionDoc::new(
    Action::ListAllNicknames,
    "The known Steam names of all linked members.",
    Shape::Names,
    Example::get("", r#"{"223456789012345678":"Ada"}"#),
)
.noting(&["Zero-width characters are removed, because Discord shows a name made of them as blank."]);

pub const PENDING_ROLES: ActionDoc = ActionDoc::new(
    Action::PendingRoles,
    "Players whose Discord roles should follow their permission groups on this game server.",
    Shape::WaitingRoles,
    Example::get(
        "",
        r#"[{"discord_id":"223456789012345678","steam_id":"76561198000000001","oxide_groups":["vip"],"discord_roles_synced":null}]"#,
    ),
)
.noting(&["At most 50 at a time; confirm each with confirmRoleSync."]);

pub const CONFIRM_ROLE_SYNC: ActionDoc = ActionDoc::new(
    Action::ConfirmRoleSync,
    "Records which of a member's roles or groups are now in sync.",
    Shape::Text("Role sync confirmed"),
    Example::get(
        "id=223456789012345678&synced=%5B%22vip%22%5D",
        "\"Role sync confirmed\"",
    ),
)
.with(&[
    Param::query("id", Kind::DiscordId, "The member; ignored if not linked."),
    Param::query("synced", Kind::Names, "What is in sync; leave out for nothing.").optional(),
])
.noting(&["Repeating the call changes nothing."]);

pub const SET_OXIDE_GROUP_FROM_DISCORD: ActionDoc = ActionDoc::new(
    Action::SetOxideGroupFromDiscord,
    "Queues changes to a member's permission groups for this game server to fetch.",
    Shape::Text("Pending Oxide changes saved"),
    Example::post(
        r#"{"discord_id":"223456789012345678","changes":[{"group":"vip","action":"add"}]}"#,
        "\"Pending Oxide changes saved\"",
    ),
)
.with(&[
    Param::body(
        "discord_id",
        Kind::DiscordId,
        "The member; if not linked, nothing is stored.",
    ),
    Param::body("changes", Kind::Changes, "At most 64 changes."),
])
.noting(&[
    "For each group, the newest change counts.",
    "A player can have at most 100 pending changes.",
]);

const CHANGES_NOTES: &[&str] = &["Fetching does not clear changes; clear them once applied."];

pub const GET_PENDING_OXIDE_CHANGES: ActionDoc = ActionDoc::new(
    Action::GetPendingOxideChanges,
    "A player's pending permission group changes on this game server.",
    Shape::Changes,
    Example::get("id=76561198000000001", r#"[{"group":"vip","action":"add"}]"#),
)
.with(&[Param::query("id", Kind::SteamId, "The player.")])
.missing(Example::get("id=76561198000000009", "[]"))
.noting(CHANGES_NOTES);

pub const GET_PENDING_OXIDE_CHANGES_BULK: ActionDoc = ActionDoc::new(
    Action::GetPendingOxideChangesBulk,
    "The pending changes of several players on this game server.",
    Shape::ChangesByPlayer,
    Example::get(
        "id=76561198000000001,76561198000000009",
        r#"{"76561198000000001":[{"group":"vip","action":"add"}]}"#,
    ),
)
.with(&[
    Param::query("id", Kind::SteamIds, "The players.").optional(),
    Param::body("ids", Kind::SteamIds, "The same as a JSON array, for long lists.").optional(),
])
.noting(&[
    "Players with nothing pending are left out, and so are entries that are not Steam IDs.",
    "Fetching does not clear changes; clear them once applied.",
]);
