//! Who hangs together with whom: accounts of both platforms, joined by links of an Org, active or ended.

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::OrgScope;

statements! {
    /// An id tells by itself which platform it is of, an erased one too. The bound ends the search, and whoever was linked with more
    /// accounts than that is past it with the first of them: nobody is asked for more. An account that was erased and came back is
    /// one with what remained of it.
    COMPONENT = "
        WITH RECURSIVE joined (id) AS (
            SELECT CAST($2 AS TEXT)
            UNION
            SELECT next.value
            FROM joined
            CROSS JOIN json_each((
                SELECT json_group_array(near.id)
                FROM (
                    SELECT id FROM (SELECT DISTINCT l.steam_id AS id FROM links l
                                    WHERE l.org_num = $1 AND l.discord_id = joined.id LIMIT $3)
                    UNION ALL
                    SELECT id FROM (SELECT DISTINCT l.discord_id AS id FROM links l
                                    WHERE l.org_num = $1 AND l.steam_id = joined.id LIMIT $3)
                    UNION ALL
                    SELECT t.tombstone FROM tombstones t WHERE t.org_num = $1 AND t.alias = joined.id
                    UNION ALL
                    SELECT t.alias FROM tombstones t WHERE t.org_num = $1 AND t.tombstone = joined.id AND t.alias IS NOT NULL
                ) near)) next
        )
        SELECT id
        FROM joined
        WHERE NOT EXISTS (
            SELECT 1 FROM tombstones t WHERE t.org_num = $1 AND t.tombstone = joined.id AND t.alias IS NOT NULL)
        LIMIT $3" postgres "
        WITH RECURSIVE joined (id) AS (
            SELECT CAST($2 AS TEXT) COLLATE \"C\"
            UNION
            SELECT next.id
            FROM joined
            CROSS JOIN LATERAL (
                (SELECT DISTINCT l.steam_id FROM links l
                 WHERE l.org_num = $1 AND l.discord_id = joined.id ORDER BY l.steam_id LIMIT $3)
                UNION ALL
                (SELECT DISTINCT l.discord_id FROM links l
                 WHERE l.org_num = $1 AND l.steam_id = joined.id ORDER BY l.discord_id LIMIT $3)
                UNION ALL
                SELECT t.tombstone FROM tombstones t WHERE t.org_num = $1 AND t.alias = joined.id
                UNION ALL
                SELECT t.alias FROM tombstones t WHERE t.org_num = $1 AND t.tombstone = joined.id AND t.alias IS NOT NULL
            ) next (id)
        )
        SELECT id
        FROM joined
        WHERE NOT EXISTS (
            SELECT 1 FROM tombstones t WHERE t.org_num = $1 AND t.tombstone = joined.id AND t.alias IS NOT NULL)
        LIMIT $3";
    EDGES: Edge = "
        WITH RECURSIVE joined (id) AS (
            SELECT CAST($2 AS TEXT)
            UNION
            SELECT next.value
            FROM joined
            CROSS JOIN json_each((
                SELECT json_group_array(near.id)
                FROM (
                    SELECT id FROM (SELECT DISTINCT l.steam_id AS id FROM links l
                                    WHERE l.org_num = $1 AND l.discord_id = joined.id LIMIT $3)
                    UNION ALL
                    SELECT id FROM (SELECT DISTINCT l.discord_id AS id FROM links l
                                    WHERE l.org_num = $1 AND l.steam_id = joined.id LIMIT $3)
                    UNION ALL
                    SELECT t.tombstone FROM tombstones t WHERE t.org_num = $1 AND t.alias = joined.id
                    UNION ALL
                    SELECT t.alias FROM tombstones t WHERE t.org_num = $1 AND t.tombstone = joined.id AND t.alias IS NOT NULL
                ) near)) next
        )
        SELECT {columns}
        FROM (SELECT id FROM joined LIMIT $3) n
        CROSS JOIN links l ON l.org_num = $1 AND l.discord_id = n.id
        JOIN guilds g ON g.num = l.guild_num
        LEFT JOIN tombstones td ON td.org_num = $1 AND td.tombstone = l.discord_id
        LEFT JOIN tombstones ts ON ts.org_num = $1 AND ts.tombstone = l.steam_id
        LIMIT $4" postgres "
        WITH RECURSIVE joined (id) AS (
            SELECT CAST($2 AS TEXT) COLLATE \"C\"
            UNION
            SELECT next.id
            FROM joined
            CROSS JOIN LATERAL (
                (SELECT DISTINCT l.steam_id FROM links l
                 WHERE l.org_num = $1 AND l.discord_id = joined.id ORDER BY l.steam_id LIMIT $3)
                UNION ALL
                (SELECT DISTINCT l.discord_id FROM links l
                 WHERE l.org_num = $1 AND l.steam_id = joined.id ORDER BY l.discord_id LIMIT $3)
                UNION ALL
                SELECT t.tombstone FROM tombstones t WHERE t.org_num = $1 AND t.alias = joined.id
                UNION ALL
                SELECT t.alias FROM tombstones t WHERE t.org_num = $1 AND t.tombstone = joined.id AND t.alias IS NOT NULL
            ) next (id)
        )
        SELECT {columns}
        FROM (SELECT id FROM joined LIMIT $3) n
        JOIN LATERAL (SELECT * FROM links WHERE org_num = $1 AND discord_id = n.id) l ON TRUE
        JOIN guilds g ON g.num = l.guild_num
        LEFT JOIN tombstones td ON td.org_num = $1 AND td.tombstone = l.discord_id
        LEFT JOIN tombstones ts ON ts.org_num = $1 AND ts.tombstone = l.steam_id
        LIMIT $4";
    PAIRS: Pair = "
        SELECT DISTINCT {columns}
        FROM links
        WHERE org_num = $1 AND (discord_id, steam_id) > ($2, $3)
        ORDER BY discord_id, steam_id
        LIMIT $4";
    COUNTED: Counted = "
        SELECT {columns}
        FROM people
        WHERE org_num = $1 AND discord_id > $2
        ORDER BY discord_id
        LIMIT $3";
}

