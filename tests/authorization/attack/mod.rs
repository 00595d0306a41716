//! Everybody tries everything, in random order, with whatever they learned: members of each rank with each single
//! permission, the Owner, people of other Orgs, an operator and somebody with an invitation.
//!
//! Nobody may end above what the Owner gave them, nobody is shown a secret above their rank, nobody loses a session or
//! a membership to somebody who could not take it, and of an Org whose own people do nothing not one row changes.

mod actor;
mod dice;
mod law;
mod moves;
mod walk;

use std::collections::{BTreeSet, VecDeque};

use app::identity::accounts::{self, Account};
use app::tenancy::orgs;
use domain::permission::{Permission, Role};
use domain::plan::Tier;
use emulator::discord::{Guild, Member, Snowflake};
use emulator::{Discord, Steam};
use testkit::{Engine, Tenant, TestApp, discord, steam};
use web::layers::Surface;
use web::routes::{Access, RouteSpec};

use self::actor::{Actor, Call, LearnedIds, Manner, Standing};
use self::dice::Dice;
use self::law::{Law, succeeded};
use self::moves::{Place, UNCLAIMED, way_to};

const STEPS: usize = 10_000;
/// Nothing is sold here, and no token of a bot can be guessed.
const UNSOLD: [&str; 4] = [
    "/orgs/{org}/billing/plan/checkout",
    "/orgs/{org}/guilds/{guild}/billing/checkout",
    "/orgs/{org}/billing/portal",
    "/orgs/{org}/guilds/{guild}/bot/token",
];
/// The other Org is looked at so often.
const LOOK: usize = 250;
/// Between two steps; long enough that the limits of the dashboard stop nobody.
const STEP_MS: i64 = 60;
const LAST_CALLS: usize = 12;
const OPERATOR: &str = "Operator";

struct Attack {
    test: TestApp,
    _platforms: (Discord, Steam),
    ours: Tenant,
    theirs: Tenant,
    actors: Vec<Actor>,
    known: LearnedIds,
    law: Law,
    dice: Dice,
    table: Vec<RouteSpec>,
    answered: BTreeSet<(String, &'static str)>,
    last: VecDeque<String>,
}

/// Operators move Orgs, end everybody's sessions and close the dashboard, and are no attackers: what they do has tests
/// of its own. Here they look at everything, and everybody else tries their deeds.
fn is_operators_deed(route: &RouteSpec) -> bool {
    route.access == Access::Operator && route.method != http::Method::GET
}

/// Somebody of each rank with each single permission.
async fn hired_with_one_permission(test: &TestApp) -> Vec<(String, Account, Option<Standing>)> {
    let mut people = Vec::new();
    for role in [Role::Admin, Role::Staff] {
        for permission in Permission::ALL {
            let account = test.account(101 + people.len() as u64).await;
            let only = [*permission].into_iter().collect();
            people.push((format!("{role:?} with {permission}"), account, Some((role, only))));
        }
    }
    people
}

/// Somebody with a session, and nothing done yet.
async fn signed_in(
    test: &TestApp,
    number: usize,
    name: String,
    account: Account,
    hired_as: Option<Standing>,
) -> Actor {
    let session = test.session(&account).await;
    Actor {
        steam: steam(number as u64),
        is_operator: name == OPERATOR,
        name,
        hired_as,
        client: test.client().from(&format!("198.51.100.{number}")),
        cookies: [("symbolon".to_owned(), session)].into(),
        is_signed_in: true,
        account,
        plan: VecDeque::new(),
        codes: Vec::new(),
        keys: Vec::new(),
        sessions: Vec::new(),
        own_org: None,
        form: String::new(),
        trips: Default::default(),
    }
}

impl Attack {
    async fn begin(engine: Engine, seed: u64) -> Attack {
        let (test, discord_side, steam_side) = TestApp::start_with_platforms(engine, |_| {}).await;
        let ours = test.full_tenant(1, Tier::Pro).await;
        let theirs = test.full_tenant(2, Tier::Pro).await;
        theirs.link(&test.app, 1).await;
        let stranger = test.full_tenant(3, Tier::Pro).await;
        let mut people = vec![("Owner".to_owned(), ours.owner.clone(), None)];
        people.extend(hired_with_one_permission(&test).await);
        people.push(("Owner of another Org".to_owned(), stranger.owner.clone(), None));
        people.push(("Invited".to_owned(), test.account(90).await, None));
        people.push(("Nobody".to_owned(), test.account(91).await, None));
        people.push((OPERATOR.to_owned(), test.account(92).await, None));
        accounts::grant_operator(&test.app, test.account(92).await)
            .await
            .expect("an operator");
        let mut actors = Vec::new();
        for (number, (name, account, hired_as)) in people.into_iter().enumerate() {
            if let Some(standing) = hired_as {
                hire(&test, &ours, &account, standing).await;
            }
            testkit::add_player(&discord_side, &steam_side, number as u64);
            introduce(&discord_side, &account);
            actors.push(signed_in(&test, number, name, account, hired_as).await);
        }
        let managers: Vec<usize> = (0..actors.len()).filter(|one| manages(&actors[*one])).collect();
        for (nth, number) in UNCLAIMED.enumerate() {
            let owner = &actors[managers[nth % managers.len()]].account;
            add_managed(&discord_side, number, owner.discord_id.as_str());
        }
        testkit::add_guild(&discord_side, &ours.discord_guild, "Guild 1");
        let mut law = Law::begin(&test, &ours, &theirs).await;
        let mut known = LearnedIds::default();
        for tenant in [&ours, &theirs, &stranger] {
            introduce_ids(tenant, &mut known);
        }
        let invited = [Permission::LinksView].into_iter().collect();
        let (_, code) = test.invite(&ours, Role::Staff, &[Permission::LinksView]).await;
        let place = actors
            .iter()
            .position(|one| one.name == "Invited")
            .expect("somebody");
        actors[place].codes.push(code);
        law.give(&actors[place], (Role::Staff, invited));
        Attack {
            test,
            _platforms: (discord_side, steam_side),
            ours,
            theirs,
            actors,
            known,
            law,
            dice: Dice::new(seed),
            table: web::table(),
            answered: BTreeSet::new(),
            last: VecDeque::new(),
        }
    }

