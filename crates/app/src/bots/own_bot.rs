//! A Guild's own bot, as its people see it.

use domain::audit::{Actor, AuditAction};
use domain::bot::BotFailure;
use domain::discord::Permissions;
use domain::id::GuildId;
use domain::job::Job;
use domain::platform_id::DiscordId;
use platform::discord::rest::Asking;
use serde_json::json;
pub use storage::bots::dedicated::Dedicated;
use storage::bots::dedicated::SealedToken;
use storage::bots::{dedicated, guild_bots, register};
use storage::jobs::Moment;
use storage::records::audit::Act;
use storage::tenancy::guilds::{self, Guild};
use storage::tenancy::orgs;
use storage::{GuildNum, OrgScope, Tx, Work};

use super::look;
use crate::error::{AppError, BotsError, RequestError};
use crate::identity::sessions;
use crate::serving;
use crate::state::App;

/// Why a bot of its own may run for a Guild.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Somebody pays for it.
    Subscribed,
    /// It is free here.
    Included,
    /// It may not.
    None,
}

/// What the card of a bot shows.
pub struct Card {
    /// Why it may run.
    pub access: Access,
    /// The bot, if there is one.
    pub bot: Option<Dedicated>,
    /// Whether that serves the Guild now.
    pub is_serving: bool,
    /// Whether it is to run and no node has room for it.
    pub lacks_room: bool,
    /// Adds it to the Discord server, or what it lacks there.
    pub invite_url: Option<String>,
    /// Whether the shared bot is in the Discord server; none when nobody looked.
    pub shared_present: Option<bool>,
    /// Adds that.
    pub shared_invite_url: Option<String>,
    /// People who are linked, which its presence tells.
    pub linked: i64,
    /// As people see it.
    pub guild_name: String,
}

/// Reads what is known; Discord is not asked.
pub async fn get(app: &App, scope: OrgScope, id: &GuildId) -> Result<Card, AppError> {
    let guild = find_guild(app, scope, id).await?;
    let bot = dedicated::find(&app.db, scope, guild.num).await?;
    let is_paid = dedicated::is_paid(&app.db, scope, guild.num).await?;
    let seen = guild_bots::find(&app.db, scope, guild.num)
        .await?
        .unwrap_or_default();
    let now_ms = app.shared_now_ms().await;
    let is_serving = bot.as_ref().is_some_and(|bot| bot.is_serving(now_ms));
    let sign_in = app.platforms.discord_sign_in.as_ref();
    let place = &guild.discord_guild_id;
    let needed = Permissions::needed();
    let held = super::facts::permissions(seen.permissions).filter(|_| is_serving);
    let is_outside = bot
        .as_ref()
        .is_some_and(|bot| bot.failure == Some(BotFailure::NotInGuild));
    let lacks = is_outside || held.is_some_and(|held| !held.contain(needed));
    let invite_url = bot.as_ref().zip(sign_in).filter(|_| lacks).map(|(bot, sign_in)| {
        let permissions = held.unwrap_or_default().with(needed);
        sign_in.bot_invite_of(&bot.bot_user_id, place, permissions)
    });
    // What was seen as the shared bot is about that.
    let seen_as_shared = seen
        .present
        .filter(|_| seen.seen_by.as_deref() == Some("platform"));
    let shared_present = match &bot {
        Some(bot) => bot.shared_present.or(seen_as_shared),
        None => seen.present,
    };
    let may_run = is_paid || app.plans.custom_bots;
    let lacks_room = bot.as_ref().is_some_and(|bot| bot.lacks_room(may_run, now_ms));
    let shared_invite_url = sign_in
        .filter(|_| shared_present == Some(false))
        .map(|sign_in| sign_in.bot_invite_with(place, needed));
    Ok(Card {
        access: match (is_paid, app.plans.custom_bots) {
            (true, _) => Access::Subscribed,
            (false, true) => Access::Included,
            (false, false) => Access::None,
        },
        bot,
        is_serving,
        lacks_room,
        invite_url,
        shared_present,
        shared_invite_url,
        linked: guild.active_links,
        guild_name: guild.name,
    })
}

/// Whether a bot of its own may run for a Guild, in a unit that has locked the Org.
pub(super) async fn is_allowed_in(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    custom_bots: bool,
) -> Result<bool, AppError> {
    Ok(custom_bots || dedicated::is_paid_in(tx, scope, guild).await?)
}

