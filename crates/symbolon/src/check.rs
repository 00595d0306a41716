//! `migrate`, `doctor` and `config`.

use storage::migrate::{self, Migrate};
use storage::{Db, Target, doctor as invariants};

use crate::cli::{Common, ConfigCommand};
use crate::open::{load_config, open_options};
use crate::output::{Failure, say};

pub async fn migrate(common: &Common) -> Result<(), Failure> {
    let config = load_config(common, None)?;
    let db = Db::open(open_options(&config, Migrate::Apply)).await?;
    db.close().await;
    say(format!(
        "the {} database has schema {}",
        db.engine(),
        migrate::newest()
    ));
    Ok(())
}

pub async fn doctor(common: &Common) -> Result<(), Failure> {
    let config = load_config(common, None)?;
    let options = open_options(&config, Migrate::Require);
    if let Target::Sqlite { path } = &options.target
        && !path.exists()
    {
        return Err(format!("there is no database at {}", path.display()).into());
    }
    let db = Db::open_beside(options).await?;
    let findings = invariants::examine(&db).await?;
    db.close().await;
    for finding in &findings {
        say(format!("- {finding}"));
    }
    match findings.len() {
        0 => {
            say("all invariants hold");
            Ok(())
        }
        count => Err(format!("{count} invariants are broken").into()),
    }
}

pub fn config(common: &Common, command: &ConfigCommand) -> Result<(), Failure> {
    match command {
        ConfigCommand::Default => say(config::default_file().trim_end()),
        ConfigCommand::Check => {
            let config = load_config(common, None)?;
            for warning in config.warnings() {
                say(format!("worth a look: {warning}"));
            }
            say("the configuration is valid");
        }
    }
    Ok(())
}
