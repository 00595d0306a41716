//! What follows from a look at a member once their roles are as they are: changes for game servers, and what is
//! remembered until the next look.

use std::collections::{BTreeMap, BTreeSet};

use super::merge::Vote;
use super::{Change, Direction, Game, Kept, OnLoss, RoleChange, Rule, Scene, Side, Standing};
use crate::id::MappingId;
use crate::platform_id::DiscordId;

/// A group that a player is to get or lose on a Server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupChange {
    pub server: i64,
    pub group: String,
    pub change: Change,
    pub rule: MappingId,
    /// Whether they had it before, where that is known.
    pub before: Option<bool>,
    /// How often it was asked for without being shown.
    pub asks: u32,
}

/// What follows from a look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settled {
    pub kept: Kept,
    pub groups: Vec<GroupChange>,
    /// Changes that game servers have shown or that are not waited for any more, by Server and group.
    pub shown: Vec<(i64, String)>,
    /// Groups that we put and that are not there any more.
    pub dropped: Vec<(i64, String)>,
}

/// What follows from a look after which these changes are done. Of the unsure ones nobody knows whether Discord did them.
pub fn settle(scene: &Scene, done: &[RoleChange], unsure: &BTreeSet<DiscordId>) -> Settled {
    let mut has = scene.has.clone();
    for change in done {
        match change.change {
            Change::Add => has.insert(change.role.clone()),
            Change::Remove => has.remove(&change.role),
        };
    }
    let mut settled = Settled {
        kept: memory(scene, &has, done, unsure),
        ..Settled::default()
    };
    if scene.is_linked {
        settled.groups = groups(scene, &has);
        settled.shown = shown(scene);
        settled.dropped = dropped(scene);
        let asked: BTreeSet<(i64, &str)> = settled
            .groups
            .iter()
            .map(|change| (change.server, change.group.as_str()))
            .collect();
        for rule in &scene.rules {
            let is_asked = asked.contains(&(rule.server, rule.group.as_str()));
            match agreed(scene, rule, &has, is_asked) {
                // Of a rule in one direction only what was there says anything.
                Some(false) if rule.direction != Direction::Both => {
                    settled.kept.base.remove(&rule.id);
                }
                Some(agreed) => {
                    settled.kept.base.insert(rule.id.clone(), agreed);
                }
                None => {}
            }
        }
    } else if scene.is_blocked {
        // What either side has by itself is what they get back.
        let both = scene
            .rules
            .iter()
            .filter(|rule| rule.direction == Direction::Both);
        settled.kept.base = both.map(|rule| (rule.id.clone(), false)).collect();
    }
    settled
}

/// Which roles are ours, and which are still to be taken back.
fn memory(
    scene: &Scene,
    has: &BTreeSet<DiscordId>,
    done: &[RoleChange],
    unsure: &BTreeSet<DiscordId>,
) -> Kept {
    if !scene.is_there {
        // Discord forgets the roles of whoever leaves.
        return Kept::default();
    }
    let is_ours = |role: &&DiscordId| has.contains(*role) || unsure.contains(*role);
    let added = |role: &DiscordId| {
        done.iter()
            .any(|change| change.role == *role && change.change == Change::Add)
    };
    let mut given: BTreeSet<DiscordId> = scene.kept.given.iter().filter(is_ours).cloned().collect();
    given.extend(has.iter().filter(|role| added(role)).cloned());
    let mut owed: BTreeSet<DiscordId> = scene.kept.owed.iter().filter(is_ours).cloned().collect();
    if scene.is_linked {
        let wanted = super::merge::wanted(scene);
        let (kept, rest): (BTreeSet<_>, BTreeSet<_>) =
            owed.into_iter().partition(|role| wanted.contains_key(role));
        given.extend(kept);
        owed = rest;
    }
    let is_known = |id: &MappingId| scene.is_linked && scene.rules.iter().any(|rule| rule.id == *id);
    let base = scene.kept.base.iter().filter(|(id, _)| is_known(id));
    Kept {
        given,
        owed,
        base: base.map(|(id, agreed)| (id.clone(), *agreed)).collect(),
    }
}

/// What both sides of a rule agree on now; none where that is as it was.
fn agreed(scene: &Scene, rule: &Rule, has: &BTreeSet<DiscordId>, is_asked: bool) -> Option<bool> {
    let on_discord = has.contains(&rule.role);
    let in_game = match scene.standing(rule) {
        Standing::Reported(has) if !is_asked => Some(has),
        Standing::Reported(_) | Standing::Asked(_) | Standing::Unknown => None,
    };
    let is_due = scene.base(rule) == Some(true);
    match rule.direction {
        // What a rule gave is remembered until it is gone: it is to be taken, or to be left.
        Direction::ToDiscord if is_due && on_discord => in_game.filter(|in_game| *in_game),
        Direction::ToDiscord => in_game,
        Direction::ToGame if is_due && !on_discord => in_game.filter(|in_game| !in_game),
        Direction::ToGame => Some(on_discord),
        // Who leaves takes nothing along: what the game says when they come back is what they get.
        Direction::Both if !scene.is_there => Some(false),
        // From here on, a role that appears is somebody's doing, and not what was there before the game spoke.
        Direction::Both
            if scene.standing(rule) == Standing::Unknown
                && scene.base(rule).is_none()
                && rule.authority == Side::Game =>
        {
            (!on_discord).then_some(false)
        }
        Direction::Both => in_game.filter(|in_game| *in_game == on_discord),
    }
}

