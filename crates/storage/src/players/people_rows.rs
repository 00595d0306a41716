//! Rows of a list of people, and what it can be filtered by.

use domain::id::{GuildId, ServerId};
use domain::trust::GroupClass;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row};
use crate::params;
use crate::players::people::json_nums;
use crate::scope::{GuildNum, OrgScope};

statements! {
    ROWS: PersonRow = "
        SELECT {columns}
        FROM json_each($2) asked
        CROSS JOIN people p ON p.num = CAST(asked.value AS BIGINT) AND p.org_num = $1
        LEFT JOIN person_places t ON t.guild_num = $3 AND t.person_num = p.num
        CROSS JOIN links l ON l.num = COALESCE(t.link_num, p.link_num)
        CROSS JOIN guilds g ON g.num = l.guild_num" postgres "
        SELECT {columns}
        FROM people p
        LEFT JOIN person_places t ON t.guild_num = $3 AND t.person_num = p.num
        JOIN links l ON l.num = COALESCE(t.link_num, p.link_num)
        JOIN guilds g ON g.num = l.guild_num
        WHERE p.org_num = $1
          AND p.num = ANY (ARRAY(SELECT CAST(value AS BIGINT) FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))";
    ON_SERVERS: OnServer = "
        SELECT {columns}
        FROM json_each($1) asked
        CROSS JOIN person_servers s ON s.person_num = CAST(asked.value AS BIGINT)
        CROSS JOIN servers v ON v.num = s.server_num AND v.removed_at IS NULL
        ORDER BY v.num" postgres "
        SELECT {columns}
        FROM person_servers s
        JOIN servers v ON v.num = s.server_num AND v.removed_at IS NULL
        WHERE s.person_num = ANY (ARRAY(SELECT CAST(value AS BIGINT) FROM jsonb_array_elements_text(CAST(CAST($1 AS TEXT) AS JSONB)) value))
        ORDER BY v.num";
    /// One step in the index for each country.
    COUNTRIES = "
        WITH RECURSIVE there (country) AS (
            SELECT MIN(p.country)
            FROM people p
            WHERE p.org_num = $1 AND p.country IS NOT NULL
            UNION ALL
            SELECT (SELECT MIN(p.country) FROM people p WHERE p.org_num = $1 AND p.country > there.country)
            FROM there
            WHERE there.country IS NOT NULL
        )
        SELECT country
        FROM there
        WHERE country IS NOT NULL
        LIMIT 300";
}

/// Somebody in a list.
#[derive(Debug, Clone)]
pub struct PersonRow {
    /// Their row.
    pub num: i64,
    /// Whose.
    pub discord_id: String,
    /// Of the link that stands for them.
    pub steam_id: String,
    /// As it was last told.
    pub discord_name: Option<String>,
    /// As it was last told.
    pub steam_name: Option<String>,
    /// Of the last verification.
    pub country: Option<String>,
    /// Of the link that stands for them.
    pub linked_at_ms: i64,
    /// The same; none while it is active.
    pub ended_at_ms: Option<i64>,
    /// Where that link is.
    pub guild: GuildId,
    /// Active ones, in all Guilds.
    pub active_links: i64,
    /// Steam accounts they ever linked.
    pub steam_ids: i64,
    /// The best that any Server says of them.
    pub best: GroupClass,
    /// From 0 to 100.
    pub score: i64,
    /// Since when one of their links, or the one in the Guild that is asked for, is flagged as dormant.
    pub flagged_at_ms: Option<i64>,
    /// Whether they boost the Discord server of that Guild.
    pub is_booster: bool,
}

impl FromRow for PersonRow {
    const COLUMNS: &'static str = "\
        p.num, p.discord_id, l.steam_id, l.discord_name, l.steam_name, l.country, l.linked_at, l.ended_at, g.id, \
        p.active_links, p.steam_ids, p.best_class, p.score, \
        CAST(CASE WHEN EXISTS (SELECT 1 FROM boosters b WHERE b.guild_num = l.guild_num AND b.discord_id = p.discord_id) \
        THEN 1 ELSE 0 END AS BIGINT), \
        CASE WHEN t.person_num IS NULL THEN p.flagged_at ELSE t.flagged_at END";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            num: row.int(0)?,
            discord_id: row.text(1)?,
            steam_id: row.text(2)?,
            discord_name: row.opt_text(3)?,
            steam_name: row.opt_text(4)?,
            country: row.opt_text(5)?,
            linked_at_ms: row.int(6)?,
            ended_at_ms: row.opt_int(7)?,
            guild: row.parse(8, GuildId::parse)?,
            active_links: row.int(9)?,
            steam_ids: row.int(10)?,
            best: row.parse(11, |text| GroupClass::parse(text).ok_or("unknown class"))?,
            score: row.int(12)?,
            is_booster: row.flag(13)?,
            flagged_at_ms: row.opt_int(14)?,
        })
    }
}

/// What is shown of these people, in their order. In a Guild, the link that stands for them there.
pub async fn list(
    db: &Db,
    scope: OrgScope,
    people: &[i64],
    guild: Option<GuildNum>,
) -> Result<Vec<PersonRow>, DbError> {
    let asked = json_nums(people.iter().copied());
    let guild = guild.unwrap_or(GuildNum(0));
    let mut rows: Vec<PersonRow> = db.list_heavy(&ROWS, params![scope.num(), &asked, guild]).await?;
    let place: std::collections::HashMap<i64, usize> = people
        .iter()
        .enumerate()
        .map(|(place, num)| (*num, place))
        .collect();
    rows.sort_by_key(|row| place.get(&row.num).copied());
    Ok(rows)
}

/// A Server that somebody was on.
#[derive(Debug, Clone)]
pub struct OnServer {
    /// Who.
    pub person_num: i64,
    /// Where.
    pub server: ServerId,
}

impl FromRow for OnServer {
    const COLUMNS: &'static str = "s.person_num, v.id";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            person_num: row.int(0)?,
            server: row.parse(1, ServerId::parse)?,
        })
    }
}

/// The Servers that these people were on.
pub async fn list_servers(db: &Db, people: &[i64]) -> Result<Vec<OnServer>, DbError> {
    let asked = json_nums(people.iter().copied());
    db.list_heavy(&ON_SERVERS, params![&asked]).await
}

/// Countries of an Org's people, in the order of their letters.
pub async fn list_countries(db: &Db, scope: OrgScope) -> Result<Vec<String>, DbError> {
    db.list_heavy(&COUNTRIES, params![scope.num()]).await
}
