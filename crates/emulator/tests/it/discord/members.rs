//! Members, their roles, and joining with consent.

use serde_json::{Value, json};

use super::socket::{Socket, USUAL_INTENTS};
use super::world::{ADA, BOT, BOTS_OWN, BRUNO, CHEN, GUILD, HIGH, LOW, discord, refusal};
use crate::support::{encode, get, post_form, query, send_json};

fn member(user: impl std::fmt::Display) -> String {
    format!("/guilds/{GUILD}/members/{user}")
}

#[tokio::test]
async fn a_role_is_given_and_taken_twice_without_harm() {
    let test = discord().await;
    let path = format!("{}/roles/{LOW}", member(BRUNO));
    for _ in 0..2 {
        assert_eq!(test.bot("PUT", &path, &Value::Null).await.status, 204);
        assert_eq!(test.roles_of(BRUNO), [LOW]);
    }
    for _ in 0..2 {
        assert_eq!(test.bot("DELETE", &path, &Value::Null).await.status, 204);
        assert_eq!(test.roles_of(BRUNO), []);
    }
}

#[tokio::test]
async fn roles_at_or_above_the_bots_own_are_out_of_reach() {
    let test = discord().await;
    for role in [HIGH, BOTS_OWN, GUILD] {
        let reply = test
            .bot("PUT", &format!("{}/roles/{role}", member(BRUNO)), &Value::Null)
            .await;
        assert_eq!(refusal(&reply), (403, 50_013), "{role}");
        let reply = test.bot("PATCH", &member(BRUNO), &json!({"roles": [role]})).await;
        assert_eq!(refusal(&reply), (403, 50_013), "{role}");
    }
    assert_eq!(test.roles_of(BRUNO), []);
}

#[tokio::test]
async fn a_patch_sets_all_roles_and_may_keep_one_out_of_reach() {
    let test = discord().await;
    test.discord
        .change(|state| {
            let guild = state.guilds.get_mut(&GUILD).unwrap();
            guild.members.get_mut(&BRUNO).unwrap().roles = vec![HIGH];
        })
        .unwrap();
    let reply = test
        .bot("PATCH", &member(BRUNO), &json!({"roles": [HIGH, LOW]}))
        .await;
    assert_eq!(reply.json()["roles"], json!([LOW, HIGH]));
    let reply = test.bot("PATCH", &member(BRUNO), &json!({"roles": [LOW]})).await;
    assert_eq!(refusal(&reply), (403, 50_013));
    assert_eq!(test.roles_of(BRUNO), [LOW, HIGH]);
}

#[tokio::test]
async fn what_does_not_exist_has_its_own_number() {
    let test = discord().await;
    for (path, expected) in [
        (member(CHEN), (404, 10_007)),
        (member("700000000000000099"), (404, 10_013)),
        (
            "/guilds/800000000000000099/members/700000000000000001".to_owned(),
            (404, 10_004),
        ),
        (member("nobody"), (400, 50_035)),
    ] {
        assert_eq!(
            refusal(&test.bot("GET", &path, &Value::Null).await),
            expected,
            "{path}"
        );
    }
    let role = format!("{}/roles/820000000000000099", member(BRUNO));
    assert_eq!(
        refusal(&test.bot("PUT", &role, &Value::Null).await),
        (404, 10_011)
    );
    test.discord
        .change(|state| state.guilds.get_mut(&GUILD).unwrap().members.remove(&BOT))
        .unwrap();
    assert_eq!(
        refusal(&test.bot("GET", &member(BRUNO), &Value::Null).await),
        (403, 50_001)
    );
}

#[tokio::test]
async fn nicknames_change_below_the_bot_only() {
    let test = discord().await;
    let reply = test.bot("PATCH", &member(BRUNO), &json!({"nick": "Bru"})).await;
    assert_eq!(reply.json()["nick"], "Bru");
    assert_eq!(
        test.bot("PATCH", &member(BRUNO), &json!({"nick": null}))
            .await
            .json()["nick"],
        Value::Null
    );
    assert_eq!(
        refusal(&test.bot("PATCH", &member(ADA), &json!({"nick": "A"})).await),
        (403, 50_013)
    );
    let long = "x".repeat(33);
    assert_eq!(
        refusal(&test.bot("PATCH", &member(BRUNO), &json!({"nick": long})).await),
        (400, 50_035)
    );
    assert_eq!(
        test.bot("PATCH", &member("@me"), &json!({"nick": "Me"}))
            .await
            .json()["nick"],
        "Me"
    );
}

