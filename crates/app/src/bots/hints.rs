//! What a bot hears of Guilds on Discord. Hints only: the facts are read by a job, in one place.

use domain::job::Job;
use domain::platform_id::DiscordId;
use futures_util::future::try_join_all;
use storage::bots::guild_bots;
use storage::bots::guild_lists::{self, HeardGuild};
use storage::bots::register::HeldBot;
use storage::jobs::{self, Moment};
use storage::tenancy::guilds;
use storage::{OrgScope, Tx, Work};

use super::look;
use crate::error::{AppError, RequestError};
use crate::state::App;

/// Hints in one call.
pub const MOST_AT_ONCE: usize = 100;
/// When a Guild was last heard of is kept to this.
const SEEN_EVERY_MS: i64 = 60_000;
/// A bot that connects anew hears of every Guild that it is in; what was read a moment ago need not be read again.
const FRESH_MS: i64 = 10 * 60_000;
/// In some Discord servers something changes every second: they are looked at once in this time.
const LOOK_EVERY_MS: i64 = 30_000;

/// What happened, as far as the bot tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HintKind {
    /// The bot is in the Discord server.
    Here,
    /// It is there no more.
    Gone,
    /// Roles, channels or the bot's own standing changed.
    Changed,
    /// Something else happened there.
    Seen,
}

/// A hint about one Discord server.
#[derive(Debug, Clone)]
pub struct Hint {
    /// What happened.
    pub kind: HintKind,
    /// Where; nothing is done about servers that are no Guild of this bot.
    pub discord_guild_id: DiscordId,
}

/// Takes hints: notes that the Guilds were heard of, and has those looked at that may have changed.
pub async fn take(app: &App, bot: &HeldBot, hints: &[Hint]) -> Result<(), AppError> {
    let mut ids: Vec<&DiscordId> = hints.iter().map(|hint| &hint.discord_guild_id).collect();
    ids.sort_unstable_by_key(|id| id.as_str());
    ids.dedup();
    let now_ms = app.now_ms();
    let shared_now_ms = app.shared_now_ms().await;
    let heard = guild_lists::list_heard(&app.db, &ids).await?;
    let own = heard.into_iter().filter(|heard| match bot.guild {
        Some((_, guild)) => heard.guild.num == guild,
        None => !heard.guild.is_served_by_its_own(shared_now_ms),
    });
    let mut notes = Vec::new();
    for heard in own {
        let of_guild = hints
            .iter()
            .filter(|hint| hint.discord_guild_id == heard.guild.discord_guild_id);
        let look_in_ms = of_guild
            .filter_map(|hint| look_in_ms(hint.kind, &heard, now_ms))
            .min();
        let is_old = heard
            .last_event_at_ms
            .is_none_or(|at_ms| at_ms <= now_ms - SEEN_EVERY_MS);
        if look_in_ms.is_some() || is_old {
            notes.push(note(app, heard, look_in_ms));
        }
    }
    if try_join_all(notes).await?.contains(&true) {
        app.bell.ring();
    }
    Ok(())
}

/// How soon the Guild is to be looked at, if at all.
fn look_in_ms(kind: HintKind, heard: &HeardGuild, now_ms: i64) -> Option<i64> {
    match kind {
        // A bot that connects anew tells where it is missing, also where it never was.
        HintKind::Gone => (heard.present != Some(false)).then_some(0),
        HintKind::Changed => {
            let next_ms = heard.checked_at_ms.map_or(now_ms, |at_ms| at_ms + LOOK_EVERY_MS);
            Some((next_ms - now_ms).clamp(0, LOOK_EVERY_MS))
        }
        HintKind::Here => {
            let is_fresh = heard.checked_at_ms.is_some_and(|at_ms| at_ms > now_ms - FRESH_MS);
            (!(is_fresh && heard.present == Some(true))).then_some(0)
        }
        HintKind::Seen => None,
    }
}

/// True when there is something to do at once.
async fn note(app: &App, heard: HeardGuild, look_in_ms: Option<i64>) -> Result<bool, AppError> {
    let scope = heard.guild.scope;
    let work = Note {
        heard,
        look_in_ms,
        moment: app.moment(),
    };
    match app.db.write_for(scope, work).await {
        Ok(()) => Ok(look_in_ms == Some(0)),
        // Removed meanwhile.
        Err(AppError::Request(RequestError::NotFound)) => Ok(false),
        Err(error) => Err(error),
    }
}

struct Note {
    heard: HeardGuild,
    look_in_ms: Option<i64>,
    moment: Moment,
}

impl Work for Note {
    type For = OrgScope;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "note_hint";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<(), AppError> {
        let guild = &self.heard.guild;
        guilds::lock(tx, scope, guild.num).await?;
        guild_bots::note_event(tx, scope, guild.num, self.moment.here_ms).await?;
        let job = Job::LookAtGuild {
            guild: guild.id.clone(),
        };
        match self.look_in_ms {
            None => Ok(()),
            Some(0) => Ok(look::enqueue_in(tx, scope, &job, self.moment).await?),
            Some(in_ms) => Ok(jobs::enqueue_later(tx, scope, &job, in_ms, self.moment).await?),
        }
    }
}
