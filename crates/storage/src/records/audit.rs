//! The audit log: one chain per Org and chain 0 for operators.

use domain::audit::{Actor, AuditAction, ChainInput, chain_hash};
use domain::id::GuildId;
use serde_json::Value;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{NoOrg, OperatorScope, OrgScope, Whose};

/// The operators' chain.
pub(super) const OPERATORS: i64 = 0;

statements! {
    NOTED = "
        SELECT seq
        FROM audit
        WHERE chain = $1 AND target = $2 AND action = $3 AND actor_id = $4 AND at > $5
        LIMIT 1";
    LOCK_HEAD: Head = "
        SELECT {columns}
        FROM audit_heads
        WHERE chain = $1
        FOR UPDATE";
    INSERT = "
        INSERT INTO audit (chain, seq, at, actor_kind, actor_id, action, target, detail, hash)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    ORG_ID = "
        SELECT id
        FROM orgs
        WHERE num = $1";
    MOVE_HEAD = "
        UPDATE audit_heads
        SET seq = $2, hash = $3
        WHERE chain = $1 AND seq = $4";
    HEAD: ChainHead = "
        SELECT {columns}
        FROM audit_heads
        WHERE chain = $1";
    HEADS: ChainHead = "
        SELECT {columns}
        FROM audit_heads
        WHERE chain > $1
        ORDER BY chain
        LIMIT 500";
    AFTER: AuditRow = "
        SELECT {columns}
        FROM audit a
        WHERE a.chain = $1 AND a.seq > $2
        ORDER BY a.seq
        LIMIT 1000";
    /// Links made and ended among the last thousand entries of an Org.
    RECENT_LINKS: RecentLink = "
        SELECT {columns}
        FROM audit a
        JOIN links l ON l.id = a.target
        JOIN guilds g ON g.num = l.guild_num
        WHERE a.chain = $1 AND a.seq > (SELECT h.seq - 1000 FROM audit_heads h WHERE h.chain = $1)
          AND a.action IN ('link.created', 'link.relinked', 'link.removed')
          AND substr(l.discord_id, 1, 2) <> 'x:' AND substr(l.steam_id, 1, 2) <> 'x:'
        ORDER BY a.seq DESC
        LIMIT $2";
    NEWEST: AuditRow = "
        SELECT {columns}
        FROM audit a
        WHERE a.chain = $1
        ORDER BY a.seq DESC
        LIMIT $2";
}

/// Something that somebody does: who, when, and in which Org, whose chain it is noted in; that of the operators for what
/// is no Org's. Nothing else writes an entry.
#[derive(Debug, Clone)]
pub struct Act<S = OrgScope> {
    /// In whose chain it is noted, and whose share of the write queue it uses.
    pub scope: S,
    actor: Actor,
    /// Made once, for the entry and for all that the unit writes.
    pub now_ms: i64,
}

impl<S: Whose> Act<S> {
    /// Who does it.
    pub const fn actor(&self) -> &Actor {
        &self.actor
    }

    /// The time is the caller's: what is noted late keeps the time at which it was done.
    pub fn new(scope: S, actor: Actor, now_ms: i64) -> Self {
        Self { scope, actor, now_ms }
    }

    /// Writes an entry, in the transaction of what it tells about. An Org's lock comes before that of its chain.
    /// `target` is one of our own ids. `detail` is without secrets and without an id or a name of a person; what was
    /// set, such as a name of a Guild or the id of a role, may stand in it. What an operator does on a visit is marked, and
    /// stands in the operators' own log too.
    pub async fn note(
        &self,
        tx: &mut Tx<'_>,
        action: AuditAction,
        target: Option<&str>,
        detail: &Value,
    ) -> Result<(), DbError> {
        let org = self.scope.org().map(OrgScope::num);
        let (Some(org), Actor::Visitor(_)) = (org, &self.actor) else {
            return self
                .append(tx, org.unwrap_or(OPERATORS), action, target, detail)
                .await;
        };
        let seen = with(detail, "visit", Value::Bool(true));
        self.append(tx, org, action, target, &seen).await?;
        let id: String = tx.get(&ORG_ID, params![org]).await?;
        let named = with(&seen, "org", Value::String(id));
        self.append(tx, OPERATORS, action, target, &named).await
    }

