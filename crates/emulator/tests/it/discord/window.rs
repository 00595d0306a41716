//! The pages for people who try things by hand.

use serde_json::json;

use super::socket::{Socket, USUAL_INTENTS};
use super::world::{ADA, BOT, BOTS_OWN, BRUNO, CHEN, GUILD, LOG, LOW, discord};
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

#[tokio::test]
async fn a_person_gives_and_takes_roles_by_hand() {
    let test = discord().await;
    let base = test.discord.home_url();
    let page = format!("{base}guilds/{GUILD}");
    assert!(
        get(&base)
            .await
            .text()
            .contains(&format!("href=\"/guilds/{GUILD}\""))
    );
    let (mut socket, _) = Socket::ready(&test, USUAL_INTENTS).await;
    let shown = get(&page).await;
    let text = shown.text();
    assert!(
        text.contains(">bruno</h3>") && text.contains("Roles: none"),
        "{text}"
    );
    assert!(
        !text.contains(">symbolon</h3>") && !text.contains("everyone</option>"),
        "bots and everybody's role"
    );
    let reply = post_form(&page, &format!("member={BRUNO}&find=bru&give={LOW}")).await;
    assert_eq!(
        reply.header("location"),
        Some(format!("/guilds/{GUILD}?find=bru").as_str())
    );
    let told = socket.event("GUILD_MEMBER_UPDATE").await;
    assert_eq!(
        (&told["user"]["id"], &told["roles"]),
        (&json!(BRUNO), &json!([LOW]))
    );
    let found = get(&format!("{page}?find=bru")).await;
    assert!(found.text().contains(&format!("name=\"take\" value=\"{LOW}\"")));
    assert!(!found.text().contains(">ada</h3>"), "not looked for");
    post_form(&page, &format!("member={BRUNO}&take={LOW}")).await;
    assert_eq!(test.roles_of(BRUNO), []);
}

#[tokio::test]
async fn a_person_comes_boosts_and_goes_by_hand() {
    let test = discord().await;
    let page = format!("{}guilds/{GUILD}", test.discord.home_url());
    let (mut socket, _) = Socket::ready(&test, USUAL_INTENTS).await;
    let whom = json!(CHEN);
    post_form(&page, &format!("member={CHEN}&do=join")).await;
    assert_eq!(socket.event("GUILD_MEMBER_ADD").await["user"]["id"], whom);
    post_form(&page, &format!("member={CHEN}&do=boost")).await;
    assert!(socket.event("GUILD_MEMBER_UPDATE").await["premium_since"].is_string());
    post_form(&page, &format!("member={CHEN}&do=boost")).await;
    assert!(socket.event("GUILD_MEMBER_UPDATE").await["premium_since"].is_null());
    post_form(&page, &format!("member={CHEN}&do=leave")).await;
    assert_eq!(socket.event("GUILD_MEMBER_REMOVE").await["user"]["id"], whom);
    for form in [
        format!("member={CHEN}&give={LOW}"),
        format!("member={ADA}&do=leave"),
        format!("member={BRUNO}&give={GUILD}"),
        format!("member={BRUNO}&give="),
        "member=1&do=join".to_owned(),
    ] {
        let refused = post_form(&page, &form).await;
        let location = refused.header("location").unwrap();
        assert!(location.contains("problem="), "{form}: {location}");
    }
    assert_eq!(test.guild().members.len(), 3);
    assert_eq!(test.roles_of(BOT), [BOTS_OWN]);
}
