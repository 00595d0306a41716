//! The invariants as queries. Each lists what breaks it, so nothing anywhere means a sound database.

pub(crate) mod link_counts;
pub(crate) mod own_schema;
pub(crate) mod persons;
pub(crate) mod readable_ids;
pub(crate) mod sent_webhooks;
pub(crate) mod tiers;

pub use tiers::list_wrong_tiers;

use domain::action::ActionSet;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Statement};
use crate::params;
use crate::records::audit;

// Each gives the Org, the row and how many there are in all, for the first few.
statements! {
    GUILD_COUNTERS = "
        SELECT o.id, o.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM org_usage u
        JOIN orgs o ON o.num = u.org_num
        WHERE u.guilds <> (SELECT COUNT(*) FROM guilds g WHERE g.org_num = u.org_num AND g.removed_at IS NULL)
        ORDER BY o.num
        LIMIT 10";
    SERVER_COUNTERS = "
        SELECT o.id, o.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM org_usage u
        JOIN orgs o ON o.num = u.org_num
        WHERE u.servers <> (SELECT COUNT(*) FROM servers s WHERE s.org_num = u.org_num AND s.removed_at IS NULL)
        ORDER BY o.num
        LIMIT 10";
    LINK_COUNTERS = "
        SELECT o.id, o.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM org_usage u
        JOIN orgs o ON o.num = u.org_num
        LEFT JOIN (SELECT org_num, COUNT(*) AS rows FROM links WHERE ended_at IS NULL GROUP BY org_num) l ON l.org_num = u.org_num
        WHERE u.links <> COALESCE(l.rows, 0)
        ORDER BY o.num
        LIMIT 10";
    GUILD_LINK_COUNTERS = "
        SELECT o.id, g.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM guilds g
        JOIN orgs o ON o.num = g.org_num
        LEFT JOIN (SELECT guild_num, COUNT(*) AS rows FROM links WHERE ended_at IS NULL GROUP BY guild_num) l ON l.guild_num = g.num
        WHERE g.active_links <> COALESCE(l.rows, 0)
        ORDER BY g.num
        LIMIT 10";
    OWNER_COUNTERS = "
        SELECT NULL, a.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM accounts a
        WHERE a.orgs_owned <> (SELECT COUNT(*) FROM orgs o WHERE o.owner_account_num = a.num AND o.removed_at IS NULL)
        ORDER BY a.num
        LIMIT 10";
    DOUBLE_DISCORD = "
        SELECT o.id, d.newest, CAST(COUNT(*) OVER () AS BIGINT)
        FROM (SELECT MAX(org_num) AS org_num, MAX(id) AS newest FROM links WHERE ended_at IS NULL GROUP BY guild_num, discord_id HAVING COUNT(*) > 1) d
        LEFT JOIN orgs o ON o.num = d.org_num
        ORDER BY d.newest
        LIMIT 10";
    DOUBLE_STEAM = "
        SELECT o.id, d.newest, CAST(COUNT(*) OVER () AS BIGINT)
        FROM (SELECT MAX(org_num) AS org_num, MAX(id) AS newest FROM links WHERE ended_at IS NULL GROUP BY guild_num, steam_id HAVING COUNT(*) > 1) d
        LEFT JOIN orgs o ON o.num = d.org_num
        ORDER BY d.newest
        LIMIT 10";
    FOREIGN_LINKS = "
        SELECT o.id, l.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM links l
        LEFT JOIN orgs o ON o.num = l.org_num
        LEFT JOIN guilds g ON g.num = l.guild_num AND g.org_num = l.org_num
        WHERE g.num IS NULL
        ORDER BY l.num
        LIMIT 10";
    SERVERS_WITHOUT_ONE_KEY = "
        SELECT o.id, s.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM servers s
        LEFT JOIN orgs o ON o.num = s.org_num
        WHERE s.removed_at IS NULL
          AND 1 <> (SELECT COUNT(*) FROM api_keys k WHERE k.server_num = s.num AND k.kind = 'plugin')
        ORDER BY s.num
        LIMIT 10";
    PLUGIN_KEYS_WITH_OTHER_ACTIONS = "
        SELECT o.id, k.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM api_keys k
        LEFT JOIN orgs o ON o.num = k.org_num
        WHERE k.kind = 'plugin' AND k.actions <> $1
        ORDER BY k.num
        LIMIT 10";
    FOREIGN_KEYS = "
        SELECT o.id, k.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM api_keys k
        LEFT JOIN orgs o ON o.num = k.org_num
        LEFT JOIN guilds g ON g.num = k.guild_num AND g.org_num = k.org_num
        LEFT JOIN servers s ON s.num = k.server_num AND s.guild_num = k.guild_num AND s.org_num = k.org_num
        WHERE g.num IS NULL OR (k.server_num IS NOT NULL AND s.num IS NULL)
        ORDER BY k.num
        LIMIT 10";
    KEYS_OUT_OF_STEP = "
        SELECT o.id, k.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM api_keys k
        JOIN orgs o ON o.num = k.org_num
        LEFT JOIN servers s ON s.num = k.server_num
        WHERE k.tier <> o.tier
           OR k.refuse_in_query <> o.refuse_query_keys
           OR k.server_active <> COALESCE(s.active, 1)
           OR k.bare_ids <> COALESCE(s.bare_ids, 0)
        ORDER BY k.num
        LIMIT 10";
    ORGS_WITHOUT_USAGE = "
        SELECT o.id, o.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM orgs o
        LEFT JOIN org_usage u ON u.org_num = o.num
        LEFT JOIN audit_heads h ON h.chain = o.num
        WHERE u.org_num IS NULL OR h.chain IS NULL
        ORDER BY o.num
        LIMIT 10";
    OWNERS_AMONG_MEMBERS = "
        SELECT o.id, a.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM orgs o
        JOIN members m ON m.org_num = o.num AND m.account_num = o.owner_account_num
        JOIN accounts a ON a.num = m.account_num
        ORDER BY o.num
        LIMIT 10";
    GUILDS_OF_REMOVED = "
        SELECT o.id, g.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM guilds g
        JOIN orgs o ON o.num = g.org_num
        WHERE o.removed_at IS NOT NULL AND g.removed_at IS NULL
        ORDER BY g.num
        LIMIT 10";
    PEOPLE_OF_REMOVED = "
        SELECT o.id, a.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM members m
        JOIN orgs o ON o.num = m.org_num
        JOIN accounts a ON a.num = m.account_num
        WHERE o.removed_at IS NOT NULL
        ORDER BY o.num, a.num
        LIMIT 10";
    INVITES_OF_REMOVED = "
        SELECT o.id, i.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM invites i
        JOIN orgs o ON o.num = i.org_num
        WHERE o.removed_at IS NOT NULL AND i.revoked_at IS NULL
        ORDER BY i.num
        LIMIT 10";
    SERVERS_OF_REMOVED = "
        SELECT o.id, s.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM servers s
        JOIN guilds g ON g.num = s.guild_num
        JOIN orgs o ON o.num = g.org_num
        WHERE s.removed_at IS NULL AND (o.removed_at IS NOT NULL OR g.removed_at IS NOT NULL)
           OR s.removed_at IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.dedupe IN ('guild.end:' || g.id, 'server.end:' || s.id))
        ORDER BY s.num
        LIMIT 10";
    KEYS_OF_REMOVED = "
        SELECT o.id, k.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM api_keys k
        JOIN guilds g ON g.num = k.guild_num
        JOIN orgs o ON o.num = g.org_num
        LEFT JOIN servers s ON s.num = k.server_num
        WHERE o.removed_at IS NOT NULL OR g.removed_at IS NOT NULL OR s.removed_at IS NOT NULL
        ORDER BY k.num
        LIMIT 10";
    LINKS_OF_REMOVED = "
        SELECT o.id, l.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM links l
        JOIN guilds g ON g.num = l.guild_num
        JOIN orgs o ON o.num = g.org_num
        WHERE l.ended_at IS NULL AND (o.removed_at IS NOT NULL OR g.removed_at IS NOT NULL)
          AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.dedupe = 'guild.end:' || g.id)
        ORDER BY l.num
        LIMIT 10";
    /// What was read on Discord, and what waits to be told there.
    FACTS_OF_REMOVED = "
        SELECT o.id, g.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM guilds g
        JOIN orgs o ON o.num = g.org_num
        WHERE g.removed_at IS NOT NULL
          AND (EXISTS (SELECT 1 FROM guild_bots b WHERE b.guild_num = g.num)
            OR EXISTS (SELECT 1 FROM discord_roles r WHERE r.guild_num = g.num)
            OR EXISTS (SELECT 1 FROM discord_channels c WHERE c.guild_num = g.num)
            OR EXISTS (SELECT 1 FROM log_batches m WHERE m.guild_num = g.num))
          AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.dedupe = 'guild.end:' || g.id)
        ORDER BY g.num
        LIMIT 10";
    BOTS_OF_REMOVED = "
        SELECT o.id, b.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM bots b
        JOIN guilds g ON g.num = b.guild_num
        JOIN orgs o ON o.num = g.org_num
        WHERE g.removed_at IS NOT NULL
        ORDER BY b.num
        LIMIT 10";
    BOT_LEASES_WITHOUT_FENCE = "
        SELECT o.id, b.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM bots b
        LEFT JOIN orgs o ON o.num = b.org_num
        WHERE b.lease_owner IS NOT NULL AND b.fence <= 0
        ORDER BY b.num
        LIMIT 10";
    LANE_COUNTERS = "
        SELECT NULL, n.lane, CAST(COUNT(*) OVER () AS BIGINT)
        FROM job_lanes n
        LEFT JOIN (SELECT lane, COUNT(*) AS rows FROM jobs GROUP BY lane) j ON j.lane = n.lane
        WHERE n.jobs <> COALESCE(j.rows, 0) OR n.jobs = 0
        ORDER BY n.lane
        LIMIT 10";
    JOBS_WITHOUT_LANE = "
        SELECT o.id, j.dedupe, CAST(COUNT(*) OVER () AS BIGINT)
        FROM jobs j
        LEFT JOIN job_lanes n ON n.lane = j.lane
        LEFT JOIN orgs o ON o.num = j.org_num
        WHERE n.lane IS NULL
        ORDER BY j.num
        LIMIT 10";
    LEASES_WITHOUT_FENCE = "
        SELECT NULL, lane, CAST(COUNT(*) OVER () AS BIGINT)
        FROM job_lanes
        WHERE lease_owner IS NOT NULL AND fence <= 0
        ORDER BY lane
        LIMIT 10";
    HALF_ENDED_LINKS = "
        SELECT o.id, l.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM links l
        LEFT JOIN orgs o ON o.num = l.org_num
        WHERE (l.ended_at IS NULL) <> (l.end_cause IS NULL) OR l.ended_at < l.linked_at
        ORDER BY l.num
        LIMIT 10";
}