#[tokio::test]
async fn members_are_listed_in_pages_with_the_intent_only() {
    let test = discord().await;
    let path = format!("/guilds/{GUILD}/members");
    let ids = |reply: Value| -> Vec<String> {
        let list = reply.as_array().unwrap().iter();
        list.map(|member| member["user"]["id"].as_str().unwrap().to_owned())
            .collect()
    };
    let first = ids(test
        .bot("GET", &format!("{path}?limit=2"), &Value::Null)
        .await
        .json());
    assert_eq!(first, [ADA.to_string(), BRUNO.to_string()]);
    let next = format!("{path}?limit=2&after={BRUNO}");
    assert_eq!(
        ids(test.bot("GET", &next, &Value::Null).await.json()),
        [BOT.to_string()]
    );
    let search = format!("{path}/search?query=BRU&limit=5");
    assert_eq!(
        ids(test.bot("GET", &search, &Value::Null).await.json()),
        [BRUNO.to_string()]
    );
    test.discord
        .change(|state| state.applications.get_mut(&BOT).unwrap().privileged_intents = 0)
        .unwrap();
    assert_eq!(
        refusal(&test.bot("GET", &path, &Value::Null).await),
        (403, 50_001)
    );
}

#[tokio::test]
async fn a_person_who_agreed_is_added_once() {
    let test = discord().await;
    let token = consent(&test, CHEN, "guilds.join").await;
    let body = json!({"access_token": token, "roles": [LOW], "nick": "C"});
    let reply = test.bot("PUT", &member(CHEN), &body).await;
    assert_eq!(reply.status, 201);
    assert_eq!(reply.json()["user"]["id"], CHEN.to_string());
    assert_eq!(test.roles_of(CHEN), [LOW]);
    assert_eq!(test.bot("PUT", &member(CHEN), &body).await.status, 204);
}

#[tokio::test]
async fn nobody_is_added_without_consent() {
    let test = discord().await;
    let (chens, short) = (
        consent(&test, CHEN, "guilds.join").await,
        consent(&test, CHEN, "identify").await,
    );
    let join = async |user, token: &str| {
        let body = json!({"access_token": token});
        refusal(&test.bot("PUT", &member(user), &body).await)
    };
    assert_eq!(join(BRUNO, &chens).await, (403, 50_025));
    assert_eq!(join(CHEN, "invented").await, (403, 50_025));
    assert_eq!(join(CHEN, &short).await, (403, 50_026));
    test.discord
        .change(|state| state.guilds.get_mut(&GUILD).unwrap().bans.insert(CHEN))
        .unwrap();
    assert_eq!(join(CHEN, &chens).await, (403, 40_007));
    assert!(!test.guild().members.contains_key(&CHEN));
}

/// An access token of this person, got the long way.
async fn consent(
    test: &super::world::DiscordTest,
    user: emulator::discord::Snowflake,
    scope: &str,
) -> String {
    let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect()
    };
    let (id, user) = (BOT.to_string(), user.to_string());
    let redirect = super::world::REDIRECT;
    let wish = pairs(&[
        ("response_type", "code"),
        ("client_id", &id),
        ("scope", scope),
        ("redirect_uri", redirect),
        ("as", &user),
    ]);
    let reply = get(&format!("{}?{}", test.discord.authorize_url(), encode(&wish))).await;
    let back = query(reply.header("location").unwrap());
    let body = pairs(&[
        ("grant_type", "authorization_code"),
        ("client_id", &id),
        ("client_secret", super::world::SECRET),
        ("redirect_uri", redirect),
        ("code", &back[0].1),
    ]);
    let url = format!("{}/oauth2/token", test.discord.api_url());
    let tokens = post_form(&url, &encode(&body)).await.json();
    tokens["access_token"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_member_below_the_bot_can_be_removed() {
    let test = discord().await;
    assert_eq!(
        refusal(&test.bot("DELETE", &member(ADA), &Value::Null).await),
        (403, 50_013)
    );
    assert_eq!(test.bot("DELETE", &member(BRUNO), &Value::Null).await.status, 204);
    assert!(!test.guild().members.contains_key(&BRUNO));
}

#[tokio::test]
async fn who_boosts_is_seen_by_everybody_who_asks() {
    let test = discord().await;
    let (mut socket, _) = Socket::ready(&test, USUAL_INTENTS).await;
    let since = |since: Value| json!({"guilds": {GUILD.to_string(): {"members": {BRUNO.to_string(): {"premium_since": since}}}}});
    let url = format!("{}/state", test.discord.control_url());
    let path = format!("/guilds/{GUILD}/members/{BRUNO}");
    send_json("PATCH", &url, &since(json!("2026-01-01T00:00:00Z"))).await;
    let told = "2026-01-01T00:00:00.000000+00:00";
    assert_eq!(socket.event("GUILD_MEMBER_UPDATE").await["premium_since"], told);
    assert_eq!(
        test.bot("GET", &path, &Value::Null).await.json()["premium_since"],
        told
    );
    let guild = test
        .bot("GET", &format!("/guilds/{GUILD}"), &Value::Null)
        .await
        .json();
    assert_eq!(guild["premium_subscription_count"], 1);
    assert_eq!(
        send_json("PATCH", &url, &since(json!("yesterday"))).await.status,
        400
    );
    send_json("PATCH", &url, &since(Value::Null)).await;
    assert_eq!(
        test.bot("GET", &path, &Value::Null).await.json()["premium_since"],
        Value::Null
    );
}
