//! Pages of an Org's audit log, newest first, and what it can be filtered by.

use domain::audit::{AuditAction, NamedKind};
use domain::id::ServerId;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row};
use crate::params;
use crate::records::audit::{AuditRow, OPERATORS};
use crate::records::audit_names;
use crate::scope::{OperatorScope, OrgScope};

statements! {
    /// Without filters PostgreSQL knows that there are many, and reads no more of them than it has to.
    BEFORE: AuditRow = "
        SELECT {columns}, p.name
        FROM audit a
        LEFT JOIN accounts p ON p.id = a.actor_id
        WHERE a.chain = $1 AND a.seq < $2
        ORDER BY a.seq DESC
        LIMIT $3";
    /// The filters share one order of parameters; an empty text leaves one out. Each statement has the index of the
    /// filter it is named after. With two targets its entries have to be sorted, which SQLite would avoid at any price:
    /// the plus hides from it that it could.
    BY_TARGET: AuditRow = "
        SELECT {columns}, p.name
        FROM audit a
        LEFT JOIN accounts p ON p.id = a.actor_id
        WHERE a.chain = $1 AND a.seq < $2 AND a.target IN ($7, $8) AND ($6 = '' OR a.actor_id = $6) AND ($5 = '' OR a.action = $5)
          AND a.at >= $3 AND a.at < $4
        ORDER BY +a.seq DESC
        LIMIT $9";
    BY_ACTOR: AuditRow = "
        SELECT {columns}, p.name
        FROM audit a
        LEFT JOIN accounts p ON p.id = a.actor_id
        WHERE a.chain = $1 AND a.seq < $2 AND a.actor_id = $6 AND ($5 = '' OR a.action = $5) AND a.at >= $3 AND a.at < $4
        ORDER BY a.seq DESC
        LIMIT $7";
    BY_ACTION: AuditRow = "
        SELECT {columns}, p.name
        FROM audit a
        LEFT JOIN accounts p ON p.id = a.actor_id
        WHERE a.chain = $1 AND a.seq < $2 AND a.action = $5 AND a.at >= $3 AND a.at < $4
        ORDER BY a.seq DESC
        LIMIT $6";
    /// Times are not in the order of the entries.
    BY_TIME: AuditRow = "
        SELECT {columns}, p.name
        FROM audit a
        LEFT JOIN accounts p ON p.id = a.actor_id
        WHERE a.chain = $1 AND a.seq < $2 AND a.at >= $3 AND a.at < $4
        ORDER BY a.seq DESC
        LIMIT $5";
    CREATION = "
        SELECT detail
        FROM audit
        WHERE chain = $1 AND target = $2 AND action = 'server.created'
        ORDER BY seq DESC
        LIMIT 1";
    /// Who ever did something in an Org, each found by one step in the index, and its team. People come first, then the
    /// newest keys.
    ACTORS = "
        WITH RECURSIVE actors (id) AS (
            SELECT MIN(a.actor_id)
            FROM audit a
            WHERE a.chain = $1 AND a.actor_id IS NOT NULL
            UNION ALL
            SELECT (SELECT MIN(a.actor_id) FROM audit a WHERE a.chain = $1 AND a.actor_id > actors.id)
            FROM actors
            WHERE actors.id IS NOT NULL
        )
        SELECT actors.id
        FROM actors
        WHERE actors.id IS NOT NULL
        UNION
        SELECT p.id
        FROM members m
        JOIN accounts p ON p.num = m.account_num
        WHERE m.org_num = $1
        UNION
        SELECT p.id
        FROM orgs o
        JOIN accounts p ON p.num = o.owner_account_num
        WHERE o.num = $1
        ORDER BY 1 DESC
        LIMIT 1000";
    /// What an Org has that entries are about, and the Guilds it had.
    THINGS = "
        SELECT g.id
        FROM guilds g
        WHERE g.org_num = $1
        UNION
        SELECT s.id
        FROM servers s
        WHERE s.org_num = $1 AND s.removed_at IS NULL
        UNION
        SELECT k.id
        FROM guilds g
        JOIN api_keys k ON k.guild_num = g.num AND k.org_num = g.org_num
        WHERE g.org_num = $1 AND k.kind = 'custom'
        ORDER BY 1
        LIMIT 1000";
}

/// What fits into a list to choose from.
const MOST_CHOICES: usize = 1000;

