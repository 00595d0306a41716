//! The line to the gateway, and what comes over it.

use emulator::discord::Disturbance;
use emulator::{Fault, FaultKind};
use serde_json::json;

use crate::world::{BOT, GUILD, OTHER, Running, TOKEN, World};

#[tokio::test]
async fn a_bot_comes_online_and_says_so() {
    let world = World::new().await;
    let _bot = world.online().await;
    let report = world.service.last();
    assert_eq!(report["bot_user_id"], BOT.to_string());
    assert_eq!((&report["failure"], &report["guilds"]), (&json!(null), &json!(1)));
    assert_eq!(report["instance"].as_str().unwrap().len(), 16);
    assert!(report["memory_bytes"].as_u64().unwrap() > 0 && report["started_ms"].as_i64().unwrap() > 0);
    assert_eq!((world.identifies(), world.attempts(TOKEN)), (1, 1));
    let asked = world.service.known().identifies.clone();
    assert_eq!((asked.len(), &asked[0]["remaining"]), (1, &json!(1_000)));
    world
        .until("the guild is told of", || {
            world.service.was_hinted(GUILD, "guild_here")
        })
        .await;
    let session = &world.connected()[0];
    assert_eq!(session["intents"], 1);
    let activity = &session["presence"]["activities"][0];
    assert_eq!(
        (&activity["name"], &activity["type"]),
        (&json!("3 linked accounts"), &json!(3))
    );
}

#[tokio::test]
async fn another_number_of_linked_accounts_is_shown() {
    let world = World::new().await;
    let _bot = world.online().await;
    world.service.known().linked = 4;
    let shown = || world.connected()[0]["presence"]["activities"][0]["name"] == "4 linked accounts";
    world.until("the new number is shown", shown).await;
}

#[tokio::test]
async fn whatever_happens_to_the_connection_the_session_goes_on() {
    let world = World::new().await;
    let _bot = world.online().await;
    for (number, disturbance) in (1..).zip([
        Disturbance::Drop,
        Disturbance::Reconnect,
        Disturbance::InvalidSession { resumable: true },
        Disturbance::Close { code: 4_000 },
        Disturbance::Close { code: 4_008 },
    ]) {
        world.disturb(disturbance);
        world
            .until("the session goes on", || world.resumes() == number)
            .await;
        assert_eq!(world.connected().len(), 1, "{disturbance:?}");
    }
    // Nothing was missed on the way.
    world.disturb(Disturbance::Drop);
    world.rename_role("Verified");
    world
        .until("the change is told of", || {
            world.service.was_hinted(GUILD, "guild_changed")
        })
        .await;
    assert_eq!((world.identifies(), world.attempts(TOKEN)), (1, 1));
}

#[tokio::test]
async fn a_connection_that_is_dead_without_a_word_is_noticed() {
    let world = World::new().await;
    // Discord hangs up on who is late by half of it: time enough for a busy machine.
    world
        .discord
        .change(|state| state.gateway.heartbeat_ms = 3_000)
        .unwrap();
    let _bot = world.online().await;
    world.disturb(Disturbance::Zombie);
    world.until("the session goes on", || world.resumes() == 1).await;
    assert_eq!(world.identifies(), 1);
}

#[tokio::test]
async fn a_session_that_is_over_is_begun_anew() {
    let world = World::new().await;
    let _bot = world.online().await;
    world.disturb(Disturbance::InvalidSession { resumable: false });
    world.until("a new session", || world.identifies() == 2).await;
    world
        .until("it is asked before", || {
            world.service.known().identifies.len() == 2
        })
        .await;
    assert_eq!(world.attempts(TOKEN), 2);
}

#[tokio::test]
async fn a_session_that_discord_has_ended_is_not_asked_for_again() {
    let world = World::new().await;
    let _bot = world.online().await;
    world.disturb(Disturbance::Close { code: 4_009 });
    world.until("a new session", || world.identifies() == 2).await;
    world.until("it is online", || world.connected().len() == 1).await;
    assert_eq!((world.resumes(), world.connections()), (0, 2));
}

/// Whoever comes back as fast as they can is shut out in the end.
#[tokio::test]
async fn a_gateway_that_closes_every_connection_is_not_stormed() {
    let world = World::new().await;
    let _bot = world.online().await;
    world
        .discord
        .change(|state| state.gateway.closes_with = Some(4_000))
        .unwrap();
    world.disturb(Disturbance::Drop);
    world
        .until("it is told", || world.service.last()["state"] == "connecting")
        .await;
    world.more_reports(2).await;
    let tried = world.connections();
    assert!((3..12).contains(&tried), "{tried}");
    world
        .discord
        .change(|state| state.gateway.closes_with = None)
        .unwrap();
    world.until("the session goes on", || world.resumes() == 1).await;
    assert_eq!(world.identifies(), 1);
}

#[tokio::test]
async fn sessions_that_do_not_live_are_begun_ever_more_seldom() {
    let world = World::new().await;
    world
        .discord
        .change(|state| state.gateway.identifies_per_day = 0)
        .unwrap();
    let _bot = Running::start(world.settings());
    world.until("the first one", || world.attempts(TOKEN) == 1).await;
    world.more_reports(5).await;
    // One in five seconds would be five by now.
    let begun = world.attempts(TOKEN);
    assert!((2..=3).contains(&begun), "{begun}");
    assert_eq!(world.service.known().identifies.len() as u64, begun);
}

#[tokio::test]
async fn a_discord_that_cannot_be_reached_is_said_and_waited_for() {
    let world = World::new().await;
    let away = Fault::new("GET /api/v10/gateway/bot", FaultKind::Error500);
    world.discord.hub().add_fault(away);
    let _bot = Running::start(world.settings());
    world
        .until("it is told", || world.service.last()["failure"] == "unreachable")
        .await;
    assert_eq!(world.service.last()["state"], "connecting");
    world.discord.hub().remove_faults();
    world.until("it is online", || world.service.is_online()).await;
    world
        .until("all is well", || world.service.last()["failure"] == json!(null))
        .await;
}

/// It may have been thrown out while it was away, and nobody says so.
#[tokio::test]
async fn the_service_is_told_where_the_bot_should_be_and_is_not() {
    let world = World::new().await;
    world.service.known().guilds = vec![GUILD.to_string(), OTHER.to_string()];
    let _bot = world.online().await;
    world
        .until("the missing one is told of", || {
            world.service.was_hinted(OTHER, "guild_gone")
        })
        .await;
    assert!(!world.service.was_hinted(GUILD, "guild_gone"));
}

#[tokio::test]
async fn the_service_is_told_where_to_look_again() {
    let world = World::new().await;
    let _bot = world.online().await;
    world
        .until("the guild is told of", || {
            world.service.was_hinted(GUILD, "guild_here")
        })
        .await;
    let member = world.discord.state().guilds[&GUILD].members[&BOT].clone();
    let entered = world.discord.change(|state| {
        state.guilds.get_mut(&OTHER).unwrap().members.insert(BOT, member);
    });
    entered.unwrap();
    world
        .until("the other guild is told of", || {
            world.service.was_hinted(OTHER, "guild_here")
        })
        .await;
    world.rename_role("Verified");
    world
        .until("a role is told of", || {
            world.service.was_hinted(GUILD, "guild_changed")
        })
        .await;
    let left = world
        .discord
        .change(|state| state.guilds.get_mut(&OTHER).unwrap().members.remove(&BOT));
    left.unwrap();
    world
        .until("the end is told of", || {
            world.service.was_hinted(OTHER, "guild_gone")
        })
        .await;
}
