//! The register of bots and their secrets.

use domain::audit::{Actor, AuditAction};
use domain::bot::{BotId, BotSecret, BotSecretHash};
use domain::seal::Aad;
use serde_json::json;
use storage::bots::register;
pub use storage::bots::register::HeldBot;
use storage::bots::register::NewSecret;
use storage::records::audit::Act;
use storage::{GuildNum, NoOrg, OrgScope, Tx, Work};

use crate::error::{AppError, RequestError};
use crate::state::App;

/// Where a secret's sealed copy lives; it opens nowhere else and for no other version.
pub(crate) fn secret_place(bot_id: &str, version: i64) -> Aad<'_> {
    Aad {
        table: "bots",
        column: "secret_sealed",
        row: bot_id,
        version,
    }
}

/// Whose secret it is.
pub async fn find_holder(app: &App, hash: &BotSecretHash) -> Result<Option<HeldBot>, AppError> {
    Ok(register::find_holder(&app.db, hash).await?)
}

/// Makes the shared bot's row at the first start; later it is there.
pub async fn ensure_platform(app: &App) -> Result<(), AppError> {
    ensure(app, BotId::Platform, None).await
}

/// Makes a bot's row with a new secret, unless it has one.
pub async fn ensure(app: &App, id: BotId, guild: Option<(OrgScope, GuildNum)>) -> Result<(), AppError> {
    if register::find_secret(&app.db, &id).await?.is_some() {
        return Ok(());
    }
    let new = Sealed::make(app, &id, 1);
    app.db.write(Ensure { id, guild, new }).await
}

/// The secret of a bot, for whoever starts its process.
pub async fn secret(app: &App, id: &BotId) -> Result<BotSecret, AppError> {
    let stored = register::find_secret(&app.db, id).await?;
    let stored = stored.ok_or(RequestError::NotFound)?;
    let place = secret_place(id.as_str(), stored.version);
    let plain = app.vault.open_sealed(&place, &stored.sealed);
    let plain = plain.map_err(AppError::internal)?;
    let text = std::str::from_utf8(&plain).ok();
    let secret = text.and_then(BotSecret::parse);
    secret.ok_or_else(|| AppError::internal("the sealed secret of a bot is none"))
}

/// The same for a person who runs the bot elsewhere: it is noted who looked.
pub async fn show(app: &App, id: BotId, actor: Actor) -> Result<BotSecret, AppError> {
    ensure_shared(app, &id).await?;
    let secret = secret(app, &id).await?;
    app.db.write_for(app.act(NoOrg, actor), NoteShown(id)).await?;
    Ok(secret)
}

/// Gives a bot a new secret. The old one stops with the commit, on every node.
pub async fn rotate(app: &App, id: BotId, actor: Actor) -> Result<BotSecret, AppError> {
    ensure_shared(app, &id).await?;
    let stored = register::find_secret(&app.db, &id).await?;
    let version = stored.ok_or(RequestError::NotFound)?.version;
    let new = Sealed::make(app, &id, version + 1);
    let work = Rotate { id, version, new };
    let rotated = app.db.write_for(app.act(NoOrg, actor), work).await?;
    rotated.ok_or_else(|| RequestError::ChangedMeanwhile.into())
}

/// An operator may ask before the service was ever started.
async fn ensure_shared(app: &App, id: &BotId) -> Result<(), AppError> {
    match id {
        BotId::Platform => ensure_platform(app).await,
        BotId::Dedicated(_) => Ok(()),
    }
}

/// A secret as it is stored, and itself.
pub(super) struct Sealed {
    secret: BotSecret,
    sealed: String,
    sealed_kid: String,
    now_ms: i64,
}

impl Sealed {
    pub(super) fn make(app: &App, id: &BotId, version: i64) -> Self {
        let secret = BotSecret::generate(&*app.random);
        let place = secret_place(id.as_str(), version);
        let (sealed, sealed_kid) = app.vault.seal(&*app.random, &place, secret.expose().as_bytes());
        Self {
            secret,
            sealed,
            sealed_kid,
            now_ms: app.now_ms(),
        }
    }

    pub(super) fn hash(&self) -> BotSecretHash {
        self.secret.hash()
    }

    pub(super) fn to_store<'a>(&'a self, hash: &'a BotSecretHash) -> NewSecret<'a> {
        NewSecret {
            hash,
            sealed: &self.sealed,
            sealed_kid: &self.sealed_kid,
            now_ms: self.now_ms,
        }
    }
}

struct Ensure {
    id: BotId,
    guild: Option<(OrgScope, GuildNum)>,
    new: Sealed,
}

impl Work for Ensure {
    type For = NoOrg;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "ensure_bot";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), AppError> {
        let hash = self.new.hash();
        let new = self.new.to_store(&hash);
        register::ensure(tx, &self.id, self.guild, &new).await?;
        Ok(())
    }
}

struct Rotate {
    id: BotId,
    version: i64,
    new: Sealed,
}

impl Work for Rotate {
    type For = Act<NoOrg>;
    type Output = Option<BotSecret>;
    type Error = AppError;
    const NAME: &'static str = "rotate_bot_secret";

    /// None when somebody else was faster.
    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<Option<BotSecret>, AppError> {
        let hash = self.new.hash();
        let new = self.new.to_store(&hash);
        if !register::rotate(tx, &self.id, self.version, &new).await? {
            return Ok(None);
        }
        let target = Some(self.id.as_str());
        act.note(tx, AuditAction::BotSecretRotated, target, &json!({}))
            .await?;
        Ok(BotSecret::parse(self.new.secret.expose()))
    }
}

struct NoteShown(BotId);

impl Work for NoteShown {
    type For = Act<NoOrg>;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "note_bot_secret_shown";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<(), AppError> {
        let target = Some(self.0.as_str());
        Ok(act
            .note(tx, AuditAction::BotSecretShown, target, &json!({}))
            .await?)
    }
}
