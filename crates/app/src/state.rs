//! What every use case is given.

use std::ops::Deref;
use std::sync::Arc;

use domain::clock::SharedClock;
use domain::plan::RateLimit;
use domain::platform_id::DiscordId;
use domain::random::SharedRandom;
use storage::{Db, OpenError};
use thiserror::Error;

use crate::bodies::Bodies;
use crate::error::AppError;
use crate::error_log::ErrorLog;
use crate::exports::Exports;
use crate::gate::{Gate, Limits};
use crate::linking::Checks;
use crate::master_keys;
use crate::platforms::Platforms;
use crate::readiness::Readiness;
use crate::refusals::Refusals;
use crate::seen::Seen;
use crate::steam_calls;
use crate::steam_group_names::SteamGroupNames;
use crate::steam_groups::SteamGroups;
use crate::tasks::Tasks;
use crate::vault::{Vault, VaultError};
use crate::versions::Versions;

/// The running application; clones share it.
#[derive(Clone)]
pub struct App {
    inner: Arc<Inner>,
}

pub struct Inner {
    pub db: Db,
    pub clock: SharedClock,
    pub random: SharedRandom,
    pub vault: Vault,
    pub gate: Gate,
    pub errors: ErrorLog,
    pub exports: Exports,
    pub bodies: Bodies,
    pub refusals: Refusals,
    pub seen: Seen,
    pub steam_groups: SteamGroups,
    pub(crate) steam_group_names: SteamGroupNames,
    pub(crate) checks: Checks,
    pub versions: Versions,
    pub platforms: Platforms,
    /// Who is an operator by the configuration, for as long as they stand in it.
    pub operators: Vec<DiscordId>,
    /// Scheme, host and port that visitors use.
    pub public_url: String,
    pub tasks: Tasks,
    pub readiness: Readiness,
}

impl Deref for App {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.inner
    }
}

/// What an App is made of. Clock and randomness come from outside, so that tests decide them.
pub struct Parts {
    pub db: Db,
    pub clock: SharedClock,
    pub random: SharedRandom,
    pub master_key_file: std::path::PathBuf,
    pub limits: Limits,
    pub platforms: Platforms,
    pub operators: Vec<DiscordId>,
    pub public_url: String,
}

#[derive(Debug, Error)]
pub enum StartError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Vault(#[from] VaultError),
    #[error("the database does not answer: {}", .0.internal_detail())]
    Database(#[from] AppError),
}

impl App {
    /// Checks that the master keys fit the database before anything is served.
    pub async fn start(parts: Parts) -> Result<App, StartError> {
        let vault = master_keys::open_vault(&parts).await?;
        let app = App {
            inner: Arc::new(Inner {
                gate: Gate::new(parts.limits, Arc::clone(&parts.clock)),
                db: parts.db,
                clock: parts.clock,
                random: parts.random,
                vault,
                errors: ErrorLog::default(),
                exports: Exports::default(),
                bodies: Bodies::default(),
                refusals: Refusals::default(),
                seen: Seen::default(),
                steam_groups: SteamGroups::default(),
                steam_group_names: SteamGroupNames::default(),
                checks: Checks::default(),
                versions: Versions::default(),
                platforms: parts.platforms,
                operators: parts.operators,
                public_url: parts.public_url,
                tasks: Tasks::default(),
                readiness: Readiness::default(),
            }),
        };
        steam_calls::share(&app).await?;
        Ok(app)
    }

    /// "sqlite" or "postgres".
    pub fn db_engine(&self) -> &'static str {
        self.db.engine()
    }

    pub fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }
}

impl From<&config::Limits> for Limits {
    fn from(limits: &config::Limits) -> Self {
        let of = |tier: config::RateLimits| RateLimit {
            per_minute: tier.per_minute,
            burst: tier.burst,
            bulk_ids: tier.bulk_ids,
        };
        let plain = |per_minute, burst| RateLimit {
            per_minute,
            burst,
            bulk_ids: 1,
        };
        Limits {
            free: of(limits.free),
            standard: of(limits.standard),
            pro: of(limits.pro),
            unknown_keys: plain(limits.unknown_keys_per_minute, limits.unknown_keys_per_minute),
            dashboard: plain(limits.dashboard_per_second * 60, limits.dashboard_burst),
            link_starts: plain(limits.link_starts_per_minute, limits.link_starts_per_minute),
            link_steps: plain(limits.link_steps_per_minute, limits.link_steps_per_minute),
        }
    }
}
