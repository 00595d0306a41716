//! Messages and embeds.

use serde_json::{Value, json};

use super::socket::{Socket, USUAL_INTENTS};
use super::world::{ADA, BOT, BRUNO, CHEN, LOG, discord, refusal};
use crate::support::send_json;

fn path() -> String {
    format!("/channels/{LOG}/messages")
}

#[tokio::test]
async fn an_embed_is_kept_as_it_was_sent() {
    let test = discord().await;
    let embed =
        json!({"title": "Linked", "color": 0x2E_CC71, "fields": [{"name": "Country", "value": "DE"}]});
    let body =
        json!({"embeds": [embed], "allowed_mentions": {"parse": []}, "content": format!("<@{BRUNO}>")});
    let reply = test.bot("POST", &path(), &body).await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.json()["mentions"], json!([]));
    let state = test.discord.state();
    let message = &state.messages[&LOG][0];
    assert_eq!(message.author_id, BOT);
    assert_eq!(message.embeds[0]["color"], 0x2E_CC71);
    assert_eq!(
        message.embeds[0]["fields"][0],
        json!({"name": "Country", "value": "DE", "inline": false})
    );
    assert_eq!(message.allowed_mentions, Some(json!({"parse": []})));
}

#[tokio::test]
async fn a_nonce_that_is_enforced_makes_one_message_of_two() {
    let test = discord().await;
    let body = json!({"content": "once", "nonce": "12345", "enforce_nonce": true});
    let first = test.bot("POST", &path(), &body).await.json();
    let second = test.bot("POST", &path(), &body).await.json();
    assert_eq!(first["id"], second["id"]);
    assert_eq!(test.discord.state().messages[&LOG].len(), 1);
    test.clock.advance_ms(5 * 60_000 + 1);
    assert_ne!(test.bot("POST", &path(), &body).await.json()["id"], first["id"]);
    let loose = json!({"content": "twice", "nonce": 7});
    for _ in 0..2 {
        test.bot("POST", &path(), &loose).await;
    }
    assert_eq!(test.discord.state().messages[&LOG].len(), 4);
}

#[tokio::test]
async fn bad_messages_are_refused_by_field() {
    let test = discord().await;
    assert_eq!(
        refusal(&test.bot("POST", &path(), &json!({"content": "  "})).await),
        (400, 50_006)
    );
    let reply = test
        .bot("POST", &path(), &json!({"embeds": [{"title": "x".repeat(257)}]}))
        .await;
    assert_eq!(refusal(&reply), (400, 50_035));
    assert!(reply.json()["errors"]["embeds"]["0"]["title"]["_errors"].is_array());
    let unknown = test
        .bot(
            "POST",
            "/channels/810000000000000099/messages",
            &json!({"content": "a"}),
        )
        .await;
    assert_eq!(refusal(&unknown), (404, 10_003));
    assert!(test.discord.state().messages.is_empty());
}

#[tokio::test]
async fn messages_are_listed_newest_first_and_in_pages() {
    let test = discord().await;
    let mut ids = Vec::new();
    for number in 0..5 {
        let reply = test
            .bot("POST", &path(), &json!({"content": number.to_string()}))
            .await;
        ids.push(reply.json()["id"].as_str().unwrap().to_owned());
    }
    let list = async |query: String| -> Vec<String> {
        let reply = test
            .bot("GET", &format!("{}{query}", path()), &Value::Null)
            .await
            .json();
        reply
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["content"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(list("?limit=2".to_owned()).await, ["4", "3"]);
    assert_eq!(list(format!("?limit=2&before={}", ids[3])).await, ["2", "1"]);
    assert_eq!(list(format!("?limit=2&after={}", ids[0])).await, ["2", "1"]);
}

#[tokio::test]
async fn own_messages_are_edited_and_deleted_and_others_are_not() {
    let test = discord().await;
    let made = test.bot("POST", &path(), &json!({"content": "a"})).await.json();
    let own = format!("{}/{}", path(), made["id"].as_str().unwrap());
    let edited = test.bot("PATCH", &own, &json!({"content": "b"})).await.json();
    assert_eq!(
        (edited["content"].as_str(), edited["edited_timestamp"].is_string()),
        (Some("b"), true)
    );
    test.discord
        .change(|state| {
            let mut foreign = state.messages[&LOG][0].clone();
            foreign.id.0 += 1;
            foreign.author_id = ADA;
            state.messages.get_mut(&LOG).unwrap().push(foreign);
        })
        .unwrap();
    let foreign = format!("{}/{}", path(), test.discord.state().messages[&LOG][1].id);
    assert_eq!(
        refusal(&test.bot("PATCH", &foreign, &json!({"content": "c"})).await),
        (403, 50_005)
    );
    assert_eq!(
        refusal(&test.bot("DELETE", &foreign, &Value::Null).await),
        (403, 50_013)
    );
    assert_eq!(test.bot("DELETE", &own, &Value::Null).await.status, 204);
    assert_eq!(refusal(&test.bot("GET", &own, &Value::Null).await), (404, 10_008));
}

#[tokio::test]
async fn a_person_writes_and_the_bots_hear_it() {
    let test = discord().await;
    let (mut socket, _) = Socket::ready(&test, USUAL_INTENTS).await;
    let url = format!("{}/messages", test.discord.control_url());
    let said = |user, text: &str| json!({"channel_id": LOG, "user_id": user, "content": text});
    let reply = send_json("POST", &url, &said(BRUNO, " hello ")).await;
    assert_eq!(reply.status, 201);
    let heard = socket.event("MESSAGE_CREATE").await;
    assert_eq!(heard["id"], reply.json()["id"]);
    assert_eq!(heard["author"]["id"], BRUNO.to_string());
    assert_eq!(heard["member"]["roles"], json!([]));
    // A stranger, silence, and a channel that is not there.
    for wrong in [
        said(CHEN, "hello"),
        said(BRUNO, "  "),
        json!({"channel_id": "810000000000000099", "user_id": BRUNO, "content": "a"}),
    ] {
        assert_eq!(send_json("POST", &url, &wrong).await.status, 409, "{wrong}");
    }
    assert_eq!(test.discord.state().messages[&LOG].len(), 1);
}

#[tokio::test]
async fn an_empty_answer_names_a_type_as_discord_does() {
    let test = discord().await;
    let made = test.bot("POST", &path(), &json!({"content": "a"})).await.json();
    let own = format!("{}/{}", path(), made["id"].as_str().unwrap());
    let reply = test.bot("DELETE", &own, &Value::Null).await;
    assert_eq!(
        (reply.status, reply.header("content-type"), reply.body.len()),
        (204, Some("text/html; charset=utf-8"), 0)
    );
}
