//! The customer that an Org is with Stripe, and when Stripe was asked about it.

use domain::id::{OrgId, PayerId};

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::OrgScope;

statements! {
    GET: Payer = "
        SELECT {columns}
        FROM payers
        WHERE org_num = $1";
    INSERT = "
        INSERT INTO payers (org_num, id, created_at)
        VALUES ($1, $2, $3)
        ON CONFLICT (org_num) DO NOTHING";
    BIND = "
        UPDATE payers
        SET customer_id = $3
        WHERE org_num = $1 AND id = $2 AND customer_id IS NULL";
    /// Not while anything of that customer's could still be paid for: what Stripe says of it would find no Org.
    RENEW = "
        UPDATE payers
        SET id = $2, customer_id = NULL
        WHERE org_num = $1 AND customer_id = $3 AND NOT EXISTS (
            SELECT 1
            FROM subscriptions s
            WHERE s.org_num = payers.org_num AND s.status NOT IN ('canceled', 'incomplete_expired')
        )";
    RENAME = "
        UPDATE payers
        SET id = $2
        WHERE org_num = $1 AND id = $3 AND customer_id IS NULL";
    ORG_OF = "
        SELECT org_num
        FROM payers
        WHERE customer_id = $1";
    WANT = "
        UPDATE payers
        SET wanted = wanted + 1
        WHERE org_num = $1 AND customer_id IS NOT NULL";
    ASK = "
        UPDATE payers
        SET asked_at = $2
        WHERE org_num = $1";
    NOTE_READ = "
        UPDATE payers
        SET read_at = $2, read_wanted = wanted
        WHERE org_num = $1";
    /// Somebody may have paid on a page until it ended, so it counts until Stripe was asked after that.
    LONG_UNREAD: UnreadOrg = "
        SELECT {columns}
        FROM payers p
        JOIN orgs o ON o.num = p.org_num
        WHERE p.customer_id IS NOT NULL AND p.asked_at < $1 AND (
            p.asked_at < $2
            OR EXISTS (
                SELECT 1
                FROM subscriptions s
                WHERE s.org_num = p.org_num AND s.status NOT IN ('canceled', 'incomplete_expired')
            )
            OR EXISTS (
                SELECT 1
                FROM checkouts c
                WHERE c.org_num = p.org_num AND (c.ended_at IS NULL OR c.ended_at >= p.asked_at)
            )
            OR p.wanted <> p.read_wanted
        )
        ORDER BY p.asked_at, p.org_num
        LIMIT $3";
}

/// What is known of an Org's customer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payer {
    /// Ours: what is asked of Stripe for it is asked once.
    pub id: PayerId,
    /// Stripe's, once it told us.
    pub customer_id: Option<String>,
    /// One more with everything after which Stripe is to be asked anew.
    pub wanted: i64,
    /// Where that stood when the last answer was written down.
    pub read_wanted: i64,
    /// When Stripe was last asked; 0 before the first time.
    pub asked_at_ms: i64,
    /// When it last answered.
    pub read_at_ms: Option<i64>,
}

impl FromRow for Payer {
    const COLUMNS: &'static str = "id, customer_id, wanted, asked_at, read_at, read_wanted";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            id: row.parse(0, PayerId::parse)?,
            customer_id: row.opt_text(1)?,
            wanted: row.int(2)?,
            asked_at_ms: row.int(3)?,
            read_at_ms: row.opt_int(4)?,
            read_wanted: row.int(5)?,
        })
    }
}

/// An Org whose customer was not asked about for long.
#[derive(Debug, Clone)]
pub struct UnreadOrg {
    /// It may be removed: whoever pays for it has to be seen all the same.
    pub scope: OrgScope,
    /// For its job.
    pub id: OrgId,
}

impl FromRow for UnreadOrg {
    const COLUMNS: &'static str = "o.num, o.id";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            scope: OrgScope::new(row.int(0)?),
            id: row.parse(1, OrgId::parse)?,
        })
    }
}

/// Nothing where nobody ever began to buy.
pub async fn find(db: &Db, scope: OrgScope) -> Result<Option<Payer>, DbError> {
    db.find(&GET, params![scope.num()]).await
}

/// The same in a unit.
pub async fn find_in(tx: &mut Tx<'_>, scope: OrgScope) -> Result<Option<Payer>, DbError> {
    tx.find(&GET, params![scope.num()]).await
}

/// What is there stays. Under the Org's lock.
pub async fn ensure(tx: &mut Tx<'_>, scope: OrgScope, id: &PayerId, now_ms: i64) -> Result<Payer, DbError> {
    tx.execute(&INSERT, params![scope.num(), id.as_str(), now_ms])
        .await?;
    tx.get(&GET, params![scope.num()]).await
}

/// Writes down which customer it is. The first one stays: two who asked at once were told the same.
pub async fn bind(tx: &mut Tx<'_>, scope: OrgScope, id: &PayerId, customer: &str) -> Result<(), DbError> {
    tx.execute(&BIND, params![scope.num(), id.as_str(), customer])
        .await
        .map(drop)
}

/// Another id for a customer that Stripe did not make: under the old one it would answer the same again.
pub async fn rename(tx: &mut Tx<'_>, scope: OrgScope, new: &PayerId, old: &PayerId) -> Result<(), DbError> {
    tx.execute(&RENAME, params![scope.num(), new.as_str(), old.as_str()])
        .await
        .map(drop)
}

/// Forgets a customer that Stripe does not know any more, so that another one can be made. False where it has a
/// subscription that is not over, or was forgotten before. Under the Org's lock.
pub async fn renew(tx: &mut Tx<'_>, scope: OrgScope, new: &PayerId, gone: &str) -> Result<bool, DbError> {
    let values = params![scope.num(), new.as_str(), gone];
    Ok(tx.execute(&RENEW, values).await? == 1)
}

/// The Org that a customer pays for. This and nothing else says whose an event is.
pub async fn find_org(db: &Db, customer: &str) -> Result<Option<OrgScope>, DbError> {
    let found: Option<i64> = db.find(&ORG_OF, params![customer]).await?;
    Ok(found.map(OrgScope::new))
}

/// Stripe is to be asked, whatever an answer says that is on its way now; not about nobody. Under the Org's lock.
pub async fn want(tx: &mut Tx<'_>, scope: OrgScope) -> Result<(), DbError> {
    tx.execute(&WANT, params![scope.num()]).await.map(drop)
}

/// Notes that Stripe is asked now. Under the Org's lock.
pub async fn note_asked(tx: &mut Tx<'_>, scope: OrgScope, now_ms: i64) -> Result<(), DbError> {
    tx.execute_one(&ASK, params![scope.num(), now_ms]).await
}

/// Notes that the answer was written down. Under the Org's lock.
pub async fn note_read(tx: &mut Tx<'_>, scope: OrgScope, now_ms: i64) -> Result<(), DbError> {
    tx.execute_one(&NOTE_READ, params![scope.num(), now_ms]).await
}

/// Orgs, removed ones too, that Stripe was not asked about since then. Those that pay for nothing, and of whom nothing new
/// was heard, have a longer time.
pub async fn list_unread(
    db: &Db,
    before_ms: i64,
    idle_before_ms: i64,
    limit: i64,
) -> Result<Vec<UnreadOrg>, DbError> {
    db.list_heavy(&LONG_UNREAD, params![before_ms, idle_before_ms, limit])
        .await
}
