//! Ending one's own link.

use domain::audit::Actor;
use domain::flow::{FlowPurpose, FlowToken};
use domain::link::UnlinkCause;
use domain::network::ClientAddress;
use domain::platform_id::EitherId;
use storage::linking::flows;
use storage::records::audit::Act;
use storage::tenancy::guilds;
use storage::{GuildNum, Tx, Work};

use super::flow::current_of_page;
use crate::error::{AppError, IdentityError};
use crate::identity::blocklist::refuse_blocked_network;
use crate::linking::links::{self, UnlinkRequest};
use crate::state::App;

/// Ends the link of whoever signed in, by either account. Doing it again changes nothing.
pub async fn unlink(
    app: &App,
    slug: &str,
    token: &FlowToken,
    address: ClientAddress,
) -> Result<(), AppError> {
    refuse_blocked_network(app, address).await?;
    let current = current_of_page(app, token, FlowPurpose::Unlink, slug).await?;
    if current.flow.finished {
        return Ok(());
    }
    let discord = current.flow.discord.map(|(id, _)| EitherId::Discord(id));
    let steam = current.flow.steam.map(|(id, _)| EitherId::Steam(id));
    let either = discord.or(steam).ok_or(IdentityError::SignInExpired)?;
    let work = Finish {
        flow: current.hash,
        guild: current.page.guild,
        request: UnlinkRequest {
            guild: current.page.guild_id,
            either,
            cause: UnlinkCause::User,
            reason: None,
        },
    };
    app.db
        .write_for(app.act(current.page.scope, Actor::Player), work)
        .await?;
    app.bell.ring();
    Ok(())
}

struct Finish {
    flow: String,
    guild: GuildNum,
    request: UnlinkRequest,
}

impl Work for Finish {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "finish_unlink";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        guilds::lock(tx, act.scope, self.guild).await?;
        if flows::finish(tx, &self.flow, act.now_ms).await? {
            links::unlink_in(tx, act, &self.request).await?;
        }
        Ok(())
    }
}
