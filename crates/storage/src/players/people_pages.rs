//! Pages of an Org's people. Each filter and each order has its index; what else is asked for is looked at row by row.

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row};
use crate::params;
use crate::scope::{GuildNum, OrgScope, ServerNum};

/// Rows that are looked at in one go where only some of them fit.
const CHUNK: i64 = 1000;
/// Where nobody asks for some.
pub const ALL_SCORES: (i64, i64) = (0, 100);

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
    /// Whoever has two words that fit is there once, by the first of them.
    BY_WORD: Candidate = "
        SELECT {columns}, CAST(0 AS BIGINT), w.word
        FROM person_words w
        CROSS JOIN people p ON p.num = w.person_num
        LEFT JOIN person_places l ON l.guild_num = $4 AND l.person_num = p.num
        LEFT JOIN person_servers s ON s.server_num = $5 AND s.person_num = p.num
        WHERE w.org_num = $1 AND (w.word, w.person_num) > ($2, $3) AND w.word < $8
          AND NOT EXISTS (SELECT 1 FROM person_words o WHERE o.person_num = w.person_num AND o.word >= $7 AND o.word < w.word)
          AND EXISTS (SELECT 1 FROM person_words o WHERE o.person_num = w.person_num AND o.word >= $9 AND o.word < $10)
        ORDER BY w.word, w.person_num
        LIMIT $6" postgres "
        SELECT {columns}, CAST(0 AS BIGINT), w.word
        FROM person_words w
        JOIN people p ON p.num = w.person_num
        LEFT JOIN person_places l ON l.guild_num = $4 AND l.person_num = p.num
        LEFT JOIN person_servers s ON s.server_num = $5 AND s.person_num = p.num
        WHERE w.org_num = $1 AND (w.word, w.person_num) > ($2, $3) AND w.word < $8
          AND NOT EXISTS (SELECT 1 FROM person_words o WHERE o.person_num = w.person_num AND o.word >= $7 AND o.word < w.word)
          AND EXISTS (SELECT 1 FROM person_words o WHERE o.person_num = w.person_num AND o.word >= $9 AND o.word < $10)
        ORDER BY w.word, w.person_num
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

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// By the time of the link that stands for them.
    Newest,
    /// The same, the other way round.
    Oldest,
    /// By score.
    Highest,
    /// The same, the other way round.
    Lowest,
    /// By name.
    Name,
}

/// Whom to find.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Wanted {
    /// Everybody.
    #[default]
    All,
    /// Who has or had this account.
    Account(String),
    /// Whose names have words that begin like these; one or two.
    Words(Vec<String>),
}

/// What somebody asks for; what is none is not asked for.
#[derive(Debug, Clone)]
pub struct PeopleFilter {
    /// By an account or by name.
    pub wanted: Wanted,
    /// Two letters.
    pub country: Option<String>,
    /// The least and the greatest one.
    pub scores: (i64, i64),
    /// With an active link, or without one; in the Guild where one is asked for.
    pub is_active: Option<bool>,
    /// Who is or was linked there.
    pub guild: Option<GuildNum>,
    /// Who was there. With its Guild.
    pub server: Option<ServerNum>,
}

impl PeopleFilter {
    fn fits(&self, one: &Candidate) -> bool {
        let is_active = if self.guild.is_some() {
            one.is_active_there == Some(true)
        } else {
            one.is_active
        };
        self.country
            .as_ref()
            .is_none_or(|country| one.country.as_ref() == Some(country))
            && (self.scores.0..=self.scores.1).contains(&one.score)
            && self.is_active.is_none_or(|wanted| wanted == is_active)
            && (self.guild.is_none() || one.is_active_there.is_some())
            && (self.server.is_none() || one.is_on_server)
    }

    /// Whether everybody fits whom the index finds, up to the end of a band of scores.
    fn is_all(&self, order: Order) -> bool {
        let has_scores = self.scores != ALL_SCORES;
        let is_in_band = matches!(order, Order::Highest | Order::Lowest);
        let others = [
            self.country.is_some(),
            self.is_active.is_some(),
            self.guild.is_some() && self.server.is_none(),
            self.server.is_some(),
        ];
        let asked = others.into_iter().filter(|asked| *asked).count();
        match asked {
            0 => !has_scores || is_in_band,
            1 => !has_scores && order == Order::Newest && self.wanted == Wanted::All,
            _ => false,
        }
    }

