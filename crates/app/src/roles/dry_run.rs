//! What rules would do, before anybody saves them.

use std::collections::{BTreeMap, BTreeSet};

use domain::discord::RoleReason;
use domain::id::MappingId;
use domain::platform_id::DiscordId;
use domain::roles::{Change, Game, GroupChange, RoleChange, Rule, Scene, Settled, Side, plan_roles, settle};
use storage::OrgScope;
use storage::roles::game_side;
use storage::roles::members::{self, Known};
use storage::tenancy::guilds;

use super::rules::{Wanted, checked, find, made, spare_ids};
use super::scene::Place;
use crate::error::{AppError, RequestError, RolesError};
use crate::state::App;

/// People in one read.
const SLICE: i64 = 1_000;
/// How far the consequences of one change are followed.
const ROUNDS: usize = 8;
/// Changes that are listed one by one.
const LISTED: usize = 200;

/// A change that rules would make.
#[derive(Debug, Clone)]
pub struct Would {
    /// Whose.
    pub discord_id: DiscordId,
    /// Whose.
    pub steam_id: String,
    /// On Discord, where it is known.
    pub name: Option<String>,
    /// Where.
    pub side: Side,
    /// What.
    pub change: Change,
    /// On Discord.
    pub role: Option<DiscordId>,
    /// In the game.
    pub group: Option<String>,
    /// Which rule of the list.
    pub rule: usize,
    /// Why it cannot be done.
    pub cannot: Option<RoleReason>,
}

/// What rules would do.
#[derive(Debug, Clone, Default)]
pub struct DryRun {
    /// People who are linked.
    pub members: i64,
    /// Those among them whom nobody has looked at yet: nothing is counted for them.
    pub unknown: i64,
    /// Roles and groups that would be given.
    pub add: i64,
    /// Roles and groups that would be taken.
    pub remove: i64,
    /// Changes that cannot be made.
    pub cannot: i64,
    /// Why, once for each role.
    pub reasons: BTreeMap<DiscordId, RoleReason>,
    /// The first of them all.
    pub changes: Vec<Would>,
}

/// Plays the rules through for everybody who is linked, with what was last known of them. Nothing is asked of Discord and
/// nothing is written.
pub async fn run(app: &App, scope: OrgScope, wanted: &Wanted) -> Result<DryRun, AppError> {
    let _place = app
        .memories
        .dry_runs
        .begin(scope)
        .ok_or(RolesError::DryRunsRunning)?;
    let server = find(app, scope, &wanted.server).await?;
    let own = made(app, &server, &wanted.rules)?;
    let guild = guilds::find(&app.db, scope, &server.guild_id).await?;
    let guild = guild.ok_or(RequestError::NotFound)?;
    let guild_num = guild.num;
    let place = Place::read(app, scope, guild)
        .await?
        .ok_or(RequestError::NotFound)?;
    let is_own = |rule: &Rule| rule.server == server.num.0;
    let (before, others): (Vec<Rule>, Vec<Rule>) = place.rules.iter().cloned().partition(is_own);
    let own = checked(
        wanted,
        (&own, &spare_ids(app, &own)),
        &before,
        &others,
        &place.roles,
    )?;
    let rules: Vec<Rule> = own.iter().chain(&others).cloned().collect();
    let mut found = DryRun::default();
    let mut after = String::new();
    loop {
        let slice = members::list_known(&app.db, guild_num, &after, SLICE).await?;
        let Some(last) = slice.last() else {
            return Ok(found);
        };
        after = last.discord_id.to_string();
        let players: Vec<&str> = slice.iter().map(|known| known.steam_id.as_str()).collect();
        let mut games = game_side::list(&app.db, guild_num, &players).await?;
        for known in &slice {
            let games = games.remove(&known.steam_id).unwrap_or_default();
            play(&mut found, &place, &own, &rules, known, games, app.now_ms());
        }
    }
}