/// Accounts that hang together with one, itself included; at most `limit` of them. Under the Org's lock.
pub async fn list_joined(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    id: &str,
    limit: i64,
) -> Result<Vec<String>, DbError> {
    tx.list(&COMPONENT, params![scope.num(), id, limit]).await
}

/// A link between two accounts that hang together.
#[derive(Debug, Clone)]
pub struct Edge {
    /// A digest for an erased person.
    pub discord_id: String,
    /// A digest for an erased person.
    pub steam_id: String,
    /// As it was last told.
    pub discord_name: Option<String>,
    /// As it was last told.
    pub steam_name: Option<String>,
    /// When the pair was tied.
    pub linked_at_ms: i64,
    /// None while it is active.
    pub ended_at_ms: Option<i64>,
    /// Why it ended.
    pub end_cause: Option<String>,
    /// Where; also a Guild that is gone.
    pub guild_name: String,
}

impl FromRow for Edge {
    const COLUMNS: &'static str = "\
        COALESCE(td.alias, l.discord_id), COALESCE(ts.alias, l.steam_id), l.discord_name, l.steam_name, l.linked_at, l.ended_at, \
        l.end_cause, g.name";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            discord_id: row.text(0)?,
            steam_id: row.text(1)?,
            discord_name: row.opt_text(2)?,
            steam_name: row.opt_text(3)?,
            linked_at_ms: row.int(4)?,
            ended_at_ms: row.opt_int(5)?,
            end_cause: row.opt_text(6)?,
            guild_name: row.text(7)?,
        })
    }
}

/// All links between the accounts that hang together with one, as far as the bounds reach.
pub async fn list_edges(
    db: &Db,
    scope: OrgScope,
    id: &str,
    most_accounts: i64,
    most_links: i64,
) -> Result<Vec<Edge>, DbError> {
    db.list_heavy(&EDGES, params![scope.num(), id, most_accounts, most_links])
        .await
}

/// Two accounts that are or were linked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// A digest for an erased person.
    pub discord_id: String,
    /// A digest for an erased person.
    pub steam_id: String,
}

impl FromRow for Pair {
    const COLUMNS: &'static str = "discord_id, steam_id";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            discord_id: row.text(0)?,
            steam_id: row.text(1)?,
        })
    }
}

/// Pairs of an Org after this one, each once, in the order of their ids.
pub async fn list_pairs(db: &Db, scope: OrgScope, after: &Pair, limit: i64) -> Result<Vec<Pair>, DbError> {
    let values = params![scope.num(), &after.discord_id, &after.steam_id, limit];
    db.list_heavy(&PAIRS, values).await
}

/// How many accounts somebody's row says hang together.
#[derive(Debug, Clone)]
pub struct Counted {
    /// Whose.
    pub discord_id: String,
    /// As it is stored.
    pub accounts: i64,
}

impl FromRow for Counted {
    const COLUMNS: &'static str = "discord_id, accounts";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            discord_id: row.text(0)?,
            accounts: row.int(1)?,
        })
    }
}

/// What the rows of an Org's people say, in the order of their ids.
pub async fn list_counted(
    db: &Db,
    scope: OrgScope,
    after: &str,
    limit: i64,
) -> Result<Vec<Counted>, DbError> {
    db.list_heavy(&COUNTED, params![scope.num(), after, limit]).await
}
