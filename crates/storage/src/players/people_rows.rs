//! What is shown of people: rows of a list, and everything about one of them.

use domain::id::{GuildId, LinkId, ServerId};
use domain::link::UnlinkCause;
use domain::trust::{GroupClass, Score};

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
    BY_DISCORD: PersonKey = "
        SELECT {columns}
        FROM people
        WHERE org_num = $1 AND discord_id = $2";
    /// The active link decides, and without one the newest.
    BY_STEAM: PersonKey = "
        SELECT {columns}
        FROM people
        WHERE org_num = $1 AND discord_id = (
            SELECT l.discord_id
            FROM links l
            WHERE l.org_num = $1 AND l.steam_id = $2
            ORDER BY CASE WHEN l.ended_at IS NULL THEN 0 ELSE 1 END, l.linked_at DESC, l.num DESC
            LIMIT 1)";
    LINKS: OwnLinkRow = "
        SELECT {columns}
        FROM links l
        JOIN guilds g ON g.num = l.guild_num
        WHERE l.org_num = $1 AND l.discord_id = $2
        ORDER BY CASE WHEN l.ended_at IS NULL THEN 0 ELSE 1 END, l.linked_at DESC, l.num DESC
        LIMIT $3";
    PRESENCE: PresenceRow = "
        SELECT {columns}
        FROM person_places t
        CROSS JOIN server_players s ON s.org_num = $1 AND s.steam_id = t.steam_id AND s.guild_num = t.guild_num
        CROSS JOIN servers v ON v.num = s.server_num AND v.removed_at IS NULL
        CROSS JOIN guilds g ON g.num = v.guild_num AND g.removed_at IS NULL
        WHERE t.person_num = $2
        ORDER BY v.num" postgres "
        SELECT {columns}
        FROM person_places t
        JOIN server_players s ON s.org_num = $1 AND s.steam_id = t.steam_id AND s.guild_num = t.guild_num
        JOIN servers v ON v.num = s.server_num AND v.removed_at IS NULL
        JOIN guilds g ON g.num = v.guild_num AND g.removed_at IS NULL
        WHERE t.person_num = $2
        ORDER BY v.num";
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
    /// Whether they boost the Discord server of that Guild.
    pub is_booster: bool,
}

impl FromRow for PersonRow {
    const COLUMNS: &'static str = "\
        p.num, p.discord_id, l.steam_id, l.discord_name, l.steam_name, l.country, l.linked_at, l.ended_at, g.id, \
        p.active_links, p.steam_ids, p.best_class, p.score, \
        CAST(CASE WHEN EXISTS (SELECT 1 FROM boosters b WHERE b.guild_num = l.guild_num AND b.discord_id = p.discord_id) \
        THEN 1 ELSE 0 END AS BIGINT)";

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

/// Somebody's row, with their score and what it is made of.
#[derive(Debug, Clone)]
pub struct PersonKey {
    /// The row.
    pub num: i64,
    /// Whose.
    pub discord_id: String,
    /// When they linked for the first time.
    pub first_linked_at_ms: i64,
    /// Active ones, in all Guilds.
    pub active_links: i64,
    /// Links that they, a plugin or a relink ended.
    pub churn: i64,
    /// Steam accounts they ever linked.
    pub steam_ids: i64,
    /// Accounts that hang together with theirs, up to a bound.
    pub accounts: i64,
    /// With its parts.
    pub score: Score,
    /// When that was reckoned.
    pub scored_at_ms: i64,
}

impl FromRow for PersonKey {
    const COLUMNS: &'static str = "\
        num, discord_id, first_linked_at, active_links, churn, steam_ids, accounts, score, stability, cross_server, age, multi, \
        scored_at";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let part = |column| -> Result<u8, DbError> {
            let value = row.int(column)?;
            u8::try_from(value).map_err(|_| DbError::Bug(format!("a score of {value}")))
        };
        Ok(Self {
            num: row.int(0)?,
            discord_id: row.text(1)?,
            first_linked_at_ms: row.int(2)?,
            active_links: row.int(3)?,
            churn: row.int(4)?,
            steam_ids: row.int(5)?,
            accounts: row.int(6)?,
            score: Score {
                total: part(7)?,
                stability: part(8)?,
                cross_server: part(9)?,
                age: part(10)?,
                multi: part(11)?,
            },
            scored_at_ms: row.int(12)?,
        })
    }
}

