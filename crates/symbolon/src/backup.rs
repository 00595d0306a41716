//! `backup` and `restore`.

use std::path::{Path, PathBuf};

use domain::clock::{Clock, SystemClock};
use storage::backup::{self, Manifest};
use storage::migrate::Migrate;

use crate::cli::{BackupCommand, Common};
use crate::open::{load_config, open_options};
use crate::output::{Failure, say};

/// The file in the data directory that tells a running service when the last backup was made.
const LAST: &str = "last-backup";

pub async fn run(
    common: &Common,
    to: Option<PathBuf>,
    command: Option<BackupCommand>,
) -> Result<(), Failure> {
    match (to, command) {
        (_, Some(BackupCommand::Verify { from })) => {
            describe("checked", &backup::verify(&from).await?, &from);
            Ok(())
        }
        (Some(to), None) => create(common, &to).await,
        (None, None) => Err("give a new directory with --to".into()),
    }
}

async fn create(common: &Common, to: &Path) -> Result<(), Failure> {
    let config = load_config(common, None)?;
    let now_ms = SystemClock.now_ms();
    let manifest = backup::create(&open_options(&config, Migrate::Require), to, now_ms).await?;
    describe("copied and checked", &manifest, to);
    if let Err(error) = note_made(&config.data_dir, now_ms) {
        say(format!("The metrics do not show this backup: {}", error.text()));
    }
    say(format!(
        "The master keys are not part of it: keep {} somewhere else that is safe.",
        config.keys.master_key_file.display()
    ));
    Ok(())
}

/// The backup is good without this, so a data directory that cannot be written only costs the metric.
pub fn note_made(data_dir: &Path, at_ms: i64) -> Result<(), Failure> {
    let (new, kept) = (data_dir.join("last-backup.new"), data_dir.join(LAST));
    let written = std::fs::write(&new, at_ms.to_string()).and_then(|()| std::fs::rename(&new, &kept));
    Ok(written.map_err(|error| format!("{} cannot be written: {error}", kept.display()))?)
}

/// When the last backup was made of the database that this data directory belongs to, if any was.
pub fn last_made(data_dir: &Path) -> Option<i64> {
    std::fs::read_to_string(data_dir.join(LAST))
        .ok()?
        .trim()
        .parse()
        .ok()
}

pub async fn restore(common: &Common, from: &Path) -> Result<(), Failure> {
    let config = load_config(common, None)?;
    let manifest = backup::restore(from, &open_options(&config, Migrate::Apply)).await?;
    describe("restored and checked", &manifest, from);
    if !config.keys.master_key_file.exists() {
        say(format!(
            "Put the master keys back at {} before you start the service.",
            config.keys.master_key_file.display()
        ));
    }
    Ok(())
}

fn describe(what: &str, manifest: &Manifest, place: &Path) {
    say(format!(
        "{what}: {} organisations, {} links, schema {}, {} bytes, {}",
        manifest.orgs,
        manifest.links,
        manifest.schema,
        manifest.size_bytes,
        place.display()
    ));
}
