//! What the pages show.

use domain::face::Accent;
use domain::flow::{Demands, FlowPurpose, FlowToken, JoinMode, Progress, Steps, steps};
use domain::id::GuildId;
use storage::OrgScope;
use storage::linking::flows::Flow;
use storage::linking::link_pages::{self, LinkPage};
use storage::linking::lookups::{self, LinkedPlayer};
use storage::tenancy::guilds;
use storage::tenancy::navigation::{self, NavigationLink};

use super::flow::current;
use crate::error::{AppError, RequestError};
use crate::state::App;

/// Everything that a page of a Guild is drawn from.
pub struct Shown {
    /// The Guild's name and what it demands.
    pub page: LinkPage,
    /// The Org's buttons.
    pub navigation: Vec<NavigationLink>,
    /// None for a visitor who has not begun.
    pub flow: Option<Flow>,
    /// What is done and what comes next.
    pub steps: Steps,
    /// Links that will end, or on the unlink page the one that will.
    pub ends: Vec<WouldEnd>,
    /// The pair is linked already.
    pub is_same_pair: bool,
}

/// An account as a player tells it from others: two people may have one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// None where nobody told us one.
    pub name: Option<String>,
    /// As the platform writes it.
    pub id: String,
}

impl Account {
    /// What a sign-in gave. Steam's name is the id where Steam did not tell one.
    pub fn of<I: ToString>((id, name): &(I, String)) -> Self {
        let id = id.to_string();
        Self {
            name: Some(name.clone()).filter(|name| *name != id),
            id,
        }
    }
}

/// An existing link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WouldEnd {
    /// One side of it.
    pub discord: Account,
    /// The other.
    pub steam: Account,
}

impl From<LinkedPlayer> for WouldEnd {
    fn from(player: LinkedPlayer) -> Self {
        Self {
            discord: Account {
                name: player.discord_name,
                id: player.discord_id.to_string(),
            },
            steam: Account {
                name: player.steam_name,
                id: player.steam_id.to_string(),
            },
        }
    }
}

/// The link page of a Guild as a visitor first sees it, in another colour and with other buttons than it has.
pub async fn preview(
    app: &App,
    scope: OrgScope,
    guild: &GuildId,
    accent: Accent,
    navigation: Vec<NavigationLink>,
) -> Result<Shown, AppError> {
    let guild = guilds::find(&app.db, scope, guild).await?;
    let guild = guild.ok_or(RequestError::NotFound)?;
    let page = link_pages::find_by_num(&app.db, scope, guild.num).await?;
    let page = LinkPage {
        accent,
        ..page.ok_or(RequestError::NotFound)?
    };
    Ok(Shown {
        steps: steps(Progress::default(), demands(&page)),
        page,
        navigation,
        flow: None,
        ends: Vec::new(),
        is_same_pair: false,
    })
}

fn demands(page: &LinkPage) -> Demands {
    Demands {
        membership: page.join_mode != JoinMode::Off,
        steam_group: page.steam_group.is_some(),
    }
}

/// A page for its visitor. Nothing is stored and nobody is asked.
pub async fn view(
    app: &App,
    slug: &str,
    purpose: FlowPurpose,
    token: Option<&FlowToken>,
) -> Result<Shown, AppError> {
    let page = link_pages::find(&app.db, slug)
        .await?
        .ok_or(RequestError::NotFound)?;
    let navigation = navigation::list(&app.db, page.scope).await?;
    let found = match token {
        Some(token) => current(app, &page, token, purpose).await?,
        None => None,
    };
    let flow = found.map(|found| found.flow);
    let progress = flow.as_ref().map_or(Progress::default(), |flow| Progress {
        discord: flow.discord.is_some(),
        steam: flow.steam.is_some(),
        member: flow.member,
        group: flow.steam_group,
    });
    let (ends, is_same_pair) = match &flow {
        Some(flow) if !flow.finished => existing(app, &page, flow, purpose).await?,
        Some(_) | None => (Vec::new(), false),
    };
    Ok(Shown {
        steps: steps(progress, demands(&page)),
        page,
        navigation,
        flow,
        ends,
        is_same_pair,
    })
}

async fn existing(
    app: &App,
    page: &LinkPage,
    flow: &Flow,
    purpose: FlowPurpose,
) -> Result<(Vec<WouldEnd>, bool), AppError> {
    let by_discord = match &flow.discord {
        Some((id, _)) => lookups::find_by_discord(&app.db, page.guild, id).await?,
        None => None,
    };
    let by_steam = match &flow.steam {
        Some((id, _)) => lookups::find_by_steam(&app.db, page.guild, id).await?,
        None => None,
    };
    if purpose == FlowPurpose::Unlink {
        let found = by_discord.or(by_steam);
        return Ok((found.into_iter().map(WouldEnd::from).collect(), false));
    }
    let (Some((discord, _)), Some((steam, _))) = (&flow.discord, &flow.steam) else {
        return Ok((Vec::new(), false));
    };
    let is_pair = |link: &LinkedPlayer| link.discord_id == *discord && link.steam_id == *steam;
    if by_discord.as_ref().is_some_and(is_pair) {
        return Ok((Vec::new(), true));
    }
    Ok((
        by_discord
            .into_iter()
            .chain(by_steam)
            .map(WouldEnd::from)
            .collect(),
        false,
    ))
}
