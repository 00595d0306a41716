//! What the ids in an Org's audit log are called now. The log itself holds no names of people.

use std::collections::BTreeSet;

use domain::audit::NamedKind;
use domain::id::{AccountId, GuildId, InviteId, KeyId, LinkId, OrgId, ServerId};
use serde_json::Value;

use crate::columns::json_list;
use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row};
use crate::params;
use crate::scope::{OperatorScope, OrgScope};

statements! {
    /// All ids of a page at once. Things of another Org have no name here; what is deleted has the one that the entry
    /// about its end has kept. People belong to no Org, and are asked for only where the Org's own log names them.
    NAMES = "
        SELECT p.id, 'account', p.name, '',
            CASE
                WHEN EXISTS (SELECT 1 FROM members m WHERE m.org_num = $1 AND m.account_num = p.num) THEN CAST(0 AS BIGINT)
                WHEN EXISTS (SELECT 1 FROM orgs o WHERE o.num = $1 AND o.owner_account_num = p.num) THEN 0
                ELSE 1
            END
        FROM json_each($2) asked
        CROSS JOIN accounts p ON p.id = asked.value
        UNION ALL
        SELECT g.id, 'guild', g.name, '', CASE WHEN g.removed_at IS NULL THEN 0 ELSE 1 END
        FROM json_each($3) asked
        CROSS JOIN guilds g ON g.id = asked.value AND g.org_num = $1
        UNION ALL
        SELECT s.id, 'server', s.name, '', 0
        FROM json_each($4) asked
        CROSS JOIN servers s ON s.id = asked.value AND s.org_num = $1 AND s.removed_at IS NULL
        UNION ALL
        SELECT k.id, k.kind || '_key', CASE WHEN k.kind = 'custom' THEN k.name ELSE s.name END, COALESCE(s.id, ''), 0
        FROM json_each($5) asked
        CROSS JOIN api_keys k ON k.id = asked.value AND k.org_num = $1
        LEFT JOIN servers s ON s.num = k.server_num
        UNION ALL
        SELECT l.id, 'link',
            CASE
                WHEN substr(l.discord_id, 1, 2) = 'x:' OR substr(l.steam_id, 1, 2) = 'x:' THEN NULL
                ELSE COALESCE(l.discord_name, l.steam_name, l.discord_id)
            END,
            '', 0
        FROM json_each($6) asked
        CROSS JOIN links l ON l.id = asked.value AND l.org_num = $1
        UNION ALL
        SELECT i.id, 'invite', i.role, '', 0
        FROM json_each($7) asked
        CROSS JOIN invites i ON i.id = asked.value AND i.org_num = $1
        UNION ALL
        SELECT a.target, a.action, a.detail, '', 1
        FROM json_each($8) asked
        CROSS JOIN audit a ON a.target = asked.value AND a.chain = $1 AND a.action IN ('server.deleted', 'key.removed')" postgres "
        SELECT p.id, 'account', p.name, '',
            CASE
                WHEN EXISTS (SELECT 1 FROM members m WHERE m.org_num = $1 AND m.account_num = p.num) THEN CAST(0 AS BIGINT)
                WHEN EXISTS (SELECT 1 FROM orgs o WHERE o.num = $1 AND o.owner_account_num = p.num) THEN 0
                ELSE 1
            END
        FROM accounts p
        WHERE p.id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))
        UNION ALL
        SELECT g.id, 'guild', g.name, '', CASE WHEN g.removed_at IS NULL THEN 0 ELSE 1 END
        FROM guilds g
        WHERE g.id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($3 AS TEXT) AS JSONB)) value)) AND g.org_num = $1
        UNION ALL
        SELECT s.id, 'server', s.name, '', 0
        FROM servers s
        WHERE s.id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($4 AS TEXT) AS JSONB)) value)) AND s.org_num = $1 AND s.removed_at IS NULL
        UNION ALL
        SELECT k.id, k.kind || '_key', CASE WHEN k.kind = 'custom' THEN k.name ELSE s.name END, COALESCE(s.id, ''), 0
        FROM api_keys k
        LEFT JOIN servers s ON s.num = k.server_num
        WHERE k.id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($5 AS TEXT) AS JSONB)) value)) AND k.org_num = $1
        UNION ALL
        SELECT l.id, 'link',
            CASE
                WHEN substr(l.discord_id, 1, 2) = 'x:' OR substr(l.steam_id, 1, 2) = 'x:' THEN NULL
                ELSE COALESCE(l.discord_name, l.steam_name, l.discord_id)
            END,
            '', 0
        FROM links l
        WHERE l.id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($6 AS TEXT) AS JSONB)) value)) AND l.org_num = $1
        UNION ALL
        SELECT i.id, 'invite', i.role, '', 0
        FROM invites i
        WHERE i.id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($7 AS TEXT) AS JSONB)) value)) AND i.org_num = $1
        UNION ALL
        SELECT a.target, a.action, a.detail, '', 1
        FROM audit a
        WHERE a.target = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($8 AS TEXT) AS JSONB)) value)) AND a.chain = $1 AND a.action IN ('server.deleted', 'key.removed')";
    /// For the operators' own log, in which things of every Org stand.
    EVERYWHERE = "
        SELECT p.id, 'account', p.name, '', CAST(0 AS BIGINT)
        FROM json_each($1) asked
        CROSS JOIN accounts p ON p.id = asked.value
        UNION ALL
        SELECT o.id, 'org', o.name, '', CASE WHEN o.removed_at IS NULL THEN 0 ELSE 1 END
        FROM json_each($2) asked
        CROSS JOIN orgs o ON o.id = asked.value
        UNION ALL
        SELECT g.id, 'guild', g.name, '', CASE WHEN g.removed_at IS NULL THEN 0 ELSE 1 END
        FROM json_each($3) asked
        CROSS JOIN guilds g ON g.id = asked.value
        UNION ALL
        SELECT s.id, 'server', s.name, '', 0
        FROM json_each($4) asked
        CROSS JOIN servers s ON s.id = asked.value AND s.removed_at IS NULL" postgres "
        SELECT p.id, 'account', p.name, '', CAST(0 AS BIGINT)
        FROM accounts p
        WHERE p.id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($1 AS TEXT) AS JSONB)) value))
        UNION ALL
        SELECT o.id, 'org', o.name, '', CASE WHEN o.removed_at IS NULL THEN 0 ELSE 1 END
        FROM orgs o
        WHERE o.id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))
        UNION ALL
        SELECT g.id, 'guild', g.name, '', CASE WHEN g.removed_at IS NULL THEN 0 ELSE 1 END
        FROM guilds g
        WHERE g.id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($3 AS TEXT) AS JSONB)) value))
        UNION ALL
        SELECT s.id, 'server', s.name, '', 0
        FROM servers s
        WHERE s.id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($4 AS TEXT) AS JSONB)) value)) AND s.removed_at IS NULL";
    /// The newest ends of things that had a name.
    ENDS: End = "
        SELECT {columns}
        FROM audit a
        WHERE a.chain = $1 AND a.action IN ('guild.removed', 'server.deleted', 'key.removed') AND a.target IS NOT NULL
        ORDER BY a.seq DESC
        LIMIT 1000";
}

