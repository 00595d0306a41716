//! What is remembered of members between two looks.

use std::collections::BTreeSet;

use domain::platform_id::DiscordId;
use domain::roles::Kept;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{GuildNum, OrgScope};

statements! {
    FIND: RoleMember = "
        SELECT {columns}
        FROM role_members
        WHERE guild_num = $1 AND discord_id = $2";
    SAVE = "
        INSERT INTO role_members (guild_num, org_num, discord_id, given, owed, base, roles, looked_at, problem, problem_role,
            nick_set, nick_before, nick_problem)
        VALUES ($2, $1, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
        ON CONFLICT (guild_num, discord_id) DO UPDATE SET
            given = excluded.given, owed = excluded.owed, base = excluded.base, roles = excluded.roles,
            looked_at = excluded.looked_at, problem = excluded.problem, problem_role = excluded.problem_role,
            nick_set = excluded.nick_set, nick_before = excluded.nick_before, nick_problem = excluded.nick_problem";
    DELETE = "
        DELETE FROM role_members
        WHERE guild_num = $2 AND org_num = $1 AND discord_id = $3";
    PROBLEMS: Problem = "
        SELECT {columns}
        FROM role_members
        WHERE guild_num = $2 AND org_num = $1 AND problem IS NOT NULL
        GROUP BY problem_role, problem
        ORDER BY 3 DESC, problem_role
        LIMIT 20";
    FORGET = "
        DELETE FROM role_members
        WHERE guild_num = $2 AND org_num = $1
          AND discord_id IN (SELECT discord_id FROM role_members WHERE guild_num = $2 ORDER BY discord_id LIMIT $3)";
    KNOWN: Known = "
        SELECT {columns}
        FROM links l
        LEFT JOIN role_members r ON r.guild_num = l.guild_num AND r.discord_id = l.discord_id
        WHERE l.guild_num = $1 AND l.ended_at IS NULL AND l.discord_id > $2
        ORDER BY l.discord_id
        LIMIT $3";
}

/// What is remembered of a member.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoleMember {
    /// For the next look.
    pub kept: Kept,
    /// The roles they had at the last look; none before the first one.
    pub roles: Option<BTreeSet<DiscordId>>,
    /// When that was.
    pub looked_at_ms: Option<i64>,
    /// Why a role could not be given or taken, and which.
    pub problem: Option<(String, DiscordId)>,
    /// The nickname that we set.
    pub nick_set: Option<String>,
    /// The one that was there before.
    pub nick_before: Option<String>,
    /// Why it cannot be set.
    pub nick_problem: Option<String>,
}

impl RoleMember {
    const LIST: &'static str =
        "given, owed, base, roles, looked_at, problem, problem_role, nick_set, nick_before, nick_problem";

    fn at(row: &Row<'_>, first: usize) -> Result<Self, DbError> {
        let problem = match (row.opt_text(first + 5)?, row.opt_text(first + 6)?) {
            (Some(problem), Some(_)) => Some((problem, row.parse(first + 6, DiscordId::parse)?)),
            (_, _) => None,
        };
        Ok(Self {
            kept: Kept {
                given: row.parse(first, |text| serde_json::from_str(text))?,
                owed: row.parse(first + 1, |text| serde_json::from_str(text))?,
                base: row.parse(first + 2, |text| serde_json::from_str(text))?,
            },
            roles: match row.opt_text(first + 3)? {
                Some(_) => Some(row.parse(first + 3, |text| serde_json::from_str(text))?),
                None => None,
            },
            looked_at_ms: row.opt_int(first + 4)?,
            problem,
            nick_set: row.opt_text(first + 7)?,
            nick_before: row.opt_text(first + 8)?,
            nick_problem: row.opt_text(first + 9)?,
        })
    }

    /// Nothing has to be remembered.
    pub fn is_empty(&self) -> bool {
        self.kept.given.is_empty() && self.kept.owed.is_empty() && self.nick_set.is_none()
    }
}

impl FromRow for RoleMember {
    const COLUMNS: &'static str = Self::LIST;

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Self::at(row, 0)
    }
}

