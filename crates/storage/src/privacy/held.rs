//! What is held about an account, row by row, for the person it is about.

use std::collections::BTreeSet;

use domain::id::OrgId;
use domain::platform_id::EitherId;
use serde_json::{Map, Value};

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Record, Row, Statement};
use crate::params;
use crate::scope::{AccountNum, OrgScope};

statements! {
    /// A look into each Org's index is cheap, and few people ask.
    ORGS_OF_DISCORD: Holder = "
        SELECT {columns}
        FROM orgs o
        WHERE EXISTS (SELECT 1 FROM links l WHERE l.org_num = o.num AND l.discord_id = $1)
           OR EXISTS (SELECT 1 FROM boosters b WHERE b.discord_id = $1 AND b.guild_num IN (SELECT num FROM guilds WHERE org_num = o.num))
        ORDER BY o.num";
    ORGS_OF_STEAM: Holder = "
        SELECT {columns}
        FROM orgs o
        WHERE EXISTS (SELECT 1 FROM links l WHERE l.org_num = o.num AND l.steam_id = $1)
           OR EXISTS (SELECT 1 FROM server_players p WHERE p.org_num = o.num AND p.steam_id = $1)
           OR EXISTS (SELECT 1 FROM player_seen s WHERE s.org_num = o.num AND s.steam_id = $1)
        ORDER BY o.num";
    ORGS_OF_ROWS: Holder = "
        SELECT DISTINCT {columns}
        FROM imports i
        JOIN import_rows r ON r.import_num = i.num
        JOIN orgs o ON o.num = i.org_num
        WHERE i.has_rows = 1 AND r.body LIKE $1
        ORDER BY 1";
    /// With whom an account is linked.
    JOINED_DISCORD = "
        SELECT DISTINCT steam_id
        FROM links
        WHERE org_num = $1 AND discord_id = $2 AND ended_at IS NULL";
    JOINED_STEAM = "
        SELECT DISTINCT discord_id
        FROM links
        WHERE org_num = $1 AND steam_id = $2 AND ended_at IS NULL";
    LINKS_OF_DISCORD: LinkRow = "
        SELECT {columns}
        FROM links l
        JOIN guilds g ON g.num = l.guild_num
        LEFT JOIN dormant_links d ON d.link_num = l.num
        WHERE l.org_num = $1 AND l.discord_id = $2
        ORDER BY l.num DESC";
    LINKS_OF_STEAM: LinkRow = "
        SELECT {columns}
        FROM links l
        JOIN guilds g ON g.num = l.guild_num
        LEFT JOIN dormant_links d ON d.link_num = l.num
        WHERE l.org_num = $1 AND l.steam_id = $2
        ORDER BY l.num DESC";
    TRUST = "
        SELECT score, stability, cross_server, age, multi AS multi_accounts, best_class AS best_group, country,
               first_linked_at AS first_linked_at_ms, accounts AS accounts_that_hang_together, scored_at AS scored_at_ms
        FROM people
        WHERE org_num = $1 AND discord_id = $2";
    TRUST_HISTORY = "
        SELECT t.at AS at_ms, t.score, t.stability, t.cross_server, t.age, t.multi AS multi_accounts
        FROM people p
        JOIN trust_points t ON t.person_num = p.num
        WHERE p.org_num = $1 AND p.discord_id = $2
        ORDER BY t.at";
    BOOSTS = "
        SELECT g.name AS guild, b.since AS since_ms
        FROM guilds g
        JOIN boosters b ON b.guild_num = g.num
        WHERE g.org_num = $1 AND b.discord_id = $2
        ORDER BY g.num";
    ROLES = "
        SELECT g.name AS guild, r.given, r.owed, r.roles AS roles_at_last_look, r.looked_at AS looked_at_ms, r.nick_set,
               r.nick_before
        FROM guilds g
        JOIN role_members r ON r.guild_num = g.num
        WHERE g.org_num = $1 AND r.discord_id = $2
        ORDER BY g.num";
    GRANTS = "
        SELECT g.name AS guild, r.role_id, r.granted_at AS granted_at_ms
        FROM guilds g
        JOIN role_grants r ON r.guild_num = g.num
        WHERE g.org_num = $1 AND r.discord_id = $2
        ORDER BY g.num, r.role_id";
    ROLE_HISTORY = "
        SELECT g.name AS guild, r.side, r.change, r.role_id, r.group_name, r.source, r.rule, r.cause, r.result, r.at AS at_ms
        FROM links l
        JOIN role_ledger r ON r.link_num = l.num
        JOIN guilds g ON g.num = l.guild_num
        WHERE l.org_num = $1 AND l.discord_id = $2
        ORDER BY r.num";
    SERVERS = "
        SELECT s.name AS server, p.oxide_groups AS groups_reported, p.reported_at AS reported_at_ms, p.put_groups AS groups_put,
               p.roles_synced, p.seen_at AS seen_at_ms
        FROM server_players p
        JOIN servers s ON s.num = p.server_num
        WHERE p.org_num = $1 AND p.steam_id = $2
        ORDER BY s.num";
    CHANGES = "
        SELECT s.name AS server, c.group_name, c.action, c.created_at AS created_at_ms
        FROM servers s
        JOIN group_changes c ON c.server_num = s.num
        WHERE s.org_num = $1 AND c.steam_id = $2
        ORDER BY s.num, c.group_name";
    SEEN = "
        SELECT seen_at AS seen_at_ms
        FROM player_seen
        WHERE org_num = $1 AND steam_id = $2";
    IMPORTED = "
        SELECT r.body AS row, r.reason AS refused_because
        FROM imports i
        JOIN import_rows r ON r.import_num = i.num
        WHERE i.org_num = $1 AND i.has_rows = 1 AND r.body LIKE $2
        ORDER BY r.import_num, r.row_no";
    ACCOUNT = "
        SELECT id, discord_id, name, operator, created_at AS created_at_ms
        FROM accounts
        WHERE num = $1";
    TEAMS = "
        SELECT o.name AS organisation, m.role, m.joined_at AS joined_at_ms
        FROM members m
        JOIN orgs o ON o.num = m.org_num
        WHERE m.account_num = $1
        ORDER BY o.num";
    OWNED = "
        SELECT o.name AS organisation, o.created_at AS created_at_ms
        FROM orgs o
        WHERE o.owner_account_num = $1 AND o.removed_at IS NULL
        ORDER BY o.num";
    SESSIONS = "
        SELECT device, created_at AS created_at_ms, seen_at AS seen_at_ms, expires_at AS expires_at_ms
        FROM sessions
        WHERE account_num = $1
        ORDER BY created_at";
    INVITES = "
        SELECT o.name AS organisation, i.role, i.note, i.created_at AS created_at_ms
        FROM invites i
        JOIN orgs o ON o.num = i.org_num
        WHERE i.account_num = $1
        ORDER BY i.num";
    MANAGED = "
        SELECT name, discord_guild_id, seen_at AS seen_at_ms
        FROM managed_guilds
        WHERE account_num = $1
        ORDER BY name";
}

