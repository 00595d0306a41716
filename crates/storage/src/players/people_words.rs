//! People found by the beginnings of words of their names. However common a word is, so many of it are looked at and no more.

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row};
use crate::params;
use crate::players::people_filter::{PeopleFilter, Place, Wanted};
use crate::players::people_pages::Candidate;
use crate::scope::{GuildNum, OrgScope, ServerNum};

/// Whoever has a word that more people have than this is looked for by the other one.
const COMMON: i64 = 2000;

statements! {
    /// Whether somebody fits stands beside them: words that nobody fits are counted, too. PostgreSQL does not know how many will
    /// fit and would take other ways by its guesses; here there is one look at each index for each word.
    BY_WORD: WithWord = "
        SELECT {columns}, CAST(0 AS BIGINT), w.word,
               CASE WHEN NOT EXISTS (SELECT 1 FROM person_words o WHERE o.person_num = w.person_num AND o.word >= $7 AND o.word < w.word)
                     AND EXISTS (SELECT 1 FROM person_words o WHERE o.person_num = w.person_num AND o.word >= $9 AND o.word < $10)
                    THEN 1 ELSE 0 END
        FROM person_words w
        CROSS JOIN people p ON p.num = w.person_num
        LEFT JOIN person_places l ON l.guild_num = $4 AND l.person_num = p.num
        LEFT JOIN person_servers s ON s.server_num = $5 AND s.person_num = p.num
        WHERE w.org_num = $1 AND (w.word, w.person_num) > ($2, $3) AND w.word < $8
        ORDER BY w.word, w.person_num
        LIMIT $6" postgres "
        SELECT {columns}, CAST(0 AS BIGINT), w.word,
               CAST(CASE WHEN (SELECT 1 FROM person_words o
                               WHERE o.person_num = w.person_num AND o.word >= $7 AND o.word < w.word LIMIT 1) IS NULL
                          AND (SELECT 1 FROM person_words o
                               WHERE o.person_num = w.person_num AND o.word >= $9 AND o.word < $10 LIMIT 1) IS NOT NULL
                         THEN 1 ELSE 0 END AS BIGINT)
        FROM (SELECT i.word, i.person_num
              FROM person_words i
              WHERE i.org_num = $1 AND (i.word, i.person_num) > ($2, $3) AND i.word < $8
              ORDER BY i.word, i.person_num
              LIMIT $6) w
        CROSS JOIN LATERAL (SELECT * FROM people q WHERE q.num = w.person_num LIMIT 1) p
        LEFT JOIN LATERAL (
            SELECT * FROM person_places q WHERE q.guild_num = $4 AND q.person_num = w.person_num LIMIT 1) l ON TRUE
        LEFT JOIN LATERAL (
            SELECT * FROM person_servers q WHERE q.server_num = $5 AND q.person_num = w.person_num LIMIT 1) s ON TRUE
        ORDER BY w.word, w.person_num";
    /// There is one if more than so many people have such a word.
    ONE_MORE = "
        SELECT w.person_num
        FROM person_words w
        WHERE w.org_num = $1 AND w.word >= $2 AND w.word < $3
        ORDER BY w.word, w.person_num
        LIMIT 1
        OFFSET $4";
}

/// Somebody who has a word that begins like the first one.
struct WithWord(Candidate);

impl FromRow for WithWord {
    const COLUMNS: &'static str = Candidate::COLUMNS;

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self(Candidate {
            has_words: row.flag(10)?,
            ..Candidate::from_row(row)?
        }))
    }
}

/// Who has a word that begins like the first of these, in the order of those words. Nobody without one.
pub(super) async fn list(
    db: &Db,
    scope: OrgScope,
    words: &[String],
    after: Option<&Place>,
    (guild, server): (GuildNum, ServerNum),
    limit: i64,
) -> Result<Vec<Candidate>, DbError> {
    let Some((first, second)) = words.first().zip(words.last()) else {
        return Ok(Vec::new());
    };
    // A place of before the other word was the rarer one is none of this order.
    let after = after.filter(|place| place.text >= *first);
    let (text, num) = after.map_or((&**first, 0), |place| (&*place.text, place.num));
    let (first_end, second_end) = (after_all_of(first), after_all_of(second));
    let values = params![
        scope.num(),
        text,
        num,
        guild,
        server,
        limit,
        &**first,
        &*first_end,
        &**second,
        &*second_end
    ];
    let found: Vec<WithWord> = db.list_heavy(&BY_WORD, values).await?;
    Ok(found.into_iter().map(|one| one.0).collect())
}

/// The same filter, with the rarer of two words first.
pub(super) async fn rarer_first(
    db: &Db,
    scope: OrgScope,
    filter: &PeopleFilter,
) -> Result<PeopleFilter, DbError> {
    let mut filter = filter.clone();
    if let Wanted::Words(words) = &mut filter.wanted
        && let [first, second] = &mut words[..]
        && is_common(db, scope, first).await?
        && !is_common(db, scope, second).await?
    {
        std::mem::swap(first, second);
    }
    Ok(filter)
}

async fn is_common(db: &Db, scope: OrgScope, word: &str) -> Result<bool, DbError> {
    let end = after_all_of(word);
    let more: Vec<i64> = db
        .list_heavy(&ONE_MORE, params![scope.num(), word, &end, COMMON])
        .await?;
    Ok(!more.is_empty())
}

/// The end of the range of all words that begin like this.
fn after_all_of(beginning: &str) -> String {
    let mut end = beginning.to_owned();
    end.push(char::MAX);
    end
}
