//! What the command line does with builds of the plugin, as the running service writes it down. The files are not its doing.

use app::admin::builds::{self, Deed};
use app::{App, AppError};
use domain::audit::Actor;
use domain::plugin_build::PluginVersion;

use super::{BuildDeed, BuildNote, Fields};

pub(super) async fn note(app: &App, note: BuildNote) -> Result<Fields, AppError> {
    let version = PluginVersion::parse(&note.version)
        .ok_or_else(|| AppError::invalid("version", "is written like v1.2.3"))?;
    let deed = match note.deed {
        BuildDeed::Publish => Deed::Publish,
        BuildDeed::Withdraw => Deed::Withdraw,
        BuildDeed::Restore => Deed::Restore,
    };
    builds::note(app, (version, deed), note.sha256, Actor::Operator).await?;
    Ok(Fields::new())
}
