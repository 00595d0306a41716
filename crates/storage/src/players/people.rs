//! Everybody who is or was linked in an Org, as far as lists and scores need it. Written under the Org's lock alone.

use std::collections::{BTreeMap, BTreeSet};

use domain::link::UnlinkCause;
use domain::person::{OwnLink, Person};
use serde_json::{Value, json};

use crate::columns::json_list;
use crate::db::statement::statements;
use crate::db::{DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::OrgScope;

/// Whether the account of a row `l` of `person_places` is still theirs: where their link has ended, it is until somebody else
/// is linked with it. The Org is named so that an index leads to the few links of the account.
pub(crate) const STILL_THEIRS: &str = "\
    (l.active = 1 OR NOT EXISTS (
        SELECT 1 FROM links n
        WHERE n.org_num = l.org_num AND n.steam_id = l.steam_id AND n.guild_num = l.guild_num
          AND (CASE WHEN n.ended_at IS NULL THEN 9223372036854775807 ELSE n.linked_at END, n.num) > (l.linked_at, l.link_num)
          AND n.discord_id <> (SELECT o.discord_id FROM people o WHERE o.num = l.person_num)))";

statements! {
    LINKS: LinkOf = "
        SELECT {columns}
        FROM json_each($2) asked
        CROSS JOIN links l ON l.org_num = $1 AND l.discord_id = asked.value
        LEFT JOIN dormant_links d ON d.link_num = l.num
        ORDER BY l.num" postgres "
        SELECT {columns}
        FROM links l
        LEFT JOIN dormant_links d ON d.link_num = l.num
        WHERE l.org_num = $1
          AND l.discord_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))
        ORDER BY l.num";
    KNOWN: KnownPerson = "
        SELECT {columns}
        FROM json_each($2) asked
        CROSS JOIN people p ON p.org_num = $1 AND p.discord_id = asked.value" postgres "
        SELECT {columns}
        FROM people p
        WHERE p.org_num = $1
          AND p.discord_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))";
    /// Somebody new has no score yet; their two accounts are all that hangs together until somebody looks.
    STORE = "
        INSERT INTO people (org_num, discord_id, link_num, active_links, linked_at, first_linked_at, country, sort_name, name_words,
                            steam_ids, churn, flagged_at, accounts, best_class, score, stability, cross_server, age, multi, scored_at)
        SELECT CAST($1 AS BIGINT), p.value ->> 'discord_id', CAST(p.value ->> 'link_num' AS BIGINT),
               CAST(p.value ->> 'active_links' AS BIGINT), CAST(p.value ->> 'linked_at' AS BIGINT),
               CAST(p.value ->> 'first_linked_at' AS BIGINT), p.value ->> 'country', p.value ->> 'sort_name',
               p.value ->> 'name_words', CAST(p.value ->> 'steam_ids' AS BIGINT), CAST(p.value ->> 'churn' AS BIGINT),
               CAST(p.value ->> 'flagged_at' AS BIGINT), 2, 'default', 0, 0, 0, 0, 0, 0
        FROM json_each($2) p
        WHERE TRUE
        ON CONFLICT (org_num, discord_id) DO UPDATE SET
            link_num = excluded.link_num, active_links = excluded.active_links, linked_at = excluded.linked_at,
            first_linked_at = excluded.first_linked_at, country = excluded.country, sort_name = excluded.sort_name,
            name_words = excluded.name_words, steam_ids = excluded.steam_ids, churn = excluded.churn,
            flagged_at = excluded.flagged_at" postgres "
        INSERT INTO people (org_num, discord_id, link_num, active_links, linked_at, first_linked_at, country, sort_name, name_words,
                            steam_ids, churn, flagged_at, accounts, best_class, score, stability, cross_server, age, multi, scored_at)
        SELECT CAST($1 AS BIGINT), p ->> 'discord_id', CAST(p ->> 'link_num' AS BIGINT),
               CAST(p ->> 'active_links' AS BIGINT), CAST(p ->> 'linked_at' AS BIGINT),
               CAST(p ->> 'first_linked_at' AS BIGINT), p ->> 'country', p ->> 'sort_name',
               p ->> 'name_words', CAST(p ->> 'steam_ids' AS BIGINT), CAST(p ->> 'churn' AS BIGINT),
               CAST(p ->> 'flagged_at' AS BIGINT), 2, 'default', 0, 0, 0, 0, 0, 0
        FROM jsonb_array_elements(CAST(CAST($2 AS TEXT) AS JSONB)) p
        ON CONFLICT (org_num, discord_id) DO UPDATE SET
            link_num = excluded.link_num, active_links = excluded.active_links, linked_at = excluded.linked_at,
            first_linked_at = excluded.first_linked_at, country = excluded.country, sort_name = excluded.sort_name,
            name_words = excluded.name_words, steam_ids = excluded.steam_ids, churn = excluded.churn,
            flagged_at = excluded.flagged_at";
    STORE_PLACES = "
        INSERT INTO person_places (guild_num, org_num, person_num, link_num, steam_id, linked_at, active, flagged_at)
        SELECT CAST(p.value ->> 'guild' AS BIGINT), CAST($1 AS BIGINT), CAST(p.value ->> 'person' AS BIGINT),
               CAST(p.value ->> 'link' AS BIGINT), p.value ->> 'steam_id', CAST(p.value ->> 'linked_at' AS BIGINT),
               CAST(p.value ->> 'active' AS BIGINT), CAST(p.value ->> 'flagged_at' AS BIGINT)
        FROM json_each($2) p
        WHERE TRUE
        ON CONFLICT (guild_num, person_num) DO UPDATE SET
            link_num = excluded.link_num, steam_id = excluded.steam_id, linked_at = excluded.linked_at, active = excluded.active,
            flagged_at = excluded.flagged_at" postgres "
        INSERT INTO person_places (guild_num, org_num, person_num, link_num, steam_id, linked_at, active, flagged_at)
        SELECT CAST(p ->> 'guild' AS BIGINT), CAST($1 AS BIGINT), CAST(p ->> 'person' AS BIGINT),
               CAST(p ->> 'link' AS BIGINT), p ->> 'steam_id', CAST(p ->> 'linked_at' AS BIGINT),
               CAST(p ->> 'active' AS BIGINT), CAST(p ->> 'flagged_at' AS BIGINT)
        FROM jsonb_array_elements(CAST(CAST($2 AS TEXT) AS JSONB)) p
        ON CONFLICT (guild_num, person_num) DO UPDATE SET
            link_num = excluded.link_num, steam_id = excluded.steam_id, linked_at = excluded.linked_at, active = excluded.active,
            flagged_at = excluded.flagged_at";
    FORGET_WORDS = "
        DELETE FROM person_words
        WHERE person_num IN (SELECT CAST(asked.value AS BIGINT) FROM json_each($1) asked)" postgres "
        DELETE FROM person_words
        WHERE person_num = ANY (ARRAY(SELECT CAST(value AS BIGINT) FROM jsonb_array_elements_text(CAST(CAST($1 AS TEXT) AS JSONB)) value))";
    STORE_WORDS = "
        INSERT INTO person_words (org_num, word, person_num)
        SELECT CAST($1 AS BIGINT), w.value ->> 'word', CAST(w.value ->> 'person' AS BIGINT)
        FROM json_each($2) w" postgres "
        INSERT INTO person_words (org_num, word, person_num)
        SELECT CAST($1 AS BIGINT), w ->> 'word', CAST(w ->> 'person' AS BIGINT)
        FROM jsonb_array_elements(CAST(CAST($2 AS TEXT) AS JSONB)) w";
    /// Servers on which they are no more with the account that is theirs there.
    FORGET_SERVERS = "
        DELETE FROM person_servers
        WHERE person_num IN (SELECT CAST(asked.value AS BIGINT) FROM json_each($1) asked)
          AND NOT EXISTS (
            SELECT 1
            FROM person_places l
            CROSS JOIN server_players s ON s.server_num = person_servers.server_num AND s.steam_id = l.steam_id
            WHERE l.person_num = person_servers.person_num AND l.guild_num = s.guild_num
              AND {condition})" postgres "
        DELETE FROM person_servers
        WHERE person_num = ANY (ARRAY(SELECT CAST(value AS BIGINT) FROM jsonb_array_elements_text(CAST(CAST($1 AS TEXT) AS JSONB)) value))
          AND NOT EXISTS (
            SELECT 1
            FROM person_places l
            JOIN server_players s ON s.server_num = person_servers.server_num AND s.steam_id = l.steam_id
            WHERE l.person_num = person_servers.person_num AND l.guild_num = s.guild_num
              AND {condition})" with STILL_THEIRS;
    STORE_SERVERS = "
        INSERT INTO person_servers (server_num, person_num, linked_at)
        SELECT s.server_num, l.person_num, l.linked_at
        FROM json_each($2) asked
        CROSS JOIN person_places l ON l.person_num = CAST(asked.value AS BIGINT)
        CROSS JOIN server_players s ON s.org_num = $1 AND s.steam_id = l.steam_id AND s.guild_num = l.guild_num
        JOIN servers v ON v.num = s.server_num AND v.removed_at IS NULL
        WHERE {condition}
        ON CONFLICT (server_num, person_num) DO UPDATE SET linked_at = excluded.linked_at" postgres "
        INSERT INTO person_servers (server_num, person_num, linked_at)
        SELECT s.server_num, l.person_num, l.linked_at
        FROM person_places l
        JOIN server_players s ON s.org_num = $1 AND s.steam_id = l.steam_id AND s.guild_num = l.guild_num
        JOIN servers v ON v.num = s.server_num AND v.removed_at IS NULL
        WHERE l.person_num = ANY (ARRAY(SELECT CAST(value AS BIGINT) FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))
          AND {condition}
        ON CONFLICT (server_num, person_num) DO UPDATE SET linked_at = excluded.linked_at" with STILL_THEIRS;
    /// Who was the last to be linked with an account before somebody else was, in each Guild where something is known of it. Whoever
    /// had it before them lost it to them.
    BEFORE_THEM = "
        SELECT DISTINCT o.discord_id
        FROM links m
        JOIN links o ON o.num = (
            SELECT b.num
            FROM links b
            WHERE b.guild_num = m.guild_num AND b.steam_id = m.steam_id AND b.ended_at IS NOT NULL AND b.discord_id <> m.discord_id
            ORDER BY b.linked_at DESC, b.num DESC
            LIMIT 1)
        WHERE m.org_num = $1 AND m.discord_id = $2 AND m.ended_at IS NULL
          AND EXISTS (SELECT 1 FROM server_players s WHERE s.org_num = $1 AND s.steam_id = m.steam_id AND s.guild_num = m.guild_num)
        ORDER BY o.discord_id";
    SET_ACCOUNTS = "
        UPDATE people
        SET accounts = $3
        WHERE org_num = $1 AND accounts <> $3
          AND discord_id IN (SELECT asked.value FROM json_each($2) asked)" postgres "
        UPDATE people
        SET accounts = $3
        WHERE org_num = $1 AND accounts <> $3
          AND discord_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))";
}

