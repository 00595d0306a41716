//! People who sign in to the dashboard.

use domain::id::AccountId;
use domain::platform_id::DiscordId;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::AccountNum;

statements! {
    INSERT = "
        INSERT INTO accounts (id, discord_id, name, created_at)
        VALUES ($1, $2, $3, $4)
        ON CONFLICT (discord_id) DO NOTHING";
    BY_DISCORD: Account = "
        SELECT {columns}
        FROM accounts
        WHERE discord_id = $1";
    BY_ID: Account = "
        SELECT {columns}
        FROM accounts
        WHERE id = $1";
    BY_NUM: Account = "
        SELECT {columns}
        FROM accounts
        WHERE num = $1";
    LOCK = "
        SELECT num
        FROM accounts
        WHERE num = $1
        FOR UPDATE";
    OWNED_TIERS = "
        SELECT tier
        FROM orgs
        WHERE owner_account_num = $1 AND removed_at IS NULL";
    OWN_ONE_MORE = "
        UPDATE accounts
        SET orgs_owned = orgs_owned + 1
        WHERE num = $1 AND orgs_owned < $2";
    OWN_ONE_LESS = "
        UPDATE accounts
        SET orgs_owned = orgs_owned - 1
        WHERE num = $1";
    OWNED = "
        SELECT orgs_owned
        FROM accounts
        WHERE num = $1";
    RENAME = "
        UPDATE accounts
        SET name = $2
        WHERE num = $1 AND name <> $2";
    SET_OPERATOR = "
        UPDATE accounts
        SET operator = $2
        WHERE num = $1 AND operator <> $2";
    HAS_SIGNED_IN = "
        SELECT seq
        FROM audit
        WHERE chain = 0 AND actor_id = $1 AND action = 'session.created'
        LIMIT 1";
    NOBODY = "
        INSERT INTO accounts (id, discord_id, name, created_at)
        SELECT 'usr_00000000000000000000000000', 'x:', '', 0
        WHERE EXISTS (SELECT 1 FROM orgs WHERE owner_account_num = $1 AND removed_at IS NOT NULL)
        ON CONFLICT (discord_id) DO NOTHING";
    LEAVE_TO_NOBODY = "
        UPDATE orgs
        SET owner_account_num = (SELECT num FROM accounts WHERE discord_id = 'x:')
        WHERE owner_account_num = $1 AND removed_at IS NOT NULL";
    FORGET_REPEATS = "
        DELETE FROM idempotency_keys
        WHERE account_num = $1";
    DELETE = "
        DELETE FROM accounts
        WHERE num = $1";
    GRANTED_OPERATORS: Account = "
        SELECT {columns}
        FROM accounts
        WHERE operator = 1
        ORDER BY num
        LIMIT 500";
    COUNT_GRANTED_OPERATORS = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM accounts
        WHERE operator = 1";
}

/// A person of the dashboard, found by their Discord account.
#[derive(Debug, Clone)]
pub struct Account {
    /// For joins; `id` is what others are told.
    pub num: AccountNum,
    /// Never changes, and outlives the Discord name.
    pub id: AccountId,
    /// Unique: one person has one account.
    pub discord_id: DiscordId,
    /// As Discord showed it at the last sign-in.
    pub name: String,
    /// Granted with `symbolon admin grant`; the setting `operators` counts besides.
    pub operator: bool,
    /// The digest of their picture.
    pub picture: Option<String>,
}

impl FromRow for Account {
    const COLUMNS: &'static str = "num, id, discord_id, name, operator, \
        (SELECT digest FROM pictures WHERE owner = accounts.id)";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            num: AccountNum(row.int(0)?),
            id: row.parse(1, AccountId::parse)?,
            discord_id: row.parse(2, DiscordId::parse)?,
            name: row.text(3)?,
            operator: row.flag(4)?,
            picture: row.opt_text(5)?,
        })
    }
}

/// The account of a Discord user, made now if this is their first time. An existing one keeps its name.
pub async fn ensure(
    tx: &mut Tx<'_>,
    id: &AccountId,
    discord_id: &DiscordId,
    name: &str,
    now_ms: i64,
) -> Result<Account, DbError> {
    tx.execute(&INSERT, params![id.as_str(), discord_id.as_str(), name, now_ms])
        .await?;
    tx.get(&BY_DISCORD, params![discord_id.as_str()]).await
}

