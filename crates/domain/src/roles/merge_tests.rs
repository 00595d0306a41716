//! One case each of what a rule does.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::id::MappingId;

pub(super) fn role(number: u64) -> DiscordId {
    DiscordId::parse(&(100_000_000_000_000_000 + number).to_string()).unwrap()
}

pub(super) fn map(number: u64) -> MappingId {
    MappingId::parse(&format!("map_{number:026}")).unwrap()
}

/// A rule for the group `vip` of Server 1 and role 1.
pub(super) fn vip(direction: Direction) -> Rule {
    Rule {
        id: map(1),
        server: 1,
        group: "vip".to_owned(),
        role: role(1),
        direction,
        authority: Side::Game,
        on_loss: OnLoss::Remove,
        confirmed: false,
    }
}

pub(super) fn reported(groups: &[&str]) -> Game {
    Game {
        reported: Some((groups.iter().map(|group| (*group).to_owned()).collect(), 100)),
        ..Game::default()
    }
}

/// Somebody who is linked and there.
pub(super) fn scene(rule: Rule) -> Scene {
    Scene {
        now_ms: 1_000_000,
        is_linked: true,
        is_there: true,
        rules: vec![rule],
        ..Scene::default()
    }
}

fn short(changes: &[RoleChange]) -> Vec<(Change, DiscordId)> {
    changes
        .iter()
        .map(|change| (change.change, change.role.clone()))
        .collect()
}

#[test]
fn a_role_follows_a_group() {
    let mut scene = scene(vip(Direction::ToDiscord));
    scene.games.insert(1, reported(&["vip"]));
    assert_eq!(short(&plan_roles(&scene)), [(Change::Add, role(1))]);
    let done = plan_roles(&scene);
    let settled = settle(&scene, &done, &BTreeSet::new());
    assert_eq!(settled.kept.given, BTreeSet::from([role(1)]));
    scene.kept = settled.kept;
    scene.has.insert(role(1));
    scene.games.insert(1, reported(&[]));
    assert_eq!(short(&plan_roles(&scene)), [(Change::Remove, role(1))]);
    scene.rules[0].on_loss = OnLoss::Keep;
    assert_eq!(plan_roles(&scene), []);
}

#[test]
fn what_is_not_known_takes_nothing() {
    let mut scene = scene(vip(Direction::ToDiscord));
    scene.has.insert(role(1));
    scene.kept.given.insert(role(1));
    scene.kept.base.insert(map(1), true);
    assert_eq!(plan_roles(&scene), []);
    scene.rules[0].direction = Direction::Both;
    assert_eq!(plan_roles(&scene), []);
}

#[test]
fn a_role_that_somebody_else_gave_is_not_taken() {
    let mut scene = scene(vip(Direction::ToDiscord));
    scene.has.insert(role(1));
    scene.games.insert(1, reported(&[]));
    assert_eq!(plan_roles(&scene), []);
}

#[test]
fn in_both_directions_the_side_that_changed_is_followed() {
    for base in [true, false] {
        let mut scene = scene(vip(Direction::Both));
        scene.kept.base.insert(map(1), base);
        // The game changed.
        scene.has = if base {
            BTreeSet::from([role(1)])
        } else {
            BTreeSet::new()
        };
        scene.games.insert(1, reported(if base { &[] } else { &["vip"] }));
        assert_eq!(short(&plan_roles(&scene)), [(Change::to(!base), role(1))]);
        // Discord changed.
        scene.has = if base {
            BTreeSet::new()
        } else {
            BTreeSet::from([role(1)])
        };
        scene.games.insert(1, reported(if base { &["vip"] } else { &[] }));
        assert_eq!(plan_roles(&scene), []);
        let groups = settle(&scene, &[], &BTreeSet::new()).groups;
        assert_eq!(groups.len(), 1);
        assert_eq!(groups[0].change, Change::to(!base));
    }
}

#[test]
fn where_nobody_knows_who_changed_the_authority_is_right() {
    let mut scene = scene(vip(Direction::Both));
    scene.games.insert(1, reported(&["vip"]));
    assert_eq!(short(&plan_roles(&scene)), [(Change::Add, role(1))]);
    scene.rules[0].authority = Side::Discord;
    assert_eq!(plan_roles(&scene), []);
    let groups = settle(&scene, &[], &BTreeSet::new()).groups;
    assert_eq!(groups[0].change, Change::Remove);
}

#[test]
fn the_end_of_a_link_takes_what_we_gave_and_nothing_else() {
    let mut scene = scene(vip(Direction::Both));
    scene.is_linked = false;
    scene.has = BTreeSet::from([role(1), role(2), role(3)]);
    scene.kept.given = BTreeSet::from([role(1)]);
    scene.kept.owed = BTreeSet::from([role(2)]);
    assert_eq!(
        short(&plan_roles(&scene)),
        [(Change::Remove, role(1)), (Change::Remove, role(2))]
    );
    let settled = settle(&scene, &plan_roles(&scene), &BTreeSet::new());
    assert_eq!(settled.kept, Kept::default());
}

