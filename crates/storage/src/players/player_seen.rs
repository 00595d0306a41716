//! When players were last on any Server of an Org, and on which days a Guild's plugins were heard from at all.

use serde_json::{Value, json};

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::players::people::json_nums;
use crate::scope::{GuildNum, KeyNum, OrgScope, ServerNum};

statements! {
    /// Of those who are linked: nothing comes back of somebody who was erased. In the order of the rows, so that two nodes never wait for each other.
    SEEN = "
        INSERT INTO player_seen (org_num, steam_id, seen_at)
        SELECT s.org_num, m.value ->> 'steam_id', MAX(CAST(m.value ->> 'at' AS BIGINT))
        FROM json_each($1) m
        CROSS JOIN servers s ON s.num = CAST(m.value ->> 'server' AS BIGINT) AND s.removed_at IS NULL
        WHERE EXISTS (SELECT 1 FROM links l
                      WHERE l.org_num = s.org_num AND l.steam_id = m.value ->> 'steam_id' AND l.ended_at IS NULL)
        GROUP BY s.org_num, m.value ->> 'steam_id'
        ORDER BY 1, 2
        ON CONFLICT (org_num, steam_id) DO UPDATE SET seen_at = MAX(player_seen.seen_at, excluded.seen_at)" postgres "
        INSERT INTO player_seen (org_num, steam_id, seen_at)
        SELECT s.org_num, m ->> 'steam_id' COLLATE \"C\", MAX(CAST(m ->> 'at' AS BIGINT))
        FROM jsonb_array_elements(CAST(CAST($1 AS TEXT) AS JSONB)) m
        JOIN servers s ON s.num = CAST(m ->> 'server' AS BIGINT) AND s.removed_at IS NULL
        WHERE EXISTS (SELECT 1 FROM links l
                      WHERE l.org_num = s.org_num AND l.steam_id = (m ->> 'steam_id') COLLATE \"C\" AND l.ended_at IS NULL)
        GROUP BY s.org_num, m ->> 'steam_id' COLLATE \"C\"
        ORDER BY 1, 2
        ON CONFLICT (org_num, steam_id) DO UPDATE SET seen_at = GREATEST(player_seen.seen_at, excluded.seen_at)";
    /// Those who are linked anywhere in the Org of the Server.
    LINKED: LinkedSighting = "
        SELECT {columns}
        FROM (SELECT CAST(value ->> 'server' AS BIGINT) AS server, value ->> 'steam_id' AS steam_id FROM json_each($1)) m
        CROSS JOIN servers s ON s.num = m.server AND s.removed_at IS NULL
        WHERE EXISTS (SELECT 1 FROM links l WHERE l.org_num = s.org_num AND l.steam_id = m.steam_id AND l.ended_at IS NULL)" postgres "
        SELECT {columns}
        FROM (SELECT CAST(value ->> 'server' AS BIGINT) AS server, (value ->> 'steam_id') COLLATE \"C\" AS steam_id
              FROM jsonb_array_elements(CAST(CAST($1 AS TEXT) AS JSONB)) value) m
        JOIN servers s ON s.num = m.server AND s.removed_at IS NULL
        WHERE EXISTS (SELECT 1 FROM links l WHERE l.org_num = s.org_num AND l.steam_id = m.steam_id AND l.ended_at IS NULL)";
    /// Who is flagged and was seen all the same.
    FLAGGED: SeenAgain = "
        SELECT DISTINCT {columns}
        FROM json_each($1) m
        CROSS JOIN servers s ON s.num = CAST(m.value ->> 'server' AS BIGINT) AND s.removed_at IS NULL
        CROSS JOIN links l ON l.org_num = s.org_num AND l.steam_id = m.value ->> 'steam_id' AND l.ended_at IS NULL
        CROSS JOIN dormant_links d ON d.link_num = l.num AND d.flagged_at IS NOT NULL
        ORDER BY 1, 2" postgres "
        SELECT DISTINCT {columns}
        FROM jsonb_array_elements(CAST(CAST($1 AS TEXT) AS JSONB)) m
        JOIN servers s ON s.num = CAST(m ->> 'server' AS BIGINT) AND s.removed_at IS NULL
        JOIN links l ON l.org_num = s.org_num AND l.steam_id = (m ->> 'steam_id') COLLATE \"C\" AND l.ended_at IS NULL
        JOIN dormant_links d ON d.link_num = l.num AND d.flagged_at IS NOT NULL
        ORDER BY 1, 2";
    HEARD = "
        INSERT INTO guild_days (guild_num, org_num, day)
        SELECT DISTINCT k.guild_num, k.org_num, CAST($2 AS BIGINT)
        FROM json_each($1) used
        CROSS JOIN api_keys k ON k.num = CAST(used.value AS BIGINT)
        WHERE k.kind = 'plugin'
        ORDER BY k.guild_num
        ON CONFLICT (guild_num, day) DO NOTHING" postgres "
        INSERT INTO guild_days (guild_num, org_num, day)
        SELECT DISTINCT k.guild_num, k.org_num, CAST($2 AS BIGINT)
        FROM api_keys k
        WHERE k.kind = 'plugin'
          AND k.num = ANY (ARRAY(SELECT CAST(value AS BIGINT) FROM jsonb_array_elements_text(CAST(CAST($1 AS TEXT) AS JSONB)) value))
        ORDER BY k.guild_num
        ON CONFLICT (guild_num, day) DO NOTHING";
    DAYS = "
        SELECT day
        FROM guild_days
        WHERE guild_num = $1 AND day < $2
        ORDER BY day DESC
        LIMIT $3";
    FORGET_GUILD = "
        DELETE FROM guild_days
        WHERE guild_num = $1 AND day IN (SELECT day FROM guild_days WHERE guild_num = $1 ORDER BY day LIMIT $2)";
    FORGET_DAYS = "
        DELETE FROM guild_days
        WHERE (guild_num, day) IN (SELECT guild_num, day FROM guild_days WHERE day < $1 ORDER BY day LIMIT $2)";
}

/// A player who was on a Server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// Where.
    pub server: ServerNum,
    /// Who.
    pub steam_id: String,
    /// When.
    pub at_ms: i64,
}

