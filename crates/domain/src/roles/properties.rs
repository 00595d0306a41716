//! What holds for every history of edits on both sides, looks, reports, lost calls and crashes.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::merge_tests::{map, role};
use super::*;

const ROLES: u64 = 6;
const GROUPS: [&str; 3] = ["vip", "gold", "staff"];
/// Role 6 is nobody's business.
const STRANGE: u64 = 6;

/// A Discord server with one member, two game servers, and our service between them.
#[derive(Clone, Debug)]
struct World {
    scene: Scene,
    /// What each game server really has.
    truth: BTreeMap<i64, BTreeSet<String>>,
    writes: usize,
    touched: BTreeSet<DiscordId>,
}

#[derive(Clone, Debug)]
enum Step {
    Hand(u64, bool),
    InGame(i64, usize, bool),
    Report(i64),
    /// Fetches, applies and clears.
    Fetch(i64),
    /// Which calls Discord answers: the first ones, and whether the next was done without an answer.
    Look(usize, bool),
    Boost(bool),
    Leave,
    Join,
    /// The same person with another account, which was never on the game servers.
    Relink,
    Wait(i64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (1..=ROLES, any::<bool>()).prop_map(|(role, has)| Step::Hand(role, has)),
        (1..=2_i64, 0..3_usize, any::<bool>())
            .prop_map(|(server, group, has)| Step::InGame(server, group, has)),
        (1..=2_i64).prop_map(Step::Report),
        (1..=2_i64).prop_map(Step::Fetch),
        (0..4_usize, any::<bool>()).prop_map(|(calls, unsure)| Step::Look(calls, unsure)),
        any::<bool>().prop_map(Step::Boost),
        Just(Step::Leave),
        Just(Step::Join),
        Just(Step::Relink),
        (1..90_000_i64).prop_map(Step::Wait),
    ]
}

fn rule() -> impl Strategy<Value = Rule> {
    let directions = prop::sample::select(Direction::ALL);
    let sides = prop::sample::select(Side::ALL);
    let losses = prop::sample::select(OnLoss::ALL);
    (1..=2_i64, 0..3_usize, 1..STRANGE, directions, sides, losses).prop_map(
        |(server, group, number, direction, authority, on_loss)| Rule {
            id: map(0),
            server,
            group: GROUPS[group].to_owned(),
            role: role(number),
            direction,
            authority,
            on_loss,
            confirmed: false,
        },
    )
}

/// Only rules that may stand beside each other.
fn rules() -> impl Strategy<Value = Vec<Rule>> {
    prop::collection::vec(rule(), 0..6).prop_map(|wanted| {
        let mut rules: Vec<Rule> = Vec::new();
        for (rule, number) in wanted.into_iter().zip(1..) {
            rules.push(Rule {
                id: map(number),
                ..rule
            });
            if find_clash(&rules).is_some() {
                rules.pop();
            }
        }
        rules
    })
}

impl World {
    fn new(rules: Vec<Rule>) -> Self {
        let scene = Scene {
            now_ms: 1_000_000,
            is_linked: true,
            is_there: true,
            rules,
            verified: vec![role(4)],
            booster: vec![role(5)],
            ..Scene::default()
        };
        let truth = BTreeMap::from([(1, BTreeSet::new()), (2, BTreeSet::new())]);
        Self {
            scene,
            truth,
            writes: 0,
            touched: BTreeSet::new(),
        }
    }

    fn step(&mut self, step: &Step) {
        self.scene.now_ms += 10;
        match step {
            Step::Hand(number, has) if self.scene.is_there => put(&mut self.scene.has, role(*number), *has),
            Step::InGame(server, group, has) => {
                put(
                    self.truth.entry(*server).or_default(),
                    GROUPS[*group].to_owned(),
                    *has,
                );
            }
            Step::Report(server) => self.report(*server),
            Step::Fetch(server) => self.fetch(*server),
            Step::Look(calls, unsure) => self.look(*calls, *unsure),
            Step::Boost(boosts) => self.scene.boosts = *boosts && self.scene.is_there,
            Step::Leave => {
                self.scene.is_there = false;
                self.scene.boosts = false;
                self.scene.has.clear();
            }
            Step::Join => self.scene.is_there = true,
            Step::Relink => {
                let kept = std::mem::take(&mut self.scene.kept);
                self.scene.kept.owed = kept.given.union(&kept.owed).cloned().collect();
                self.scene.games.clear();
                self.truth.values_mut().for_each(BTreeSet::clear);
            }
            Step::Wait(ms) => self.scene.now_ms += ms,
            Step::Hand(..) => {}
        }
    }

    fn report(&mut self, server: i64) {
        let groups = self.truth.entry(server).or_default().clone();
        let game = self.scene.games.entry(server).or_default();
        game.reported = Some((groups, self.scene.now_ms));
    }

    fn fetch(&mut self, server: i64) {
        let (truth, now_ms) = (self.truth.entry(server).or_default(), self.scene.now_ms);
        for (group, asked) in &mut self.scene.games.entry(server).or_default().asked {
            if asked.taken_at_ms.is_none() {
                put(truth, group.clone(), asked.change.leaves());
                asked.taken_at_ms = Some(now_ms);
            }
        }
    }

