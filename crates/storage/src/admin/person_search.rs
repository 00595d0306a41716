//! A person as operators look for them: in all Orgs, by their accounts or by how a word of their name begins.

use domain::id::{AccountId, GuildId, LinkId, OrgId};
use domain::link::UnlinkCause;
use domain::permission::Role;
use domain::platform_id::{DiscordId, SteamId};

use crate::admin::search::{FoundAccount, LAST};
use crate::columns::json_list;
use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row};
use crate::params;
use crate::scope::OperatorScope;

statements! {
    /// A look into each Org's index is cheap, and few people ask.
    LINKS_OF_DISCORD: PersonLink = "
        SELECT {columns}
        FROM orgs o
        CROSS JOIN links l ON l.org_num = o.num AND l.discord_id IN (SELECT value FROM json_each($1))
        CROSS JOIN guilds g ON g.num = l.guild_num
        ORDER BY CASE WHEN l.ended_at IS NULL THEN 0 ELSE 1 END, l.linked_at DESC, l.num DESC
        LIMIT $2" postgres "
        SELECT {columns}
        FROM orgs o
        JOIN links l ON l.org_num = o.num
          AND l.discord_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($1 AS TEXT) AS JSONB)) value))
        JOIN guilds g ON g.num = l.guild_num
        ORDER BY CASE WHEN l.ended_at IS NULL THEN 0 ELSE 1 END, l.linked_at DESC, l.num DESC
        LIMIT $2";
    LINKS_OF_STEAM: PersonLink = "
        SELECT {columns}
        FROM orgs o
        CROSS JOIN links l ON l.org_num = o.num AND l.steam_id = $1
        CROSS JOIN guilds g ON g.num = l.guild_num
        ORDER BY CASE WHEN l.ended_at IS NULL THEN 0 ELSE 1 END, l.linked_at DESC, l.num DESC
        LIMIT $2" postgres "
        SELECT {columns}
        FROM orgs o
        JOIN links l ON l.org_num = o.num AND l.steam_id = $1
        JOIN guilds g ON g.num = l.guild_num
        ORDER BY CASE WHEN l.ended_at IS NULL THEN 0 ELSE 1 END, l.linked_at DESC, l.num DESC
        LIMIT $2";
    /// A second word that is empty is not asked for. Org by Org, so that a common name ends the search early.
    NAMED = "
        SELECT p.discord_id
        FROM orgs o
        CROSS JOIN person_words w ON w.org_num = o.num AND w.word >= $1 AND w.word < $2
        CROSS JOIN people p ON p.num = w.person_num
        WHERE $3 = '' OR EXISTS (
            SELECT 1
            FROM person_words v
            WHERE v.person_num = p.num AND v.word >= $3 AND v.word < $4)
        ORDER BY o.num, w.word, w.person_num
        LIMIT $5" postgres "
        SELECT p.discord_id
        FROM orgs o
        JOIN person_words w ON w.org_num = o.num AND w.word >= $1 AND w.word < $2
        JOIN people p ON p.num = w.person_num
        WHERE CAST($3 AS TEXT) = '' OR EXISTS (
            SELECT 1
            FROM person_words v
            WHERE v.person_num = p.num AND v.word >= $3 AND v.word < $4)
        ORDER BY o.num, w.word, w.person_num
        LIMIT $5";
    ACCOUNTS: FoundAccount = "
        SELECT {columns}
        FROM json_each($1) asked
        CROSS JOIN accounts a ON a.discord_id = asked.value
        ORDER BY a.num" postgres "
        SELECT {columns}
        FROM accounts a
        WHERE a.discord_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($1 AS TEXT) AS JSONB)) value))
        ORDER BY a.num";
    OWNED: HeldRole = "
        SELECT {columns}, 'owner'
        FROM json_each($1) asked
        CROSS JOIN accounts a ON a.discord_id = asked.value
        CROSS JOIN orgs o ON o.owner_account_num = a.num AND o.removed_at IS NULL
        ORDER BY o.num
        LIMIT $2" postgres "
        SELECT {columns}, 'owner'
        FROM accounts a
        JOIN orgs o ON o.owner_account_num = a.num AND o.removed_at IS NULL
        WHERE a.discord_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($1 AS TEXT) AS JSONB)) value))
        ORDER BY o.num
        LIMIT $2";
    JOINED: HeldRole = "
        SELECT {columns}, m.role
        FROM json_each($1) asked
        CROSS JOIN accounts a ON a.discord_id = asked.value
        CROSS JOIN members m ON m.account_num = a.num
        CROSS JOIN orgs o ON o.num = m.org_num AND o.removed_at IS NULL
        ORDER BY o.num, a.num
        LIMIT $2" postgres "
        SELECT {columns}, m.role
        FROM accounts a
        JOIN members m ON m.account_num = a.num
        JOIN orgs o ON o.num = m.org_num AND o.removed_at IS NULL
        WHERE a.discord_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($1 AS TEXT) AS JSONB)) value))
        ORDER BY o.num, a.num
        LIMIT $2";
}

