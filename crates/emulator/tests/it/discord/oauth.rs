//! Signing in with Discord.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::world::{ADA, BOT, BRUNO, CHEN, DiscordTest, GUILD, REDIRECT, SECRET, discord, refusal};
use crate::support::{Reply, encode, get, post_form, query, send};

const VERIFIER: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

fn challenge() -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(VERIFIER))
}

fn fields(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .collect()
}

/// The authorize address; fields of `more` replace those of the same name.
fn address(test: &DiscordTest, more: &[(&str, &str)]) -> String {
    let (id, challenge) = (BOT.to_string(), challenge());
    let usual = [
        ("response_type", "code"),
        ("client_id", &id),
        ("scope", "identify guilds.join"),
        ("state", "s t&te"),
        ("redirect_uri", REDIRECT),
        ("code_challenge", &challenge),
        ("code_challenge_method", "S256"),
    ];
    let mut all: Vec<_> = usual
        .iter()
        .filter(|(name, _)| !more.iter().any(|(other, _)| other == name))
        .copied()
        .collect();
    all.extend(more.iter().filter(|(_, value)| !value.is_empty()));
    format!("{}?{}", test.discord.authorize_url(), encode(&fields(&all)))
}

/// The fields with which the browser comes back.
fn came_back(reply: &Reply) -> Vec<(String, String)> {
    assert_eq!(reply.status, 302, "{}", reply.text());
    let location = reply.header("location").unwrap();
    assert!(location.starts_with(REDIRECT), "{location}");
    query(location)
}

fn value<'a>(fields: &'a [(String, String)], name: &str) -> Option<&'a str> {
    fields
        .iter()
        .find(|(own, _)| own == name)
        .map(|(_, value)| value.as_str())
}

async fn code(test: &DiscordTest, user: &str, scope: &str) -> String {
    let reply = get(&address(test, &[("as", user), ("scope", scope)])).await;
    value(&came_back(&reply), "code").unwrap().to_owned()
}

async fn exchange(test: &DiscordTest, change: &[(&str, &str)]) -> Reply {
    let id = BOT.to_string();
    let usual = [
        ("grant_type", "authorization_code"),
        ("client_id", id.as_str()),
        ("client_secret", SECRET),
        ("redirect_uri", REDIRECT),
        ("code_verifier", VERIFIER),
    ];
    let mut all: Vec<_> = usual
        .iter()
        .filter(|(name, _)| !change.iter().any(|(other, _)| other == name))
        .copied()
        .collect();
    all.extend(change.iter().filter(|(_, value)| !value.is_empty()));
    post_form(
        &format!("{}/oauth2/token", test.discord.api_url()),
        &encode(&fields(&all)),
    )
    .await
}

/// Access and refresh token.
async fn sign_in(test: &DiscordTest, user: &str, scope: &str) -> (String, String) {
    let code = code(test, user, scope).await;
    let tokens = exchange(test, &[("code", &code)]).await.json();
    let text = |name: &str| tokens[name].as_str().unwrap().to_owned();
    (text("access_token"), text("refresh_token"))
}

#[tokio::test]
async fn a_person_signs_in_and_is_who_they_are() {
    let test = discord().await;
    let reply = get(&address(&test, &[("as", &BRUNO.to_string())])).await;
    let back = came_back(&reply);
    assert_eq!(value(&back, "state"), Some("s t&te"));
    let tokens = exchange(&test, &[("code", value(&back, "code").unwrap())]).await;
    assert_eq!(tokens.status, 200);
    assert_eq!(tokens.header("cache-control"), Some("no-store"));
    let tokens = tokens.json();
    assert_eq!(tokens["token_type"], "Bearer");
    assert_eq!(tokens["scope"], "guilds.join identify");
    assert_eq!(tokens["expires_in"], 604_800);
    let bearer = format!("Bearer {}", tokens["access_token"].as_str().unwrap());
    let me = test.call("GET", "/users/@me", &bearer, &Value::Null).await.json();
    assert_eq!(
        (me["id"].as_str(), me["username"].as_str()),
        (Some("700000000000000002"), Some("bruno"))
    );
    let about = test
        .call("GET", "/oauth2/@me", &bearer, &Value::Null)
        .await
        .json();
    assert_eq!(about["scopes"], json!(["guilds.join", "identify"]));
    assert_eq!(about["user"]["id"], BRUNO.to_string());
}

#[tokio::test]
async fn a_code_works_once_and_for_ten_minutes() {
    let test = discord().await;
    let first = code(&test, &ADA.to_string(), "identify").await;
    assert_eq!(exchange(&test, &[("code", &first)]).await.status, 200);
    let again = exchange(&test, &[("code", &first)]).await;
    assert_eq!(
        (again.status, again.json()["error"].as_str()),
        (400, Some("invalid_grant"))
    );
    let late = code(&test, &ADA.to_string(), "identify").await;
    test.clock.advance_ms(10 * 60_000 + 1);
    assert_eq!(exchange(&test, &[("code", &late)]).await.status, 400);
}

