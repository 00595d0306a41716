//! Members who come, go and are changed, as the service is told of them.

use emulator::discord::{Disturbance, Member, Snowflake};

use crate::world::{ADA, BOT, GUILD, OTHER, ROLE, Running, World};

const BRUNO: Snowflake = Snowflake(700_000_000_000_000_002);

async fn world() -> World {
    let world = World::new().await;
    let granted = world.discord.change(|state| {
        state.applications.get_mut(&BOT).unwrap().privileged_intents = 1 << 1;
    });
    granted.unwrap();
    world
}

async fn start(world: &World) -> Running {
    let mut settings = world.settings();
    settings.members_intent = true;
    let bot = Running::start(settings);
    // A change that comes with the news of the guild itself is not told apart from it.
    let is_settled = || world.service.is_online() && world.service.was_hinted(GUILD, "guild_here");
    world.until("it is online", is_settled).await;
    bot
}

fn set_roles(world: &World, user: Snowflake, roles: &[Snowflake]) {
    let changed = world.discord.change(|state| {
        let guild = state.guilds.get_mut(&GUILD).unwrap();
        guild.members.entry(user).or_default().roles = roles.to_vec();
    });
    changed.unwrap();
}

fn told(user: Snowflake, change: &str) -> (String, String) {
    (user.to_string(), change.to_owned())
}

#[tokio::test]
async fn the_service_hears_who_came_went_or_was_changed() {
    let world = world().await;
    let _bot = start(&world).await;
    let heard = |count: usize| move |world: &World| world.service.members_of(GUILD).len() >= count;
    set_roles(&world, BRUNO, &[]);
    world.until("somebody came", || heard(1)(&world)).await;
    set_roles(&world, BRUNO, &[ROLE]);
    world.until("a role", || heard(2)(&world)).await;
    let left = world
        .discord
        .change(|state| state.guilds.get_mut(&GUILD).unwrap().members.remove(&BRUNO));
    left.unwrap();
    world.until("they went", || heard(3)(&world)).await;
    let changes = ["joined", "changed", "left"].map(|change| told(BRUNO, change));
    assert_eq!(world.service.members_of(GUILD), changes);
}

#[tokio::test]
async fn bots_and_other_guilds_are_nobodys_business() {
    let world = world().await;
    let _bot = start(&world).await;
    set_roles(&world, BOT, &[ROLE]);
    let elsewhere = world.discord.change(|state| {
        let other = state.guilds.get_mut(&OTHER).unwrap();
        other.members.insert(BRUNO, Member::default());
    });
    elsewhere.unwrap();
    set_roles(&world, ADA, &[ROLE]);
    world
        .until("a member", || !world.service.members_of(GUILD).is_empty())
        .await;
    assert_eq!(world.service.members_of(GUILD), [told(ADA, "changed")]);
    assert!(world.service.members_of(OTHER).is_empty());
    world
        .until("its own roles", || {
            world.service.was_hinted(GUILD, "guild_changed")
        })
        .await;
}

#[tokio::test]
async fn many_are_told_in_portions_each_once() {
    let world = world().await;
    let _bot = start(&world).await;
    let users = || (0..250).map(|number| Snowflake(700_000_000_000_001_000 + number));
    world.service.known().members_fail = Some(503);
    for roles in [&[][..], &[ROLE]] {
        let all = world.discord.change(|state| {
            let guild = state.guilds.get_mut(&GUILD).unwrap();
            for user in users() {
                guild.members.entry(user).or_default().roles = roles.to_vec();
            }
        });
        all.unwrap();
    }
    // Its signs of life go on meanwhile, and nothing is lost.
    world.one_more_report().await;
    world.service.known().members_fail = None;
    world
        .until("all are told of", || world.service.members_of(GUILD).len() >= 250)
        .await;
    let mut told_of = world.service.members_of(GUILD);
    told_of.sort();
    let expected: Vec<_> = users().map(|user| told(user, "changed")).collect();
    assert_eq!(told_of, expected);
    let known = world.service.known();
    assert!(known.members.iter().all(|(_, members)| members.len() <= 100));
}

/// As a kill does: what it heard but did not tell comes again with the session.
#[tokio::test]
async fn a_bot_that_dies_before_it_told_hears_of_it_again() {
    let world = world().await;
    let bot = start(&world).await;
    world.service.known().members_fail = Some(503);
    set_roles(&world, BRUNO, &[ROLE]);
    world.rename_role("Verified");
    world
        .until("it has heard", || {
            world.service.was_hinted(GUILD, "guild_changed")
        })
        .await;
    // The session is written down every second.
    world.one_more_report().await;
    drop(bot);
    assert!(world.service.members_of(GUILD).is_empty());
    world.service.known().members_fail = None;
    let _bot = start(&world).await;
    world.until("the session goes on", || world.resumes() == 1).await;
    world
        .until("it is told", || !world.service.members_of(GUILD).is_empty())
        .await;
    assert_eq!(world.service.members_of(GUILD), [told(BRUNO, "joined")]);
    assert_eq!(world.identifies(), 1);
}

#[tokio::test]
async fn what_happens_while_the_line_is_down_is_told() {
    let world = world().await;
    let _bot = start(&world).await;
    world.disturb(Disturbance::Drop);
    set_roles(&world, BRUNO, &[ROLE]);
    world
        .until("it is told", || !world.service.members_of(GUILD).is_empty())
        .await;
    assert_eq!(world.service.members_of(GUILD), [told(BRUNO, "joined")]);
}
