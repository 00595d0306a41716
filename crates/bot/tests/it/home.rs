//! A bot that is for one Discord server.

use emulator::discord::Member;

use crate::world::{BOT, GUILD, OTHER, Running, World};

fn failure(world: &World) -> String {
    world.service.last()["failure"].as_str().unwrap_or("").to_owned()
}

#[tokio::test]
async fn a_bot_outside_its_discord_server_says_so_until_somebody_adds_it() {
    let world = World::new().await;
    let mut settings = world.settings();
    settings.home = Some(OTHER.0);
    let _bot = Running::start(settings);
    world
        .until("it is told", || {
            world.service.is_online() && failure(&world) == "not_in_guild"
        })
        .await;
    let online = |report: &&serde_json::Value| report["state"] == "online";
    let reports = world.service.known().reports.clone();
    let serves = reports
        .iter()
        .filter(online)
        .any(|report| report["failure"].is_null());
    assert!(!serves, "it was never said to be at home");
    let added = world.discord.change(|state| {
        let guild = state.guilds.get_mut(&OTHER).unwrap();
        guild.members.insert(BOT, Member::default());
    });
    added.unwrap();
    world.until("it is at home", || failure(&world).is_empty()).await;
    let removed = world.discord.change(|state| {
        let guild = state.guilds.get_mut(&OTHER).unwrap();
        guild.members.remove(&BOT);
    });
    removed.unwrap();
    world
        .until("it is thrown out", || failure(&world) == "not_in_guild")
        .await;
}

#[tokio::test]
async fn a_bot_that_pauses_is_offline_at_once_and_its_session_is_over() {
    let world = World::new().await;
    let mut settings = world.settings();
    settings.home = Some(GUILD.0);
    let bot = Running::start(settings);
    world
        .until("it is online", || {
            world.service.is_online() && failure(&world).is_empty()
        })
        .await;
    bot.pause().await;
    world
        .until("nobody is connected", || world.connected().is_empty())
        .await;
    assert!(!world.state_file().exists(), "there is nothing to go on with");
    let _again = world.online().await;
    assert_eq!((world.identifies(), world.resumes()), (2, 0));
}
