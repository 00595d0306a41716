//! Bots that Guilds have for themselves, with their sealed tokens.

use domain::bot::BotFailure;
use domain::id::BotId as OwnBotId;
use domain::platform_id::DiscordId;
use domain::runner::{Restart, Runner, Step};

use super::guild_lists::HANDOVER_MS;
use super::runners::{exits, reason, step};
use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::jobs::Moment;
use crate::params;
use crate::scope::{GuildNum, OrgScope};

/// How long it takes until a node that has room takes a bot, with much to spare.
const TAKEN_WITHIN_MS: i64 = 10_000;

statements! {
    FIND: Dedicated = "
        SELECT {columns}
        FROM dedicated_bots d
        JOIN bots b ON b.id = d.bot_user_id
        WHERE d.guild_num = $2 AND d.org_num = $1";
    IN_USE = "
        SELECT guild_num
        FROM dedicated_bots
        WHERE bot_user_id = $1 AND guild_num <> $2";
    ADD = "
        INSERT INTO dedicated_bots (
            id, org_num, guild_num, bot_user_id, name, token_sealed, token_kid, token_version, token_last4, token_saved_at,
            step, next_at, created_at
        )
        VALUES ($1, $2, $3, $4, $5, $6, $7, 1, $8, $9, 'allocate', 0, $9)";
    REPLACE = "
        UPDATE dedicated_bots
        SET bot_user_id = $3, name = $4, token_sealed = $5, token_kid = $6, token_version = $7, token_last4 = $8,
            token_saved_at = $9, step = $10, reason = NULL, attempts = 0, next_at = 0, exits = '[]'
        WHERE guild_num = $2 AND org_num = $1";
    RETRY = "
        UPDATE dedicated_bots
        SET step = 'start', reason = NULL, attempts = 0, next_at = $3, exits = '[]'
        WHERE guild_num = $2 AND org_num = $1 AND step = 'failed' AND reason <> 'token_rejected'";
    REMOVE = "
        DELETE FROM dedicated_bots
        WHERE guild_num = $2 AND org_num = $1";
    PAID = "
        SELECT id
        FROM subscriptions
        WHERE guild_num = $2 AND org_num = $1 AND bot = 1 AND status IN ('trialing', 'active', 'past_due')
        LIMIT 1";
    /// Of the bot that serves a Guild, if that is its own.
    SERVING: SealedToken = "
        SELECT {columns}
        FROM dedicated_bots d
        JOIN bots b ON b.id = d.bot_user_id
        WHERE d.guild_num = $1 AND b.online_at > $2 AND COALESCE(b.failure, 'unreachable') IN ('intents_missing', 'unreachable')";
    TOKEN: SealedToken = "
        SELECT {columns}
        FROM dedicated_bots d
        WHERE d.bot_user_id = $1";
    SEALED_OTHERWISE: SealedToken = "
        SELECT {columns}
        FROM dedicated_bots d
        WHERE d.num > $1 AND d.token_kid <> $2
        ORDER BY d.num
        LIMIT 200";
    RESEAL = "
        UPDATE dedicated_bots
        SET token_sealed = $3, token_kid = $4
        WHERE num = $1 AND token_sealed = $2";
    SHARED = "
        UPDATE dedicated_bots
        SET shared_present = $3
        WHERE guild_num = $2 AND org_num = $1";
}

/// A Guild's own bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dedicated {
    /// Ours.
    pub id: OwnBotId,
    /// Its account on Discord.
    pub bot_user_id: DiscordId,
    /// As Discord knew it when its token was saved.
    pub name: String,
    /// The end of its token, by which people know it again.
    pub token_last4: String,
    /// When that was saved.
    pub token_saved_at_ms: i64,
    /// How far it is.
    pub runner: Runner,
    /// When and why it was last started again.
    pub restarted: Option<(i64, Restart)>,
    /// Whether the shared bot is in the Discord server; none before it was looked up.
    pub shared_present: Option<bool>,
    /// What its process last said was wrong.
    pub failure: Option<BotFailure>,
    /// Of its process.
    pub memory_bytes: i64,
    /// Of its process, by its own clock.
    pub started_at_ms: Option<i64>,
    /// When it was last heard of as online.
    pub online_at_ms: Option<i64>,
    /// When it was last heard of.
    pub heard_at_ms: Option<i64>,
    /// Until when a node has it; none where none does.
    pub held_until_ms: Option<i64>,
}