/// A link of one of the asked accounts.
struct LinkOf {
    discord_id: String,
    link: OwnLink,
}

impl FromRow for LinkOf {
    const COLUMNS: &'static str = "\
        l.discord_id, l.num, l.guild_num, l.steam_id, l.discord_name, l.steam_name, l.country, l.linked_at, l.end_cause, d.flagged_at";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let cause = |text: &str| {
            UnlinkCause::parse(text).ok_or_else(|| DbError::Bug(format!("unknown cause {text}")))
        };
        Ok(Self {
            discord_id: row.text(0)?,
            link: OwnLink {
                num: row.int(1)?,
                guild_num: row.int(2)?,
                steam_id: row.text(3)?,
                discord_name: row.opt_text(4)?,
                steam_name: row.opt_text(5)?,
                country: row.opt_text(6)?,
                linked_at_ms: row.int(7)?,
                ended: row.opt_text(8)?.map(|text| cause(&text)).transpose()?,
                flagged_at_ms: row.opt_int(9)?,
            },
        })
    }
}

/// Somebody who has a row.
#[derive(Debug, Clone)]
pub struct KnownPerson {
    /// The row.
    pub num: i64,
    /// Whose.
    pub discord_id: String,
    /// As they are stored.
    pub name_words: String,
    /// Accounts that hang together with theirs.
    pub accounts: i64,
}

