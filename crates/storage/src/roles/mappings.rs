//! Rules that tie a group of a Server to a role.

use domain::id::MappingId;
use domain::platform_id::DiscordId;
use domain::roles::{Direction, OnLoss, Rule, Side};
use serde_json::json;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{GuildNum, OrgScope, ServerNum};

statements! {
    OF_GUILD: Rule = "
        SELECT {columns}
        FROM role_mappings m
        JOIN servers s ON s.num = m.server_num AND s.removed_at IS NULL
        WHERE m.guild_num = $2 AND m.org_num = $1
        ORDER BY m.position, m.num
        LIMIT 20000";
    DELETE_OTHERS = "
        DELETE FROM role_mappings
        WHERE server_num = $2 AND org_num = $1 AND id NOT IN (SELECT value FROM json_each($3))" postgres "
        DELETE FROM role_mappings
        WHERE server_num = $2 AND org_num = $1
          AND NOT (id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($3 AS TEXT) AS JSONB)) value)))";
    PUT = "
        INSERT INTO role_mappings
            (id, server_num, guild_num, org_num, group_name, role_id, direction, authority, on_loss, position, confirmed)
        SELECT r.value ->> 'id', CAST($3 AS BIGINT), CAST($2 AS BIGINT), CAST($1 AS BIGINT), r.value ->> 'group',
               r.value ->> 'role', r.value ->> 'direction', r.value ->> 'authority', r.value ->> 'on_loss', r.key, r.value ->> 'confirmed'
        FROM json_each($4) r
        WHERE TRUE
        ON CONFLICT (id) DO UPDATE SET
            group_name = excluded.group_name, role_id = excluded.role_id, direction = excluded.direction,
            authority = excluded.authority, on_loss = excluded.on_loss, position = excluded.position,
            confirmed = excluded.confirmed
        WHERE role_mappings.server_num = excluded.server_num" postgres "
        INSERT INTO role_mappings
            (id, server_num, guild_num, org_num, group_name, role_id, direction, authority, on_loss, position, confirmed)
        SELECT r ->> 'id', CAST($3 AS BIGINT), CAST($2 AS BIGINT), CAST($1 AS BIGINT), r ->> 'group',
               r ->> 'role', r ->> 'direction', r ->> 'authority', r ->> 'on_loss', place - 1,
               CAST(r ->> 'confirmed' AS BIGINT)
        FROM jsonb_array_elements(CAST(CAST($4 AS TEXT) AS JSONB)) WITH ORDINALITY AS given (r, place)
        ON CONFLICT (id) DO UPDATE SET
            group_name = excluded.group_name, role_id = excluded.role_id, direction = excluded.direction,
            authority = excluded.authority, on_loss = excluded.on_loss, position = excluded.position,
            confirmed = excluded.confirmed
        WHERE role_mappings.server_num = excluded.server_num";
    TOUCH = "
        UPDATE servers
        SET roles_revision = roles_revision + 1
        WHERE num = $2 AND org_num = $1 AND roles_revision = $3 AND removed_at IS NULL";
    REVISION = "
        SELECT roles_revision
        FROM servers
        WHERE num = $2 AND org_num = $1 AND removed_at IS NULL";
    PAIRS: Pair = "
        SELECT {columns}
        FROM role_mappings
        WHERE server_num = $1
        ORDER BY group_name, position
        LIMIT 1000";
    COUNTS: Count = "
        SELECT {columns}
        FROM guilds g
        JOIN role_mappings m ON m.guild_num = g.num AND m.org_num = g.org_num
        WHERE g.org_num = $1
        GROUP BY m.server_num
        LIMIT 1000";
    NAMED = "
        SELECT num
        FROM role_mappings
        WHERE guild_num = $2 AND org_num = $1 AND role_id = $3
        LIMIT 1";
    GROUPS = "
        SELECT DISTINCT g.value
        FROM server_players p
        CROSS JOIN json_each(p.oxide_groups) g
        WHERE p.server_num = $1 AND p.oxide_groups IS NOT NULL
        ORDER BY g.value
        LIMIT 500" postgres "
        SELECT DISTINCT g.value
        FROM server_players p
        CROSS JOIN LATERAL jsonb_array_elements_text(CAST(p.oxide_groups AS JSONB)) AS g (value)
        WHERE p.server_num = $1 AND p.oxide_groups IS NOT NULL
        ORDER BY g.value
        LIMIT 500";
}

