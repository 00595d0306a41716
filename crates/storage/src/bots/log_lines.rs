//! What log messages tell: links with their names, and who ended them.

use domain::id::{AccountId, KeyId, LinkId};

use crate::db::statement::statements;
use crate::db::{DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::OrgScope;

statements! {
    LINK: LinkFacts = "
        SELECT {columns}
        FROM links
        WHERE id = $2 AND org_num = $1";
    MEMBER = "
        SELECT name
        FROM accounts
        WHERE id = $1";
    SERVER_OF_KEY = "
        SELECT s.name
        FROM api_keys k
        JOIN servers s ON s.num = k.server_num
        WHERE k.id = $2 AND k.org_num = $1 AND s.removed_at IS NULL";
}

/// A link as a message tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkFacts {
    /// A digest for an erased person.
    pub discord_id: String,
    /// A digest for an erased person.
    pub steam_id: String,
    /// None where nobody said it.
    pub discord_name: Option<String>,
    /// None where nobody said it.
    pub steam_name: Option<String>,
    /// Two letters.
    pub country: Option<String>,
    /// When the pair was tied.
    pub linked_at_ms: i64,
    /// When and why it ended.
    pub end: Option<(i64, String)>,
}

impl FromRow for LinkFacts {
    const COLUMNS: &'static str = "\
        discord_id, steam_id, discord_name, steam_name, country, linked_at, ended_at, end_cause";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            discord_id: row.text(0)?,
            steam_id: row.text(1)?,
            discord_name: row.opt_text(2)?,
            steam_name: row.opt_text(3)?,
            country: row.opt_text(4)?,
            linked_at_ms: row.int(5)?,
            end: row.opt_int(6)?.zip(row.opt_text(7)?),
        })
    }
}

/// A link of the Org, active or ended.
pub async fn find_link(tx: &mut Tx<'_>, scope: OrgScope, id: &LinkId) -> Result<Option<LinkFacts>, DbError> {
    tx.find(&LINK, params![scope.num(), id.as_str()]).await
}

/// What somebody of the dashboard is called.
pub async fn find_member_name(tx: &mut Tx<'_>, id: &AccountId) -> Result<Option<String>, DbError> {
    tx.find(&MEMBER, params![id.as_str()]).await
}

/// What the Server of a key is called; none for a key without one.
pub async fn find_server_name(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    key: &KeyId,
) -> Result<Option<String>, DbError> {
    tx.find(&SERVER_OF_KEY, params![scope.num(), key.as_str()]).await
}