impl FromRow for Dedicated {
    const COLUMNS: &'static str = "d.id, d.bot_user_id, d.name, d.token_last4, d.token_saved_at, d.step, d.reason, \
        d.token_version, d.attempts, d.next_at, d.exits, d.restarted_at, d.restart_reason, d.shared_present, b.failure, \
        b.memory_bytes, b.started_at, b.online_at, b.heard_at, b.lease_until";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let restart = row.opt_text(12)?.as_deref().and_then(Restart::parse);
        Ok(Self {
            id: row.parse(0, OwnBotId::parse)?,
            bot_user_id: row.parse(1, DiscordId::parse)?,
            name: row.text(2)?,
            token_last4: row.text(3)?,
            token_saved_at_ms: row.int(4)?,
            runner: Runner {
                step: step(row, 5)?,
                reason: reason(row, 6)?,
                token_version: row.int(7)?,
                attempts: row.int(8)?,
                next_at_ms: row.int(9)?,
                exits: exits(row, 10)?,
            },
            restarted: row.opt_int(11)?.zip(restart),
            shared_present: row.opt_int(13)?.map(|present| present == 1),
            failure: row.opt_text(14)?.as_deref().and_then(BotFailure::parse),
            memory_bytes: row.int(15)?,
            started_at_ms: row.opt_int(16)?,
            online_at_ms: row.opt_int(17)?,
            heard_at_ms: row.opt_int(18)?,
            held_until_ms: row.opt_int(19)?,
        })
    }
}

impl Dedicated {
    /// Whether Discord has said that it does not take the token.
    pub fn is_rejected(&self) -> bool {
        self.runner.is_rejected() || self.failure == Some(BotFailure::TokenRejected)
    }

    /// Whether it is being set up and no node takes it: none has room. One that has is there within seconds.
    pub fn lacks_room(&self, paid: bool, now_ms: i64) -> bool {
        let since_ms = [self.held_until_ms, self.heard_at_ms]
            .into_iter()
            .flatten()
            .chain([self.token_saved_at_ms, self.runner.next_at_ms])
            .max();
        let is_left = since_ms.is_some_and(|since_ms| since_ms < now_ms - TAKEN_WITHIN_MS);
        paid && is_left && self.runner.step.set_up().is_some()
    }

    /// Whether it serves its Guild, and so the shared bot does not.
    pub fn is_serving(&self, now_ms: i64) -> bool {
        let is_fit = self
            .failure
            .is_none_or(|failure| matches!(failure, BotFailure::IntentsMissing | BotFailure::Unreachable));
        is_fit
            && self
                .online_at_ms
                .is_some_and(|at_ms| at_ms > now_ms - HANDOVER_MS)
    }
}

/// The sealed token of a bot.
#[derive(Debug, Clone)]
pub struct SealedToken {
    /// The place from which the next slice goes on.
    pub num: i64,
    /// Part of what it is bound to.
    pub id: OwnBotId,
    /// Its account on Discord.
    pub bot_user_id: DiscordId,
    /// The other part.
    pub version: i64,
    /// Also what the row is compared with when it is sealed anew.
    pub sealed: String,
}

impl FromRow for SealedToken {
    const COLUMNS: &'static str = "d.num, d.id, d.bot_user_id, d.token_version, d.token_sealed";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            num: row.int(0)?,
            id: row.parse(1, OwnBotId::parse)?,
            bot_user_id: row.parse(2, DiscordId::parse)?,
            version: row.int(3)?,
            sealed: row.text(4)?,
        })
    }
}

/// A token to be stored, and whose it is.
pub struct NewToken<'a> {
    /// The account on Discord that it signs in.
    pub bot_user_id: &'a DiscordId,
    /// Of that account.
    pub name: &'a str,
    /// Bound to the bot and the version that it gets.
    pub sealed: &'a str,
    /// The master key that opens it.
    pub sealed_kid: &'a str,
    /// Its end.
    pub last4: &'a str,
    /// From when on it counts.
    pub now_ms: i64,
}

