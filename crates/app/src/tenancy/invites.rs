//! Invitations: links that make whoever follows them a member. What the invited see and do is in `invited`.

use domain::audit::AuditAction;
use domain::id::InviteId;
use domain::invitation::{Code, Expiry};
use domain::permission::{Permission, PermissionSet, Role};
use domain::seal::Aad;
use serde_json::json;
use storage::records::audit::Act;
pub use storage::tenancy::invites::Invite;
use storage::tenancy::invites::{self, NewInvite, StoredCode};
use storage::tenancy::orgs;
use storage::{AccountNum, OrgScope, Tx, Work};

use crate::error::{AppError, RequestError};
use crate::once::{Outcome, PressBy};
use crate::state::App;
use crate::tenancy::team::{Standing, TeamActor};

/// Invitations of one Org that work at the same time.
const MOST_OPEN: i64 = 100;
const NOTE_MAX: usize = 200;

pub(crate) fn sealed_place(invite: &str, version: i64) -> Aad<'_> {
    Aad {
        table: "invites",
        column: "sealed",
        row: invite,
        version,
    }
}

/// An invitation as one of the team sees it.
pub struct ShownInvite {
    /// As it is stored; its code is sealed.
    pub invite: Invite,
    /// Its address, as long as it works, for those who could have made it.
    pub url: Option<String>,
    /// Too old, as opposed to revoked.
    pub expired: bool,
    /// Whether they may replace its code and revoke it.
    pub can_edit: bool,
}

fn shown_to(app: &App, viewer: &Standing, invite: Invite) -> ShownInvite {
    let now_ms = app.now_ms();
    let can_edit = viewer.refuse_beyond(invite.role, invite.permissions).is_ok();
    let url = can_edit.then(|| open_url(app, &invite, now_ms)).flatten();
    ShownInvite {
        url,
        expired: invite.expires_at_ms.is_some_and(|end| end <= now_ms),
        can_edit,
        invite,
    }
}

fn open_url(app: &App, invite: &Invite, now_ms: i64) -> Option<String> {
    if !invite.works_at(now_ms) {
        return None;
    }
    let place = sealed_place(invite.id.as_str(), invite.version);
    let plain = app.vault.open_sealed(&place, &invite.sealed).ok()?;
    let code = std::str::from_utf8(&plain).ok()?;
    Some([&app.public_url, "/invite/", code].concat())
}

/// The newest invitations of an Org, as somebody of this standing sees them.
pub async fn list(app: &App, scope: OrgScope, viewer: Standing) -> Result<Vec<ShownInvite>, AppError> {
    let found = invites::list(&app.db, scope).await?;
    let shown = found.into_iter().map(|invite| shown_to(app, &viewer, invite));
    Ok(shown.collect())
}

async fn get(app: &App, scope: OrgScope, id: &InviteId, viewer: Standing) -> Result<ShownInvite, AppError> {
    let found = invites::find(&app.db, scope, id).await?;
    Ok(shown_to(app, &viewer, found.ok_or(RequestError::NotFound)?))
}

/// An invitation as somebody wants it; it cannot give more than they hold.
pub struct InviteRequest {
    /// Never the owner's.
    pub role: Role,
    /// What a new member starts with.
    pub permissions: PermissionSet,
    /// For the team; the invited do not see it.
    pub note: Option<String>,
    /// Counted from the making; a new code does not change it.
    pub expiry: Expiry,
}

/// A code in the three forms in which it exists.
struct Sealed {
    hash: String,
    sealed: String,
    kid: String,
}

impl Sealed {
    fn generate(app: &App, invite: &InviteId, version: i64) -> Self {
        let code = Code::generate(&*app.random);
        let place = sealed_place(invite.as_str(), version);
        let (sealed, kid) = app.vault.seal(&*app.random, &place, code.expose().as_bytes());
        Self {
            hash: code.invite_hash(),
            sealed,
            kid,
        }
    }

    fn stored(&self) -> StoredCode<'_> {
        StoredCode {
            hash: &self.hash,
            sealed: &self.sealed,
            sealed_kid: &self.kid,
        }
    }
}

/// Makes an invitation. Nobody can invite to more than they are.
pub async fn create(
    app: &App,
    scope: OrgScope,
    by: TeamActor,
    request: InviteRequest,
) -> Result<ShownInvite, AppError> {
    let act = app.act(scope, by.actor);
    let (id, work) = prepare(app, &act, by.account, request)?;
    let by = app.db.write_for(act, work).await?;
    get(app, scope, &id, by).await.map_err(AppError::after_write)
}

/// The same for a press that may be repeated. A repetition does not show the link again.
pub async fn create_once(
    app: &App,
    press: PressBy,
    scope: OrgScope,
    by: TeamActor,
    viewer: Standing,
    request: InviteRequest,
) -> Result<ShownInvite, AppError> {
    let act = app.act(scope, by.actor);
    let (id, work) = prepare(app, &act, by.account, request)?;
    match press
        .write_for(app, id.as_str(), InviteId::parse, act, work)
        .await?
    {
        Outcome::Made(by) => get(app, scope, &id, by).await.map_err(AppError::after_write),
        Outcome::MadeBefore(id) => Ok(ShownInvite {
            url: None,
            ..get(app, scope, &id, viewer).await?
        }),
    }
}

