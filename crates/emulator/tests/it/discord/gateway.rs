//! Connecting and hearing of changes.

use serde_json::{Value, json};

use super::socket::{Socket, USUAL_INTENTS};
use super::world::{ADA, BOT, BRUNO, CHEN, DiscordTest, GUILD, LOG, LOW, TOKEN, discord};
use crate::support::{get, send_json};

pub async fn give_role(test: &DiscordTest) {
    let path = format!("/guilds/{GUILD}/members/{BRUNO}/roles/{LOW}");
    assert_eq!(test.bot("PUT", &path, &Value::Null).await.status, 204);
}

#[tokio::test]
async fn a_bot_is_told_where_to_connect() {
    let test = discord().await;
    let address = test.bot("GET", "/gateway/bot", &Value::Null).await.json();
    assert_eq!(address["url"], test.discord.gateway_url());
    assert_eq!(address["session_start_limit"]["remaining"], 1_000);
    Socket::ready(&test, 1).await;
    let after = test.bot("GET", "/gateway/bot", &Value::Null).await.json();
    assert_eq!(after["session_start_limit"]["remaining"], 999);
    assert_eq!(after["session_start_limit"]["reset_after"], 86_400_000);
}

#[tokio::test]
async fn a_bot_sees_its_guilds_when_it_is_ready() {
    let test = discord().await;
    let mut socket = Socket::connect(&test).await;
    socket.identify(TOKEN, 1).await;
    let ready = socket.event("READY").await;
    assert_eq!(ready["user"]["id"], BOT.to_string());
    assert_eq!(ready["guilds"], json!([{"id": GUILD, "unavailable": true}]));
    let guild = socket.event("GUILD_CREATE").await;
    assert_eq!(guild["member_count"], 3);
    assert_eq!(guild["members"][0]["user"]["id"], BOT.to_string());
    assert_eq!(guild["channels"][0]["id"], LOG.to_string());
    assert!(socket.is_quiet().await);
}

#[tokio::test]
async fn wrong_beginnings_are_closed_with_their_code() {
    let test = discord().await;
    test.discord
        .change(|state| state.applications.get_mut(&BOT).unwrap().privileged_intents = 0)
        .unwrap();
    let identify =
        |token: &str, intents: u64| json!({"op": 2, "d": {"token": token, "intents": intents}}).to_string();
    for (text, code) in [
        (identify("wrong", 1), 4_004),
        (identify(TOKEN, 1 << 40), 4_013),
        (identify(TOKEN, 1 << 1), 4_014),
        (
            json!({"op": 2, "d": {"token": TOKEN, "intents": 1, "shard": [1, 1]}}).to_string(),
            4_010,
        ),
        (json!({"op": 3, "d": {}}).to_string(), 4_003),
        (json!({"op": 99, "d": {}}).to_string(), 4_001),
        ("{".to_owned(), 4_002),
        (json!({"op": 1, "d": "x".repeat(5_000)}).to_string(), 4_002),
    ] {
        let mut socket = Socket::connect(&test).await;
        socket.raw(&text).await;
        assert_eq!(socket.closed().await, Some(code), "{text}");
    }
    let (mut socket, _) = Socket::ready(&test, 1).await;
    socket.identify(TOKEN, 1).await;
    assert_eq!(socket.closed().await, Some(4_005));
}

#[tokio::test]
async fn changes_are_told_to_those_who_asked_for_them() {
    let test = discord().await;
    let (mut all, _) = Socket::ready(&test, USUAL_INTENTS).await;
    let (mut guilds, _) = Socket::ready(&test, 1).await;
    give_role(&test).await;
    let update = all.event("GUILD_MEMBER_UPDATE").await;
    assert_eq!(
        (update["guild_id"].as_str(), &update["roles"]),
        (Some("800000000000000001"), &json!([LOW]))
    );
    test.bot(
        "POST",
        &format!("/channels/{LOG}/messages"),
        &json!({"content": "hello"}),
    )
    .await;
    assert_eq!(all.event("MESSAGE_CREATE").await["content"], "hello");
    test.bot(
        "PATCH",
        &format!("/guilds/{GUILD}/roles/{LOW}"),
        &json!({"name": "Verified"}),
    )
    .await;
    for socket in [&mut all, &mut guilds] {
        assert_eq!(
            socket.event("GUILD_ROLE_UPDATE").await["role"]["name"],
            "Verified"
        );
        assert!(socket.is_quiet().await);
    }
}

