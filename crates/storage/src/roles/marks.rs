//! Members to be looked at.

use domain::platform_id::DiscordId;
use domain::roles::Cause;
use serde_json::json;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{GuildNum, OrgScope};

statements! {
    /// Whoever waits already is not moved behind bulk work.
    MARK = "
        INSERT INTO role_marks (guild_num, org_num, discord_id, gen, cause, rank, marked_at, place)
        SELECT CAST($2 AS BIGINT), CAST($1 AS BIGINT), m.value ->> 'id', 1, m.value ->> 'cause', CAST($4 AS BIGINT), CAST($5 AS BIGINT),
               CAST($6 AS BIGINT)
        FROM json_each($3) m
        WHERE TRUE
        ON CONFLICT (guild_num, discord_id) DO UPDATE SET
            gen = role_marks.gen + 1,
            cause = CASE WHEN excluded.rank = 1 THEN role_marks.cause ELSE excluded.cause END,
            rank = CASE WHEN role_marks.rank < excluded.rank THEN role_marks.rank ELSE excluded.rank END,
            place = CASE WHEN excluded.rank = 0 THEN excluded.place ELSE role_marks.place END" postgres "
        INSERT INTO role_marks (guild_num, org_num, discord_id, gen, cause, rank, marked_at, place)
        SELECT CAST($2 AS BIGINT), CAST($1 AS BIGINT), m ->> 'id', 1, m ->> 'cause', CAST($4 AS BIGINT), CAST($5 AS BIGINT),
               CAST($6 AS BIGINT)
        FROM jsonb_array_elements(CAST(CAST($3 AS TEXT) AS JSONB)) m
        ON CONFLICT (guild_num, discord_id) DO UPDATE SET
            gen = role_marks.gen + 1,
            cause = CASE WHEN excluded.rank = 1 THEN role_marks.cause ELSE excluded.cause END,
            rank = CASE WHEN role_marks.rank < excluded.rank THEN role_marks.rank ELSE excluded.rank END,
            place = CASE WHEN excluded.rank = 0 THEN excluded.place ELSE role_marks.place END";
    /// Only those who are linked or of whom something is remembered.
    KNOWN = "
        SELECT asked.value
        FROM json_each($2) asked
        WHERE EXISTS (SELECT 1 FROM links l WHERE l.guild_num = $1 AND l.discord_id = asked.value AND l.ended_at IS NULL)
           OR EXISTS (SELECT 1 FROM role_members r WHERE r.guild_num = $1 AND r.discord_id = asked.value)" postgres "
        SELECT asked.value
        FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) AS asked (value)
        WHERE EXISTS (SELECT 1 FROM links l WHERE l.guild_num = $1 AND l.discord_id = asked.value COLLATE \"C\" AND l.ended_at IS NULL)
           OR EXISTS (SELECT 1 FROM role_members r WHERE r.guild_num = $1 AND r.discord_id = asked.value COLLATE \"C\")";
    LINKED_AFTER = "
        SELECT l.discord_id
        FROM links l
        WHERE l.guild_num = $1 AND l.ended_at IS NULL AND l.discord_id > $2
        ORDER BY l.discord_id
        LIMIT $3";
    OWED_AFTER = "
        SELECT discord_id
        FROM role_members
        WHERE guild_num = $1 AND owed <> '[]' AND discord_id > $2
        ORDER BY discord_id
        LIMIT $3";
    NEXT: Mark = "
        SELECT {columns}
        FROM role_marks
        WHERE guild_num = $1
        ORDER BY rank, place, discord_id
        LIMIT $2";
    DONE = "
        DELETE FROM role_marks
        WHERE guild_num = $1 AND discord_id = $2 AND gen = $3";
    /// Behind those for whom somebody waits, which begin below zero; the second time behind all others.
    AGAIN_LATER = "
        UPDATE role_marks
        SET rank = CASE WHEN place > 0 THEN 1 ELSE rank END, place = $3
        WHERE guild_num = $1 AND discord_id = $2";
    COUNT = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM role_marks
        WHERE guild_num = $2 AND org_num = $1";
    FORGET = "
        DELETE FROM role_marks
        WHERE guild_num = $2 AND org_num = $1
          AND discord_id IN (SELECT discord_id FROM role_marks WHERE guild_num = $2 ORDER BY discord_id LIMIT $3)";
}

/// Somebody to be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Whom.
    pub discord_id: DiscordId,
    /// One more each time they are marked.
    pub r#gen: i64,
    /// Why, as far as somebody waits for it.
    pub cause: Cause,
    /// Since when.
    pub marked_at_ms: i64,
    /// One of many, for whom nobody waits.
    pub is_bulk: bool,
}