    async fn append(
        &self,
        tx: &mut Tx<'_>,
        chain: i64,
        action: AuditAction,
        target: Option<&str>,
        detail: &Value,
    ) -> Result<(), DbError> {
        let head: Head = tx.get(&LOCK_HEAD, params![chain]).await?;
        let (seq, detail) = (head.seq + 1, detail.to_string());
        let input = ChainInput {
            chain,
            seq,
            at_ms: self.now_ms,
            actor_kind: self.actor.kind(),
            actor_id: self.actor.id(),
            action: action.as_str(),
            target,
            detail: &detail,
        };
        let hash = chain_hash(&head.hash, &input);
        let (kind, who, what) = (input.actor_kind, input.actor_id, input.action);
        let values = params![chain, seq, input.at_ms, kind, who, what, target, &detail, &hash];
        tx.execute_one(&INSERT, values).await?;
        tx.execute_one(&MOVE_HEAD, params![chain, seq, &hash, head.seq])
            .await
    }
}

/// Whoever comes after waits for what this unit does as an operator, and sees it.
pub async fn lock_operators(tx: &mut Tx<'_>) -> Result<(), DbError> {
    tx.get::<Head>(&LOCK_HEAD, params![OPERATORS]).await.map(drop)
}

/// A detail with one more field.
fn with(detail: &Value, name: &str, value: Value) -> Value {
    let mut fields = detail.as_object().cloned().unwrap_or_default();
    fields.insert(name.to_owned(), value);
    Value::Object(fields)
}

/// Whether who does this did the same to the same target since then.
pub async fn was_noted(
    tx: &mut Tx<'_>,
    act: &Act,
    action: AuditAction,
    target: &str,
    since_ms: i64,
) -> Result<bool, DbError> {
    let values = params![act.scope.num(), target, action.as_str(), act.actor.id(), since_ms];
    Ok(tx.find::<i64>(&NOTED, values).await?.is_some())
}

impl Act {
    /// The same in the operators' own log, beside that of the Org: first the Org's entry, then this one.
    pub fn for_operators(&self) -> Act<NoOrg> {
        Act::new(NoOrg, self.actor.clone(), self.now_ms)
    }
}

impl Act<NoOrg> {
    /// The same in an Org that was made or found meanwhile.
    pub fn within(&self, scope: OrgScope) -> Act {
        Act::new(scope, self.actor.clone(), self.now_ms)
    }
}

impl<S: Whose> Whose for Act<S> {
    fn org(&self) -> Option<OrgScope> {
        self.scope.org()
    }
}

struct Head {
    seq: i64,
    hash: String,
}

impl FromRow for Head {
    const COLUMNS: &'static str = "seq, hash";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            seq: row.int(0)?,
            hash: row.text(1)?,
        })
    }
}

/// A stored entry.
#[derive(Debug, Clone)]
pub struct AuditRow {
    /// From 1 without gaps in each chain.
    pub seq: i64,
    /// By the clock of the node that did it; not ordered.
    pub at_ms: i64,
    /// What sort of actor, as stored: entries outlive names in the code.
    pub actor_kind: String,
    /// Of an account or a key; none for operators, players and the system.
    pub actor_id: Option<String>,
    /// A name of `AuditAction`, or of one that there is no more.
    pub action: String,
    /// One of our own ids.
    pub target: Option<String>,
    /// A JSON object.
    pub detail: String,
    /// Over the entry and the hash before it.
    pub hash: String,
}

impl FromRow for AuditRow {
    const COLUMNS: &'static str =
        "a.seq, a.at, a.actor_kind, a.actor_id, a.action, a.target, a.detail, a.hash";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            seq: row.int(0)?,
            at_ms: row.int(1)?,
            actor_kind: row.text(2)?,
            actor_id: row.opt_text(3)?,
            action: row.text(4)?,
            target: row.opt_text(5)?,
            detail: row.text(6)?,
            hash: row.text(7)?,
        })
    }
}

/// The newest entries of an Org.
pub async fn list_newest(db: &Db, scope: OrgScope, limit: i64) -> Result<Vec<AuditRow>, DbError> {
    db.list_heavy(&NEWEST, params![scope.num(), limit]).await
}

/// The newest entries of the operators' chain.
pub async fn list_newest_for_operators(db: &Db, limit: i64) -> Result<Vec<AuditRow>, DbError> {
    db.list_heavy(&NEWEST, params![OPERATORS, limit]).await
}

