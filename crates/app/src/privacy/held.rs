//! Everything that is held about somebody, community by community.

use std::collections::{BTreeMap, BTreeSet};

use domain::id::OrgId;
use domain::platform_id::EitherId;
use serde_json::{Map, Value, json};
use storage::identity::accounts;
use storage::privacy::held::{self, Holder, Sections};

use super::Sides;
use crate::error::AppError;
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

/// What is held under the accounts that somebody signed in with. The other side of a link is theirs too, where it stands.
pub async fn gather(app: &App, sides: &Sides) -> Result<Held, AppError> {
    let mut holders: BTreeMap<i64, Holder> = BTreeMap::new();
    for account in sides.accounts() {
        for holder in held::list_holders(&app.db, &account).await? {
            holders.insert(holder.scope.num(), holder);
        }
    }
    let mut orgs = Vec::with_capacity(holders.len());
    for holder in holders.into_values() {
        let accounts = concerned(app, &holder, sides).await?;
        let mut sections = Sections::new();
        for account in &accounts {
            held::gather(&app.db, holder.scope, account, &mut sections).await?;
        }
        hide_others(&mut sections, &accounts);
        orgs.push(HeldByOrg {
            id: holder.id,
            name: holder.name,
            is_removed: holder.is_removed,
            sections,
        });
    }
    Ok(Held {
        orgs,
        account: of_account(app, sides).await?,
    })
}

/// The accounts whose data is somebody's in an Org.
async fn concerned(app: &App, holder: &Holder, sides: &Sides) -> Result<BTreeSet<EitherId>, AppError> {
    let own = sides.accounts();
    let mut all: BTreeSet<EitherId> = own.iter().cloned().collect();
    for account in &own {
        for other in held::list_joined(&app.db, holder.scope, account).await? {
            let other = EitherId::parse(&other).map_err(AppError::internal)?;
            let joined = held::list_joined(&app.db, holder.scope, &other).await?;
            if is_theirs(&own, &joined) {
                all.insert(other);
            }
        }
    }
    Ok(all)
}

/// Whether the other side of a link belongs to whoever signed in: all that is linked with it is theirs.
pub(super) fn is_theirs(own: &[EitherId], joined: &[String]) -> bool {
    let own: BTreeSet<&str> = own.iter().map(EitherId::as_str).collect();
    joined.iter().all(|id| own.contains(id.as_str()))
}

/// An ended link names the person whose data it is, and not with whom they were linked.
fn hide_others(sections: &mut Sections, accounts: &BTreeSet<EitherId>) {
    let is_own = |value: &Value| accounts.iter().any(|own| value == own.as_str());
    let Some(Value::Array(links)) = sections.get_mut("links") else {
        return;
    };
    for link in links.iter_mut().filter_map(Value::as_object_mut) {
        link.remove("id");
        for (id, name) in [("discord_id", "discord_name"), ("steam_id", "steam_name")] {
            if !link.get(id).is_some_and(is_own) {
                link.remove(id);
                link.remove(name);
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
