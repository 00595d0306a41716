//! The people of an Org, looked through page by page.

use std::collections::HashMap;

use domain::id::{GuildId, ServerId};
use domain::link::Country;
use domain::person::Search;
use domain::platform_id::EitherId;
use domain::trust::{Thresholds, TrustTier};
use storage::players::people_pages::{self, ALL_SCORES, PeopleFilter, Wanted};
pub use storage::players::people_pages::{Order, Place, Status};
pub use storage::players::people_rows::PersonRow;
use storage::players::{people_rows, person_page, sweeps};
use storage::tenancy::guilds::Guild;
use storage::tenancy::servers::Server;
use storage::tenancy::{guilds, servers};
use storage::{GuildNum, OrgScope};

use crate::error::{AppError, RequestError};
use crate::state::App;

/// What somebody asks for; what is none is not asked for.
#[derive(Debug, Clone, Default)]
pub struct UsersAsked {
    /// An account, or beginnings of words.
    pub search: Option<Search>,
    /// Who is or was linked there.
    pub guild: Option<GuildId>,
    /// Who was there.
    pub server: Option<ServerId>,
    /// By score.
    pub tier: Option<TrustTier>,
    /// Of the last verification.
    pub country: Option<Country>,
    /// Active, archived or flagged.
    pub status: Option<Status>,
    /// The newest first where nobody says so; a tier is in the order of scores, and a search by name in that of names.
    pub order: Option<Order>,
}

/// Somebody in a list.
pub struct ListedUser {
    /// What is shown of them.
    pub row: PersonRow,
    /// Where they were seen or reported.
    pub servers: Vec<ServerId>,
    /// What their score means.
    pub tier: TrustTier,
}

/// A page of the list.
pub struct UsersPage {
    /// In order. Where few fit among many, a page can be short, or empty, and still not be the last.
    pub users: Vec<ListedUser>,
    /// Where the next one begins; nothing at the end.
    pub next: Option<Place>,
    /// After an upgrade it takes a while until everybody is there.
    pub is_complete: bool,
}

/// A filter whose Guild and Server are known to be this Org's.
pub struct Resolved {
    filter: PeopleFilter,
    order: Order,
    /// The Guild that is asked for, or the one of the Server.
    pub(super) guild: Option<GuildId>,
}

/// Finds what the question names. Another Org's Guild is no more there than a made-up one.
pub async fn resolve(app: &App, scope: OrgScope, asked: &UsersAsked) -> Result<Resolved, AppError> {
    let mut guild = match &asked.guild {
        None => None,
        Some(id) => Some(
            guilds::find(&app.db, scope, id)
                .await?
                .ok_or(RequestError::NotFound)?
                .num,
        ),
    };
    let (mut server, mut guild_id) = (None, asked.guild.clone());
    if let Some(id) = &asked.server {
        let found = servers::find(&app.db, scope, id)
            .await?
            .ok_or(RequestError::NotFound)?;
        if guild.is_some_and(|guild| guild != found.guild) {
            return Err(AppError::invalid("server_id", "this Server is not in this Guild"));
        }
        (guild, server) = (Some(found.guild), Some(found.num));
        guild_id = Some(found.guild_id);
    }
    let scores = asked.tier.map_or(ALL_SCORES, |tier| {
        let (least, most) = app.thresholds.range(tier);
        (i64::from(least), i64::from(most))
    });
    let usual = if asked.tier.is_some() {
        Order::Highest
    } else {
        Order::Newest
    };
    Ok(Resolved {
        filter: PeopleFilter {
            wanted: match &asked.search {
                None => Wanted::All,
                Some(Search::Account(id)) => Wanted::Account(id.as_str().to_owned()),
                Some(Search::Words(words)) => Wanted::Words(words.clone()),
            },
            country: asked.country.as_ref().map(|country| country.as_str().to_owned()),
            scores,
            status: asked.status,
            guild,
            server,
        },
        order: asked.order.unwrap_or(usual),
        guild: guild_id,
    })
}