impl FromRow for Mark {
    const COLUMNS: &'static str = "discord_id, gen, cause, marked_at, rank";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            discord_id: row.parse(0, DiscordId::parse)?,
            r#gen: row.int(1)?,
            cause: row.parse(2, |text| Cause::parse(text).ok_or("unknown cause"))?,
            marked_at_ms: row.int(3)?,
            is_bulk: row.flag(4)?,
        })
    }
}

/// Whether bulk work marks them, which comes after what somebody waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rank {
    /// Somebody may be waiting.
    First,
    /// One of many.
    Bulk,
}

/// Marks members to be looked at.
pub async fn mark(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    members: &[(DiscordId, Cause)],
    rank: Rank,
    now_ms: i64,
) -> Result<(), DbError> {
    let listed = members
        .iter()
        .map(|(id, cause)| json!({ "id": id.as_str(), "cause": cause }));
    let listed = json!(listed.collect::<Vec<_>>()).to_string();
    let (rank, place) = match rank {
        Rank::First => (0_i64, -now_ms),
        Rank::Bulk => (1, now_ms),
    };
    tx.execute(&MARK, params![scope.num(), guild, &listed, rank, now_ms, place])
        .await
        .map(drop)
}

/// Those among these who are linked, or of whom something is remembered.
pub async fn list_known(
    tx: &mut Tx<'_>,
    guild: GuildNum,
    members: &[DiscordId],
) -> Result<Vec<String>, DbError> {
    let list = crate::columns::json_list(members.iter().map(DiscordId::as_str));
    tx.list(&KNOWN, params![guild, &list]).await
}

/// Those who are linked, or from whom something is to be taken back, after this one in the order of their ids.
pub async fn list_concerned(
    tx: &mut Tx<'_>,
    guild: GuildNum,
    after: &str,
    limit: i64,
) -> Result<Vec<String>, DbError> {
    let mut found: Vec<String> = tx.list(&LINKED_AFTER, params![guild, after, limit]).await?;
    let owed: Vec<String> = tx.list(&OWED_AFTER, params![guild, after, limit]).await?;
    found.extend(owed);
    found.sort();
    found.dedup();
    found.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(found)
}

/// Who is next: those for whom somebody waits, the newest first, so that a backlog is not in the way of people who look
/// at their screens. Then bulk work, the oldest first.
pub async fn list_next(db: &Db, guild: GuildNum, limit: i64) -> Result<Vec<Mark>, DbError> {
    db.list(&NEXT, params![guild, limit]).await
}

/// Takes a mark away; false where somebody was marked once more meanwhile.
pub async fn done(tx: &mut Tx<'_>, guild: GuildNum, mark: &Mark) -> Result<bool, DbError> {
    let values = params![guild, mark.discord_id.as_str(), mark.r#gen];
    Ok(tx.execute(&DONE, values).await? == 1)
}

/// Puts somebody behind the others: the first time behind those for whom somebody waits too, then behind all.
pub async fn put_off(
    tx: &mut Tx<'_>,
    guild: GuildNum,
    member: &DiscordId,
    now_ms: i64,
) -> Result<(), DbError> {
    tx.execute(&AGAIN_LATER, params![guild, member.as_str(), now_ms])
        .await
        .map(drop)
}

/// How many wait in a Guild.
pub async fn count(db: &Db, scope: OrgScope, guild: GuildNum) -> Result<i64, DbError> {
    Ok(db.find(&COUNT, params![scope.num(), guild]).await?.unwrap_or(0))
}

/// Forgets up to `limit` marks of a removed Guild.
pub async fn forget_slice(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    limit: i64,
) -> Result<u64, DbError> {
    tx.execute(&FORGET, params![scope.num(), guild, limit]).await
}
