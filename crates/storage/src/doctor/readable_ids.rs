//! Ids in the database that this program cannot read: whatever holds one fails when somebody asks for it.

use domain::id::{AccountId, GuildId, InviteId, KeyId, LinkId, OrgId, ServerId};
use domain::platform_id::{DiscordId, SteamId};

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Statement};
use crate::doctor::{Finding, describe, place};
use crate::params;

/// Rows that a finding names.
const TOLD: usize = 10;

// Each gives number, Org, id of the row and up to two ids of other systems, page by page.
statements! {
    ORGS = "
        SELECT num, id, id, NULL, NULL
        FROM orgs
        WHERE num > $1
        ORDER BY num
        LIMIT 2000";
    /// Nobody, who owned what was removed, has none.
    ACCOUNTS = "
        SELECT num, NULL, id, CASE WHEN discord_id <> 'x:' THEN discord_id END, NULL
        FROM accounts
        WHERE num > $1
        ORDER BY num
        LIMIT 2000";
    /// A removed Guild has given its Discord id back.
    GUILDS = "
        SELECT g.num, o.id, g.id, CASE WHEN g.removed_at IS NULL THEN g.discord_guild_id END, g.log_channel_id
        FROM guilds g
        LEFT JOIN orgs o ON o.num = g.org_num
        WHERE g.num > $1
        ORDER BY g.num
        LIMIT 2000";
    SERVERS = "
        SELECT s.num, o.id, s.id, NULL, NULL
        FROM servers s
        LEFT JOIN orgs o ON o.num = s.org_num
        WHERE s.num > $1
        ORDER BY s.num
        LIMIT 2000";
    KEYS = "
        SELECT k.num, o.id, k.id, NULL, NULL
        FROM api_keys k
        LEFT JOIN orgs o ON o.num = k.org_num
        WHERE k.num > $1
        ORDER BY k.num
        LIMIT 2000";
    INVITES = "
        SELECT i.num, o.id, i.id, NULL, NULL
        FROM invites i
        LEFT JOIN orgs o ON o.num = i.org_num
        WHERE i.num > $1
        ORDER BY i.num
        LIMIT 2000";
    LINKS = "
        SELECT l.num, o.id, l.id, l.discord_id, l.steam_id
        FROM links l
        LEFT JOIN orgs o ON o.num = l.org_num
        WHERE l.num > $1
        ORDER BY l.num
        LIMIT 2000";
}

/// A kind of row: its words, its pages, and whether a row can be read.
struct Kind {
    what: &'static str,
    pages: &'static Statement,
    reads: fn(&Ids) -> bool,
}

struct Ids {
    num: i64,
    org: Option<String>,
    id: String,
    one: Option<String>,
    other: Option<String>,
}

impl FromRow for Ids {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            num: row.int(0)?,
            org: row.opt_text(1)?,
            id: row.text(2)?,
            one: row.opt_text(3)?,
            other: row.opt_text(4)?,
        })
    }
}

const KINDS: [Kind; 7] = [
    Kind {
        what: "an Org has an unreadable id",
        pages: &ORGS,
        reads: |row| OrgId::parse(&row.id).is_ok(),
    },
    Kind {
        what: "an account has an unreadable id or Discord id",
        pages: &ACCOUNTS,
        reads: |row| AccountId::parse(&row.id).is_ok() && discord(row.one.as_deref()),
    },
    Kind {
        what: "a Guild has an unreadable id, Discord id or log channel",
        pages: &GUILDS,
        reads: |row| {
            GuildId::parse(&row.id).is_ok() && discord(row.one.as_deref()) && discord(row.other.as_deref())
        },
    },
    Kind {
        what: "a Server has an unreadable id",
        pages: &SERVERS,
        reads: |row| ServerId::parse(&row.id).is_ok(),
    },
    Kind {
        what: "a key has an unreadable id",
        pages: &KEYS,
        reads: |row| KeyId::parse(&row.id).is_ok(),
    },
    Kind {
        what: "an invite has an unreadable id",
        pages: &INVITES,
        reads: |row| InviteId::parse(&row.id).is_ok(),
    },
    Kind {
        what: "a link has an unreadable id, Discord id or Steam id",
        pages: &LINKS,
        reads: |row| {
            LinkId::parse(&row.id).is_ok()
                && row
                    .one
                    .as_deref()
                    .is_none_or(|id| is_erased(id) || DiscordId::parse(id).is_ok())
                && row
                    .other
                    .as_deref()
                    .is_none_or(|id| is_erased(id) || SteamId::parse(id).is_ok())
        },
    },
];

fn discord(id: Option<&str>) -> bool {
    id.is_none_or(|id| DiscordId::parse(id).is_ok())
}

/// What stands in place of the ids of somebody who was erased, as the triggers of the table allow it.
fn is_erased(id: &str) -> bool {
    id.starts_with("x:")
}

/// What holds an id that cannot be read, by kind.
pub(crate) async fn unreadable(db: &Db) -> Result<Vec<Finding>, DbError> {
    let mut findings = Vec::new();
    for kind in &KINDS {
        let (mut after, mut times, mut told) = (i64::MIN, 0, Vec::new());
        loop {
            let page: Vec<Ids> = db.list_heavy(kind.pages, params![after]).await?;
            let Some(last) = page.last() else {
                break;
            };
            after = last.num;
            for row in page.iter().filter(|row| !(kind.reads)(row)) {
                times += 1;
                if told.len() < TOLD {
                    // By its number too, since its id may be the part that cannot be read.
                    told.push(format!(
                        "{} (row {})",
                        place(row.org.as_deref(), &row.id),
                        row.num
                    ));
                }
            }
        }
        if times > 0 {
            findings.push(describe(kind.what, times, told));
        }
    }
    Ok(findings)
}
