//! How far people get on the link pages, counted by Guild and hour.

use domain::flow::LinkStep;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{GuildNum, OrgScope};

statements! {
    /// A Guild that was removed meanwhile has no use for it.
    ADD = "
        INSERT INTO link_steps (guild_num, org_num, hour, step, reason, times)
        SELECT g.num, g.org_num, $2, $3, $4, $5
        FROM guilds g
        WHERE g.num = $1 AND g.removed_at IS NULL
        ON CONFLICT (guild_num, hour, step, reason) DO UPDATE
        SET times = link_steps.times + excluded.times";
    /// Guild 0 is all of them.
    OF_HOURS: Steps = "
        SELECT {columns}
        FROM guilds g
        JOIN link_steps s ON s.guild_num = g.num AND s.hour BETWEEN $3 AND $4
        WHERE g.org_num = $1 AND (g.num = $2 OR CAST($2 AS BIGINT) = 0) AND g.removed_at IS NULL
        GROUP BY s.step, s.reason
        ORDER BY 3 DESC, s.reason";
    FORGET = "
        DELETE FROM link_steps
        WHERE guild_num = $2 AND org_num = $1
          AND hour IN (SELECT hour FROM link_steps WHERE guild_num = $2 ORDER BY hour LIMIT $3)";
    PURGE = "
        DELETE FROM link_steps
        WHERE hour < $1
          AND guild_num IN (SELECT guild_num FROM link_steps WHERE hour < $1 ORDER BY hour LIMIT 500)";
}

/// What happened so many times in one hour on one link page. The order is that of the rows, in which all nodes write.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tally {
    /// Whose page.
    pub guild: GuildNum,
    /// Hours since 1970.
    pub hour: i64,
    /// How far somebody got.
    pub step: LinkStep,
    /// The code of what went wrong; empty for every other step.
    pub reason: &'static str,
}

/// Adds to what is written down, by whichever node.
pub async fn add(tx: &mut Tx<'_>, tally: &Tally, times: i64) -> Result<(), DbError> {
    let (step, reason) = (tally.step.as_str(), tally.reason);
    tx.execute(&ADD, params![tally.guild, tally.hour, step, reason, times])
        .await?;
    Ok(())
}

/// Forgets the oldest hours of a removed Guild.
pub async fn forget(tx: &mut Tx<'_>, scope: OrgScope, guild: GuildNum, hours: i64) -> Result<u64, DbError> {
    tx.execute(&FORGET, params![scope.num(), guild, hours]).await
}

/// Removes hours that nobody looks at any more, of some Guilds.
pub async fn purge(tx: &mut Tx<'_>, before_hour: i64) -> Result<u64, DbError> {
    tx.execute(&PURGE, params![before_hour]).await
}

/// What happened so many times in all, on the pages of an Org or of one Guild.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Steps {
    /// How far somebody got.
    pub step: LinkStep,
    /// The code of what went wrong; empty for every other step.
    pub reason: String,
    /// How often.
    pub times: i64,
}

impl FromRow for Steps {
    const COLUMNS: &'static str = "s.step, s.reason, CAST(SUM(s.times) AS BIGINT)";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let step = row.str(0)?;
        Ok(Self {
            step: LinkStep::parse(step).ok_or_else(|| DbError::Bug(format!("unknown step {step}")))?,
            reason: row.text(1)?,
            times: row.int(2)?,
        })
    }
}

/// How far people got from one hour to another, both included; the most frequent first.
pub async fn list(
    db: &Db,
    scope: OrgScope,
    guild: Option<GuildNum>,
    from_hour: i64,
    to_hour: i64,
) -> Result<Vec<Steps>, DbError> {
    let guild = guild.unwrap_or(GuildNum(0));
    db.list_heavy(&OF_HOURS, params![scope.num(), guild, from_hour, to_hour])
        .await
}