    async fn step(&mut self) -> Result<(), String> {
        self.test.clock.advance_ms(STEP_MS);
        let who = self.dice.below(self.actors.len());
        self.prepare(who).await;
        let route = self.choose(who);
        let route = self.table[route].clone();
        let place = Place {
            ours: &self.ours,
            theirs: &self.theirs,
            known: &self.known,
        };
        let call = place.call(&route, &mut self.actors[who], &mut self.dice).await;
        let reply = self.actors[who].send(&call).await;
        let actor = &self.actors[who];
        self.last.push_back(format!(
            "{}: {} {} {} -> {}",
            actor.name, call.method, call.uri, call.body, reply.status
        ));
        if self.last.len() > LAST_CALLS {
            self.last.pop_front();
        }
        let seen = (actor, &call, &reply);
        self.law.judge(&self.test, &route, seen, &self.known).await?;
        if succeeded(&reply) {
            self.answered.insert((route.method.to_string(), route.path));
        }
        self.follow(who, &route, &reply).await
    }

    /// Those who left are hired again now and then, and those who signed out sign in again.
    async fn prepare(&mut self, who: usize) {
        let actor = &mut self.actors[who];
        if let Some(standing) = actor.hired_as
            && self.law.standing(actor).is_none()
            && self.dice.percent(20)
        {
            hire(&self.test, &self.ours, &actor.account, standing).await;
            self.law.look_again(&self.test).await;
        }
        if !actor.is_signed_in && actor.plan.is_empty() && self.dice.percent(50) {
            actor.plan.extend(
                self.table
                    .iter()
                    .position(|route| route.path == "/auth/discord/login"),
            );
        }
    }

    /// The next route: what was planned, something that this person may use, or any.
    fn choose(&mut self, who: usize) -> usize {
        let actor = &mut self.actors[who];
        if let Some(route) = actor.plan.pop_front() {
            return route;
        }
        let standing = self.law.standing(actor);
        let open_to = |route: &RouteSpec| match route.access {
            Access::Permission(permission) => standing.is_some_and(|(_, set)| set.contains(permission)),
            Access::Owner(_) => standing.is_some_and(|(role, _)| role == Role::Owner),
            Access::Operator => actor.is_operator && !is_operators_deed(route),
            Access::Public
            | Access::PluginKey
            | Access::SignedIn
            | Access::Member
            | Access::Bot
            | Access::Sender => false,
        };
        let open: Vec<usize> = (0..self.table.len())
            .filter(|one| open_to(&self.table[*one]))
            .collect();
        if !open.is_empty() && self.dice.percent(40) {
            return *self.dice.one(&open);
        }
        // Memberships and invitations are where rank is won, so these are tried more often.
        let is_rank = |path: &str| {
            ["team", "invite", "memberships"]
                .iter()
                .any(|word| path.contains(word))
        };
        let uses_code = !actor.codes.is_empty() && self.dice.percent(8);
        let route = loop {
            let route = self.dice.below(self.table.len());
            let path = self.table[route].path;
            if actor.is_operator && is_operators_deed(&self.table[route]) {
                continue;
            }
            if path == "/invite/{code}/accept" || (!uses_code && (is_rank(path) || self.dice.percent(40))) {
                break route;
            }
        };
        let way = way_to(self.table[route].path);
        if way.is_empty() || self.dice.percent(30) {
            return route;
        }
        let on_the_way = way
            .iter()
            .filter_map(|path| self.table.iter().position(|route| route.path == *path));
        actor.plan.extend(on_the_way.chain([route]));
        actor.plan.pop_front().unwrap_or(route)
    }

