//! What is counted among people and active links each night, and told until the next one.

use domain::analytics::Day;
use serde_json::{Value, json};

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{GuildNum, OrgScope};

/// The whole Org among its Guilds.
pub const WHOLE_ORG: GuildNum = GuildNum(0);
/// What the name of a number of people begins with; the tier follows.
pub const TIER: &str = "tier:";
/// What the name of a number of links begins with; the country follows, and nothing where it is not known.
pub const COUNTRY: &str = "country:";
/// Stands for all countries that are not told by name.
pub const OTHER: &str = "other";

statements! {
    /// Each person once, however many Guilds they are linked in.
    SCORES: Scored = "
        SELECT CAST(0 AS BIGINT), p.score, CAST(COUNT(*) AS BIGINT)
        FROM people p
        WHERE p.org_num = $1 AND p.active_links > 0
        GROUP BY p.score
        UNION ALL
        SELECT t.guild_num, p.score, CAST(COUNT(*) AS BIGINT)
        FROM guilds g
        JOIN person_places t ON t.guild_num = g.num AND t.active = 1
        JOIN people p ON p.num = t.person_num
        WHERE g.org_num = $1 AND g.removed_at IS NULL
        GROUP BY t.guild_num, p.score";
    COUNTRIES: LinkedFrom = "
        SELECT g.num, COALESCE(l.country, ''), CAST(COUNT(*) AS BIGINT)
        FROM guilds g
        JOIN links l ON l.guild_num = g.num AND l.ended_at IS NULL
        WHERE g.org_num = $1 AND g.removed_at IS NULL
        GROUP BY g.num, l.country";
    CLEAR_DAY = "
        DELETE FROM stat_days
        WHERE org_num = $1 AND day = $2";
    /// Those of the night before; that night cleared the one before it.
    CLEAR_COUNTRIES = "
        DELETE FROM stat_days
        WHERE org_num = $1 AND substr(what, 1, 8) = 'country:'
          AND day = (SELECT MAX(s.day) FROM stat_days s WHERE s.org_num = $1 AND s.day < $2)";
    PURGE = "
        DELETE FROM stat_days
        WHERE org_num = $1 AND day < $2";
    /// Not of a Guild that was removed while it was counted.
    INSERT = "
        INSERT INTO stat_days (org_num, day, guild_num, what, times)
        SELECT CAST($1 AS BIGINT), CAST($2 AS BIGINT), CAST(added.value ->> 'guild' AS BIGINT), added.value ->> 'what',
               CAST(added.value ->> 'times' AS BIGINT)
        FROM json_each($3) added
        LEFT JOIN guilds g ON g.num = CAST(added.value ->> 'guild' AS BIGINT)
        WHERE g.removed_at IS NULL" postgres "
        INSERT INTO stat_days (org_num, day, guild_num, what, times)
        SELECT CAST($1 AS BIGINT), CAST($2 AS BIGINT), CAST(added.value ->> 'guild' AS BIGINT), added.value ->> 'what',
               CAST(added.value ->> 'times' AS BIGINT)
        FROM jsonb_array_elements(CAST(CAST($3 AS TEXT) AS JSONB)) AS added (value)
        LEFT JOIN guilds g ON g.num = CAST(added.value ->> 'guild' AS BIGINT)
        WHERE g.removed_at IS NULL";
    TIERS: Stat = "
        SELECT {columns}
        FROM stat_days s
        WHERE s.org_num = $1 AND s.day BETWEEN $3 AND $4 AND s.guild_num = $2 AND substr(s.what, 1, 5) = 'tier:'
        ORDER BY s.day";
    NEWEST: Stat = "
        SELECT {columns}
        FROM stat_days s
        WHERE s.org_num = $1 AND s.guild_num = $2
          AND s.day = (SELECT MAX(n.day) FROM stat_days n WHERE n.org_num = $1)
        ORDER BY s.times DESC, s.what";
    NEWEST_DAY = "
        SELECT day
        FROM stat_days
        WHERE org_num = $1
        ORDER BY day DESC
        LIMIT 1";
    FORGET = "
        DELETE FROM stat_days
        WHERE org_num = $1 AND guild_num = $2
          AND day IN (SELECT s.day FROM stat_days s WHERE s.org_num = $1 AND s.guild_num = $2 ORDER BY s.day LIMIT $3)";
}