/// A name for an id of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// As it stands in the log.
    pub id: String,
    /// Decides what the name means.
    pub kind: NamedKind,
    /// Of now; none for an erased player, and for what went before names were kept.
    pub name: Option<String>,
    /// The Server of a key that has one.
    pub server_id: Option<String>,
    /// Deleted or removed; of a person, not in the team.
    pub is_gone: bool,
}

impl FromRow for Named {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let name = row.opt_text(2)?;
        let (kind, name) = match row.str(1)? {
            "server.deleted" => (NamedKind::Server, kept_name(name)),
            "key.removed" => (NamedKind::CustomKey, kept_name(name)),
            kind => {
                let known = NamedKind::parse(kind);
                (
                    known.ok_or_else(|| DbError::Bug(format!("{kind} has no names")))?,
                    name,
                )
            }
        };
        Ok(Self {
            id: row.text(0)?,
            kind,
            name,
            server_id: row.opt_text(3)?.filter(|id| !id.is_empty()),
            is_gone: row.flag(4)?,
        })
    }
}

/// The name in the detail of an entry about an end.
fn kept_name(detail: Option<String>) -> Option<String> {
    let detail: Value = serde_json::from_str(&detail?).ok()?;
    Some(detail["name"].as_str()?.to_owned())
}

/// An entry about the end of something.
struct End {
    action: String,
    target: String,
    detail: String,
}

