//! Links that began and ended, counted by day. Whatever writes a link counts it here in the same transaction, under the
//! Org's lock, so that the numbers are always those of the rows.

use std::collections::BTreeMap;

use domain::analytics::{self, Day};
use domain::link::UnlinkCause;
use serde_json::{Value, json};

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{GuildNum, OrgScope};

/// How a beginning is spelled among the causes of ends.
const LINKED: &str = "linked";
/// How the row is called that holds the active links at the end of the last day.
const ACTIVE: &str = "active";

statements! {
    ADD = "
        INSERT INTO link_days (guild_num, org_num, day, what, times)
        SELECT CAST($2 AS BIGINT), CAST($1 AS BIGINT), CAST(added.value ->> 'day' AS BIGINT), added.value ->> 'what',
               CAST(added.value ->> 'times' AS BIGINT)
        FROM json_each($3) added
        WHERE TRUE
        ON CONFLICT (guild_num, day, what) DO UPDATE
        SET times = link_days.times + excluded.times" postgres "
        INSERT INTO link_days (guild_num, org_num, day, what, times)
        SELECT CAST($2 AS BIGINT), CAST($1 AS BIGINT), CAST(added.value ->> 'day' AS BIGINT), added.value ->> 'what',
               CAST(added.value ->> 'times' AS BIGINT)
        FROM jsonb_array_elements(CAST(CAST($3 AS TEXT) AS JSONB)) AS added (value)
        ON CONFLICT (guild_num, day, what) DO UPDATE
        SET times = link_days.times + excluded.times";
    ADD_LIVES = "
        INSERT INTO link_lives (guild_num, org_num, day, lived, times)
        SELECT CAST($2 AS BIGINT), CAST($1 AS BIGINT), CAST(added.value ->> 'day' AS BIGINT),
               CAST(added.value ->> 'lived' AS BIGINT), CAST(added.value ->> 'times' AS BIGINT)
        FROM json_each($3) added
        WHERE TRUE
        ON CONFLICT (guild_num, day, lived) DO UPDATE
        SET times = link_lives.times + excluded.times" postgres "
        INSERT INTO link_lives (guild_num, org_num, day, lived, times)
        SELECT CAST($2 AS BIGINT), CAST($1 AS BIGINT), CAST(added.value ->> 'day' AS BIGINT),
               CAST(added.value ->> 'lived' AS BIGINT), CAST(added.value ->> 'times' AS BIGINT)
        FROM jsonb_array_elements(CAST(CAST($3 AS TEXT) AS JSONB)) AS added (value)
        ON CONFLICT (guild_num, day, lived) DO UPDATE
        SET times = link_lives.times + excluded.times";
    /// One statement, so that the days and the number of active links are those of one moment. Guild 0 is all of them.
    OF_DAYS: Counted = "
        SELECT {columns}
        FROM link_days d
        WHERE d.org_num = $1 AND d.day BETWEEN $3 AND $4 AND (d.guild_num = $2 OR CAST($2 AS BIGINT) = 0)
        GROUP BY d.day, d.what
        UNION ALL
        SELECT CAST($4 AS BIGINT), 'active',
               CAST(COALESCE(CASE WHEN CAST($2 AS BIGINT) = 0
                                  THEN (SELECT u.links FROM org_usage u WHERE u.org_num = $1)
                                  ELSE (SELECT g.active_links FROM guilds g WHERE g.num = $2 AND g.org_num = $1) END, 0)
                    - COALESCE((SELECT SUM(CASE WHEN a.what = 'linked' THEN a.times ELSE -a.times END)
                                FROM link_days a
                                WHERE a.org_num = $1 AND a.day > $4 AND (a.guild_num = $2 OR CAST($2 AS BIGINT) = 0)), 0)
                    AS BIGINT)";
    LINKED_SINCE: LinkedOn = "
        SELECT {columns}
        FROM link_days d
        WHERE d.org_num = $1 AND d.day >= $3 AND d.what = 'linked' AND (d.guild_num = $2 OR CAST($2 AS BIGINT) = 0)
        GROUP BY d.day";
    LIVES_SINCE: Lived = "
        SELECT {columns}
        FROM link_lives d
        WHERE d.org_num = $1 AND d.day >= $3 AND (d.guild_num = $2 OR CAST($2 AS BIGINT) = 0)
        GROUP BY d.day, d.lived";
}

/// What one unit of work adds. Each row is written once, in their order.
#[derive(Default)]
pub(super) struct Tallies {
    days: BTreeMap<(Day, &'static str), i64>,
    lives: BTreeMap<(Day, i64), i64>,
}

impl Tallies {
    pub(super) fn linked(&mut self, at_ms: i64) {
        *self.days.entry((Day::of(at_ms), LINKED)).or_default() += 1;
    }