async fn find_guild(app: &App, scope: OrgScope, id: &GuildId) -> Result<Guild, AppError> {
    let guild = guilds::find(&app.db, scope, id).await?;
    Ok(guild.ok_or(RequestError::NotFound)?)
}

/// Tries a bot again that failed. One that did not is left as it is, and a token that Discord has rejected is not shown
/// to it again.
pub async fn retry(app: &App, scope: OrgScope, id: &GuildId, actor: Actor) -> Result<(), AppError> {
    let guild = find_guild(app, scope, id).await?;
    let work = Retry {
        guild: guild.num,
        id: id.clone(),
        moment: app.moment(),
    };
    app.db.write_for(app.act(scope, actor), work).await
}

struct Retry {
    guild: GuildNum,
    id: GuildId,
    moment: Moment,
}

impl Work for Retry {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "retry_bot";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        orgs::lock(tx, act.scope).await?;
        let bot = dedicated::find_in(tx, act.scope, self.guild).await?;
        if bot.is_some_and(|bot| bot.runner.is_rejected()) {
            return Err(BotsError::TokenNeeded.into());
        }
        if dedicated::retry(tx, act.scope, self.guild, self.moment).await? {
            let target = Some(self.id.as_str());
            act.note(tx, AuditAction::BotRetried, target, &json!({})).await?;
        }
        Ok(())
    }
}

/// Forgets a bot and its token, if there is one. The shared one works on. It takes a fresh sign-in like another token: whoever
/// could remove a bot could put theirs in its place.
pub async fn remove(
    app: &App,
    scope: OrgScope,
    id: &GuildId,
    (actor, signed_in_at_ms): (Actor, i64),
) -> Result<(), AppError> {
    let guild = find_guild(app, scope, id).await?;
    let Some(bot) = dedicated::find(&app.db, scope, guild.num).await? else {
        return Ok(());
    };
    sessions::require_fresh(app, signed_in_at_ms)?;
    withdraw(app, scope, &guild, &bot).await?;
    let work = Remove {
        guild: guild.num,
        id: id.clone(),
        look: Job::LookAtGuild { guild: id.clone() },
        moment: app.moment(),
    };
    app.db.write_for(app.act(scope, actor), work).await?;
    if let Some(own) = &app.platforms.own_bots {
        own.forget(&bot.bot_user_id);
    }
    app.bell.ring();
    Ok(())
}

/// Nobody can take its commands back once its token is gone. Where Discord does not let us they stay.
async fn withdraw(app: &App, scope: OrgScope, guild: &Guild, bot: &Dedicated) -> Result<(), AppError> {
    // Discord is not shown again what it has rejected.
    if !bot.is_rejected()
        && let Some(token) = dedicated::find_token(&app.db, &bot.bot_user_id).await?
    {
        withdraw_with(app, scope, &guild.discord_guild_id, &token).await?;
    }
    Ok(())
}

/// The same with a token that may be gone by now.
pub(super) async fn withdraw_with(
    app: &App,
    scope: OrgScope,
    place: &DiscordId,
    token: &SealedToken,
) -> Result<(), AppError> {
    let Some(own) = &app.platforms.own_bots else {
        return Ok(());
    };
    let client = match serving::client(app, own, token) {
        Ok(client) => client,
        // Whoever has lost a master key can still remove what it protected.
        Err(error) => {
            tracing::warn!(error = %error.internal_detail(), "the commands of a bot that was removed stay");
            return Ok(());
        }
    };
    if let Err(not) = client
        .set_commands(Asking::for_person(scope.num(), place), &json!([]))
        .await
    {
        tracing::info!(cause = %not, "the commands of a bot that was removed stay");
    }
    Ok(())
}

struct Remove {
    guild: GuildNum,
    id: GuildId,
    look: Job,
    moment: Moment,
}

impl Work for Remove {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "remove_bot";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        orgs::lock(tx, act.scope).await?;
        register::remove_of_guild(tx, act.scope, self.guild).await?;
        if !dedicated::remove(tx, act.scope, self.guild).await? {
            return Ok(());
        }
        look::enqueue_in(tx, act.scope, &self.look, self.moment).await?;
        let target = Some(self.id.as_str());
        Ok(act.note(tx, AuditAction::BotRemoved, target, &json!({})).await?)
    }
}
