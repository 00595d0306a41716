//! A Guild gets a bot of its own, or its bot another token.

use domain::audit::{Actor, AuditAction};
use domain::bot::BotId;
use domain::flow::Provider;
use domain::id::{BotId as OwnBotId, GuildId};
use domain::platform_id::DiscordId;
use domain::runner::Step;
use platform::Unanswered;
use platform::discord::rest::{Asking, Own};
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use storage::bots::dedicated::{self, Dedicated, NewToken};
use storage::bots::{processes, register};
use storage::records::audit::Act;
use storage::tenancy::guilds::{self, Guild};
use storage::tenancy::orgs;
use storage::{GuildNum, OrgScope, Tx, Work};
use tokio::time::Instant;

use super::own_bot::{is_allowed_in, withdraw_with};
use super::register::Sealed;
use crate::error::{AppError, BotsError, RequestError};
use crate::identity::discord_visit::unanswered;
use crate::identity::sessions;
use crate::serving::token_place;
use crate::state::App;

/// Tokens of one Guild that are shown to Discord.
const EVERY_MS: i64 = 2_000;
/// Discord's have 59 to 72 characters, and may grow.
const LENGTHS: std::ops::RangeInclusive<usize> = 20..=200;
const ROUTE: &str = "GET /users/@me";

/// A token that somebody pasted.
pub struct TokenRequest {
    /// As it was pasted.
    pub token: SecretString,
    /// It may be another bot's than before.
    pub new_identity: bool,
}

/// The Guild, if it may be given a token now. To replace one takes a fresh sign-in: whoever has the token of a bot has the bot.
async fn find_guild(
    app: &App,
    scope: OrgScope,
    id: &GuildId,
    signed_in_at_ms: i64,
) -> Result<Guild, AppError> {
    let guild = guilds::find(&app.db, scope, id).await?;
    let guild = guild.ok_or(RequestError::NotFound)?;
    if dedicated::find(&app.db, scope, guild.num).await?.is_some() {
        sessions::require_fresh(app, signed_in_at_ms)?;
    }
    let is_paid = dedicated::is_paid(&app.db, scope, guild.num).await?;
    if !is_paid && !app.plans.custom_bots {
        return Err(BotsError::NotSubscribed.into());
    }
    Ok(guild)
}

/// Shows the token to Discord and keeps it. One that is not good changes nothing.
pub async fn save(
    app: &App,
    scope: OrgScope,
    id: &GuildId,
    request: TokenRequest,
    (actor, signed_in_at_ms): (Actor, i64),
) -> Result<(), AppError> {
    let guild = find_guild(app, scope, id, signed_in_at_ms).await?;
    let token = trimmed(&request.token).ok_or(BotsError::TokenRejected)?;
    let turn = app
        .memories
        .bot_tokens
        .take(guild.num, EVERY_MS, app.clock.steady_ms());
    turn.map_err(|retry_after_ms| RequestError::RateLimited { retry_after_ms })?;
    let own = ask_whose(app, scope, &guild.discord_guild_id, &token).await?;
    let before = dedicated::find(&app.db, scope, guild.num).await?;
    let row = before.as_ref().map_or_else(
        || OwnBotId::generate(app.now_ms(), &*app.random),
        |bot| bot.id.clone(),
    );
    let version = before.as_ref().map_or(1, |bot| bot.runner.token_version + 1);
    let place = token_place(row.as_str(), version);
    let (sealed, sealed_kid) = app
        .vault
        .seal(&*app.random, &place, token.expose_secret().as_bytes());
    let work = Save {
        guild: guild.num,
        id: id.clone(),
        row,
        version,
        secret: Sealed::make(app, &BotId::Dedicated(own.id.clone()), 1),
        own,
        sealed,
        sealed_kid,
        last4: last4(&token),
        new_identity: request.new_identity,
        custom_bots: app.plans.custom_bots,
    };
    let former = match &before {
        Some(bot) if bot.bot_user_id != work.own.id && !bot.is_rejected() => {
            dedicated::find_token(&app.db, &bot.bot_user_id).await?
        }
        Some(_) | None => None,
    };
    app.db.write_for(app.act(scope, actor), work).await?;
    app.bell.ring();
    if let Some(former) = former {
        withdraw_with(app, scope, &guild.discord_guild_id, &former).await?;
        if let Some(own) = &app.platforms.own_bots {
            own.forget(&former.bot_user_id);
        }
    }
    Ok(())
}

/// By which people know it again.
fn last4(token: &SecretString) -> String {
    let last = token.expose_secret().chars().rev().take(4).collect::<Vec<_>>();
    last.into_iter().rev().collect()
}

/// What can be a token at all: it goes into a header.
fn trimmed(token: &SecretString) -> Option<SecretString> {
    let text = token.expose_secret().trim();
    let fits = LENGTHS.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
    fits.then(|| SecretString::from(text))
}

