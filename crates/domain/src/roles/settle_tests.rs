//! One case each of what game servers are asked for.

use std::collections::BTreeSet;

use super::merge_tests::{map, reported, role, scene, vip};
use super::*;

fn groups(scene: &Scene) -> Vec<(Change, String)> {
    let settled = settle(scene, &[], &BTreeSet::new());
    settled
        .groups
        .into_iter()
        .map(|change| (change.change, change.group))
        .collect()
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
    scene.games.insert(
        1,
        Game {
            put: BTreeSet::from(["vip".to_owned()]),
            ..Game::default()
        },
    );
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
    game.asked.insert(
        "vip".to_owned(),
        Asked {
            change: Change::Add,
            at_ms,
            taken_at_ms,
            ends: false,
            asks: 0,
        },
    );
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
    assert!(settled.kept.base[&map(1)]);
}

#[test]
fn a_change_of_mind_takes_back_what_was_asked_for() {
    let mut scene = scene(vip(Direction::Both));
    scene.kept.base.insert(map(1), false);
    let mut game = reported(&[]);
    let asked = Asked {
        change: Change::Add,
        at_ms: scene.now_ms - 10,
        taken_at_ms: None,
        ends: false,
        asks: 0,
    };
    game.asked.insert("vip".to_owned(), asked);
    scene.games.insert(1, game);
    assert_eq!(groups(&scene), vip_is(Change::Remove));
}

fn asked(change: Change, taken_at_ms: Option<i64>, ends: bool) -> Asked {
    Asked {
        change,
        at_ms: 200,
        taken_at_ms,
        ends,
        asks: 0,
    }
}

#[test]
fn what_was_asked_for_and_not_seen_yet_is_no_word_of_the_game() {
    let mut scene = scene(Rule {
        authority: Side::Discord,
        ..vip(Direction::Both)
    });
    scene.has.insert(role(1));
    assert_eq!(
        groups(&scene),
        vip_is(Change::Add),
        "they were never on the game server"
    );
    let game = scene.games.entry(1).or_default();
    game.asked
        .insert("vip".to_owned(), asked(Change::Add, None, false));
    assert_eq!((plan_roles(&scene), groups(&scene)), (vec![], vec![]));
    // Somebody else who links the same account gets nothing by what is still to be taken back.
    scene.has.clear();
    let game = scene.games.entry(1).or_default();
    game.asked
        .insert("vip".to_owned(), asked(Change::Remove, None, true));
    assert_eq!((plan_roles(&scene), groups(&scene)), (vec![], vec![]));
}

#[test]
fn a_role_that_could_not_be_taken_is_still_to_be_taken() {
    let mut scene = scene(vip(Direction::ToDiscord));
    scene.has.insert(role(1));
    scene.games.insert(1, reported(&["vip"]));
    scene.kept = settle(&scene, &[], &BTreeSet::new()).kept;
    scene.games.insert(1, reported(&[]));
    let plan = plan_roles(&scene);
    assert_eq!(
        plan[0].change,
        Change::Remove,
        "it was there before us, and both sides had agreed"
    );
    scene.kept = settle(&scene, &[], &BTreeSet::from([role(1)])).kept;
    assert_eq!(plan_roles(&scene), plan, "Discord did not do it");
    let kept = settle(&scene, &plan, &BTreeSet::new()).kept;
    assert_eq!(kept.base.get(&map(1)), None);
}

#[test]
fn a_group_that_the_plugin_did_not_see_is_still_to_be_taken() {
    let mut scene = scene(vip(Direction::ToGame));
    scene.kept.base.insert(map(1), true);
    let mut game = reported(&["vip"]);
    game.put.insert("vip".to_owned());
    scene.games.insert(1, game);
    assert_eq!(groups(&scene), vip_is(Change::Remove));
    let settled = settle(&scene, &[], &BTreeSet::new());
    assert_eq!(
        (settled.kept.base.get(&map(1)), settled.dropped),
        (Some(&true), vec![])
    );
    scene.kept = settled.kept;
    // Taken without being seen, and still there long after.
    let game = scene.games.entry(1).or_default();
    game.asked
        .insert("vip".to_owned(), asked(Change::Remove, Some(210), false));
    game.reported = Some((BTreeSet::from(["vip".to_owned()]), 220));
    assert_eq!(groups(&scene), vip_is(Change::Remove));
    scene.games.entry(1).or_default().reported = Some((BTreeSet::new(), 230));
    let settled = settle(&scene, &[], &BTreeSet::new());
    assert_eq!(settled.groups, []);
    assert_eq!(settled.dropped, [(1, "vip".to_owned())]);
    assert_eq!(settled.kept.base.get(&map(1)), None);
}