#[tokio::test]
async fn a_code_needs_its_verifier_address_and_secret() {
    let test = discord().await;
    for (change, status, error) in [
        (("code_verifier", ""), 400, "invalid_grant"),
        (
            ("code_verifier", "wrongwrongwrongwrongwrongwrongwrongwrongwrong"),
            400,
            "invalid_grant",
        ),
        (
            ("redirect_uri", "http://127.0.0.1:8080/auth/discord/other"),
            400,
            "invalid_grant",
        ),
        (("client_secret", "wrong"), 401, "invalid_client"),
        (("client_id", "900000000000000009"), 401, "invalid_client"),
        (("grant_type", "password"), 400, "unsupported_grant_type"),
    ] {
        let code = code(&test, &ADA.to_string(), "identify").await;
        let reply = exchange(&test, &[("code", &code), change]).await;
        assert_eq!(
            (reply.status, reply.json()["error"].as_str()),
            (status, Some(error)),
            "{change:?}"
        );
    }
    assert!(test.discord.grants().is_empty());
}

#[tokio::test]
async fn the_secret_may_be_in_the_header() {
    let test = discord().await;
    let code = code(&test, &ADA.to_string(), "identify").await;
    let encoded: String = form_urlencoded::byte_serialize(SECRET.as_bytes()).collect();
    let basic = format!("Basic {}", STANDARD.encode(format!("{BOT}:{encoded}")));
    let body = fields(&[
        ("grant_type", "authorization_code"),
        ("code", &code),
        ("redirect_uri", REDIRECT),
        ("code_verifier", VERIFIER),
    ]);
    let url = format!("{}/oauth2/token", test.discord.api_url());
    let headers = [
        ("authorization", basic.as_str()),
        ("content-type", "application/x-www-form-urlencoded"),
    ];
    assert_eq!(
        send("POST", &url, &headers, &encode(&body)).await.unwrap().status,
        200
    );
}

#[tokio::test]
async fn requests_with_a_wrong_client_or_address_go_nowhere() {
    let test = discord().await;
    for wrong in [
        ("client_id", "900000000000000009"),
        ("client_id", "x"),
        ("redirect_uri", "http://127.0.0.1:8080/auth/discord/callback/"),
        ("redirect_uri", "https://evil.example/"),
        ("redirect_uri", ""),
    ] {
        let reply = get(&address(&test, &[wrong, ("as", &ADA.to_string())])).await;
        assert_eq!((reply.status, reply.header("location")), (400, None), "{wrong:?}");
    }
}

#[tokio::test]
async fn other_mistakes_are_told_to_the_application() {
    let test = discord().await;
    for (wrong, error) in [
        (("response_type", "token"), "unsupported_response_type"),
        (("scope", "identify everything"), "invalid_scope"),
        (("scope", ""), "invalid_scope"),
        (("code_challenge_method", "plain"), "invalid_request"),
        (("code_challenge", "short"), "invalid_request"),
    ] {
        let reply = get(&address(&test, &[wrong, ("as", &ADA.to_string())])).await;
        let back = came_back(&reply);
        assert_eq!(
            (value(&back, "error"), value(&back, "code")),
            (Some(error), None),
            "{wrong:?}"
        );
        assert_eq!(value(&back, "state"), Some("s t&te"));
    }
}

#[tokio::test]
async fn somebody_who_cancels_is_not_signed_in() {
    let test = discord().await;
    let back = came_back(&get(&address(&test, &[("as", "cancel")])).await);
    assert_eq!(value(&back, "error"), Some("access_denied"));
    assert_eq!(value(&back, "code"), None);
}

#[tokio::test]
async fn the_page_offers_people_and_no_bots() {
    let test = discord().await;
    let page = get(&address(&test, &[])).await;
    assert_eq!(page.status, 200);
    assert!(page.text().contains("Sandbox. This is not Discord"));
    for id in [ADA, BRUNO, CHEN] {
        assert!(page.text().contains(&format!("name=\"as\" value=\"{id}\"")));
    }
    assert!(!page.text().contains(&format!("name=\"as\" value=\"{BOT}\"")));
    assert_eq!(
        get(&address(&test, &[("as", &BOT.to_string())])).await.status,
        404
    );
}

