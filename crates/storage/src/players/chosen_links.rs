//! Links that staff chose to be ended together.

use domain::id::GuildId;
use domain::link::ActiveLink;

use crate::db::statement::statements;
use crate::db::{DbError, FromRow, Row, Tx};
use crate::params;
use crate::players::people::json_nums;
use crate::scope::{GuildNum, OrgScope};

statements! {
    /// Those that are active now, of these people; in a Guild, only those there.
    CHOOSE = "
        INSERT INTO chosen_links (org_num, link_num)
        SELECT CAST($1 AS BIGINT), l.num
        FROM json_each($2) asked
        CROSS JOIN people p ON p.num = CAST(asked.value AS BIGINT) AND p.org_num = $1
        CROSS JOIN links l ON l.org_num = $1 AND l.discord_id = p.discord_id AND l.ended_at IS NULL
        WHERE CAST($3 AS BIGINT) = 0 OR l.guild_num = $3
        ON CONFLICT (org_num, link_num) DO NOTHING" postgres "
        INSERT INTO chosen_links (org_num, link_num)
        SELECT CAST($1 AS BIGINT), l.num
        FROM people p
        JOIN links l ON l.org_num = $1 AND l.discord_id = p.discord_id AND l.ended_at IS NULL
        WHERE p.org_num = $1 AND (CAST($3 AS BIGINT) = 0 OR l.guild_num = $3)
          AND p.num = ANY (ARRAY(SELECT CAST(value AS BIGINT) FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))
        ON CONFLICT (org_num, link_num) DO NOTHING";
    NEXT: Chosen = "
        SELECT {columns}
        FROM chosen_links c
        JOIN links l ON l.num = c.link_num
        JOIN guilds g ON g.num = l.guild_num
        WHERE c.org_num = $1 AND l.ended_at IS NULL
        ORDER BY c.link_num
        LIMIT $2";
    ACTIVE_OF: Chosen = "
        SELECT {columns}
        FROM links l
        JOIN guilds g ON g.num = l.guild_num
        WHERE l.org_num = $1 AND l.discord_id = $2 AND l.ended_at IS NULL
        ORDER BY l.num";
    FORGET_UP_TO = "
        DELETE FROM chosen_links
        WHERE org_num = $1 AND link_num <= $2";
    FORGET = "
        DELETE FROM chosen_links
        WHERE org_num = $1";
}

/// An active link that was chosen, and its Guild.
#[derive(Debug, Clone)]
pub struct Chosen {
    /// As it is.
    pub link: ActiveLink,
    /// Where.
    pub guild: GuildId,
}

impl FromRow for Chosen {
    const COLUMNS: &'static str = "l.num, l.id, l.discord_id, l.steam_id, l.linked_at, g.id";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            link: ActiveLink::from_row(row)?,
            guild: row.parse(5, GuildId::parse)?,
        })
    }
}

/// Chooses the active links of these people and tells how many they are. Under the Org's lock, while none is chosen.
pub async fn choose(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    people: &[i64],
    guild: Option<GuildNum>,
) -> Result<i64, DbError> {
    let (asked, guild) = (json_nums(people.iter().copied()), guild.unwrap_or(GuildNum(0)));
    let chosen = tx.execute(&CHOOSE, params![scope.num(), &asked, guild]).await?;
    Ok(chosen.cast_signed())
}

/// The active links of somebody.
pub async fn list_active_of(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    discord_id: &str,
) -> Result<Vec<Chosen>, DbError> {
    tx.list(&ACTIVE_OF, params![scope.num(), discord_id]).await
}

/// The next ones that are still active.
pub async fn list_next(tx: &mut Tx<'_>, scope: OrgScope, limit: i64) -> Result<Vec<Chosen>, DbError> {
    tx.list(&NEXT, params![scope.num(), limit]).await
}

/// Forgets those up to this one.
pub async fn forget_up_to(tx: &mut Tx<'_>, scope: OrgScope, link_num: i64) -> Result<(), DbError> {
    tx.execute(&FORGET_UP_TO, params![scope.num(), link_num])
        .await
        .map(drop)
}

/// Forgets all of them.
pub async fn forget(tx: &mut Tx<'_>, scope: OrgScope) -> Result<(), DbError> {
    tx.execute(&FORGET, params![scope.num()]).await.map(drop)
}
