//! What the bot may not do, and does not try again.

use emulator::discord::Disturbance;
use emulator::{Fault, FaultKind};
use serde_json::json;

use crate::world::{BOT, CHILD, GUILD, Running, TOKEN, World};

fn is_stopped(world: &World, failure: &str) -> bool {
    let report = world.service.last();
    report["state"] == "stopped" && report["failure"] == failure
}

#[tokio::test]
async fn a_token_that_is_replaced_is_not_tried_again() {
    let world = World::new().await;
    let _bot = world.online().await;
    let replaced = world.discord.change(|state| {
        state.applications.get_mut(&BOT).unwrap().token = "another".to_owned();
    });
    replaced.unwrap();
    world
        .until("it is told", || is_stopped(&world, "token_rejected"))
        .await;
    world.one_more_report().await;
    assert!(is_stopped(&world, "token_rejected"));
    assert_eq!((world.attempts(TOKEN), world.resumes()), (1, 0));
}

#[tokio::test]
async fn a_token_that_the_gateway_rejects_is_tried_once() {
    let world = World::new().await;
    let limit = json!({"total": 1_000, "remaining": 1_000, "reset_after": 0, "max_concurrency": 1});
    let facts = json!({"url": world.discord.gateway_url(), "shards": 1, "session_start_limit": limit});
    let lie = Fault {
        status: Some(200),
        body: Some(facts.to_string()),
        ..Fault::new("GET /api/v10/gateway/bot", FaultKind::Garbage)
    };
    world.discord.hub().add_fault(lie);
    let mut settings = world.settings();
    settings.token = "wrong".into();
    let _bot = Running::start(settings);
    world
        .until("it is told", || is_stopped(&world, "token_rejected"))
        .await;
    world.one_more_report().await;
    assert_eq!(world.attempts("wrong"), 1);
}

#[tokio::test]
async fn a_token_that_discord_does_not_know_begins_nothing() {
    let world = World::new().await;
    let mut settings = world.settings();
    settings.token = "wrong".into();
    let _bot = Running::start(settings);
    world
        .until("it is told", || is_stopped(&world, "token_rejected"))
        .await;
    world.one_more_report().await;
    assert_eq!(world.attempts("wrong"), 0);
    assert_eq!(world.discord.hub().count("GET /api/v10/gateway/bot"), 1);
    assert!(world.service.known().identifies.is_empty());
}

#[tokio::test]
async fn without_the_members_intent_the_bot_does_its_other_work() {
    let world = World::new().await;
    let mut settings = world.settings();
    settings.members_intent = true;
    let _bot = Running::start(settings);
    world.until("it is online", || world.service.is_online()).await;
    assert_eq!(world.service.last()["failure"], "intents_missing");
    assert_eq!(world.connected()[0]["intents"], 1);
    assert_eq!(
        (world.attempts(TOKEN), world.identifies()),
        (1, 1),
        "Discord said so before"
    );
}

/// Each costs a session of the day.
#[tokio::test]
async fn a_restart_without_the_members_intent_costs_no_session_and_one_when_it_is_granted() {
    let world = World::new().await;
    let settings = || {
        let mut settings = world.settings();
        settings.members_intent = true;
        settings
    };
    for (intents, attempts, resumes) in [(1, 1, 0), (1, 1, 1), (3, 2, 1), (3, 2, 2)] {
        if intents == 3 {
            let granted = world.discord.change(|state| {
                state.applications.get_mut(&BOT).unwrap().privileged_intents = 1 << 1;
            });
            granted.unwrap();
        }
        let bot = Running::start(settings());
        let is_there = || world.attempts(TOKEN) == attempts && world.resumes() == resumes;
        world.until("the right session", is_there).await;
        world.until("it is online", || world.service.is_online()).await;
        assert_eq!(world.connected()[0]["intents"], intents);
        let failure = if intents == 1 {
            json!("intents_missing")
        } else {
            json!(null)
        };
        world
            .until("it is told", || world.service.last()["failure"] == failure)
            .await;
        bot.stop().await;
        world
            .until("the connection is closed", || world.connected().is_empty())
            .await;
    }
}

#[tokio::test]
async fn a_restart_does_not_ask_for_what_was_refused_though_discord_does_not_say_so() {
    let world = World::new().await;
    world
        .discord
        .hub()
        .add_fault(Fault::new("GET /api/v10/applications/@me", FaultKind::Error500));
    for (attempts, resumes) in [(2, 0), (2, 1)] {
        let mut settings = world.settings();
        settings.members_intent = true;
        let bot = Running::start(settings);
        let is_there = || world.attempts(TOKEN) == attempts && world.resumes() == resumes;
        world.until("the right session", is_there).await;
        world.until("it is online", || world.service.is_online()).await;
        bot.stop().await;
        world
            .until("the connection is closed", || world.connected().is_empty())
            .await;
    }
}

