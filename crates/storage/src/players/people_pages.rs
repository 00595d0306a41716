//! Pages of an Org's people. Each filter and each order has its index; what else is asked for is looked at row by row.

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row};
use crate::params;
pub use crate::players::people_filter::{ALL_SCORES, Order, PeopleFilter, Place, Status, Wanted};
use crate::players::people_words;
use crate::scope::OrgScope;

/// Rows that are looked at in one go where only some of them fit.
const CHUNK: i64 = 2000;
/// Of those, in one go.
const MOST_CHUNKS: usize = 25;

statements! {
    NEWEST: Candidate = "
        SELECT {columns}, p.linked_at, ''
        FROM people p
        LEFT JOIN person_places l ON l.guild_num = $4 AND l.person_num = p.num
        LEFT JOIN person_servers s ON s.server_num = $5 AND s.person_num = p.num
        WHERE p.org_num = $1 AND (p.linked_at, p.num) < ($2, $3)
        ORDER BY p.linked_at DESC, p.num DESC
        LIMIT $6";
    OLDEST: Candidate = "
        SELECT {columns}, p.linked_at, ''
        FROM people p
        LEFT JOIN person_places l ON l.guild_num = $4 AND l.person_num = p.num
        LEFT JOIN person_servers s ON s.server_num = $5 AND s.person_num = p.num
        WHERE p.org_num = $1 AND (p.linked_at, p.num) > ($2, $3)
        ORDER BY p.linked_at, p.num
        LIMIT $6";
    ACTIVE: Candidate = "
        SELECT {columns}, p.linked_at, ''
        FROM people p
        LEFT JOIN person_places l ON l.guild_num = $4 AND l.person_num = p.num
        LEFT JOIN person_servers s ON s.server_num = $5 AND s.person_num = p.num
        WHERE p.org_num = $1 AND p.active_links > 0 AND (p.linked_at, p.num) < ($2, $3)
        ORDER BY p.linked_at DESC, p.num DESC
        LIMIT $6";
    ARCHIVED: Candidate = "
        SELECT {columns}, p.linked_at, ''
        FROM people p
        LEFT JOIN person_places l ON l.guild_num = $4 AND l.person_num = p.num
        LEFT JOIN person_servers s ON s.server_num = $5 AND s.person_num = p.num
        WHERE p.org_num = $1 AND p.active_links = 0 AND (p.linked_at, p.num) < ($2, $3)
        ORDER BY p.linked_at DESC, p.num DESC
        LIMIT $6";
    FLAGGED: Candidate = "
        SELECT {columns}, p.linked_at, ''
        FROM people p
        LEFT JOIN person_places l ON l.guild_num = $4 AND l.person_num = p.num
        LEFT JOIN person_servers s ON s.server_num = $5 AND s.person_num = p.num
        WHERE p.org_num = $1 AND p.flagged_at IS NOT NULL AND (p.linked_at, p.num) < ($2, $3)
        ORDER BY p.linked_at DESC, p.num DESC
        LIMIT $6";
    OF_COUNTRY: Candidate = "
        SELECT {columns}, p.linked_at, ''
        FROM people p
        LEFT JOIN person_places l ON l.guild_num = $4 AND l.person_num = p.num
        LEFT JOIN person_servers s ON s.server_num = $5 AND s.person_num = p.num
        WHERE p.org_num = $1 AND p.country = $7 AND (p.linked_at, p.num) < ($2, $3)
        ORDER BY p.linked_at DESC, p.num DESC
        LIMIT $6";
    HIGHEST: Candidate = "
        SELECT {columns}, p.score, ''
        FROM people p
        LEFT JOIN person_places l ON l.guild_num = $4 AND l.person_num = p.num
        LEFT JOIN person_servers s ON s.server_num = $5 AND s.person_num = p.num
        WHERE p.org_num = $1 AND (p.score, p.num) < ($2, $3)
        ORDER BY p.score DESC, p.num DESC
        LIMIT $6";
    LOWEST: Candidate = "
        SELECT {columns}, p.score, ''
        FROM people p
        LEFT JOIN person_places l ON l.guild_num = $4 AND l.person_num = p.num
        LEFT JOIN person_servers s ON s.server_num = $5 AND s.person_num = p.num
        WHERE p.org_num = $1 AND (p.score, p.num) > ($2, $3)
        ORDER BY p.score, p.num
        LIMIT $6";
    BY_NAME: Candidate = "
        SELECT {columns}, CAST(0 AS BIGINT), p.sort_name
        FROM people p
        LEFT JOIN person_places l ON l.guild_num = $4 AND l.person_num = p.num
        LEFT JOIN person_servers s ON s.server_num = $5 AND s.person_num = p.num
        WHERE p.org_num = $1 AND (p.sort_name, p.num) > ($2, $3)
        ORDER BY p.sort_name, p.num
        LIMIT $6";
    OF_GUILD: Candidate = "
        SELECT {columns}, l.linked_at, ''
        FROM person_places l
        CROSS JOIN people p ON p.num = l.person_num
        LEFT JOIN person_servers s ON s.server_num = $5 AND s.person_num = p.num
        WHERE l.guild_num = $4 AND l.org_num = $1 AND (l.linked_at, l.person_num) < ($2, $3)
        ORDER BY l.linked_at DESC, l.person_num DESC
        LIMIT $6" postgres "
        SELECT {columns}, l.linked_at, ''
        FROM person_places l
        JOIN people p ON p.num = l.person_num
        LEFT JOIN person_servers s ON s.server_num = $5 AND s.person_num = p.num
        WHERE l.guild_num = $4 AND l.org_num = $1 AND (l.linked_at, l.person_num) < ($2, $3)
        ORDER BY l.linked_at DESC, l.person_num DESC
        LIMIT $6";
    OF_SERVER: Candidate = "
        SELECT {columns}, s.linked_at, ''
        FROM person_servers s
        CROSS JOIN people p ON p.num = s.person_num AND p.org_num = $1
        LEFT JOIN person_places l ON l.guild_num = $4 AND l.person_num = p.num
        WHERE s.server_num = $5 AND (s.linked_at, s.person_num) < ($2, $3)
        ORDER BY s.linked_at DESC, s.person_num DESC
        LIMIT $6" postgres "
        SELECT {columns}, s.linked_at, ''
        FROM person_servers s
        JOIN people p ON p.num = s.person_num AND p.org_num = $1
        LEFT JOIN person_places l ON l.guild_num = $4 AND l.person_num = p.num
        WHERE s.server_num = $5 AND (s.linked_at, s.person_num) < ($2, $3)
        ORDER BY s.linked_at DESC, s.person_num DESC
        LIMIT $6";
    /// Also by an account that they once had.
    OF_ACCOUNT: Candidate = "
        SELECT {columns}, p.num, ''
        FROM people p
        LEFT JOIN person_places l ON l.guild_num = $4 AND l.person_num = p.num
        LEFT JOIN person_servers s ON s.server_num = $5 AND s.person_num = p.num
        WHERE p.org_num = $1 AND p.num > $3
          AND p.discord_id IN (
            SELECT CAST($2 AS TEXT)
            UNION
            SELECT k.discord_id FROM links k WHERE k.org_num = $1 AND k.steam_id = $2)
        ORDER BY p.num
        LIMIT $6";
}