    /// What an answer teaches, and what it leads to.
    async fn follow(&mut self, who: usize, route: &RouteSpec, reply: &testkit::Reply) -> Result<(), String> {
        let actor = &mut self.actors[who];
        if !route.path.starts_with("/docs") && route.path != "/openapi.json" {
            actor.learn(reply, &mut self.known);
        }
        let asks_for_a_session = !matches!(route.access, Access::PluginKey | Access::Bot | Access::Sender);
        if reply.status == 401 && actor.is_signed_in && asks_for_a_session {
            return Err("a session ended that nobody but its owner may end".to_owned());
        }
        if !succeeded(reply) {
            return Ok(());
        }
        match (route.method.as_str(), route.path) {
            ("POST", "/account/sign-out") => actor.is_signed_in = false,
            ("GET", "/auth/discord/login/callback") => actor.is_signed_in = true,
            ("DELETE", "/account/sessions/{session}") => {
                let call = Call {
                    method: http::Method::GET,
                    uri: "/account".to_owned(),
                    body: String::new(),
                    manner: Manner::Json,
                };
                actor.is_signed_in = actor.send(&call).await.status == 200;
            }
            ("POST", "/orgs") => actor.own_org = reply.json()["id"].as_str().map(str::to_owned),
            (_, path) if path.starts_with("/auth/") && !path.ends_with("/callback") => {
                let is_back = |route: &RouteSpec| route.path.strip_suffix("/callback") == Some(path);
                let there = reply.header("location").unwrap_or_default();
                if let Some(back) = self.table.iter().position(is_back) {
                    actor
                        .trips
                        .insert(self.table[back].path.to_owned(), there.to_owned());
                    actor.plan.push_front(back);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// So many of the routes answered somebody with success, and which did not.
    fn share(&self) -> (usize, Vec<String>) {
        // Names of files follow from their content, and nobody here knows any.
        let is_file = |route: &RouteSpec| route.surface == Surface::Download && route.path.contains('{');
        // Nobody here is a program.
        let is_for_programs = |route: &RouteSpec| matches!(route.access, Access::Bot | Access::Sender);
        let asked: Vec<&RouteSpec> = self
            .table
            .iter()
            .filter(|route| !is_file(route) && !is_for_programs(route) && !is_operators_deed(route))
            .filter(|route| !UNSOLD.contains(&route.path))
            .collect();
        let silent = asked.iter().filter(|route| {
            let name = (route.method.to_string(), route.path);
            !self.answered.contains(&name)
        });
        let silent: Vec<String> = silent
            .map(|route| format!("{} {}", route.method, route.path))
            .collect();
        (100 * (asked.len() - silent.len()) / asked.len(), silent)
    }
}

/// The Owner takes somebody on.
async fn hire(
    test: &TestApp,
    ours: &Tenant,
    account: &app::identity::accounts::Account,
    (role, set): Standing,
) {
    orgs::add_member(&test.app, ours.scope, account, role)
        .await
        .expect("a member");
    test.set_permissions(ours, account, set).await;
}

/// Who is given Discord servers to claim.
fn manages(actor: &Actor) -> bool {
    let settles = |(_, set): Standing| set.contains(Permission::OrgSettings);
    actor.name == "Owner" || actor.hired_as.is_some_and(settles)
}

/// An account that the platforms know by its own id.
fn introduce(discord_side: &Discord, account: &app::identity::accounts::Account) {
    let user = emulator::discord::User {
        username: account.id.as_str().to_lowercase(),
        ..Default::default()
    };
    let id: Snowflake = account.discord_id.as_str().parse().expect("an id");
    discord_side
        .change(|state| state.users.insert(id, user))
        .expect("a person");
}

/// A Discord server that somebody owns and our bot is in.
fn add_managed(discord_side: &Discord, number: u64, owner: &str) {
    let (id, owner) = (discord(number), owner.parse().expect("an id"));
    testkit::add_guild(discord_side, &id, "Unclaimed");
    let id: Snowflake = id.as_str().parse().expect("an id");
    let changed = discord_side.change(|state| {
        let guild: &mut Guild = state.guilds.get_mut(&id).expect("it was made");
        guild.owner_id = Some(owner);
        guild.members.insert(owner, Member::default());
    });
    changed.expect("a server");
}

fn introduce_ids(tenant: &Tenant, known: &mut LearnedIds) {
    let number = tenant.discord_guild.as_str().chars().last().unwrap_or('1');
    let target = crate::authorization::examples::Target::from(tenant);
    for id in [
        &target.org,
        &target.guild,
        &target.server,
        &target.key,
        &target.account,
        &target.invite,
    ] {
        known.learn_id(id);
    }
    known.learn_id(tenant.owner.id.as_str());
    known.slugs.insert(target.org, format!("org-{number}"));
    known.slugs.insert(target.guild, format!("guild-{number}"));
}