    /// Before the first one of an order. A band of scores begins at its edge.
    fn edge(&self, order: Order) -> (i64, i64) {
        match order {
            Order::Newest => (i64::MAX, i64::MAX),
            Order::Oldest | Order::Name => (i64::MIN, i64::MIN),
            Order::Highest => (self.scores.1, i64::MAX),
            Order::Lowest => (self.scores.0, i64::MIN),
        }
    }

    /// Nobody after this one can be in the band.
    fn is_behind(&self, order: Order, last: &Candidate) -> bool {
        match order {
            Order::Highest => last.score < self.scores.0,
            Order::Lowest => last.score > self.scores.1,
            Order::Newest | Order::Oldest | Order::Name => false,
        }
    }
}

/// Where a page begins: after this place of the order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// What rows are ordered by, where that is a number.
    pub number: i64,
    /// The same, where it is a text.
    pub text: String,
    /// Tells those apart that are alike.
    pub num: i64,
}

/// Somebody whom the order comes to, as far as it is needed to say whether they fit.
struct Candidate {
    place: Place,
    country: Option<String>,
    score: i64,
    is_active: bool,
    is_active_there: Option<bool>,
    is_on_server: bool,
}

impl FromRow for Candidate {
    const COLUMNS: &'static str = "p.num, p.country, p.score, p.active_links, l.active, s.server_num";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            country: row.opt_text(1)?,
            score: row.int(2)?,
            is_active: row.int(3)? > 0,
            is_active_there: row.opt_int(4)?.map(|active| active == 1),
            is_on_server: row.opt_int(5)?.is_some(),
            place: Place {
                num: row.int(0)?,
                number: row.int(6)?,
                text: row.text(7)?,
            },
        })
    }
}

/// Up to `limit` people who fit, in the order and after the place: the places of all of them.
pub async fn list(
    db: &Db,
    scope: OrgScope,
    filter: &PeopleFilter,
    order: Order,
    after: Option<Place>,
    limit: usize,
) -> Result<Vec<Place>, DbError> {
    let mut chunk = CHUNK;
    if filter.is_all(order) {
        chunk = limit as i64;
    }
    let (mut found, mut after) = (Vec::new(), after);
    loop {
        let next = list_next(db, scope, filter, order, after.as_ref(), chunk).await?;
        let is_short = (next.len() as i64) < chunk;
        let is_over = is_short || next.last().is_some_and(|last| filter.is_behind(order, last));
        let last = next.last().map(|one| one.place.clone());
        let room = limit - found.len();
        let fitting = next.into_iter().filter(|one| filter.fits(one));
        found.extend(fitting.take(room).map(|one| one.place));
        if is_over || found.len() >= limit {
            return Ok(found);
        }
        after = last;
    }
}

async fn list_next(
    db: &Db,
    scope: OrgScope,
    filter: &PeopleFilter,
    order: Order,
    after: Option<&Place>,
    limit: i64,
) -> Result<Vec<Candidate>, DbError> {
    let org = scope.num();
    let (guild, server) = (
        filter.guild.unwrap_or(GuildNum(0)),
        filter.server.unwrap_or(ServerNum(0)),
    );
    let (number, num) = match after {
        Some(place) => (place.number, place.num),
        None => filter.edge(order),
    };
    match &filter.wanted {
        Wanted::All => {}
        Wanted::Account(id) => {
            let num = after.map_or(0, |place| place.num);
            let values = params![org, &**id, num, guild, server, limit];
            return db.list_heavy(&OF_ACCOUNT, values).await;
        }
        Wanted::Words(words) => {
            let Some((first, second)) = words.first().zip(words.last()) else {
                return Ok(Vec::new());
            };
            let (text, num) = after.map_or((&**first, 0), |place| (&*place.text, place.num));
            let (first_end, second_end) = (after_all_of(first), after_all_of(second));
            let values = params![
                org,
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
            return db.list_heavy(&BY_WORD, values).await;
        }
    }
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
            filter.is_active,
        ) {
            (Some(_), ..) => db.list_heavy(&OF_SERVER, usual).await,
            (None, Some(_), ..) => db.list_heavy(&OF_GUILD, usual).await,
            (None, None, Some(country), _) => {
                let values = params![org, number, num, guild, server, limit, country];
                db.list_heavy(&OF_COUNTRY, values).await
            }
            (None, None, None, Some(true)) => db.list_heavy(&ACTIVE, usual).await,
            (None, None, None, Some(false)) => db.list_heavy(&ARCHIVED, usual).await,
            (None, None, None, None) => db.list_heavy(&NEWEST, usual).await,
        },
    }
}

/// The end of the range of all words that begin like this.
fn after_all_of(beginning: &str) -> String {
    let mut end = beginning.to_owned();
    end.push(char::MAX);
    end
}