/// A page of the people who fit.
pub async fn list(
    app: &App,
    scope: OrgScope,
    asked: &Resolved,
    after: Option<Place>,
    limit: usize,
) -> Result<UsersPage, AppError> {
    let found = people_pages::list(&app.db, scope, &asked.filter, asked.order, after, limit).await?;
    let nums: Vec<i64> = found.places.iter().map(|place| place.num).collect();
    Ok(UsersPage {
        users: show(app, scope, &nums, asked.filter.guild).await?,
        next: found.next,
        is_complete: sweeps::is_ready(&app.db, scope).await?,
    })
}

async fn show(
    app: &App,
    scope: OrgScope,
    people: &[i64],
    guild: Option<GuildNum>,
) -> Result<Vec<ListedUser>, AppError> {
    if people.is_empty() {
        return Ok(Vec::new());
    }
    let rows = people_rows::list(&app.db, scope, people, guild).await?;
    let mut servers: HashMap<i64, Vec<ServerId>> = HashMap::new();
    for on in people_rows::list_servers(&app.db, people).await? {
        servers.entry(on.person_num).or_default().push(on.server);
    }
    let listed = rows.into_iter().map(|row| ListedUser {
        servers: servers.remove(&row.num).unwrap_or_default(),
        tier: tier_of(&app.thresholds, row.score),
        row,
    });
    Ok(listed.collect())
}

pub(crate) fn tier_of(thresholds: &Thresholds, score: i64) -> TrustTier {
    thresholds.tier(u8::try_from(score).unwrap_or(0))
}

/// The rows of everybody who fits, up to a bound.
pub(crate) async fn list_fitting(
    app: &App,
    scope: OrgScope,
    asked: &Resolved,
    most: usize,
) -> Result<Vec<i64>, AppError> {
    let (mut nums, mut after) = (Vec::new(), None);
    loop {
        let room = most - nums.len();
        let found = people_pages::list(&app.db, scope, &asked.filter, asked.order, after, room).await?;
        nums.extend(found.places.iter().map(|place| place.num));
        after = found.next;
        if after.is_none() || nums.len() >= most {
            // Whoever moved on between two reads is there twice.
            nums.sort_unstable();
            nums.dedup();
            return Ok(nums);
        }
    }
}

/// The rows of these people; who is not there is left out.
pub(crate) async fn list_nums(app: &App, scope: OrgScope, keys: &[EitherId]) -> Result<Vec<i64>, AppError> {
    let mut nums = Vec::with_capacity(keys.len());
    for key in keys {
        nums.extend(find(app, scope, key).await?.map(|found| found.num));
    }
    nums.sort_unstable();
    nums.dedup();
    Ok(nums)
}

pub(crate) async fn find(
    app: &App,
    scope: OrgScope,
    key: &EitherId,
) -> Result<Option<person_page::PersonKey>, AppError> {
    Ok(match key {
        EitherId::Discord(id) => person_page::find_by_discord(&app.db, scope, id.as_str()).await?,
        EitherId::Steam(id) => person_page::find_by_steam(&app.db, scope, id.as_str()).await?,
    })
}

/// What the list can be filtered by.
pub struct UserChoices {
    /// Where links can be.
    pub guilds: Vec<Guild>,
    /// Where people can be seen.
    pub servers: Vec<Server>,
    /// Of the people who are there.
    pub countries: Vec<String>,
    /// Where tiers begin.
    pub thresholds: Thresholds,
}

/// All of them.
pub async fn choices(app: &App, scope: OrgScope) -> Result<UserChoices, AppError> {
    Ok(UserChoices {
        guilds: guilds::list(&app.db, scope).await?,
        servers: servers::list(&app.db, scope).await?,
        countries: people_rows::list_countries(&app.db, scope).await?,
        thresholds: app.thresholds,
    })
}