async fn ask_whose(
    app: &App,
    scope: OrgScope,
    guild: &DiscordId,
    token: &SecretString,
) -> Result<Own, AppError> {
    let clients = app.platforms.own_bots.as_ref().ok_or(BotsError::NotSetUp)?;
    let client = clients.try_out(token.clone()).map_err(AppError::internal)?;
    let asking = Asking::for_person(scope.num(), guild);
    let begun = Instant::now();
    let own = match client.own(asking).await.map_err(|not| not.cause) {
        Ok(own) => own,
        Err(Unanswered::Refused | Unanswered::Remembered { status: 401, .. }) => {
            return Err(BotsError::TokenRejected.into());
        }
        Err(Unanswered::OverShare { retry_after_ms }) => {
            return Err(RequestError::RateLimited { retry_after_ms }.into());
        }
        Err(cause) => {
            return Err(unanswered(
                Provider::Discord,
                "discord.bot_token",
                ROUTE,
                cause,
                begun,
            ));
        }
    };
    if !own.is_bot {
        return Err(BotsError::TokenRejected.into());
    }
    if is_shared(app, asking, &own.id).await? {
        return Err(BotsError::InUse.into());
    }
    Ok(own)
}

/// Whether that is the shared bot. Discord says it, or the shared bot's process has; where neither does nobody knows, and
/// two sessions of one token would be there at once.
async fn is_shared(app: &App, asking: Asking<'_>, account: &DiscordId) -> Result<bool, AppError> {
    let Some(shared) = &app.platforms.discord_bot else {
        return Ok(false);
    };
    let begun = Instant::now();
    let cause = match shared.own_id(asking).await {
        Ok(shared) => return Ok(shared == *account),
        Err(not) => not.cause,
    };
    match processes::find_shared_account(&app.db).await? {
        Some(known) => Ok(known == account.as_str()),
        None => {
            let setting = "discord.bot_token";
            Err(unanswered(Provider::Discord, setting, ROUTE, cause, begun))
        }
    }
}

struct Save {
    guild: GuildNum,
    id: GuildId,
    row: OwnBotId,
    version: i64,
    secret: Sealed,
    own: Own,
    sealed: String,
    sealed_kid: String,
    last4: String,
    new_identity: bool,
    custom_bots: bool,
}

impl Save {
    fn token(&self, now_ms: i64) -> NewToken<'_> {
        NewToken {
            bot_user_id: &self.own.id,
            name: &self.own.name,
            sealed: &self.sealed,
            sealed_kid: &self.sealed_kid,
            last4: &self.last4,
            now_ms,
        }
    }

    /// Where the bot goes on from.
    fn step(&self, before: &Dedicated) -> Step {
        if before.bot_user_id != self.own.id {
            return Step::Allocate;
        }
        if before.runner.step == Step::Failed {
            Step::Start
        } else {
            before.runner.step
        }
    }
}

impl Work for Save {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "save_bot_token";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        let (scope, guild) = (act.scope, self.guild);
        orgs::lock(tx, scope).await?;
        guilds::lock(tx, scope, guild).await?;
        if !is_allowed_in(tx, scope, guild, self.custom_bots).await? {
            return Err(BotsError::NotSubscribed.into());
        }
        if dedicated::is_in_use(tx, &self.own.id, guild).await? {
            return Err(BotsError::InUse.into());
        }
        let before = dedicated::find_in(tx, scope, guild).await?;
        let known = before.as_ref().map_or(1, |bot| bot.runner.token_version + 1);
        if known != self.version || before.as_ref().is_some_and(|bot| bot.id != self.row) {
            return Err(RequestError::ChangedMeanwhile.into());
        }
        let identity = match &before {
            None => "new",
            Some(bot) if bot.bot_user_id == self.own.id => "same",
            Some(_) if self.new_identity => "other",
            Some(_) => return Err(BotsError::OtherIdentity.into()),
        };
        if identity != "same" {
            // Whoever still runs the other one is let in no more.
            register::remove_of_guild(tx, scope, guild).await?;
            let id = BotId::Dedicated(self.own.id.clone());
            let hash = self.secret.hash();
            // Another Org can have been faster.
            if !register::ensure(tx, &id, Some((scope, guild)), &self.secret.to_store(&hash)).await? {
                return Err(BotsError::InUse.into());
            }
        }
        processes::forget_rejection(tx, &BotId::Dedicated(self.own.id.clone())).await?;
        let token = self.token(act.now_ms);
        match &before {
            None => dedicated::add(tx, scope, guild, &self.row, &token).await?,
            Some(bot) => dedicated::replace(tx, scope, guild, &token, (self.version, self.step(bot))).await?,
        }
        let target = Some(self.id.as_str());
        let detail = json!({ "identity": identity });
        Ok(act.note(tx, AuditAction::BotTokenSaved, target, &detail).await?)
    }
}
