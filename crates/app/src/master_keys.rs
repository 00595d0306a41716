//! The master keys' life: first start, the check at every start, rotation, removal.

use std::path::Path;

use domain::audit::{Actor, AuditAction};
use domain::random::Random;
use domain::seal::{Aad, KeyRing};
use serde_json::json;
use storage::bots::{dedicated, register as bot_register};
use storage::keys::plugin_keys;
use storage::keys::plugin_keys::SealedKey;
use storage::linking::sealed_flows::{self, Kind, SealedFlow};
use storage::records::audit::Act;
use storage::tenancy::invites;
use storage::{BotNum, Db, KeyNum, NoOrg, Tx, Work, settings};

use crate::error::AppError;
use crate::sealed_settings::{ERASE_KEY, PutSealed, setting_place};
use crate::start::StartError;
use crate::state::App;
use crate::vault::{Vault, VaultError, key_place};

const CANARY: &str = "vault_canary";
const CANARY_PLAIN: &[u8] = b"symbolon";

/// Opens the vault and proves that it fits this database: a sealed canary must open, and no stored copy may need
/// a key that the ring lacks.
pub(crate) async fn open_vault(
    db: &Db,
    file: &Path,
    random: &dyn Random,
    now_ms: i64,
) -> Result<Vault, StartError> {
    let stored = settings::find(db, CANARY).await.map_err(AppError::from)?;
    let vault = Vault::open(file, stored.is_none(), random)?;
    let canary = match stored {
        Some(canary) => canary,
        None => {
            let (sealed, _) = vault.seal(random, &setting_place(CANARY), CANARY_PLAIN);
            db.write(PutSealed::first(CANARY, sealed, now_ms)).await?
        }
    };
    if vault.open_sealed(&setting_place(CANARY), &canary).is_err() {
        return Err(VaultError::WrongKeys {
            path: file.to_owned(),
        }
        .into());
    }
    let all_needed = plugin_keys::list_kids(db).await.map_err(AppError::from)?;
    // After the list: a key is in the file before anything is sealed with it, so a rotation going on is no gap.
    vault.reload();
    let known = vault.kids();
    for needed in all_needed {
        if !known.contains(&needed.kid) {
            let path = file.to_owned();
            return Err(VaultError::KidMissing {
                path,
                kid: needed.kid,
                copies: needed.copies,
            }
            .into());
        }
    }
    Ok(vault)
}

/// Seals the settings that are sealed with the active master key.
async fn reseal_settings(app: &App) -> Result<(), AppError> {
    for name in [ERASE_KEY, CANARY] {
        let old = settings::find(&app.db, name).await?;
        let old = old.ok_or_else(|| AppError::internal("a sealed setting is missing"))?;
        let (sealed, _) = anew(app, &setting_place(name), &old)?;
        let work = PutSealed {
            name,
            sealed,
            old: Some(old),
            now_ms: app.now_ms(),
        };
        app.db.write(work).await?;
    }
    Ok(())
}

/// Adds a new active master key and seals every stored copy with it. Can be repeated after a crash.
pub async fn rotate(app: &App) -> Result<Rotation, AppError> {
    let kid = app.vault.add_key(&*app.random).map_err(AppError::internal)?;
    let resealed = reseal_all(app).await?;
    reseal_settings(app).await?;
    let rotated = NoteRotation { kid: kid.clone() };
    app.db.write_for(app.act(NoOrg, Actor::Operator), rotated).await?;
    Ok(Rotation { kid, resealed })
}

/// Seals every copy that an older master key protects with the active one, slice by slice.
pub async fn reseal_all(app: &App) -> Result<u64, AppError> {
    let active = app.vault.active_kid();
    let (mut after, mut resealed) = (KeyNum(0), 0);
    loop {
        let slice = plugin_keys::list_sealed_otherwise(&app.db, after, &active).await?;
        let Some(last) = slice.last() else {
            let others = reseal_codes(app).await?
                + reseal_bots(app).await?
                + reseal_tokens(app).await?
                + reseal_flows(app).await?;
            return Ok(resealed + others);
        };
        after = last.num;
        let copies = slice
            .iter()
            .map(|copy| reseal(app, copy))
            .collect::<Result<Vec<_>, _>>()?;
        resealed += app.db.write(Reseal { copies }).await?;
    }
}

