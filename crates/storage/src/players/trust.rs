//! Scores: what they are made of, what they are, what they were, and what an Org says about groups.

use domain::platform_id::DiscordId;
use domain::trust::{GroupClass, GroupRules, Report, Score};
use serde_json::{Value, json};

use crate::columns::json_list;
use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::players::people::{STILL_THEIRS, json_nums};
use crate::scope::OrgScope;

/// Longer lists are read off the threads that serve requests.
const INLINE: usize = 50;
/// Between two points of somebody's history.
const POINT_EVERY_MS: i64 = 60 * 60_000;

statements! {
    SIGNALS: PersonSignals = "
        SELECT {columns}
        FROM json_each($2) asked
        CROSS JOIN people p ON p.num = CAST(asked.value AS BIGINT) AND p.org_num = $1" postgres "
        SELECT {columns}
        FROM people p
        WHERE p.org_num = $1
          AND p.num = ANY (ARRAY(SELECT CAST(value AS BIGINT) FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))";
    /// Each Server once for somebody, even if two accounts of theirs were on it.
    REPORTS: PersonReport = "
        SELECT {columns}
        FROM json_each($2) asked
        CROSS JOIN person_places l ON l.person_num = CAST(asked.value AS BIGINT)
        CROSS JOIN server_players s ON s.org_num = $1 AND s.steam_id = l.steam_id AND s.guild_num = l.guild_num
        JOIN servers v ON v.num = s.server_num AND v.removed_at IS NULL
        WHERE s.oxide_groups IS NOT NULL
          AND {condition}" postgres "
        SELECT {columns}
        FROM person_places l
        JOIN server_players s ON s.org_num = $1 AND s.steam_id = l.steam_id AND s.guild_num = l.guild_num
        JOIN servers v ON v.num = s.server_num AND v.removed_at IS NULL
        WHERE s.oxide_groups IS NOT NULL
          AND {condition}
          AND l.person_num = ANY (ARRAY(SELECT CAST(value AS BIGINT) FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))" with STILL_THEIRS;
    SCORES: ScoreOf = "
        SELECT {columns}
        FROM json_each($2) asked
        CROSS JOIN people p ON p.org_num = $1 AND p.discord_id = asked.value" postgres "
        SELECT {columns}
        FROM people p
        WHERE p.org_num = $1
          AND p.discord_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))";
    ACTIVE_AFTER = "
        SELECT num
        FROM people
        WHERE org_num = $1 AND num > $2 AND active_links > 0
        ORDER BY num
        LIMIT $3";
    /// SQLite would go through everybody of the Org, and through the list for each of them, if it saw a way to.
    STORE = "
        UPDATE people
        SET score = CAST(s.value ->> 'score' AS BIGINT), stability = CAST(s.value ->> 'stability' AS BIGINT),
            cross_server = CAST(s.value ->> 'cross_server' AS BIGINT), age = CAST(s.value ->> 'age' AS BIGINT),
            multi = CAST(s.value ->> 'multi' AS BIGINT), best_class = s.value ->> 'best', scored_at = $3
        FROM json_each($2) s
        WHERE people.num = CAST(s.value ->> 'person' AS BIGINT) AND +people.org_num = $1" postgres "
        UPDATE people
        SET score = CAST(s ->> 'score' AS BIGINT), stability = CAST(s ->> 'stability' AS BIGINT),
            cross_server = CAST(s ->> 'cross_server' AS BIGINT), age = CAST(s ->> 'age' AS BIGINT),
            multi = CAST(s ->> 'multi' AS BIGINT), best_class = s ->> 'best', scored_at = $3
        FROM jsonb_array_elements(CAST(CAST($2 AS TEXT) AS JSONB)) s
        WHERE people.num = CAST(s ->> 'person' AS BIGINT) AND people.org_num = $1";
    /// The whole rule of the history: an hour after the last point, and not like it.
    ADD_POINTS = "
        INSERT INTO trust_points (person_num, at, score, stability, cross_server, age, multi)
        SELECT CAST(s.value ->> 'person' AS BIGINT), CAST($2 AS BIGINT), CAST(s.value ->> 'score' AS BIGINT),
               CAST(s.value ->> 'stability' AS BIGINT), CAST(s.value ->> 'cross_server' AS BIGINT),
               CAST(s.value ->> 'age' AS BIGINT), CAST(s.value ->> 'multi' AS BIGINT)
        FROM json_each($1) s
        WHERE NOT EXISTS (
                SELECT 1 FROM trust_points t
                WHERE t.person_num = CAST(s.value ->> 'person' AS BIGINT) AND t.at > $3)
          AND CAST(s.value ->> 'score' AS BIGINT) IS DISTINCT FROM (
                SELECT t.score FROM trust_points t
                WHERE t.person_num = CAST(s.value ->> 'person' AS BIGINT)
                ORDER BY t.at DESC
                LIMIT 1)" postgres "
        INSERT INTO trust_points (person_num, at, score, stability, cross_server, age, multi)
        SELECT CAST(s ->> 'person' AS BIGINT), CAST($2 AS BIGINT), CAST(s ->> 'score' AS BIGINT),
               CAST(s ->> 'stability' AS BIGINT), CAST(s ->> 'cross_server' AS BIGINT),
               CAST(s ->> 'age' AS BIGINT), CAST(s ->> 'multi' AS BIGINT)
        FROM jsonb_array_elements(CAST(CAST($1 AS TEXT) AS JSONB)) s
        WHERE NOT EXISTS (
                SELECT 1 FROM trust_points t
                WHERE t.person_num = CAST(s ->> 'person' AS BIGINT) AND t.at > $3)
          AND CAST(s ->> 'score' AS BIGINT) IS DISTINCT FROM (
                SELECT t.score FROM trust_points t
                WHERE t.person_num = CAST(s ->> 'person' AS BIGINT)
                ORDER BY t.at DESC
                LIMIT 1)";
    POINTS: Point = "
        SELECT {columns}
        FROM trust_points
        WHERE person_num = $1 AND at >= $2
        ORDER BY at
        LIMIT $3";
    POINT_BEFORE: Point = "
        SELECT {columns}
        FROM trust_points
        WHERE person_num = $1 AND at < $2
        ORDER BY at DESC
        LIMIT 1";
    PURGE = "
        DELETE FROM trust_points
        WHERE (person_num, at) IN (SELECT person_num, at FROM trust_points WHERE at < $1 ORDER BY at LIMIT 500)";
    RULES: StoredRules = "
        SELECT {columns}
        FROM trust_settings
        WHERE org_num = $1";
    SET_RULES = "
        INSERT INTO trust_settings (org_num, keywords, colours, revision)
        VALUES ($1, $2, $3, 1)
        ON CONFLICT (org_num) DO UPDATE SET
            keywords = excluded.keywords, colours = excluded.colours, revision = trust_settings.revision + 1";
}