/// What is remembered of somebody.
pub async fn find(db: &Db, guild: GuildNum, member: &DiscordId) -> Result<Option<RoleMember>, DbError> {
    db.find(&FIND, params![guild, member.as_str()]).await
}

/// The same inside a unit of work.
pub async fn find_in(
    tx: &mut Tx<'_>,
    guild: GuildNum,
    member: &DiscordId,
) -> Result<Option<RoleMember>, DbError> {
    tx.find(&FIND, params![guild, member.as_str()]).await
}

/// Replaces what is remembered of somebody. Under the Org's lock.
pub async fn save(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    member: &DiscordId,
    row: &RoleMember,
) -> Result<(), DbError> {
    let text = |value: Result<String, serde_json::Error>| {
        value.map_err(|error| DbError::Bug(format!("a list of roles: {error}")))
    };
    let (given, owed) = (
        text(serde_json::to_string(&row.kept.given))?,
        text(serde_json::to_string(&row.kept.owed))?,
    );
    let base = text(serde_json::to_string(&row.kept.base))?;
    let roles = row
        .roles
        .as_ref()
        .map(|roles| text(serde_json::to_string(roles)))
        .transpose()?;
    let values = params![
        scope.num(),
        guild,
        member.as_str(),
        &given,
        &owed,
        &base,
        roles.as_deref(),
        row.looked_at_ms,
        row.problem.as_ref().map(|(problem, _)| problem.as_str()),
        row.problem.as_ref().map(|(_, role)| role.as_str()),
        row.nick_set.as_deref(),
        row.nick_before.as_deref(),
        row.nick_problem.as_deref(),
    ];
    tx.execute_one(&SAVE, values).await
}

/// Forgets somebody. Under the Org's lock.
pub async fn remove(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    member: &DiscordId,
) -> Result<(), DbError> {
    tx.execute(&DELETE, params![scope.num(), guild, member.as_str()])
        .await
        .map(drop)
}

/// A role that could not be given to or taken from some people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Which.
    pub role: DiscordId,
    /// Why.
    pub reason: String,
    /// How many people.
    pub members: i64,
}

impl FromRow for Problem {
    const COLUMNS: &'static str = "problem_role, problem, CAST(COUNT(*) AS BIGINT)";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            role: row.parse(0, DiscordId::parse)?,
            reason: row.text(1)?,
            members: row.int(2)?,
        })
    }
}

/// What could not be done in a Guild, by role.
pub async fn list_problems(db: &Db, scope: OrgScope, guild: GuildNum) -> Result<Vec<Problem>, DbError> {
    db.list_heavy(&PROBLEMS, params![scope.num(), guild]).await
}

/// Somebody who is linked, and what is remembered of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// Of the link.
    pub discord_id: DiscordId,
    /// Of the link.
    pub steam_id: String,
    /// On Discord, where it is known.
    pub name: Option<String>,
    /// None of somebody who was never looked at.
    pub member: Option<RoleMember>,
}

impl FromRow for Known {
    const COLUMNS: &'static str = "l.discord_id, l.steam_id, l.discord_name, r.given, r.owed, r.base, r.roles, r.looked_at, \
        r.problem, r.problem_role, r.nick_set, r.nick_before, r.nick_problem";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            discord_id: row.parse(0, DiscordId::parse)?,
            steam_id: row.text(1)?,
            name: row.opt_text(2)?,
            member: match row.opt_text(3)? {
                Some(_) => Some(RoleMember::at(row, 3)?),
                None => None,
            },
        })
    }
}

/// Everybody who is linked after this one, in the order of their Discord ids.
pub async fn list_known(db: &Db, guild: GuildNum, after: &str, limit: i64) -> Result<Vec<Known>, DbError> {
    db.list_heavy(&KNOWN, params![guild, after, limit]).await
}

/// Forgets up to `limit` members of a removed Guild.
pub async fn forget_slice(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    limit: i64,
) -> Result<u64, DbError> {
    tx.execute(&FORGET, params![scope.num(), guild, limit]).await
}