/// The same for the codes of invitations.
async fn reseal_codes(app: &App) -> Result<u64, AppError> {
    let active = app.vault.active_kid();
    let (mut after, mut resealed) = (0, 0);
    loop {
        let slice = invites::list_sealed_otherwise(&app.db, after, &active).await?;
        let Some(last) = slice.last() else {
            return Ok(resealed);
        };
        after = last.num;
        let mut codes = Vec::with_capacity(slice.len());
        for code in &slice {
            let place = crate::tenancy::invites::sealed_place(code.id.as_str(), code.version);
            let (sealed, kid) = anew(app, &place, &code.sealed)?;
            codes.push((code.num, code.sealed.clone(), sealed, kid));
        }
        resealed += app.db.write(ResealCodes(codes)).await?;
    }
}

/// The same for the secrets of bots.
async fn reseal_bots(app: &App) -> Result<u64, AppError> {
    let active = app.vault.active_kid();
    let (mut after, mut resealed) = (BotNum(0), 0);
    loop {
        let slice = bot_register::list_sealed_otherwise(&app.db, after, &active).await?;
        let Some(last) = slice.last() else {
            return Ok(resealed);
        };
        after = last.num;
        let mut secrets = Vec::with_capacity(slice.len());
        for secret in &slice {
            let place = crate::bots::register::secret_place(secret.id.as_str(), secret.version);
            let (sealed, kid) = anew(app, &place, &secret.sealed)?;
            secrets.push((secret.num, secret.sealed.clone(), sealed, kid));
        }
        resealed += app.db.write(ResealBots(secrets)).await?;
    }
}

/// Row, old and new sealed text, and the master key of the new one.
struct ResealBots(Vec<(BotNum, String, String, String)>);

impl Work for ResealBots {
    type For = NoOrg;
    type Output = u64;
    type Error = AppError;
    const NAME: &'static str = "reseal_bots";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<u64, AppError> {
        let mut changed = 0;
        for (num, old, sealed, kid) in &self.0 {
            changed += u64::from(bot_register::reseal(tx, *num, old, sealed, kid).await?);
        }
        Ok(changed)
    }
}

/// The same for the tokens of Guilds' own bots.
async fn reseal_tokens(app: &App) -> Result<u64, AppError> {
    let active = app.vault.active_kid();
    let (mut after, mut resealed) = (0, 0);
    loop {
        let slice = dedicated::list_tokens_sealed_otherwise(&app.db, after, &active).await?;
        let Some(last) = slice.last() else {
            return Ok(resealed);
        };
        after = last.num;
        let mut tokens = Vec::with_capacity(slice.len());
        for token in &slice {
            let place = crate::serving::token_place(token.id.as_str(), token.version);
            let (sealed, kid) = anew(app, &place, &token.sealed)?;
            tokens.push((token.num, token.sealed.clone(), sealed, kid));
        }
        resealed += app.db.write(ResealTokens(tokens)).await?;
    }
}

/// Row, old and new sealed text, and the master key of the new one.
struct ResealTokens(Vec<(i64, String, String, String)>);

impl Work for ResealTokens {
    type For = NoOrg;
    type Output = u64;
    type Error = AppError;
    const NAME: &'static str = "reseal_bot_tokens";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<u64, AppError> {
        let mut changed = 0;
        for (num, old, sealed, kid) in &self.0 {
            changed += u64::from(dedicated::reseal(tx, *num, old, sealed, kid).await?);
        }
        Ok(changed)
    }
}

/// The same for sign-ins under way. One that cannot be opened any more is as good as none.
async fn reseal_flows(app: &App) -> Result<u64, AppError> {
    let active = app.vault.active_kid();
    let mut resealed = 0;
    for kind in Kind::ALL {
        let mut after = String::new();
        loop {
            let slice = sealed_flows::list_sealed_otherwise(&app.db, kind, &after, &active).await?;
            let Some(last) = slice.last() else { break };
            after = last.hash.clone();
            let flows = slice.into_iter().filter_map(|flow| {
                let (sealed, kid) = anew(app, &place_of(kind, &flow.row), &flow.sealed).ok()?;
                Some((flow, sealed, kid))
            });
            let work = ResealFlows {
                kind,
                flows: flows.collect(),
            };
            resealed += app.db.write(work).await?;
        }
    }
    Ok(resealed)
}

