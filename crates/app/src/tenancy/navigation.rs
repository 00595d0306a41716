//! The editor of the link pages: the buttons, which all pages of an Org share, and the colour of each page. One call
//! replaces all buttons, in their order.

use std::collections::BTreeMap;

use domain::audit::{Actor, AuditAction};
use domain::face::Accent;
use domain::id::GuildId;
use domain::navigation::{self as rules, Icon};
use domain::plan::{Dimension, Plans};
use serde_json::json;
use storage::records::audit::Act;
use storage::tenancy::guilds::{self, Guild};
use storage::tenancy::navigation;
pub use storage::tenancy::navigation::NavigationLink;
use storage::tenancy::orgs;
use storage::{OrgScope, Tx, Work};

use crate::changes::Changes;
use crate::error::{AppError, RequestError, TenancyError};
use crate::state::App;

/// The buttons, how many the plan allows, and the pages they are on.
pub struct Navigation {
    /// In the order they are shown.
    pub links: Vec<NavigationLink>,
    /// An Org may have more than that after a downgrade.
    pub ceiling: i64,
    /// Its Guilds, each of which has one.
    pub pages: Vec<Guild>,
    /// One more with every save. Read before the buttons, so that it is never newer than they are.
    pub revision: i64,
}

/// What the editor of the buttons starts from.
pub async fn get(app: &App, scope: OrgScope) -> Result<Navigation, AppError> {
    let org = orgs::get(&app.db, scope).await?.ok_or(RequestError::NotFound)?;
    Ok(Navigation {
        links: navigation::list(&app.db, scope).await?,
        ceiling: app.plans.ceilings(org.tier).navigation_links,
        pages: guilds::list(&app.db, scope).await?,
        revision: org.navigation_revision,
    })
}

/// For ceilings that are shown.
pub async fn count(app: &App, scope: OrgScope) -> Result<i64, AppError> {
    Ok(navigation::count(&app.db, scope).await?)
}

/// A button as somebody typed it.
pub struct TypedLink {
    /// Checked, as is the rest, when it is saved.
    pub label: String,
    /// Of the web, by http or https; it is kept in the spelling that browsers use.
    pub url: String,
    /// One of a fixed list.
    pub icon: String,
    /// Opens beside the link page.
    pub new_tab: bool,
}

/// Colours that somebody chose, by the Guilds whose link pages get them.
pub type Accents = BTreeMap<GuildId, Accent>;

/// Replaces the buttons and paints pages, unless somebody did so since the revision that the caller saw, if they name one.
/// An Org above its ceiling can change and remove what it has, and add nothing.
pub async fn replace(
    app: &App,
    scope: OrgScope,
    typed: &[TypedLink],
    accents: Accents,
    revision: Option<i64>,
    actor: Actor,
) -> Result<Navigation, AppError> {
    let checked = typed.iter().enumerate().map(|(row, link)| check(row, link));
    let links = checked.collect::<Result<Vec<_>, _>>()?;
    let work = Replace {
        links,
        accents,
        revision,
        plans: app.plans,
    };
    app.db.write_for(app.act(scope, actor), work).await?;
    get(app, scope).await
}

fn check(row: usize, link: &TypedLink) -> Result<NavigationLink, AppError> {
    let refused = |parameter, problem: String| RequestError::InvalidRow {
        row,
        parameter,
        problem,
    };
    let icon = Icon::parse(&link.icon).ok_or_else(|| refused("icon", "choose one of the list".to_owned()))?;
    Ok(NavigationLink {
        label: rules::label(&link.label).map_err(|error| refused("label", error.to_string()))?,
        url: rules::address(&link.url).map_err(|error| refused("url", error.to_string()))?,
        icon: icon.as_str().to_owned(),
        new_tab: link.new_tab,
    })
}

struct Replace {
    links: Vec<NavigationLink>,
    accents: Accents,
    revision: Option<i64>,
    plans: Plans,
}

impl Work for Replace {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "replace_navigation";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        let scope = act.scope;
        let ceilings = self.plans.ceilings(orgs::lock(tx, scope).await?.tier);
        let before = navigation::list_in(tx, scope).await?;
        let repainted = self.repainted(tx, scope).await?;
        if before == self.links && repainted.is_empty() {
            return Ok(());
        }
        let count = |links: &[NavigationLink]| i64::try_from(links.len()).unwrap_or(i64::MAX);
        let (old, new) = (count(&before), count(&self.links));
        if !ceilings.allows(Dimension::NavigationLinks, old, new - old) {
            return Err(TenancyError::LimitReached {
                dimension: Dimension::NavigationLinks,
                ceiling: ceilings.navigation_links,
            }
            .into());
        }
        let seen = match self.revision {
            Some(seen) => seen,
            None => orgs::get_in(tx, scope).await?.navigation_revision,
        };
        navigation::replace(tx, scope, seen, &self.links).await?;
        for (page, accent) in repainted {
            guilds::set_accent(tx, scope, page.num, accent).await?;
            let mut changes = Changes::default();
            changes.add("accent", page.accent, accent);
            let detail = changes.into_detail();
            act.note(tx, AuditAction::GuildChanged, Some(page.id.as_str()), &detail)
                .await?;
        }
        if before == self.links {
            return Ok(());
        }
        let detail = json!({ "from": old, "to": new });
        Ok(act
            .note(tx, AuditAction::NavigationChanged, None, &detail)
            .await?)
    }
}

impl Replace {
    /// The pages that get another colour than they have.
    async fn repainted(&self, tx: &mut Tx<'_>, scope: OrgScope) -> Result<Vec<(Guild, Accent)>, AppError> {
        if self.accents.is_empty() {
            return Ok(Vec::new());
        }
        let pages = guilds::list_in(tx, scope).await?;
        let mut repainted = Vec::new();
        for (id, accent) in &self.accents {
            let page = pages.iter().find(|page| page.id == *id);
            // Who saw the page finds it gone.
            let page = page.ok_or(match self.revision {
                Some(_) => RequestError::ChangedMeanwhile,
                None => RequestError::NotFound,
            })?;
            if page.accent != *accent {
                repainted.push((page.clone(), *accent));
            }
        }
        Ok(repainted)
    }
}
