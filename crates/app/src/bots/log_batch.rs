//! What is written about log messages: what the next one says, and that it was posted or never will be.

use domain::id::GuildId;
use domain::job::{Doer, Job, LaneKind};
use domain::log_message::{self, By, LogProblem, MOST_CHARACTERS, MOST_EMBEDS, Pair};
use domain::platform_id::{DiscordId, SteamId};
use serde_json::{Value, json};
use storage::bots::log_lines::{self, LinkFacts};
use storage::bots::{guild_bots, log_batches};
use storage::jobs::{self, Grip, Head, Held, Moment};
use storage::tenancy::{guilds, orgs};
use storage::{GuildNum, OrgScope, Tx, Work};

use super::log::Target;
use crate::error::AppError;

/// Jobs that go at once when a Guild wants no messages any more.
const SLICE: i64 = 200;

/// Discord knows a message by its number for some minutes, here reckoned a little shorter.
const NONCE_MS: i64 = 4 * 60_000;

/// A message as it is sent, however often.
pub(super) struct Batch {
    /// Discord knows it by this.
    pub num: i64,
    pub body: String,
    /// The jobs of the lane up to this one are told by it.
    pub last_job: i64,
    /// Since when nobody knows whether it arrived.
    pub unsure_at_ms: Option<i64>,
    /// It was sent again after that number may have been forgotten.
    pub resent: bool,
}

impl Batch {
    /// It may be in the channel, and sent again it may be there twice.
    pub fn is_past_its_nonce(&self, now_ms: i64) -> bool {
        self.unsure_at_ms.is_some_and(|at_ms| now_ms - at_ms >= NONCE_MS)
    }
}

/// What there is to post.
pub(super) enum Prepared {
    Waits {
        target: Target,
        batch: Batch,
    },
    /// The Guild wants no messages any more.
    Nothing,
    /// Somebody else has the lane.
    Lost,
}

/// Finds the message that may have been sent already, or puts the next one together and stores it.
pub(super) struct Prepare {
    pub held: Held,
    pub guild: GuildId,
    pub now_ms: i64,
}

impl Work for Prepare {
    type For = OrgScope;
    type Output = Prepared;
    type Error = AppError;
    const NAME: &'static str = "prepare_log_message";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<Prepared, AppError> {
        // The Org, then the lane, as everybody: nobody is erased between the look at a link and the message about it.
        orgs::lock_even_removed(tx, scope).await?;
        if jobs::hold(tx, &self.held).await? == Grip::Lost {
            return Ok(Prepared::Lost);
        }
        let Some(guild) = guilds::find_in(tx, scope, &self.guild).await? else {
            // It was removed, and so are its messages, by the job that ends it.
            jobs::remove_slice(tx, &self.held.claim.lane, SLICE).await?;
            return Ok(Prepared::Nothing);
        };
        let channel = guild.log_channel_id.as_deref().map(DiscordId::parse);
        let Some(Ok(channel)) = channel else {
            log_batches::remove(tx, scope, guild.num).await?;
            jobs::remove_slice(tx, &self.held.claim.lane, SLICE).await?;
            return Ok(Prepared::Nothing);
        };
        let target = Target {
            guild: guild.num,
            discord_guild: guild.discord_guild_id,
            channel,
        };
        let batch = self.batch(tx, scope, guild.num).await?;
        Ok(Prepared::Waits { target, batch })
    }
}

impl Prepare {
    async fn batch(&self, tx: &mut Tx<'_>, scope: OrgScope, guild: GuildNum) -> Result<Batch, AppError> {
        if let Some(stored) = log_batches::find_in(tx, scope, guild).await? {
            if stored.last_job >= self.held.num {
                return Ok(Batch {
                    num: stored.num,
                    body: stored.body,
                    last_job: stored.last_job,
                    unsure_at_ms: stored.unsure_at_ms,
                    resent: stored.resent,
                });
            }
            // Its jobs were dropped meanwhile.
            log_batches::remove(tx, scope, guild).await?;
        }
        let first = jobs::list_first(tx, &self.held.claim.lane, MOST_EMBEDS as i64).await?;
        let (mut embeds, mut size, mut last_job) = (Vec::new(), 0, self.held.num);
        for head in first {
            let Ok(job) = Job::parse(&head.kind, &head.payload) else {
                break;
            };
            if head.cancelled {
                break;
            }
            let embed = embed_of(tx, scope, &job, &head).await?;
            size += embed.as_ref().map_or(0, log_message::size);
            if size > MOST_CHARACTERS && !embeds.is_empty() {
                break;
            }
            embeds.extend(embed);
            jobs::note_told(tx, head.num).await?;
            last_job = head.num;
        }
        let body = json!({ "embeds": embeds }).to_string();
        let num = log_batches::insert(tx, scope, guild, &body, last_job, self.now_ms).await?;
        Ok(Batch {
            num,
            body,
            last_job,
            unsure_at_ms: None,
            resent: false,
        })
    }
}

/// The message that a Guild is being sent says what is known now: somebody whom it named was erased. Whether it was posted
/// already, Discord tells by its number.
pub(crate) async fn tell_anew(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    guild_id: &GuildId,
) -> Result<(), AppError> {
    let Some(stored) = log_batches::find_in(tx, scope, guild).await? else {
        return Ok(());
    };
    let lane = LaneKind::Log.of(guild_id.as_str());
    let mut embeds = Vec::new();
    for head in jobs::list_first(tx, &lane, MOST_EMBEDS as i64).await? {
        if head.num > stored.last_job || head.cancelled {
            break;
        }
        let Ok(job) = Job::parse(&head.kind, &head.payload) else {
            break;
        };
        embeds.extend(embed_of(tx, scope, &job, &head).await?);
    }
    let body = json!({ "embeds": embeds }).to_string();
    Ok(log_batches::set_body(tx, scope, guild, &body).await?)
}

