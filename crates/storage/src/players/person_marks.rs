//! Players whose person is to be brought up to date: a game server said something new about them.

use crate::columns::json_list;
use crate::db::statement::statements;
use crate::db::{DbError, Tx};
use crate::params;
use crate::scope::{GuildNum, OrgScope, ServerNum};

statements! {
    MARK_REPORTED = "
        INSERT INTO person_marks (org_num, steam_id)
        SELECT l.org_num, l.steam_id
        FROM json_each($4) report
        CROSS JOIN links l ON l.guild_num = $2 AND l.org_num = $1 AND l.steam_id = report.key AND l.ended_at IS NULL
        LEFT JOIN server_players p ON p.server_num = $3 AND p.steam_id = l.steam_id
        WHERE p.oxide_groups IS DISTINCT FROM report.value
        ORDER BY l.steam_id
        ON CONFLICT (org_num, steam_id) DO NOTHING" postgres "
        INSERT INTO person_marks (org_num, steam_id)
        SELECT l.org_num, l.steam_id
        FROM jsonb_each_text(CAST(CAST($4 AS TEXT) AS JSONB)) report
        JOIN links l ON l.guild_num = $2 AND l.org_num = $1 AND l.steam_id = report.key COLLATE \"C\" AND l.ended_at IS NULL
        LEFT JOIN server_players p ON p.server_num = $3 AND p.steam_id = l.steam_id
        WHERE p.oxide_groups IS DISTINCT FROM report.value
        ORDER BY l.steam_id
        ON CONFLICT (org_num, steam_id) DO NOTHING";
    MARK_RENAMED = "
        INSERT INTO person_marks (org_num, steam_id)
        SELECT l.org_num, l.steam_id
        FROM json_each($3) report
        CROSS JOIN links l ON l.guild_num = $2 AND l.org_num = $1 AND l.steam_id = report.key AND l.ended_at IS NULL
        WHERE l.steam_name IS DISTINCT FROM report.value
        ORDER BY l.steam_id
        ON CONFLICT (org_num, steam_id) DO NOTHING" postgres "
        INSERT INTO person_marks (org_num, steam_id)
        SELECT l.org_num, l.steam_id
        FROM jsonb_each_text(CAST(CAST($3 AS TEXT) AS JSONB)) report
        JOIN links l ON l.guild_num = $2 AND l.org_num = $1 AND l.steam_id = report.key COLLATE \"C\" AND l.ended_at IS NULL
        WHERE l.steam_name IS DISTINCT FROM report.value
        ORDER BY l.steam_id
        ON CONFLICT (org_num, steam_id) DO NOTHING";
    MARK = "
        INSERT INTO person_marks (org_num, steam_id)
        SELECT l.org_num, l.steam_id
        FROM links l
        WHERE l.org_num = $1 AND l.steam_id = $2 AND l.ended_at IS NULL
        ORDER BY l.num
        LIMIT 1
        ON CONFLICT (org_num, steam_id) DO NOTHING";
    NEXT = "
        SELECT steam_id
        FROM person_marks
        WHERE org_num = $1
        ORDER BY steam_id
        LIMIT $2";
    /// Who was linked with an account before knows nothing new of it. Guild by Guild, since many may have been.
    WHO = "
        SELECT DISTINCT l.discord_id
        FROM json_each($2) asked
        CROSS JOIN guilds g ON g.org_num = $1 AND g.removed_at IS NULL
        CROSS JOIN links l ON l.guild_num = g.num AND l.steam_id = asked.value AND l.ended_at IS NULL" postgres "
        SELECT DISTINCT l.discord_id
        FROM guilds g
        JOIN links l ON l.guild_num = g.num AND l.ended_at IS NULL
        WHERE g.org_num = $1 AND g.removed_at IS NULL
          AND l.steam_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))";
    DONE = "
        DELETE FROM person_marks
        WHERE org_num = $1 AND steam_id IN (SELECT asked.value FROM json_each($2) asked)" postgres "
        DELETE FROM person_marks
        WHERE org_num = $1
          AND steam_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))";
}

/// Marks those whose groups are other than they were. To be called before the report is stored, under the Org's lock.
pub async fn mark_reported(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    server: ServerNum,
    report: &str,
) -> Result<u64, DbError> {
    tx.execute(&MARK_REPORTED, params![scope.num(), guild, server, report])
        .await
}

/// Marks those who had another name. To be called before the names are stored, under the Org's lock.
pub async fn mark_renamed(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    report: &str,
) -> Result<u64, DbError> {
    tx.execute(&MARK_RENAMED, params![scope.num(), guild, report])
        .await
}

/// Marks somebody who was seen on a Server for the first time. Under the Org's lock.
pub async fn mark(tx: &mut Tx<'_>, scope: OrgScope, steam_id: &str) -> Result<(), DbError> {
    tx.execute(&MARK, params![scope.num(), steam_id]).await.map(drop)
}

/// The next marked players. Under the Org's lock.
pub async fn list_next(tx: &mut Tx<'_>, scope: OrgScope, limit: i64) -> Result<Vec<String>, DbError> {
    tx.list(&NEXT, params![scope.num(), limit]).await
}

/// The Discord ids that are linked with these Steam ids.
pub async fn list_who(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    steam_ids: &[String],
) -> Result<Vec<String>, DbError> {
    let asked = json_list(steam_ids.iter().map(String::as_str));
    tx.list(&WHO, params![scope.num(), &asked]).await
}

/// Takes the marks of these players away.
pub async fn done(tx: &mut Tx<'_>, scope: OrgScope, steam_ids: &[String]) -> Result<(), DbError> {
    let asked = json_list(steam_ids.iter().map(String::as_str));
    tx.execute(&DONE, params![scope.num(), &asked]).await.map(drop)
}
