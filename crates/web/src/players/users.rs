//! An Org's people, page by page.

use app::players::users::{self, ListedUser, Order, Status, UsersAsked};
use app::{App, AppError};
use domain::id::{GuildId, ServerId};
use domain::link::Country;
use domain::person::Search;
use domain::trust::{GroupClass, TrustTier};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::cursor;
use crate::extract::{Asked, Asks, Authorized, Question, perm};
use crate::openapi::words;
use crate::routes::{Answer, Found};

const PAGE: usize = 50;
const MOST: usize = 200;
const SEARCH_CHARS: usize = 200;
const SORTS: &[&str] = &["-linked_at", "linked_at", "-score", "score", "name"];
const STATUSES: &[&str] = &["active", "archived", "flagged"];
const TIERS: &[&str] = &["Trusted", "Normal", "Watch", "Risk"];

/// A page of people.
#[derive(Serialize, ToSchema)]
pub struct UserList {
    users: Vec<User>,
    /// What to ask for as `cursor` to go on; nothing at the end. Where few fit among many, a page can be short, or empty, and
    /// still not be the last.
    next: Option<String>,
    /// False for a while after an upgrade, until everybody is in the list.
    complete: bool,
}

/// Somebody who is or was linked. Where a Guild or Server is asked for, the link is the one there.
#[derive(Serialize, ToSchema)]
pub struct User {
    discord_id: String,
    discord_name: Option<String>,
    /// Of the newest active link, or of the newest one.
    steam_id: Option<String>,
    steam_name: Option<String>,
    country: Option<String>,
    #[schema(value_type = String)]
    guild_id: GuildId,
    /// Servers they were seen or reported on.
    #[schema(value_type = Vec<String>)]
    server_ids: Vec<ServerId>,
    linked_at_ms: i64,
    /// Nothing while the link is active.
    ended_at_ms: Option<i64>,
    /// Since when they are flagged as dormant; nothing where they are not.
    flagged_at_ms: Option<i64>,
    /// In all Guilds.
    active_links: i64,
    /// Steam accounts they ever linked.
    steam_accounts: i64,
    booster: bool,
    /// A game server has them in a group of its staff.
    staff: bool,
    #[schema(value_type = words::GroupClass)]
    best_class: GroupClass,
    score: i64,
    #[schema(value_type = words::TrustTier)]
    tier: TrustTier,
}

impl From<ListedUser> for User {
    fn from(listed: ListedUser) -> Self {
        let row = listed.row;
        Self {
            discord_id: row.discord_id,
            discord_name: row.discord_name,
            steam_id: readable(row.steam_id),
            steam_name: row.steam_name,
            country: row.country,
            guild_id: row.guild,
            server_ids: listed.servers,
            linked_at_ms: row.linked_at_ms,
            ended_at_ms: row.ended_at_ms,
            flagged_at_ms: row.flagged_at_ms,
            active_links: row.active_links,
            steam_accounts: row.steam_ids,
            booster: row.is_booster,
            staff: row.best.is_staff(),
            best_class: row.best,
            score: row.score,
            tier: listed.tier,
        }
    }
}

impl User {
    /// The cells of a table.
    pub(super) fn cells(self) -> [String; 12] {
        let or_empty = |value: Option<String>| value.unwrap_or_default();
        [
            self.discord_id,
            or_empty(self.discord_name),
            or_empty(self.steam_id),
            or_empty(self.steam_name),
            or_empty(self.country),
            match (self.ended_at_ms, self.flagged_at_ms) {
                (Some(_), _) => "archived",
                (None, Some(_)) => "flagged",
                (None, None) => "active",
            }
            .to_owned(),
            self.guild_id.to_string(),
            self.linked_at_ms.to_string(),
            self.ended_at_ms.map(|at| at.to_string()).unwrap_or_default(),
            self.active_links.to_string(),
            self.score.to_string(),
            self.tier.to_string(),
        ]
    }
}

/// The names of those cells.
pub(super) const HEAD: &str = "discord_id,discord_name,steam_id,steam_name,country,status,guild_id,linked_at_ms,ended_at_ms,active_links,score,tier\r\n";

/// Nothing for an account whose person was erased.
pub(super) fn readable(id: String) -> Option<String> {
    domain::platform_id::EitherId::parse(&id).is_ok().then_some(id)
}

/// What can be asked for; the same everywhere.
#[derive(Deserialize, Default, Clone, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(title = "UserFilter")]
pub struct UserFilter {
    /// An id of either platform, a mention, the address of a profile, or the beginning of a word of either name.
    pub q: String,
    pub guild_id: String,
    pub server_id: String,
    pub tier: String,
    pub country: String,
    /// `active`, `archived` or `flagged`, which is active too.
    pub status: String,
}

