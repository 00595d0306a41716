//! The way to a running application.

use domain::clock::SharedClock;
use domain::plan::{Plans, Tier};
use domain::platform_id::DiscordId;
use domain::random::SharedRandom;
use domain::trust::Thresholds;
use storage::{Db, OpenError};
use thiserror::Error;

use crate::bell::Bell;
use crate::error::AppError;
use crate::master_keys;
use crate::memories::Memories;
use crate::memories::gate::Limits;
use crate::platforms::Platforms;
use crate::players::steam_calls;
use crate::retention::Retention;
use crate::runtime::Runtime;
use crate::sealed_settings;
use crate::state::App;
use crate::tasks::Tasks;
use crate::vault::VaultError;

/// What an App is made of. Clock and randomness come from outside, so that tests decide them.
pub struct Parts {
    /// Opened and migrated.
    pub db: Db,
    /// The system's, but in tests.
    pub clock: SharedClock,
    /// The system's, but in tests.
    pub random: SharedRandom,
    /// Made at the first start of an empty database, and needed for ever after.
    pub master_key_file: std::path::PathBuf,
    /// What the gate lets through.
    pub limits: Limits,
    /// The clients, as far as they are set up.
    pub platforms: Platforms,
    /// Who is an operator by the configuration.
    pub operators: Vec<DiscordId>,
    /// Scheme, host and port that visitors use, without a slash at the end.
    pub public_url: String,
    /// How long things are kept.
    pub retention: Retention,
    /// Where the tiers of trust begin.
    pub thresholds: Thresholds,
    /// What each plan allows. Plans are sold where there is somebody to sell them.
    pub plans: Plans,
}

/// Why the application does not start. Each text tells the operator what to do.
#[derive(Debug, Error)]
pub enum StartError {
    /// The database cannot be opened or is not ours.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The master keys are missing, or are not those of this database.
    #[error(transparent)]
    Vault(#[from] VaultError),
    /// It was opened and failed at the first questions.
    #[error("the database does not answer: {}", .0.internal_detail())]
    Database(#[from] AppError),
}

impl App {
    /// Checks that the master keys fit the database before anything is served.
    pub async fn start(parts: Parts) -> Result<App, StartError> {
        let file = &parts.master_key_file;
        let vault = master_keys::open_vault(&parts.db, file, &*parts.random, parts.clock.now_ms()).await?;
        let now_ms = parts.clock.now_ms();
        let erase_key = sealed_settings::open_erase_key(&parts.db, &vault, &*parts.random, now_ms).await?;
        let sold = parts.platforms.stripe.is_some();
        let default_tier = if sold {
            Tier::Free
        } else {
            parts.plans.default_tier
        };
        let plans = Plans {
            default_tier,
            sold,
            ..parts.plans
        };
        let memories = Memories::new(parts.limits, parts.clock.clone());
        let runtime = Runtime {
            db: parts.db,
            clock: parts.clock,
            random: parts.random,
            vault,
            erase_key,
            tasks: Tasks::default(),
            bell: Bell::default(),
            operators: parts.operators,
            public_url: parts.public_url,
            retention: parts.retention,
            thresholds: parts.thresholds,
            plans,
        };
        let app = App::new(runtime, memories, parts.platforms);
        steam_calls::share(&app).await?;
        Ok(app)
    }
}