impl FromRow for KnownPerson {
    const COLUMNS: &'static str = "p.num, p.discord_id, p.name_words, p.accounts";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            num: row.int(0)?,
            discord_id: row.text(1)?,
            name_words: row.text(2)?,
            accounts: row.int(3)?,
        })
    }
}

/// Those of these Discord ids that have a row.
pub async fn list_known<'a>(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    ids: impl Iterator<Item = &'a str>,
) -> Result<Vec<KnownPerson>, DbError> {
    tx.list(&KNOWN, params![scope.num(), &json_list(ids)]).await
}

/// Brings the rows of these Discord ids in line with their links, and tells who they are. Their scores are the caller's,
/// in the same unit. Under the Org's lock.
pub async fn follow(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    ids: &BTreeSet<String>,
) -> Result<Vec<KnownPerson>, DbError> {
    let org = scope.num();
    let asked = json_list(ids.iter().map(String::as_str));
    let mut links: BTreeMap<String, Vec<OwnLink>> = BTreeMap::new();
    for found in tx.list::<LinkOf>(&LINKS, params![org, &asked]).await? {
        links.entry(found.discord_id).or_default().push(found.link);
    }
    let people: BTreeMap<&str, Person> = links
        .iter()
        .filter_map(|(id, links)| Some((&**id, Person::of(id, links)?)))
        .collect();
    let before: BTreeMap<String, String> = tx
        .list::<KnownPerson>(&KNOWN, params![org, &asked])
        .await?
        .into_iter()
        .map(|known| (known.discord_id, known.name_words))
        .collect();
    let rows: Value = people.iter().map(|(id, person)| row_of(id, person)).collect();
    tx.execute(&STORE, params![org, &rows.to_string()]).await?;
    let known: Vec<KnownPerson> = tx.list(&KNOWN, params![org, &asked]).await?;
    let (mut places, mut renamed, mut words) = (Vec::new(), Vec::new(), Vec::new());
    for one in &known {
        let Some(person) = people.get(&*one.discord_id) else {
            continue;
        };
        places.extend(places_of(one.num, person));
        if before.get(&one.discord_id) != Some(&one.name_words) {
            renamed.push(one.num);
            words.extend(
                person
                    .words
                    .iter()
                    .map(|word| json!({ "person": one.num, "word": word })),
            );
        }
    }
    tx.execute(&STORE_PLACES, params![org, &Value::from(places).to_string()])
        .await?;
    if !renamed.is_empty() {
        tx.execute(&FORGET_WORDS, params![&json_nums(renamed.into_iter())])
            .await?;
        tx.execute(&STORE_WORDS, params![org, &Value::from(words).to_string()])
            .await?;
    }
    let nums: Vec<i64> = known.iter().map(|known| known.num).collect();
    follow_servers(tx, scope, &nums).await?;
    Ok(known)
}