#[test]
fn what_the_end_of_a_link_takes_back_is_waited_for_until_it_is_gone() {
    let mut scene = scene(vip(Direction::ToGame));
    let mut game = reported(&["vip"]);
    game.asked
        .insert("vip".to_owned(), asked(Change::Remove, Some(210), true));
    game.reported = Some((BTreeSet::from(["vip".to_owned()]), 220));
    scene.games.insert(1, game);
    assert_eq!(settle(&scene, &[], &BTreeSet::new()).shown, []);
    scene.games.entry(1).or_default().reported = Some((BTreeSet::new(), 230));
    assert_eq!(
        settle(&scene, &[], &BTreeSet::new()).shown,
        [(1, "vip".to_owned())]
    );
}

#[test]
fn after_a_block_everybody_gets_back_what_either_side_has() {
    for authority in [Side::Discord, Side::Game] {
        let mut scene = scene(vip(Direction::Both));
        scene.rules[0].authority = authority;
        scene.kept.base.insert(map(1), true);
        (scene.is_linked, scene.is_blocked) = (false, true);
        scene.kept = settle(&scene, &[], &BTreeSet::new()).kept;
        (scene.is_linked, scene.is_blocked) = (true, false);
        scene.games.insert(1, reported(&["vip"]));
        assert_eq!(plan_roles(&scene)[0].change, Change::Add, "bought in the game");
        scene.games.insert(1, reported(&[]));
        scene.has.insert(role(1));
        assert_eq!(groups(&scene), vip_is(Change::Add), "given by staff");
    }
}

#[test]
fn a_grant_that_ends_takes_nothing_that_a_rule_holds() {
    let mut scene = scene(vip(Direction::ToDiscord));
    scene.rules[0].on_loss = OnLoss::Keep;
    scene.has.insert(role(1));
    scene.kept.given.insert(role(1));
    scene.kept.base.insert(map(1), true);
    scene.games.insert(1, reported(&[]));
    scene.ended.insert(role(1));
    assert_eq!(plan_roles(&scene), []);
    scene.rules.clear();
    assert_eq!(plan_roles(&scene)[0].change, Change::Remove);
}

#[test]
fn what_a_rule_asked_for_that_is_gone_stands_in_nobodys_way() {
    for change in [Change::Add, Change::Remove] {
        let mut scene = scene(vip(Direction::ToGame));
        let game = scene.games.entry(1).or_default();
        game.put.insert("vip".to_owned());
        game.withdrawn
            .insert("vip".to_owned(), asked(change, None, false));
        if change == Change::Add {
            scene.has.insert(role(1));
        } else {
            game.reported = Some((BTreeSet::from(["vip".to_owned()]), 100));
            scene.kept.base.insert(map(1), true);
        }
        let settled = settle(&scene, &[], &BTreeSet::new());
        assert_eq!(settled.shown, [(1, "vip".to_owned())]);
        assert_eq!(settled.groups.len(), 1, "{change:?}");
        assert_eq!((settled.groups[0].change, settled.groups[0].asks), (change, 0));
    }
}

#[test]
fn what_is_asked_for_in_vain_is_asked_for_ever_more_seldom() {
    let mut scene = scene(vip(Direction::ToGame));
    scene.has.insert(role(1));
    let mut asked_at_ms = Vec::new();
    for _ in 0..60 {
        let settled = settle(&scene, &[], &BTreeSet::new());
        let (now_ms, game) = (scene.now_ms, scene.games.entry(1).or_default());
        for change in settled.groups {
            asked_at_ms.push(now_ms);
            let asks = change.asks;
            let asked = Asked {
                at_ms: now_ms,
                asks,
                ..asked(change.change, Some(now_ms), false)
            };
            game.asked.insert(change.group, asked);
        }
        scene.now_ms += ECHO_MS;
        game.reported = Some((BTreeSet::new(), scene.now_ms));
    }
    let pauses: Vec<i64> = asked_at_ms
        .windows(2)
        .map(|two| (two[1] - two[0]) / ECHO_MS)
        .collect();
    assert_eq!(pauses, [1, 2, 4, 8, 16]);
}