/// Somebody by their Discord id.
pub async fn find_by_discord(db: &Db, scope: OrgScope, id: &str) -> Result<Option<PersonKey>, DbError> {
    db.find(&BY_DISCORD, params![scope.num(), id]).await
}

/// Somebody by a Steam id that is theirs, or was last.
pub async fn find_by_steam(db: &Db, scope: OrgScope, id: &str) -> Result<Option<PersonKey>, DbError> {
    db.find(&BY_STEAM, params![scope.num(), id]).await
}

/// A link of somebody, active or ended.
#[derive(Debug, Clone)]
pub struct OwnLinkRow {
    /// Public.
    pub id: LinkId,
    /// Where.
    pub guild: GuildId,
    /// What it is called; also one that is gone.
    pub guild_name: String,
    /// Whether it is gone.
    pub is_guild_gone: bool,
    /// A digest where that account's person was erased.
    pub steam_id: String,
    /// As it was last told.
    pub discord_name: Option<String>,
    /// As it was last told.
    pub steam_name: Option<String>,
    /// Two letters.
    pub country: Option<String>,
    /// When it was made.
    pub linked_at_ms: i64,
    /// When it was last verified.
    pub verified_at_ms: i64,
    /// When and why it ended.
    pub ended: Option<(i64, UnlinkCause)>,
}

impl FromRow for OwnLinkRow {
    const COLUMNS: &'static str = "\
        l.id, g.id, g.name, g.removed_at, l.steam_id, l.discord_name, l.steam_name, l.country, l.linked_at, l.verified_at, \
        l.ended_at, l.end_cause";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let cause = row.opt_text(11)?.and_then(|text| UnlinkCause::parse(&text));
        Ok(Self {
            id: row.parse(0, LinkId::parse)?,
            guild: row.parse(1, GuildId::parse)?,
            guild_name: row.text(2)?,
            is_guild_gone: row.opt_int(3)?.is_some(),
            steam_id: row.text(4)?,
            discord_name: row.opt_text(5)?,
            steam_name: row.opt_text(6)?,
            country: row.opt_text(7)?,
            linked_at_ms: row.int(8)?,
            verified_at_ms: row.int(9)?,
            ended: row.opt_int(10)?.zip(cause),
        })
    }
}

/// Somebody's links: active ones first, then the newest.
pub async fn list_links(
    db: &Db,
    scope: OrgScope,
    discord_id: &str,
    limit: i64,
) -> Result<Vec<OwnLinkRow>, DbError> {
    db.list_heavy(&LINKS, params![scope.num(), discord_id, limit])
        .await
}

/// What a Server knows of somebody.
#[derive(Debug, Clone)]
pub struct PresenceRow {
    /// Where.
    pub server: ServerId,
    /// What it is called.
    pub server_name: String,
    /// Whose Server it is.
    pub guild: GuildId,
    /// What that is called.
    pub guild_name: String,
    /// None where it only saw them.
    pub groups: Option<Vec<String>>,
    /// Groups that our plugin gives there.
    pub ours: [String; 3],
    /// When it last reported them.
    pub reported_at_ms: Option<i64>,
    /// When it last saw them.
    pub seen_at_ms: Option<i64>,
}

impl FromRow for PresenceRow {
    const COLUMNS: &'static str = "\
        v.id, v.name, g.id, g.name, s.oxide_groups, v.linked_group, v.booster_group, v.steam_members_group, \
        s.reported_at, s.seen_at";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let groups = row.opt_text(4)?.map(|text| serde_json::from_str(&text));
        Ok(Self {
            server: row.parse(0, ServerId::parse)?,
            server_name: row.text(1)?,
            guild: row.parse(2, GuildId::parse)?,
            guild_name: row.text(3)?,
            groups: groups
                .transpose()
                .map_err(|error| DbError::Bug(error.to_string()))?,
            ours: [row.text(5)?, row.text(6)?, row.text(7)?],
            reported_at_ms: row.opt_int(8)?,
            seen_at_ms: row.opt_int(9)?,
        })
    }
}

/// What each Server knows of somebody.
pub async fn list_presence(db: &Db, scope: OrgScope, person_num: i64) -> Result<Vec<PresenceRow>, DbError> {
    db.list_heavy(&PRESENCE, params![scope.num(), person_num]).await
}