fn row_of(id: &str, person: &Person) -> Value {
    let words: Vec<&str> = person.words.iter().map(String::as_str).collect();
    json!({
        "discord_id": id,
        "link_num": person.link_num,
        "active_links": person.active_links,
        "linked_at": person.linked_at_ms,
        "first_linked_at": person.first_linked_at_ms,
        "country": person.country,
        "sort_name": person.sort_name,
        "name_words": words.join(" "),
        "steam_ids": person.steam_ids,
        "churn": person.churn,
        "flagged_at": person.flagged_at_ms,
    })
}

fn places_of(person_num: i64, person: &Person) -> impl Iterator<Item = Value> {
    person.places.iter().map(move |place| {
        json!({
            "guild": place.guild_num,
            "person": person_num,
            "link": place.link_num,
            "steam_id": place.steam_id,
            "linked_at": place.linked_at_ms,
            "active": i64::from(place.is_active),
            "flagged_at": place.flagged_at_ms,
        })
    })
}

/// Brings in line on which Servers these people are found. Under the Org's lock.
pub async fn follow_servers(tx: &mut Tx<'_>, scope: OrgScope, people: &[i64]) -> Result<(), DbError> {
    let nums = json_nums(people.iter().copied());
    tx.execute(&FORGET_SERVERS, params![&nums]).await?;
    tx.execute(&STORE_SERVERS, params![scope.num(), &nums])
        .await
        .map(drop)
}

/// Who was linked last, before them, with an account that is this person's now: what is reported of it is theirs no more.
pub async fn list_before_them(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    discord_id: &str,
) -> Result<Vec<String>, DbError> {
    tx.list(&BEFORE_THEM, params![scope.num(), discord_id]).await
}

/// Notes how many accounts hang together with each of these.
pub async fn set_accounts<'a>(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    ids: impl Iterator<Item = &'a str>,
    accounts: i64,
) -> Result<(), DbError> {
    let asked = json_list(ids);
    tx.execute(&SET_ACCOUNTS, params![scope.num(), &asked, accounts])
        .await
        .map(drop)
}

/// A JSON array of row numbers.
pub(crate) fn json_nums(nums: impl Iterator<Item = i64>) -> String {
    Value::from_iter(nums).to_string()
}
