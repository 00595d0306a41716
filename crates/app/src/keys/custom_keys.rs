//! Custom keys: made, edited, shown, revoked and removed by people who may handle keys.

use domain::action::ActionSet;
use domain::audit::{Actor, AuditAction};
use domain::id::{GuildId, KeyId, ServerId};
use domain::key::{KeyHash, KeyPrefix, PlainKey};
use domain::name::DisplayName;
use domain::plan::Tier;
use serde_json::{Value, json};
pub use storage::keys::custom_keys::CustomKey;
use storage::keys::custom_keys::{self, NewCustomKey};
use storage::keys::plugin_keys;
use storage::records::audit::Act;
use storage::roles::grants::Grantor;
use storage::tenancy::{guilds, orgs, servers};
use storage::{OrgScope, Tx, Work};

use crate::changes::Changes;
use crate::error::{AppError, RequestError, TenancyError};
use crate::keys::plugin_keys::open_key;
use crate::once::{Outcome, PressBy};
use crate::role_marks::look_after_grantor;
use crate::state::App;
use crate::vault::key_place;

/// Living custom keys of one Org.
pub const MOST: i64 = 50;
/// Revoked ones, which stay to be looked at until somebody removes them.
const MOST_REVOKED: i64 = 200;

/// A key as somebody wants it.
pub struct CustomKeyRequest {
    /// By which people tell their keys apart.
    pub name: DisplayName,
    /// A Guild of the Org. The key opens this one and no other.
    pub guild: GuildId,
    /// None makes a key for the whole Guild.
    pub server: Option<ServerId>,
    /// What it may call; at least one.
    pub actions: ActionSet,
}

/// Creates a custom key. Paid plans only; what exists survives a downgrade.
pub async fn create(
    app: &App,
    scope: OrgScope,
    request: CustomKeyRequest,
    actor: Actor,
) -> Result<(KeyId, PlainKey), AppError> {
    let act = app.act(scope, actor);
    let (id, key, work) = prepare(app, &act, request)?;
    app.db.write_for(act, work).await?;
    Ok((id, key))
}

/// The same for a press that may be repeated.
pub async fn create_once(
    app: &App,
    press: PressBy,
    scope: OrgScope,
    request: CustomKeyRequest,
    actor: Actor,
) -> Result<Outcome<(KeyId, PlainKey), KeyId>, AppError> {
    let act = app.act(scope, actor);
    let (id, key, work) = prepare(app, &act, request)?;
    let outcome = press.write_for(app, id.as_str(), KeyId::parse, act, work).await?;
    Ok(outcome.map(|()| (id, key)))
}

fn prepare(app: &App, act: &Act, request: CustomKeyRequest) -> Result<(KeyId, PlainKey, Create), AppError> {
    refuse_empty(request.actions)?;
    let id = KeyId::generate(act.now_ms, &*app.random);
    let key = PlainKey::generate(&*app.random);
    let (sealed, sealed_kid) =
        app.vault
            .seal(&*app.random, &key_place(id.as_str(), 1), key.expose().as_bytes());
    let (hash, prefix) = (key.hash(), key.prefix());
    let work = Create {
        id: id.clone(),
        request,
        hash,
        prefix,
        sealed,
        sealed_kid,
    };
    Ok((id, key, work))
}

fn refuse_empty(actions: ActionSet) -> Result<(), AppError> {
    if actions.is_empty() {
        Err(AppError::invalid("actions", "choose at least one"))
    } else {
        Ok(())
    }
}

struct Create {
    id: KeyId,
    request: CustomKeyRequest,
    hash: KeyHash,
    prefix: KeyPrefix,
    sealed: String,
    sealed_kid: String,
}

impl Work for Create {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "create_custom_key";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        let org = orgs::lock(tx, act.scope).await?;
        if org.tier == Tier::Free {
            return Err(TenancyError::PlanRequired { what: "Custom keys" }.into());
        }
        let guild = guilds::find_in(tx, act.scope, &self.request.guild)
            .await?
            .ok_or(RequestError::NotFound)?;
        let server = match &self.request.server {
            None => None,
            Some(id) => {
                let found = servers::find_in(tx, act.scope, id).await?;
                Some(
                    found
                        .filter(|server| server.guild == guild.num)
                        .ok_or(RequestError::NotFound)?,
                )
            }
        };
        let counted = custom_keys::count(tx, act.scope).await?;
        if counted.living >= MOST {
            return Err(RequestError::Conflict(
                "An organisation can have at most 50 custom keys. Revoke one you no longer need.",
            )
            .into());
        }
        if counted.revoked >= MOST_REVOKED {
            return Err(RequestError::Conflict(
                "This organisation already has 200 revoked custom keys. Remove some first.",
            )
            .into());
        }
        let new = NewCustomKey {
            id: &self.id,
            guild: guild.num,
            server: server.as_ref().map(|server| server.num),
            name: self.request.name.as_str(),
            actions: self.request.actions,
            hash: &self.hash,
            prefix: &self.prefix,
            sealed: &self.sealed,
            sealed_kid: &self.sealed_kid,
            now_ms: act.now_ms,
        };
        custom_keys::insert(tx, act.scope, &new).await?;
        let (target, detail) = (Some(self.id.as_str()), detail_of(self.request.actions));
        Ok(act.note(tx, AuditAction::KeyCreated, target, &detail).await?)
    }
}

