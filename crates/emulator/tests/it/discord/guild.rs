//! Guilds and channels, and who may look.

use emulator::discord::{Overwrite, Permissions};
use serde_json::{Value, json};

use super::world::{BOT, GUILD, LOG, TOKEN, discord, refusal};

#[tokio::test]
async fn a_wrong_token_is_refused_everywhere() {
    let test = discord().await;
    for authorization in ["", "Bot wrong", "Bearer wrong", TOKEN, &format!("bot {TOKEN}")] {
        let reply = test
            .call("GET", &format!("/guilds/{GUILD}"), authorization, &Value::Null)
            .await;
        assert_eq!(refusal(&reply), (401, 0), "{authorization}");
    }
    assert_eq!(
        test.bot("GET", "/users/@me", &Value::Null).await.json()["bot"],
        true
    );
    assert_eq!(
        test.bot("GET", "/applications/@me", &Value::Null).await.json()["id"],
        BOT.to_string()
    );
}

#[tokio::test]
async fn unknown_routes_are_answered_in_json() {
    let test = discord().await;
    assert_eq!(
        refusal(&test.bot("GET", "/nowhere", &Value::Null).await),
        (404, 0)
    );
}

#[tokio::test]
async fn a_guild_is_described_with_its_roles() {
    let test = discord().await;
    let guild = test
        .bot("GET", &format!("/guilds/{GUILD}?with_counts=true"), &Value::Null)
        .await
        .json();
    assert_eq!(guild["name"], "Ashfall");
    assert_eq!(guild["roles"].as_array().unwrap().len(), 4);
    assert_eq!(guild["approximate_member_count"], 3);
}

#[tokio::test]
async fn channels_are_made_read_and_deleted() {
    let test = discord().await;
    let path = format!("/guilds/{GUILD}/channels");
    let made = test.bot("POST", &path, &json!({"name": "verify"})).await;
    assert_eq!(made.status, 201);
    let id = made.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(
        test.bot("GET", &path, &Value::Null)
            .await
            .json()
            .as_array()
            .unwrap()
            .len(),
        2
    );
    assert_eq!(
        test.bot("GET", &format!("/channels/{id}"), &Value::Null)
            .await
            .json()["name"],
        "verify"
    );
    assert_eq!(
        test.bot("DELETE", &format!("/channels/{id}"), &Value::Null)
            .await
            .status,
        200
    );
    assert_eq!(
        refusal(&test.bot("GET", &format!("/channels/{id}"), &Value::Null).await),
        (404, 10_003)
    );
}

#[tokio::test]
async fn a_hidden_channel_and_a_silent_one_refuse_differently() {
    let test = discord().await;
    for (deny, code) in [
        (Permissions::VIEW_CHANNEL, 50_001),
        (Permissions::SEND_MESSAGES, 50_013),
    ] {
        test.discord
            .change(|state| {
                let guild = state.guilds.get_mut(&GUILD).unwrap();
                guild.channels.get_mut(&LOG).unwrap().permission_overwrites = vec![Overwrite {
                    id: BOT,
                    kind: 1,
                    allow: Permissions(0),
                    deny,
                }];
            })
            .unwrap();
        let reply = test
            .bot(
                "POST",
                &format!("/channels/{LOG}/messages"),
                &json!({"content": "hello"}),
            )
            .await;
        assert_eq!(refusal(&reply), (403, code));
    }
    assert!(test.discord.state().messages.is_empty());
}
