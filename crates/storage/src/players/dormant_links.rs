//! Links with the newest sign of their person, and the flags of those who are dormant. Flags are written under the Org's
//! lock alone.

use domain::dormancy::Signs;
use domain::link::ActiveLink;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::players::people::json_nums;
use crate::scope::{GuildNum, OrgScope};

statements! {
    OF_GUILD: LinkSigns = "
        SELECT {columns}
        FROM links l
        LEFT JOIN player_seen s ON s.org_num = l.org_num AND s.steam_id = l.steam_id
        LEFT JOIN dormant_links d ON d.link_num = l.num
        WHERE l.org_num = $1 AND l.guild_num = $2 AND l.ended_at IS NULL AND l.discord_id > $3
        ORDER BY l.discord_id
        LIMIT $4";
    /// By row, in the unit that decides.
    OF_LINKS: LinkSigns = "
        SELECT {columns}
        FROM json_each($2) asked
        CROSS JOIN links l ON l.num = CAST(asked.value AS BIGINT) AND l.org_num = $1 AND l.ended_at IS NULL
        LEFT JOIN player_seen s ON s.org_num = l.org_num AND s.steam_id = l.steam_id
        LEFT JOIN dormant_links d ON d.link_num = l.num
        ORDER BY l.num" postgres "
        SELECT {columns}
        FROM links l
        LEFT JOIN player_seen s ON s.org_num = l.org_num AND s.steam_id = l.steam_id
        LEFT JOIN dormant_links d ON d.link_num = l.num
        WHERE l.org_num = $1 AND l.ended_at IS NULL
          AND l.num = ANY (ARRAY(SELECT CAST(value AS BIGINT) FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))
        ORDER BY l.num";
    FLAG = "
        INSERT INTO dormant_links (link_num, org_num, flagged_at)
        VALUES ($1, $2, $3)
        ON CONFLICT (link_num) DO UPDATE SET flagged_at = excluded.flagged_at, kept_at = NULL";
    FORGET = "
        DELETE FROM dormant_links
        WHERE link_num = $1";
    /// Whoever clears a flag says that the person is to stay: that counts like a sign of them.
    KEEP = "
        UPDATE dormant_links
        SET flagged_at = NULL, kept_at = $3
        WHERE org_num = $1 AND flagged_at IS NOT NULL
          AND link_num IN (SELECT l.num FROM links l WHERE l.org_num = $1 AND l.discord_id = $2 AND l.ended_at IS NULL)";
    CLEAR_SEEN = "
        DELETE FROM dormant_links
        WHERE org_num = $1 AND flagged_at IS NOT NULL
          AND link_num IN (
            SELECT l.num
            FROM links l
            JOIN player_seen s ON s.org_num = l.org_num AND s.steam_id = l.steam_id
            WHERE l.org_num = $1 AND l.discord_id = $2 AND l.ended_at IS NULL AND s.seen_at > dormant_links.flagged_at)";
    COUNT_FLAGGED = "
        SELECT COUNT(*)
        FROM people
        WHERE org_num = $1 AND flagged_at IS NOT NULL";
}

/// An active link with what tells whether it is dormant.
#[derive(Debug, Clone)]
pub struct LinkSigns {
    /// Which.
    pub link: ActiveLink,
    /// The newest sign of its person, and its flag.
    pub signs: Signs,
    /// As they were last told.
    pub discord_name: Option<String>,
    /// As they were last told.
    pub steam_name: Option<String>,
}

impl FromRow for LinkSigns {
    const COLUMNS: &'static str = "\
        l.num, l.id, l.discord_id, l.steam_id, l.linked_at, l.verified_at, s.seen_at, d.kept_at, d.flagged_at, \
        l.discord_name, l.steam_name";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let signs = [Some(row.int(5)?), row.opt_int(6)?, row.opt_int(7)?];
        Ok(Self {
            link: ActiveLink::from_row(row)?,
            signs: Signs {
                last_ms: signs.into_iter().flatten().max().unwrap_or_default(),
                flagged_at_ms: row.opt_int(8)?,
            },
            discord_name: row.opt_text(9)?,
            steam_name: row.opt_text(10)?,
        })
    }
}

/// Active links of a Guild in the order of their Discord ids, after this one.
pub async fn list(
    db: &Db,
    scope: OrgScope,
    guild: GuildNum,
    after: &str,
    limit: i64,
) -> Result<Vec<LinkSigns>, DbError> {
    db.list_heavy(&OF_GUILD, params![scope.num(), guild, after, limit])
        .await
}

/// Those of these links that are active still.
pub async fn list_in(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    links: impl Iterator<Item = i64>,
) -> Result<Vec<LinkSigns>, DbError> {
    tx.list(&OF_LINKS, params![scope.num(), &json_nums(links)]).await
}

/// Flags a link.
pub async fn flag(tx: &mut Tx<'_>, scope: OrgScope, link_num: i64, now_ms: i64) -> Result<(), DbError> {
    tx.execute_one(&FLAG, params![link_num, scope.num(), now_ms])
        .await
}

/// Nothing is flagged and nothing kept any more: they came back, or the link ended.
pub async fn forget(tx: &mut Tx<'_>, link_num: i64) -> Result<(), DbError> {
    tx.execute(&FORGET, params![link_num]).await.map(drop)
}

/// Takes the flags off somebody's links at the word of the team, and tells how many.
pub async fn keep(tx: &mut Tx<'_>, scope: OrgScope, discord_id: &str, now_ms: i64) -> Result<u64, DbError> {
    tx.execute(&KEEP, params![scope.num(), discord_id, now_ms]).await
}

/// Takes the flags off links of somebody who was seen since.
pub async fn clear_seen(tx: &mut Tx<'_>, scope: OrgScope, discord_id: &str) -> Result<u64, DbError> {
    tx.execute(&CLEAR_SEEN, params![scope.num(), discord_id]).await
}

/// People with a flagged link.
pub async fn count_flagged(db: &Db, scope: OrgScope) -> Result<i64, DbError> {
    Ok(db
        .find(&COUNT_FLAGGED, params![scope.num()])
        .await?
        .unwrap_or_default())
}