fn play(
    found: &mut DryRun,
    place: &Place,
    own: &[Rule],
    rules: &[Rule],
    known: &Known,
    games: BTreeMap<i64, Game>,
    now_ms: i64,
) {
    found.members += 1;
    let looked = known
        .member
        .as_ref()
        .and_then(|member| Some((member, member.roles.clone()?)));
    let Some((member, has)) = looked else {
        found.unknown += 1;
        return;
    };
    let mut scene = Scene {
        now_ms,
        is_linked: true,
        is_there: true,
        boosts: true,
        has,
        rules: rules.to_vec(),
        verified: place.settings.verified_roles.clone(),
        booster: place.settings.booster_roles.clone(),
        kept: member.kept.clone(),
        games,
        barred: place.barred.clone(),
        ..Scene::default()
    };
    let mut refused = BTreeSet::new();
    // What one rule gives, another may lead on: until nothing follows any more.
    for _ in 0..ROUNDS {
        let (cannot, done): (Vec<_>, Vec<_>) = plan_roles(&scene)
            .into_iter()
            .partition(|change| change.cannot.is_some());
        for change in cannot
            .into_iter()
            .filter(|change| refused.insert(change.role.clone()))
        {
            found.count_role(known, own, &change);
        }
        for change in &done {
            found.count_role(known, own, change);
        }
        let settled = settle(&scene, &done, &BTreeSet::new());
        for change in &settled.groups {
            found.count_group(known, own, change);
        }
        if done.is_empty() && settled.groups.is_empty() {
            return;
        }
        go_on(&mut scene, &done, settled);
    }
}

/// How it stands once the game servers have done their part.
fn go_on(scene: &mut Scene, done: &[RoleChange], settled: Settled) {
    for change in done {
        match change.change {
            Change::Add => scene.has.insert(change.role.clone()),
            Change::Remove => scene.has.remove(&change.role),
        };
    }
    scene.kept = settled.kept;
    for change in settled.groups {
        let game = scene.games.entry(change.server).or_default();
        let (groups, at_ms) = game.reported.get_or_insert_default();
        *at_ms = scene.now_ms;
        match change.change {
            Change::Add => groups.insert(change.group.clone()),
            Change::Remove => groups.remove(&change.group),
        };
        game.asked.remove(&change.group);
        game.withdrawn.remove(&change.group);
    }
}

fn place_of(own: &[Rule], id: Option<&MappingId>) -> Option<usize> {
    own.iter().position(|rule| Some(&rule.id) == id)
}

fn of(known: &Known, side: Side, change: Change, rule: usize) -> Would {
    Would {
        discord_id: known.discord_id.clone(),
        steam_id: known.steam_id.clone(),
        name: known.name.clone(),
        side,
        change,
        role: None,
        group: None,
        rule,
        cannot: None,
    }
}

impl DryRun {
    /// Only what the rules themselves change.
    fn count_role(&mut self, known: &Known, own: &[Rule], change: &RoleChange) {
        if let Some(rule) = place_of(own, change.rule.as_ref()) {
            self.count(Would {
                role: Some(change.role.clone()),
                cannot: change.cannot,
                ..of(known, Side::Discord, change.change, rule)
            });
        }
    }

    fn count_group(&mut self, known: &Known, own: &[Rule], change: &GroupChange) {
        if let Some(rule) = place_of(own, Some(&change.rule)) {
            self.count(Would {
                group: Some(change.group.clone()),
                ..of(known, Side::Game, change.change, rule)
            });
        }
    }

    fn count(&mut self, would: Would) {
        if let (Some(role), Some(reason)) = (&would.role, would.cannot) {
            self.reasons.insert(role.clone(), reason);
        }
        match (would.cannot, would.change) {
            (Some(_), _) => self.cannot += 1,
            (None, Change::Add) => self.add += 1,
            (None, Change::Remove) => self.remove += 1,
        }
        // What cannot be done comes first: it is what somebody has to see to.
        if would.cannot.is_some() && self.cannot <= LISTED as i64 {
            let place = self
                .changes
                .iter()
                .take_while(|listed| listed.cannot.is_some())
                .count();
            self.changes.insert(place, would);
            self.changes.truncate(LISTED);
        } else if self.changes.len() < LISTED {
            self.changes.push(would);
        }
    }

    /// Whether there are more changes than are listed.
    pub fn has_more(&self) -> bool {
        self.add + self.remove + self.cannot > self.changes.len() as i64
    }
}