/// A link that was made or ended not long ago. Ids are plain text: an erased person's are digests.
#[derive(Debug, Clone)]
pub struct RecentLink {
    /// When it was made or ended.
    pub at_ms: i64,
    /// False for an end, whatever caused it.
    pub linked: bool,
    /// Why it ended; none for one that was made.
    pub cause: Option<String>,
    /// Where.
    pub guild_id: GuildId,
    /// Whose.
    pub discord_id: String,
    /// As of the last verification.
    pub discord_name: Option<String>,
    /// Whose.
    pub steam_id: String,
    /// As told last.
    pub steam_name: Option<String>,
    /// Two letters, where it is known.
    pub country: Option<String>,
}

impl FromRow for RecentLink {
    const COLUMNS: &'static str = "\
        a.at, a.action, l.end_cause, g.id, l.discord_id, l.discord_name, l.steam_id, l.steam_name, \
        l.country";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let linked = row.str(1)? == AuditAction::LinkCreated.as_str();
        Ok(Self {
            at_ms: row.int(0)?,
            linked,
            cause: row.opt_text(2)?.filter(|_| !linked),
            guild_id: row.parse(3, GuildId::parse)?,
            discord_id: row.text(4)?,
            discord_name: row.opt_text(5)?,
            steam_id: row.text(6)?,
            steam_name: row.opt_text(7)?,
            country: row.opt_text(8)?,
        })
    }
}

/// Links made and ended among the last thousand entries, newest first.
pub async fn list_recent_links(db: &Db, scope: OrgScope, limit: i64) -> Result<Vec<RecentLink>, DbError> {
    db.list_heavy(&RECENT_LINKS, params![scope.num(), limit]).await
}

struct ChainHead {
    chain: i64,
    seq: i64,
    hash: String,
}

impl FromRow for ChainHead {
    const COLUMNS: &'static str = "chain, seq, hash";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            chain: row.int(0)?,
            seq: row.int(1)?,
            hash: row.text(2)?,
        })
    }
}

/// Recomputes every chain and returns what does not fit, in words.
pub async fn verify_chains(db: &Db) -> Result<Vec<String>, DbError> {
    let mut findings = Vec::new();
    let mut after = -1;
    loop {
        let heads: Vec<ChainHead> = db.list_heavy(&HEADS, params![after]).await?;
        let Some(last) = heads.last() else {
            return Ok(findings);
        };
        after = last.chain;
        for head in heads {
            if let Some(finding) = verify_chain(db, &head).await? {
                findings.push(finding);
            }
        }
    }
}

/// What came of checking one chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// How many entries it has.
    pub entries: i64,
    /// What does not fit, in words; none when all is well.
    pub finding: Option<String>,
}

/// Recomputes the chain of an Org, or that of the operators.
pub async fn verify(db: &Db, _: OperatorScope, org: Option<OrgScope>) -> Result<Verified, DbError> {
    let chain = org.map_or(OPERATORS, OrgScope::num);
    let head: Option<ChainHead> = db.find(&HEAD, params![chain]).await?;
    let Some(head) = head else {
        let finding = Some(format!("audit chain {chain} has no recorded head"));
        return Ok(Verified { entries: 0, finding });
    };
    Ok(Verified {
        entries: head.seq,
        finding: verify_chain(db, &head).await?,
    })
}

/// Walks one chain up to the head that was read first; entries appended meanwhile are beyond it.
async fn verify_chain(db: &Db, head: &ChainHead) -> Result<Option<String>, DbError> {
    let (mut seq, mut hash) = (0, String::new());
    while seq < head.seq {
        let rows: Vec<AuditRow> = db.list_heavy(&AFTER, params![head.chain, seq]).await?;
        if rows.is_empty() {
            return Ok(Some(format!(
                "audit chain {} ends at {seq} instead of {}",
                head.chain, head.seq
            )));
        }
        for row in rows.iter().take_while(|row| row.seq <= head.seq) {
            let input = ChainInput {
                chain: head.chain,
                seq: row.seq,
                at_ms: row.at_ms,
                actor_kind: &row.actor_kind,
                actor_id: row.actor_id.as_deref(),
                action: &row.action,
                target: row.target.as_deref(),
                detail: &row.detail,
            };
            if row.seq != seq + 1 || chain_hash(&hash, &input) != row.hash {
                return Ok(Some(format!(
                    "audit chain {} is broken at entry {}",
                    head.chain, row.seq
                )));
            }
            seq = row.seq;
            hash.clone_from(&row.hash);
        }
        if rows.last().is_some_and(|row| row.seq > head.seq) {
            break;
        }
    }
    Ok((hash != head.hash).then(|| format!("audit chain {} does not end in its recorded head", head.chain)))
}
