//! Events of Stripe that were taken in.

use crate::db::statement::statements;
use crate::db::{DbError, Tx};
use crate::params;
use crate::scope::OrgScope;

statements! {
    TAKE = "
        INSERT INTO stripe_events (id, org_num, received_at)
        VALUES ($1, $2, $3)
        ON CONFLICT (id) DO NOTHING";
    FORGET = "
        DELETE FROM stripe_events
        WHERE id IN (
            SELECT id
            FROM stripe_events
            WHERE received_at < $1
            ORDER BY received_at
            LIMIT 500
        )";
}

/// Notes an event; false when it was taken in before. Under the Org's lock.
pub async fn take(tx: &mut Tx<'_>, scope: OrgScope, id: &str, now_ms: i64) -> Result<bool, DbError> {
    Ok(tx.execute(&TAKE, params![id, scope.num(), now_ms]).await? == 1)
}

/// Forgets up to 500 that Stripe does not send again; how many it were.
pub async fn forget(tx: &mut Tx<'_>, before_ms: i64) -> Result<u64, DbError> {
    tx.execute(&FORGET, params![before_ms]).await
}