fn prepare(
    app: &App,
    act: &Act,
    account: AccountNum,
    request: InviteRequest,
) -> Result<(InviteId, Create), AppError> {
    if request.role == Role::Owner {
        return Err(AppError::invalid("role", "ownership is transferred, not granted"));
    }
    let note = request
        .note
        .as_deref()
        .map(str::trim)
        .filter(|note| !note.is_empty());
    if note.is_some_and(|note| note.chars().count() > NOTE_MAX || note.chars().any(char::is_control)) {
        return Err(AppError::invalid(
            "note",
            "must be one line of at most 200 characters",
        ));
    }
    let id = InviteId::generate(act.now_ms, &*app.random);
    let work = Create {
        code: Sealed::generate(app, &id, 1),
        id: id.clone(),
        account,
        note: note.map(str::to_owned),
        request,
    };
    Ok((id, work))
}

struct Create {
    id: InviteId,
    account: AccountNum,
    code: Sealed,
    note: Option<String>,
    request: InviteRequest,
}

impl Work for Create {
    type For = Act;
    type Output = Standing;
    type Error = AppError;
    const NAME: &'static str = "create_invite";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<Standing, AppError> {
        let (scope, now_ms) = (act.scope, act.now_ms);
        orgs::lock(tx, scope).await?;
        let by = Standing::of_actor(tx, scope, self.account, Permission::OrgInvites).await?;
        by.refuse_beyond(self.request.role, self.request.permissions)?;
        if invites::count_open(tx, scope, now_ms).await? >= MOST_OPEN {
            return Err(RequestError::Conflict(
                "This organisation already has 100 open invites. Revoke some first.",
            )
            .into());
        }
        let new = NewInvite {
            id: &self.id,
            code: self.code.stored(),
            role: self.request.role,
            permissions: self.request.permissions,
            note: self.note.as_deref(),
            account: self.account,
            now_ms,
            expires_at_ms: self.request.expiry.ends_at_ms(now_ms),
        };
        invites::insert(tx, scope, &new).await?;
        let detail = json!({ "role": self.request.role, "expires": self.request.expiry });
        let target = Some(self.id.as_str());
        act.note(tx, AuditAction::InviteCreated, target, &detail).await?;
        Ok(by)
    }
}

/// Replaces the code of an invitation; members who came with the old one stay.
pub async fn reissue(
    app: &App,
    scope: OrgScope,
    by: TeamActor,
    id: InviteId,
) -> Result<ShownInvite, AppError> {
    let found = invites::find(&app.db, scope, &id).await?;
    let version = found.ok_or(RequestError::NotFound)?.version;
    let work = Reissue {
        code: Sealed::generate(app, &id, version + 1),
        id: id.clone(),
        account: by.account,
        version,
    };
    let by = app.db.write_for(app.act(scope, by.actor), work).await?;
    get(app, scope, &id, by).await.map_err(AppError::after_write)
}

struct Reissue {
    id: InviteId,
    account: AccountNum,
    code: Sealed,
    version: i64,
}

impl Work for Reissue {
    type For = Act;
    type Output = Standing;
    type Error = AppError;
    const NAME: &'static str = "reissue_invite";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<Standing, AppError> {
        let scope = act.scope;
        orgs::lock(tx, scope).await?;
        let (by, invite) = decided(tx, scope, self.account, &self.id).await?;
        if !invites::reissue(tx, scope, invite.num, &self.code.stored(), self.version).await? {
            return Err(RequestError::Conflict(
                "This invite was revoked or changed in the meantime. Reload the list.",
            )
            .into());
        }
        let target = Some(self.id.as_str());
        act.note(tx, AuditAction::InviteReissued, target, &json!({}))
            .await?;
        Ok(by)
    }
}

/// An existing invitation and the one who decides about it, once it is clear that they could have made it.
async fn decided(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    by: AccountNum,
    invite: &InviteId,
) -> Result<(Standing, Invite), AppError> {
    let by = Standing::of_actor(tx, scope, by, Permission::OrgInvites).await?;
    let invite = invites::find_in(tx, scope, invite).await?;
    let invite = invite.ok_or(RequestError::NotFound)?;
    by.refuse_beyond(invite.role, invite.permissions)?;
    Ok((by, invite))
}

/// Ends an invitation; one that was revoked before stays so.
pub async fn revoke(app: &App, scope: OrgScope, by: TeamActor, id: InviteId) -> Result<(), AppError> {
    let account = by.account;
    let act = app.act(scope, by.actor);
    app.db.write_for(act, Revoke { id, account }).await
}

struct Revoke {
    id: InviteId,
    account: AccountNum,
}

impl Work for Revoke {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "revoke_invite";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        let scope = act.scope;
        orgs::lock(tx, scope).await?;
        let (_, invite) = decided(tx, scope, self.account, &self.id).await?;
        if !invites::revoke(tx, scope, invite.num, act.now_ms).await? {
            return Ok(());
        }
        let target = Some(self.id.as_str());
        Ok(act
            .note(tx, AuditAction::InviteRevoked, target, &json!({}))
            .await?)
    }
}
