//! The invariants as queries. Each counts what breaks it, so zero everywhere means a sound database.

use domain::action::ActionSet;

use crate::audit;
use crate::db::statement::statements;
use crate::db::{Db, DbError, Statement};
use crate::params;

statements! {
    GUILD_COUNTERS = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM org_usage u
        WHERE u.guilds <> (SELECT COUNT(*) FROM guilds g WHERE g.org_num = u.org_num AND g.removed_at IS NULL)";
    SERVER_COUNTERS = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM org_usage u
        WHERE u.servers <> (SELECT COUNT(*) FROM servers s WHERE s.org_num = u.org_num)";
    LINK_COUNTERS = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM org_usage u
        LEFT JOIN (SELECT org_num, COUNT(*) AS rows FROM links WHERE ended_at IS NULL GROUP BY org_num) l ON l.org_num = u.org_num
        WHERE u.links <> COALESCE(l.rows, 0)";
    GUILD_LINK_COUNTERS = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM guilds g
        LEFT JOIN (SELECT guild_num, COUNT(*) AS rows FROM links WHERE ended_at IS NULL GROUP BY guild_num) l ON l.guild_num = g.num
        WHERE g.active_links <> COALESCE(l.rows, 0)";
    OWNER_COUNTERS = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM accounts a
        WHERE a.orgs_owned <> (SELECT COUNT(*) FROM orgs o WHERE o.owner_account_num = a.num AND o.removed_at IS NULL)";
    DOUBLE_DISCORD = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM (SELECT 1 AS one FROM links WHERE ended_at IS NULL GROUP BY guild_num, discord_id HAVING COUNT(*) > 1) d";
    DOUBLE_STEAM = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM (SELECT 1 AS one FROM links WHERE ended_at IS NULL GROUP BY guild_num, steam_id HAVING COUNT(*) > 1) d";
    FOREIGN_LINKS = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM links l
        LEFT JOIN guilds g ON g.num = l.guild_num AND g.org_num = l.org_num
        WHERE g.num IS NULL";
    SERVERS_WITHOUT_ONE_KEY = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM servers s
        WHERE 1 <> (SELECT COUNT(*) FROM api_keys k WHERE k.server_num = s.num AND k.kind = 'plugin')";
    PLUGIN_KEYS_WITH_OTHER_ACTIONS = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM api_keys k
        WHERE k.kind = 'plugin' AND k.actions <> $1";
    FOREIGN_KEYS = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM api_keys k
        LEFT JOIN guilds g ON g.num = k.guild_num AND g.org_num = k.org_num
        LEFT JOIN servers s ON s.num = k.server_num AND s.guild_num = k.guild_num AND s.org_num = k.org_num
        WHERE g.num IS NULL OR (k.server_num IS NOT NULL AND s.num IS NULL)";
    KEYS_OUT_OF_STEP = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM api_keys k
        JOIN orgs o ON o.num = k.org_num
        LEFT JOIN servers s ON s.num = k.server_num
        WHERE k.tier <> o.tier
           OR k.refuse_in_query <> o.refuse_query_keys
           OR k.server_active <> COALESCE(s.active, 1)
           OR k.bare_ids <> COALESCE(s.bare_ids, 0)";
    ORGS_WITHOUT_USAGE = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM orgs o
        LEFT JOIN org_usage u ON u.org_num = o.num
        LEFT JOIN audit_heads h ON h.chain = o.num
        WHERE u.org_num IS NULL OR h.chain IS NULL";
    OWNERS_AMONG_MEMBERS = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM orgs o
        JOIN members m ON m.org_num = o.num AND m.account_num = o.owner_account_num";
    GUILDS_OF_REMOVED = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM guilds g
        JOIN orgs o ON o.num = g.org_num
        WHERE o.removed_at IS NOT NULL AND g.removed_at IS NULL";
    PEOPLE_OF_REMOVED = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM members m
        JOIN orgs o ON o.num = m.org_num
        WHERE o.removed_at IS NOT NULL";
    INVITES_OF_REMOVED = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM invites i
        JOIN orgs o ON o.num = i.org_num
        WHERE o.removed_at IS NOT NULL AND i.revoked_at IS NULL";
    SERVERS_OF_REMOVED = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM servers s
        JOIN guilds g ON g.num = s.guild_num
        JOIN orgs o ON o.num = g.org_num
        WHERE o.removed_at IS NOT NULL OR g.removed_at IS NOT NULL";
    KEYS_OF_REMOVED = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM api_keys k
        JOIN guilds g ON g.num = k.guild_num
        JOIN orgs o ON o.num = g.org_num
        WHERE o.removed_at IS NOT NULL OR g.removed_at IS NOT NULL";
    LINKS_OF_REMOVED = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM links l
        JOIN guilds g ON g.num = l.guild_num
        JOIN orgs o ON o.num = g.org_num
        WHERE l.ended_at IS NULL AND (o.removed_at IS NOT NULL OR g.removed_at IS NOT NULL)";
    HALF_ENDED_LINKS = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM links
        WHERE (ended_at IS NULL) <> (end_cause IS NULL) OR ended_at < linked_at";
}

