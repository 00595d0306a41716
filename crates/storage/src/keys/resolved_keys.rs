//! From a presented key to what it may do, on every plugin call.

use std::collections::HashMap;

use domain::action::ActionSet;
use domain::id::{GuildId, KeyId};
use domain::key::{KeyHash, KeyKind};
use domain::plan::Tier;
use domain::platform_id::SteamId;

use crate::columns;
use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Memo, ReaderMemory, Row, Snapshot};
use crate::params;
use crate::scope::{GuildNum, KeyNum, OrgScope, ServerNum};

statements! {
    /// The hot read of the plugin API: the key and the asked-for link in one statement, so that the check is exact on
    /// every node. BETWEEN is an equality here and below: with `=` SQLite would take the unique index, which lacks the
    /// Discord id, instead of the one that has it.
    RESOLVE: ResolvedKey = "
        SELECT {columns}
        FROM api_keys k
        LEFT JOIN links l ON l.guild_num = k.guild_num AND l.steam_id BETWEEN $2 AND $2 AND l.ended_at IS NULL
        WHERE k.hash = $1";
    LINKED = "
        SELECT discord_id
        FROM links
        WHERE guild_num = $1 AND steam_id BETWEEN $2 AND $2 AND ended_at IS NULL";
    SCOPE: KeyScope = "
        SELECT {columns}
        FROM api_keys k
        JOIN guilds g ON g.num = k.guild_num AND g.org_num = k.org_num
        LEFT JOIN servers s ON s.num = k.server_num AND s.guild_num = k.guild_num AND s.org_num = k.org_num
        WHERE k.num = $1";
}

/// Everything the front door needs to know about a presented key.
#[derive(Debug, Clone)]
pub struct ResolvedKey {
    /// For counting its use.
    pub num: KeyNum,
    /// Plugin, custom or bot.
    pub kind: KeyKind,
    /// What it may do, by its kind or by choice.
    pub actions: ActionSet,
    /// A revoked key is known and refused, unlike one that never was.
    pub revoked: bool,
    /// The proof with which the call reads and writes.
    pub scope: OrgScope,
    /// Repeated from the Org, so that no other table is read.
    pub tier: Tier,
    /// Whose links it sees.
    pub guild: GuildNum,
    /// None for a custom key of the whole Guild.
    pub server: Option<ServerNum>,
    /// Keys of a Server that is off are refused.
    pub server_active: bool,
    /// The id look-ups answer digits without quotes.
    pub bare_ids: bool,
    /// The Org takes keys in headers only.
    pub refuse_in_query: bool,
    /// The Discord side of the asked Steam id's active link.
    pub linked_discord: Option<String>,
}

impl FromRow for ResolvedKey {
    const COLUMNS: &'static str = "\
        k.num, k.kind, k.actions, k.revoked_at, k.org_num, k.tier, k.guild_num, k.server_num, \
        k.server_active, k.bare_ids, k.refuse_in_query, l.discord_id";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let bits = row.int(2)?;
        Ok(Self {
            num: KeyNum(row.int(0)?),
            kind: row.parse(1, |text| KeyKind::parse(text).ok_or("unknown kind"))?,
            actions: ActionSet::from_bits(bits)
                .ok_or_else(|| DbError::Bug(format!("unknown actions {bits}")))?,
            revoked: row.opt_int(3)?.is_some(),
            scope: OrgScope::new(row.int(4)?),
            tier: columns::tier(row, 5)?,
            guild: GuildNum(row.int(6)?),
            server: row.opt_int(7)?.map(ServerNum),
            server_active: row.flag(8)?,
            bare_ids: row.flag(9)?,
            refuse_in_query: row.flag(10)?,
            linked_discord: row.opt_text(11)?,
        })
    }
}

/// The public ids of what a key is recorded for.
#[derive(Debug, Clone)]
pub struct KeyScope {
    /// What the plugin is told its key is called.
    pub key_id: KeyId,
    /// Ours.
    pub guild_id: GuildId,
    /// Discord's.
    pub discord_guild_id: String,
    /// None for a key of the whole Guild.
    pub server_id: Option<String>,
}

impl FromRow for KeyScope {
    const COLUMNS: &'static str = "k.id, g.id, g.discord_guild_id, s.id";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            key_id: row.parse(0, KeyId::parse)?,
            guild_id: row.parse(1, GuildId::parse)?,
            discord_guild_id: row.text(2)?,
            server_id: row.opt_text(3)?,
        })
    }
}

/// The recorded Guild and Server of a key, unless they no longer belong together.
pub async fn find_scope(db: &Db, key: KeyNum) -> Result<Option<KeyScope>, DbError> {
    db.find(&SCOPE, params![key]).await
}

/// The key with this hash, its scope, and the link of `steam` in its Guild if a Steam id was asked for.
pub async fn resolve(
    db: &Db,
    hash: &KeyHash,
    steam: Option<&SteamId>,
) -> Result<Option<ResolvedKey>, DbError> {
    match db {
        Db::Sqlite(db) => db.with_known(|snapshot, known| resolve_in(snapshot, known, hash, steam)),
        Db::Postgres(_) => {
            let steam = steam.map_or("", SteamId::as_str);
            db.find(&RESOLVE, params![hash.as_str(), steam]).await
        }
    }
}

/// More keys than a busy machine serves between two commits; beyond it they are read again.
const MOST_KEYS: usize = 4096;

/// Keys that were read in one state of an embedded database.
#[derive(Default)]
struct Keys(HashMap<KeyHash, ResolvedKey>);

impl Keys {
    fn keep(&mut self, hash: &KeyHash, key: ResolvedKey) -> ResolvedKey {
        if self.0.len() < MOST_KEYS {
            self.0.insert(hash.clone(), key.clone());
        }
        key
    }
}

impl Memo for Keys {
    fn forget(&mut self) {
        self.0.clear();
    }
}

/// The same in one state of an embedded database: a key is read once in it.
fn resolve_in(
    snapshot: Snapshot<'_>,
    known: &mut ReaderMemory,
    hash: &KeyHash,
    steam: Option<&SteamId>,
) -> Result<Option<ResolvedKey>, DbError> {
    let keys: &mut Keys = known.own();
    let mut key = match keys.0.get(hash) {
        Some(key) => key.clone(),
        None => match snapshot.find::<ResolvedKey>(&RESOLVE, params![hash.as_str(), ""])? {
            Some(key) => keys.keep(hash, key),
            None => return Ok(None),
        },
    };
    if let Some(steam) = steam {
        key.linked_discord = snapshot.find(&LINKED, params![key.guild, steam.as_str()])?;
    }
    Ok(Some(key))
}
