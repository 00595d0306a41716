//! `symbolon plugin`: the builds that game servers download. The file store is enough for it: it works while the service
//! runs, which shows a change within a quarter of a minute and writes it into its log, and while the database is away.

use std::path::Path;

use app::downloads::builds::{self, NewBuild};
use app::platforms::{Blobs, blobs};
use config::Config;
use domain::clock::{Clock, SystemClock};
use domain::picture::digest;
use domain::plugin_build::{Build, MOST_BYTES, PluginVersion, latest};

use crate::admin::{BuildDeed, BuildNote, note_build};
use crate::cli::{Common, PluginCommand};
use crate::open::load_config;
use crate::output::{Failure, complain, say};

/// The plugin that comes with this version.
const CARRIED: &str = include_str!("../../../plugin/Symbolon.cs");

/// The plugin that comes with this version, as a build. Its version stands in its own first lines.
pub fn carried() -> Option<NewBuild> {
    let info = CARRIED.split("[Info(").nth(1)?;
    let version = info.split('"').nth(5)?;
    Some(NewBuild {
        version: PluginVersion::parse_bare(version)?,
        file_name: "Symbolon.cs".to_owned(),
        bytes: CARRIED.as_bytes().to_vec(),
    })
}

pub async fn run(common: &Common, command: PluginCommand) -> Result<(), Failure> {
    let config = load_config(common, None)?;
    let blobs = open(&config)?;
    match command {
        PluginCommand::Publish { file, version } => publish(&config, &blobs, &file, version).await,
        PluginCommand::List => list(&blobs).await,
        PluginCommand::Withdraw { version } => {
            if is_withdrawn(&blobs, version).await? == Some(false) {
                note(&config, version, BuildDeed::Withdraw, None).await;
            }
            builds::withdraw(&blobs, version).await?;
            tell_latest(&blobs, &format!("{version} is withdrawn.")).await
        }
        PluginCommand::Restore { version } => {
            if is_withdrawn(&blobs, version).await? == Some(true) {
                note(&config, version, BuildDeed::Restore, None).await;
            }
            builds::restore(&blobs, version).await?;
            tell_latest(&blobs, &format!("{version} is offered again.")).await
        }
    }
}

/// A mistyped directory is no reason to make one.
fn open(config: &Config) -> Result<Blobs, Failure> {
    let blobs = blobs(config)?;
    if matches!(blobs, Blobs::Folder(..)) && !config.data_dir.is_dir() {
        let text = format!(
            "there is no directory {}: check --data",
            config.data_dir.display()
        );
        return Err(text.into());
    }
    Ok(blobs)
}

/// None for a version that was never published.
async fn is_withdrawn(blobs: &Blobs, version: PluginVersion) -> Result<Option<bool>, Failure> {
    let builds = builds::list(blobs, &[]).await?;
    let known = builds.iter().find(|build| build.version == version);
    Ok(known.map(|build| build.is_withdrawn))
}

/// Before it is done, as in the operator area. Whoever has the file store only is told that nobody wrote it down.
async fn note(config: &Config, version: PluginVersion, deed: BuildDeed, sha256: Option<String>) {
    let note = BuildNote {
        version: version.to_string(),
        deed,
        sha256,
    };
    let noted = note_build(&config.data_dir, note).await;
    let why = match noted {
        Ok(true) => return,
        Ok(false) => "no service runs on this data directory",
        Err(ref failure) => failure.text(),
    };
    complain(&Failure::from(format!("this is not in the audit log: {why}")));
}

async fn publish(config: &Config, blobs: &Blobs, file: &Path, version: PluginVersion) -> Result<(), Failure> {
    let told = |error: std::io::Error| format!("cannot read {}: {error}", file.display());
    let length = std::fs::metadata(file).map_err(told)?.len();
    if length > MOST_BYTES as u64 {
        return Err(builds::BuildError::Size.into());
    }
    let new = NewBuild {
        version,
        file_name: file
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default()
            .to_owned(),
        bytes: std::fs::read(file).map_err(told)?,
    };
    if builds::is_new(blobs, &new).await? {
        note(config, version, BuildDeed::Publish, Some(digest(&new.bytes))).await;
    }
    let is_new = builds::publish(blobs, new, SystemClock.now_ms()).await?;
    let text = if is_new {
        format!("{version} is published.")
    } else {
        format!("{version} was published with the same content before.")
    };
    tell_latest(blobs, &text).await
}

async fn tell_latest(blobs: &Blobs, done: &str) -> Result<(), Failure> {
    let builds = builds::list(blobs, &[]).await?;
    match latest(&builds) {
        Some(build) => say(format!("{done} The latest build is {}.", build.version)),
        None => say(format!("{done} No build is offered now.")),
    }
    Ok(())
}

async fn list(blobs: &Blobs) -> Result<(), Failure> {
    let builds = builds::list(blobs, &[]).await?;
    if builds.is_empty() {
        say("No build was published yet.");
    }
    let offered = latest(&builds).map(|build| build.version);
    for build in &builds {
        say(line(build, offered));
    }
    Ok(())
}

fn line(build: &Build, offered: Option<PluginVersion>) -> String {
    let state = match build {
        build if build.is_withdrawn => "withdrawn",
        build if Some(build.version) == offered => "latest",
        _ => "",
    };
    let version = build.version.to_string();
    let line = format!("{version:12}  {:>10}  {}  {state}", build.size, build.sha256);
    line.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plugin_that_is_carried_tells_its_version() {
        let carried = carried().expect("a version in its first lines");
        assert!(carried.version >= PluginVersion::parse("v0.9.0").expect("a version"));
    }
}
