//! Looks at everybody of a Guild.

use app::App;
use app::roles::{self, Progress};
use domain::id::GuildId;
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::{Authorized, Segments, perm};
use crate::routes::{Answer, Found};

/// How far a look at everybody is.
#[derive(Serialize, ToSchema)]
pub struct RoleRecheck {
    /// Nothing while there is none.
    running: Option<RunningRecheck>,
    /// Members who wait for their look.
    waiting: i64,
}

#[derive(Serialize, ToSchema)]
struct RunningRecheck {
    done: i64,
    total: i64,
    started_at_ms: i64,
}

impl From<Progress> for RoleRecheck {
    fn from(progress: Progress) -> Self {
        let running = progress
            .running
            .map(|(done, total, started_at_ms)| RunningRecheck {
                done,
                total,
                started_at_ms,
            });
        Self {
            running,
            waiting: progress.waiting,
        }
    }
}

pub async fn get(
    app: App,
    caller: Authorized<perm::ServersRoles>,
    Segments(id): Segments<GuildId>,
) -> Answer<Found<RoleRecheck>> {
    Ok(Found(roles::progress(&app, caller.scope, &id).await?.into()))
}

pub async fn start(
    app: App,
    caller: Authorized<perm::ServersRoles>,
    Segments(id): Segments<GuildId>,
) -> Answer<Found<RoleRecheck>> {
    Ok(Found(
        roles::start(&app, caller.scope, &id, caller.actor).await?.into(),
    ))
}

pub async fn cancel(
    app: App,
    caller: Authorized<perm::ServersRoles>,
    Segments(id): Segments<GuildId>,
) -> Answer<Found<RoleRecheck>> {
    Ok(Found(
        roles::cancel(&app, caller.scope, &id, caller.actor).await?.into(),
    ))
}
