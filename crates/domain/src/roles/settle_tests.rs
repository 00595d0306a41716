//! One case each of what game servers are asked for.

use std::collections::BTreeSet;

use super::merge_tests::{map, reported, role, scene, vip};
use super::*;

fn groups(scene: &Scene) -> Vec<(Change, String)> {
    let settled = settle(scene, &[], &BTreeSet::new());
    settled.groups.into_iter().map(|change| (change.change, change.group)).collect()
}

fn vip_is(change: Change) -> Vec<(Change, String)> {
    vec![(change, "vip".to_owned())]
}

#[test]
fn a_group_follows_a_role() {
    let mut scene = scene(vip(Direction::ToGame));
    scene.has.insert(role(1));
    // Also for somebody who was never on the game server.
    assert_eq!(groups(&scene), vip_is(Change::Add));
    scene.games.insert(1, Game { put: BTreeSet::from(["vip".to_owned()]), ..Game::default() });
    assert_eq!(groups(&scene), []);
    scene.has.clear();
    assert_eq!(groups(&scene), vip_is(Change::Remove));
    scene.rules[0].on_loss = OnLoss::Keep;
    assert_eq!(groups(&scene), []);
}

#[test]
fn whoever_leaves_discord_loses_what_discord_gave_in_the_game_and_keeps_what_is_theirs() {
    let mut scene = scene(vip(Direction::ToGame));
    scene.is_there = false;
    scene.kept.base.insert(map(1), true);
    scene.games.insert(1, reported(&["vip"]));
    assert_eq!(groups(&scene), vip_is(Change::Remove));
    scene.rules[0].direction = Direction::Both;
    assert_eq!(groups(&scene), []);
    // Whoever comes back gets the role again, whichever side is right otherwise.
    scene.rules[0].authority = Side::Discord;
    scene.kept = settle(&scene, &[], &BTreeSet::new()).kept;
    scene.is_there = true;
    assert_eq!(plan_roles(&scene)[0].change, Change::Add);
}

#[test]
fn a_report_that_was_on_its_way_is_no_change_of_the_game() {
    let mut scene = scene(vip(Direction::Both));
    scene.kept.base.insert(map(1), false);
    scene.has.insert(role(1));
    let mut game = reported(&[]);
    let (at_ms, taken_at_ms) = (scene.now_ms - 2_000, Some(scene.now_ms - 1_000));
    game.asked.insert("vip".to_owned(), Asked { change: Change::Add, at_ms, taken_at_ms });
    // An old report says nothing, however much later.
    scene.games.insert(1, game.clone());
    assert_eq!((plan_roles(&scene), groups(&scene)), (vec![], vec![]));
    // One that came right after it was taken may have been on its way.
    game.reported = Some((BTreeSet::new(), scene.now_ms - 500));
    scene.games.insert(1, game.clone());
    assert_eq!((plan_roles(&scene), groups(&scene)), (vec![], vec![]));
    // Later it counts, and the group is asked for once more.
    scene.now_ms += ECHO_MS;
    assert_eq!(groups(&scene), vip_is(Change::Add));
    // The one that shows it settles the matter.
    game.reported = Some((BTreeSet::from(["vip".to_owned()]), scene.now_ms));
    scene.games.insert(1, game);
    let settled = settle(&scene, &[], &BTreeSet::new());
    assert_eq!(settled.shown, [(1, "vip".to_owned())]);
    assert_eq!(settled.kept.base[&map(1)], true);
}

#[test]
fn a_change_of_mind_takes_back_what_was_asked_for() {
    let mut scene = scene(vip(Direction::Both));
    scene.kept.base.insert(map(1), false);
    let mut game = reported(&[]);
    let asked = Asked { change: Change::Add, at_ms: scene.now_ms - 10, taken_at_ms: None };
    game.asked.insert("vip".to_owned(), asked);
    scene.games.insert(1, game);
    assert_eq!(groups(&scene), vip_is(Change::Remove));
}