/// Somebody whom the order comes to, as far as it is needed to say whether they fit.
pub(super) struct Candidate {
    pub place: Place,
    pub country: Option<String>,
    pub score: i64,
    pub is_active: bool,
    pub is_flagged: bool,
    pub is_active_there: Option<bool>,
    pub is_flagged_there: bool,
    pub is_on_server: bool,
    /// Of a search by name: every word of it begins one of theirs, and this is the first one that does.
    pub has_words: bool,
}

impl FromRow for Candidate {
    const COLUMNS: &'static str = "\
        p.num, p.country, p.score, p.active_links, l.active, s.server_num, p.flagged_at, l.flagged_at";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            country: row.opt_text(1)?,
            score: row.int(2)?,
            is_active: row.int(3)? > 0,
            is_active_there: row.opt_int(4)?.map(|active| active == 1),
            is_on_server: row.opt_int(5)?.is_some(),
            is_flagged: row.opt_int(6)?.is_some(),
            is_flagged_there: row.opt_int(7)?.is_some(),
            has_words: true,
            place: Place {
                num: row.int(0)?,
                number: row.int(8)?,
                text: row.text(9)?,
            },
        })
    }
}

/// People who fit, and where to look on.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// In order.
    pub places: Vec<Place>,
    /// After whom there may be more; nothing at the end.
    pub next: Option<Place>,
}