fn shown(scene: &Scene) -> Vec<(i64, String)> {
    let mut shown = Vec::new();
    for (server, game) in &scene.games {
        shown.extend(game.withdrawn.keys().map(|group| (*server, group.clone())));
        for (group, asked) in &game.asked {
            let is_over = match game.standing(group, scene.now_ms) {
                Standing::Asked(_) => false,
                Standing::Reported(has) => !asked.ends || !has,
                Standing::Unknown => !asked.ends,
            };
            if is_over {
                shown.push((*server, group.clone()));
            }
        }
    }
    shown
}

fn dropped(scene: &Scene) -> Vec<(i64, String)> {
    let mut dropped = Vec::new();
    for (server, game) in &scene.games {
        let is_gone = |group: &&String| match game.standing(group, scene.now_ms) {
            Standing::Reported(has) => !has,
            // Nobody ever saw it there, and nobody will put it there any more.
            Standing::Unknown => game
                .withdrawn
                .get(*group)
                .is_some_and(|asked| asked.change == Change::Add),
            Standing::Asked(_) => false,
        };
        dropped.extend(
            game.put
                .iter()
                .filter(is_gone)
                .map(|group| (*server, group.clone())),
        );
    }
    dropped
}

/// What a rule says about its group.
fn vote_on_group(scene: &Scene, rule: &Rule, has: &BTreeSet<DiscordId>) -> Vote {
    let lose = match rule.on_loss {
        OnLoss::Remove => Vote::Lose,
        OnLoss::Keep => Vote::Hold,
    };
    match rule.direction {
        Direction::ToDiscord => Vote::None,
        Direction::ToGame if has.contains(&rule.role) => Vote::Want,
        Direction::ToGame if scene.base(rule) == Some(true) || is_put(scene, rule) => lose,
        Direction::ToGame => Vote::None,
        Direction::Both if !scene.is_there => Vote::Hold,
        Direction::Both => match scene.target(rule) {
            Some(true) => Vote::Want,
            Some(false) => lose,
            None => Vote::Hold,
        },
    }
}

fn is_put(scene: &Scene, rule: &Rule) -> bool {
    let game = scene.games.get(&rule.server);
    let is_put = |game: &Game| {
        let withdrawn = game.withdrawn.get(&rule.group);
        game.put.contains(&rule.group) && withdrawn.is_none_or(|asked| asked.change == Change::Remove)
    };
    game.is_some_and(is_put)
}

/// The groups that a player is to get or lose.
fn groups(scene: &Scene, has: &BTreeSet<DiscordId>) -> Vec<GroupChange> {
    let mut votes: BTreeMap<(i64, &str), Vec<(Vote, &Rule)>> = BTreeMap::new();
    for rule in scene.rules.iter().filter(|rule| rule.direction.writes_group()) {
        let vote = vote_on_group(scene, rule, has);
        votes
            .entry((rule.server, &rule.group))
            .or_default()
            .push((vote, rule));
    }
    votes
        .into_values()
        .filter_map(|votes| group_change(scene, &votes))
        .collect()
}

fn group_change(scene: &Scene, votes: &[(Vote, &Rule)]) -> Option<GroupChange> {
    let first = |wanted: Vote| {
        votes
            .iter()
            .find(|(vote, _)| *vote == wanted)
            .map(|(_, rule)| *rule)
    };
    let (change, rule) = match (first(Vote::Want), first(Vote::Hold), first(Vote::Lose)) {
        (Some(rule), _, _) => (Change::Add, rule),
        (None, None, Some(rule)) => (Change::Remove, rule),
        (None, _, _) => return None,
    };
    let before = match scene.standing(rule) {
        Standing::Reported(has) | Standing::Asked(has) => Some(has),
        Standing::Unknown => None,
    };
    // Where nothing was reported, what we put there is what we know.
    let is_so = before.unwrap_or_else(|| is_put(scene, rule)) == change.leaves();
    let asked = scene
        .games
        .get(&rule.server)
        .and_then(|game| game.asked.get(&rule.group));
    let asks = asked.filter(|asked| asked.change == change && !asked.ends);
    (!is_so).then(|| GroupChange {
        asks: asks.map_or(0, |asked| asked.asks.saturating_add(1)),
        server: rule.server,
        group: rule.group.clone(),
        change,
        rule: rule.id.clone(),
        before,
    })
}