/// A link of somebody, active or ended, in whichever Org.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonLink {
    /// What the audit log calls it.
    pub id: LinkId,
    /// Whose Guild it is in.
    pub org: OrgId,
    /// What that is called, or was.
    pub org_name: String,
    /// Where.
    pub guild: GuildId,
    /// What that is called, or was.
    pub guild_name: String,
    /// The Guild or its Org was removed.
    pub is_gone: bool,
    /// A digest where that account's person was erased.
    pub discord_id: String,
    /// A digest where that account's person was erased.
    pub steam_id: String,
    /// As it was last told.
    pub discord_name: Option<String>,
    /// As it was last told.
    pub steam_name: Option<String>,
    /// When it was made.
    pub linked_at_ms: i64,
    /// When and why it ended.
    pub ended: Option<(i64, UnlinkCause)>,
}

impl FromRow for PersonLink {
    const COLUMNS: &'static str = "\
        l.id, o.id, o.name, g.id, g.name, \
        CAST(CASE WHEN g.removed_at IS NULL AND o.removed_at IS NULL THEN 0 ELSE 1 END AS BIGINT), \
        l.discord_id, l.steam_id, l.discord_name, l.steam_name, l.linked_at, l.ended_at, l.end_cause";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let cause = row.opt_text(12)?.and_then(|text| UnlinkCause::parse(&text));
        Ok(Self {
            id: row.parse(0, LinkId::parse)?,
            org: row.parse(1, OrgId::parse)?,
            org_name: row.text(2)?,
            guild: row.parse(3, GuildId::parse)?,
            guild_name: row.text(4)?,
            is_gone: row.flag(5)?,
            discord_id: row.text(6)?,
            steam_id: row.text(7)?,
            discord_name: row.opt_text(8)?,
            steam_name: row.opt_text(9)?,
            linked_at_ms: row.int(10)?,
            ended: row.opt_int(11)?.zip(cause),
        })
    }
}

/// What somebody is in an Org.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldRole {
    /// Whose role it is.
    pub account: AccountId,
    /// The same on Discord.
    pub discord_id: DiscordId,
    /// Where.
    pub org: OrgId,
    /// What that is called.
    pub org_name: String,
    /// Owner for whoever owns it.
    pub role: Role,
}

impl FromRow for HeldRole {
    const COLUMNS: &'static str = "a.id, a.discord_id, o.id, o.name";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            account: row.parse(0, AccountId::parse)?,
            discord_id: row.parse(1, DiscordId::parse)?,
            org: row.parse(2, OrgId::parse)?,
            org_name: row.text(3)?,
            role: row.parse(4, |text| Role::parse(text).ok_or("unknown role"))?,
        })
    }
}

/// The links of these Discord accounts in all Orgs: active ones first, then the newest.
pub async fn list_links(
    db: &Db,
    _: OperatorScope,
    people: &[DiscordId],
    limit: i64,
) -> Result<Vec<PersonLink>, DbError> {
    db.list_heavy(&LINKS_OF_DISCORD, params![&ids(people), limit])
        .await
}

/// The same of a Steam account.
pub async fn list_links_of_steam(
    db: &Db,
    _: OperatorScope,
    steam: &SteamId,
    limit: i64,
) -> Result<Vec<PersonLink>, DbError> {
    db.list_heavy(&LINKS_OF_STEAM, params![steam.as_str(), limit])
        .await
}

/// The Discord ids of people whose names have a word that begins like the first, and one like the second where there is one;
/// somebody may be there more than once.
pub async fn list_named(
    db: &Db,
    _: OperatorScope,
    (first, second): (&str, &str),
    limit: i64,
) -> Result<Vec<String>, DbError> {
    let [first_end, second_end] = [first, second].map(|word| [word, LAST].concat());
    db.list_heavy(&NAMED, params![first, &first_end, second, &second_end, limit])
        .await
}

/// The dashboard accounts of these people, the oldest first.
pub async fn list_accounts(
    db: &Db,
    _: OperatorScope,
    people: &[DiscordId],
) -> Result<Vec<FoundAccount>, DbError> {
    db.list_heavy(&ACCOUNTS, params![&ids(people)]).await
}

/// What these people are in Orgs: those that they own first.
pub async fn list_roles(
    db: &Db,
    _: OperatorScope,
    people: &[DiscordId],
    limit: i64,
) -> Result<Vec<HeldRole>, DbError> {
    let people = ids(people);
    let mut roles: Vec<HeldRole> = db.list_heavy(&OWNED, params![&people, limit]).await?;
    roles.extend(
        db.list_heavy::<HeldRole>(&JOINED, params![&people, limit])
            .await?,
    );
    Ok(roles)
}

fn ids(people: &[DiscordId]) -> String {
    json_list(people.iter().map(DiscordId::as_str))
}
