//! Looking for Orgs and accounts.

use app::App;
use app::admin::search::{self, FoundAccount, FoundOrg};
use app::admin::visits;
use domain::id::{AccountId, GuildId, OrgId};
use domain::platform_id::DiscordId;
use serde::Serialize;
use utoipa::ToSchema;

use super::paging::{Search, next};
use super::visits::OwnVisit;
use crate::extract::{Asked, Operator, Segments};
use crate::openapi::words;
use crate::routes::{Answer, Found};

/// An organisation as operators find it.
#[derive(Serialize, ToSchema)]
pub struct OrgRow {
    #[schema(value_type = String)]
    id: OrgId,
    slug: String,
    name: String,
    #[schema(value_type = words::Tier)]
    tier: &'static str,
    owner: OwnerName,
    guilds: i64,
    servers: i64,
    links: i64,
    created_at_ms: i64,
}

#[derive(Serialize, ToSchema)]
pub struct OwnerName {
    #[schema(value_type = String)]
    account_id: AccountId,
    name: String,
}

impl From<FoundOrg> for OrgRow {
    fn from(org: FoundOrg) -> Self {
        Self {
            id: org.id,
            slug: org.slug,
            name: org.name,
            tier: org.tier.as_str(),
            owner: OwnerName {
                account_id: org.owner,
                name: org.owner_name,
            },
            guilds: org.guilds,
            servers: org.servers,
            links: org.links,
            created_at_ms: org.created_at_ms,
        }
    }
}

#[derive(Serialize, ToSchema)]
pub struct OrgPage {
    orgs: Vec<OrgRow>,
    next_after: Option<String>,
}

pub async fn orgs(app: App, operator: Operator, Asked(asked): Asked<Search>) -> Answer<Found<OrgPage>> {
    let limit = asked.limit()?;
    let found = search::orgs(&app, operator.scope, &asked.q, &asked.after, limit).await?;
    Ok(Found(OrgPage {
        next_after: next(&found, limit, |org| org.id.to_string()),
        orgs: found.into_iter().map(OrgRow::from).collect(),
    }))
}

/// An organisation with its Guilds.
#[derive(Serialize, ToSchema)]
pub struct OrgPageOfOne {
    #[serde(flatten)]
    org: OrgRow,
    guild_list: Vec<GuildRow>,
    /// Besides the owner.
    members: i64,
    /// One's own visit that goes on.
    visit: Option<OwnVisit>,
}

#[derive(Serialize, ToSchema)]
pub struct GuildRow {
    #[schema(value_type = String)]
    id: GuildId,
    name: String,
    slug: String,
    #[schema(value_type = String)]
    discord_guild_id: DiscordId,
    links: i64,
}

pub async fn org(app: App, operator: Operator, Segments(id): Segments<OrgId>) -> Answer<Found<OrgPageOfOne>> {
    let found = search::org(&app, operator.scope, &id).await?;
    let visits = visits::list_of(&app, operator.scope, operator.account).await?;
    let guilds = found.guilds.into_iter().map(|guild| GuildRow {
        id: guild.id,
        name: guild.name,
        slug: guild.slug,
        discord_guild_id: guild.discord_guild_id,
        links: guild.active_links,
    });
    Ok(Found(OrgPageOfOne {
        org: found.org.into(),
        guild_list: guilds.collect(),
        members: found.members,
        visit: visits.iter().find(|visit| visit.org.id == id).map(OwnVisit::of),
    }))
}

/// An account as operators find it.
#[derive(Serialize, ToSchema)]
pub struct AccountRow {
    #[schema(value_type = String)]
    id: AccountId,
    #[schema(value_type = String)]
    discord_id: DiscordId,
    name: String,
    operator: bool,
    orgs_owned: i64,
    created_at_ms: i64,
}

impl AccountRow {
    fn of(app: &App, account: FoundAccount) -> Self {
        Self {
            operator: account.granted || app.operators.contains(&account.discord_id),
            id: account.id,
            discord_id: account.discord_id,
            name: account.name,
            orgs_owned: account.orgs_owned,
            created_at_ms: account.created_at_ms,
        }
    }
}

#[derive(Serialize, ToSchema)]
pub struct AccountPage {
    accounts: Vec<AccountRow>,
    next_after: Option<String>,
}

pub async fn accounts(
    app: App,
    operator: Operator,
    Asked(asked): Asked<Search>,
) -> Answer<Found<AccountPage>> {
    let limit = asked.limit()?;
    let found = search::accounts(&app, operator.scope, &asked.q, &asked.after, limit).await?;
    Ok(Found(AccountPage {
        next_after: next(&found, limit, |account| account.id.to_string()),
        accounts: found
            .into_iter()
            .map(|account| AccountRow::of(&app, account))
            .collect(),
    }))
}

/// An account with what hangs on it.
#[derive(Serialize, ToSchema)]
pub struct AccountPageOfOne {
    #[serde(flatten)]
    account: AccountRow,
    blocked: bool,
    /// Signed-in browsers, 100 at most.
    sessions: i64,
    orgs: Vec<OrgOfAccount>,
}

#[derive(Serialize, ToSchema)]
pub struct OrgOfAccount {
    #[schema(value_type = String)]
    id: OrgId,
    name: String,
    #[schema(value_type = words::Tier)]
    tier: &'static str,
    #[schema(value_type = words::Role)]
    role: &'static str,
}

pub async fn account(
    app: App,
    operator: Operator,
    Segments(id): Segments<AccountId>,
) -> Answer<Found<AccountPageOfOne>> {
    let found = search::account(&app, operator.scope, &id).await?;
    let orgs = found.orgs.into_iter().map(|org| OrgOfAccount {
        id: org.id,
        name: org.name,
        tier: org.tier.as_str(),
        role: org.role.as_str(),
    });
    Ok(Found(AccountPageOfOne {
        blocked: found.is_blocked,
        sessions: found.sessions,
        orgs: orgs.collect(),
        account: AccountRow::of(&app, found.account),
    }))
}
