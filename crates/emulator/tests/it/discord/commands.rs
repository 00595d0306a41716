//! Registering slash commands.

use serde_json::{Value, json};

use super::world::{BOT, GUILD, discord, refusal};

fn path() -> String {
    format!("/applications/{BOT}/guilds/{GUILD}/commands")
}

#[tokio::test]
async fn the_same_list_twice_keeps_every_id() {
    let test = discord().await;
    let list = json!([{"name": "link", "description": "Link"}, {"name": "unlink", "description": "Unlink"}]);
    let first = test.bot("PUT", &path(), &list).await.json();
    let second = test.bot("PUT", &path(), &list).await.json();
    assert_eq!(first[0]["id"], second[0]["id"]);
    assert_eq!(first[1]["id"], second[1]["id"]);
    assert_eq!(second[0]["guild_id"], GUILD.to_string());
    let shorter = test
        .bot(
            "PUT",
            &path(),
            &json!([{"name": "unlink", "description": "Unlink"}]),
        )
        .await
        .json();
    assert_eq!(shorter[0]["id"], first[1]["id"]);
    assert_eq!(test.bot("GET", &path(), &Value::Null).await.json(), shorter);
    let global = format!("/applications/{BOT}/commands");
    assert_eq!(test.bot("GET", &global, &Value::Null).await.json(), json!([]));
}

#[tokio::test]
async fn a_single_command_is_made_replaced_and_deleted() {
    let test = discord().await;
    let made = test
        .bot("POST", &path(), &json!({"name": "link", "description": "a"}))
        .await;
    assert_eq!(made.status, 201);
    let again = test
        .bot("POST", &path(), &json!({"name": "link", "description": "b"}))
        .await;
    assert_eq!((again.status, &again.json()["id"]), (200, &made.json()["id"]));
    let one = format!("{}/{}", path(), made.json()["id"].as_str().unwrap());
    assert_eq!(test.bot("DELETE", &one, &Value::Null).await.status, 204);
    assert_eq!(
        refusal(&test.bot("DELETE", &one, &Value::Null).await),
        (404, 10_063)
    );
}

#[tokio::test]
async fn wrong_commands_change_nothing() {
    let test = discord().await;
    for wrong in [
        json!([{"name": "Link", "description": "a"}]),
        json!([{"name": "li nk", "description": "a"}]),
        json!([{"name": "link"}]),
        json!([{"name": "link", "description": "x".repeat(101)}]),
        json!([{"name": "link", "description": "a"}, {"name": "link", "description": "b"}]),
        json!({"name": "link", "description": "a"}),
    ] {
        assert_eq!(
            refusal(&test.bot("PUT", &path(), &wrong).await),
            (400, 50_035),
            "{wrong}"
        );
    }
    let foreign = format!("/applications/900000000000000009/guilds/{GUILD}/commands");
    assert_eq!(
        refusal(&test.bot("PUT", &foreign, &json!([])).await),
        (403, 20_012)
    );
    assert_eq!(test.bot("GET", &path(), &Value::Null).await.json(), json!([]));
}
