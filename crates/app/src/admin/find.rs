//! Finding a person in all Orgs, for support at the command line. Who was looked for is written down by our own ids.

use domain::audit::AuditAction;
use domain::person::Search;
use domain::platform_id::{DiscordId, EitherId};
use serde_json::{Value, json};
use storage::admin::person_search;
pub use storage::admin::person_search::{HeldRole, PersonLink};
use storage::admin::search;
pub use storage::admin::search::FoundAccount;
use storage::records::audit::Act;
use storage::{NoOrg, OperatorScope, Tx, Work};

use crate::by_operator::ByOperator;
use crate::error::AppError;
use crate::state::App;

const NAME_MAX: usize = 100;
/// Who has more in common than this is asked for by an id.
const MOST_PEOPLE: usize = 20;
const MOST_LINKS: usize = 200;
const MOST_ROLES: usize = 200;
/// Words that begin like the name; somebody may have several, in several Orgs.
const MOST_WORDS: i64 = 500;
/// Those that the audit log names.
const MOST_NOTED: usize = 20;

/// Who is looked for.
#[derive(Debug, Clone)]
pub enum Wanted {
    /// Whoever has this account, or is or was linked with it.
    Account(EitherId),
    /// Whoever has a name with words that begin like these, or an account of the dashboard whose name begins so.
    Name(String),
}

/// Where somebody was found.
#[derive(Debug)]
pub struct Whereabouts {
    /// Of the dashboard.
    pub accounts: Vec<FoundAccount>,
    /// What those are in Orgs.
    pub roles: Vec<HeldRole>,
    /// Active ones first, then the newest.
    pub links: Vec<PersonLink>,
    /// There is more than is told.
    pub is_cut: bool,
}

/// Looks for a person and writes it down.
pub async fn find(
    app: &App,
    operator: OperatorScope,
    wanted: &Wanted,
    by: impl Into<ByOperator>,
) -> Result<Whereabouts, AppError> {
    let (people, links, is_cut) = match wanted {
        Wanted::Account(EitherId::Discord(id)) => of_people(app, operator, vec![id.clone()], false).await?,
        Wanted::Account(EitherId::Steam(id)) => {
            let limit = MOST_LINKS as i64 + 1;
            let links = person_search::list_links_of_steam(&app.db, operator, id, limit).await?;
            // An erased account is nobody's any more.
            let linked = links
                .iter()
                .filter_map(|link| DiscordId::parse(&link.discord_id).ok());
            let (people, is_cut) = some_of(linked);
            (people, links, is_cut)
        }
        Wanted::Name(name) => {
            let (people, is_cut) = named(app, operator, name).await?;
            of_people(app, operator, people, is_cut).await?
        }
    };
    let roles = person_search::list_roles(&app.db, operator, &people, MOST_ROLES as i64 + 1).await?;
    let mut found = Whereabouts {
        accounts: person_search::list_accounts(&app.db, operator, &people).await?,
        is_cut: is_cut || links.len() > MOST_LINKS || roles.len() > MOST_ROLES,
        roles,
        links,
    };
    found.links.truncate(MOST_LINKS);
    found.roles.truncate(MOST_ROLES);
    let by = by.into();
    let act = app.act(NoOrg, by.actor());
    app.db.write_for(act, Note::of(wanted, &found, by)).await?;
    Ok(found)
}

type OfPeople = (Vec<DiscordId>, Vec<PersonLink>, bool);

async fn of_people(
    app: &App,
    operator: OperatorScope,
    people: Vec<DiscordId>,
    is_cut: bool,
) -> Result<OfPeople, AppError> {
    let limit = MOST_LINKS as i64 + 1;
    let links = person_search::list_links(&app.db, operator, &people, limit).await?;
    Ok((people, links, is_cut))
}

/// Accounts of the dashboard and linked people, each once.
async fn named(app: &App, operator: OperatorScope, name: &str) -> Result<(Vec<DiscordId>, bool), AppError> {
    let name = name.trim();
    if name.chars().count() > NAME_MAX {
        return Err(AppError::invalid("name", "must have at most 100 characters"));
    }
    let words = match Search::parse(name) {
        Some(Search::Words(words)) => words,
        Some(Search::Account(_)) => {
            return Err(AppError::invalid(
                "name",
                "this is an ID: use --discord or --steam",
            ));
        }
        None => Vec::new(),
    };
    let Some(first) = words.first() else {
        return Err(AppError::invalid("name", "say how the name begins"));
    };
    let second = words.get(1).map_or("", String::as_str);
    let most = MOST_PEOPLE as i64 + 1;
    let accounts = search::list_accounts(&app.db, operator, name, "", most).await?;
    let linked = person_search::list_named(&app.db, operator, (first, second), MOST_WORDS).await?;
    let ended_early = linked.len() as i64 == MOST_WORDS;
    let linked = linked.iter().filter_map(|id| DiscordId::parse(id).ok());
    let (people, is_cut) = some_of(
        accounts
            .into_iter()
            .map(|account| account.discord_id)
            .chain(linked),
    );
    Ok((people, is_cut || ended_early))
}

/// Each of them once, up to the bound, and whether there are more.
fn some_of(ids: impl Iterator<Item = DiscordId>) -> (Vec<DiscordId>, bool) {
    let mut people: Vec<DiscordId> = Vec::new();
    for id in ids {
        if people.contains(&id) {
            continue;
        }
        if people.len() == MOST_PEOPLE {
            return (people, true);
        }
        people.push(id);
    }
    (people, false)
}

/// Who was looked for, as far as that can be said without naming them.
struct Note {
    target: Option<String>,
    detail: Value,
    by: ByOperator,
}

impl Note {
    fn of(wanted: &Wanted, found: &Whereabouts, by: ByOperator) -> Self {
        let asked = match wanted {
            Wanted::Account(EitherId::Discord(_)) => "discord",
            Wanted::Account(EitherId::Steam(_)) => "steam",
            Wanted::Name(_) => "name",
        };
        let accounts: Vec<&str> = found.accounts.iter().map(|one| one.id.as_str()).collect();
        let links = found.links.iter().map(|link| link.id.as_str());
        let links: Vec<&str> = links.take(MOST_NOTED).collect();
        let target = match accounts[..] {
            [one] => Some(one.to_owned()),
            _ => None,
        };
        Self {
            target,
            detail: json!({ "by": asked, "accounts": accounts, "links": links }),
            by,
        }
    }
}

impl Work for Note {
    type For = Act<NoOrg>;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "note_search";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<(), AppError> {
        let (action, target) = (AuditAction::PersonLookedUp, self.target.as_deref());
        self.by.note(tx, act, action, target, &self.detail).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_told_once_and_up_to_a_bound() {
        let ids = |count: u64| {
            (0..count)
                .map(|number| DiscordId::parse(&(200_000_000_000_000_000 + number / 2).to_string()).unwrap())
        };
        let (people, is_cut) = some_of(ids(40));
        assert_eq!((people.len(), is_cut), (MOST_PEOPLE, false));
        let (people, is_cut) = some_of(ids(41));
        assert_eq!((people.len(), is_cut), (MOST_PEOPLE, true));
    }
}
