//! Discord's sign-in.

use std::sync::Arc;

use domain::clock::TestClock;
use domain::oauth::{AuthorizationCode, PkceVerifier, State};
use domain::platform_id::DiscordId;
use domain::random::SeededRandom;
use platform::Unanswered;
use platform::discord::OAuth;
use platform::discord::oauth::{AccessToken, Application, NoToken, Scope};
use secrecy::SecretString;

use crate::peer::{Call, Peer, Say};

const SECRET: &str = "MARKED-client-secret";
const TOKEN: &str = "MARKED-access-token";
const CALLBACK: &str = "/auth/discord/callback";
const ID: &str = "700000000000000001";

fn oauth(api_url: String) -> (OAuth, Arc<TestClock>) {
    let application = Application {
        client_id: DiscordId::parse("600000000000000001").unwrap(),
        client_secret: SecretString::from(SECRET),
        api_url,
        authorize_url: "https://discord.com/oauth2/authorize".to_owned(),
        public_url: "https://link.example".to_owned(),
    };
    let clock = Arc::new(TestClock::new(1_767_225_600_000));
    (OAuth::new(application, Arc::clone(&clock) as _).unwrap(), clock)
}

async fn stage(answers: impl Fn(&Call) -> Say + Send + 'static) -> (OAuth, Peer, Arc<TestClock>) {
    let peer = Peer::start(answers).await;
    let (oauth, clock) = oauth(format!("{}/api/v10", peer.base));
    (oauth, peer, clock)
}

fn json(text: &str) -> Say {
    Say::Json(200, text.to_owned())
}

fn given(scope: &str) -> Say {
    json(&format!(
        r#"{{"access_token":"{TOKEN}","token_type":"Bearer","expires_in":604800,"refresh_token":"r","scope":"{scope}"}}"#
    ))
}

fn verifier() -> PkceVerifier {
    PkceVerifier::generate(&SeededRandom::new(1))
}

fn token() -> AccessToken {
    AccessToken::new(SecretString::from(TOKEN))
}

async fn exchange(oauth: &OAuth, scopes: &[Scope]) -> Result<String, NoToken> {
    let code = AuthorizationCode::parse("the-code").unwrap();
    let exchanged = oauth.exchange(CALLBACK, scopes, &code, &verifier()).await;
    exchanged.map(|token| token.expose().to_owned())
}

#[test]
fn people_are_sent_to_discord_with_state_challenge_and_our_own_address() {
    let (oauth, _) = oauth("https://discord.com/api/v10".to_owned());
    let random = SeededRandom::new(3);
    let (state, verifier) = (State::generate(&random), PkceVerifier::generate(&random));
    let scopes = [Scope::Identify, Scope::GuildsJoin, Scope::Guilds];
    let url = oauth.authorize_url(CALLBACK, &scopes, &state, &verifier);
    let (address, query) = url.split_once('?').unwrap();
    assert_eq!(address, "https://discord.com/oauth2/authorize");
    let fields: Vec<(String, String)> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let challenge = verifier.challenge();
    let expected = [
        ("response_type", "code"),
        ("client_id", "600000000000000001"),
        ("redirect_uri", "https://link.example/auth/discord/callback"),
        ("scope", "identify guilds.join guilds"),
        ("state", state.expose()),
        ("code_challenge", challenge.as_str()),
        ("code_challenge_method", "S256"),
    ];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(fields, expected);
    assert!(!url.contains(verifier.expose()) && !url.contains(SECRET));
}

#[tokio::test]
async fn a_code_becomes_a_token_with_the_verifier_and_the_same_address() {
    let (oauth, peer, _) = stage(|_| given("guilds.join identify")).await;
    let scopes = [Scope::Identify, Scope::GuildsJoin];
    assert_eq!(exchange(&oauth, &scopes).await.as_deref(), Ok(TOKEN));
    let calls = peer.calls();
    assert_eq!(calls.len(), 1);
    let call = &calls[0];
    assert_eq!(
        (call.method.as_str(), call.uri.to_string()),
        ("POST", "/api/v10/oauth2/token".to_owned())
    );
    for (name, value) in [
        ("grant_type", "authorization_code"),
        ("code", "the-code"),
        ("redirect_uri", "https://link.example/auth/discord/callback"),
        ("code_verifier", verifier().expose()),
    ] {
        assert_eq!(call.form(name).as_deref(), Some(value), "{name}");
    }
    assert!(call.authorization.as_deref().unwrap().starts_with("Basic "));
    assert!(!call.body.contains(SECRET));
}

#[tokio::test]
async fn a_token_for_less_than_was_asked_is_given_back() {
    let (oauth, peer, _) = stage(|call: &Call| match call.uri.path() {
        "/api/v10/oauth2/token" => given("identify"),
        _ => json("{}"),
    })
    .await;
    let scopes = [Scope::Identify, Scope::Guilds];
    assert_eq!(exchange(&oauth, &scopes).await, Err(NoToken::MissingScope));
    let calls = peer.calls();
    assert_eq!(calls[1].uri.path(), "/api/v10/oauth2/token/revoke");
    assert_eq!(calls[1].form("token").as_deref(), Some(TOKEN));
}