/// People with an active link who have one score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scored {
    /// Where they are linked, or the whole Org.
    pub guild: GuildNum,
    /// From 0 to 100.
    pub score: i64,
    /// How many.
    pub people: i64,
}

impl FromRow for Scored {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            guild: GuildNum(row.int(0)?),
            score: row.int(1)?,
            people: row.int(2)?,
        })
    }
}

/// Active links of one country.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedFrom {
    /// Where.
    pub guild: GuildNum,
    /// Two letters; empty where it is not known.
    pub country: String,
    /// How many.
    pub links: i64,
}

impl FromRow for LinkedFrom {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            guild: GuildNum(row.int(0)?),
            country: row.text(1)?,
            links: row.int(2)?,
        })
    }
}

/// Everybody with an active link, by Guild and score.
pub async fn count_scores(db: &Db, scope: OrgScope) -> Result<Vec<Scored>, DbError> {
    db.list_heavy(&SCORES, params![scope.num()]).await
}

/// All active links, by Guild and country.
pub async fn count_countries(db: &Db, scope: OrgScope) -> Result<Vec<LinkedFrom>, DbError> {
    db.list_heavy(&COUNTRIES, params![scope.num()]).await
}

/// One number of one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stat {
    /// When it was counted.
    pub day: Day,
    /// A Guild, or the whole Org.
    pub guild: GuildNum,
    /// What was counted.
    pub what: String,
    /// More than none.
    pub times: i64,
}

impl FromRow for Stat {
    const COLUMNS: &'static str = "s.day, s.guild_num, s.what, s.times";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            day: Day(row.int(0)?),
            guild: GuildNum(row.int(1)?),
            what: row.text(2)?,
            times: row.int(3)?,
        })
    }
}

/// Stores what was counted on a day, in place of what was counted on it before. Under the Org's lock.
pub async fn store(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    day: Day,
    kept_since: Day,
    stats: &[Stat],
) -> Result<(), DbError> {
    let org = scope.num();
    tx.execute(&CLEAR_DAY, params![org, day.0]).await?;
    tx.execute(&CLEAR_COUNTRIES, params![org, day.0]).await?;
    tx.execute(&PURGE, params![org, kept_since.0]).await?;
    let rows: Value = stats
        .iter()
        .map(|stat| json!({ "guild": stat.guild.0, "what": stat.what, "times": stat.times }))
        .collect();
    tx.execute(&INSERT, params![org, day.0, &rows.to_string()])
        .await?;
    Ok(())
}

/// What was counted of tiers on these days.
pub async fn list_tiers(
    db: &Db,
    scope: OrgScope,
    guild: Option<GuildNum>,
    from: Day,
    to: Day,
) -> Result<Vec<Stat>, DbError> {
    let values = params![scope.num(), guild.unwrap_or(WHOLE_ORG), from.0, to.0];
    db.list_heavy(&TIERS, values).await
}

/// The last day on which anything was counted, and what.
pub async fn list_newest(
    db: &Db,
    scope: OrgScope,
    guild: Option<GuildNum>,
) -> Result<Option<(Day, Vec<Stat>)>, DbError> {
    let stats: Vec<Stat> = db
        .list_heavy(&NEWEST, params![scope.num(), guild.unwrap_or(WHOLE_ORG)])
        .await?;
    if let Some(first) = stats.first() {
        return Ok(Some((first.day, stats)));
    }
    // A Guild where nobody was linked then.
    let day: Option<i64> = db.find(&NEWEST_DAY, params![scope.num()]).await?;
    Ok(day.map(|day| (Day(day), Vec::new())))
}

/// Forgets the oldest days of a removed Guild.
pub async fn forget(tx: &mut Tx<'_>, scope: OrgScope, guild: GuildNum, days: i64) -> Result<u64, DbError> {
    tx.execute(&FORGET, params![scope.num(), guild, days]).await
}
