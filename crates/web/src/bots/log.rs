//! Trying out the log channel of a Guild.

use app::App;
use app::bots::log::{self, Tested};
use domain::id::GuildId;
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::{Authorized, Segments, perm};
use crate::routes::{Answer, Found};

const SILENT: &str = "Discord did not answer. This is not your fault; try again in a minute.";

/// What became of a test message.
#[derive(Serialize, ToSchema)]
pub struct LogTest {
    sent: bool,
    /// Why not, for programs: `unknown_channel`, `other_server`, `no_access`, `no_permission`, `token_rejected`,
    /// `refused` or `discord_unavailable`.
    code: Option<&'static str>,
    /// For people, with what to do.
    message: &'static str,
}

pub async fn test(
    app: App,
    caller: Authorized<perm::OrgSettings>,
    Segments(id): Segments<GuildId>,
) -> Answer<Found<LogTest>> {
    let (sent, code, message) = match log::send_test(&app, caller.scope, &id).await? {
        Tested::Posted => (true, None, "The test message is in the channel."),
        Tested::Problem(problem) => (false, Some(problem.as_str()), problem.text()),
        Tested::Unavailable => (false, Some("discord_unavailable"), SILENT),
    };
    Ok(Found(LogTest { sent, code, message }))
}
