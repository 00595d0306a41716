//! What is kept of people beside their links agrees with the links.

use super::{Culprit, Finding, note};
use crate::db::statement::statements;
use crate::db::{Db, DbError, Statement};
use crate::params;
use crate::players::people::STILL_THEIRS;

// Each gives the Org, the row and how many there are in all, for the first few. People are told by a link of theirs.
statements! {
    MISSING = "
        SELECT o.id, m.newest, CAST(COUNT(*) OVER () AS BIGINT)
        FROM (SELECT l.org_num, MAX(l.id) AS newest
              FROM links l
              WHERE substr(l.discord_id, 1, 2) <> 'x:'
                AND NOT EXISTS (SELECT 1 FROM people p WHERE p.org_num = l.org_num AND p.discord_id = l.discord_id)
              GROUP BY l.org_num, l.discord_id) m
        JOIN orgs o ON o.num = m.org_num AND o.people_swept_at > 0
        ORDER BY m.newest
        LIMIT 10";
    STANDING = "
        SELECT o.id, 'person ' || p.num, CAST(COUNT(*) OVER () AS BIGINT)
        FROM people p
        JOIN orgs o ON o.num = p.org_num
        LEFT JOIN links l ON l.num = p.link_num AND l.org_num = p.org_num AND l.discord_id = p.discord_id
        WHERE l.num IS NULL OR l.linked_at <> p.linked_at OR (l.ended_at IS NULL) <> (p.active_links > 0)
           OR l.country IS DISTINCT FROM p.country
        ORDER BY p.num
        LIMIT 10";
    COUNTS = "
        SELECT o.id, 'person ' || p.num, CAST(COUNT(*) OVER () AS BIGINT)
        FROM people p
        JOIN orgs o ON o.num = p.org_num
        LEFT JOIN (SELECT l.org_num, l.discord_id, COUNT(*) AS links,
                          SUM(CASE WHEN l.ended_at IS NULL THEN 1 ELSE 0 END) AS active,
                          SUM(CASE WHEN l.end_cause IN ('user', 'plugin', 'relink') THEN 1 ELSE 0 END) AS churn,
                          MIN(l.linked_at) AS first
                   FROM links l
                   GROUP BY l.org_num, l.discord_id) c ON c.org_num = p.org_num AND c.discord_id = p.discord_id
        WHERE c.links IS NULL OR c.active <> p.active_links OR c.churn <> p.churn OR c.first <> p.first_linked_at
        ORDER BY p.num
        LIMIT 10";
    PLACES = "
        SELECT o.id, 'person ' || t.person_num, CAST(COUNT(*) OVER () AS BIGINT)
        FROM person_places t
        JOIN people p ON p.num = t.person_num
        JOIN orgs o ON o.num = p.org_num
        LEFT JOIN links l ON l.num = t.link_num AND l.guild_num = t.guild_num AND l.discord_id = p.discord_id
        WHERE l.num IS NULL OR l.steam_id <> t.steam_id OR l.linked_at <> t.linked_at
           OR (CASE WHEN l.ended_at IS NULL THEN 1 ELSE 0 END) <> t.active
        ORDER BY t.person_num
        LIMIT 10";
    WORDS = "
        SELECT o.id, 'person ' || p.num, CAST(COUNT(*) OVER () AS BIGINT)
        FROM people p
        JOIN orgs o ON o.num = p.org_num
        LEFT JOIN (SELECT person_num, COUNT(*) AS words FROM person_words GROUP BY person_num) w ON w.person_num = p.num
        WHERE p.name_words <> ''
          AND COALESCE(w.words, 0) < LENGTH(p.name_words) - LENGTH(REPLACE(p.name_words, ' ', '')) + 1
        ORDER BY p.num
        LIMIT 10";
    /// What only a round finds out may wait for one that was asked for.
    MISPLACED = "
        SELECT o.id, 'person ' || v.person_num, CAST(COUNT(*) OVER () AS BIGINT)
        FROM person_servers v
        JOIN servers h ON h.num = v.server_num AND h.removed_at IS NULL
        JOIN people p ON p.num = v.person_num
        JOIN orgs o ON o.num = p.org_num AND o.people_swept_at > 0
        WHERE NOT EXISTS (SELECT 1 FROM jobs j WHERE j.dedupe = 'people.sweep:' || o.id)
          AND NOT EXISTS (
            SELECT 1
            FROM person_places l
            JOIN server_players s ON s.server_num = v.server_num AND s.steam_id = l.steam_id AND s.guild_num = l.guild_num
            WHERE l.person_num = v.person_num AND {condition})
        ORDER BY v.person_num
        LIMIT 10" with STILL_THEIRS;
    /// A flag is that of an active link, and whoever has one is shown with it.
    FLAGS = "
        SELECT o.id, 'person ' || t.person_num, CAST(COUNT(*) OVER () AS BIGINT)
        FROM person_places t
        JOIN people p ON p.num = t.person_num
        JOIN orgs o ON o.num = p.org_num
        LEFT JOIN dormant_links d ON d.link_num = t.link_num AND t.active = 1
        WHERE COALESCE(d.flagged_at, 0) <> COALESCE(t.flagged_at, 0) OR (t.flagged_at IS NOT NULL AND p.flagged_at IS NULL)
        ORDER BY t.person_num
        LIMIT 10";
    ENDED_FLAGS = "
        SELECT o.id, l.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM dormant_links d
        JOIN orgs o ON o.num = d.org_num
        JOIN links l ON l.num = d.link_num
        WHERE l.ended_at IS NOT NULL
        ORDER BY l.id
        LIMIT 10";
    CLOSE_POINTS = "
        SELECT o.id, 'person ' || t.person_num, CAST(COUNT(*) OVER () AS BIGINT)
        FROM (SELECT person_num, at, score,
                     LAG(at) OVER (PARTITION BY person_num ORDER BY at) AS before_at,
                     LAG(score) OVER (PARTITION BY person_num ORDER BY at) AS before_score
              FROM trust_points) t
        JOIN people p ON p.num = t.person_num
        JOIN orgs o ON o.num = p.org_num
        WHERE t.at - t.before_at < 3600000 OR t.score = t.before_score
        ORDER BY t.person_num
        LIMIT 10";
}

const CHECKS: [(&str, &Statement); 9] = [
    (
        "somebody who is or was linked is not among the Org's people",
        &MISSING,
    ),
    (
        "a person is shown by a link that does not stand for them",
        &STANDING,
    ),
    ("what is counted of a person differs from their links", &COUNTS),
    (
        "a person is shown in a Guild by a link that does not stand for them there",
        &PLACES,
    ),
    ("a person cannot be found by a word of their names", &WORDS),
    (
        "a person is found on a Server with an account that is not theirs there",
        &MISPLACED,
    ),
    ("a person is shown with another flag than their link has", &FLAGS),
    ("a link that ended is flagged as dormant", &ENDED_FLAGS),
    (
        "two points of a person's trust history are too close or alike",
        &CLOSE_POINTS,
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
