//! People edit on both sides while a third of all calls get lost: in the end both sides agree, and nobody went in circles.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use app::tenancy::guild_changes::GuildChange;
use app::{App, Parts, Platforms, work};
use domain::audit::Actor;
use domain::clock::SharedClock;
use domain::roles::Direction;
use emulator::discord::Member;
use emulator::{Fault, FaultKind};
use platform::discord::Outgoing;
use testkit::{Engine, both_databases, discord, rounds};

use super::race::{Dice, report};
use crate::bots::log::snowflake;
use crate::roles::scene::{Scene, role, rule};

const SEED: u64 = 77;
const STEP_MS: i64 = 5_000;
/// Five minutes of edits.
const STEPS: u64 = 60;
const WRITES: [&str; 2] = [
    "PUT /api/v10/guilds/{guild}/members/{user}/roles/{role}",
    "DELETE /api/v10/guilds/{guild}/members/{user}/roles/{role}",
];
const TIED: [(&str, u64, Direction); 3] = [
    ("vip", 71, Direction::Both),
    ("builder", 72, Direction::ToDiscord),
    ("staff", 73, Direction::ToGame),
];
const VERIFIED: u64 = 74;
/// Nobody's business but the people's own.
const OWN: u64 = 75;

struct Storm {
    scene: Scene,
    members: u64,
    dice: Dice,
    /// What the game server has.
    game: BTreeMap<u64, BTreeSet<String>>,
    /// Whom the game server has to tell of.
    untold: BTreeSet<u64>,
    edits: usize,
    /// Calls that changed something, on both sides.
    writes: usize,
}

impl Storm {
    async fn set(engine: Engine, members: u64) -> Self {
        let scene = Scene::set(engine).await;
        scene.change(|guild| {
            for number in 1..=members {
                let mut member = Member::default();
                if number.is_multiple_of(3) {
                    member.roles.push(role(OWN));
                }
                guild.members.insert(snowflake(&discord(number)), member);
            }
        });
        let change = GuildChange {
            verified_roles: Some(vec![discord(VERIFIED)]),
            ..GuildChange::default()
        };
        scene.settings(change).await;
        scene
            .rules(&TIED.map(|(group, number, direction)| rule(group, number, direction)))
            .await;
        for number in 1..=members {
            scene.link(number).await;
        }
        scene.sync().await;
        let game = (1..=members)
            .map(|number| (number, BTreeSet::from(["default".to_owned()])))
            .collect();
        let untold = (1..=members).collect();
        let mut storm = Self {
            scene,
            members,
            dice: Dice::new(SEED),
            game,
            untold,
            edits: 0,
            writes: 0,
        };
        while !storm.untold.is_empty() {
            storm.play_plugin(0).await;
        }
        storm.scene.sync().await;
        storm.scene.stage.discord.hub().forget_calls();
        storm.writes = 0;
        storm
    }

    /// Somebody changes something on one of the sides.
    async fn edit(&mut self) {
        let number = 1 + self.dice.roll(self.members);
        self.edits += 1;
        let sources = [71, 73, OWN];
        if self.dice.roll(2) == 0 {
            let given = sources[self.dice.roll(3) as usize];
            let had = self.scene.has(number).contains(&given);
            self.scene.by_hand(number, given, !had).await;
        } else {
            let group = ["vip", "builder", "own"][self.dice.roll(3) as usize].to_owned();
            let groups = self.game.get_mut(&number).expect("a player");
            if !groups.remove(&group) {
                groups.insert(group);
            }
            self.untold.insert(number);
        }
    }

    /// The plugin reports, fetches, does and clears; so many calls of a hundred get lost, half of them on the way back.
    async fn play_plugin(&mut self, lost: u64) {
        for number in std::mem::take(&mut self.untold) {
            let roll = self.dice.roll(100);
            if roll >= lost / 2 {
                let groups: Vec<&str> = self.game[&number].iter().map(String::as_str).collect();
                self.scene.report(number, &groups.join(",")).await;
            }
            if roll < lost {
                self.untold.insert(number);
            }
        }
        let members: Vec<u64> = (1..=self.members).collect();
        let mut fetched = Vec::new();
        for some in members.chunks(500) {
            fetched.extend(self.scene.waiting_of(some).await);
        }
        for (number, waiting) in members.into_iter().zip(fetched) {
            let roll = self.dice.roll(100);
            if roll < lost / 2 {
                continue;
            }
            if waiting.is_empty() || roll < lost {
                continue;
            }
            let groups = self.game.get_mut(&number).expect("a player");
            for change in &waiting {
                let (sign, group) = change.split_at(1);
                let is_changed = if sign == "+" {
                    groups.insert(group.to_owned())
                } else {
                    groups.remove(group)
                };
                self.writes += usize::from(is_changed);
            }
            self.untold.insert(number);
            if self.dice.roll(100) >= lost {
                self.scene.clear(number).await;
            }
        }
    }

