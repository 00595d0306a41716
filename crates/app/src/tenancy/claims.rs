//! Claiming a Discord server for an Org.

use domain::audit::Actor;
use domain::flow::Provider;
use domain::id::GuildId;
use domain::name::{DisplayName, Slug};
use domain::platform_id::DiscordId;
use platform::Unanswered;
use platform::discord::GUILD_ROUTE;
use storage::identity::sign_ins;
pub use storage::identity::sign_ins::ManagedGuild;
use storage::{AccountNum, OrgScope};
use tokio::time::Instant;

use crate::error::{AppError, IdentityError, RequestError, TenancyError};
use crate::identity::discord_visit::unanswered;
use crate::once::PressBy;
use crate::state::App;
use crate::tenancy::guilds::{NewGuildRequest, create_once};

/// How long it counts that Discord showed somebody to manage a server.
pub(crate) const MANAGED_MS: i64 = 15 * 60_000;

/// What somebody can claim, and how they get the bot into it.
pub struct Candidates {
    /// What Discord showed within the last 15 minutes.
    pub guilds: Vec<ManagedGuild>,
    /// None where Discord is not set up.
    pub bot_invite_url: Option<String>,
}

/// Asks Discord nothing: what was seen on the last look is told.
pub async fn list(app: &App, account: AccountNum) -> Result<Candidates, AppError> {
    let since_ms = app.now_ms() - MANAGED_MS;
    let discord = app.platforms.discord_sign_in.as_ref();
    Ok(Candidates {
        guilds: sign_ins::list_managed(&app.db, account, since_ms).await?,
        bot_invite_url: discord.map(|discord| discord.bot_invite_url(None)),
    })
}

/// Claims a Discord server for an Org: the person was seen to manage it a short while ago, and our bot is in it.
/// Who presses twice gets the same Guild, and Discord is not asked again.
pub async fn claim(
    app: &App,
    press: PressBy,
    scope: OrgScope,
    account: AccountNum,
    request: ClaimRequest,
    actor: Actor,
) -> Result<GuildId, AppError> {
    if let Some(claimed) = press.find(app, GuildId::parse).await? {
        return Ok(claimed);
    }
    let since_ms = app.now_ms() - MANAGED_MS;
    let id = &request.discord_guild_id;
    let managed = sign_ins::find_managed(&app.db, account, id, since_ms).await?;
    let managed = managed.ok_or(TenancyError::NotYourGuild)?;
    let name = match request.name {
        Some(name) => name,
        None => DisplayName::parse(&managed.name).map_err(|error| AppError::invalid("name", error))?,
    };
    let not_set_up = IdentityError::SignInNotConfigured {
        provider: Provider::Discord,
    };
    let members = app.platforms.discord_bot.as_ref().ok_or(not_set_up)?;
    let begun = Instant::now();
    let is_here = members.is_in(scope.num(), id).await.map_err(|cause| {
        if let Unanswered::OverShare { retry_after_ms } = cause {
            RequestError::RateLimited { retry_after_ms }.into()
        } else {
            unanswered(Provider::Discord, "discord.bot_token", GUILD_ROUTE, cause, begun)
        }
    })?;
    if !is_here {
        return Err(TenancyError::BotAbsent {
            invite_url: app.platforms.discord_sign_in()?.bot_invite_url(Some(id)),
        }
        .into());
    }
    let request = NewGuildRequest {
        discord_guild_id: request.discord_guild_id,
        name,
        slug: request.slug,
        log_channel_id: None,
    };
    create_once(app, press, scope, request, actor).await
}

/// A Discord server that is to become a Guild.
pub struct ClaimRequest {
    /// One of those the caller was seen to manage.
    pub discord_guild_id: DiscordId,
    /// The address of its link page.
    pub slug: Slug,
    /// None takes the name it has on Discord.
    pub name: Option<DisplayName>,
}
