//! What is written down after a look.

use std::collections::BTreeMap;

use domain::id::MappingId;
use domain::platform_id::DiscordId;
use domain::roles::{Cause, Change, Outcome, RoleChange, Scene, Settled, Side, Source, settle};
use storage::jobs::{self, Grip, Held};
use storage::linking::links;
use storage::players::boosters;
use storage::roles::grants;
use storage::roles::ledger::{self, Line};
use storage::roles::marks::{self, Mark};
use storage::roles::members::{self, RoleMember};
use storage::roles::subjects;
use storage::tenancy::guilds;
use storage::{GuildNum, OrgScope, ServerNum, Tx, Work};

use super::calls::{Called, GONE, LEFT, NOT_SHOWN};
use super::nicknames::Followed;
use super::scene::{Known, Place};
use crate::error::AppError;
use crate::role_ends::{Ended, take_groups_back};

/// The result of a look.
pub(super) struct Settle {
    pub(super) guild: GuildNum,
    pub(super) mark: Mark,
    pub(super) held: Held,
    pub(super) known: Known,
    pub(super) scene: Scene,
    pub(super) called: Called,
    pub(super) barred: Vec<RoleChange>,
    pub(super) nick: Followed,
    pub(super) settled: Settled,
    /// Rules in words.
    pub(super) words: BTreeMap<MappingId, String>,
    pub(super) now_ms: i64,
}

impl Settle {
    #[expect(clippy::too_many_arguments, reason = "the parts of one look")]
    pub fn new(
        place: &Place,
        mark: &Mark,
        held: &Held,
        known: Known,
        scene: Scene,
        barred: Vec<RoleChange>,
        called: Called,
        nick: Followed,
        now_ms: i64,
    ) -> Self {
        let settled = settle(&scene, &called.done, &called.unsure);
        let words = place
            .rules
            .iter()
            .map(|rule| (rule.id.clone(), place.words(rule)));
        Self {
            guild: place.guild.num,
            mark: mark.clone(),
            held: held.clone(),
            known,
            scene,
            called,
            barred,
            nick,
            settled,
            words: words.collect(),
            now_ms,
        }
    }
}

impl Work for Settle {
    type For = OrgScope;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "settle_roles";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<(), AppError> {
        let guild = self.guild;
        guilds::lock(tx, scope, guild).await?;
        if jobs::hold(tx, &self.held).await? == Grip::Lost {
            // Another node looks at them by now, and sees what we did.
            return Ok(());
        }
        let member = &self.mark.discord_id;
        let link = links::find_by_discord(tx, guild, member).await?;
        let is_same = match &link {
            Some(link) => link.num == self.known.subject.link_num,
            None => !self.known.subject.is_linked,
        };
        for change in &self.called.done {
            self.write(tx, scope, &self.role_line(change, Outcome::Done, None))
                .await?;
        }
        if !subjects::is_of(tx, self.known.subject.link_num, member).await? {
            // They were erased meanwhile. What was about to be given had been noted before, and is taken off again.
            return Ok(());
        }
        if !is_same {
            return self.hand_over(tx, scope).await;
        }
        self.write_refusals(tx, scope).await?;
        if self.known.subject.is_linked && !self.scene.is_linked {
            // The link stands and does not count: whoever is blocked has nothing by it.
            if let Some(steam_id) = &self.known.subject.steam_id {
                let ended = Ended {
                    link_num: self.known.subject.link_num,
                    steam_id,
                    cause: self.mark.cause,
                    now_ms: self.now_ms,
                };
                take_groups_back(tx, scope, guild, ended).await?;
            }
        }
        self.write_game_side(tx, scope).await?;
        self.write_nickname(tx, scope).await?;
        for grant in self.known.grants.iter().filter(|grant| grant.ended) {
            if self.called.stopped.is_none() && !self.is_held_up(&grant.role) {
                grants::forget(tx, guild, member, grant).await?;
            }
        }
        if self.scene.is_linked && self.scene.boosts {
            boosters::add(tx, scope, guild, member, self.now_ms).await?;
        } else {
            boosters::remove(tx, scope, guild, member).await?;
        }
        let row = self.row();
        if link.is_none() && row.is_empty() {
            members::remove(tx, scope, guild, member).await?;
        } else {
            members::save(tx, scope, guild, member, &row).await?;
        }
        if self.called.stopped.is_none() && self.nick.stopped.is_none() {
            marks::done(tx, guild, &self.mark).await?;
        }
        Ok(())
    }
}

impl Settle {
    /// The link changed while Discord was asked: what was given meanwhile is owed to the link that ended. The mark of the
    /// change is newer than ours, so somebody looks again.
    async fn hand_over(&self, tx: &mut Tx<'_>, scope: OrgScope) -> Result<(), AppError> {
        let (guild, member) = (self.guild, &self.mark.discord_id);
        let mut row = members::find_in(tx, guild, member).await?.unwrap_or_default();
        for change in &self.called.done {
            match change.change {
                Change::Add => {
                    row.kept.owed.insert(change.role.clone());
                }
                Change::Remove => {
                    row.kept.given.remove(&change.role);
                    row.kept.owed.remove(&change.role);
                }
            }
        }
        row.nick_set.clone_from(&self.nick.set);
        row.nick_before.clone_from(&self.nick.before);
        Ok(members::save(tx, scope, guild, member, &row).await?)
    }