    pub(super) fn ended(&mut self, linked_at_ms: i64, ended_at_ms: i64, cause: UnlinkCause) {
        let lived = analytics::lived(linked_at_ms, ended_at_ms);
        *self
            .days
            .entry((Day::of(ended_at_ms), cause.as_str()))
            .or_default() += 1;
        *self.lives.entry((Day::of(linked_at_ms), lived)).or_default() += 1;
    }

    /// Under the Org's lock.
    pub(super) async fn add(self, tx: &mut Tx<'_>, scope: OrgScope, guild: GuildNum) -> Result<(), DbError> {
        let days = self.days.into_iter();
        let days: Value = days
            .map(|((day, what), times)| json!({ "day": day.0, "what": what, "times": times }))
            .collect();
        let lives = self.lives.into_iter();
        let lives: Value = lives
            .map(|((day, lived), times)| json!({ "day": day.0, "lived": lived, "times": times }))
            .collect();
        for (statement, rows) in [(&ADD, days), (&ADD_LIVES, lives)] {
            if rows.as_array().is_some_and(|rows| !rows.is_empty()) {
                tx.execute(statement, params![scope.num(), guild, &rows.to_string()])
                    .await?;
            }
        }
        Ok(())
    }
}

struct Counted {
    day: Day,
    what: String,
    times: i64,
}

impl FromRow for Counted {
    const COLUMNS: &'static str = "d.day, d.what, CAST(SUM(d.times) AS BIGINT)";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            day: Day(row.int(0)?),
            what: row.text(1)?,
            times: row.int(2)?,
        })
    }
}

/// What happened on days in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkDays {
    /// Links that began, by day; a day without any is not there.
    pub linked: BTreeMap<Day, i64>,
    /// Links that ended, by day and cause.
    pub ended: BTreeMap<(Day, UnlinkCause), i64>,
    /// Active ones at the end of the last day.
    pub active: i64,
}

/// What happened from one day to another, in an Org or in one Guild of it.
pub async fn list(
    db: &Db,
    scope: OrgScope,
    guild: Option<GuildNum>,
    from: Day,
    to: Day,
) -> Result<LinkDays, DbError> {
    let values = params![scope.num(), guild_or_all(guild), from.0, to.0];
    let rows: Vec<Counted> = db.list_heavy(&OF_DAYS, values).await?;
    let mut found = LinkDays {
        linked: BTreeMap::new(),
        ended: BTreeMap::new(),
        active: 0,
    };
    for row in rows {
        match (row.what.as_str(), UnlinkCause::parse(&row.what)) {
            (LINKED, _) => {
                found.linked.insert(row.day, row.times);
            }
            (ACTIVE, _) => found.active = row.times,
            (_, Some(cause)) => {
                found.ended.insert((row.day, cause), row.times);
            }
            (other, None) => return Err(DbError::Bug(format!("unknown cause {other}"))),
        }
    }
    Ok(found)
}

fn guild_or_all(guild: Option<GuildNum>) -> GuildNum {
    guild.unwrap_or(GuildNum(0))
}

/// Links that began on one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkedOn {
    /// Which.
    pub day: Day,
    /// How many.
    pub times: i64,
}

impl FromRow for LinkedOn {
    const COLUMNS: &'static str = "d.day, CAST(SUM(d.times) AS BIGINT)";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            day: Day(row.int(0)?),
            times: row.int(1)?,
        })
    }
}

/// Links that began since a day.
pub async fn list_linked(
    db: &Db,
    scope: OrgScope,
    guild: Option<GuildNum>,
    since: Day,
) -> Result<Vec<LinkedOn>, DbError> {
    db.list_heavy(&LINKED_SINCE, params![scope.num(), guild_or_all(guild), since.0])
        .await
}

/// Links that began on one day, lasted so long and ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lived {
    /// When they began.
    pub day: Day,
    /// The longest of the known times that they reached, in days.
    pub lived: i64,
    /// How many.
    pub times: i64,
}

impl FromRow for Lived {
    const COLUMNS: &'static str = "d.day, d.lived, CAST(SUM(d.times) AS BIGINT)";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            day: Day(row.int(0)?),
            lived: row.int(1)?,
            times: row.int(2)?,
        })
    }
}

/// Links that began since a day and ended.
pub async fn list_lives(
    db: &Db,
    scope: OrgScope,
    guild: Option<GuildNum>,
    since: Day,
) -> Result<Vec<Lived>, DbError> {
    db.list_heavy(&LIVES_SINCE, params![scope.num(), guild_or_all(guild), since.0])
        .await
}
