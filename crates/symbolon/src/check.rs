//! `migrate`, `doctor` and `config`.

use std::time::Duration;

use domain::clock::{Clock, SystemClock};
use storage::identity::accounts;
use storage::migrate::{self, Migrate};
use storage::{Db, DbError, OpenOptions, Target, doctor as invariants};

use crate::cli::{Common, ConfigCommand};
use crate::open::{close, load_config, open_options, patient_options};
use crate::output::{Failure, say};
use crate::{logging, online};

/// The first day of this product. A clock before it is one that nobody set.
const FIRST_DAY_MS: i64 = 1_767_225_600_000;
/// The invariants of a large installation take longer than any request may.
const DOCTORS_TIME: Duration = Duration::from_secs(15 * 60);

pub async fn migrate(common: &Common) -> Result<(), Failure> {
    let config = load_config(common, None)?;
    logging::start(&config.log, None);
    let mut options = patient_options(&config, Migrate::Upgrade);
    if let Target::Postgres { .. } = options.target {
        // Somebody made this database and named it; an empty one may be filled before the first start.
        options.migrate = Migrate::Apply;
    }
    let db = Db::open(options).await?;
    close(&db).await?;
    say(format!(
        "the {} database has schema {}",
        db.engine(),
        migrate::newest()
    ));
    Ok(())
}

pub async fn doctor(common: &Common) -> Result<(), Failure> {
    let config = load_config(common, None)?;
    let options = OpenOptions {
        statement_timeout: DOCTORS_TIME,
        ..open_options(&config, Migrate::Require)
    };
    let db = Db::open_beside(options).await?;
    let findings = invariants::examine(&db).await?;
    let grants = granted_operators(&db).await?;
    close(&db).await?;
    if let Some(warning) = grants {
        say(format!("worth a look: {warning}"));
    }
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

pub async fn config(common: &Common, command: &ConfigCommand) -> Result<(), Failure> {
    match command {
        ConfigCommand::Default => say(config::default_file().trim_end()),
        ConfigCommand::Check { online } => {
            let config = load_config(common, None)?;
            for warning in warnings(&config, SystemClock.now_ms()) {
                say(format!("worth a look: {warning}"));
            }
            say("the configuration is valid");
            if *online {
                return online::ask(&config).await;
            }
        }
    }
    Ok(())
}

/// What is probably not meant, in the settings and on this machine.
pub fn warnings(config: &config::Config, now_ms: i64) -> Vec<String> {
    let mut warnings = config.warnings();
    if now_ms < FIRST_DAY_MS {
        warnings.push(
            "this machine's clock is before the year 2026, so sessions, links and keys would get wrong times: set it"
                .to_owned(),
        );
    }
    warnings
}

/// Operators whom the setting does not tell of. Older versions wrote down whoever stood in it, with the same audit entry
/// as `admin grant`: only a person can tell which of them are meant.
pub async fn granted_operators(db: &Db) -> Result<Option<String>, DbError> {
    let count = accounts::count_granted_operators(db).await?;
    Ok((count > 0).then(|| {
        let who = if count == 1 {
            "1 person is an operator by a grant".to_owned()
        } else {
            format!("{count} people are operators by a grant")
        };
        format!(
            "{who}, whether or not the `operators` setting names them; older versions granted it to everybody in the \
             setting: `symbolon admin list-operators` shows them, `symbolon admin revoke` ends a grant"
        )
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_before_2026_is_pointed_out() {
        let config = config::Config::from_parts(None, &[], &config::Overrides::default()).unwrap();
        let told = |now_ms| {
            let warnings = warnings(&config, now_ms);
            warnings
                .iter()
                .any(|warning| warning.contains("before the year 2026"))
        };
        let first_day: jiff::Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        assert!(told(0) && told(first_day.as_millisecond() - 1));
        assert!(!told(first_day.as_millisecond()));
    }
}