/// What a link says about both sides. The columns alone are used: rows are read as they come, as a [`Record`].
struct LinkRow;

impl FromRow for LinkRow {
    const COLUMNS: &'static str = "\
        g.name AS guild, l.discord_id, l.discord_name, l.steam_id, l.steam_name, l.nickname, l.country, \
        l.linked_at AS linked_at_ms, l.verified_at AS verified_at_ms, l.ended_at AS ended_at_ms, l.end_cause, \
        d.flagged_at AS flagged_as_dormant_at_ms, l.id";

    fn from_row(_: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self)
    }
}

type Section = (&'static str, &'static Statement);

/// What the page tells.
const OF_DISCORD: [Section; 4] = [
    ("links", &LINKS_OF_DISCORD),
    ("trust", &TRUST),
    ("boosts", &BOOSTS),
    ("roles", &ROLES),
];
const OF_STEAM: [Section; 2] = [("links", &LINKS_OF_STEAM), ("servers", &SERVERS)];
/// The rest.
const MORE_OF_DISCORD: [Section; 3] = [
    ("trust_history", &TRUST_HISTORY),
    ("roles_given_by_game_servers", &GRANTS),
    ("role_history", &ROLE_HISTORY),
];
const MORE_OF_STEAM: [Section; 2] = [("waiting_group_changes", &CHANGES), ("last_seen", &SEEN)];
const OF_ACCOUNT: [Section; 6] = [
    ("account", &ACCOUNT),
    ("teams", &TEAMS),
    ("owned_organisations", &OWNED),
    ("sessions", &SESSIONS),
    ("invites", &INVITES),
    ("discord_servers_managed", &MANAGED),
];

