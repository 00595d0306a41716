//! Builds as they are handed out.

use std::sync::Arc;

use domain::plugin_build::{Build, PluginVersion, latest};
use platform::blobs::Blobs;

use super::builds::{self, BuildError, NewBuild};
use crate::error::{AppError, RequestError, ServiceError};
use crate::state::App;

/// Publishes the build that the service carries, unless its version was published before; then reads the list. A file
/// store that is away is no reason not to start.
pub async fn begin(app: &App, carried: NewBuild) {
    let Some(blobs) = &app.platforms.blobs else {
        return;
    };
    let version = carried.version;
    match builds::publish(blobs, carried, app.now_ms()).await {
        Ok(true) => tracing::info!(%version, "the plugin that comes with this version is published"),
        // Such as one that somebody built from other sources: what was published stays.
        Ok(false) | Err(BuildError::OtherBytes(_)) => {}
        Err(error) => {
            tracing::warn!(%error, "the plugin that comes with this version could not be published")
        }
    }
    if let Err(error) = refresh(app).await {
        tracing::warn!(error = %error.internal_detail(), "the list of plugin builds could not be read");
    }
}

/// Reads the list anew: somebody may have published or withdrawn a build from the command line, or on another node.
pub async fn refresh(app: &App) -> Result<(), AppError> {
    let Some(blobs) = &app.platforms.blobs else {
        return Ok(());
    };
    read_list(app, blobs).await.map(drop)
}

async fn read_list(app: &App, blobs: &Blobs) -> Result<Arc<[Build]>, AppError> {
    let shelf = &app.memories.shelf;
    let known = shelf.known();
    let builds = builds::list(blobs, known.as_deref().unwrap_or_default()).await;
    let builds = builds.map_err(|error| AppError::internal(error.to_string()))?;
    Ok(shelf.remember(builds))
}

/// All builds, the latest first.
pub async fn list(app: &App) -> Result<Arc<[Build]>, AppError> {
    if let Some(known) = app.memories.shelf.known() {
        return Ok(known);
    }
    let Some(blobs) = &app.platforms.blobs else {
        return Ok(Arc::default());
    };
    let read = read_list(app, blobs).await;
    read.map_err(|error| {
        tracing::warn!(error = %error.internal_detail(), "the list of plugin builds could not be read");
        ServiceError::Overloaded.into()
    })
}

/// The build that is offered.
pub async fn find_latest(app: &App) -> Result<Build, AppError> {
    let builds = list(app).await?;
    Ok(latest(&builds).cloned().ok_or(RequestError::NotFound)?)
}

/// The build of a version, withdrawn or not.
pub async fn find(app: &App, version: PluginVersion) -> Result<Build, AppError> {
    let named = |builds: &[Build]| builds.iter().find(|build| build.version == version).cloned();
    let mut found = named(&list(app).await?);
    // It may have been published on another node a moment ago.
    if found.is_none() && app.memories.shelf.may_look(app.clock.steady_ms()) {
        refresh(app).await?;
        found = named(&list(app).await?);
    }
    Ok(found.ok_or(RequestError::NotFound)?)
}

/// The file of a build.
pub async fn file(app: &App, build: &Build) -> Result<Arc<[u8]>, AppError> {
    let blobs = app.platforms.blobs.as_ref().ok_or(RequestError::NotFound)?;
    let shelf = &app.memories.shelf;
    let read = async {
        if shelf.failed_lately(app.clock.steady_ms()) {
            return Err(ServiceError::Overloaded.into());
        }
        let found = builds::read(blobs, &build.sha256).await;
        let bytes = found.map_err(|error| {
            shelf.note_failure(app.clock.steady_ms());
            tracing::warn!(%error, version = %build.version, "a plugin build could not be read");
            AppError::from(ServiceError::Overloaded)
        })?;
        let bytes = bytes.ok_or_else(|| {
            AppError::internal(format!(
                "the file of plugin build {} is missing or damaged",
                build.version
            ))
        })?;
        Ok(Arc::from(bytes))
    };
    shelf.file(&build.sha256, read).await
}
