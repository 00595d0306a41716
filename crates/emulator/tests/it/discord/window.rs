//! The pages for people who try things by hand.

use serde_json::json;

use super::socket::Socket;
use super::world::{BOT, BRUNO, GUILD, LOG, discord};
use crate::support::{get, post_form};

#[tokio::test]
async fn a_person_reads_a_channel_and_uses_a_command() {
    let test = discord().await;
    let base = test.discord.api_url().replace("/api/v10", "");
    let link = json!([{"name": "link", "description": "Link"}]);
    test.bot(
        "PUT",
        &format!("/applications/{BOT}/guilds/{GUILD}/commands"),
        &link,
    )
    .await;
    let embed = json!({"embeds": [{"title": "Linked <b>", "fields": [{"name": "Country", "value": "DE"}]}]});
    test.bot("POST", &format!("/channels/{LOG}/messages"), &embed)
        .await;
    assert!(
        get(&base)
            .await
            .text()
            .contains(&format!("href=\"/channels/{LOG}\""))
    );
    let page = format!("{base}/channels/{LOG}");
    let shown = get(&page).await;
    assert!(shown.text().contains("Linked &lt;b&gt;") && shown.text().contains("<dd>DE</dd>"));
    let (mut socket, _) = Socket::ready(&test, 1).await;
    let form = format!("as={BRUNO}&application={BOT}&command=/link");
    let bot = async {
        let event = socket.event("INTERACTION_CREATE").await;
        let path = format!(
            "/interactions/{}/{}/callback",
            event["id"].as_str().unwrap(),
            event["token"].as_str().unwrap()
        );
        let answer = json!({"type": 4, "data": {"content": "Open this address", "flags": 64}});
        test.call("POST", &path, "", &answer).await;
    };
    let (reply, ()) = tokio::join!(post_form(&page, &form), bot);
    assert_eq!(reply.status, 303);
    let location = reply.header("location").unwrap();
    assert!(
        get(&format!("{base}{location}"))
            .await
            .text()
            .contains("Open this address")
    );
}

#[tokio::test]
async fn a_command_nobody_hears_is_reported() {
    let test = discord().await;
    let base = test.discord.api_url().replace("/api/v10", "");
    let reply = post_form(
        &format!("{base}/channels/{LOG}"),
        &format!("as={BRUNO}&application={BOT}&command=/link"),
    )
    .await;
    let page = get(&format!("{base}{}", reply.header("location").unwrap())).await;
    assert!(page.text().contains("role=\"alert\""));
}

#[tokio::test]
async fn a_person_says_something_by_hand() {
    let test = discord().await;
    let base = test.discord.home_url();
    let page = format!("{base}channels/{LOG}");
    let reply = post_form(&page, &format!("as={BRUNO}&text=Good+evening")).await;
    assert_eq!(
        reply.header("location"),
        Some(format!("/channels/{LOG}?as={BRUNO}").as_str())
    );
    let shown = get(&page).await;
    assert!(
        shown.text().contains("<h3>bruno</h3><p>Good evening</p>"),
        "{}",
        shown.text()
    );
    let refused = post_form(&page, "as=1&text=a").await;
    assert!(refused.header("location").unwrap().contains("problem="));
}