#[test]
fn what_is_owed_stays_where_the_next_link_wants_it() {
    let mut scene = scene(vip(Direction::ToDiscord));
    scene.verified = vec![role(5)];
    scene.has = BTreeSet::from([role(1), role(5)]);
    scene.kept.owed = BTreeSet::from([role(1), role(5)]);
    // Nothing is known of the new account, and the role of the old one goes all the same.
    assert_eq!(short(&plan_roles(&scene)), [(Change::Remove, role(1))]);
    let settled = settle(&scene, &plan_roles(&scene), &BTreeSet::new());
    assert_eq!(
        (settled.kept.given, settled.kept.owed),
        (BTreeSet::from([role(5)]), BTreeSet::new())
    );
}

#[test]
fn boosters_keep_their_roles_while_they_boost() {
    let mut scene = Scene {
        rules: Vec::new(),
        ..scene(vip(Direction::Both))
    };
    scene.booster = vec![role(7)];
    scene.boosts = true;
    assert_eq!(short(&plan_roles(&scene)), [(Change::Add, role(7))]);
    scene.has.insert(role(7));
    scene.kept.given.insert(role(7));
    scene.boosts = false;
    assert_eq!(short(&plan_roles(&scene)), [(Change::Remove, role(7))]);
    scene.granted.insert(role(7));
    assert_eq!(plan_roles(&scene), []);
}

#[test]
fn a_role_out_of_reach_is_told_and_not_remembered_as_given() {
    let mut scene = scene(vip(Direction::ToDiscord));
    scene.games.insert(1, reported(&["vip"]));
    scene.barred = BTreeMap::from([(role(1), RoleReason::AboveBot)]);
    assert_eq!(plan_roles(&scene)[0].cannot, Some(RoleReason::AboveBot));
    assert_eq!(settle(&scene, &[], &BTreeSet::new()).kept.given, BTreeSet::new());
}

/// The same rule on Server 2.
fn elsewhere(direction: Direction) -> Rule {
    Rule {
        id: map(2),
        server: 2,
        ..vip(direction)
    }
}

#[test]
fn a_server_that_never_gave_a_role_does_not_hold_it() {
    for &on_loss in OnLoss::ALL {
        let mut scene = scene(vip(Direction::ToDiscord));
        scene.rules.push(Rule {
            on_loss,
            ..elsewhere(Direction::ToDiscord)
        });
        scene.has.insert(role(1));
        scene.kept.given.insert(role(1));
        scene.kept.base.insert(map(1), true);
        scene.games.insert(1, reported(&[]));
        assert_eq!(
            short(&plan_roles(&scene)),
            [(Change::Remove, role(1))],
            "never there"
        );
        scene.games.insert(2, reported(&[]));
        assert_eq!(
            short(&plan_roles(&scene)),
            [(Change::Remove, role(1))],
            "not in the group"
        );
        // What it gave, it keeps.
        scene.kept.base.insert(map(2), true);
        let is_kept = on_loss == OnLoss::Keep;
        assert_eq!(plan_roles(&scene).is_empty(), is_kept);
        let kept = settle(&scene, &plan_roles(&scene), &BTreeSet::new()).kept;
        assert_eq!(kept.base.contains_key(&map(2)), is_kept);
    }
}

#[test]
fn a_relink_does_not_take_the_role_of_the_account_before_along() {
    for &authority in Side::ALL {
        let mut scene = scene(Rule {
            authority,
            ..vip(Direction::Both)
        });
        scene.has.insert(role(1));
        scene.kept.owed.insert(role(1));
        for game in [None, Some(reported(&[]))] {
            scene.games.extend(game.map(|game| (1, game)));
            let plan = plan_roles(&scene);
            assert_eq!(short(&plan), [(Change::Remove, role(1))]);
            let settled = settle(&scene, &plan, &BTreeSet::new());
            assert_eq!(settled.groups, []);
            assert!(settled.kept.owed.is_empty() && settled.kept.given.is_empty());
        }
    }
}

#[test]
fn a_game_that_is_right_is_waited_for() {
    let mut scene = scene(vip(Direction::Both));
    scene.has.insert(role(1));
    let settled = settle(&scene, &plan_roles(&scene), &BTreeSet::new());
    assert_eq!((settled.groups, settled.kept.base), (vec![], BTreeMap::new()));
    scene.games.insert(1, reported(&[]));
    assert_eq!(short(&plan_roles(&scene)), [(Change::Remove, role(1))]);
    // A role that appears later is somebody's doing, also before the player was ever there.
    scene.games.clear();
    scene.has.clear();
    scene.kept = settle(&scene, &[], &BTreeSet::new()).kept;
    scene.has.insert(role(1));
    let settled = settle(&scene, &plan_roles(&scene), &BTreeSet::new());
    assert_eq!(settled.groups[0].change, Change::Add);
    scene.games.insert(1, reported(&["vip"]));
    scene.has.clear();
    assert_eq!(
        short(&plan_roles(&scene)),
        [(Change::Add, role(1))],
        "or the game's"
    );
}

#[test]
fn only_rules_give_a_role_that_leads_to_a_powerful_one() {
    let mut scene = scene(Rule {
        confirmed: true,
        ..vip(Direction::ToDiscord)
    });
    scene.rules.push(Rule {
        role: role(2),
        ..elsewhere(Direction::ToGame)
    });
    scene.rules[1].server = 1;
    scene.granted.insert(role(2));
    scene.verified = vec![role(2), role(3)];
    let cannot: Vec<_> = plan_roles(&scene)
        .into_iter()
        .map(|change| (change.role, change.cannot))
        .collect();
    assert_eq!(cannot, [(role(2), Some(RoleReason::Powerful)), (role(3), None)]);
}
