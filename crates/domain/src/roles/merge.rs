//! Which roles a member gets or loses.

use std::collections::{BTreeMap, BTreeSet};

use super::guarded::Guarded;
use super::{Change, Direction, OnLoss, Rule, Scene, Side, Source, Standing};
use crate::discord::RoleReason;
use crate::id::MappingId;
use crate::platform_id::DiscordId;

/// A role that a member is to get or lose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleChange {
    pub role: DiscordId,
    pub change: Change,
    pub source: Source,
    /// The rule that wants it, where one does.
    pub rule: Option<MappingId>,
    /// Why it cannot be done.
    pub cannot: Option<RoleReason>,
}

/// What one side of a rule says about the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vote {
    /// It is to be there.
    Want,
    /// It is to go, unless somebody else wants it.
    Lose,
    /// It is to stay as it is.
    Hold,
    /// No opinion.
    None,
}

impl Vote {
    fn on_loss(rule: &Rule) -> Self {
        match rule.on_loss {
            OnLoss::Remove => Self::Lose,
            OnLoss::Keep => Self::Hold,
        }
    }
}

impl Scene {
    pub(super) fn standing(&self, rule: &Rule) -> Standing {
        self.games
            .get(&rule.server)
            .map_or(Standing::Unknown, |game| game.standing(&rule.group, self.now_ms))
    }

    pub(super) fn base(&self, rule: &Rule) -> Option<bool> {
        self.kept.base.get(&rule.id).copied()
    }

    /// What a rule says about its role.
    pub(super) fn vote_on_role(&self, rule: &Rule) -> Vote {
        match rule.direction {
            Direction::ToGame => Vote::None,
            Direction::ToDiscord => match self.standing(rule) {
                Standing::Reported(true) => Vote::Want,
                Standing::Reported(false) if self.base(rule) == Some(true) => Vote::on_loss(rule),
                // What another rule gave is not this one's to hold.
                Standing::Reported(false)
                    if rule.on_loss == OnLoss::Remove && self.kept.given.contains(&rule.role) =>
                {
                    Vote::Lose
                }
                Standing::Unknown | Standing::Asked(_) if self.base(rule) == Some(true) => Vote::Hold,
                Standing::Unknown | Standing::Reported(_) | Standing::Asked(_) => Vote::None,
            },
            Direction::Both => match self.target(rule) {
                Some(true) => Vote::Want,
                Some(false) if self.has.contains(&rule.role) => Vote::on_loss(rule),
                Some(false) => Vote::None,
                None => Vote::Hold,
            },
        }
    }

    /// Whether a rule says that somebody is not to have a role, which counts more than what a plugin gave.
    fn is_denied(&self, role: &DiscordId) -> bool {
        let denies = |rule: &&Rule| {
            rule.role == *role
                && rule.on_loss == OnLoss::Remove
                && match rule.direction {
                    Direction::ToGame => false,
                    Direction::ToDiscord => self.standing(rule) == Standing::Reported(false),
                    Direction::Both => self.target(rule) == Some(false),
                }
        };
        self.rules.iter().any(|rule| denies(&rule))
    }

    /// What both sides of a rule in both directions are to be; none while that cannot be told.
    ///
    /// A change that we asked a game server for is no change of its own: until it shows, the game stands where it stood.
    pub(super) fn target(&self, rule: &Rule) -> Option<bool> {
        // What is owed to a link that ended says nothing about the new one.
        let on_discord = self.has.contains(&rule.role) && !self.kept.owed.contains(&rule.role);
        let base = self.base(rule);
        // Where the game is right and has not spoken yet, it is waited for.
        let waits = base.is_none() && rule.authority == Side::Game;
        let in_game = match self.standing(rule) {
            Standing::Unknown | Standing::Asked(_) if waits => return None,
            Standing::Unknown => return on_discord.then_some(true),
            Standing::Reported(has) => has,
            Standing::Asked(_) => match base {
                Some(base) => base,
                // Nothing is known of the game but what we asked it for, so Discord's word counts.
                None => return Some(on_discord),
            },
        };
        let decided = match base {
            _ if on_discord == in_game => on_discord,
            // Two values and one of them as before: the other one is new.
            Some(base) => !base,
            None => match rule.authority {
                Side::Discord => on_discord,
                Side::Game => in_game,
            },
        };
        Some(decided)
    }
}

