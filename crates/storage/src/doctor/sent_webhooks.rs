//! Whatever has messages sent to it can prove who sends them, and belongs to somebody.

use super::{Culprit, Finding, note};
use crate::db::statement::statements;
use crate::db::{Db, DbError, Statement};
use crate::params;

// Each gives the Org, the row and how many there are in all, for the first few.
statements! {
    WITHOUT_SECRET = "
        SELECT o.id, e.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM webhook_endpoints e
        JOIN orgs o ON o.num = e.org_num
        WHERE e.removed_at IS NULL
          AND 1 <> (SELECT COUNT(*) FROM webhook_secrets s WHERE s.endpoint_num = e.num AND s.ends_at IS NULL)
        ORDER BY e.num
        LIMIT 10";
    OF_REMOVED = "
        SELECT o.id, e.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM webhook_endpoints e
        JOIN orgs o ON o.num = e.org_num
        WHERE e.removed_at IS NULL AND o.removed_at IS NOT NULL
        ORDER BY e.num
        LIMIT 10";
    OF_REMOVED_GUILDS = "
        SELECT o.id, g.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM guilds g
        JOIN orgs o ON o.num = g.org_num
        WHERE g.removed_at IS NOT NULL
          AND EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.guild_num = g.num)
          AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.dedupe = 'guild.end:' || g.id)
        ORDER BY g.num
        LIMIT 10";
}

const CHECKS: [(&str, &Statement); 3] = [
    (
        "a webhook does not have exactly one secret that stays",
        &WITHOUT_SECRET,
    ),
    ("a removed Org has a webhook", &OF_REMOVED),
    (
        "a removed Guild has messages of webhooks, and no job forgets them",
        &OF_REMOVED_GUILDS,
    ),
];

pub(super) async fn examine(db: &Db) -> Result<Vec<Finding>, DbError> {
    let mut findings = Vec::new();
    for (what, statement) in CHECKS {
        let culprits: Vec<Culprit> = db.list_heavy(statement, params![]).await?;
        note(&mut findings, what, &culprits);
    }
    Ok(findings)
}
