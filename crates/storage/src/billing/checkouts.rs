//! Purchases that somebody began.

use domain::id::{AccountId, CheckoutId};

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{GuildNum, OrgScope};

statements! {
    OPEN: Checkout = "
        SELECT {columns}
        FROM checkouts
        WHERE org_num = $1 AND COALESCE(guild_num, 0) = $2 AND ended_at IS NULL";
    ALL_OPEN: OpenCheckout = "
        SELECT {columns}
        FROM checkouts
        WHERE org_num = $1 AND ended_at IS NULL
        ORDER BY id";
    LEFT_OVER: Checkout = "
        SELECT {columns}
        FROM checkouts
        WHERE org_num = $1 AND ended_at IS NULL AND (
            EXISTS (SELECT 1 FROM orgs o WHERE o.num = checkouts.org_num AND o.removed_at IS NOT NULL)
            OR EXISTS (SELECT 1 FROM guilds g WHERE g.num = checkouts.guild_num AND g.removed_at IS NOT NULL)
        )
        ORDER BY id";
    ANY_OPEN = "
        SELECT CAST(1 AS BIGINT)
        FROM checkouts
        WHERE org_num = $1 AND ended_at IS NULL
        LIMIT 1";
    INSERT = "
        INSERT INTO checkouts (id, org_num, guild_num, offer, account_id, created_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    OPENED = "
        UPDATE checkouts
        SET session_id = $3, url = $4
        WHERE id = $1 AND org_num = $2 AND ended_at IS NULL";
    END = "
        UPDATE checkouts
        SET ended_at = $3
        WHERE id = $1 AND org_num = $2 AND ended_at IS NULL";
    /// Without its page: that is kept only where somebody paid on it, or may have.
    CLOSE = "
        UPDATE checkouts
        SET ended_at = $3, session_id = NULL, url = NULL
        WHERE id = $1 AND org_num = $2 AND ended_at IS NULL";
    /// Pages that were paid on, as far as we heard, and whose subscription is not known because Stripe was not asked since
    /// then.
    UNSETTLED = "
        SELECT CAST(1 AS BIGINT)
        FROM checkouts c
        JOIN payers p ON p.org_num = c.org_num
        WHERE c.org_num = $1 AND (CAST($2 AS BIGINT) = 0 OR c.guild_num = $2) AND p.wanted <> p.read_wanted
          AND c.session_id IS NOT NULL AND c.ended_at < c.expires_at AND c.ended_at >= COALESCE(p.read_at, 0)
          AND NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.org_num = c.org_num AND s.checkout_id = c.id)
        LIMIT 1";
    END_OLD = "
        UPDATE checkouts
        SET ended_at = $1
        WHERE expires_at <= $1 AND ended_at IS NULL";
    FORGET = "
        DELETE FROM checkouts
        WHERE expires_at < $1 AND ended_at IS NOT NULL";
}

/// A purchase that can still be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkout {
    /// Ours: Stripe makes one page for it.
    pub id: CheckoutId,
    /// What is bought, by its name.
    pub offer: String,
    /// The page, once Stripe made it.
    pub session_id: Option<String>,
    /// Where it is.
    pub url: Option<String>,
    /// Until when it can be used.
    pub expires_at_ms: i64,
}

impl FromRow for Checkout {
    const COLUMNS: &'static str = "id, offer, session_id, url, expires_at";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            id: row.parse(0, CheckoutId::parse)?,
            offer: row.text(1)?,
            session_id: row.opt_text(2)?,
            url: row.opt_text(3)?,
            expires_at_ms: row.int(4)?,
        })
    }
}

/// One of several that are open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCheckout {
    /// Ours.
    pub id: CheckoutId,
    /// For a bot: which Guild it is for.
    pub guild: Option<GuildNum>,
    /// The page, once Stripe made it.
    pub session_id: Option<String>,
}