    fn row(&self) -> RoleMember {
        let mut has = self.scene.has.clone();
        for change in &self.called.done {
            match change.change {
                Change::Add => has.insert(change.role.clone()),
                Change::Remove => has.remove(&change.role),
            };
        }
        RoleMember {
            kept: self.settled.kept.clone(),
            roles: Some(has),
            looked_at_ms: Some(self.now_ms),
            problem: self.problem().map(|(word, role)| (word.to_owned(), role.clone())),
            nick_set: self.nick.set.clone(),
            nick_before: self.nick.before.clone(),
            nick_problem: self.nick.problem.clone(),
        }
    }

    /// Whether a role is still to be taken, once something is put right on Discord.
    fn is_held_up(&self, role: &DiscordId) -> bool {
        let refused = self
            .called
            .refused
            .iter()
            .filter(|(_, word)| ![LEFT, GONE].contains(word));
        let mut open = self.barred.iter().chain(refused.map(|(change, _)| change));
        open.any(|change| change.role == *role && change.change == Change::Remove)
    }

    /// The first thing that could not be done.
    fn problem(&self) -> Option<(&str, &DiscordId)> {
        let barred = self
            .barred
            .iter()
            .filter_map(|change| Some((change.cannot?.as_str(), &change.role)));
        let refused = self
            .called
            .refused
            .iter()
            .map(|(change, word)| (*word, &change.role));
        let unshown = self.unshown().map(|(_, _, _, role)| (NOT_SHOWN, role));
        barred.chain(refused).chain(unshown).next()
    }

    /// What could not be done is told once, not at every look.
    async fn write_refusals(&self, tx: &mut Tx<'_>, scope: OrgScope) -> Result<(), AppError> {
        let before = self.known.row.problem.as_ref();
        let is_known = before.map(|(word, role)| (word.as_str(), role)) == self.problem();
        if is_known {
            return Ok(());
        }
        for change in &self.barred {
            let reason = change.cannot.map(domain::discord::RoleReason::as_str);
            self.write(tx, scope, &self.role_line(change, Outcome::Cannot, reason))
                .await?;
        }
        for (change, word) in &self.called.refused {
            let result = if *word == LEFT {
                Outcome::Gone
            } else {
                Outcome::Cannot
            };
            self.write(tx, scope, &self.role_line(change, result, Some(word)))
                .await?;
        }
        if let Some((server, group, change, _)) = self.unshown() {
            let line = Line {
                server: Some(ServerNum(server)),
                side: Side::Game,
                group: Some(group),
                ..self.line(change, Source::Rule, None, Outcome::Cannot, Some(NOT_SHOWN))
            };
            self.write(tx, scope, &line).await?;
        }
        Ok(())
    }

    /// A nickname that was set or given back, or that cannot be.
    async fn write_nickname(&self, tx: &mut Tx<'_>, scope: OrgScope) -> Result<(), AppError> {
        let (before, after) = (&self.known.row, &self.nick);
        let (change, result, reason) = if after.is_changed {
            (Change::to(after.set.is_some()), Outcome::Done, None)
        } else if after.problem.is_some() && after.problem != before.nick_problem {
            (
                Change::to(self.scene.is_linked),
                Outcome::Cannot,
                after.problem.as_deref(),
            )
        } else {
            return Ok(());
        };
        if !self.scene.is_there {
            return Ok(());
        }
        let line = Line {
            was: Some(before.nick_set.is_some()),
            ..self.line(change, Source::Nickname, None, result, reason)
        };
        self.write(tx, scope, &line).await
    }

    fn role_line<'a>(&'a self, change: &'a RoleChange, result: Outcome, reason: Option<&'a str>) -> Line<'a> {
        Line {
            role: Some(&change.role),
            was: Some(self.scene.has.contains(&change.role)),
            ..self.line(change.change, change.source, change.rule.as_ref(), result, reason)
        }
    }

    pub(super) fn line<'a>(
        &'a self,
        change: Change,
        source: Source,
        rule: Option<&MappingId>,
        result: Outcome,
        reason: Option<&'a str>,
    ) -> Line<'a> {
        let rule = rule.and_then(|rule| self.words.get(rule)).map(String::as_str);
        let is_done = matches!(result, Outcome::Done | Outcome::Waiting);
        let cause: Cause = self.mark.cause;
        Line {
            link_num: self.known.subject.link_num,
            server: None,
            side: Side::Discord,
            change,
            role: None,
            group: None,
            source,
            rule,
            cause,
            was: None,
            became: is_done.then_some(change.leaves()),
            result,
            reason,
            at_ms: self.now_ms,
        }
    }

    pub(super) async fn write(
        &self,
        tx: &mut Tx<'_>,
        scope: OrgScope,
        line: &Line<'_>,
    ) -> Result<(), AppError> {
        Ok(ledger::write(tx, scope, self.guild, line).await?)
    }
}