/// What somebody's score is made of, apart from what game servers say.
#[derive(Debug, Clone)]
pub struct PersonSignals {
    /// Their row.
    pub num: i64,
    /// Links that they, a plugin or a relink ended.
    pub churn: i64,
    /// When they linked for the first time.
    pub first_linked_at_ms: i64,
    /// Accounts that hang together with theirs.
    pub accounts: i64,
    /// As it is stored.
    pub score: i64,
}

impl FromRow for PersonSignals {
    const COLUMNS: &'static str = "p.num, p.churn, p.first_linked_at, p.accounts, p.score";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            num: row.int(0)?,
            churn: row.int(1)?,
            first_linked_at_ms: row.int(2)?,
            accounts: row.int(3)?,
            score: row.int(4)?,
        })
    }
}

/// Somebody's score.
#[derive(Debug, Clone)]
pub struct ScoreOf {
    /// Whose.
    pub discord_id: String,
    /// From 0 to 100.
    pub score: i64,
}

impl FromRow for ScoreOf {
    const COLUMNS: &'static str = "p.discord_id, p.score";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            discord_id: row.text(0)?,
            score: row.int(1)?,
        })
    }
}

/// The scores of these people, as far as they have one.
pub async fn list_scores<'a>(
    db: &Db,
    scope: OrgScope,
    ids: impl Iterator<Item = &'a DiscordId>,
) -> Result<Vec<ScoreOf>, DbError> {
    let ids: Vec<&str> = ids.map(DiscordId::as_str).collect();
    let asked = json_list(ids.iter().copied());
    let values = params![scope.num(), &asked];
    if ids.len() > INLINE {
        return db.list_heavy(&SCORES, values).await;
    }
    db.list(&SCORES, values).await
}

/// Groups of somebody on one Server.
#[derive(Debug, Clone)]
pub struct PersonReport {
    /// Whose.
    pub person_num: i64,
    /// As the Server reported them last.
    pub report: Report,
}

impl FromRow for PersonReport {
    const COLUMNS: &'static str =
        "l.person_num, s.oxide_groups, v.linked_group, v.booster_group, v.steam_members_group";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            person_num: row.int(0)?,
            report: Report {
                groups: row.parse(1, |text| serde_json::from_str(text))?,
                // Reports are in small letters, settings as somebody typed them.
                ours: [row.str(2)?, row.str(3)?, row.str(4)?].map(str::to_lowercase),
            },
        })
    }
}

/// What the scores of these people are made of.
pub async fn list_signals(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    people: &[i64],
) -> Result<(Vec<PersonSignals>, Vec<PersonReport>), DbError> {
    let asked = json_nums(people.iter().copied());
    let signals = tx.list(&SIGNALS, params![scope.num(), &asked]).await?;
    let reports = tx.list(&REPORTS, params![scope.num(), &asked]).await?;
    Ok((signals, reports))
}

