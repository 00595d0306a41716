//! Commands and buttons, and what the bot says.

use serde_json::{Value, json};

use super::socket::Socket;
use super::world::{BOT, BRUNO, DiscordTest, GUILD, LOG, discord, refusal};
use crate::support::{get, send_json};

async fn use_of(test: &DiscordTest, what: Value) -> Value {
    let mut body = json!({"application_id": BOT, "guild_id": GUILD, "channel_id": LOG, "user_id": BRUNO});
    body.as_object_mut()
        .unwrap()
        .extend(what.as_object().unwrap().clone());
    let reply = send_json(
        "POST",
        &format!("{}/interactions", test.discord.control_url()),
        &body,
    )
    .await;
    assert_eq!(reply.status, 201, "{}", reply.text());
    reply.json()
}

async fn registered(test: &DiscordTest) {
    let whois = json!({"name": "whois", "description": "Who", "options": [{"name": "user", "description": "x", "type": 6}]});
    let list = json!([{"name": "link", "description": "Link"}, whois]);
    test.bot(
        "PUT",
        &format!("/applications/{BOT}/guilds/{GUILD}/commands"),
        &list,
    )
    .await;
}

fn callback(event: &Value) -> String {
    format!(
        "/interactions/{}/{}/callback",
        event["id"].as_str().unwrap(),
        event["token"].as_str().unwrap()
    )
}

async fn record(test: &DiscordTest, fired: &Value) -> Value {
    let id = fired["id"].as_str().unwrap();
    get(&format!("{}/interactions/{id}", test.discord.control_url()))
        .await
        .json()
}

#[tokio::test]
async fn a_command_reaches_the_bot_and_its_answer_the_person() {
    let test = discord().await;
    registered(&test).await;
    let (mut socket, _) = Socket::ready(&test, 1).await;
    let options = json!([{"name": "user", "value": BRUNO}]);
    let fired = use_of(&test, json!({"command": {"name": "whois", "options": options}})).await;
    let event = socket.event("INTERACTION_CREATE").await;
    assert_eq!(event["id"], fired["id"]);
    assert_eq!(
        (event["type"].as_u64(), event["data"]["name"].as_str()),
        (Some(2), Some("whois"))
    );
    assert_eq!(event["data"]["options"][0]["type"], 6);
    assert_eq!(
        event["data"]["resolved"]["users"][BRUNO.to_string()]["username"],
        "bruno"
    );
    assert_eq!(event["member"]["user"]["id"], BRUNO.to_string());
    let answer = json!({"type": 4, "data": {"content": "Nobody", "flags": 64}});
    let reply = test.call("POST", &callback(&event), "", &answer).await;
    assert_eq!(reply.status, 204);
    let record = record(&test, &fired).await;
    assert_eq!(record["callback"], answer);
    assert_eq!(record["messages"][0]["content"], "Nobody");
    assert!(
        test.discord.state().messages.is_empty(),
        "only the person sees it"
    );
}

#[tokio::test]
async fn an_interaction_is_answered_once_and_soon() {
    let test = discord().await;
    registered(&test).await;
    let (mut socket, _) = Socket::ready(&test, 1).await;
    let answer = json!({"type": 4, "data": {"content": "a"}});
    use_of(&test, json!({"command": {"name": "link"}})).await;
    let event = socket.event("INTERACTION_CREATE").await;
    let with_response = format!("{}?with_response=true", callback(&event));
    let reply = test.call("POST", &with_response, "", &answer).await.json();
    assert_eq!(reply["resource"]["message"]["content"], "a");
    assert_eq!(
        refusal(&test.call("POST", &callback(&event), "", &answer).await),
        (400, 40_060)
    );
    use_of(&test, json!({"command": {"name": "link"}})).await;
    let late = socket.event("INTERACTION_CREATE").await;
    test.clock.advance_ms(3_001);
    assert_eq!(
        refusal(&test.call("POST", &callback(&late), "", &answer).await),
        (404, 10_062)
    );
    let forged = format!("/interactions/{}/forged/callback", late["id"].as_str().unwrap());
    assert_eq!(
        refusal(&test.call("POST", &forged, "", &answer).await),
        (404, 10_062)
    );
}