    /// As the service does it: intent, calls, result. A look that stops early is looked at again later.
    fn look(&mut self, calls: usize, unsure: bool) {
        let plan = plan_roles(&self.scene);
        let adds = plan.iter().filter(|change| change.change == Change::Add);
        self.scene
            .kept
            .given
            .extend(adds.map(|change| change.role.clone()));
        let before = self.scene.clone();
        let calls = calls.min(plan.len());
        let (mut done, mut lost) = (plan[..calls].to_vec(), BTreeSet::new());
        for change in &done {
            self.carry_out(change);
        }
        if let Some(next) = plan.get(calls).filter(|_| unsure) {
            self.carry_out(next);
            lost.insert(next.role.clone());
        }
        for next in plan
            .iter()
            .skip(calls)
            .filter(|change| change.change == Change::Add)
        {
            lost.insert(next.role.clone());
        }
        done.retain(|change| !lost.contains(&change.role));
        let settled = settle(&before, &done, &lost);
        self.scene.kept = settled.kept;
        for (server, group) in settled.shown {
            self.scene.games.entry(server).or_default().asked.remove(&group);
        }
        for (server, group) in settled.dropped {
            self.scene.games.entry(server).or_default().put.remove(&group);
        }
        for change in settled.groups {
            self.writes += 1;
            let game = self.scene.games.entry(change.server).or_default();
            if change.change == Change::Add {
                game.put.insert(change.group.clone());
            }
            let asked = Asked {
                change: change.change,
                at_ms: self.scene.now_ms,
                taken_at_ms: None,
                ends: false,
                asks: change.asks,
            };
            game.asked.insert(change.group, asked);
        }
    }

    fn carry_out(&mut self, change: &RoleChange) {
        self.writes += 1;
        self.touched.insert(change.role.clone());
        put(&mut self.scene.has, change.role.clone(), change.change.leaves());
    }

    /// Nobody edits any more; everybody does what they have to do. Returns in how many rounds nothing was written.
    fn rest(&mut self) -> Option<usize> {
        for round in 0..12 {
            let before = self.writes;
            self.scene.now_ms += echo_ms(u32::MAX) + 1;
            for server in [1, 2] {
                self.fetch(server);
                self.scene.now_ms += 1;
                self.report(server);
            }
            self.look(usize::MAX, false);
            if self.writes == before {
                return Some(round);
            }
        }
        None
    }
}

fn put<T: Ord>(set: &mut BTreeSet<T>, value: T, is_there: bool) {
    if is_there {
        set.insert(value);
    } else {
        set.remove(&value);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 1_000 } else { 20_000 }))]

    #[test]
    fn every_history_comes_to_rest(rules in rules(), steps in prop::collection::vec(step(), 0..60)) {
        let mut world = World::new(rules);
        for step in &steps {
            world.step(step);
        }
        prop_assert!(world.rest().is_some(), "{world:?}");
        for rule in world.scene.rules.iter().filter(|rule| rule.direction == Direction::Both && rule.on_loss == OnLoss::Remove) {
            let is_pinned = world.scene.verified.contains(&rule.role) || world.scene.booster.contains(&rule.role);
            if world.scene.is_there && !is_pinned {
                let in_game = world.truth[&rule.server].contains(&rule.group);
                prop_assert_eq!(world.scene.has.contains(&rule.role), in_game, "{:?} of {:?}", rule, world);
            }
        }
    }

    #[test]
    fn nothing_but_what_the_rules_name_is_touched(rules in rules(), steps in prop::collection::vec(step(), 0..60)) {
        let mut world = World::new(rules);
        for step in &steps {
            world.step(step);
        }
        world.rest();
        let named: BTreeSet<DiscordId> = world.scene.rules.iter().map(|rule| rule.role.clone()).chain([role(4), role(5)]).collect();
        prop_assert!(world.touched.is_subset(&named));
        prop_assert!(!world.touched.contains(&role(STRANGE)));
    }

    #[test]
    fn an_edit_costs_two_writes_at_most(rules in rules(), steps in prop::collection::vec(step(), 0..30), edit in (1..=3_u64, any::<bool>())) {
        let mut world = World::new(rules);
        for step in &steps {
            world.step(step);
        }
        prop_assert!(world.rest().is_some());
        let before = world.writes;
        world.step(&Step::Hand(edit.0, edit.1));
        prop_assert!(world.rest().is_some());
        let reached = world.scene.rules.len() * 2;
        prop_assert!(world.writes - before <= reached.max(2), "{} writes: {world:?}", world.writes - before);
    }

    #[test]
    fn a_relink_takes_along_what_was_there_by_hand_alone(rules in rules(), steps in prop::collection::vec(step(), 0..60)) {
        let mut world = World::new(rules);
        for step in &steps {
            world.step(step);
        }
        world.rest();
        let ours = world.scene.kept.given.union(&world.scene.kept.owed).cloned().collect::<BTreeSet<_>>();
        let by_hand: BTreeSet<DiscordId> = world.scene.has.difference(&ours).cloned().collect();
        world.step(&Step::Relink);
        world.look(usize::MAX, false);
        let follows: BTreeSet<DiscordId> = world.scene.verified.iter().chain(&world.scene.booster).cloned().collect();
        for role in world.scene.has.difference(&by_hand) {
            prop_assert!(follows.contains(role), "{role} of {world:?}");
        }
    }

    #[test]
    fn the_end_of_a_link_leaves_what_was_there_by_hand(rules in rules(), steps in prop::collection::vec(step(), 0..60)) {
        let mut world = World::new(rules);
        for step in &steps {
            world.step(step);
        }
        world.rest();
        let ours = world.scene.kept.given.union(&world.scene.kept.owed).cloned().collect::<BTreeSet<_>>();
        let expected: BTreeSet<DiscordId> = world.scene.has.difference(&ours).cloned().collect();
        world.scene.is_linked = false;
        world.look(usize::MAX, false);
        world.look(usize::MAX, false);
        prop_assert_eq!(&world.scene.has, &expected);
        prop_assert_eq!(&world.scene.kept.given, &BTreeSet::new());
    }
}