#[tokio::test]
async fn the_members_intent_is_used_where_it_is_granted() {
    let world = World::new().await;
    let granted = world.discord.change(|state| {
        state.applications.get_mut(&BOT).unwrap().privileged_intents = 1 << 1;
    });
    granted.unwrap();
    let mut settings = world.settings();
    settings.members_intent = true;
    let _bot = Running::start(settings);
    world.until("it is online", || world.service.is_online()).await;
    assert_eq!(world.connected()[0]["intents"], 3);
    assert_eq!(world.service.last()["failure"], json!(null));
}

#[tokio::test]
async fn no_session_begins_that_the_service_refuses() {
    let world = World::new().await;
    world.service.known().refused_identifies = u32::MAX;
    let _bot = Running::start(world.settings());
    let waits = || world.service.last()["failure"] == "identify_budget";
    world.until("it is told", waits).await;
    assert_eq!(
        (world.attempts(TOKEN), &world.service.last()["state"]),
        (0, &json!("connecting"))
    );
    world.service.known().refused_identifies = 0;
    world.until("it is online", || world.service.is_online()).await;
    assert_eq!(world.service.last()["failure"], json!(null));
    assert_eq!(world.attempts(TOKEN), 1);
}

#[tokio::test]
async fn nothing_begins_before_the_service_said_who_the_bot_is() {
    let world = World::new().await;
    world.service.known().session_fails = Some(401);
    let _bot = Running::start(world.settings());
    world
        .until("it asks again", || world.service.known().failed_reports >= 2)
        .await;
    assert!(world.discord.hub().calls().is_empty());
    world.service.known().session_fails = None;
    world.until("it is online", || world.service.is_online()).await;
}

#[tokio::test]
async fn a_service_that_is_away_does_not_end_the_connection() {
    let world = World::new().await;
    let _bot = world.online().await;
    world.service.known().session_fails = Some(503);
    world
        .until("it is not answered", || world.service.known().failed_reports >= 2)
        .await;
    world.rename_role("Verified");
    let told = || world.service.was_hinted(GUILD, "guild_changed");
    world.until("a change is told of", told).await;
    assert_eq!((world.connected().len(), world.resumes()), (1, 0));
}

#[tokio::test]
async fn a_bot_of_several_nodes_leaves_when_it_cannot_reach_its_own() {
    let world = World::new().await;
    let bot = Running::start(world.settings_of_child(Some(6_000)));
    world.until("it is online", || world.service.is_online()).await;
    assert_eq!(world.service.last()["instance"], CHILD);
    world.service.known().session_fails = Some(503);
    bot.ended().await;
    world
        .until("the connection is closed", || world.connected().is_empty())
        .await;
}

/// The other one is let in after fifteen seconds of silence.
#[tokio::test]
async fn a_bot_whose_node_hangs_is_gone_before_another_node_runs_it() {
    let world = World::new().await;
    let first = Running::start(world.settings_of_child(Some(12_000)));
    world.until("it is online", || world.service.is_online()).await;
    world.service.known().hangs_for = Some(CHILD.to_owned());
    let mut settings = world.settings();
    settings.state_dir.push("second");
    let _second = Running::start(settings);
    world
        .until("the second is the bot", || world.identifies() == 2)
        .await;
    assert_eq!(world.discord.gateway()["overlaps"], json!([]));
    first.ended().await;
}

/// The node gives its successor the new one.
#[tokio::test]
async fn a_bot_whose_secret_is_replaced_ends_and_keeps_its_session() {
    let world = World::new().await;
    let bot = Running::start(world.settings_of_child(None));
    world.until("it is online", || world.service.is_online()).await;
    world.service.known().session_fails = Some(401);
    bot.ended().await;
    world.service.known().session_fails = None;
    let _bot = Running::start(world.settings_of_child(None));
    world.until("the session goes on", || world.resumes() == 1).await;
    assert_eq!(world.identifies(), 1);
}

#[tokio::test]
async fn a_service_that_is_asked_too_fast_has_not_run_out_of_sessions() {
    let world = World::new().await;
    world.service.known().hurried_identifies = 1;
    let _bot = Running::start(world.settings());
    world.until("it is online", || world.service.is_online()).await;
    let known = world.service.known();
    assert!(
        known
            .reports
            .iter()
            .all(|report| report["failure"] == json!(null))
    );
}

#[tokio::test]
async fn a_connection_that_discord_ends_for_good_is_not_made_again() {
    for (code, failure) in [
        (4_010, "refused"),
        (4_011, "sharding_required"),
        (4_012, "refused"),
        (4_013, "refused"),
    ] {
        let world = World::new().await;
        let _bot = world.online().await;
        world.disturb(Disturbance::Close { code });
        world.until("it is told", || is_stopped(&world, failure)).await;
        assert_eq!(world.connections(), 1);
    }
}
