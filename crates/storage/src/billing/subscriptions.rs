//! Subscriptions as Stripe tells of them.

use domain::billing::{Bought, Interval, Status};
use domain::id::GuildId;
use domain::plan::Tier;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{GuildNum, OrgScope};

statements! {
    KNOWN: Known = "
        SELECT {columns}
        FROM subscriptions
        WHERE org_num = $1
        ORDER BY id";
    OF_ANOTHER = "
        SELECT org_num
        FROM subscriptions
        WHERE id = $1";
    PUT = "
        INSERT INTO subscriptions (
            id, org_num, guild_num, status, tier, bot, pay_interval, told_at, started_at, period_end, cancel_at, ended_at,
            checkout_id, listed
        )
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 1)
        ON CONFLICT (id) DO UPDATE SET
            guild_num = COALESCE(subscriptions.guild_num, excluded.guild_num), status = excluded.status,
            tier = excluded.tier, bot = excluded.bot, pay_interval = excluded.pay_interval, told_at = excluded.told_at,
            period_end = excluded.period_end, cancel_at = excluded.cancel_at, ended_at = excluded.ended_at,
            checkout_id = COALESCE(subscriptions.checkout_id, excluded.checkout_id), listed = 1";
    UNLIST = "
        UPDATE subscriptions
        SET listed = 0
        WHERE id = $1 AND org_num = $2";
    FORGET = "
        DELETE FROM subscriptions
        WHERE id = $1 AND org_num = $2 AND listed = 0";
    LIST: Subscription = "
        SELECT {columns}
        FROM subscriptions s
        LEFT JOIN guilds g ON g.num = s.guild_num AND g.org_num = s.org_num
        LEFT JOIN checkouts c ON c.id = s.checkout_id AND c.org_num = s.org_num
        LEFT JOIN accounts a ON a.id = c.account_id
        WHERE s.org_num = $1
        ORDER BY s.started_at, s.id";
    /// One that is late or on trial renews too. One that ends with its period does not, and one that Stripe does not know
    /// cannot be cancelled.
    RENEWING = "
        SELECT id
        FROM subscriptions
        WHERE org_num = $1 AND (cancel_at IS NULL OR cancel_at > period_end) AND listed = 1
          AND status IN ('trialing', 'active', 'past_due', 'unpaid', 'paused')
        LIMIT 1";
    RENEWING_FOR_GUILD = "
        SELECT id
        FROM subscriptions
        WHERE org_num = $1 AND guild_num = $2 AND (cancel_at IS NULL OR cancel_at > period_end) AND listed = 1
          AND status IN ('trialing', 'active', 'past_due', 'unpaid', 'paused')
        LIMIT 1";
}

/// What decides whether something said of it is new, and what the tier follows from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// Stripe's.
    pub id: String,
    /// As it was last told.
    pub status: Status,
    /// What it buys.
    pub tier: Option<Tier>,
    /// Whether it buys a bot, and for which Guild.
    pub bot: bool,
    /// The Guild that a bot was bought for.
    pub guild: Option<GuildNum>,
    /// Stripe's time of the newest thing said of it, in seconds.
    pub told_at: i64,
    /// Whether Stripe listed it when it was last asked.
    pub listed: bool,
    /// When it ends by itself.
    pub cancel_at_ms: Option<i64>,
}

impl FromRow for Known {
    const COLUMNS: &'static str = "id, status, tier, bot, guild_num, told_at, listed, cancel_at";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            id: row.text(0)?,
            status: Status::of(row.str(1)?),
            tier: row.opt_text(2)?.as_deref().and_then(Tier::parse),
            bot: row.flag(3)?,
            guild: row.opt_int(4)?.map(GuildNum),
            told_at: row.int(5)?,
            listed: row.flag(6)?,
            cancel_at_ms: row.opt_int(7)?,
        })
    }
}

/// What is written down of one.
pub struct Told<'a> {
    /// Stripe's.
    pub id: &'a str,
    /// Of this Org; whoever tells it has looked.
    pub guild: Option<GuildNum>,
    /// What it is in now.
    pub status: Status,
    /// What its prices buy.
    pub bought: Bought,
    /// How often it is paid for.
    pub interval: Option<Interval>,
    /// Stripe's time, in seconds.
    pub told_at: i64,
    /// When it began.
    pub started_at_ms: i64,
    /// Until when it is paid.
    pub period_end_ms: Option<i64>,
    /// When it ends by itself.
    pub cancel_at_ms: Option<i64>,
    /// When it ended.
    pub ended_at_ms: Option<i64>,
    /// The purchase that it came from.
    pub checkout: Option<&'a str>,
}

