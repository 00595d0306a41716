//! Trips of the dashboard to Discord: to sign in, and to see which Discord servers somebody manages.

use domain::platform_id::DiscordId;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::AccountNum;

statements! {
    INSERT = "
        INSERT INTO sign_ins (hash, purpose, state_hash, verifier_sealed, return_to, ends_at, verifier_kid)
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    FIND: SignIn = "
        SELECT {columns}
        FROM sign_ins
        WHERE hash = $1 AND purpose = $2 AND ends_at > $3";
    USE = "
        DELETE FROM sign_ins
        WHERE hash = $1 AND state_hash = $2";
    PURGE = "
        DELETE FROM sign_ins
        WHERE hash IN (SELECT hash FROM sign_ins WHERE ends_at <= $1 ORDER BY ends_at LIMIT 500)";
    FORGET_MANAGED = "
        DELETE FROM managed_guilds
        WHERE account_num = $1";
    INSERT_MANAGED = "
        INSERT INTO managed_guilds (account_num, discord_guild_id, name, seen_at)
        VALUES ($1, $2, $3, $4)
        ON CONFLICT (account_num, discord_guild_id) DO NOTHING";
    LIST_MANAGED: ManagedGuild = "
        SELECT {columns}
        FROM managed_guilds m
        LEFT JOIN guilds g ON g.discord_guild_id = m.discord_guild_id
        WHERE m.account_num = $1 AND m.seen_at > $2
        ORDER BY m.name, m.discord_guild_id
        LIMIT 200";
    FIND_MANAGED: ManagedGuild = "
        SELECT {columns}
        FROM managed_guilds m
        LEFT JOIN guilds g ON g.discord_guild_id = m.discord_guild_id
        WHERE m.account_num = $1 AND m.discord_guild_id = $3 AND m.seen_at > $2";
    PURGE_MANAGED = "
        DELETE FROM managed_guilds
        WHERE seen_at <= $1";
}

/// What one trip is for; an answer to one is worth nothing to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignInPurpose {
    /// To sign in.
    Dashboard,
    /// To show which Discord servers the person manages.
    Claim,
}

impl SignInPurpose {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Dashboard => "dashboard",
            Self::Claim => "claim",
        }
    }
}

/// A trip to Discord that begins.
pub struct NewSignIn<'a> {
    /// Of the browser's secret and the state, so nobody else can come back with it.
    pub hash: &'a str,
    /// An answer counts only for the purpose it was asked for.
    pub purpose: SignInPurpose,
    /// Of what Discord hands back; it has to fit.
    pub state_hash: &'a str,
    /// The PKCE verifier, sealed with a master key.
    pub verifier_sealed: &'a str,
    /// The master key it is sealed with.
    pub verifier_kid: &'a str,
    /// A path of ours, checked before.
    pub return_to: &'a str,
    /// An answer after it is none.
    pub ends_at_ms: i64,
}

/// Begins a trip. Each tab of a browser may be on its own.
pub async fn insert(tx: &mut Tx<'_>, new: &NewSignIn<'_>) -> Result<(), DbError> {
    let values = params![
        new.hash,
        new.purpose.as_str(),
        new.state_hash,
        new.verifier_sealed,
        new.return_to,
        new.ends_at_ms,
        new.verifier_kid
    ];
    tx.execute_one(&INSERT, values).await
}

/// A trip that an answer belongs to.
#[derive(Debug)]
pub struct SignIn {
    /// Compared with the answer's before anything is asked.
    pub state_hash: String,
    /// Opened only for the exchange with Discord.
    pub verifier_sealed: String,
    /// Where the browser goes afterwards.
    pub return_to: String,
}

impl FromRow for SignIn {
    const COLUMNS: &'static str = "state_hash, verifier_sealed, return_to";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            state_hash: row.text(0)?,
            verifier_sealed: row.text(1)?,
            return_to: row.text(2)?,
        })
    }
}

/// The browser's trip, while it lasts. Finding it does not take it.
pub async fn find(
    db: &Db,
    hash: &str,
    purpose: SignInPurpose,
    now_ms: i64,
) -> Result<Option<SignIn>, DbError> {
    db.find(&FIND, params![hash, purpose.as_str(), now_ms]).await
}

/// Takes a trip that came back; false for whoever comes second.
pub async fn take(tx: &mut Tx<'_>, hash: &str, state_hash: &str) -> Result<bool, DbError> {
    Ok(tx.execute(&USE, params![hash, state_hash]).await? == 1)
}

/// Removes up to 500 trips that are over, and what was seen of Discord servers too long ago.
pub async fn purge(tx: &mut Tx<'_>, now_ms: i64, seen_before_ms: i64) -> Result<u64, DbError> {
    tx.execute(&PURGE_MANAGED, params![seen_before_ms]).await?;
    tx.execute(&PURGE, params![now_ms]).await
}

/// A Discord server that a person manages, as Discord said a short while ago.
#[derive(Debug, Clone)]
pub struct ManagedGuild {
    /// Discord's id, which nobody has claimed unless `claimed` says so.
    pub discord_guild_id: DiscordId,
    /// As Discord told it then.
    pub name: String,
    /// The claim counts for a while from here.
    pub seen_at_ms: i64,
    /// An Org has it already.
    pub claimed: bool,
}

impl FromRow for ManagedGuild {
    const COLUMNS: &'static str = "\
        m.discord_guild_id, m.name, m.seen_at, CAST(CASE WHEN g.num IS NULL THEN 0 ELSE 1 END AS BIGINT)";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            discord_guild_id: row.parse(0, DiscordId::parse)?,
            name: row.text(1)?,
            seen_at_ms: row.int(2)?,
            claimed: row.flag(3)?,
        })
    }
}

/// Replaces what is known about a person's Discord servers.
pub async fn set_managed(
    tx: &mut Tx<'_>,
    account: AccountNum,
    guilds: &[(DiscordId, String)],
    now_ms: i64,
) -> Result<(), DbError> {
    tx.execute(&FORGET_MANAGED, params![account]).await?;
    for (id, name) in guilds {
        tx.execute(&INSERT_MANAGED, params![account, id.as_str(), name, now_ms])
            .await?;
    }
    Ok(())
}

/// What a person was seen to manage since `seen_after_ms`, by name, 200 at most.
pub async fn list_managed(
    db: &Db,
    account: AccountNum,
    seen_after_ms: i64,
) -> Result<Vec<ManagedGuild>, DbError> {
    db.list(&LIST_MANAGED, params![account, seen_after_ms]).await
}

/// One of them; none when it was not seen, or too long ago.
pub async fn find_managed(
    db: &Db,
    account: AccountNum,
    guild: &DiscordId,
    seen_after_ms: i64,
) -> Result<Option<ManagedGuild>, DbError> {
    db.find(&FIND_MANAGED, params![account, seen_after_ms, guild.as_str()])
        .await
}