#[tokio::test]
async fn a_promised_answer_is_given_later() {
    let test = discord().await;
    registered(&test).await;
    let (mut socket, _) = Socket::ready(&test, 1).await;
    let fired = use_of(&test, json!({"command": {"name": "link"}})).await;
    let event = socket.event("INTERACTION_CREATE").await;
    let webhook = format!("/webhooks/{BOT}/{}", event["token"].as_str().unwrap());
    let original = format!("{webhook}/messages/@original");
    assert_eq!(
        refusal(&test.call("PATCH", &original, "", &json!({"content": "b"})).await),
        (404, 10_015)
    );
    test.call(
        "POST",
        &callback(&event),
        "",
        &json!({"type": 5, "data": {"flags": 64}}),
    )
    .await;
    test.clock.advance_ms(60_000);
    let edited = test
        .call("PATCH", &original, "", &json!({"content": "Here"}))
        .await
        .json();
    assert_eq!(
        (edited["content"].as_str(), edited["flags"].as_u64()),
        (Some("Here"), Some(64))
    );
    let more = test
        .call("POST", &webhook, "", &json!({"content": "And this"}))
        .await;
    assert_eq!(more.status, 200);
    let contents: Vec<Value> = record(&test, &fired).await["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["content"].clone())
        .collect();
    assert_eq!(contents, ["Here", "And this"]);
    assert_eq!(
        test.discord.state().messages[&LOG].len(),
        1,
        "the second was for everybody"
    );
    test.clock.advance_ms(15 * 60_000);
    assert_eq!(
        refusal(&test.call("PATCH", &original, "", &json!({"content": "c"})).await),
        (401, 50_027)
    );
}

#[tokio::test]
async fn a_button_of_a_panel_is_pressed() {
    let test = discord().await;
    let (mut socket, _) = Socket::ready(&test, 1).await;
    let button = json!({"type": 2, "style": 1, "label": "Verify", "custom_id": "verify"});
    let panel = json!({"content": "Panel", "components": [{"type": 1, "components": [button]}]});
    let message = test
        .bot("POST", &format!("/channels/{LOG}/messages"), &panel)
        .await
        .json();
    let what = json!({"component": {"message_id": message["id"], "custom_id": "verify"}});
    use_of(&test, what).await;
    let event = socket.event("INTERACTION_CREATE").await;
    assert_eq!(
        (event["type"].as_u64(), event["data"]["custom_id"].as_str()),
        (Some(3), Some("verify"))
    );
    assert_eq!(event["message"]["id"], message["id"]);
    test.call(
        "POST",
        &callback(&event),
        "",
        &json!({"type": 7, "data": {"content": "Pressed"}}),
    )
    .await;
    assert_eq!(test.discord.state().messages[&LOG][0].content, "Pressed");
}

#[tokio::test]
async fn what_cannot_be_done_is_said() {
    let test = discord().await;
    registered(&test).await;
    let url = format!("{}/interactions", test.discord.control_url());
    let body = |what: Value| {
        let mut body = json!({"application_id": BOT, "guild_id": GUILD, "channel_id": LOG, "user_id": BRUNO});
        body.as_object_mut()
            .unwrap()
            .extend(what.as_object().unwrap().clone());
        body
    };
    let offline = send_json("POST", &url, &body(json!({"command": {"name": "link"}}))).await;
    assert_eq!(offline.status, 409);
    assert!(
        offline.json()["message"]
            .as_str()
            .unwrap()
            .contains("not connected")
    );
    let (_socket, _) = Socket::ready(&test, 1).await;
    let unknown = send_json("POST", &url, &body(json!({"command": {"name": "dance"}}))).await;
    assert_eq!(unknown.status, 409);
    assert_eq!(send_json("POST", &url, &body(json!({}))).await.status, 400);
    assert_eq!(get(&format!("{url}/1")).await.status, 404);
}
