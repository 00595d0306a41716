//! Reads what a Guild is like on Discord: whether our bot is there, what it may do, and which roles and channels it finds.

use domain::bot::BotId;
use domain::discord::{Channel, ChannelReason, Permissions, Role, RoleReason, Standing};
use domain::id::GuildId;
use domain::job::{Job, LaneKind};
use domain::platform_id::DiscordId;
use platform::Unanswered;
use platform::discord::Rest;
use platform::discord::rest::{Asking, NotDone};
use storage::bots::guild_bots::Facts;
use storage::bots::{dedicated, guild_bots, places};
use storage::jobs::{self, Moment};
use storage::tenancy::guilds;
use storage::{DbError, GuildNum, OrgScope, Tx, Work};

use super::log::{self, again};
use super::registration;
use crate::error::AppError;
use crate::jobs::operate::wake_lane;
use crate::jobs::{Claimed, Outcome};
use crate::pictures::{self, Owner};
use crate::serving::{self, Bot};
use crate::state::App;

/// What was read of a Discord server that our bot is in.
struct Seen {
    /// Discord's name for its picture.
    icon: Option<String>,
    permissions: Permissions,
    top_position: i64,
    roles: Vec<places::Role>,
    channels: Vec<places::Channel>,
}

/// Looks at a Guild, writes down what was found, and tells Discord of our commands if it does not know them.
pub(crate) async fn step(app: &App, claimed: &Claimed, guild: &GuildId) -> Result<Outcome, AppError> {
    let scope = claimed.org.ok_or_else(|| AppError::internal("a job of no Org"))?;
    let Some(found) = guilds::find(&app.db, scope, guild).await? else {
        // It was removed meanwhile.
        return Ok(Outcome::Done);
    };
    let Some(bot) = serving::find(app, found.num).await? else {
        return Ok(Outcome::Drop { code: "NO_BOT" });
    };
    let asking = Asking::when_there_is_room(scope.num(), &found.discord_guild_id).patiently();
    let seen = match read(&bot, asking, &found.discord_guild_id).await {
        Ok(seen) => seen,
        Err(Unanswered::Refused | Unanswered::Remembered { status: 401, .. }) => {
            return Ok(Outcome::Drop {
                code: "TOKEN_REJECTED",
            });
        }
        Err(cause) => return Ok(again(cause)),
    };
    let icon = seen.as_ref().map(|seen| seen.icon.clone());
    let guild_num = found.num;
    let write = Write {
        guild: found.num,
        shared: is_shared_there(app, scope, &bot, &found.discord_guild_id, seen.is_some()).await,
        seen_by: bot.id(),
        seen,
        now_ms: app.now_ms(),
    };
    if app.db.write_for(scope, write).await? {
        // What was refused there may be allowed now.
        bot.forget_refusals(&found.discord_guild_id);
        log::wake(app, scope, guild_num, guild).await?;
        wake_lane(app, scope, LaneKind::Roles.of(guild.as_str())).await?;
    }
    let Some(icon) = icon else {
        // Nobody answers to what its own bot offers there while that does not serve.
        let left = match &bot {
            Bot::Shared(_) => registration::withdraw_own(app, scope, &found).await?,
            Bot::Own(..) => None,
        };
        return Ok(left.map_or(Outcome::Done, again));
    };
    pictures::keep_later(app, Owner::Guild(scope, found.clone()), icon);
    let not_told = registration::ensure(app, &bot, scope, &found).await?;
    Ok(not_told.map_or(Outcome::Done, again))
}

/// Whether the shared bot could serve the Guild; none when nobody said.
async fn is_shared_there(
    app: &App,
    scope: OrgScope,
    bot: &Bot<'_>,
    guild: &DiscordId,
    is_there: bool,
) -> Option<bool> {
    match (bot, &app.platforms.discord_bot) {
        (Bot::Own(..), Some(shared)) => shared.is_in(scope.num(), guild).await.ok(),
        (Bot::Own(..), None) => None,
        (Bot::Shared(_), _) => Some(is_there),
    }
}