/// Without the key itself; that is revealed on its own and audited.
pub async fn get(app: &App, scope: OrgScope, id: &KeyId) -> Result<CustomKey, AppError> {
    let found = custom_keys::find(&app.db, scope, id).await?;
    found.ok_or(RequestError::NotFound.into())
}

/// Living ones first, then those that were revoked, each in the order they were made.
pub async fn list(app: &App, scope: OrgScope) -> Result<Vec<CustomKey>, AppError> {
    Ok(custom_keys::list(&app.db, scope).await?)
}

/// A key as somebody wants it from now on.
pub struct KeyEdit {
    /// By which people tell their keys apart.
    pub name: DisplayName,
    /// What it may call; at least one.
    pub actions: ActionSet,
    /// What the caller saw; an edit by somebody else since then refuses this one. None takes what is there.
    pub revision: Option<i64>,
}

/// What is done to an existing key.
enum Change {
    Edit(KeyEdit),
    Revoke,
    Remove,
    Reveal,
}

/// Sets name and actions. The next request is judged by them.
pub async fn edit(
    app: &App,
    scope: OrgScope,
    id: KeyId,
    edit: KeyEdit,
    actor: Actor,
) -> Result<(), AppError> {
    refuse_empty(edit.actions)?;
    change(app, scope, id, Change::Edit(edit), actor).await.map(drop)
}

/// Refuses the key for good; repeating it changes nothing.
pub async fn revoke(app: &App, scope: OrgScope, id: KeyId, actor: Actor) -> Result<(), AppError> {
    change(app, scope, id, Change::Revoke, actor).await?;
    app.bell.ring();
    Ok(())
}

/// Removes a revoked key. From then on it is unknown.
pub async fn remove(app: &App, scope: OrgScope, id: KeyId, actor: Actor) -> Result<(), AppError> {
    change(app, scope, id, Change::Remove, actor).await.map(drop)
}

/// The full key. The audit entry is on disk before the key is handed out.
pub async fn reveal(app: &App, scope: OrgScope, id: KeyId, actor: Actor) -> Result<PlainKey, AppError> {
    let key = change(app, scope, id, Change::Reveal, actor).await?;
    open_key(app, key.id.as_str(), key.version, &key.sealed)
}

async fn change(
    app: &App,
    scope: OrgScope,
    id: KeyId,
    change: Change,
    actor: Actor,
) -> Result<CustomKey, AppError> {
    app.db
        .write_for(app.act(scope, actor), ChangeKey { id, change })
        .await
}

struct ChangeKey {
    id: KeyId,
    change: Change,
}

impl Work for ChangeKey {
    type For = Act;
    type Output = CustomKey;
    type Error = AppError;
    const NAME: &'static str = "change_custom_key";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<CustomKey, AppError> {
        orgs::lock(tx, act.scope).await?;
        let key = custom_keys::find_in(tx, act.scope, &self.id)
            .await?
            .ok_or(RequestError::NotFound)?;
        let (action, detail) = match &self.change {
            Change::Edit(edit) => {
                if key.revoked_at_ms.is_some() {
                    return Err(RequestError::Conflict("This key is revoked. Nothing was saved.").into());
                }
                let mut changes = Changes::default();
                changes.add("name", &*key.name, edit.name.as_str());
                changes.add("actions", names(key.actions), names(edit.actions));
                if changes.is_empty() {
                    return Ok(key);
                }
                let seen = edit.revision.unwrap_or(key.revision);
                custom_keys::edit(tx, act.scope, key.num, seen, edit.name.as_str(), edit.actions).await?;
                (AuditAction::KeyEdited, changes.into_detail())
            }
            Change::Revoke => {
                if !plugin_keys::revoke(tx, act.scope, key.num, act.now_ms).await? {
                    return Ok(key);
                }
                // What it gave ends with it; what was given in the name of a Server stays.
                let grantor = Grantor::Key(key.num);
                look_after_grantor(tx, act.scope, &key.guild_id, grantor, act.now_ms).await?;
                (AuditAction::KeyRevoked, detail_of(key.actions))
            }
            Change::Remove => {
                if key.revoked_at_ms.is_none() {
                    return Err(RequestError::Conflict(
                        "This key is still active. Revoke it before you remove it.",
                    )
                    .into());
                }
                custom_keys::remove(tx, act.scope, key.num, act.now_ms).await?;
                // The name goes with the row, and the log goes on telling about the key.
                let mut detail = detail_of(key.actions);
                detail["name"] = (*key.name).into();
                (AuditAction::KeyRemoved, detail)
            }
            Change::Reveal => (AuditAction::KeyRevealed, detail_of(key.actions)),
        };
        act.note(tx, action, Some(self.id.as_str()), &detail).await?;
        Ok(key)
    }
}

/// The entry names what the key may do.
fn detail_of(actions: ActionSet) -> Value {
    json!({ "actions": names(actions).join(",") })
}

fn names(actions: ActionSet) -> Vec<&'static str> {
    actions.iter().map(|action| action.name()).collect()
}
