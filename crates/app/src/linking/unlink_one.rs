//! Ending one link at somebody's word, in one transaction.

use domain::audit::Actor;
use domain::id::{GuildId, LinkId};
use domain::link::UnlinkCause;
use domain::platform_id::EitherId;
use domain::visit::Reason;
use storage::records::audit::Act;
use storage::tenancy::orgs;
use storage::{OrgScope, Tx, Work};

use super::links::{UnlinkRequest, unlink_in};
use crate::error::AppError;
use crate::state::App;

/// Ends the active link of either id in a Guild; `None` when there was none.
pub async fn unlink(
    app: &App,
    scope: OrgScope,
    guild: GuildId,
    either: EitherId,
    cause: UnlinkCause,
    actor: Actor,
) -> Result<Option<LinkId>, AppError> {
    let request = UnlinkRequest {
        guild,
        either,
        cause,
        reason: None,
    };
    write(app, scope, request, actor).await
}

/// The same by an operator who was asked to. The Org's audit log keeps the reason.
pub async fn unlink_for_reason(
    app: &App,
    scope: OrgScope,
    guild: GuildId,
    either: EitherId,
    reason: Reason,
    actor: Actor,
) -> Result<Option<LinkId>, AppError> {
    let request = UnlinkRequest {
        guild,
        either,
        cause: UnlinkCause::Admin,
        reason: Some(reason),
    };
    write(app, scope, request, actor).await
}

async fn write(
    app: &App,
    scope: OrgScope,
    request: UnlinkRequest,
    actor: Actor,
) -> Result<Option<LinkId>, AppError> {
    let ended = app
        .db
        .write_for(app.act(scope, actor), Unlink { request })
        .await?;
    if ended.is_some() {
        app.bell.ring();
    }
    Ok(ended)
}

struct Unlink {
    request: UnlinkRequest,
}

impl Work for Unlink {
    type For = Act;
    type Output = Option<LinkId>;
    type Error = AppError;
    const NAME: &'static str = "unlink";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<Option<LinkId>, AppError> {
        orgs::lock(tx, act.scope).await?;
        unlink_in(tx, act, &self.request).await
    }
}
