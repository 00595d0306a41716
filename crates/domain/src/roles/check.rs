//! Rules that cannot stand beside each other.

use std::collections::{BTreeMap, BTreeSet};

use super::Rule;
use crate::platform_id::DiscordId;

/// Rules that one Server may have.
pub const MOST_RULES: usize = 100;

/// Why two rules cannot stand beside each other, by their places in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clash {
    /// Both tie the same two together, or one side of a rule in both directions is changed by another rule too.
    Twice(usize, usize),
    /// What the first one gives comes back to it through the second one.
    Ring(usize, usize),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Node<'a> {
    Role(&'a DiscordId),
    Group(i64, &'a str),
}

/// The first two of these rules that cannot stand beside each other.
pub fn find_clash(rules: &[Rule]) -> Option<Clash> {
    for (at, rule) in rules.iter().enumerate() {
        for (other_at, other) in rules.iter().enumerate().take(at) {
            if is_twice(rule, other) {
                return Some(Clash::Twice(other_at, at));
            }
        }
    }
    find_ring(rules)
}

fn is_twice(one: &Rule, other: &Rule) -> bool {
    let same_group = one.server == other.server && one.group == other.group;
    let same_role = one.role == other.role;
    let is_both = one.direction.writes_role() && one.direction.writes_group()
        || other.direction.writes_role() && other.direction.writes_group();
    same_group && same_role
        || is_both && same_role && one.direction.writes_role() && other.direction.writes_role()
        || is_both && same_group && one.direction.writes_group() && other.direction.writes_group()
}

/// Follows every rule from what it reads to what it writes. A rule in both directions is a ring of its own and counts as
/// one step, never back where it came from.
fn find_ring(rules: &[Rule]) -> Option<Clash> {
    let mut leads: BTreeMap<Node<'_>, Vec<(usize, Node<'_>)>> = BTreeMap::new();
    for (at, rule) in rules.iter().enumerate() {
        let (role, group) = (Node::Role(&rule.role), Node::Group(rule.server, &rule.group));
        if rule.direction.writes_role() {
            leads.entry(group).or_default().push((at, role));
        }
        if rule.direction.writes_group() {
            leads.entry(role).or_default().push((at, group));
        }
    }
    (0..rules.len()).find_map(|start| {
        let rule = &rules[start];
        let (role, group) = (Node::Role(&rule.role), Node::Group(rule.server, &rule.group));
        let (from, to) = if rule.direction.writes_role() {
            (group, role)
        } else {
            (role, group)
        };
        // Whichever rule leads back to where this one begins.
        let mut seen = BTreeSet::from([to]);
        let mut open = vec![to];
        while let Some(node) = open.pop() {
            for (at, next) in leads.get(&node).into_iter().flatten() {
                if *at == start {
                    continue;
                }
                if *next == from {
                    return Some(Clash::Ring(start.min(*at), start.max(*at)));
                }
                if seen.insert(*next) {
                    open.push(*next);
                }
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Direction, OnLoss, Side};
    use super::*;
    use crate::id::MappingId;

    fn rule(server: i64, group: &str, role: u64, direction: Direction) -> Rule {
        Rule {
            id: MappingId::parse("map_00000000000000000000000001").unwrap(),
            server,
            group: group.to_owned(),
            role: DiscordId::parse(&(100_000_000_000_000_000 + role).to_string()).unwrap(),
            direction,
            authority: Side::Game,
            on_loss: OnLoss::Remove,
            confirmed: false,
        }
    }

    #[test]
    fn the_same_two_are_tied_once() {
        use Direction::{Both, ToDiscord, ToGame};
        let twice = [rule(1, "vip", 1, ToDiscord), rule(1, "vip", 1, ToGame)];
        assert_eq!(find_clash(&twice), Some(Clash::Twice(0, 1)));
        let written = [rule(1, "vip", 1, Both), rule(2, "vip", 1, ToDiscord)];
        assert_eq!(find_clash(&written), Some(Clash::Twice(0, 1)));
        let two_groups = [rule(1, "vip", 1, Both), rule(1, "vip", 2, ToGame)];
        assert_eq!(find_clash(&two_groups), Some(Clash::Twice(0, 1)));
        let read = [rule(1, "vip", 1, Both), rule(2, "vip", 1, ToGame)];
        assert_eq!(find_clash(&read), None);
    }

    #[test]
    fn what_comes_back_to_where_it_began_is_refused() {
        use Direction::{Both, ToDiscord, ToGame};
        let ring = [
            rule(1, "vip", 1, ToDiscord),
            rule(1, "gold", 1, ToGame),
            rule(1, "gold", 2, ToDiscord),
            rule(1, "vip", 2, ToGame),
        ];
        assert!(matches!(find_clash(&ring), Some(Clash::Ring(_, _))));
        assert_eq!(find_clash(&ring[..3]), None);
        let through_both = [
            rule(1, "vip", 1, Both),
            rule(2, "vip", 1, ToGame),
            rule(2, "vip", 2, ToDiscord),
        ];
        assert_eq!(find_clash(&through_both), None);
    }
}