impl UserFilter {
    pub(super) fn asked(&self, sort: &str) -> Result<UsersAsked, AppError> {
        let text = |value: &str| Some(value.trim().to_owned()).filter(|value| !value.is_empty());
        if self.q.chars().count() > SEARCH_CHARS {
            return Err(AppError::invalid(
                "q",
                format!("has {SEARCH_CHARS} characters at most"),
            ));
        }
        let parsed = |name: &'static str, problem: &str| AppError::invalid(name, problem);
        Ok(UsersAsked {
            search: Search::parse(&self.q),
            guild: text(&self.guild_id)
                .map(|id| GuildId::parse(&id))
                .transpose()
                .map_err(|_| parsed("guild_id", "must be the id of a Guild"))?,
            server: text(&self.server_id)
                .map(|id| ServerId::parse(&id))
                .transpose()
                .map_err(|_| parsed("server_id", "must be the id of a Server"))?,
            tier: text(&self.tier)
                .map(|tier| TrustTier::parse(&tier).ok_or_else(|| one_of("tier", TIERS)))
                .transpose()?,
            country: text(&self.country)
                .map(|country| Country::parse(&country.to_uppercase()))
                .transpose()
                .map_err(|_| parsed("country", "must be two letters"))?,
            status: match self.status.trim() {
                "" => None,
                "active" => Some(Status::Active),
                "archived" => Some(Status::Archived),
                "flagged" => Some(Status::Flagged),
                _ => return Err(one_of("status", STATUSES)),
            },
            order: match sort.trim() {
                "" => None,
                "-linked_at" => Some(Order::Newest),
                "linked_at" => Some(Order::Oldest),
                "-score" => Some(Order::Highest),
                "score" => Some(Order::Lowest),
                "name" => Some(Order::Name),
                _ => return Err(one_of("sort", SORTS)),
            },
        })
    }
}

fn one_of(name: &'static str, words: &[&str]) -> AppError {
    AppError::invalid(name, format!("must be one of {}", words.join(", ")))
}

/// Filters, order and page or format, as they are asked for behind the question mark.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct UsersQuery {
    q: String,
    guild_id: String,
    server_id: String,
    tier: String,
    country: String,
    status: String,
    sort: String,
    pub(super) cursor: String,
    pub(super) limit: Option<usize>,
    pub(super) format: String,
}

impl UsersQuery {
    pub(super) fn asked(&self) -> Result<UsersAsked, AppError> {
        let filter = UserFilter {
            q: self.q.clone(),
            guild_id: self.guild_id.clone(),
            server_id: self.server_id.clone(),
            tier: self.tier.clone(),
            country: self.country.clone(),
            status: self.status.clone(),
        };
        filter.asked(&self.sort)
    }
}

/// A page of the list.
#[derive(Deserialize)]
#[serde(transparent)]
pub struct PageOfUsers(UsersQuery);

pub(super) const FILTERS: [Asks; 7] = [
    Asks::Text("q"),
    Asks::Text("guild_id"),
    Asks::Text("server_id"),
    Asks::OneOf("tier", TIERS),
    Asks::Text("country"),
    Asks::OneOf("status", STATUSES),
    Asks::OneOf("sort", SORTS),
];

impl Question for PageOfUsers {
    const ASKS: &'static [Asks] = &[
        FILTERS[0],
        FILTERS[1],
        FILTERS[2],
        FILTERS[3],
        FILTERS[4],
        FILTERS[5],
        FILTERS[6],
        Asks::Text("cursor"),
        Asks::Number("limit"),
    ];
}

pub async fn list(
    app: App,
    caller: Authorized<perm::LinksView>,
    Asked(PageOfUsers(page)): Asked<PageOfUsers>,
) -> Answer<Found<UserList>> {
    if !page.format.is_empty() {
        return Err(AppError::invalid("format", "only an export has one").into());
    }
    let limit = page.limit.unwrap_or(PAGE);
    if !(1..=MOST).contains(&limit) {
        return Err(AppError::invalid("limit", format!("must be from 1 to {MOST}")).into());
    }
    let after = cursor::read(&page.cursor)?;
    let asked = users::resolve(&app, caller.scope, &page.asked()?).await?;
    let found = users::list(&app, caller.scope, &asked, after, limit).await?;
    Ok(Found(UserList {
        users: found.users.into_iter().map(User::from).collect(),
        next: found.next.as_ref().map(cursor::write),
        complete: found.is_complete,
    }))
}

/// What people can be filtered by.
#[derive(Serialize, ToSchema)]
pub struct UserChoices {
    guilds: Vec<GuildChoice>,
    servers: Vec<ServerChoice>,
    /// Two letters each.
    countries: Vec<String>,
    thresholds: TierThresholds,
}

#[derive(Serialize, ToSchema)]
struct GuildChoice {
    #[schema(value_type = String)]
    id: GuildId,
    name: String,
}

#[derive(Serialize, ToSchema)]
struct ServerChoice {
    #[schema(value_type = String)]
    id: ServerId,
    name: String,
    #[schema(value_type = String)]
    guild_id: GuildId,
}

/// The least score of each tier; below the last it is Risk.
#[derive(Serialize, ToSchema)]
pub struct TierThresholds {
    trusted: u8,
    normal: u8,
    watch: u8,
}

impl From<domain::trust::Thresholds> for TierThresholds {
    fn from(tiers: domain::trust::Thresholds) -> Self {
        Self {
            trusted: tiers.trusted,
            normal: tiers.normal,
            watch: tiers.watch,
        }
    }
}

pub async fn choices(app: App, caller: Authorized<perm::LinksView>, (): ()) -> Answer<Found<UserChoices>> {
    let found = users::choices(&app, caller.scope).await?;
    let servers = found.servers.into_iter().map(|server| ServerChoice {
        id: server.id,
        name: server.name,
        guild_id: server.guild_id,
    });
    let guilds = found.guilds.into_iter().map(|guild| GuildChoice {
        id: guild.id,
        name: guild.name,
    });
    Ok(Found(UserChoices {
        guilds: guilds.collect(),
        servers: servers.collect(),
        countries: found.countries,
        thresholds: found.thresholds.into(),
    }))
}
