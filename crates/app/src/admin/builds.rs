//! Builds of the plugin, as operators withdraw them and offer them again.

use domain::audit::{Actor, AuditAction};
use domain::plugin_build::{Build, PluginVersion};
use serde_json::json;
use storage::records::audit::Act;
use storage::{NoOrg, OperatorScope, Tx, Work};

use crate::downloads::builds::{self, BuildError};
use crate::downloads::shelf;
use crate::error::{AppError, RequestError};
use crate::state::App;

/// All builds, the latest first.
pub async fn list(app: &App, _: OperatorScope) -> Result<Vec<Build>, AppError> {
    shelf::refresh(app).await?;
    Ok(shelf::list(app).await?.to_vec())
}

/// Offers a build no more, or again. Other nodes follow within a quarter of a minute.
pub async fn set_withdrawn(
    app: &App,
    version: PluginVersion,
    withdrawn: bool,
    actor: Actor,
) -> Result<(), AppError> {
    let blobs = app.platforms.blobs.as_ref().ok_or(RequestError::NotFound)?;
    let done = if withdrawn {
        builds::withdraw(blobs, version).await
    } else {
        builds::restore(blobs, version).await
    };
    done.map_err(|error| match error {
        BuildError::Unknown(_) => RequestError::NotFound.into(),
        BuildError::OtherBytes(_)
        | BuildError::Size
        | BuildError::FileName
        | BuildError::Unreadable(_)
        | BuildError::Store(_) => AppError::internal(error),
    })?;
    let action = if withdrawn {
        AuditAction::BuildWithdrawn
    } else {
        AuditAction::BuildRestored
    };
    let work = Note { version, action };
    app.db.write_for(app.act(NoOrg, actor), work).await?;
    shelf::refresh(app).await
}

struct Note {
    version: PluginVersion,
    action: AuditAction,
}

impl Work for Note {
    type For = Act<NoOrg>;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "note_build";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<(), AppError> {
        let detail = json!({ "version": self.version.to_string() });
        Ok(act.note(tx, self.action, None, &detail).await?)
    }
}