/// What a job tells; none for a link that is not there.
async fn embed_of(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    job: &Job,
    head: &Head,
) -> Result<Option<Value>, AppError> {
    let (link, by) = match job {
        Job::LogLinked { link, .. } => (link, None),
        Job::LogUnlinked { link, by, .. } => (link, by.as_ref()),
        Job::LogMore { .. } => return Ok(Some(log_message::more(head.total))),
        Job::EndGuild { .. }
        | Job::EndServer { .. }
        | Job::LookAtGuild { .. }
        | Job::SyncRoles { .. }
        | Job::RecheckRoles { .. }
        | Job::FollowPeople { .. }
        | Job::UnlinkPeople { .. }
        | Job::SweepPeople { .. }
        | Job::CleanUp { .. }
        | Job::ImportLinks { .. }
        | Job::ReadBilling { .. }
        | Job::SendWebhook { .. } => return Ok(None),
    };
    let Some(facts) = log_lines::find_link(tx, scope, link).await? else {
        return Ok(None);
    };
    let pair = pair_of(&facts);
    if matches!(job, Job::LogLinked { .. }) {
        let country = facts.country.as_deref();
        return Ok(Some(log_message::linked(&pair, country, facts.linked_at_ms)));
    }
    let Some((ended_at_ms, cause)) = &facts.end else {
        return Ok(None);
    };
    let by = match by {
        Some(Doer::Account(id)) => log_lines::find_member_name(tx, id).await?.map(By::Member),
        Some(Doer::Key(id)) => log_lines::find_server_name(tx, scope, id).await?.map(By::Server),
        None => None,
    };
    let linked_ms = ended_at_ms - facts.linked_at_ms;
    Ok(Some(log_message::unlinked(
        &pair,
        cause,
        linked_ms,
        by.as_ref(),
        *ended_at_ms,
    )))
}

/// Digests of erased people are no ids.
fn pair_of(facts: &LinkFacts) -> Pair {
    let is_discord = DiscordId::parse(&facts.discord_id).is_ok();
    let is_steam = SteamId::parse(&facts.steam_id).is_ok();
    Pair {
        discord_id: is_discord.then(|| facts.discord_id.clone()),
        steam_id: is_steam.then(|| facts.steam_id.clone()),
        discord_name: facts.discord_name.clone(),
        steam_name: facts.steam_name.clone(),
    }
}

/// A message was posted, or never will be.
pub(super) struct Settle {
    pub held: Held,
    pub guild: GuildNum,
    pub last_job: i64,
    pub problem: Option<LogProblem>,
    /// Whether the dashboard has to show something else than before.
    pub tells: bool,
    /// How long the Guild's messages rest after a problem.
    pub pause_ms: i64,
    pub moment: Moment,
    pub now_ms: i64,
}

impl Work for Settle {
    type For = OrgScope;
    /// The kinds of the jobs that are gone; none when somebody else has the lane.
    type Output = Option<Vec<String>>;
    type Error = AppError;
    const NAME: &'static str = "settle_log_message";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<Self::Output, AppError> {
        if self.tells {
            // The Org, then the lane, as everybody.
            orgs::lock_even_removed(tx, scope).await?;
        }
        if jobs::hold(tx, &self.held).await? == Grip::Lost {
            return Ok(None);
        }
        let lane = &self.held.claim.lane;
        log_batches::remove(tx, scope, self.guild).await?;
        let (grip, kinds) = jobs::remove_up_to(tx, lane, self.last_job).await?;
        if self.tells {
            tell(tx, scope, self.guild, self.problem, self.now_ms).await?;
        }
        if self.problem.is_some() && grip == Grip::Ours {
            jobs::pause(tx, lane, self.pause_ms, self.moment).await?;
        }
        Ok(Some(kinds))
    }
}

async fn tell(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    problem: Option<LogProblem>,
    now_ms: i64,
) -> Result<(), AppError> {
    let problem = problem.map(LogProblem::as_str);
    Ok(guild_bots::set_log_problem(tx, scope, guild, problem, now_ms).await?)
}

/// What is noted of a message that waits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Noted {
    /// It may have arrived.
    Unsure,
    /// It is sent again though it may have arrived.
    Resent,
    /// Discord does not take the bot's token.
    TokenRejected,
}

pub(super) struct Note {
    pub guild: GuildNum,
    pub noted: Noted,
    pub now_ms: i64,
}

impl Work for Note {
    type For = OrgScope;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "note_log_message";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<(), AppError> {
        let (guild, now_ms) = (self.guild, self.now_ms);
        match self.noted {
            Noted::Unsure => Ok(log_batches::note_unsure(tx, scope, guild, now_ms).await?),
            Noted::Resent => Ok(log_batches::note_resent(tx, scope, guild, now_ms).await?),
            Noted::TokenRejected => {
                guilds::lock(tx, scope, guild).await?;
                tell(tx, scope, guild, Some(LogProblem::TokenRejected), now_ms).await
            }
        }
    }
}

/// What a test message showed.
pub(super) struct Tell {
    pub guild: GuildNum,
    /// Of the Guild's messages.
    pub lane: String,
    pub problem: Option<LogProblem>,
    pub moment: Moment,
    pub now_ms: i64,
}

impl Work for Tell {
    type For = OrgScope;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "tell_log_problem";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<(), AppError> {
        guilds::lock(tx, scope, self.guild).await?;
        if self.problem.is_none() {
            jobs::wake(tx, &self.lane, self.moment).await?;
        }
        tell(tx, scope, self.guild, self.problem, self.now_ms).await
    }
}