const CHECKS: [(&str, &Statement); 20] = [
    (
        "an Org's count of Guilds differs from its Guilds",
        &GUILD_COUNTERS,
    ),
    (
        "an Org's count of Servers differs from its Servers",
        &SERVER_COUNTERS,
    ),
    (
        "an Org's count of links differs from its active links",
        &LINK_COUNTERS,
    ),
    (
        "a Guild's count of links differs from its active links",
        &GUILD_LINK_COUNTERS,
    ),
    (
        "an account's count of owned Orgs differs from its Orgs",
        &OWNER_COUNTERS,
    ),
    ("a Discord id has two active links in a Guild", &DOUBLE_DISCORD),
    ("a Steam id has two active links in a Guild", &DOUBLE_STEAM),
    ("a link points at another Org's Guild", &FOREIGN_LINKS),
    (
        "a Server does not have exactly one plugin key",
        &SERVERS_WITHOUT_ONE_KEY,
    ),
    ("a key points at another tenant's Guild or Server", &FOREIGN_KEYS),
    (
        "a key does not repeat its Org's tier or its Server's switch",
        &KEYS_OUT_OF_STEP,
    ),
    (
        "an Org lacks its counters or its audit chain",
        &ORGS_WITHOUT_USAGE,
    ),
    ("an owner is listed as a member too", &OWNERS_AMONG_MEMBERS),
    ("a link is half ended", &HALF_ENDED_LINKS),
    ("a removed Org has a Guild", &GUILDS_OF_REMOVED),
    ("a removed Org has a member", &PEOPLE_OF_REMOVED),
    (
        "a removed Org has an invitation that was not revoked",
        &INVITES_OF_REMOVED,
    ),
    ("a removed Guild or Org has a Server", &SERVERS_OF_REMOVED),
    ("a removed Guild or Org has a key", &KEYS_OF_REMOVED),
    ("a removed Guild or Org has an active link", &LINKS_OF_REMOVED),
];

/// One broken invariant, in words.
pub type Finding = String;

/// Runs every check. An empty list means that all invariants hold.
pub async fn examine(db: &Db) -> Result<Vec<Finding>, DbError> {
    let mut findings = Vec::new();
    for (what, statement) in CHECKS {
        note(
            &mut findings,
            what,
            count(db.list_heavy(statement, params![]).await?),
        );
    }
    let twelve = db
        .list_heavy(&PLUGIN_KEYS_WITH_OTHER_ACTIONS, params![ActionSet::PLUGIN.bits()])
        .await?;
    note(
        &mut findings,
        "a plugin key does not hold exactly its twelve actions",
        count(twelve),
    );
    findings.extend(audit::verify_chains(db).await?);
    findings.extend(db.verify_files().await?);
    Ok(findings)
}

fn count(rows: Vec<i64>) -> i64 {
    rows.first().copied().unwrap_or(0)
}

fn note(findings: &mut Vec<Finding>, what: &str, times: i64) {
    if times > 0 {
        findings.push(format!("{what} ({times} times)"));
    }
}
