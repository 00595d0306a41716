//! `db copy`: everything into another database, and a comparison of every row.

use std::path::{Path, PathBuf};

use config::{Config, Overrides};
use domain::clock::{Clock, SystemClock};
use storage::backup;
use storage::migrate::{Migrate, newest};

use crate::admin;
use crate::cli::{Common, DbCommand};
use crate::open::{load_config, open_options};
use crate::output::{Failure, say};

pub async fn run(common: &Common, command: &DbCommand) -> Result<(), Failure> {
    let DbCommand::Copy {
        to_url_file,
        to,
        by_way_of,
    } = command;
    let config = load_config(common, None)?;
    if admin::is_served(&config.data_dir).await? {
        return Err("the service runs: stop it first, so that nothing is written after the copy".into());
    }
    let url = match (to_url_file, to) {
        (Some(file), _) => std::fs::read_to_string(file)
            .map_err(|error| format!("{} cannot be read: {error}", file.display()))?
            .trim()
            .to_owned(),
        (None, Some(url)) => url.clone(),
        (None, None) => return Err("name the other database with --to-url-file or --to".into()),
    };
    let target = target(&config, url)?;
    if by_way_of.exists() {
        return Err(format!("{} exists already: name a new directory", by_way_of.display()).into());
    }
    let copied = copy(&config, &target, by_way_of).await;
    match std::fs::remove_dir_all(by_way_of) {
        Err(error) if by_way_of.exists() => {
            say(format!(
                "{} is left and can be removed: {error}",
                by_way_of.display()
            ));
        }
        Ok(()) | Err(_) => {}
    }
    let same = copied?;
    say(format!(
        "copied and compared: {} rows in {} tables are the same in both",
        same.rows, same.tables
    ));
    say(
        "Set database.url (or database.url_file) to the new database before you start the service, and keep the master keys.",
    );
    Ok(())
}

/// The settings as they will be when the other database is the one in use.
fn target(config: &Config, url: String) -> Result<Config, Failure> {
    let overrides = Overrides {
        data_dir: Some(config.data_dir.clone()),
        listen: None,
        database_url: Some(url),
    };
    let mut target = Config::from_parts(None, &[], &overrides)?;
    target.database.tls_roots.clone_from(&config.database.tls_roots);
    Ok(target)
}

async fn copy(config: &Config, target: &Config, by_way_of: &Path) -> Result<backup::Same, Failure> {
    let private = std::fs::DirBuilder::new();
    private
        .create(by_way_of)
        .map_err(|error| format!("cannot create {}: {error}", by_way_of.display()))?;
    let place = |name: &str| -> PathBuf { by_way_of.join(name) };
    let (before, after, again) = (place("before"), place("after"), place("again"));
    let now_ms = SystemClock.now_ms();
    let (from, to) = (
        open_options(config, Migrate::Require),
        open_options(target, Migrate::Apply),
    );
    let made = backup::create(&from, &before, now_ms).await?;
    if made.schema < newest() {
        return Err("the database has an older schema: run `symbolon migrate` first".into());
    }
    backup::restore(&before, &to).await?;
    backup::create(&to, &after, now_ms).await?;
    // As it is now: what somebody wrote meanwhile would be missing in the other one.
    backup::create(&from, &again, now_ms).await?;
    Ok(backup::compare(&again, &after).await?)
}
