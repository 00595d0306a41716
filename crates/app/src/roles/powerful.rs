//! Roles whose holders can administer a Discord server: no rule leads to one unless the Owner saw to it.

use std::collections::BTreeSet;

use domain::platform_id::DiscordId;
use domain::roles::Rule;
use storage::bots::places;

use super::rules::Wanted;
use crate::error::RolesError;

/// Notes which rules of a save may give a powerful role, or refuses it. A rule that was confirmed stays so as long as
/// nobody changes it; whatever else gives such a role, or leads to one, is the Owner's to save.
pub(super) fn confirm(
    own: &mut [Rule],
    before: &[Rule],
    others: &[Rule],
    roles: &[places::Role],
    wanted: &Wanted,
) -> Result<(), RolesError> {
    let refused = mark(own, before, others, roles, wanted);
    refused.map_or(Ok(()), Err)?;
    if wanted.by_owner {
        return Ok(());
    }
    let guarded = Guarded::of(own, others);
    for (row, rule) in own.iter().enumerate() {
        let is_new = !before.iter().any(|old| is_same(old, rule));
        if is_new && guarded.is_led_to(rule) {
            let role = roles.iter().find(|role| guarded.top.contains(&role.id));
            return Err(too_powerful(row, role.map_or("", |role| role.name.as_str())));
        }
    }
    Ok(())
}

/// Notes which rules may give a powerful role. Returns what is to be said of the first one that may not.
pub(super) fn mark(
    own: &mut [Rule],
    before: &[Rule],
    others: &[Rule],
    roles: &[places::Role],
    wanted: &Wanted,
) -> Option<RolesError> {
    let known: BTreeSet<DiscordId> = before
        .iter()
        .chain(others)
        .filter(|rule| rule.confirmed)
        .map(|rule| rule.role.clone())
        .collect();
    let mut refused = None;
    for (row, rule) in own.iter_mut().enumerate() {
        let role = roles.iter().find(|role| role.id == rule.role);
        let Some(role) = role.filter(|role| role.powerful && rule.direction.writes_role()) else {
            rule.confirmed = false;
            continue;
        };
        let was_confirmed = before.iter().any(|old| old.confirmed && is_same(old, rule));
        let is_allowed = known.contains(&role.id) || wanted.confirmed.contains(&role.id);
        rule.confirmed = was_confirmed || (wanted.by_owner && is_allowed);
        if !rule.confirmed {
            refused.get_or_insert_with(|| too_powerful(row, &role.name));
        }
    }
    refused
}

fn too_powerful(row: usize, name: &str) -> RolesError {
    RolesError::TooPowerful {
        row,
        name: name.to_owned(),
    }
}

fn is_same(one: &Rule, other: &Rule) -> bool {
    let confirmed = one.confirmed;
    *one == Rule {
        confirmed,
        ..other.clone()
    }
}

/// What leads to a powerful role, over however many rules.
struct Guarded {
    top: BTreeSet<DiscordId>,
    groups: BTreeSet<(i64, String)>,
    roles: BTreeSet<DiscordId>,
}

impl Guarded {
    fn of(own: &[Rule], others: &[Rule]) -> Self {
        let all: Vec<&Rule> = own.iter().chain(others).collect();
        let confirmed = all.iter().filter(|rule| rule.confirmed);
        let mut guarded = Self {
            top: confirmed.clone().map(|rule| rule.role.clone()).collect(),
            groups: confirmed.map(|rule| group_of(rule)).collect(),
            roles: BTreeSet::new(),
        };
        loop {
            let before = (guarded.groups.len(), guarded.roles.len());
            for rule in &all {
                if rule.direction.writes_group() && guarded.groups.contains(&group_of(rule)) {
                    guarded.roles.insert(rule.role.clone());
                }
                if rule.direction.writes_role() && guarded.roles.contains(&rule.role) {
                    guarded.groups.insert(group_of(rule));
                }
            }
            if (guarded.groups.len(), guarded.roles.len()) == before {
                return guarded;
            }
        }
    }

    fn is_led_to(&self, rule: &Rule) -> bool {
        rule.direction.writes_group() && self.groups.contains(&group_of(rule))
            || rule.direction.writes_role() && self.roles.contains(&rule.role)
    }
}

fn group_of(rule: &Rule) -> (i64, String) {
    (rule.server, rule.group.clone())
}
