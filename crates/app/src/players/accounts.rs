//! The accounts that hang together with somebody's, drawn as a graph.

use std::collections::BTreeMap;

use domain::audit::Actor;
use domain::erased::is_erased;
use domain::platform_id::EitherId;
use storage::OrgScope;
use storage::players::graph::{self, Edge};

use super::person::note_view;
use super::users;
use crate::error::{AppError, RequestError};
use crate::state::App;

/// Accounts that are shown.
const MOST_ACCOUNTS: usize = 400;
/// Links that are shown.
const MOST_LINKS: usize = 1_000;

/// An account of either platform.
#[derive(Debug, Clone)]
pub struct Account {
    /// On Steam; else on Discord.
    pub is_steam: bool,
    /// None for an account that was erased.
    pub id: Option<String>,
    /// As it was last told.
    pub name: Option<String>,
    /// It has an active link.
    pub is_active: bool,
}

/// A link between two of the accounts, by their places in the list.
#[derive(Debug, Clone)]
pub struct Joined {
    /// The account on Discord.
    pub discord: usize,
    /// The account on Steam.
    pub steam: usize,
    /// What the link is.
    pub edge: Edge,
}

/// Accounts that hang together.
#[derive(Debug, Clone, Default)]
pub struct AccountGraph {
    /// The one that was asked for comes first.
    pub accounts: Vec<Account>,
    /// Active ones and ended ones.
    pub links: Vec<Joined>,
    /// There are more than are shown.
    pub is_cut: bool,
}

/// The graph around somebody.
pub async fn graph(
    app: &App,
    scope: OrgScope,
    key: &EitherId,
    viewer: Actor,
) -> Result<AccountGraph, AppError> {
    let found = users::find(app, scope, key)
        .await?
        .ok_or(RequestError::NotFound)?;
    note_view(app, scope, &found, viewer).await?;
    let (accounts, links) = (MOST_ACCOUNTS as i64 + 1, MOST_LINKS as i64 + 1);
    let edges = graph::list_edges(&app.db, scope, &found.discord_id, accounts, links).await?;
    Ok(draw(&found.discord_id, edges))
}

fn draw(first: &str, edges: Vec<Edge>) -> AccountGraph {
    let mut graph = AccountGraph::default();
    let mut places: BTreeMap<(bool, String), usize> = BTreeMap::new();
    graph.place(&mut places, false, first);
    graph.is_cut = edges.len() > MOST_LINKS;
    for edge in edges.into_iter().take(MOST_LINKS) {
        let both = [(false, &edge.discord_id), (true, &edge.steam_id)]
            .map(|(is_steam, id)| graph.place(&mut places, is_steam, id));
        let [Some(discord), Some(steam)] = both else {
            graph.is_cut = true;
            continue;
        };
        graph.accounts[discord].tell(edge.discord_name.as_ref(), edge.ended_at_ms.is_none());
        graph.accounts[steam].tell(edge.steam_name.as_ref(), edge.ended_at_ms.is_none());
        graph.links.push(Joined { discord, steam, edge });
    }
    graph
}

impl AccountGraph {
    /// The place of an account; none where there is no room for it.
    fn place(
        &mut self,
        places: &mut BTreeMap<(bool, String), usize>,
        is_steam: bool,
        id: &str,
    ) -> Option<usize> {
        let key = (is_steam, id.to_owned());
        if let Some(place) = places.get(&key) {
            return Some(*place);
        }
        let place = self.accounts.len();
        if place >= MOST_ACCOUNTS {
            return None;
        }
        places.insert(key, place);
        self.accounts.push(Account {
            is_steam,
            id: Some(id).filter(|id| !is_erased(id)).map(str::to_owned),
            name: None,
            is_active: false,
        });
        Some(place)
    }
}

impl Account {
    /// The name of an active link is the one it has now.
    fn tell(&mut self, name: Option<&String>, is_active: bool) {
        if name.is_some() && (is_active || self.name.is_none()) {
            self.name = name.cloned();
        }
        self.is_active |= is_active;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(discord: &str, steam: &str, name: &str, ended_at_ms: Option<i64>) -> Edge {
        Edge {
            discord_id: discord.to_owned(),
            steam_id: steam.to_owned(),
            discord_name: Some(name.to_owned()),
            steam_name: None,
            linked_at_ms: 1,
            ended_at_ms,
            end_cause: ended_at_ms.map(|_| "user".to_owned()),
            guild_name: "G".to_owned(),
        }
    }

    #[test]
    fn whoever_was_asked_for_comes_first_and_an_active_link_tells_the_name() {
        let edges = vec![
            edge("2", "s", "Other", Some(5)),
            edge("1", "s", "Now", None),
            edge("1", "t", "Before", Some(4)),
        ];
        let graph = draw("1", edges);
        let first = &graph.accounts[0];
        assert_eq!(
            (first.id.as_deref(), first.name.as_deref(), first.is_active),
            (Some("1"), Some("Now"), true)
        );
        assert_eq!(
            (graph.accounts.len(), graph.links.len(), graph.is_cut),
            (4, 3, false)
        );
    }

    #[test]
    fn an_erased_account_has_no_id_and_is_still_told_apart() {
        let edges = vec![edge("1", "x:aa", "A", Some(2)), edge("1", "x:bb", "A", Some(3))];
        let graph = draw("1", edges);
        assert_eq!(graph.accounts.len(), 3);
        assert!(graph.accounts[1..].iter().all(|account| account.id.is_none()));
    }

    #[test]
    fn what_does_not_fit_is_cut_and_said_so() {
        let many = (0..500)
            .map(|n| edge("1", &n.to_string(), "A", Some(2)))
            .collect();
        let graph = draw("1", many);
        assert_eq!((graph.accounts.len(), graph.is_cut), (MOST_ACCOUNTS, true));
        assert_eq!(graph.links.len(), MOST_ACCOUNTS - 1);
    }
}
