//! What a node asks and writes down that runs Guilds' own bots.

use std::collections::HashMap;

use domain::bot::BotId;
use domain::platform_id::DiscordId;
use domain::runner::{Restart, Runner, Step};
use secrecy::SecretString;
use storage::bots::dedicated;
use storage::bots::leases::Lease;
use storage::bots::runners;
pub use storage::bots::runners::Seen;
use storage::jobs::Moment;
use storage::{NoOrg, Tx, Work};

use super::{look, register};
use crate::error::{AppError, RequestError};
use crate::serving;
use crate::state::App;

/// A Guild is looked at again when its bot has changed, and after this if nobody saw it.
const LOOK_AGAIN_MS: i64 = 60_000;
/// Looks that are asked for in one go, each in a unit of its own: whoever asks has leases to renew.
const MOST_LOOKS: usize = 50;

/// All bots of Guilds, whoever runs them.
pub async fn list(app: &App) -> Result<Vec<Seen>, AppError> {
    Ok(runners::list(&app.db).await?)
}

/// Takes so many of these that no node runs.
pub async fn take_free(app: &App, owner: &str, bots: Vec<DiscordId>, most: i64) -> Result<u64, AppError> {
    let (owner, moment) = (owner.to_owned(), app.moment());
    let work = Take {
        owner,
        bots,
        most,
        moment,
    };
    app.db.write(work).await
}

/// Whether somebody pays for a bot, or need not.
pub fn is_paid(app: &App, bot: &Seen) -> bool {
    bot.is_paid || app.plans.custom_bots
}

/// Keeps all that this node has.
pub async fn renew(app: &App, owner: &str) -> Result<u64, AppError> {
    let (owner, moment) = (owner.to_owned(), app.moment());
    app.db.write(Renew { owner, moment }).await
}

/// Frees what a process before this one held. Only for an embedded database, which nobody else can have open.
pub async fn free_left(app: &App) -> Result<(), AppError> {
    match app.db_engine() {
        "sqlite" => app.db.write(FreeLeft(None)).await.map(drop),
        _ => Ok(()),
    }
}

/// Frees what another process of the service held, which is known to have ended.
pub async fn free_left_by(app: &App, owner: String) -> Result<u64, AppError> {
    app.db.write(FreeLeft(Some(owner))).await
}

/// What a process is given that nobody else may know.
pub struct Credentials {
    /// What proves to this service who it is.
    pub secret: SecretString,
    /// What proves it to Discord.
    pub token: SecretString,
    /// Of that.
    pub token_version: i64,
}

/// Reads them for whoever starts a bot.
pub async fn credentials(app: &App, bot: &DiscordId) -> Result<Credentials, AppError> {
    let token = dedicated::find_token(&app.db, bot).await?;
    let token = token.ok_or(RequestError::NotFound)?;
    let secret = register::secret(app, &BotId::Dedicated(bot.clone())).await?;
    Ok(Credentials {
        secret: secret.expose().to_owned().into(),
        token: serving::open(app, &token)?,
        token_version: token.version,
    })
}

/// What is written down of a bot.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// From where to where it goes; false comes back when it was elsewhere.
    pub moved: Option<(Runner, Runner)>,
    /// A process begins, and will report under this name.
    pub begins: Option<String>,
    /// Why the one before ended.
    pub restart: Option<Restart>,
    /// Nothing runs for it any more.
    pub ended: bool,
}

/// Writes down what happened to a bot; false when it is another node's, or was changed meanwhile.
pub async fn note(app: &App, lease: &Lease, change: Change) -> Result<bool, AppError> {
    let work = Note {
        lease: lease.clone(),
        change,
        moment: app.moment(),
        now_ms: app.now_ms(),
    };
    app.db.write(work).await
}

/// Which bot each Guild was last told to be looked at for, and when.
#[derive(Default)]
pub struct HandOvers(HashMap<i64, (BotId, i64)>);

/// Has the Guilds looked at that another bot serves than the one that saw them last; says how many. The rest are for the
/// next time.
pub async fn hand_over(app: &App, known: &mut HandOvers, bots: &[Seen]) -> Result<usize, AppError> {
    let (now_ms, shared_now_ms) = (app.clock.steady_ms(), app.shared_now_ms().await);
    let mut asked = 0;
    for bot in bots {
        if asked == MOST_LOOKS {
            break;
        }
        let serving = bot.serving(shared_now_ms);
        if bot.seen_by.as_deref().unwrap_or("platform") == serving.as_str() {
            known.0.remove(&bot.guild_num.0);
            continue;
        }
        let told = known.0.get(&bot.guild_num.0);
        if told.is_some_and(|(to, at_ms)| *to == serving && now_ms - at_ms < LOOK_AGAIN_MS) {
            continue;
        }
        known.0.insert(bot.guild_num.0, (serving, now_ms));
        look::enqueue(app, bot.scope, bot.guild.clone()).await?;
        asked += 1;
    }
    Ok(asked)
}

struct Take {
    owner: String,
    bots: Vec<DiscordId>,
    most: i64,
    moment: Moment,
}

impl Work for Take {
    type For = NoOrg;
    type Output = u64;
    type Error = AppError;
    const NAME: &'static str = "take_free_bots";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<u64, AppError> {
        Ok(runners::take_free(tx, &self.owner, &self.bots, self.most, self.moment).await?)
    }
}

struct Renew {
    owner: String,
    moment: Moment,
}

impl Work for Renew {
    type For = NoOrg;
    type Output = u64;
    type Error = AppError;
    const NAME: &'static str = "renew_bots";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<u64, AppError> {
        Ok(runners::renew_all(tx, &self.owner, self.moment).await?)
    }
}

struct FreeLeft(Option<String>);

impl Work for FreeLeft {
    type For = NoOrg;
    type Output = u64;
    type Error = AppError;
    const NAME: &'static str = "free_left_bots";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<u64, AppError> {
        Ok(runners::free_left(tx, self.0.as_deref()).await?)
    }
}

struct Note {
    lease: Lease,
    change: Change,
    moment: Moment,
    now_ms: i64,
}

impl Work for Note {
    type For = NoOrg;
    type Output = bool;
    type Error = AppError;
    const NAME: &'static str = "note_bot";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<bool, AppError> {
        let bot = &self.lease.bot;
        if !runners::hold(tx, &self.lease).await? {
            return Ok(false);
        }
        if let Some((from, to)) = &self.change.moved {
            if !runners::note(tx, bot, from, to).await? {
                return Ok(false);
            }
            if matches!(to.step, Step::Paused | Step::Failed) {
                runners::hand_back(tx, bot).await?;
            }
        }
        if self.change.ended {
            runners::end(tx, bot).await?;
        }
        if let Some(restart) = self.change.restart {
            runners::note_restart(tx, bot, restart, self.now_ms).await?;
        }
        if let Some(instance) = &self.change.begins {
            runners::begin(tx, bot, instance, self.moment).await?;
        }
        Ok(true)
    }
}