/// Up to `limit` people who fit, in the order and after the place. Who looks for few among many gets those of the first
/// part, and where to look on: nobody keeps the database busy for long.
pub async fn list(
    db: &Db,
    scope: OrgScope,
    filter: &PeopleFilter,
    order: Order,
    mut after: Option<Place>,
    limit: usize,
) -> Result<Found, DbError> {
    let filter = &people_words::rarer_first(db, scope, filter).await?;
    let chunk = if filter.is_all(order) {
        limit as i64 + 1
    } else {
        CHUNK
    };
    let mut places = Vec::new();
    for _ in 0..MOST_CHUNKS {
        let next = list_next(db, scope, filter, order, after.as_ref(), chunk).await?;
        let is_short = (next.len() as i64) < chunk;
        let is_over = is_short || next.last().is_some_and(|last| filter.is_behind(order, last));
        let last = next.last().map(|one| one.place.clone());
        let fitting = next.into_iter().filter(|one| filter.fits(one));
        places.extend(fitting.map(|one| one.place));
        if places.len() > limit {
            places.truncate(limit);
            let next = places.last().cloned();
            return Ok(Found { places, next });
        }
        if is_over {
            return Ok(Found { places, next: None });
        }
        after = last;
    }
    Ok(Found { places, next: after })
}

async fn list_next(
    db: &Db,
    scope: OrgScope,
    filter: &PeopleFilter,
    order: Order,
    after: Option<&Place>,
    limit: i64,
) -> Result<Vec<Candidate>, DbError> {
    let (org, num) = (scope.num(), after.map_or(0, |place| place.num));
    let (guild, server) = filter.nums();
    match &filter.wanted {
        Wanted::All => list_ordered(db, scope, filter, order, after, limit).await,
        Wanted::Account(id) => {
            let values = params![org, &**id, num, guild, server, limit];
            db.list_heavy(&OF_ACCOUNT, values).await
        }
        Wanted::Words(words) => people_words::list(db, scope, words, after, (guild, server), limit).await,
    }
}

async fn list_ordered(
    db: &Db,
    scope: OrgScope,
    filter: &PeopleFilter,
    order: Order,
    after: Option<&Place>,
    limit: i64,
) -> Result<Vec<Candidate>, DbError> {
    let (org, (guild, server)) = (scope.num(), filter.nums());
    let (number, num) = match after {
        Some(place) => (place.number, place.num),
        None => filter.edge(order),
    };
    let usual = params![org, number, num, guild, server, limit];
    match order {
        Order::Oldest => db.list_heavy(&OLDEST, usual).await,
        Order::Highest => db.list_heavy(&HIGHEST, usual).await,
        Order::Lowest => db.list_heavy(&LOWEST, usual).await,
        Order::Name => {
            let text = after.map_or("", |place| &*place.text);
            let values = params![org, text, num, guild, server, limit];
            db.list_heavy(&BY_NAME, values).await
        }
        Order::Newest => match (
            filter.server,
            filter.guild,
            filter.country.as_deref(),
            filter.status,
        ) {
            (Some(_), ..) => db.list_heavy(&OF_SERVER, usual).await,
            (None, Some(_), ..) => db.list_heavy(&OF_GUILD, usual).await,
            (None, None, Some(country), _) => {
                let values = params![org, number, num, guild, server, limit, country];
                db.list_heavy(&OF_COUNTRY, values).await
            }
            (None, None, None, Some(Status::Active)) => db.list_heavy(&ACTIVE, usual).await,
            (None, None, None, Some(Status::Flagged)) => db.list_heavy(&FLAGGED, usual).await,
            (None, None, None, Some(Status::Archived)) => db.list_heavy(&ARCHIVED, usual).await,
            (None, None, None, None) => db.list_heavy(&NEWEST, usual).await,
        },
    }
}
