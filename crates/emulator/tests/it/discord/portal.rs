//! Where people make bots.

use serde_json::{Value, json};

use super::socket::Socket;
use super::world::{ADA, BOT, GUILD, discord};
use crate::support::{get, post_form};

/// The text of the element after this label.
fn copied<'a>(page: &'a str, label: &str) -> &'a str {
    let (_, rest) = page
        .split_once(&format!("<dt>{label}</dt><dd><code>"))
        .expect("a label");
    rest.split_once("</code>").expect("an end").0
}

#[tokio::test]
async fn a_person_makes_a_bot_and_copies_its_token() {
    let test = discord().await;
    let base = test.discord.home_url();
    assert!(
        get(&base)
            .await
            .text()
            .contains("href=\"/developers/applications\"")
    );
    let portal = format!("{base}developers/applications");
    let made = post_form(&portal, "name=Night+Watch").await;
    assert_eq!(made.status, 303);
    let own = format!("{base}{}", &made.header("location").unwrap()[1..]);
    assert!(get(&portal).await.text().contains("Night Watch"));
    let page = get(&own).await;
    let (id, token) = (
        copied(page.text(), "Application ID"),
        copied(page.text(), "Bot token"),
    );
    let me = test
        .call("GET", "/users/@me", &format!("Bot {token}"), &Value::Null)
        .await;
    assert_eq!(
        (me.json()["id"].as_str(), &me.json()["username"]),
        (Some(id), &json!("Night Watch"))
    );

    // It is let into a guild and hears of it beside the other bot.
    let (mut other, _) = Socket::ready(&test, 1).await;
    let mut socket = Socket::connect(&test).await;
    socket.identify(token, 1).await;
    assert_eq!(socket.event("READY").await["guilds"], json!([]));
    let invitation =
        format!("{base}oauth2/authorize?client_id={id}&scope=bot&permissions=2048&guild_id={GUILD}&as={ADA}");
    assert!(get(&invitation).await.status < 400);
    assert_eq!(socket.event("GUILD_CREATE").await["id"], GUILD.to_string());
    // The new bot's role takes its place below the others.
    other.event("GUILD_ROLE_UPDATE").await;
    assert_eq!(
        test.discord.gateway()["identifies"],
        json!({BOT.to_string(): 1, id: 1})
    );

    // Another token ends what the old one began.
    post_form(&own, "do=token").await;
    let page = get(&own).await;
    assert_ne!(copied(page.text(), "Bot token"), token);
    assert_eq!(socket.closed().await, Some(4_004));
}

#[tokio::test]
async fn the_members_intent_is_the_owners_choice() {
    let test = discord().await;
    let base = test.discord.home_url();
    let made = post_form(&format!("{base}developers/applications"), "name=Night+Watch").await;
    let own = format!("{base}{}", &made.header("location").unwrap()[1..]);
    let page = get(&own).await;
    assert!(page.text().contains("Server Members Intent is off"));
    let token = copied(page.text(), "Bot token");
    let mut socket = Socket::connect(&test).await;
    socket.identify(token, 1 | (1 << 1)).await;
    assert_eq!(socket.closed().await, Some(4_014));
    post_form(&own, "do=members").await;
    let mut socket = Socket::connect(&test).await;
    socket.identify(token, 1 | (1 << 1)).await;
    socket.event("READY").await;
}

#[tokio::test]
async fn an_application_without_a_name_is_not_made() {
    let test = discord().await;
    let portal = format!("{}developers/applications", test.discord.home_url());
    let long = format!("name={}", "x".repeat(33));
    for wrong in ["", "name=+", long.as_str()] {
        assert_eq!(post_form(&portal, wrong).await.status, 400, "{wrong}");
    }
    assert_eq!(get(&format!("{portal}/1")).await.status, 404);
    assert_eq!(test.discord.state().applications.len(), 1);
}