/// The roles that a member is to get or lose now. Only what a rule, the Guild's roles, a grant or our own memory names is
/// ever among them.
pub fn plan_roles(scene: &Scene) -> Vec<RoleChange> {
    if !scene.is_there {
        return Vec::new();
    }
    let wanted = wanted(scene);
    let (held, lost) = votes(scene);
    let mut changes = Vec::new();
    for (role, (source, rule)) in &wanted {
        if !scene.has.contains(role) {
            changes.push(change(scene, role, Change::Add, *source, rule.clone()));
        }
    }
    for (role, (source, rule)) in &lost {
        let stays = wanted.contains_key(role) || held.contains(role);
        if !stays && scene.has.contains(role) {
            changes.push(change(scene, role, Change::Remove, *source, rule.clone()));
        }
    }
    changes
}

fn change(
    scene: &Scene,
    role: &DiscordId,
    change: Change,
    source: Source,
    rule: Option<MappingId>,
) -> RoleChange {
    let barred = scene.barred.get(role).copied();
    // A role that leads to a powerful one is given by rules alone, which are the Owner's where they do.
    let leads_up = change == Change::Add && rule.is_none() && Guarded::of(&scene.rules).roles.contains(role);
    // What became powerful since we gave it can be taken back, and should be.
    let is_fine = match change {
        Change::Add => scene
            .rules
            .iter()
            .any(|own| Some(&own.id) == rule.as_ref() && own.confirmed),
        Change::Remove => true,
    };
    RoleChange {
        role: role.clone(),
        change,
        source,
        rule,
        cannot: barred
            .filter(|reason| !is_fine || *reason != RoleReason::Powerful)
            .or(leads_up.then_some(RoleReason::Powerful)),
    }
}

type Reasons = BTreeMap<DiscordId, (Source, Option<MappingId>)>;

/// Roles that something wants, with the first that does. Rules come in their order.
pub(super) fn wanted(scene: &Scene) -> Reasons {
    let mut wanted = Reasons::new();
    if !scene.is_linked {
        return wanted;
    }
    for rule in &scene.rules {
        if scene.vote_on_role(rule) == Vote::Want {
            let first = (Source::Rule, Some(rule.id.clone()));
            wanted.entry(rule.role.clone()).or_insert(first);
        }
    }
    let boosting: &[DiscordId] = if scene.boosts { &scene.booster } else { &[] };
    let others = [
        (Source::Verified, scene.verified.as_slice()),
        (Source::Booster, boosting),
    ];
    for (source, roles) in others {
        for role in roles {
            wanted.entry(role.clone()).or_insert((source, None));
        }
    }
    for role in scene.granted.iter().filter(|role| !scene.is_denied(role)) {
        wanted.entry(role.clone()).or_insert((Source::Grant, None));
    }
    wanted
}

/// Roles that something holds, and roles that something gives up.
fn votes(scene: &Scene) -> (BTreeSet<DiscordId>, Reasons) {
    let (mut held, mut lost) = (BTreeSet::new(), Reasons::new());
    let rules: &[Rule] = if scene.is_linked { &scene.rules } else { &[] };
    for rule in rules {
        match scene.vote_on_role(rule) {
            // What is owed to a link that ended goes, whatever is not known of the new one.
            Vote::Hold if !scene.kept.owed.contains(&rule.role) => {
                held.insert(rule.role.clone());
            }
            Vote::Lose => {
                let first = (Source::Rule, Some(rule.id.clone()));
                lost.entry(rule.role.clone()).or_insert(first);
            }
            Vote::Hold | Vote::Want | Vote::None => {}
        }
    }
    for role in scene
        .booster
        .iter()
        .filter(|role| scene.kept.given.contains(*role))
    {
        lost.entry(role.clone()).or_insert((Source::Booster, None));
    }
    for role in &scene.ended {
        lost.entry(role.clone()).or_insert((Source::End, None));
    }
    let ended = if scene.is_linked {
        None
    } else {
        Some(&scene.kept.given)
    };
    for role in scene.kept.owed.iter().chain(ended.into_iter().flatten()) {
        lost.entry(role.clone()).or_insert((Source::End, None));
    }
    (held, lost)
}
