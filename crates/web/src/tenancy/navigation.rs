//! Buttons of the link page.

use app::App;
use app::tenancy::navigation::{self, TypedLink};
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
    /// Short names of the link pages that show them.
    link_pages: Vec<String>,
    /// One more with every save of the buttons.
    revision: i64,
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

/// All buttons in their order.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NavigationChange {
    links: Vec<TypedNavigationLink>,
    /// As it was read. A save by somebody else since then refuses this one; without it, the last one counts.
    revision: Option<i64>,
}

impl From<navigation::Navigation> for Navigation {
    fn from(found: navigation::Navigation) -> Self {
        let links = found.links.into_iter().map(|link| NavigationLink {
            label: link.label,
            url: link.url,
            icon: link.icon,
            new_tab: link.new_tab,
        });
        Self {
            links: links.collect(),
            ceiling: found.ceiling,
            link_pages: found.pages,
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
    let kept = navigation::replace(&app, caller.scope, &typed, change.revision, caller.actor).await?;
    Ok(Found(kept.into()))
}