const CHECKS: [(&str, &Statement); 26] = [
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
        "a removed Org has an invite that was not revoked",
        &INVITES_OF_REMOVED,
    ),
    ("a removed Guild or Org has a Server", &SERVERS_OF_REMOVED),
    ("a removed Guild or Org has a key", &KEYS_OF_REMOVED),
    (
        "a removed Guild or Org has an active link, and no job to end it",
        &LINKS_OF_REMOVED,
    ),
    (
        "a removed Guild is still known on Discord, and no job forgets it",
        &FACTS_OF_REMOVED,
    ),
    ("a removed Guild has a bot", &BOTS_OF_REMOVED),
    ("a bot is taken without a fence", &BOT_LEASES_WITHOUT_FENCE),
    ("a lane's count of jobs differs from its jobs", &LANE_COUNTERS),
    ("a job waits in no lane", &JOBS_WITHOUT_LANE),
    ("a lane is taken without a fence", &LEASES_WITHOUT_FENCE),
];

/// One broken invariant, in words.
pub type Finding = String;

/// A row that breaks an invariant.
struct Culprit {
    org: Option<String>,
    row: String,
    /// How many there are in all.
    times: i64,
}

impl FromRow for Culprit {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            org: row.opt_text(0)?,
            row: row.text(1)?,
            times: row.int(2)?,
        })
    }
}

