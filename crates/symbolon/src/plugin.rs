//! `symbolon plugin`: the builds that game servers download. The file store is enough for it: it works while the service
//! runs, which shows a change within a quarter of a minute, and while the database is away.

use std::path::Path;

use app::downloads::builds::{self, NewBuild};
use app::platforms::{Blobs, blobs};
use config::Config;
use domain::clock::{Clock, SystemClock};
use domain::plugin_build::{Build, MOST_BYTES, PluginVersion, latest};

use crate::cli::{Common, PluginCommand};
use crate::open::load_config;
use crate::output::{Failure, say};

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
        PluginCommand::Publish { file, version } => publish(&blobs, &file, version).await,
        PluginCommand::List => list(&blobs).await,
        PluginCommand::Withdraw { version } => {
            builds::withdraw(&blobs, version).await?;
            tell_latest(&blobs, &format!("{version} is withdrawn.")).await
        }
        PluginCommand::Restore { version } => {
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

async fn publish(blobs: &Blobs, file: &Path, version: PluginVersion) -> Result<(), Failure> {
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
