//! The register of bots: their secrets, by hash and as a sealed copy.

use domain::bot::{BotId, BotSecretHash};

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{BotNum, GuildNum, OrgScope};

statements! {
    INSERT = "
        INSERT INTO bots (id, kind, org_num, guild_num, secret_hash, secret_sealed, secret_kid, version, created_at, rotated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, 1, $8, $8)
        ON CONFLICT (id) DO NOTHING";
    HOLDER: HeldBot = "
        SELECT {columns}
        FROM bots
        WHERE secret_hash = $1";
    SECRET: SealedSecret = "
        SELECT {columns}
        FROM bots
        WHERE id = $1";
    ROTATE = "
        UPDATE bots
        SET secret_hash = $3, secret_sealed = $4, secret_kid = $5, version = version + 1, rotated_at = $6
        WHERE id = $1 AND version = $2";
    SEALED_OTHERWISE: SealedSecret = "
        SELECT {columns}
        FROM bots
        WHERE num > $1 AND secret_kid <> $2
        ORDER BY num
        LIMIT 200";
    RESEAL = "
        UPDATE bots
        SET secret_sealed = $3, secret_kid = $4
        WHERE num = $1 AND secret_sealed = $2";
    OF_GUILD = "
        DELETE FROM bots
        WHERE guild_num = $2 AND org_num = $1";
}

/// A bot that showed its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldBot {
    /// Its row.
    pub num: BotNum,
    /// Who it is.
    pub id: BotId,
    /// The one Guild of a dedicated bot; none for the shared one, which serves all.
    pub guild: Option<(OrgScope, GuildNum)>,
}

impl FromRow for HeldBot {
    const COLUMNS: &'static str = "num, id, org_num, guild_num";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let org = row.opt_int(2)?.map(OrgScope::new);
        Ok(Self {
            num: BotNum(row.int(0)?),
            id: bot_id(row, 1)?,
            guild: org.zip(row.opt_int(3)?.map(GuildNum)),
        })
    }
}

impl AsRef<BotId> for HeldBot {
    fn as_ref(&self) -> &BotId {
        &self.id
    }
}

pub(super) fn bot_id(row: &Row<'_>, column: usize) -> Result<BotId, DbError> {
    let text = row.str(column)?;
    BotId::parse(text).ok_or_else(|| DbError::Bug(format!("{text} is no bot")))
}

/// The sealed copy of a secret.
#[derive(Debug, Clone)]
pub struct SealedSecret {
    /// The place from which the next slice goes on.
    pub num: BotNum,
    /// Part of what the copy is bound to.
    pub id: BotId,
    /// The other part.
    pub version: i64,
    /// Also what the row is compared with when it is sealed anew.
    pub sealed: String,
}

impl FromRow for SealedSecret {
    const COLUMNS: &'static str = "num, id, version, secret_sealed";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            num: BotNum(row.int(0)?),
            id: bot_id(row, 1)?,
            version: row.int(2)?,
            sealed: row.text(3)?,
        })
    }
}

/// A secret to be stored.
pub struct NewSecret<'a> {
    /// What it is found by.
    pub hash: &'a BotSecretHash,
    /// Bound to the bot and the version that it gets.
    pub sealed: &'a str,
    /// The master key that opens the copy.
    pub sealed_kid: &'a str,
    /// From when on it counts.
    pub now_ms: i64,
}

/// Makes the row of a bot; one that is there keeps its secret. A dedicated bot needs its Guild.
pub async fn ensure(
    tx: &mut Tx<'_>,
    id: &BotId,
    guild: Option<(OrgScope, GuildNum)>,
    secret: &NewSecret<'_>,
) -> Result<bool, DbError> {
    let kind = match id {
        BotId::Platform => "platform",
        BotId::Dedicated(_) => "dedicated",
    };
    let values = params![
        id.as_str(),
        kind,
        guild.map(|(org, _)| org.num()),
        guild.map(|(_, guild)| guild.0),
        secret.hash.as_str(),
        secret.sealed,
        secret.sealed_kid,
        secret.now_ms
    ];
    Ok(tx.execute(&INSERT, values).await? == 1)
}

/// Whose secret it is.
pub async fn find_holder(db: &Db, hash: &BotSecretHash) -> Result<Option<HeldBot>, DbError> {
    db.find(&HOLDER, params![hash.as_str()]).await
}

/// The sealed secret of a bot.
pub async fn find_secret(db: &Db, id: &BotId) -> Result<Option<SealedSecret>, DbError> {
    db.find(&SECRET, params![id.as_str()]).await
}

/// The old secret stops with the commit; false when somebody else replaced it meanwhile.
pub async fn rotate(
    tx: &mut Tx<'_>,
    id: &BotId,
    version: i64,
    secret: &NewSecret<'_>,
) -> Result<bool, DbError> {
    let values = params![
        id.as_str(),
        version,
        secret.hash.as_str(),
        secret.sealed,
        secret.sealed_kid,
        secret.now_ms
    ];
    Ok(tx.execute(&ROTATE, values).await? == 1)
}

/// The next secrets that another master key than `kid` protects.
pub async fn list_sealed_otherwise(db: &Db, after: BotNum, kid: &str) -> Result<Vec<SealedSecret>, DbError> {
    db.list_heavy(&SEALED_OTHERWISE, params![after, kid]).await
}

/// False when the secret was replaced meanwhile.
pub async fn reseal(
    tx: &mut Tx<'_>,
    bot: BotNum,
    old: &str,
    sealed: &str,
    kid: &str,
) -> Result<bool, DbError> {
    Ok(tx.execute(&RESEAL, params![bot, old, sealed, kid]).await? == 1)
}

/// A removed Guild's own bot is let in no more.
pub async fn remove_of_guild(tx: &mut Tx<'_>, scope: OrgScope, guild: GuildNum) -> Result<u64, DbError> {
    tx.execute(&OF_GUILD, params![scope.num(), guild]).await
}
