//! The plugin for game servers: its builds, and its file for a Server.

use app::App;
use app::downloads::{config, shelf};
use app::tenancy::{orgs, servers};
use domain::id::ServerId;
use domain::plugin_build::Build;
use domain::plugin_config::PluginConfig;
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::{Authorized, Segments, perm};
use crate::routes::{Answer, Found};

/// Builds that are offered, the latest first.
#[derive(Serialize, ToSchema)]
pub struct PluginBuilds {
    builds: Vec<PluginBuild>,
}

#[derive(Serialize, ToSchema)]
struct PluginBuild {
    #[schema(example = "v1.2.3")]
    version: String,
    /// Of the file, in hex.
    sha256: String,
    /// Of the file, in bytes.
    size: u64,
    published_at_ms: i64,
    /// What the file is called.
    file_name: String,
    /// Where this version stays.
    path: String,
}

impl From<&Build> for PluginBuild {
    fn from(build: &Build) -> Self {
        Self {
            version: build.version.to_string(),
            sha256: build.sha256.clone(),
            size: build.size,
            published_at_ms: build.published_at_ms,
            file_name: build.file_name.clone(),
            path: format!("/download/plugin/{}", build.version),
        }
    }
}

/// The configuration file of a Server's plugin.
#[derive(Serialize, ToSchema)]
pub struct PluginFile {
    /// What the file is called.
    file_name: &'static str,
    /// What is in it. The key is empty: it is revealed on its own.
    #[schema(value_type = Object)]
    content: PluginConfig,
}

pub async fn builds(app: App, _: Authorized<perm::ServersView>, (): ()) -> Answer<Found<PluginBuilds>> {
    let found = shelf::list(&app).await?;
    let offered = found.iter().filter(|build| !build.is_withdrawn);
    Ok(Found(PluginBuilds {
        builds: offered.map(PluginBuild::from).collect(),
    }))
}

pub async fn file(
    app: App,
    caller: Authorized<perm::ServersView>,
    Segments(id): Segments<ServerId>,
) -> Answer<Found<PluginFile>> {
    let server = servers::get(&app, caller.scope, &id).await?;
    let tier = orgs::get_own(&app, caller.scope).await?.tier;
    Ok(Found(PluginFile {
        file_name: "Symbolon.json",
        content: config::of(&app, &server, tier),
    }))
}