/// What somebody looks for in the log; what is none is not asked for.
#[derive(Debug, Clone, Default)]
pub struct AuditFilter {
    /// Exactly this one.
    pub action: Option<AuditAction>,
    /// Exactly this account or key.
    pub actor: Option<String>,
    /// Exactly this id; with a Server goes its key.
    pub target: Option<String>,
    /// Not before it.
    pub from_ms: Option<i64>,
    /// Before it.
    pub to_ms: Option<i64>,
    /// Only entries older than this one.
    pub before: Option<i64>,
}

/// An entry with the name of the person behind it, as far as there is one.
#[derive(Debug, Clone)]
pub struct NamedEntry {
    /// As it is in the chain.
    pub row: AuditRow,
    /// Of now, not of then.
    pub actor_name: Option<String>,
}

impl FromRow for NamedEntry {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            actor_name: row.opt_text(8)?,
            row: AuditRow::from_row(row)?,
        })
    }
}

/// Entries of an Org that fit, newest first.
pub async fn list_filtered(
    db: &Db,
    scope: OrgScope,
    filter: &AuditFilter,
    limit: i64,
) -> Result<Vec<NamedEntry>, DbError> {
    list_of_chain(db, scope.num(), filter, limit).await
}

/// Entries of the operators' own log that fit, newest first.
pub async fn list_filtered_for_operators(
    db: &Db,
    _: OperatorScope,
    filter: &AuditFilter,
    limit: i64,
) -> Result<Vec<NamedEntry>, DbError> {
    list_of_chain(db, OPERATORS, filter, limit).await
}

async fn list_of_chain(
    db: &Db,
    chain: i64,
    filter: &AuditFilter,
    limit: i64,
) -> Result<Vec<NamedEntry>, DbError> {
    let before = filter.before.unwrap_or(i64::MAX);
    let from = filter.from_ms.unwrap_or(0);
    let to = filter.to_ms.unwrap_or(i64::MAX);
    let action = filter.action.map_or("", AuditAction::as_str);
    let actor = filter.actor.as_deref().unwrap_or_default();
    match (filter.target.as_deref(), actor, action) {
        (Some(target), ..) => {
            let key = find_key_of(db, chain, target).await?;
            let also = key.as_deref().unwrap_or(target);
            let values = params![chain, before, from, to, action, actor, target, also, limit];
            db.list_heavy(&BY_TARGET, values).await
        }
        (None, "", "") if filter.from_ms.or(filter.to_ms).is_none() => {
            db.list_heavy(&BEFORE, params![chain, before, limit]).await
        }
        (None, "", "") => {
            db.list_heavy(&BY_TIME, params![chain, before, from, to, limit])
                .await
        }
        (None, "", action) => {
            let values = params![chain, before, from, to, action, limit];
            db.list_heavy(&BY_ACTION, values).await
        }
        (None, actor, action) => {
            let values = params![chain, before, from, to, action, actor, limit];
            db.list_heavy(&BY_ACTOR, values).await
        }
    }
}

/// The plugin key of a Server, from the entry about its creation, which is still there when both are gone.
async fn find_key_of(db: &Db, chain: i64, target: &str) -> Result<Option<String>, DbError> {
    if !target.starts_with(ServerId::PREFIX) {
        return Ok(None);
    }
    let detail: Option<String> = db.find(&CREATION, params![chain, target]).await?;
    let detail: Option<serde_json::Value> = detail.and_then(|text| serde_json::from_str(&text).ok());
    Ok(detail.and_then(|detail| Some(detail["key"].as_str()?.to_owned())))
}

/// Ids of the accounts and keys that entries can be looked for by: whoever did something, and the team.
pub async fn list_actors(db: &Db, scope: OrgScope) -> Result<Vec<String>, DbError> {
    db.list_heavy(&ACTORS, params![scope.num()]).await
}

/// Ids of the Guilds, Servers and custom keys that entries can be looked for by: what is there, then what went last.
pub async fn list_things(db: &Db, scope: OrgScope) -> Result<Vec<String>, DbError> {
    let mut things: Vec<String> = db.list_heavy(&THINGS, params![scope.num()]).await?;
    let gone = audit_names::list_gone(db, scope).await?;
    let is_choice = |kind| matches!(kind, NamedKind::Server | NamedKind::CustomKey);
    things.extend(
        gone.into_iter()
            .filter(|one| is_choice(one.kind))
            .map(|one| one.id),
    );
    things.truncate(MOST_CHOICES);
    Ok(things)
}
