//! Builds of the plugin, as operators publish them, withdraw them and offer them again.
//!
//! They are kept beside their files and not in the database. So the entry in the log is written first: one too many is better
//! than a build that nobody knows the origin of. What changes nothing leaves none.

use domain::audit::AuditAction;
use domain::picture::digest;
use domain::plugin_build::{Build, MOST_BYTES, PluginVersion};
use platform::blobs::Blobs;
use serde_json::{Value, json};
use storage::records::audit::Act;
use storage::{NoOrg, OperatorScope, Tx, Work};

use crate::by_operator::ByOperator;
use crate::downloads::builds::{self, BuildError, NewBuild};
use crate::downloads::shelf;
use crate::error::{AppError, HttpError, RequestError};
use crate::state::App;

/// All builds, the latest first.
pub async fn list(app: &App, _: OperatorScope) -> Result<Vec<Build>, AppError> {
    shelf::refresh(app).await?;
    Ok(shelf::list(app).await?.to_vec())
}

/// What is done with a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// It is there for good.
    Publish,
    /// It is not offered any more.
    Withdraw,
    /// It is offered again.
    Restore,
}

/// Publishes a build on every node. False when this version was published with the same bytes before.
pub async fn publish(app: &App, new: NewBuild, by: ByOperator) -> Result<bool, AppError> {
    let blobs = blobs(app)?;
    if builds::is_new(blobs, &new).await.map_err(refused)? {
        note(app, (new.version, Deed::Publish), Some(digest(&new.bytes)), by).await?;
    }
    // A file that was lost is put back even so.
    let is_new = builds::publish(blobs, new, app.now_ms()).await.map_err(refused)?;
    shelf::refresh(app).await?;
    Ok(is_new)
}

/// Refuses more than a build may have, before it is read.
pub fn check_size(bytes: usize) -> Result<(), AppError> {
    if bytes > MOST_BYTES {
        let limit_bytes = MOST_BYTES;
        return Err(HttpError::PayloadTooLarge { limit_bytes }.into());
    }
    Ok(())
}

/// Offers a build no more, or again. Other nodes follow within a quarter of a minute.
pub async fn set_withdrawn(
    app: &App,
    version: PluginVersion,
    withdrawn: bool,
    by: ByOperator,
) -> Result<(), AppError> {
    let blobs = blobs(app)?;
    shelf::refresh(app).await?;
    let known = shelf::list(app).await?;
    let build = known.iter().find(|build| build.version == version);
    if build.ok_or(RequestError::NotFound)?.is_withdrawn == withdrawn {
        return Ok(());
    }
    let deed = if withdrawn { Deed::Withdraw } else { Deed::Restore };
    note(app, (version, deed), None, by).await?;
    let done = if withdrawn {
        builds::withdraw(blobs, version).await
    } else {
        builds::restore(blobs, version).await
    };
    done.map_err(refused)?;
    shelf::refresh(app).await
}

fn blobs(app: &App) -> Result<&Blobs, AppError> {
    Ok(app.platforms.blobs.as_ref().ok_or(RequestError::NotFound)?)
}

fn refused(error: BuildError) -> AppError {
    match error {
        BuildError::Unknown(_) => RequestError::NotFound.into(),
        BuildError::OtherBytes(_) => RequestError::Conflict(
            "This version was published with other content. Published versions never change: choose a higher one.",
        )
        .into(),
        BuildError::Size => AppError::invalid("file", error),
        BuildError::FileName => AppError::invalid("file_name", error),
        BuildError::Unreadable(_) | BuildError::Store(_) => AppError::internal(error),
    }
}

/// Writes into the operators' log what is about to be done with a build.
pub async fn note(
    app: &App,
    (version, deed): (PluginVersion, Deed),
    sha256: Option<String>,
    by: impl Into<ByOperator>,
) -> Result<(), AppError> {
    let mut detail = json!({ "version": version.to_string() });
    if let Some(sha256) = sha256 {
        detail["sha256"] = json!(sha256);
    }
    let action = match deed {
        Deed::Publish => AuditAction::BuildPublished,
        Deed::Withdraw => AuditAction::BuildWithdrawn,
        Deed::Restore => AuditAction::BuildRestored,
    };
    let by = by.into();
    let act = app.act(NoOrg, by.actor());
    app.db.write_for(act, Note { action, detail, by }).await
}

struct Note {
    action: AuditAction,
    detail: Value,
    by: ByOperator,
}

impl Work for Note {
    type For = Act<NoOrg>;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "note_build";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<(), AppError> {
        self.by.note(tx, act, self.action, None, &self.detail).await
    }
}