impl FromRow for End {
    const COLUMNS: &'static str = "a.action, a.target, a.detail";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            action: row.text(0)?,
            target: row.text(1)?,
            detail: row.text(2)?,
        })
    }
}

impl End {
    /// What went: a custom key, or Servers, each with its plugin key.
    fn gone(&self) -> Vec<Named> {
        let detail: Value = serde_json::from_str(&self.detail).unwrap_or_default();
        match self.action.as_str() {
            "key.removed" => gone(NamedKind::CustomKey, Some(&self.target), &detail)
                .into_iter()
                .collect(),
            "server.deleted" => server_and_key(Some(&self.target), &detail),
            _ => {
                let servers = detail["gone"].as_array().into_iter().flatten();
                servers
                    .flat_map(|one| server_and_key(one["id"].as_str(), one))
                    .collect()
            }
        }
    }
}

fn server_and_key(id: Option<&str>, detail: &Value) -> Vec<Named> {
    let server = gone(NamedKind::Server, id, detail);
    let key = gone(NamedKind::PluginKey, detail["key"].as_str(), detail);
    server.into_iter().chain(key).collect()
}

fn gone(kind: NamedKind, id: Option<&str>, detail: &Value) -> Option<Named> {
    Some(Named {
        id: id?.to_owned(),
        kind,
        name: detail["name"].as_str().map(str::to_owned),
        server_id: None,
        is_gone: true,
    })
}

/// What an Org had, the newest end first, as far as the log has kept names.
pub async fn list_gone(db: &Db, scope: OrgScope) -> Result<Vec<Named>, DbError> {
    let ends: Vec<End> = db.list_heavy(&ENDS, params![scope.num()]).await?;
    Ok(ends.iter().flat_map(End::gone).collect())
}

/// Ids whose names are wanted. What does not look like one of ours is left out.
#[derive(Debug, Default)]
pub struct WantedNames(BTreeSet<String>);

impl WantedNames {
    /// Whatever kind of id it is.
    pub fn add(&mut self, id: &str) {
        let is_ours = id.len() == 30
            && id
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if is_ours {
            self.0.insert(id.to_owned());
        }
    }

    fn of(&self, prefixes: &[&str]) -> String {
        let found = self.0.iter().map(String::as_str);
        json_list(found.filter(|id| prefixes.iter().any(|prefix| id.starts_with(prefix))))
    }
}

/// In one statement, however many there are, and another for what went with its Guild or Server. What is not found has no
/// name.
pub async fn list(db: &Db, scope: OrgScope, wanted: &WantedNames) -> Result<Vec<Named>, DbError> {
    let lists = [
        AccountId::PREFIX,
        GuildId::PREFIX,
        ServerId::PREFIX,
        KeyId::PREFIX,
        LinkId::PREFIX,
        InviteId::PREFIX,
    ]
    .map(|prefix| wanted.of(&[prefix]));
    let [people, guilds, servers, keys, links, invites] = &lists;
    let gone = &wanted.of(&[ServerId::PREFIX, KeyId::PREFIX]);
    let values = params![scope.num(), people, guilds, servers, keys, links, invites, gone];
    let mut named: Vec<Named> = db.list_heavy(&NAMES, values).await?;
    let found: BTreeSet<String> = named.iter().map(|one| one.id.clone()).collect();
    let is_missing = |id: &str| wanted.0.contains(id) && !found.contains(id);
    let may_be_gone = |id: &String| id.starts_with(ServerId::PREFIX) || id.starts_with(KeyId::PREFIX);
    if wanted.0.iter().any(|id| may_be_gone(id) && is_missing(id)) {
        let gone = list_gone(db, scope).await?;
        named.extend(gone.into_iter().filter(|one| is_missing(&one.id)));
    }
    Ok(named)
}

/// The same for the operators' own log: people, Orgs, Guilds and Servers, whosever they are.
pub async fn list_everywhere(db: &Db, _: OperatorScope, wanted: &WantedNames) -> Result<Vec<Named>, DbError> {
    let lists = [
        AccountId::PREFIX,
        OrgId::PREFIX,
        GuildId::PREFIX,
        ServerId::PREFIX,
    ]
    .map(|prefix| wanted.of(&[prefix]));
    let [people, orgs, guilds, servers] = &lists;
    db.list_heavy(&EVERYWHERE, params![people, orgs, guilds, servers])
        .await
}
