//! The platform's own keys, one for each Server that a bot serves.

use domain::id::{GuildId, KeyId, ServerId};

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{OrgScope, ServerNum};

statements! {
    BY_ORG: BotKey = "
        SELECT {columns}
        FROM guilds g
        JOIN servers s ON s.guild_num = g.num AND s.org_num = g.org_num
        JOIN api_keys k ON k.server_num = s.num AND k.kind = 'bot'
        WHERE g.org_num = $1
        ORDER BY k.num
        LIMIT 200";
    OF_SERVER = "
        SELECT num
        FROM api_keys
        WHERE server_num = $2 AND org_num = $1 AND kind = 'bot' AND revoked_at IS NULL
        LIMIT 1";
}

/// What an Org may see of a bot key.
#[derive(Debug, Clone)]
pub struct BotKey {
    /// What the audit log calls it.
    pub id: KeyId,
    /// Of the Server it works for.
    pub guild_id: GuildId,
    /// There is one bot key for a Server.
    pub server_id: ServerId,
    /// All that is shown of it.
    pub prefix: String,
    /// To the minute; none until the bot calls.
    pub last_used_at_ms: Option<i64>,
}

impl FromRow for BotKey {
    const COLUMNS: &'static str = "k.id, g.id, s.id, k.prefix, k.last_used_at";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            id: row.parse(0, KeyId::parse)?,
            guild_id: row.parse(1, GuildId::parse)?,
            server_id: row.parse(2, ServerId::parse)?,
            prefix: row.text(3)?,
            last_used_at_ms: row.opt_int(4)?,
        })
    }
}

/// The bot keys of an Org, 200 at most.
pub async fn list(db: &Db, scope: OrgScope) -> Result<Vec<BotKey>, DbError> {
    db.list(&BY_ORG, params![scope.num()]).await
}

/// Whether a Server has one that works, under the Org's lock.
pub async fn is_there(tx: &mut Tx<'_>, scope: OrgScope, server: ServerNum) -> Result<bool, DbError> {
    let found: Option<i64> = tx.find(&OF_SERVER, params![scope.num(), server]).await?;
    Ok(found.is_some())
}