impl FromRow for Rule {
    const COLUMNS: &'static str =
        "m.id, m.server_num, m.group_name, m.role_id, m.direction, m.authority, m.on_loss, m.confirmed";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            id: row.parse(0, MappingId::parse)?,
            server: row.int(1)?,
            group: row.text(2)?,
            role: row.parse(3, DiscordId::parse)?,
            direction: row.parse(4, |text| Direction::parse(text).ok_or("unknown direction"))?,
            authority: row.parse(5, |text| Side::parse(text).ok_or("unknown side"))?,
            on_loss: row.parse(6, |text| OnLoss::parse(text).ok_or("unknown loss"))?,
            confirmed: row.flag(7)?,
        })
    }
}

struct Count(ServerNum, i64);

impl FromRow for Count {
    const COLUMNS: &'static str = "m.server_num, COUNT(*)";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self(ServerNum(row.int(0)?), row.int(1)?))
    }
}

/// How many rules the Servers of an Org have; those without any are left out.
pub async fn count_by_server(db: &Db, scope: OrgScope) -> Result<Vec<(ServerNum, i64)>, DbError> {
    let counts: Vec<Count> = db.list(&COUNTS, params![scope.num()]).await?;
    Ok(counts
        .into_iter()
        .map(|Count(server, rules)| (server, rules))
        .collect())
}

struct Pair(String, String);

impl FromRow for Pair {
    const COLUMNS: &'static str = "group_name, role_id";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self(row.text(0)?, row.text(1)?))
    }
}

/// Groups of a Server and the roles that rules tie them to.
pub async fn list_pairs(db: &Db, server: ServerNum) -> Result<Vec<(String, String)>, DbError> {
    let pairs: Vec<Pair> = db.list(&PAIRS, params![server]).await?;
    Ok(pairs.into_iter().map(|pair| (pair.0, pair.1)).collect())
}

/// The rules of all Servers of a Guild, in the order their people gave them.
pub async fn list(db: &Db, scope: OrgScope, guild: GuildNum) -> Result<Vec<Rule>, DbError> {
    db.list(&OF_GUILD, params![scope.num(), guild]).await
}

/// The same inside a unit of work.
pub async fn list_in(tx: &mut Tx<'_>, scope: OrgScope, guild: GuildNum) -> Result<Vec<Rule>, DbError> {
    tx.list(&OF_GUILD, params![scope.num(), guild]).await
}

/// How often the rules of a Server were saved.
pub async fn find_revision(db: &Db, scope: OrgScope, server: ServerNum) -> Result<Option<i64>, DbError> {
    db.find(&REVISION, params![scope.num(), server]).await
}

/// The same inside a unit of work.
pub async fn find_revision_in(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    server: ServerNum,
) -> Result<Option<i64>, DbError> {
    tx.find(&REVISION, params![scope.num(), server]).await
}

/// Replaces the rules of a Server, or refuses to because somebody else did since they were read. Under the Org's lock.
pub async fn replace(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    server: ServerNum,
    rules: &[Rule],
    seen: i64,
) -> Result<(), DbError> {
    let org = scope.num();
    tx.execute_unless_stale(&TOUCH, params![org, server, seen])
        .await?;
    let ids = json!(rules.iter().map(|rule| rule.id.as_str()).collect::<Vec<_>>()).to_string();
    tx.execute(&DELETE_OTHERS, params![org, server, &ids]).await?;
    let rows = rules.iter().map(|rule| {
        json!({
            "id": rule.id.as_str(),
            "group": rule.group,
            "role": rule.role.as_str(),
            "direction": rule.direction,
            "authority": rule.authority,
            "on_loss": rule.on_loss,
            "confirmed": i64::from(rule.confirmed),
        })
    });
    let rows = json!(rows.collect::<Vec<_>>()).to_string();
    let put = tx.execute(&PUT, params![org, guild, server, &rows]).await?;
    if put != rules.len() as u64 {
        return Err(DbError::Bug("a rule of another Server".to_owned()));
    }
    Ok(())
}

/// Whether a rule of the Guild names this role.
pub async fn names_role(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    role: &DiscordId,
) -> Result<bool, DbError> {
    let found: Option<i64> = tx
        .find(&NAMED, params![scope.num(), guild, role.as_str()])
        .await?;
    Ok(found.is_some())
}

/// Groups that the plugin of a Server reported, by name.
pub async fn list_groups(db: &Db, server: ServerNum) -> Result<Vec<String>, DbError> {
    db.list_heavy(&GROUPS, params![server]).await
}
