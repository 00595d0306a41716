//! What is counted of links by day agrees with the links.

use super::{Culprit, Finding, note};
use crate::db::statement::statements;
use crate::db::{Db, DbError, Statement};
use crate::params;

// Each gives the Org, the Guild and how many Guilds there are in all, for the first few.
statements! {
    LINK_DAYS = "
        SELECT o.id, g.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM (SELECT DISTINCT c.guild_num
              FROM (SELECT guild_num, day, what, times FROM link_days
                    UNION ALL
                    SELECT guild_num, linked_at / 86400000, 'linked', -1 FROM links
                    UNION ALL
                    SELECT guild_num, ended_at / 86400000, end_cause, -1 FROM links WHERE ended_at IS NOT NULL) c
              GROUP BY c.guild_num, c.day, c.what
              HAVING SUM(c.times) <> 0) d
        JOIN guilds g ON g.num = d.guild_num
        JOIN orgs o ON o.num = g.org_num
        ORDER BY g.num
        LIMIT 10";
    LINK_LIVES = "
        SELECT o.id, g.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM (SELECT DISTINCT c.guild_num
              FROM (SELECT guild_num, day, lived, times FROM link_lives
                    UNION ALL
                    SELECT guild_num, linked_at / 86400000,
                           CASE WHEN ended_at - linked_at >= 31536000000 THEN 365
                                WHEN ended_at - linked_at >= 15552000000 THEN 180
                                WHEN ended_at - linked_at >= 7776000000 THEN 90
                                WHEN ended_at - linked_at >= 2592000000 THEN 30
                                WHEN ended_at - linked_at >= 604800000 THEN 7
                                WHEN ended_at - linked_at >= 86400000 THEN 1
                                ELSE 0 END, -1
                    FROM links
                    WHERE ended_at IS NOT NULL) c
              GROUP BY c.guild_num, c.day, c.lived
              HAVING SUM(c.times) <> 0) d
        JOIN guilds g ON g.num = d.guild_num
        JOIN orgs o ON o.num = g.org_num
        ORDER BY g.num
        LIMIT 10";
}

const CHECKS: [(&str, &Statement); 2] = [
    (
        "a Guild's links by day differ from when its links began and ended",
        &LINK_DAYS,
    ),
    (
        "a Guild's counts of how long links lasted differ from its ended links",
        &LINK_LIVES,
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
