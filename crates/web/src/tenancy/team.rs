//! The team of an Org: members, what they may do, and who owns it.

use app::identity::sessions;
use app::tenancy::team::{self, MemberChange};
use app::{App, pictures};
use domain::id::AccountId;
use domain::permission::{Permission, PermissionArea, Role};
use domain::platform_id::DiscordId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{Authorized, JsonBody, Segments, perm};
use crate::fields::{confirmed, permission_names, permission_set};
use crate::openapi::words;
use crate::routes::{Answer, Done, Found};

#[derive(Serialize, ToSchema)]
pub struct Team {
    members: Vec<Member>,
    areas: Vec<Area>,
    defaults: Vec<RoleDefaults>,
    /// What the caller holds and can hand out.
    grantable: Vec<&'static str>,
}

#[derive(Serialize, ToSchema)]
pub struct Member {
    #[schema(value_type = String)]
    account_id: AccountId,
    name: String,
    /// Where their picture is.
    picture: Option<String>,
    #[schema(value_type = String)]
    discord_id: DiscordId,
    #[schema(value_type = words::Role)]
    role: &'static str,
    permissions: Vec<&'static str>,
    joined_at_ms: i64,
    you: bool,
    /// Whether the caller may change or remove this member.
    can_edit: bool,
    /// One more with every change of role or permissions.
    revision: i64,
}

#[derive(Serialize, ToSchema)]
pub struct Area {
    name: &'static str,
    permissions: Vec<&'static str>,
}

#[derive(Serialize, ToSchema)]
pub struct RoleDefaults {
    #[schema(value_type = words::Role)]
    role: &'static str,
    permissions: Vec<&'static str>,
}

#[derive(Deserialize, ToSchema)]
#[schema(as = MemberChange)]
#[serde(deny_unknown_fields)]
pub struct Change {
    #[schema(value_type = Option<words::Role>)]
    role: Option<Role>,
    permissions: Option<Vec<String>>,
    /// As it was read. A save by somebody else since then refuses this one; without it, the last one counts.
    revision: Option<i64>,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Transfer {
    #[schema(value_type = String)]
    account_id: AccountId,
    /// The organisation's short name, typed by hand.
    #[schema(min_length = 3, max_length = 40, pattern = "^[a-z0-9]+(-[a-z0-9]+)*$")]
    confirm: String,
}

fn areas() -> Vec<Area> {
    let of = |area: PermissionArea| {
        let inside = Permission::ALL.iter().filter(move |one| one.area() == area);
        Area {
            name: area.as_str(),
            permissions: inside.map(|one| one.as_str()).collect(),
        }
    };
    PermissionArea::ALL.iter().map(|area| of(*area)).collect()
}

pub async fn list(app: App, caller: Authorized<perm::OrgTeam>, (): ()) -> Answer<Found<Team>> {
    let everybody = team::list(&app, caller.scope).await?;
    let viewer = caller.standing();
    let shown = everybody.into_iter().map(|member| Member {
        you: member.num == caller.account,
        can_edit: member.role != Role::Owner && viewer.outranks(member.role),
        picture: member
            .picture
            .map(|digest| pictures::address(member.account.as_str(), &digest)),
        account_id: member.account,
        name: member.name,
        discord_id: member.discord_id,
        role: member.role.as_str(),
        permissions: permission_names(member.permissions),
        joined_at_ms: member.joined_at_ms,
        revision: member.revision,
    });
    let defaults = [Role::Admin, Role::Staff].map(|role| RoleDefaults {
        role: role.as_str(),
        permissions: permission_names(role.default_permissions()),
    });
    Ok(Found(Team {
        members: shown.collect(),
        areas: areas(),
        defaults: defaults.into(),
        grantable: permission_names(caller.permissions),
    }))
}

pub async fn change(
    app: App,
    caller: Authorized<perm::OrgTeam>,
    (Segments(member), JsonBody(change)): (Segments<AccountId>, JsonBody<Change>),
) -> Answer<Done> {
    let permissions = change.permissions.as_deref().map(permission_set).transpose()?;
    let change = MemberChange {
        role: change.role,
        permissions,
        revision: change.revision,
    };
    team::change(&app, caller.scope, caller.team_actor(), member, change).await?;
    Ok(Done)
}

pub async fn remove(
    app: App,
    caller: Authorized<perm::OrgTeam>,
    Segments(member): Segments<AccountId>,
) -> Answer<Done> {
    team::remove(&app, caller.scope, caller.team_actor(), member).await?;
    Ok(Done)
}

pub async fn transfer(
    app: App,
    caller: Authorized<perm::OwnerOfTeam>,
    JsonBody(transfer): JsonBody<Transfer>,
) -> Answer<Done> {
    sessions::require_fresh(&app, caller.signed_in_at_ms)?;
    confirmed(&app, caller.scope, &transfer.confirm).await?;
    team::transfer(&app, caller.scope, caller.team_actor(), transfer.account_id).await?;
    Ok(Done)
}
