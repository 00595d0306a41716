//! What is written down for game servers after a look.

use std::collections::{BTreeMap, BTreeSet};

use domain::platform_id::{DiscordId, SteamId};
use domain::roles::{Change, Outcome, Side, Source};
use storage::players::group_changes::ServerPlace;
use storage::roles::game_side::{self, Wish};
use storage::roles::ledger::{self, Line};
use storage::{OrgScope, ServerNum, Tx};

use super::settle::Settle;
use crate::error::AppError;

/// How often a group is asked for before somebody is told that it does not come.
const IN_VAIN: u32 = 3;

impl Settle {
    /// A group that was asked for again and again without being shown: its Server, its change and the role of its rule.
    pub(super) fn unshown(&self) -> Option<(i64, &str, Change, &DiscordId)> {
        let waited = self.known.games.iter().flat_map(|(server, game)| {
            let asked = game.asked.iter();
            asked.map(move |(group, asked)| (*server, group.as_str(), asked.change, asked.asks))
        });
        let is_over = |server: i64, group: &str| {
            let mut shown = self.settled.shown.iter();
            let mut again = self.settled.groups.iter();
            shown.any(|(at, name)| (*at, name.as_str()) == (server, group))
                && !again.any(|change| (change.server, change.group.as_str()) == (server, group))
        };
        let mut vain = waited.filter(|(server, group, _, asks)| *asks >= IN_VAIN && !is_over(*server, group));
        let (server, group, change, _) = vain.next()?;
        let mut rules = self.scene.rules.iter();
        let rule = rules.find(|rule| {
            rule.direction.writes_group() && (rule.server, rule.group.as_str()) == (server, group)
        });
        rule.map(|rule| (server, group, change, &rule.role))
    }

    pub(super) async fn write_game_side(&self, tx: &mut Tx<'_>, scope: OrgScope) -> Result<(), AppError> {
        let Some(player) = &self.known.subject.steam_id else {
            return Ok(());
        };
        let mut put: BTreeMap<i64, BTreeSet<String>> = BTreeMap::new();
        self.write_shown(tx, player).await?;
        for (server, group) in &self.settled.dropped {
            self.ours(&mut put, *server).remove(group);
        }
        for change in &self.settled.groups {
            let server = ServerNum(change.server);
            let place = ServerPlace {
                scope,
                guild: self.guild,
                server,
            };
            let wish = Wish {
                player,
                group: &change.group,
                change: change.change,
                rule: change.rule.as_str(),
                asks: change.asks,
            };
            game_side::ask(tx, place, wish, self.now_ms).await?;
            if change.change == Change::Add {
                self.ours(&mut put, change.server).insert(change.group.clone());
            }
            let game = self.known.games.get(&change.server);
            let asked = game.and_then(|game| game.asked.get(&change.group));
            if asked.is_some_and(|asked| asked.change == change.change) {
                // Asked for once more; the first time is in the history.
                continue;
            }
            let line = Line {
                server: Some(server),
                side: Side::Game,
                group: Some(&change.group),
                was: change.before,
                ..self.line(
                    change.change,
                    Source::Rule,
                    Some(&change.rule),
                    Outcome::Waiting,
                    None,
                )
            };
            self.write(tx, scope, &line).await?;
        }
        for (server, groups) in put {
            let place = ServerPlace {
                scope,
                guild: self.guild,
                server: ServerNum(server),
            };
            game_side::set_put(tx, place, player, &groups).await?;
        }
        Ok(())
    }

    /// Changes that game servers have shown, or that are not waited for any more.
    async fn write_shown(&self, tx: &mut Tx<'_>, player: &SteamId) -> Result<(), AppError> {
        for (server, group) in &self.settled.shown {
            let Some(game) = self.known.games.get(server) else {
                continue;
            };
            let (server, link_num) = (ServerNum(*server), self.known.subject.link_num);
            if let Some(asked) = game.withdrawn.get(group) {
                game_side::forget_shown(tx, server, player, group, *asked).await?;
                ledger::note_withdrawn(tx, link_num, server, group).await?;
                continue;
            }
            let Some(asked) = game.asked.get(group) else {
                continue;
            };
            game_side::forget_shown(tx, server, player, group, *asked).await?;
            let reported = game.reported.as_ref();
            if reported.is_none_or(|(groups, _)| groups.contains(group) != asked.change.leaves()) {
                continue;
            }
            if asked.ends {
                ledger::note_end_shown(tx, self.guild, server, player.as_str(), group).await?;
            } else {
                ledger::note_shown(tx, link_num, server, group).await?;
            }
        }
        Ok(())
    }

    /// The groups of a Server that are ours, as they become.
    fn ours<'a>(
        &self,
        put: &'a mut BTreeMap<i64, BTreeSet<String>>,
        server: i64,
    ) -> &'a mut BTreeSet<String> {
        let known = || {
            self.known
                .games
                .get(&server)
                .map(|game| game.put.clone())
                .unwrap_or_default()
        };
        put.entry(server).or_insert_with(known)
    }
}