/// Somebody who was on a Server and is linked in its Org.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LinkedSighting {
    /// Where.
    pub server: ServerNum,
    /// Who.
    pub steam_id: String,
}

impl FromRow for LinkedSighting {
    const COLUMNS: &'static str = "s.num, m.steam_id";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            server: ServerNum(row.int(0)?),
            steam_id: row.text(1)?,
        })
    }
}

/// Somebody who was seen although they are flagged.
#[derive(Debug, Clone)]
pub struct SeenAgain {
    /// Whose they are.
    pub scope: OrgScope,
    /// Who.
    pub discord_id: String,
}

impl FromRow for SeenAgain {
    const COLUMNS: &'static str = "s.org_num, l.discord_id";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            scope: OrgScope::new(row.int(0)?),
            discord_id: row.text(1)?,
        })
    }
}

fn as_json(sightings: &[Sighting]) -> String {
    let rows = sightings
        .iter()
        .map(|one| json!({ "server": one.server.0, "steam_id": one.steam_id, "at": one.at_ms }));
    Value::from_iter(rows).to_string()
}

/// Notes when players were last seen in the Orgs of these Servers.
pub async fn note(tx: &mut Tx<'_>, sightings: &[Sighting]) -> Result<(), DbError> {
    tx.execute(&SEEN, params![&as_json(sightings)]).await.map(drop)
}

/// Those of them who are linked, be it in another Guild of the Org.
pub async fn list_linked(db: &Db, sightings: &[Sighting]) -> Result<Vec<LinkedSighting>, DbError> {
    db.list_heavy(&LINKED, params![&as_json(sightings)]).await
}

/// Those of them who are flagged as dormant.
pub async fn list_flagged(db: &Db, sightings: &[Sighting]) -> Result<Vec<SeenAgain>, DbError> {
    db.list_heavy(&FLAGGED, params![&as_json(sightings)]).await
}

/// Notes that the Guilds of those of these keys that are plugins' were heard from on a day.
pub async fn note_heard(
    tx: &mut Tx<'_>,
    keys: impl Iterator<Item = KeyNum>,
    day: i64,
) -> Result<(), DbError> {
    let nums = json_nums(keys.map(|key| key.0));
    tx.execute(&HEARD, params![&nums, day]).await.map(drop)
}

/// Days before this one on which a Guild's plugins were heard from, the newest first.
pub async fn list_heard(db: &Db, guild: GuildNum, before: i64, limit: i64) -> Result<Vec<i64>, DbError> {
    db.list_heavy(&DAYS, params![guild, before, limit]).await
}

/// Forgets days of a removed Guild, and tells how many.
pub async fn forget_guild(tx: &mut Tx<'_>, guild: GuildNum, limit: i64) -> Result<u64, DbError> {
    tx.execute(&FORGET_GUILD, params![guild, limit]).await
}

/// Forgets days that no rule looks back to, and tells how many.
pub async fn forget_days(tx: &mut Tx<'_>, before: i64, limit: i64) -> Result<u64, DbError> {
    tx.execute(&FORGET_DAYS, params![before, limit]).await
}
