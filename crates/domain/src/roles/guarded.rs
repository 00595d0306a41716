//! What leads to a powerful role.

use std::collections::BTreeSet;

use super::Rule;
use crate::platform_id::DiscordId;

/// Groups and roles that lead to a powerful role, over however many rules.
#[derive(Debug, Default)]
pub struct Guarded {
    /// The powerful roles themselves.
    pub top: BTreeSet<DiscordId>,
    /// By Server.
    pub groups: BTreeSet<(i64, String)>,
    /// Whoever has one of them gets a powerful one.
    pub roles: BTreeSet<DiscordId>,
}

impl Guarded {
    /// What these rules lead to.
    pub fn of(rules: &[Rule]) -> Self {
        let mut guarded = Self::default();
        for rule in rules.iter().filter(|rule| rule.confirmed) {
            guarded.top.insert(rule.role.clone());
            guarded.groups.insert(group_of(rule));
        }
        // Each round leads one rule further; nothing is added in the last one.
        let mut before = 0;
        while guarded.len() > before {
            before = guarded.len();
            for rule in rules {
                if rule.direction.writes_group() && guarded.groups.contains(&group_of(rule)) {
                    guarded.roles.insert(rule.role.clone());
                }
                if rule.direction.writes_role() && guarded.roles.contains(&rule.role) {
                    guarded.groups.insert(group_of(rule));
                }
            }
        }
        guarded
    }

    fn len(&self) -> usize {
        self.groups.len() + self.roles.len()
    }

    /// Whether a rule leads to one of them.
    pub fn is_led_to(&self, rule: &Rule) -> bool {
        rule.direction.writes_group() && self.groups.contains(&group_of(rule))
            || rule.direction.writes_role() && self.roles.contains(&rule.role)
    }
}

fn group_of(rule: &Rule) -> (i64, String) {
    (rule.server, rule.group.clone())
}
