//! The check-up of a Guild.

use app::App;
use app::checkup::{self, Check, Checkup};
use domain::id::{GuildId, ServerId};
use serde::Serialize;
use utoipa::ToSchema;

use crate::attention::Fix;
use crate::extract::{Authorized, Segments, perm};
use crate::openapi::words;
use crate::routes::{Answer, Found};

/// What linking, roles and messages of a Guild stand on, and how each of it is.
#[derive(Serialize, ToSchema)]
pub struct GuildCheckup {
    #[schema(value_type = String)]
    guild_id: GuildId,
    name: String,
    /// The worst of all checks.
    #[schema(value_type = words::CheckState)]
    state: &'static str,
    /// Those that the caller's permissions show, in the order of their topics; of Servers, Server by Server. There can be
    /// several of one topic.
    checks: Vec<GuildCheck>,
    /// When the Discord server was last read; null for callers to whom nothing of it is told, and before the first time.
    checked_at_ms: Option<i64>,
    /// It is being read anew: ask again in a moment.
    looking: bool,
}

/// One thing that was checked.
#[derive(Serialize, ToSchema)]
struct GuildCheck {
    #[schema(value_type = words::CheckTopic)]
    topic: &'static str,
    #[schema(value_type = words::CheckState)]
    state: &'static str,
    text: String,
    /// The Server that it is about.
    server: Option<CheckedServer>,
    fix: Option<Fix>,
}

#[derive(Serialize, ToSchema)]
struct CheckedServer {
    #[schema(value_type = String)]
    id: ServerId,
    name: String,
}

impl GuildCheck {
    fn of(check: Check, org: &str) -> Self {
        Self {
            topic: check.topic.as_str(),
            state: check.state.as_str(),
            text: check.text,
            server: check.server.map(|(id, name)| CheckedServer { id, name }),
            fix: check.fix.map(|fix| Fix::of(fix, org)),
        }
    }
}

impl From<Checkup> for GuildCheckup {
    fn from(found: Checkup) -> Self {
        let (state, org) = (found.state().as_str(), found.org);
        let checks = found.checks.into_iter();
        Self {
            guild_id: found.guild,
            name: found.name,
            state,
            checks: checks.map(|check| GuildCheck::of(check, org.as_str())).collect(),
            checked_at_ms: found.checked_at_ms,
            looking: found.is_looking,
        }
    }
}

pub async fn get(
    app: App,
    caller: Authorized<perm::ServersView>,
    Segments(id): Segments<GuildId>,
) -> Answer<Found<GuildCheckup>> {
    let found = checkup::of_guild(&app, caller.scope, &id, caller.permissions).await?;
    Ok(Found(found.into()))
}