/// A Guild's own bot; none where it has none.
pub async fn find(db: &Db, scope: OrgScope, guild: GuildNum) -> Result<Option<Dedicated>, DbError> {
    db.find(&FIND, params![scope.num(), guild]).await
}

/// The same in a unit that has locked the Org.
pub async fn find_in(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
) -> Result<Option<Dedicated>, DbError> {
    tx.find(&FIND, params![scope.num(), guild]).await
}

/// Whether another Guild has this bot.
pub async fn is_in_use(tx: &mut Tx<'_>, bot: &DiscordId, guild: GuildNum) -> Result<bool, DbError> {
    let other: Option<i64> = tx.find(&IN_USE, params![bot.as_str(), guild]).await?;
    Ok(other.is_some())
}

/// A Guild's first bot of its own.
pub async fn add(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    id: &OwnBotId,
    token: &NewToken<'_>,
) -> Result<(), DbError> {
    let values = params![
        id.as_str(),
        scope.num(),
        guild,
        token.bot_user_id.as_str(),
        token.name,
        token.sealed,
        token.sealed_kid,
        token.last4,
        token.now_ms
    ];
    tx.execute_one(&ADD, values).await
}

/// Another token for it. It goes on from this step.
pub async fn replace(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    token: &NewToken<'_>,
    (version, step): (i64, Step),
) -> Result<(), DbError> {
    let values = params![
        scope.num(),
        guild,
        token.bot_user_id.as_str(),
        token.name,
        token.sealed,
        token.sealed_kid,
        version,
        token.last4,
        token.now_ms,
        step.as_str()
    ];
    tx.execute_one(&REPLACE, values).await
}

/// One that failed is tried again from now on; false when it had not, or when Discord does not take its token.
pub async fn retry(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    moment: Moment,
) -> Result<bool, DbError> {
    let now_ms = moment.read(tx).await?;
    Ok(tx.execute(&RETRY, params![scope.num(), guild, now_ms]).await? == 1)
}

/// Forgets it and its token.
pub async fn remove(tx: &mut Tx<'_>, scope: OrgScope, guild: GuildNum) -> Result<bool, DbError> {
    Ok(tx.execute(&REMOVE, params![scope.num(), guild]).await? == 1)
}

/// Whether somebody pays for one.
pub async fn is_paid(db: &Db, scope: OrgScope, guild: GuildNum) -> Result<bool, DbError> {
    let paid: Option<String> = db.find(&PAID, params![scope.num(), guild]).await?;
    Ok(paid.is_some())
}

/// The same in a unit that has locked the Org.
pub async fn is_paid_in(tx: &mut Tx<'_>, scope: OrgScope, guild: GuildNum) -> Result<bool, DbError> {
    let paid: Option<String> = tx.find(&PAID, params![scope.num(), guild]).await?;
    Ok(paid.is_some())
}

/// The token of the bot that serves a Guild, if that is its own.
pub async fn find_serving(db: &Db, guild: GuildNum, now_ms: i64) -> Result<Option<SealedToken>, DbError> {
    db.find(&SERVING, params![guild, now_ms - HANDOVER_MS]).await
}

/// The token of a bot, for whoever starts it.
pub async fn find_token(db: &Db, bot: &DiscordId) -> Result<Option<SealedToken>, DbError> {
    db.find(&TOKEN, params![bot.as_str()]).await
}

/// The next tokens that another master key than `kid` protects.
pub async fn list_tokens_sealed_otherwise(
    db: &Db,
    after: i64,
    kid: &str,
) -> Result<Vec<SealedToken>, DbError> {
    db.list_heavy(&SEALED_OTHERWISE, params![after, kid]).await
}

/// False when the token was replaced meanwhile.
pub async fn reseal(tx: &mut Tx<'_>, num: i64, old: &str, sealed: &str, kid: &str) -> Result<bool, DbError> {
    Ok(tx.execute(&RESEAL, params![num, old, sealed, kid]).await? == 1)
}

/// Writes down whether the shared bot is in the Discord server.
pub async fn set_shared(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    present: bool,
) -> Result<(), DbError> {
    tx.execute(&SHARED, params![scope.num(), guild, present]).await?;
    Ok(())
}