/// None where our bot is not.
async fn read(bot: &Rest, asking: Asking<'_>, guild: &DiscordId) -> Result<Option<Seen>, Unanswered> {
    let facts = match bot.guild(asking).await {
        Ok(facts) => facts,
        Err(not) if is_refusal(not) => return Ok(None),
        Err(not) => return Err(not.cause),
    };
    let all_roles = bot.roles(asking).await?;
    let own_roles = bot.own_roles(asking).await?;
    let channels = bot.channels(asking).await?;
    let member = bot.own_id(asking).await?;
    let standing = Standing {
        guild,
        owner: &facts.owner,
        member: &member,
        roles: &own_roles,
        all_roles: &all_roles,
    };
    Ok(Some(Seen {
        icon: facts.icon,
        permissions: standing.permissions(),
        top_position: standing.top_position(),
        roles: all_roles
            .iter()
            .filter(|role| role.id != *guild)
            .map(|role| role_of(&standing, role))
            .collect(),
        channels: channels
            .iter()
            .map(|channel| channel_of(&standing, channel))
            .collect(),
    }))
}

/// Discord says the same of a server that is not there and of one that our bot is not in.
/// What says so without a number is something that stands before Discord.
pub(super) fn is_refusal(not: NotDone) -> bool {
    matches!(not.cause, Unanswered::Status(403 | 404)) && not.code.is_some()
}

fn role_of(standing: &Standing<'_>, role: &Role) -> places::Role {
    let reason = standing.reason_against_role(role).map(RoleReason::as_str);
    places::Role {
        id: role.id.clone(),
        name: role.name.clone(),
        position: role.position,
        colour: i64::from(role.colour & 0xFF_FFFF),
        reason: reason.map(str::to_owned),
        powerful: role.permissions.are_powerful(),
        gone_at: None,
    }
}

fn channel_of(standing: &Standing<'_>, channel: &Channel) -> places::Channel {
    let reason = standing
        .reason_against_channel(channel)
        .map(ChannelReason::as_str);
    places::Channel {
        id: channel.id.clone(),
        name: channel.name.clone(),
        position: channel.position,
        kind: channel.kind.max(0),
        parent_id: channel.parent.clone(),
        reason: reason.map(str::to_owned),
        gone_at: None,
    }
}

struct Write {
    guild: GuildNum,
    shared: Option<bool>,
    seen_by: BotId,
    seen: Option<Seen>,
    now_ms: i64,
}

impl Work for Write {
    type For = OrgScope;
    /// Whether it is other than it was read before.
    type Output = bool;
    type Error = AppError;
    const NAME: &'static str = "write_guild_facts";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<bool, AppError> {
        let (guild, now_ms) = (self.guild, self.now_ms);
        guilds::lock(tx, scope, guild).await?;
        let facts = Facts {
            present: self.seen.is_some(),
            permissions: self.seen.as_ref().map(|seen| seen.permissions.0.cast_signed()),
            top_position: self.seen.as_ref().map(|seen| seen.top_position),
            seen_by: &self.seen_by,
            now_ms,
        };
        let before = guild_bots::find_in(tx, scope, guild).await?.unwrap_or_default();
        guild_bots::set_facts(tx, scope, guild, &facts).await?;
        let is_first = before.checked_at_ms.is_none();
        if let Some(shared) = self.shared {
            dedicated::set_shared(tx, scope, guild, shared).await?;
        }
        let mut is_other = before.seen_by.as_deref() != Some(self.seen_by.as_str())
            || before.present != Some(facts.present)
            || before.permissions != facts.permissions
            || before.top_position != facts.top_position;
        // Who is not there sees nothing; what was known stays as it was.
        if let Some(seen) = &self.seen {
            is_other |= places::set_roles(tx, scope, guild, &seen.roles, now_ms).await? > 0;
            is_other |= places::set_channels(tx, scope, guild, &seen.channels, now_ms).await? > 0;
        }
        Ok(is_other && !is_first)
    }
}

/// Has a Guild looked at now.
pub async fn enqueue(app: &App, scope: OrgScope, guild: GuildId) -> Result<(), AppError> {
    let look = Look {
        job: Job::LookAtGuild { guild },
        moment: app.moment(),
    };
    app.db.write_for(scope, look).await?;
    app.bell.ring();
    Ok(())
}

/// The same in a unit of work. One that was put off is done now.
pub(super) async fn enqueue_in(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    job: &Job,
    moment: Moment,
) -> Result<(), DbError> {
    jobs::enqueue(tx, scope, job, moment.here_ms).await?;
    jobs::wake(tx, &job.lane(), moment).await
}

struct Look {
    job: Job,
    moment: Moment,
}

impl Work for Look {
    type For = OrgScope;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "enqueue_look";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<(), AppError> {
        Ok(enqueue_in(tx, scope, &self.job, self.moment).await?)
    }
}
