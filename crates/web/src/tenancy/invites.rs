//! Invitations to a team.

use app::App;
use app::tenancy::invites::{self, InviteRequest, ShownInvite};
use domain::id::InviteId;
use domain::invitation::Expiry;
use domain::permission::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{Authorized, JsonBody, Pressed, Segments, perm};
use crate::fields::{permission_names, permission_set};
use crate::openapi::words;
use crate::routes::{Answer, Created, Done, Found, FoundSecret};

#[derive(Serialize, ToSchema)]
pub struct InviteList {
    invites: Vec<InviteView>,
}

#[derive(Serialize, ToSchema)]
pub struct InviteView {
    #[schema(value_type = String)]
    id: InviteId,
    /// Nothing once it does not work any more, for callers who could not have made it, and when a request was a
    /// repetition.
    url: Option<String>,
    /// Whether the caller could have made it, and so may re-issue and revoke it.
    can_edit: bool,
    #[schema(value_type = words::Role)]
    role: &'static str,
    permissions: Vec<&'static str>,
    note: Option<String>,
    created_at_ms: i64,
    created_by: String,
    expires_at_ms: Option<i64>,
    revoked: bool,
    expired: bool,
    uses: i64,
}

impl From<ShownInvite> for InviteView {
    fn from(found: ShownInvite) -> Self {
        let invite = found.invite;
        Self {
            url: found.url,
            can_edit: found.can_edit,
            expired: found.expired,
            id: invite.id,
            role: invite.role.as_str(),
            permissions: permission_names(invite.permissions),
            note: invite.note,
            created_at_ms: invite.created_at_ms,
            created_by: invite.account_name,
            expires_at_ms: invite.expires_at_ms,
            revoked: invite.revoked,
            uses: invite.uses,
        }
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewInvite {
    #[schema(value_type = words::Role)]
    role: Role,
    permissions: Vec<String>,
    #[serde(default)]
    note: Option<String>,
    #[schema(value_type = words::InviteExpiry)]
    expires: Expiry,
}

pub async fn list(app: App, caller: Authorized<perm::OrgInvites>, (): ()) -> Answer<FoundSecret<InviteList>> {
    let found = invites::list(&app, caller.scope, caller.standing()).await?;
    Ok(FoundSecret(InviteList {
        invites: found.into_iter().map(InviteView::from).collect(),
    }))
}

pub async fn create(
    app: App,
    caller: Authorized<perm::OrgInvites>,
    Pressed(JsonBody(new), press): Pressed<JsonBody<NewInvite>>,
) -> Answer<Created<InviteView>> {
    let request = InviteRequest {
        role: new.role,
        permissions: permission_set(&new.permissions)?,
        note: new.note,
        expiry: new.expires,
    };
    let (scope, press, viewer) = (caller.scope, press.by(caller.account), caller.standing());
    let made = invites::create_once(&app, press, scope, caller.team_actor(), viewer, request).await?;
    Ok(Created(made.into()))
}

pub async fn reissue(
    app: App,
    caller: Authorized<perm::OrgInvites>,
    Segments(id): Segments<InviteId>,
) -> Answer<Found<InviteView>> {
    let made = invites::reissue(&app, caller.scope, caller.team_actor(), id).await?;
    Ok(Found(made.into()))
}

pub async fn revoke(
    app: App,
    caller: Authorized<perm::OrgInvites>,
    Segments(id): Segments<InviteId>,
) -> Answer<Done> {
    invites::revoke(&app, caller.scope, caller.team_actor(), id).await?;
    Ok(Done)
}
