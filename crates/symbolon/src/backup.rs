//! `backup` and `restore`.

use std::path::Path;

use domain::clock::{Clock, SystemClock};
use storage::backup::{self, Manifest};
use storage::migrate::Migrate;

use crate::cli::Common;
use crate::open::{load_config, open_options};
use crate::output::{Failure, say};

pub async fn create(common: &Common, to: &Path) -> Result<(), Failure> {
    let config = load_config(common, None)?;
    let manifest = backup::create(&open_options(&config, Migrate::Require), to, SystemClock.now_ms()).await?;
    describe("copied and checked", &manifest, to);
    say(format!(
        "The master keys are not in it: keep {} in another safe place.",
        config.keys.master_key_file.display()
    ));
    Ok(())
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
