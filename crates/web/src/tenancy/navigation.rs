//! Buttons and colours of the link pages.

use app::App;
use app::tenancy::navigation::{self, TypedLink};
use domain::face::Accent;
use domain::id::GuildId;
use domain::navigation::Icon;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{Authorized, JsonBody, perm};
use crate::openapi::words;
use crate::routes::{Answer, Found};

#[derive(Serialize, ToSchema)]
pub struct Navigation {
    links: Vec<NavigationLink>,
    ceiling: i64,
    /// Where they are shown.
    link_pages: Vec<LinkPage>,
    /// One more with every save of the buttons and colours.
    revision: i64,
}

/// The link page of a Guild.
#[derive(Serialize, ToSchema)]
pub struct LinkPage {
    #[schema(value_type = String)]
    guild_id: GuildId,
    slug: String,
    name: String,
    #[schema(value_type = words::Accent)]
    accent: Accent,
}

#[derive(Serialize, ToSchema)]
pub struct NavigationLink {
    label: String,
    url: String,
    #[schema(value_type = words::NavigationIcon)]
    icon: String,
    new_tab: bool,
}

// A button as it is typed: without an icon and in a new tab unless it says otherwise.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TypedNavigationLink {
    #[schema(min_length = 1, max_length = 24)]
    label: String,
    #[schema(max_length = 2048, pattern = "^[Hh][Tt][Tt][Pp][Ss]?://")]
    url: String,
    #[serde(default = "no_icon")]
    #[schema(value_type = words::NavigationIcon)]
    icon: String,
    #[serde(default = "in_new_tab")]
    new_tab: bool,
}

fn no_icon() -> String {
    Icon::None.as_str().to_owned()
}

fn in_new_tab() -> bool {
    true
}

/// All buttons in their order, and the colours of pages that get another one.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NavigationChange {
    links: Vec<TypedNavigationLink>,
    #[serde(default)]
    #[schema(required = false)]
    accents: Vec<PageAccent>,
    /// As it was read. A save by somebody else since then refuses this one; without it, the last one counts.
    revision: Option<i64>,
}

/// The colour of one link page.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PageAccent {
    #[schema(value_type = String)]
    guild_id: GuildId,
    #[schema(value_type = words::Accent)]
    accent: Accent,
}

impl From<navigation::Navigation> for Navigation {
    fn from(found: navigation::Navigation) -> Self {
        let links = found.links.into_iter().map(|link| NavigationLink {
            label: link.label,
            url: link.url,
            icon: link.icon,
            new_tab: link.new_tab,
        });
        let pages = found.pages.into_iter().map(|guild| LinkPage {
            guild_id: guild.id,
            slug: guild.slug,
            name: guild.name,
            accent: guild.accent,
        });
        Self {
            links: links.collect(),
            ceiling: found.ceiling,
            link_pages: pages.collect(),
            revision: found.revision,
        }
    }
}

pub async fn get(app: App, caller: Authorized<perm::OrgNavigation>, (): ()) -> Answer<Found<Navigation>> {
    Ok(Found(navigation::get(&app, caller.scope).await?.into()))
}

pub async fn replace(
    app: App,
    caller: Authorized<perm::OrgNavigation>,
    JsonBody(change): JsonBody<NavigationChange>,
) -> Answer<Found<Navigation>> {
    let typed = change.links.into_iter().map(|link| TypedLink {
        label: link.label,
        url: link.url,
        icon: link.icon,
        new_tab: link.new_tab,
    });
    let typed: Vec<TypedLink> = typed.collect();
    let accents = change
        .accents
        .into_iter()
        .map(|page| (page.guild_id, page.accent));
    let accents = accents.collect();
    let kept =
        navigation::replace(&app, caller.scope, &typed, accents, change.revision, caller.actor).await?;
    Ok(Found(kept.into()))
}