/// Outside a transaction: what is decided by it is looked at again inside.
pub async fn find_by_discord(db: &Db, discord_id: &DiscordId) -> Result<Option<Account>, DbError> {
    db.find(&BY_DISCORD, params![discord_id.as_str()]).await
}

/// The account with this public id.
pub async fn find(db: &Db, id: &AccountId) -> Result<Option<Account>, DbError> {
    db.find(&BY_ID, params![id.as_str()]).await
}

/// The same inside a unit of work.
pub async fn find_in(tx: &mut Tx<'_>, id: &AccountId) -> Result<Option<Account>, DbError> {
    tx.find(&BY_ID, params![id.as_str()]).await
}

/// The account of a row, inside a unit of work.
pub async fn find_num_in(tx: &mut Tx<'_>, num: AccountNum) -> Result<Option<Account>, DbError> {
    tx.find(&BY_NUM, params![num]).await
}

/// Locks accounts until the end of the unit, in their order; after the Org, where one is locked too. One that was deleted
/// meanwhile is gone.
pub async fn lock(tx: &mut Tx<'_>, accounts: &[AccountNum]) -> Result<(), DbError> {
    let mut accounts = accounts.to_vec();
    accounts.sort_unstable();
    for account in accounts {
        let found: Option<i64> = tx.find(&LOCK, params![account]).await?;
        found.ok_or(DbError::Gone)?;
    }
    Ok(())
}

/// The tiers of the Orgs that an account owns. The account is locked, so that two creations take turns.
pub async fn owned_tiers(tx: &mut Tx<'_>, account: AccountNum) -> Result<Vec<String>, DbError> {
    tx.list(&OWNED_TIERS, params![account]).await
}

/// Counts one more owned Org, or answers false at the ceiling.
pub async fn own_one_more(tx: &mut Tx<'_>, account: AccountNum, ceiling: i64) -> Result<bool, DbError> {
    Ok(tx.execute(&OWN_ONE_MORE, params![account, ceiling]).await? == 1)
}

/// Counts an Org out that is removed or gets another owner. Under the Org's lock.
pub async fn own_one_less(tx: &mut Tx<'_>, account: AccountNum) -> Result<(), DbError> {
    tx.execute_one(&OWN_ONE_LESS, params![account]).await
}

/// Orgs that count against the person's ceiling; removed ones do not.
pub async fn count_owned(db: &Db, account: AccountNum) -> Result<i64, DbError> {
    Ok(db.find(&OWNED, params![account]).await?.unwrap_or(0))
}

/// Takes over the name somebody has on Discord now.
pub async fn rename(tx: &mut Tx<'_>, account: AccountNum, name: &str) -> Result<(), DbError> {
    tx.execute(&RENAME, params![account, name]).await.map(drop)
}

/// Grants or takes back; who is one by the setting stays one. False when it was so before.
pub async fn set_operator(tx: &mut Tx<'_>, account: AccountNum, granted: bool) -> Result<bool, DbError> {
    Ok(tx.execute(&SET_OPERATOR, params![account, granted]).await? == 1)
}

/// Whether somebody ever signed in: accounts are also made for people who have not come yet.
pub async fn has_signed_in(tx: &mut Tx<'_>, id: &AccountId) -> Result<bool, DbError> {
    Ok(tx
        .find::<i64>(&HAS_SIGNED_IN, params![id.as_str()])
        .await?
        .is_some())
}

/// Deletes an account that owns no Org and is in no team, with its sessions. What it owned and removed is nobody's then. The
/// account is locked.
pub async fn delete(tx: &mut Tx<'_>, account: AccountNum) -> Result<(), DbError> {
    for statement in [&NOBODY, &LEAVE_TO_NOBODY, &FORGET_REPEATS, &DELETE] {
        tx.execute(statement, params![account]).await?;
    }
    Ok(())
}

/// Those with a grant, the first ones first.
pub async fn list_granted_operators(db: &Db) -> Result<Vec<Account>, DbError> {
    db.list_heavy(&GRANTED_OPERATORS, params![]).await
}

/// By grant only; those of the setting are counted where it is read.
pub async fn count_granted_operators(db: &Db) -> Result<i64, DbError> {
    let counted = db.list_heavy(&COUNT_GRANTED_OPERATORS, params![]).await?;
    Ok(counted.first().copied().unwrap_or(0))
}
