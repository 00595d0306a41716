//! Builds of the plugin.

use app::admin::builds;
use app::downloads::builds::NewBuild;
use app::{App, AppError};
use domain::plugin_build::{PluginVersion, latest};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{Asks, FreshOperator, Operator, Question, Segments, SentFile};
use crate::routes::{Answer, Created, Done, Found};

#[derive(Serialize, ToSchema)]
pub struct BuildPage {
    builds: Vec<BuildRow>,
}

/// A build of the plugin.
#[derive(Serialize, ToSchema)]
pub struct BuildRow {
    version: String,
    sha256: String,
    size: u64,
    published_at_ms: i64,
    file_name: String,
    /// Not offered any more.
    withdrawn: bool,
    latest: bool,
}

pub async fn list(app: App, operator: Operator, (): ()) -> Answer<Found<BuildPage>> {
    let found = builds::list(&app, operator.scope).await?;
    let newest = latest(&found).map(|build| build.version);
    let rows = found.into_iter().map(|build| BuildRow {
        latest: newest == Some(build.version),
        version: build.version.to_string(),
        sha256: build.sha256,
        size: build.size,
        published_at_ms: build.published_at_ms,
        file_name: build.file_name,
        withdrawn: build.is_withdrawn,
    });
    Ok(Found(BuildPage {
        builds: rows.collect(),
    }))
}

/// What a file is published as.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct BuildFile {
    version: String,
    file_name: String,
}

impl Question for BuildFile {
    const ASKS: &'static [Asks] = &[Asks::Text("version"), Asks::Text("file_name")];
}

#[derive(Serialize, ToSchema)]
pub struct PublishedBuild {
    version: String,
    /// False for one that was published with the same content before.
    new: bool,
}

pub async fn publish(
    app: App,
    operator: FreshOperator<true>,
    mut file: SentFile<BuildFile>,
) -> Answer<Created<PublishedBuild>> {
    let version = PluginVersion::parse(file.asked.version.trim())
        .ok_or_else(|| AppError::invalid("version", "is written like v1.2.3"))?;
    builds::check_size(file.announced_bytes())?;
    let mut bytes = Vec::new();
    while let Some(piece) = file.next().await? {
        builds::check_size(bytes.len() + piece.len())?;
        bytes.extend_from_slice(&piece);
    }
    let new = NewBuild {
        version,
        file_name: file.asked.file_name,
        bytes,
    };
    let new = builds::publish(&app, new, operator.by()).await?;
    Ok(Created(PublishedBuild {
        version: version.to_string(),
        new,
    }))
}

pub async fn withdraw(
    app: App,
    operator: FreshOperator,
    Segments(version): Segments<PluginVersion>,
) -> Answer<Done> {
    builds::set_withdrawn(&app, version, true, operator.by()).await?;
    Ok(Done)
}

pub async fn restore(
    app: App,
    operator: FreshOperator,
    Segments(version): Segments<PluginVersion>,
) -> Answer<Done> {
    builds::set_withdrawn(&app, version, false, operator.by()).await?;
    Ok(Done)
}
