//! Everything about one person.

use domain::id::{GuildId, LinkId, ServerId};
use domain::link::UnlinkCause;
use domain::trust::Score;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row};
use crate::params;
use crate::players::people::STILL_THEIRS;
use crate::scope::OrgScope;

statements! {
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
        LEFT JOIN dormant_links d ON d.link_num = l.num
        WHERE l.org_num = $1 AND l.discord_id = $2
        ORDER BY CASE WHEN l.ended_at IS NULL THEN 0 ELSE 1 END, l.linked_at DESC, l.num DESC
        LIMIT $3";
    STANDING = "
        SELECT l.id
        FROM people p
        JOIN links l ON l.num = p.link_num
        WHERE p.num = $2 AND p.org_num = $1";
    PRESENCE: PresenceRow = "
        SELECT {columns}
        FROM person_places l
        CROSS JOIN server_players s ON s.org_num = $1 AND s.steam_id = l.steam_id AND s.guild_num = l.guild_num
        CROSS JOIN servers v ON v.num = s.server_num AND v.removed_at IS NULL
        CROSS JOIN guilds g ON g.num = v.guild_num AND g.removed_at IS NULL
        WHERE l.person_num = $2 AND {condition}
        ORDER BY v.num" postgres "
        SELECT {columns}
        FROM person_places l
        JOIN server_players s ON s.org_num = $1 AND s.steam_id = l.steam_id AND s.guild_num = l.guild_num
        JOIN servers v ON v.num = s.server_num AND v.removed_at IS NULL
        JOIN guilds g ON g.num = v.guild_num AND g.removed_at IS NULL
        WHERE l.person_num = $2 AND {condition}
        ORDER BY v.num" with STILL_THEIRS;
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
    /// Since when it is flagged as dormant.
    pub flagged_at_ms: Option<i64>,
}

impl FromRow for OwnLinkRow {
    const COLUMNS: &'static str = "\
        l.id, g.id, g.name, g.removed_at, l.steam_id, l.discord_name, l.steam_name, l.country, l.linked_at, l.verified_at, \
        l.ended_at, l.end_cause, d.flagged_at";

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
            flagged_at_ms: row.opt_int(12)?,
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

/// The link that stands for somebody, by its id.
pub async fn find_standing(db: &Db, scope: OrgScope, person_num: i64) -> Result<Option<LinkId>, DbError> {
    let found: Option<String> = db.find(&STANDING, params![scope.num(), person_num]).await?;
    let parsed = found.map(|id| LinkId::parse(&id)).transpose();
    parsed.map_err(|error| DbError::Bug(error.to_string()))
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
            ours: [row.str(5)?, row.str(6)?, row.str(7)?].map(str::to_lowercase),
            reported_at_ms: row.opt_int(8)?,
            seen_at_ms: row.opt_int(9)?,
        })
    }
}

/// What each Server knows of somebody.
pub async fn list_presence(db: &Db, scope: OrgScope, person_num: i64) -> Result<Vec<PresenceRow>, DbError> {
    db.list_heavy(&PRESENCE, params![scope.num(), person_num]).await
}
