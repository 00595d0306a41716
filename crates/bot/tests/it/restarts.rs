//! A process that ends, and the one after it.

use serde_json::Value;

use crate::world::{BOT, GUILD, Running, TOKEN, World};

#[tokio::test]
async fn a_restart_goes_on_with_the_session() {
    let world = World::new().await;
    world.online().await.stop().await;
    assert_eq!(world.service.last()["state"], "stopped");
    world
        .until("the connection is closed", || world.connected().is_empty())
        .await;
    world.rename_role("Verified");
    let _bot = world.online().await;
    assert_eq!(
        (world.resumes(), world.identifies(), world.attempts(TOKEN)),
        (1, 1, 1)
    );
    // What it missed is told, and what it knew is known.
    world
        .until("the change is told of", || {
            world.service.was_hinted(GUILD, "guild_changed")
        })
        .await;
    assert_eq!(world.service.last()["guilds"], 1);
}

#[tokio::test]
async fn a_process_that_is_killed_costs_no_session_either() {
    let world = World::new().await;
    drop(world.online().await);
    world
        .until("the connection is lost", || world.connected().is_empty())
        .await;
    // The next one has to wait until the service takes the first one for gone.
    let _bot = Running::start(world.settings());
    world.until("the session goes on", || world.resumes() == 1).await;
    assert_eq!((world.identifies(), world.attempts(TOKEN)), (1, 1));
}

/// Discord closes with 4007 and would do so for ever.
#[tokio::test]
async fn a_session_that_was_written_down_wrongly_is_begun_anew() {
    let world = World::new().await;
    world.online().await.stop().await;
    let text = std::fs::read_to_string(world.state_file()).unwrap();
    let mut state: Value = serde_json::from_str(&text).unwrap();
    state["sequence"] = 1_000_000.into();
    std::fs::write(world.state_file(), state.to_string()).unwrap();
    let _bot = Running::start(world.settings());
    world.until("a new session", || world.identifies() == 2).await;
    world.until("it is online", || world.service.is_online()).await;
    assert_eq!((world.resumes(), world.connections()), (0, 3));
}

#[tokio::test]
async fn a_session_that_hears_too_little_or_too_much_is_not_gone_on_with() {
    let world = World::new().await;
    let granted = world.discord.change(|state| {
        state.applications.get_mut(&BOT).unwrap().privileged_intents = 1 << 1;
    });
    granted.unwrap();
    for (members_intent, resumes, identifies) in [(false, 0, 1), (true, 0, 2), (true, 1, 2), (false, 1, 3)] {
        let mut settings = world.settings();
        settings.members_intent = members_intent;
        let bot = Running::start(settings);
        let is_there = || world.resumes() == resumes && world.identifies() == identifies;
        world.until("the right session", is_there).await;
        world.until("it is online", || world.service.is_online()).await;
        assert_eq!(
            world.connected()[0]["intents"],
            if members_intent { 3 } else { 1 }
        );
        bot.stop().await;
        world
            .until("the connection is closed", || world.connected().is_empty())
            .await;
    }
}

#[tokio::test]
async fn a_session_of_another_token_is_not_gone_on_with() {
    let world = World::new().await;
    world.online().await.stop().await;
    let replaced = world.discord.change(|state| {
        state.applications.get_mut(&BOT).unwrap().token = "another".to_owned();
    });
    replaced.unwrap();
    let mut settings = world.settings();
    settings.token = "another".into();
    let _bot = Running::start(settings);
    world
        .until("a new session", || world.attempts("another") == 1)
        .await;
    world.until("it is online", || world.service.is_online()).await;
    assert_eq!((world.resumes(), world.identifies()), (0, 2));
}
