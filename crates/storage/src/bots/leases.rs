//! Which node runs a bot: a lease with a fence, by the database's time.

use domain::bot::BotId;

use crate::db::statement::statements;
use crate::db::{DbError, Tx};
use crate::jobs::Moment;
use crate::params;

/// How long a node that is not heard of keeps a bot.
pub(super) const LEASE_MS: i64 = 15_000;

statements! {
    TAKE = "
        UPDATE bots
        SET lease_owner = $2, lease_until = $4, fence = fence + 1
        WHERE id = $1 AND (lease_until IS NULL OR lease_until <= $3)
        RETURNING fence";
    RENEW = "
        UPDATE bots
        SET lease_until = $4
        WHERE id = $1 AND lease_owner = $2 AND fence = $3";
    RELEASE = "
        UPDATE bots
        SET lease_owner = NULL, lease_until = NULL
        WHERE id = $1 AND lease_owner = $2 AND fence = $3";
    ENDED = "
        UPDATE bots
        SET state = 'stopped'
        WHERE id = $1 AND lease_owner = $2 AND fence = $3 AND instance = lease_owner";
    FREE_LEFT = "
        UPDATE bots
        SET lease_owner = NULL, lease_until = NULL, state = CASE WHEN instance = lease_owner THEN 'stopped' ELSE state END
        WHERE id = $1 AND lease_owner IS NOT NULL";
}

/// A bot that a node runs. Owner and fence together are this lease's alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// Which one.
    pub bot: BotId,
    /// The node's process; what it starts for the bot reports under the same name.
    pub owner: String,
    /// How often it was taken.
    pub fence: i64,
}

/// Takes a bot that nobody runs; none while somebody does, also if that is this node.
pub async fn take(
    tx: &mut Tx<'_>,
    bot: &BotId,
    owner: &str,
    moment: Moment,
) -> Result<Option<Lease>, DbError> {
    let now_ms = moment.read(tx).await?;
    let values = params![bot.as_str(), owner, now_ms, now_ms + LEASE_MS];
    let fence: Option<i64> = tx.find(&TAKE, values).await?;
    Ok(fence.map(|fence| Lease {
        bot: bot.clone(),
        owner: owner.to_owned(),
        fence,
    }))
}

/// Keeps it for another while; false when it is lost. One that ran out is still its owner's until somebody takes it.
pub async fn renew(tx: &mut Tx<'_>, lease: &Lease, moment: Moment) -> Result<bool, DbError> {
    let until_ms = moment.read(tx).await? + LEASE_MS;
    let values = params![lease.bot.as_str(), &lease.owner, lease.fence, until_ms];
    Ok(tx.execute(&RENEW, values).await? == 1)
}

/// Gives it back; false when it was lost before.
pub async fn release(tx: &mut Tx<'_>, lease: &Lease) -> Result<bool, DbError> {
    let values = params![lease.bot.as_str(), &lease.owner, lease.fence];
    Ok(tx.execute(&RELEASE, values).await? == 1)
}

/// The process that its node had started has ended, so that the next one need not wait until it is missed. One that
/// somebody else has started goes on.
pub async fn note_end(tx: &mut Tx<'_>, lease: &Lease) -> Result<bool, DbError> {
    let values = params![lease.bot.as_str(), &lease.owner, lease.fence];
    Ok(tx.execute(&ENDED, values).await? == 1)
}

/// Frees what a process held that is gone, for an embedded database: nobody else can have it.
pub async fn free_left(tx: &mut Tx<'_>, bot: &BotId) -> Result<u64, DbError> {
    tx.execute(&FREE_LEFT, params![bot.as_str()]).await
}
