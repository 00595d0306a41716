//! What the audit log is about, by name: in its entries, and to filter it by.

use app::App;
use app::records::audit::{self, Named};
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::{Authorized, perm};
use crate::openapi::words;
use crate::routes::{Answer, Found};

/// One id of the log, as people know it.
#[derive(Serialize, ToSchema)]
pub struct AuditName {
    id: String,
    #[schema(value_type = words::AuditNameKind)]
    kind: &'static str,
    /// Of a plugin or bot key: that of its Server. Of a link: its player's. Of an invite: the role. Nothing for an
    /// erased player, and for what was deleted before the log kept its name.
    name: Option<String>,
    /// The Server of a key that has one.
    server_id: Option<String>,
    /// Deleted or removed; of a person, not in the team.
    gone: bool,
}

impl From<Named> for AuditName {
    fn from(named: Named) -> Self {
        Self {
            kind: named.kind.as_str(),
            id: named.id,
            name: named.name,
            server_id: named.server_id,
            gone: named.is_gone,
        }
    }
}

/// What the log can be filtered by.
#[derive(Serialize, ToSchema)]
pub struct AuditChoices {
    /// For `actor`, and members also for `target`: whoever did something, and the whole team.
    actors: Vec<AuditName>,
    /// For `target`: Guilds, Servers and custom keys.
    things: Vec<AuditName>,
}

pub async fn choices(app: App, caller: Authorized<perm::AuditView>, (): ()) -> Answer<Found<AuditChoices>> {
    let found = audit::choices(&app, caller.scope).await?;
    Ok(Found(AuditChoices {
        actors: found.actors.into_iter().map(AuditName::from).collect(),
        things: found.things.into_iter().map(AuditName::from).collect(),
    }))
}
