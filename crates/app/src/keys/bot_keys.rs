//! The platform's own key for a Server. People neither see nor manage it; it is issued anew whenever a bot needs one.

use domain::action::ActionSet;
use domain::audit::{Actor, AuditAction};
use domain::id::{KeyId, ServerId};
use domain::key::{KeyHash, KeyKind, KeyPrefix, PlainKey};
use serde_json::json;
use storage::keys::bot_keys;
pub use storage::keys::bot_keys::BotKey;
use storage::keys::plugin_keys::{self, NewKey};
use storage::records::audit::Act;
use storage::tenancy::{orgs, servers};
use storage::{OrgScope, Tx, Work};

use crate::error::{AppError, RequestError};
use crate::state::App;
use crate::vault::key_place;

/// What an Org may see of them.
pub async fn list(app: &App, scope: OrgScope) -> Result<Vec<BotKey>, AppError> {
    Ok(bot_keys::list(&app.db, scope).await?)
}

/// Makes a bot key for the Server. The one before it stops with the same commit.
pub async fn issue(app: &App, scope: OrgScope, server: ServerId, actor: Actor) -> Result<PlainKey, AppError> {
    make(app, app.act(scope, actor), server, true).await
}

/// Makes a bot key for the Server unless it has one.
pub(crate) async fn ensure(app: &App, scope: OrgScope, server: ServerId) -> Result<(), AppError> {
    make(app, app.act(scope, Actor::System), server, false)
        .await
        .map(drop)
}

async fn make(app: &App, act: Act, server: ServerId, replaces: bool) -> Result<PlainKey, AppError> {
    let id = KeyId::generate(act.now_ms, &*app.random);
    let key = PlainKey::generate(&*app.random);
    let place = key_place(id.as_str(), 1);
    let (sealed, sealed_kid) = app.vault.seal(&*app.random, &place, key.expose().as_bytes());
    let work = Issue {
        server,
        replaces,
        id,
        hash: key.hash(),
        prefix: key.prefix(),
        sealed,
        sealed_kid,
    };
    app.db.write_for(act, work).await?;
    Ok(key)
}

struct Issue {
    server: ServerId,
    replaces: bool,
    id: KeyId,
    hash: KeyHash,
    prefix: KeyPrefix,
    sealed: String,
    sealed_kid: String,
}

impl Work for Issue {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "issue_bot_key";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        let scope = act.scope;
        orgs::lock(tx, scope).await?;
        let found = servers::find_in(tx, scope, &self.server).await?;
        let server = found.ok_or(RequestError::NotFound)?;
        if !self.replaces && bot_keys::is_there(tx, scope, server.num).await? {
            return Ok(());
        }
        let replaced = plugin_keys::end_bot_key(tx, scope, server.num, act.now_ms).await?;
        let new = NewKey {
            id: &self.id,
            server: server.num,
            kind: KeyKind::Bot,
            actions: ActionSet::BOT,
            hash: &self.hash,
            prefix: &self.prefix,
            sealed: &self.sealed,
            sealed_kid: &self.sealed_kid,
            now_ms: act.now_ms,
        };
        plugin_keys::insert(tx, scope, &new).await?;
        let action = if replaced {
            AuditAction::KeyRegenerated
        } else {
            AuditAction::KeyCreated
        };
        let detail = json!({ "kind": "bot", "server": self.server.as_str(), "prefix": self.prefix.as_str() });
        Ok(act.note(tx, action, Some(self.id.as_str()), &detail).await?)
    }
}