    fn count_writes(&mut self) {
        let hub = self.scene.stage.discord.hub();
        let written: u64 = WRITES.iter().map(|route| hub.answers(route, 204)).sum();
        self.writes += written as usize;
        hub.forget_calls();
    }

    /// Until nobody has anything to do any more.
    async fn calm(&mut self) {
        for _ in 0..60 {
            self.scene.stage.test.clock.advance_ms(10 * STEP_MS);
            self.play_plugin(0).await;
            self.scene.sync().await;
            self.count_writes();
            let waits =
                self.scene.stage.count("role_marks").await + self.scene.stage.count("group_changes").await;
            if waits == 0 && self.untold.is_empty() {
                return;
            }
        }
        panic!("no end in sight");
    }

    fn assert_in_line(&self, own: &BTreeMap<u64, bool>) {
        for (number, groups) in &self.game {
            let has = self.scene.has(*number);
            for (group, role, _) in TIED {
                assert_eq!(
                    groups.contains(group),
                    has.contains(&role),
                    "{number} {group}: {groups:?} {has:?}"
                );
            }
            assert!(has.contains(&VERIFIED) && groups.contains("default"), "{number}");
            assert_eq!(has.contains(&OWN), own[number], "{number}: a role of their own");
        }
    }

    /// Nothing is left to be done: a look at everybody changes nothing.
    async fn assert_at_rest(&self) {
        let stage = &self.scene.stage;
        let (app, tenant) = (&stage.test.app, &stage.tenant);
        app::roles::start(app, tenant.scope, &tenant.guild, Actor::System)
            .await
            .expect("a look at everybody");
        let asked = || WRITES.map(|route| stage.discord.hub().count(route));
        let before = asked();
        self.scene.sync().await;
        assert_eq!((asked(), stage.count("group_changes").await), (before, 0));
    }

    fn own(&self) -> BTreeMap<u64, bool> {
        (1..=self.members)
            .map(|number| (number, self.scene.has(number).contains(&OWN)))
            .collect()
    }
}

async fn second_node(scene: &Scene) -> App {
    let test = &scene.stage.test;
    let clock = Arc::clone(&test.clock) as SharedClock;
    let bot = testkit::bot_of(&scene.stage.discord, clock, &Outgoing::at(u32::MAX));
    let platforms = Platforms {
        discord_bot: Some(bot),
        ..Platforms::default()
    };
    App::start(Parts {
        platforms,
        ..test.parts()
    })
    .await
    .expect("a second node")
}

/// Works for a while and is then heard of no more.
async fn work_and_die(node: &App, turns: u64) {
    let alive = async {
        for _ in 0..turns {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        _ = work::drain(node) => {}
        () = alive => {}
    }
}

async fn weather(engine: Engine, two_nodes: bool) {
    let mut storm = Storm::set(engine, rounds(40, 1_000) as u64).await;
    let per_step = storm.members.div_ceil(20);
    let mut second = Some(second_node(&storm.scene).await).filter(|_| two_nodes);
    let mut fault = Fault::new("*", FaultKind::Drop);
    fault.percent = Some(30);
    storm.scene.stage.discord.hub().add_fault(fault);
    for step in 1..=STEPS {
        for _ in 0..per_step {
            storm.edit().await;
        }
        storm.play_plugin(30).await;
        match &second {
            Some(node) if step < STEPS / 2 => {
                let both = tokio::join!(work::drain(node), work::drain(&storm.scene.stage.test.app));
                both.0.and(both.1).expect("jobs are done");
            }
            Some(node) => {
                work_and_die(node, 40 + storm.dice.roll(400)).await;
                second = None;
                // What it had taken is free again after this.
                storm.scene.stage.test.clock.advance_ms(15_000);
            }
            None => storm.scene.sync().await,
        }
        storm.count_writes();
        storm.scene.stage.test.clock.advance_ms(STEP_MS);
    }
    storm.scene.stage.discord.hub().remove_faults();
    let own = storm.own();
    storm.calm().await;
    storm.assert_in_line(&own);
    let (edits, writes) = (storm.edits, storm.writes);
    assert!(writes <= 2 * edits, "{writes} writes for {edits} edits");
    storm.assert_at_rest().await;
    let nodes = if two_nodes {
        "two nodes, one killed"
    } else {
        "one node"
    };
    report(
        engine,
        &format!(
            "roles, seed {SEED}: {} members, {edits} edits in five minutes, 30 % of calls lost, {nodes}: {writes} writes, both sides agree",
            storm.members,
        ),
    );
    storm.scene.finish().await;
}

both_databases! {
    async fn edits_on_both_sides_end_in_agreement(engine) {
        weather(engine, false).await;
    }

    async fn edits_on_both_sides_end_in_agreement_when_a_node_dies(engine) {
        weather(engine, true).await;
    }
}