#[tokio::test]
async fn a_code_that_is_not_ours_is_told_apart_from_an_outage() {
    let (oauth, peer, clock) = stage(|_| given("identify")).await;
    let long = format!("\"{}\"", "x".repeat(600 * 1024));
    for (say, refusal) in [
        (
            Say::Json(400, r#"{"error":"invalid_grant"}"#.to_owned()),
            NoToken::BadCode,
        ),
        (
            Say::Json(401, r#"{"error":"invalid_client"}"#.to_owned()),
            NoToken::TryAgain(Unanswered::Refused),
        ),
        (
            Say::Json(400, r#"{"error":"invalid_request"}"#.to_owned()),
            NoToken::TryAgain(Unanswered::Status(400)),
        ),
        (
            Say::Json(429, "{}".to_owned()),
            NoToken::TryAgain(Unanswered::Throttled {
                retry_after_ms: 5_000,
                for_all: false,
            }),
        ),
        (
            Say::Text(500, String::new()),
            NoToken::TryAgain(Unanswered::Status(500)),
        ),
        (
            Say::Redirect(format!("{}/elsewhere", peer.base)),
            NoToken::TryAgain(Unanswered::Status(302)),
        ),
        (json(""), NoToken::TryAgain(Unanswered::Unreadable)),
        (json(&long), NoToken::TryAgain(Unanswered::TooLong)),
        (
            json(r#"{"access_token":"x","token_type":"MAC","scope":"identify"}"#),
            NoToken::TryAgain(Unanswered::Unreadable),
        ),
    ] {
        peer.now(move |_| say.clone());
        let found = exchange(&oauth, &[Scope::Identify]).await;
        assert_eq!(found, Err(refusal));
        assert!(!format!("{refusal} {refusal:?}").contains("MARKED"));
        assert_eq!(peer.calls().len(), 1, "no redirect is followed");
        peer.now(|_| given("identify"));
        clock.advance_ms(5_000);
        assert!(exchange(&oauth, &[Scope::Identify]).await.is_ok());
        peer.calls();
    }
}

#[tokio::test]
async fn a_person_is_who_discord_says_and_is_named_as_others_see_them() {
    let (oauth, peer, _) = stage(|_| json("{}")).await;
    for (fields, name) in [
        (r#""username":"ada","global_name":"Ada L.""#, "Ada L."),
        (r#""username":"ada","global_name":null"#, "ada"),
        (r#""username":"ada","global_name":"  ""#, "ada"),
        (r#""username":"\u0007""#, ID),
    ] {
        let body = format!(r#"{{"id":"{ID}",{fields},"email":"x@example.org"}}"#);
        peer.now(move |_| json(&body));
        let person = oauth.person(&token()).await.unwrap();
        assert_eq!((person.id.as_str(), person.name.as_str()), (ID, name));
    }
    let calls = peer.calls();
    assert_eq!(calls[0].uri.path(), "/api/v10/users/@me");
    assert_eq!(
        calls[0].authorization.as_deref(),
        Some("Bearer MARKED-access-token")
    );
    for body in ["{}", r#"{"id":7}"#, r#"{"id":"x","username":"ada"}"#, "[]"] {
        peer.now(move |_| json(body));
        assert_eq!(
            oauth.person(&token()).await,
            Err(Unanswered::Unreadable),
            "{body}"
        );
        peer.now(|_| json(r#"{"id":"700000000000000001"}"#));
        oauth.person(&token()).await.unwrap();
    }
    peer.now(|_| Say::Json(401, r#"{"message":"401: Unauthorized"}"#.to_owned()));
    assert_eq!(
        oauth.person(&token()).await,
        Err(Unanswered::Status(401)),
        "a person's token is no setting of ours"
    );
}

#[tokio::test]
async fn a_guild_is_managed_by_its_owner_and_by_those_with_the_permission() {
    let guild = |id: u64, owner: bool, permissions: &str| serde_json::json!({ "id": id.to_string(), "name": "G", "owner": owner, "permissions": permissions });
    let list = serde_json::json!([
        guild(800_000_000_000_000_001, true, "0"),
        guild(800_000_000_000_000_002, false, "32"),
        guild(800_000_000_000_000_003, false, "8"),
        guild(800_000_000_000_000_004, false, "2147483591"),
        guild(800_000_000_000_000_005, false, "1024"),
        guild(800_000_000_000_000_006, false, "many"),
        guild(1, true, "32"),
    ]);
    let (oauth, peer, _) = stage(move |_| json(&list.to_string())).await;
    let found = oauth.guilds(&token()).await.unwrap();
    let managed: Vec<bool> = found.iter().map(|guild| guild.manages).collect();
    // 2147483591 is everything but bits 3, 4 and 5.
    assert_eq!(managed, [true, true, true, false, false]);
    assert_eq!(peer.calls()[0].uri.path(), "/api/v10/users/@me/guilds");
}

#[tokio::test]
async fn a_token_is_given_back() {
    let (oauth, peer, _) = stage(|_| json("{}")).await;
    oauth.revoke(&token()).await.unwrap();
    let calls = peer.calls();
    assert_eq!(calls[0].form("token_type_hint").as_deref(), Some("access_token"));
    assert!(calls[0].authorization.as_deref().unwrap().starts_with("Basic "));
    peer.now(|_| Say::Text(503, String::new()));
    assert_eq!(oauth.revoke(&token()).await, Err(Unanswered::Status(503)));
}

#[tokio::test]
async fn a_discord_that_fails_is_left_alone_and_found_again() {
    let (oauth, peer, clock) = stage(|_| Say::Text(502, String::new())).await;
    for _ in 0..20 {
        assert!(oauth.person(&token()).await.is_err());
    }
    assert_eq!(peer.calls().len(), 5);
    peer.now(|_| given("identify"));
    clock.advance_ms(5_000);
    assert!(exchange(&oauth, &[Scope::Identify]).await.is_ok());
}
