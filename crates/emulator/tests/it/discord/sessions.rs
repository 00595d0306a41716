//! Sessions that are lost, resumed, doubled and ended.

use std::time::Duration;

use emulator::discord::Disturbance;
use serde_json::{Value, json};

use super::gateway::give_role;
use super::socket::{Socket, USUAL_INTENTS};
use super::world::{BOT, BRUNO, DiscordTest, GUILD, LOW, TOKEN, discord};
use crate::support::send_json;

/// Waits until the emulator knows that no session of the bot is connected.
async fn disconnected(test: &DiscordTest) {
    let lost = async {
        loop {
            let gateway = test.discord.gateway();
            if gateway["sessions"]
                .as_array()
                .unwrap()
                .iter()
                .all(|session| session["connected"] == false)
            {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), lost)
        .await
        .expect("the connection is seen to end");
}

async fn take_role(test: &DiscordTest) {
    let path = format!("/guilds/{GUILD}/members/{BRUNO}/roles/{LOW}");
    assert_eq!(test.bot("DELETE", &path, &Value::Null).await.status, 204);
}

#[tokio::test]
async fn a_dropped_session_is_resumed_with_what_it_missed() {
    let test = discord().await;
    let (mut socket, session) = Socket::ready(&test, USUAL_INTENTS).await;
    assert_eq!(test.discord.disturb(BOT, Disturbance::Drop), 1);
    assert_eq!(socket.closed().await, None);
    disconnected(&test).await;
    give_role(&test).await;
    let mut socket = Socket::connect(&test).await;
    // READY and GUILD_CREATE were seen.
    socket.resume(&session, 2).await;
    assert_eq!(socket.event("GUILD_MEMBER_UPDATE").await["roles"], json!([LOW]));
    socket.event("RESUMED").await;
    take_role(&test).await;
    assert_eq!(socket.event("GUILD_MEMBER_UPDATE").await["roles"], json!([]));
    let gateway = test.discord.gateway();
    assert_eq!(gateway["identifies"], json!({BOT.to_string(): 1}));
    assert_eq!(gateway["resumes"], json!({BOT.to_string(): 1}));
    assert_eq!(gateway["overlaps"], json!([]));
}

#[tokio::test]
async fn a_session_that_said_goodbye_or_was_away_for_long_is_over() {
    let test = discord().await;
    for farewell in [true, false] {
        let (mut socket, session) = Socket::ready(&test, 1).await;
        socket.close(if farewell { 1_000 } else { 4_900 }).await;
        disconnected(&test).await;
        test.clock.advance_ms(if farewell { 0 } else { 3 * 60_000 + 1 });
        let mut socket = Socket::connect(&test).await;
        socket.resume(&session, 2).await;
        assert_eq!(
            socket.next().await,
            json!({"op": 9, "s": null, "t": null, "d": false})
        );
        socket.identify(TOKEN, 1).await;
        socket.event("READY").await;
        socket.close(1_000).await;
        disconnected(&test).await;
    }
}

#[tokio::test]
async fn a_session_cannot_be_resumed_from_a_future_that_was_not() {
    let test = discord().await;
    let (mut socket, session) = Socket::ready(&test, 1).await;
    socket.close(4_900).await;
    disconnected(&test).await;
    let mut socket = Socket::connect(&test).await;
    socket.resume(&session, 99).await;
    assert_eq!(socket.closed().await, Some(4_007));
    let mut socket = Socket::connect(&test).await;
    socket.resume(&session, 2).await;
    assert_eq!(socket.next().await["op"], 9, "it is over");
}

#[tokio::test]
async fn two_sessions_of_one_bot_are_noticed() {
    let test = discord().await;
    let (mut first, _) = Socket::ready(&test, 1).await;
    test.clock.advance_ms(1_000);
    let (_second, _) = Socket::ready(&test, 1).await;
    let overlap = &test.discord.gateway()["overlaps"][0];
    assert_eq!(overlap["application_id"], BOT.to_string());
    assert_eq!(overlap["ended_ms"], Value::Null);
    let began = overlap["began_ms"].as_i64().unwrap();
    test.clock.advance_ms(4_000);
    first.close(4_900).await;
    let ended = async {
        loop {
            if let Some(ended) = test.discord.gateway()["overlaps"][0]["ended_ms"].as_i64() {
                return ended;
            }
            tokio::task::yield_now().await;
        }
    };
    let ended = tokio::time::timeout(Duration::from_secs(60), ended)
        .await
        .unwrap();
    assert_eq!(ended - began, 4_000);
}

#[tokio::test]
async fn disturbances_reach_the_bot() {
    let test = discord().await;
    let control = format!("{}/gateway", test.discord.control_url());
    let disturb = async |mut order: Value| {
        order["application_id"] = json!(BOT);
        let reply = send_json("POST", &control, &order).await;
        assert_eq!(
            (reply.status, reply.json()),
            (200, json!({"sessions": 1})),
            "{order}"
        );
    };
    let (mut socket, _) = Socket::ready(&test, 1).await;
    disturb(json!({"action": "reconnect"})).await;
    assert_eq!(socket.next().await["op"], 7);
    disturb(json!({"action": "close", "code": 4_004})).await;
    assert_eq!(socket.closed().await, Some(4_004));
    disconnected(&test).await;
    let (mut socket, session) = Socket::ready(&test, 1).await;
    disturb(json!({"action": "invalid_session"})).await;
    assert_eq!(
        socket.next().await,
        json!({"op": 9, "s": null, "t": null, "d": false})
    );
    let mut late = Socket::connect(&test).await;
    late.resume(&session, 2).await;
    assert_eq!(late.next().await["op"], 9);
}

#[tokio::test]
async fn a_zombie_answers_no_heartbeat() {
    let test = discord().await;
    let (mut socket, _) = Socket::ready(&test, USUAL_INTENTS).await;
    assert!(socket.is_quiet().await);
    test.discord.disturb(BOT, Disturbance::Zombie);
    socket.send(json!({"op": 1, "d": null})).await;
    give_role(&test).await;
    // What ends it is the first thing that arrives.
    test.discord.disturb(BOT, Disturbance::Drop);
    assert!(socket.is_dead().await);
}

#[tokio::test]
async fn who_shows_no_life_is_closed() {
    let test = discord().await;
    // Long enough to identify on a busy machine.
    test.discord
        .change(|state| state.gateway.heartbeat_ms = 1_500)
        .unwrap();
    let (mut socket, session) = Socket::ready(&test, 1).await;
    assert_eq!(socket.closed().await, Some(4_009));
    disconnected(&test).await;
    let mut socket = Socket::connect(&test).await;
    socket.resume(&session, 2).await;
    assert_eq!(socket.next().await["op"], 9, "it is over");
}

#[tokio::test]
async fn a_gateway_can_be_told_to_close_whatever_comes() {
    let test = discord().await;
    test.discord
        .change(|state| state.gateway.closes_with = Some(4_000))
        .unwrap();
    let mut socket = Socket::open(&test).await;
    assert_eq!(socket.closed().await, Some(4_000));
    assert_eq!(test.discord.gateway()["connections"], 1);
}

#[tokio::test]
async fn a_token_that_was_replaced_ends_its_sessions() {
    let test = discord().await;
    let (mut socket, session) = Socket::ready(&test, 1).await;
    let renewed = |state: &mut emulator::discord::DiscordState| {
        state.applications.get_mut(&BOT).unwrap().token = "another".to_owned();
    };
    test.discord.change(renewed).unwrap();
    assert_eq!(socket.closed().await, Some(4_004));
    let mut old = Socket::connect(&test).await;
    old.resume(&session, 2).await;
    assert_eq!(old.closed().await, Some(4_004));
    let mut new = Socket::connect(&test).await;
    new.identify("another", 1).await;
    new.event("READY").await;
}

#[tokio::test]
async fn sessions_can_be_used_up() {
    let test = discord().await;
    test.discord
        .change(|state| state.gateway.identifies_per_day = 1)
        .unwrap();
    let (_first, _) = Socket::ready(&test, 1).await;
    let limit = test.bot("GET", "/gateway/bot", &Value::Null).await.json()["session_start_limit"].clone();
    assert_eq!((&limit["total"], &limit["remaining"]), (&json!(1), &json!(0)));
    let mut second = Socket::connect(&test).await;
    second.identify(TOKEN, 1).await;
    assert_eq!(second.next().await["op"], 9);
    test.clock.advance_ms(86_400_000);
    second.identify(TOKEN, 1).await;
    second.event("READY").await;
}

#[tokio::test]
async fn connections_end_with_the_emulator() {
    let test = discord().await;
    let (mut socket, _) = Socket::ready(&test, 1).await;
    drop(test);
    assert_eq!(socket.closed().await, None);
}

#[tokio::test]
async fn beginnings_are_counted_for_each_token_also_in_vain() {
    let test = discord().await;
    let (_socket, _) = Socket::ready(&test, 1).await;
    for _ in 0..2 {
        let mut stranger = Socket::connect(&test).await;
        stranger.identify("wrong", 1).await;
        assert_eq!(stranger.closed().await, Some(4_004));
    }
    let gateway = test.discord.gateway();
    assert_eq!(gateway["attempts"], json!({TOKEN: 1, "wrong": 2}));
    assert_eq!(gateway["identifies"], json!({BOT.to_string(): 1}));
}
