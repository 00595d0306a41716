//! `config check --online`: the answers of those whom the configuration names.

use std::sync::Arc;

use app::Platforms;
use config::Config;
use domain::clock::{SharedClock, SystemClock};
use domain::random::SystemRandom;
use storage::migrate::{self, Migrate};
use storage::{Db, OpenError};

use crate::check::granted_operators;
use crate::open::{close, open_options};
use crate::output::{Failure, say};

/// Asks each of them once, and fails when one does not work as it is set up.
pub async fn ask(config: &Config) -> Result<(), Failure> {
    let clock: SharedClock = Arc::new(SystemClock);
    let platforms = Platforms::from_config(config, &clock)?;
    let answers = [
        ("Database", ask_database(config).await),
        (
            "Discord sign-in",
            app::set_up::ask_discord_sign_in(&platforms, &SystemRandom).await,
        ),
        ("Discord bot", app::set_up::ask_discord_bot(&platforms).await),
        ("Steam Web API", app::set_up::ask_steam(&platforms).await),
        ("Files", app::set_up::ask_files(&platforms).await),
    ];
    let mut failed = 0;
    for (who, answer) in &answers {
        match answer {
            Ok(text) => say(format!("{who}: {text}")),
            Err(text) => {
                failed += 1;
                say(format!("{who}: FAILED, {text}"));
            }
        }
    }
    match failed {
        0 => Ok(()),
        count => Err(format!("{count} of {} do not work as configured", answers.len()).into()),
    }
}

async fn ask_database(config: &Config) -> Result<String, String> {
    match Db::open_beside(open_options(config, Migrate::Require)).await {
        Ok(db) => {
            let grants = granted_operators(&db).await;
            let grants = grants.map_err(|error| error.to_string())?;
            close(&db).await.map_err(|error| error.to_string())?;
            let warning = grants.map(|warning| format!("; worth a look: {warning}"));
            Ok(format!(
                "{} answers, schema {}{}",
                db.engine(),
                migrate::newest(),
                warning.unwrap_or_default()
            ))
        }
        Err(OpenError::NoDatabase { path }) => Ok(format!(
            "none at {} yet; `symbolon serve` creates it",
            path.display()
        )),
        Err(OpenError::Migrate(migrate::MigrateError::TooOld { found, known })) => Ok(format!(
            "answers, schema {found}; the next start migrates it to {known}"
        )),
        Err(error) => Err(error.to_string()),
    }
}