/// Runs every check. An empty list means that all invariants hold.
pub async fn examine(db: &Db) -> Result<Vec<Finding>, DbError> {
    let mut findings = own_schema::missing(db).await?;
    for (what, statement) in CHECKS {
        note(&mut findings, what, &db.list_heavy(statement, params![]).await?);
    }
    let twelve = db
        .list_heavy(&PLUGIN_KEYS_WITH_OTHER_ACTIONS, params![ActionSet::PLUGIN.bits()])
        .await?;
    note(
        &mut findings,
        "a plugin key does not hold exactly its twelve actions",
        &twelve,
    );
    findings.extend(link_counts::examine(db).await?);
    findings.extend(persons::examine(db).await?);
    findings.extend(tiers::examine(db).await?);
    findings.extend(sent_webhooks::examine(db).await?);
    findings.extend(readable_ids::unreadable(db).await?);
    findings.extend(audit::verify_chains(db).await?);
    findings.extend(db.verify_files().await?);
    Ok(findings)
}

fn note(findings: &mut Vec<Finding>, what: &str, culprits: &[Culprit]) {
    let Some(first) = culprits.first() else {
        return;
    };
    let rows = culprits
        .iter()
        .map(|culprit| place(culprit.org.as_deref(), &culprit.row));
    findings.push(describe(what, first.times, rows.collect()));
}

/// What is broken, how often, and where it was seen first.
pub(crate) fn describe(what: &str, times: i64, mut places: Vec<String>) -> Finding {
    if times > places.len() as i64 {
        places.push("and others".to_owned());
    }
    format!("{what} ({times} times): {}", places.join(", "))
}

/// The row with its Org, if it is not the Org itself.
pub(crate) fn place(org: Option<&str>, row: &str) -> String {
    match org {
        Some(org) if org != row => format!("{row} of {org}"),
        Some(_) | None => row.to_owned(),
    }
}