#[tokio::test]
async fn a_refresh_replaces_both_tokens() {
    let test = discord().await;
    let (access, refresh) = sign_in(&test, &ADA.to_string(), "identify").await;
    let renew = [
        ("grant_type", "refresh_token"),
        ("refresh_token", refresh.as_str()),
        ("code_verifier", ""),
    ];
    let renewed = exchange(&test, &renew).await.json();
    assert_ne!(renewed["access_token"], access.as_str());
    let me = |token: &str| format!("Bearer {token}");
    let old = test.call("GET", "/users/@me", &me(&access), &Value::Null).await;
    assert_eq!(refusal(&old), (401, 0));
    let new = test
        .call(
            "GET",
            "/users/@me",
            &me(renewed["access_token"].as_str().unwrap()),
            &Value::Null,
        )
        .await;
    assert_eq!(new.status, 200);
    assert_eq!(exchange(&test, &renew).await.status, 400);
}

#[tokio::test]
async fn revoking_one_token_ends_all_of_that_person() {
    let test = discord().await;
    let (first, _) = sign_in(&test, &ADA.to_string(), "identify").await;
    let (second, _) = sign_in(&test, &ADA.to_string(), "identify").await;
    let (other, _) = sign_in(&test, &BRUNO.to_string(), "identify").await;
    let id = BOT.to_string();
    let body = fields(&[("token", &first), ("client_id", &id), ("client_secret", SECRET)]);
    let url = format!("{}/oauth2/token/revoke", test.discord.api_url());
    assert_eq!(post_form(&url, &encode(&body)).await.status, 200);
    for (token, status) in [(first, 401), (second, 401), (other, 200)] {
        assert_eq!(
            test.call("GET", "/users/@me", &format!("Bearer {token}"), &Value::Null)
                .await
                .status,
            status
        );
    }
    let users: Vec<_> = test.discord.grants().iter().map(|grant| grant.user).collect();
    assert_eq!(users, [BRUNO]);
}

#[tokio::test]
async fn tokens_expire_and_scopes_are_kept_to() {
    let test = discord().await;
    let (token, _) = sign_in(&test, &ADA.to_string(), "identify").await;
    let bearer = format!("Bearer {token}");
    let guilds = test.call("GET", "/users/@me/guilds", &bearer, &Value::Null).await;
    assert_eq!(refusal(&guilds), (403, 50_026));
    let roles = test
        .call("GET", &format!("/guilds/{GUILD}/roles"), &bearer, &Value::Null)
        .await;
    assert_eq!(roles.status, 401);
    test.clock.advance_ms(604_800_000);
    assert_eq!(
        test.call("GET", "/users/@me", &bearer, &Value::Null).await.status,
        401
    );
}

#[tokio::test]
async fn guilds_are_listed_with_what_the_person_may_do() {
    let test = discord().await;
    for (user, owner, manages) in [(ADA, true, true), (BRUNO, false, false)] {
        let (token, _) = sign_in(&test, &user.to_string(), "guilds").await;
        let guilds = test
            .call(
                "GET",
                "/users/@me/guilds",
                &format!("Bearer {token}"),
                &Value::Null,
            )
            .await
            .json();
        assert_eq!(guilds[0]["id"], GUILD.to_string());
        assert_eq!(guilds[0]["owner"], owner);
        let permissions: u64 = guilds[0]["permissions"].as_str().unwrap().parse().unwrap();
        assert_eq!(permissions & (1 << 5) != 0, manages);
    }
    let (token, _) = sign_in(&test, &CHEN.to_string(), "guilds").await;
    let none = test
        .call(
            "GET",
            "/users/@me/guilds",
            &format!("Bearer {token}"),
            &Value::Null,
        )
        .await;
    assert_eq!(none.json(), json!([]));
}

#[tokio::test]
async fn a_bot_joins_a_guild_whose_manager_lets_it_in() {
    let test = discord().await;
    test.discord
        .change(|state| state.guilds.get_mut(&GUILD).unwrap().members.remove(&BOT))
        .unwrap();
    let guild = GUILD.to_string();
    let install = |user: String| {
        let more = [
            ("scope", "bot applications.commands"),
            ("permissions", "268435456"),
            ("as", user.as_str()),
        ];
        address(&test, &more)
    };
    let choice = get(&install(ADA.to_string())).await;
    assert!(
        choice
            .text()
            .contains(&format!("name=\"guild_id\" value=\"{GUILD}\""))
    );
    let refused = get(&format!("{}&guild_id={guild}", install(BRUNO.to_string()))).await;
    assert_eq!(refused.status, 403);
    assert!(!test.guild().members.contains_key(&BOT));
    let back = came_back(&get(&format!("{}&guild_id={guild}", install(ADA.to_string()))).await);
    assert_eq!(value(&back, "guild_id"), Some(guild.as_str()));
    let roles = test.roles_of(BOT);
    let role = &test.guild().roles[&roles[0]];
    assert_eq!(
        (role.managed, role.position, role.permissions.0),
        (true, 1, 268_435_456)
    );
}
