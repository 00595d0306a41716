//! Settings that are sealed with the master key.

use domain::erased::EraseKey;
use domain::random::Random;
use domain::seal::Aad;
use storage::{Db, NoOrg, Tx, Work, settings};

use crate::error::AppError;
use crate::vault::Vault;

pub(crate) const ERASE_KEY: &str = "erase_key";

/// Where such a setting is sealed.
pub(crate) fn setting_place(name: &str) -> Aad<'_> {
    Aad {
        table: "settings",
        column: "value",
        row: name,
        version: 1,
    }
}

/// The key of what remains of erased accounts, made at the first start.
pub(crate) async fn open_erase_key(
    db: &Db,
    vault: &Vault,
    random: &dyn Random,
    now_ms: i64,
) -> Result<EraseKey, AppError> {
    let place = setting_place(ERASE_KEY);
    let sealed = match settings::find(db, ERASE_KEY).await? {
        Some(sealed) => sealed,
        None => {
            let key = EraseKey::generate(random);
            let (sealed, _) = vault.seal(random, &place, key.expose());
            // Another node may have been first.
            db.write(PutSealed::first(ERASE_KEY, sealed, now_ms)).await?
        }
    };
    let plain = vault.open_sealed(&place, &sealed).map_err(AppError::internal)?;
    EraseKey::read(&plain).ok_or_else(|| AppError::internal("the erase key has another length"))
}

/// A setting that is sealed.
pub(crate) struct PutSealed {
    pub name: &'static str,
    pub sealed: String,
    /// What is replaced; nothing where it is put only if it is missing.
    pub old: Option<String>,
    pub now_ms: i64,
}

impl PutSealed {
    pub const fn first(name: &'static str, sealed: String, now_ms: i64) -> Self {
        Self {
            name,
            sealed,
            old: None,
            now_ms,
        }
    }
}

impl Work for PutSealed {
    type For = NoOrg;
    /// As it is stored now.
    type Output = String;
    type Error = AppError;
    const NAME: &'static str = "put_sealed_setting";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<String, AppError> {
        let stored = settings::put_if_missing(tx, self.name, &self.sealed, self.now_ms).await?;
        if self.old.as_ref() != Some(&stored) {
            return Ok(stored);
        }
        settings::put(tx, self.name, &self.sealed, self.now_ms).await?;
        Ok(self.sealed.clone())
    }
}
