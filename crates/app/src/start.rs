//! The way to a running application.

use domain::clock::SharedClock;
use domain::platform_id::DiscordId;
use domain::random::SharedRandom;
use storage::{Db, OpenError};
use thiserror::Error;

use crate::bell::Bell;
use crate::error::AppError;
use crate::master_keys;
use crate::memories::Memories;
use crate::memories::gate::Limits;
use crate::platforms::Platforms;
use crate::players::steam_calls;
use crate::runtime::Runtime;
use crate::state::App;
use crate::tasks::Tasks;
use crate::vault::VaultError;

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
        let file = &parts.master_key_file;
        let vault = master_keys::open_vault(&parts.db, file, &*parts.random, parts.clock.now_ms()).await?;
        let memories = Memories::new(parts.limits, parts.clock.clone());
        let runtime = Runtime {
            db: parts.db,
            clock: parts.clock,
            random: parts.random,
            vault,
            tasks: Tasks::default(),
            bell: Bell::default(),
            operators: parts.operators,
            public_url: parts.public_url,
        };
        let app = App::new(runtime, memories, parts.platforms);
        steam_calls::share(&app).await?;
        Ok(app)
    }
}