fn place_of(kind: Kind, row: &str) -> Aad<'_> {
    match kind {
        Kind::Token => crate::linking::token_place(row),
        Kind::Trip => crate::linking::trip_place(row),
        Kind::SignIn => crate::identity::sign_in::verifier_place(row),
        Kind::Member => crate::erased::leftover_place(row),
        Kind::SigningSecret => crate::webhooks::secret_place(row),
    }
}

/// Each with its new sealed text and that one's master key.
struct ResealFlows {
    kind: Kind,
    flows: Vec<(SealedFlow, String, String)>,
}

impl Work for ResealFlows {
    type For = NoOrg;
    type Output = u64;
    type Error = AppError;
    const NAME: &'static str = "reseal_flows";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<u64, AppError> {
        let mut changed = 0;
        for (old, sealed, kid) in &self.flows {
            let done = sealed_flows::reseal(tx, self.kind, &old.hash, &old.sealed, sealed, kid).await?;
            changed += u64::from(done);
        }
        Ok(changed)
    }
}

/// A sealed text under the active master key.
fn anew(app: &App, place: &Aad<'_>, sealed: &str) -> Result<(String, String), AppError> {
    let plain = app.vault.open_sealed(place, sealed);
    let plain = plain.map_err(AppError::internal)?;
    Ok(app.vault.seal(&*app.random, place, &plain))
}

/// Row, old and new sealed text, and the master key of the new one.
struct ResealCodes(Vec<(i64, String, String, String)>);

impl Work for ResealCodes {
    type For = NoOrg;
    type Output = u64;
    type Error = AppError;
    const NAME: &'static str = "reseal_codes";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<u64, AppError> {
        let mut changed = 0;
        for (num, old, sealed, kid) in &self.0 {
            changed += u64::from(invites::reseal(tx, *num, old, sealed, kid).await?);
        }
        Ok(changed)
    }
}

/// What a rotation did.
pub struct Rotation {
    /// The key that seals from now on.
    pub kid: String,
    /// Stored values that were sealed anew with it.
    pub resealed: u64,
}

fn reseal(app: &App, copy: &SealedKey) -> Result<Resealed, AppError> {
    let place = key_place(copy.id.as_str(), copy.version);
    let (sealed, kid) = anew(app, &place, &copy.sealed)?;
    Ok(Resealed {
        num: copy.num,
        old: copy.sealed.clone(),
        sealed,
        kid,
    })
}

struct Resealed {
    num: KeyNum,
    old: String,
    sealed: String,
    kid: String,
}

struct Reseal {
    copies: Vec<Resealed>,
}

impl Work for Reseal {
    type For = NoOrg;
    type Output = u64;
    type Error = AppError;
    const NAME: &'static str = "reseal_keys";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<u64, AppError> {
        let mut changed = 0;
        for copy in &self.copies {
            // A key regenerated meanwhile is already sealed with the active master key.
            changed +=
                u64::from(plugin_keys::reseal(tx, copy.num, &copy.old, &copy.sealed, &copy.kid).await?);
        }
        Ok(changed)
    }
}

struct NoteRotation {
    kid: String,
}

impl Work for NoteRotation {
    type For = Act<NoOrg>;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "note_rotation";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<(), AppError> {
        Ok(act
            .note(tx, AuditAction::RingRotated, Some(&self.kid), &json!({}))
            .await?)
    }
}

/// Removes a master key, unless something stored still needs it.
pub async fn remove(app: &App, kid: &str) -> Result<(), AppError> {
    let needed = plugin_keys::list_kids(&app.db)
        .await?
        .into_iter()
        .find(|needed| needed.kid == kid);
    let copies = needed.map_or(0, |needed| needed.copies);
    // After a rotation that was cut short these may be the last to need the old key.
    let mut needed = copies + sealed_flows::count_sealed_with(&app.db, kid, app.now_ms()).await?;
    for name in [ERASE_KEY, CANARY] {
        let sealed = settings::find(&app.db, name).await?.unwrap_or_default();
        needed += i64::from(KeyRing::kid_of(&sealed) == Some(kid));
    }
    if needed > 0 {
        return Err(AppError::invalid(
            "kid",
            format!("{needed} stored values still need {kid}; rotate first"),
        ));
    }
    app.vault
        .remove_key(kid)
        .map_err(|error| AppError::invalid("kid", error))
}