impl FromRow for OpenCheckout {
    const COLUMNS: &'static str = "id, guild_num, session_id";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            id: row.parse(0, CheckoutId::parse)?,
            guild: row.opt_int(1)?.map(GuildNum),
            session_id: row.opt_text(2)?,
        })
    }
}

/// What a new purchase starts with.
pub struct NewCheckout<'a> {
    /// Made by the caller.
    pub id: &'a CheckoutId,
    /// For a bot: which Guild it is for.
    pub guild: Option<GuildNum>,
    /// What is bought, by its name.
    pub offer: &'a str,
    /// Who began it.
    pub account: &'a AccountId,
    /// When it was made.
    pub now_ms: i64,
    /// Until when it can be used.
    pub expires_at_ms: i64,
}

/// The open purchase of an Org's plan, or of the bot for a Guild. Under the Org's lock.
pub async fn find_open(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: Option<GuildNum>,
) -> Result<Option<Checkout>, DbError> {
    let guild = guild.map_or(0, |guild| guild.0);
    tx.find(&OPEN, params![scope.num(), guild]).await
}

/// All that are open in an Org, with the Guild that each is for.
pub async fn list_open(db: &Db, scope: OrgScope) -> Result<Vec<OpenCheckout>, DbError> {
    db.list(&ALL_OPEN, params![scope.num()]).await
}

/// Those that are open for a Guild or an Org that was removed.
pub async fn list_left_over(db: &Db, scope: OrgScope) -> Result<Vec<Checkout>, DbError> {
    db.list(&LEFT_OVER, params![scope.num()]).await
}

/// Whether somebody could still pay for something. Under the Org's lock.
pub async fn is_any_open(tx: &mut Tx<'_>, scope: OrgScope) -> Result<bool, DbError> {
    let found: Option<i64> = tx.find(&ANY_OPEN, params![scope.num()]).await?;
    Ok(found.is_some())
}

/// Under the Org's lock, where none is open.
pub async fn insert(tx: &mut Tx<'_>, scope: OrgScope, new: &NewCheckout<'_>) -> Result<(), DbError> {
    let values = params![
        new.id.as_str(),
        scope.num(),
        new.guild,
        new.offer,
        new.account.as_str(),
        new.now_ms,
        new.expires_at_ms
    ];
    tx.execute_one(&INSERT, values).await
}

/// Writes down the page that Stripe made; false when nobody is to pay there any more.
pub async fn note_page(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    id: &CheckoutId,
    session: &str,
    url: &str,
) -> Result<bool, DbError> {
    let noted = tx
        .execute(&OPENED, params![id.as_str(), scope.num(), session, url])
        .await?;
    Ok(noted == 1)
}

/// Nobody paid on its page, and nobody can any more.
pub async fn close(tx: &mut Tx<'_>, scope: OrgScope, id: &str, now_ms: i64) -> Result<bool, DbError> {
    Ok(tx.execute(&CLOSE, params![id, scope.num(), now_ms]).await? == 1)
}

/// Whether somebody paid for something, in all the Org or for a Guild, that is not known to be had yet. Under the Org's lock.
pub async fn is_any_unsettled(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: Option<GuildNum>,
) -> Result<bool, DbError> {
    let guild = guild.map_or(0, |guild| guild.0);
    let found: Option<i64> = tx.find(&UNSETTLED, params![scope.num(), guild]).await?;
    Ok(found.is_some())
}

/// It was paid, or its time is over.
pub async fn end(tx: &mut Tx<'_>, scope: OrgScope, id: &str, now_ms: i64) -> Result<bool, DbError> {
    Ok(tx.execute(&END, params![id, scope.num(), now_ms]).await? == 1)
}

/// Ends those whose time is over, and forgets those of long ago.
pub async fn keep(tx: &mut Tx<'_>, now_ms: i64, forget_before_ms: i64) -> Result<(), DbError> {
    tx.execute(&END_OLD, params![now_ms]).await?;
    tx.execute(&FORGET, params![forget_before_ms]).await.map(drop)
}