/// One of them, as people see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    /// Stripe's.
    pub id: String,
    /// As it was last told.
    pub status: Status,
    /// What it buys.
    pub tier: Option<Tier>,
    /// Whether it buys a bot.
    pub bot: bool,
    /// How often it is paid for.
    pub interval: Option<Interval>,
    /// When it began.
    pub started_at_ms: i64,
    /// Until when it is paid.
    pub period_end_ms: Option<i64>,
    /// When it ends by itself.
    pub cancel_at_ms: Option<i64>,
    /// Whether Stripe listed it when it was last asked.
    pub listed: bool,
    /// The Guild that a bot was bought for.
    pub guild_id: Option<GuildId>,
    /// Its name.
    pub guild_name: Option<String>,
    /// Who began the purchase, by their name.
    pub bought_by: Option<String>,
}

impl FromRow for Subscription {
    const COLUMNS: &'static str = "s.id, s.status, s.tier, s.bot, s.pay_interval, s.started_at, s.period_end, s.cancel_at, \
        s.listed, g.id, g.name, a.name";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let guild_id = row.opt_text(9)?;
        Ok(Self {
            id: row.text(0)?,
            status: Status::of(row.str(1)?),
            tier: row.opt_text(2)?.as_deref().and_then(Tier::parse),
            bot: row.flag(3)?,
            interval: row.opt_text(4)?.as_deref().and_then(Interval::parse),
            started_at_ms: row.int(5)?,
            period_end_ms: row.opt_int(6)?,
            cancel_at_ms: row.opt_int(7)?,
            listed: row.flag(8)?,
            guild_id: guild_id.and_then(|id| GuildId::parse(&id).ok()),
            guild_name: row.opt_text(10)?,
            bought_by: row.opt_text(11)?,
        })
    }
}

/// All that an Org ever had. Under its lock.
pub async fn list_known(tx: &mut Tx<'_>, scope: OrgScope) -> Result<Vec<Known>, DbError> {
    tx.list(&KNOWN, params![scope.num()]).await
}

/// Whether a subscription is another Org's. It never changes hands.
pub async fn is_of_another(tx: &mut Tx<'_>, scope: OrgScope, id: &str) -> Result<bool, DbError> {
    let owner: Option<i64> = tx.find(&OF_ANOTHER, params![id]).await?;
    Ok(owner.is_some_and(|owner| owner != scope.num()))
}

/// Writes down what was said. The Guild stays, once it is known. Under the Org's lock.
pub async fn put(tx: &mut Tx<'_>, scope: OrgScope, told: &Told<'_>) -> Result<(), DbError> {
    let values = params![
        told.id,
        scope.num(),
        told.guild,
        told.status.as_str(),
        told.bought.tier.map(Tier::as_str),
        i64::from(told.bought.bot),
        told.interval.map(Interval::as_str),
        told.told_at,
        told.started_at_ms,
        told.period_end_ms,
        told.cancel_at_ms,
        told.ended_at_ms,
        told.checkout
    ];
    tx.execute_one(&PUT, values).await
}

/// Notes that Stripe does not list it any more. It stays what it was.
pub async fn unlist(tx: &mut Tx<'_>, scope: OrgScope, id: &str) -> Result<(), DbError> {
    tx.execute_one(&UNLIST, params![id, scope.num()]).await
}

/// Forgets one that Stripe does not list; false for any other. Under the Org's lock.
pub async fn forget(tx: &mut Tx<'_>, scope: OrgScope, id: &str) -> Result<bool, DbError> {
    Ok(tx.execute(&FORGET, params![id, scope.num()]).await? == 1)
}

/// All that an Org ever had, oldest first.
pub async fn list(db: &Db, scope: OrgScope) -> Result<Vec<Subscription>, DbError> {
    db.list(&LIST, params![scope.num()]).await
}

/// Whether somebody goes on paying for the Org, or for the bot of one Guild. Under the Org's lock.
pub async fn renews(tx: &mut Tx<'_>, scope: OrgScope, guild: Option<GuildNum>) -> Result<bool, DbError> {
    let found: Option<String> = match guild {
        Some(guild) => tx.find(&RENEWING_FOR_GUILD, params![scope.num(), guild]).await?,
        None => tx.find(&RENEWING, params![scope.num()]).await?,
    };
    Ok(found.is_some())
}
