//! Everything that is held about somebody, community by community.

use std::collections::{BTreeMap, BTreeSet};

use domain::id::OrgId;
use domain::platform_id::EitherId;
use serde_json::{Map, Value, json};
use storage::OrgScope;
use storage::identity::{accounts, blocklist};
use storage::privacy::held::{self, Holder, Sections};

use super::Sides;
use crate::error::{AppError, IdentityError};
use crate::state::App;

/// What one community holds.
pub struct HeldByOrg {
    /// The Org.
    pub id: OrgId,
    /// What it is called.
    pub name: String,
    /// It is gone, and keeps its history.
    pub is_removed: bool,
    /// Rows by what they are about.
    pub sections: Sections,
}

/// All of it.
pub struct Held {
    /// In the order in which the Orgs were made.
    pub orgs: Vec<HeldByOrg>,
    /// Of the dashboard account, where there is one.
    pub account: Option<Sections>,
}

/// How much is gathered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// What the page tells.
    Page,
    /// Every row.
    Whole,
}

/// What is held under the accounts that somebody signed in with. The other side of a link is theirs too, where it stands and
/// is nobody else's. Whoever is blocked is shown nothing.
pub async fn gather(app: &App, sides: &Sides, depth: Depth) -> Result<Held, AppError> {
    let mut orgs = Vec::new();
    for holder in holders(app, sides, depth).await? {
        let accounts = concerned(app, holder.scope, sides).await?;
        refuse_blocked(app, &accounts).await?;
        let mut sections = Sections::new();
        for account in &accounts {
            let whole = depth == Depth::Whole;
            held::gather(&app.db, holder.scope, account, whole, &mut sections).await?;
        }
        hide_others(&mut sections, &accounts);
        orgs.push(HeldByOrg {
            id: holder.id,
            name: holder.name,
            is_removed: holder.is_removed,
            sections,
        });
    }
    refuse_blocked(app, &sides.accounts().into_iter().collect()).await?;
    Ok(Held {
        orgs,
        account: of_account(app, sides).await?,
    })
}

/// Orgs that hold something. Files that wait to be taken over are looked through where nothing may be missed.
pub(super) async fn holders(app: &App, sides: &Sides, depth: Depth) -> Result<Vec<Holder>, AppError> {
    let mut holders: BTreeMap<i64, Holder> = BTreeMap::new();
    for account in sides.accounts() {
        let mut found = held::list_holders(&app.db, &account).await?;
        if depth == Depth::Whole {
            found.extend(held::list_importers(&app.db, &account).await?);
        }
        holders.extend(found.into_iter().map(|holder| (holder.scope.num(), holder)));
    }
    Ok(holders.into_values().collect())
}

/// Refuses whoever is blocked by any of these accounts.
pub(super) async fn refuse_blocked(app: &App, accounts: &BTreeSet<EitherId>) -> Result<(), AppError> {
    let entries: Vec<_> = accounts.iter().flat_map(|one| app.blocks_of(one)).collect();
    if blocklist::is_any_blocked(&app.db, &entries, app.now_ms()).await? {
        return Err(IdentityError::BlockedPerson.into());
    }
    Ok(())
}

/// The accounts whose data is somebody's in an Org.
pub(super) async fn concerned(
    app: &App,
    scope: OrgScope,
    sides: &Sides,
) -> Result<BTreeSet<EitherId>, AppError> {
    let own = sides.accounts();
    let mut all: BTreeSet<EitherId> = own.iter().cloned().collect();
    for near in &own {
        let partners = held::list_joined(&app.db, scope, near).await?;
        let Some(far) = only_partner(&own, &partners) else {
            continue;
        };
        let far = EitherId::parse(far).map_err(AppError::internal)?;
        let back = held::list_joined(&app.db, scope, &far).await?;
        if are_own(&own, &back) {
            all.insert(far);
        }
    }
    Ok(all)
}

/// Whether all of these were shown to be the visitor's.
pub(super) fn are_own(own: &[EitherId], ids: &[String]) -> bool {
    ids.iter().all(|id| own.iter().any(|own| own.as_str() == id))
}

/// The one account that another is linked with, if it was not shown to be the visitor's. With several nobody knows whose
/// they are.
pub(super) fn only_partner<'a>(own: &[EitherId], partners: &'a [String]) -> Option<&'a str> {
    match partners {
        [one] if !are_own(own, partners) => Some(one),
        _ => None,
    }
}

/// A row names the person whose data it is, and not with whom they were linked.
fn hide_others(sections: &mut Sections, accounts: &BTreeSet<EitherId>) {
    if let Some(Value::Array(links)) = sections.get_mut("links") {
        for link in links.iter_mut().filter_map(Value::as_object_mut) {
            link.remove("id");
            hide_strangers(link, accounts);
        }
    }
    if let Some(Value::Array(rows)) = sections.get_mut("rows_of_imports") {
        for row in rows.iter_mut().filter_map(Value::as_object_mut) {
            let body = row.get("row").and_then(Value::as_str);
            let mut body: Map<String, Value> = body
                .and_then(|body| serde_json::from_str(body).ok())
                .unwrap_or_default();
            hide_strangers(&mut body, accounts);
            row.insert("row".to_owned(), Value::Object(body));
        }
    }
}

/// Takes away the side that is not the visitor's, with what may be about it.
fn hide_strangers(row: &mut Map<String, Value>, accounts: &BTreeSet<EitherId>) {
    for (id, name) in [("discord_id", "discord_name"), ("steam_id", "steam_name")] {
        let is_own = row
            .get(id)
            .is_some_and(|value| accounts.iter().any(|own| value == own.as_str()));
        if !is_own {
            for field in [id, name, "nickname", "country"] {
                row.remove(field);
            }
        }
    }
}

async fn of_account(app: &App, sides: &Sides) -> Result<Option<Sections>, AppError> {
    let Some(discord) = &sides.discord else {
        return Ok(None);
    };
    match accounts::find_by_discord(&app.db, discord).await? {
        Some(account) => Ok(Some(held::of_account(&app.db, account.num).await?)),
        None => Ok(None),
    }
}

impl Held {
    /// As it is taken home.
    pub fn to_json(&self, sides: &Sides, now_ms: i64) -> Value {
        let orgs = self.orgs.iter().map(|org| {
            let mut all = Map::new();
            all.insert("name".to_owned(), json!(org.name));
            all.extend(org.sections.clone());
            Value::Object(all)
        });
        json!({
            "made_at_ms": now_ms,
            "accounts": {
                "discord_id": sides.discord.as_ref().map(|id| id.as_str()),
                "steam_id": sides.steam.as_ref().map(|id| id.as_str()),
            },
            "communities": orgs.collect::<Vec<_>>(),
            "dashboard": self.account,
        })
    }
}