/// Rows by what they are about.
pub type Sections = Map<String, Value>;

/// An Org that holds something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// The Org.
    pub scope: OrgScope,
    /// The same by its id.
    pub id: OrgId,
    /// What it is called, or was.
    pub name: String,
    /// It is gone, and keeps its history.
    pub is_removed: bool,
}

impl FromRow for Holder {
    const COLUMNS: &'static str =
        "o.num, o.id, o.name, CAST(CASE WHEN o.removed_at IS NULL THEN 0 ELSE 1 END AS BIGINT)";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            scope: OrgScope::new(row.int(0)?),
            id: row.parse(1, OrgId::parse)?,
            name: row.text(2)?,
            is_removed: row.flag(3)?,
        })
    }
}

/// Orgs that hold something about an account.
pub async fn list_holders(db: &Db, account: &EitherId) -> Result<Vec<Holder>, DbError> {
    let statement = match account {
        EitherId::Discord(_) => &ORGS_OF_DISCORD,
        EitherId::Steam(_) => &ORGS_OF_STEAM,
    };
    db.list_heavy(statement, params![account.as_str()]).await
}

/// Orgs that hold an account in the rows of a file which they take over.
pub async fn list_importers(db: &Db, account: &EitherId) -> Result<Vec<Holder>, DbError> {
    let anywhere = ["%", account.as_str(), "%"].concat();
    db.list_heavy(&ORGS_OF_ROWS, params![&anywhere]).await
}

/// The other sides of an account's active links in an Org.
pub async fn list_joined(db: &Db, scope: OrgScope, account: &EitherId) -> Result<Vec<String>, DbError> {
    let statement = match account {
        EitherId::Discord(_) => &JOINED_DISCORD,
        EitherId::Steam(_) => &JOINED_STEAM,
    };
    db.list(statement, params![scope.num(), account.as_str()]).await
}

/// Adds what an Org holds about an account: the short list, or all of it.
pub async fn gather(
    db: &Db,
    scope: OrgScope,
    account: &EitherId,
    whole: bool,
    into: &mut Sections,
) -> Result<(), DbError> {
    let (short, more): (&[Section], &[Section]) = match account {
        EitherId::Discord(_) => (&OF_DISCORD, &MORE_OF_DISCORD),
        EitherId::Steam(_) => (&OF_STEAM, &MORE_OF_STEAM),
    };
    for (name, statement) in short.iter().chain(more.iter().filter(|_| whole)) {
        let rows: Vec<Record> = db
            .list_heavy(statement, params![scope.num(), account.as_str()])
            .await?;
        add(into, name, rows);
    }
    if whole {
        let anywhere = ["%", account.as_str(), "%"].concat();
        let rows: Vec<Record> = db.list_heavy(&IMPORTED, params![scope.num(), &anywhere]).await?;
        add(into, "rows_of_imports", rows);
    }
    Ok(())
}

/// Everything about a dashboard account.
pub async fn of_account(db: &Db, account: AccountNum) -> Result<Sections, DbError> {
    let mut sections = Sections::new();
    for (name, statement) in OF_ACCOUNT {
        let rows: Vec<Record> = db.list_heavy(statement, params![account]).await?;
        add(&mut sections, name, rows);
    }
    Ok(sections)
}

/// A link that both sides have in common is told once.
fn add(into: &mut Sections, name: &str, rows: Vec<Record>) {
    if rows.is_empty() {
        return;
    }
    let section = into.entry(name).or_insert_with(|| Value::Array(Vec::new()));
    let Value::Array(known) = section else { return };
    let told: BTreeSet<String> = known.iter().filter_map(link_of).collect();
    let rows = rows.into_iter().map(|Record(row)| Value::Object(row));
    known.extend(rows.filter(|row| link_of(row).is_none_or(|id| !told.contains(&id))));
}

fn link_of(row: &Value) -> Option<String> {
    row.get("id").and_then(Value::as_str).map(str::to_owned)
}