#[tokio::test]
async fn a_patch_of_the_state_is_told_like_a_change_by_hand() {
    let test = discord().await;
    let (mut socket, _) = Socket::ready(&test, USUAL_INTENTS).await;
    let url = format!("{}/state", test.discord.control_url());
    let members = |members: Value| json!({"guilds": {GUILD.to_string(): {"members": members}}});
    send_json(
        "PATCH",
        &url,
        &members(json!({CHEN.to_string(): {"roles": [LOW]}})),
    )
    .await;
    let joined = socket.event("GUILD_MEMBER_ADD").await;
    assert_eq!(
        (joined["user"]["id"].as_str(), &joined["roles"]),
        (Some("700000000000000003"), &json!([LOW]))
    );
    send_json("PATCH", &url, &members(json!({CHEN.to_string(): null}))).await;
    assert_eq!(
        socket.event("GUILD_MEMBER_REMOVE").await["user"]["id"],
        CHEN.to_string()
    );
    let wrong = send_json(
        "PATCH",
        &url,
        &members(json!({CHEN.to_string(): {"roles": ["820000000000000099"]}})),
    )
    .await;
    assert_eq!(wrong.status, 400);
    assert!(socket.is_quiet().await);
}

#[tokio::test]
async fn a_bot_hears_when_it_comes_and_goes() {
    let test = discord().await;
    let (mut socket, _) = Socket::ready(&test, 1).await;
    let member = test.guild().members[&BOT].clone();
    test.discord
        .change(|state| state.guilds.get_mut(&GUILD).unwrap().members.remove(&BOT))
        .unwrap();
    assert_eq!(socket.event("GUILD_DELETE").await, json!({ "id": GUILD }));
    give_role_by_hand(&test);
    assert!(socket.is_quiet().await);
    test.discord
        .change(|state| state.guilds.get_mut(&GUILD).unwrap().members.insert(BOT, member))
        .unwrap();
    assert_eq!(socket.event("GUILD_CREATE").await["id"], GUILD.to_string());
}

fn give_role_by_hand(test: &DiscordTest) {
    let changed = test.discord.change(|state| {
        let guild = state.guilds.get_mut(&GUILD).unwrap();
        guild.members.get_mut(&BRUNO).unwrap().roles = vec![LOW];
    });
    changed.unwrap();
}

#[tokio::test]
async fn text_of_others_is_hidden_without_the_intent() {
    let test = discord().await;
    let (mut socket, _) = Socket::ready(&test, 1 | (1 << 9)).await;
    test.discord
        .change(|state| {
            let bot = state.applications[&BOT].clone();
            let (id, token) = (
                emulator::discord::Snowflake(900_000_000_000_000_002),
                "other".to_owned(),
            );
            state
                .applications
                .insert(id, emulator::discord::Application { token, ..bot });
            let guild = state.guilds.get_mut(&GUILD).unwrap();
            guild.members.insert(id, emulator::discord::Member::default());
        })
        .unwrap();
    let path = format!("/channels/{LOG}/messages");
    test.call("POST", &path, "Bot other", &json!({"content": "secret"}))
        .await;
    let heard = socket.event("MESSAGE_CREATE").await;
    assert_eq!(
        (heard["content"].as_str(), heard["author"]["id"].as_str()),
        (Some(""), Some("900000000000000002"))
    );
}

#[tokio::test]
async fn presence_is_remembered() {
    let test = discord().await;
    let (mut socket, _) = Socket::ready(&test, 1).await;
    let presence = json!({"since": null, "activities": [{"name": "260 linked accounts", "type": 3}], "status": "online", "afk": false});
    socket.send(json!({"op": 3, "d": presence})).await;
    assert!(socket.is_quiet().await);
    let gateway = get(&format!("{}/gateway", test.discord.control_url()))
        .await
        .json();
    assert_eq!(gateway["sessions"][0]["presence"], presence);
}

#[tokio::test]
async fn members_are_asked_for_in_portions() {
    let test = discord().await;
    let (mut socket, _) = Socket::ready(&test, USUAL_INTENTS).await;
    let data = json!({"guild_id": GUILD, "query": "", "limit": 0, "nonce": "n"});
    socket.send(json!({"op": 8, "d": data})).await;
    let chunk = socket.event("GUILD_MEMBERS_CHUNK").await;
    assert_eq!(
        (chunk["members"].as_array().unwrap().len(), &chunk["nonce"]),
        (3, &json!("n"))
    );
    let data = json!({"guild_id": GUILD, "user_ids": [ADA, CHEN], "limit": 0});
    socket.send(json!({"op": 8, "d": data})).await;
    let chunk = socket.event("GUILD_MEMBERS_CHUNK").await;
    assert_eq!(chunk["members"].as_array().unwrap().len(), 1);
    assert_eq!(chunk["not_found"], json!([CHEN]));
}
