//! Roles whose holders can administer a Discord server: no rule leads to one unless the Owner saw to it.

use std::collections::BTreeSet;

use domain::platform_id::DiscordId;
use domain::roles::{Guarded, Rule};
use storage::bots::places;

use crate::error::RolesError;

/// What somebody says about powerful roles. Only the Owner's word counts.
#[derive(Clone, Copy)]
pub(super) struct OwnersWord<'a> {
    pub confirmed: &'a [DiscordId],
    pub by_owner: bool,
}

/// Notes which rules of a save may give a powerful role, or refuses it. A rule that was confirmed stays so as long as
/// nobody changes it; whatever else gives such a role, or leads to one, is the Owner's to save.
pub(super) fn confirm(
    own: &mut [Rule],
    before: &[Rule],
    others: &[Rule],
    roles: &[places::Role],
    word: OwnersWord<'_>,
) -> Result<(), RolesError> {
    let known: BTreeSet<DiscordId> = before
        .iter()
        .chain(others)
        .filter(|rule| rule.confirmed)
        .map(|rule| rule.role.clone())
        .collect();
    for (row, rule) in own.iter_mut().enumerate() {
        let role = roles.iter().find(|role| role.id == rule.role);
        let Some(role) = role.filter(|role| role.powerful && rule.direction.writes_role()) else {
            rule.confirmed = false;
            continue;
        };
        let was_confirmed = before.iter().any(|old| old.confirmed && is_same(old, rule));
        let is_allowed = known.contains(&role.id) || word.confirmed.contains(&role.id);
        rule.confirmed = was_confirmed || (word.by_owner && is_allowed);
        if !rule.confirmed {
            let name = role.name.clone();
            return Err(RolesError::TooPowerful { row, name });
        }
    }
    if word.by_owner {
        return Ok(());
    }
    let all: Vec<Rule> = own.iter().chain(others).cloned().collect();
    let guarded = Guarded::of(&all);
    for (row, rule) in own.iter().enumerate() {
        let is_new = !before.iter().any(|old| is_same(old, rule));
        if is_new && guarded.is_led_to(rule) {
            let role = roles.iter().find(|role| guarded.top.contains(&role.id));
            let name = role.map(|role| role.name.clone()).unwrap_or_default();
            return Err(RolesError::LeadsUp { row, name });
        }
    }
    Ok(())
}

fn is_same(one: &Rule, other: &Rule) -> bool {
    let confirmed = one.confirmed;
    *one == Rule {
        confirmed,
        ..other.clone()
    }
}