/// The same outside of a unit, for what is only tried out.
pub async fn read_signals(
    db: &Db,
    scope: OrgScope,
    people: &[i64],
) -> Result<(Vec<PersonSignals>, Vec<PersonReport>), DbError> {
    let asked = json_nums(people.iter().copied());
    let signals = db.list_heavy(&SIGNALS, params![scope.num(), &asked]).await?;
    let reports = db.list_heavy(&REPORTS, params![scope.num(), &asked]).await?;
    Ok((signals, reports))
}

/// People with an active link, in the order of their rows.
pub async fn list_active(db: &Db, scope: OrgScope, after: i64, limit: i64) -> Result<Vec<i64>, DbError> {
    db.list_heavy(&ACTIVE_AFTER, params![scope.num(), after, limit])
        .await
}

/// The same inside a unit of work.
pub async fn list_active_in(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    after: i64,
    limit: i64,
) -> Result<Vec<i64>, DbError> {
    tx.list(&ACTIVE_AFTER, params![scope.num(), after, limit]).await
}

/// Somebody's new score.
#[derive(Debug, Clone, Copy)]
pub struct NewScore {
    /// Whose.
    pub person_num: i64,
    /// With its parts.
    pub score: Score,
    /// The best that any Server says of them.
    pub best: GroupClass,
}

/// Stores scores, and points of the history where it is time for one. Under the Org's lock.
pub async fn store(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    scores: &[NewScore],
    now_ms: i64,
) -> Result<(), DbError> {
    let list: Value = scores
        .iter()
        .map(|new| {
            let score = &new.score;
            json!({
                "person": new.person_num, "score": score.total, "stability": score.stability,
                "cross_server": score.cross_server, "age": score.age, "multi": score.multi, "best": new.best,
            })
        })
        .collect();
    let list = list.to_string();
    tx.execute(&STORE, params![scope.num(), &list, now_ms]).await?;
    tx.execute(&ADD_POINTS, params![&list, now_ms, now_ms - POINT_EVERY_MS])
        .await
        .map(drop)
}

/// A point of somebody's history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// When the score became this.
    pub at_ms: i64,
    /// With its parts.
    pub score: Score,
}

impl FromRow for Point {
    const COLUMNS: &'static str = "at, score, stability, cross_server, age, multi";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let part = |column| -> Result<u8, DbError> {
            let value = row.int(column)?;
            u8::try_from(value).map_err(|_| DbError::Bug(format!("a score of {value}")))
        };
        Ok(Self {
            at_ms: row.int(0)?,
            score: Score {
                total: part(1)?,
                stability: part(2)?,
                cross_server: part(3)?,
                age: part(4)?,
                multi: part(5)?,
            },
        })
    }
}

/// Somebody's points since a time, the oldest first, and the last one before it.
pub async fn list_points(db: &Db, person_num: i64, since_ms: i64, limit: i64) -> Result<Vec<Point>, DbError> {
    let before: Option<Point> = db.find(&POINT_BEFORE, params![person_num, since_ms]).await?;
    let since: Vec<Point> = db
        .list_heavy(&POINTS, params![person_num, since_ms, limit])
        .await?;
    Ok(before.into_iter().chain(since).collect())
}

/// What an Org says about groups, and how often it was changed.
#[derive(Debug, Clone, Default)]
pub struct StoredRules {
    /// Its own keywords and colours.
    pub rules: GroupRules,
    /// One more with every save.
    pub revision: i64,
}

impl FromRow for StoredRules {
    const COLUMNS: &'static str = "keywords, colours, revision";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            rules: GroupRules {
                keywords: row.parse(0, |text| serde_json::from_str(text))?,
                colours: row.parse(1, |text| serde_json::from_str(text))?,
            },
            revision: row.int(2)?,
        })
    }
}

/// The usual ones where an Org says nothing.
pub async fn get_rules(db: &Db, scope: OrgScope) -> Result<StoredRules, DbError> {
    Ok(db.find(&RULES, params![scope.num()]).await?.unwrap_or_default())
}

/// The same inside a unit of work.
pub async fn get_rules_in(tx: &mut Tx<'_>, scope: OrgScope) -> Result<StoredRules, DbError> {
    Ok(tx.find(&RULES, params![scope.num()]).await?.unwrap_or_default())
}

/// Replaces what an Org says about groups. Under the Org's lock.
pub async fn set_rules(tx: &mut Tx<'_>, scope: OrgScope, rules: &GroupRules) -> Result<(), DbError> {
    let text =
        |value: Result<String, serde_json::Error>| value.map_err(|error| DbError::Bug(error.to_string()));
    let keywords = text(serde_json::to_string(&rules.keywords))?;
    let colours = text(serde_json::to_string(&rules.colours))?;
    tx.execute_one(&SET_RULES, params![scope.num(), &keywords, &colours])
        .await
}

/// Removes up to 500 points from before a moment.
pub async fn purge(tx: &mut Tx<'_>, before_ms: i64) -> Result<u64, DbError> {
    tx.execute(&PURGE, params![before_ms]).await
}
