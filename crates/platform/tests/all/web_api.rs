//! Steam's Web API.

use std::sync::Arc;

use domain::clock::{SharedClock, TestClock};
use domain::platform_id::SteamId;
use domain::quota::Purpose;
use domain::steam_group::{GroupId, Groups, Membership, Obstacle};
use platform::Unanswered;
use platform::steam::WebApi;
use secrecy::SecretString;

use crate::peer::{Call, Peer, Say};

const KEY: &str = "MARKED0KEY0OF0THE0WEB0API0000000";
const NOW: i64 = 1_800_000_000_000;
const LISTED: &str = r#"{"response":{"success":true,"groups":[{"gid":"9"},{"gid":"4"}]}}"#;
const PEOPLE: Purpose = Purpose::Verify { org_num: 1 };
const PRIVATE: &str = r#"{"response":{"success":false,"error":"Private profile"}}"#;

fn player(number: u64) -> SteamId {
    SteamId::parse(&(76_561_197_960_265_728 + number).to_string()).unwrap()
}

fn group(number: u32) -> GroupId {
    GroupId::new(number).unwrap()
}

fn api(base: &str) -> (WebApi, Arc<TestClock>) {
    let clock = Arc::new(TestClock::new(NOW));
    let shared = Arc::clone(&clock) as SharedClock;
    (WebApi::new(base, SecretString::from(KEY), shared).unwrap(), clock)
}

fn json(body: &str) -> Say {
    Say::Json(200, body.to_owned())
}

async fn ask(api: &WebApi) -> Result<Groups, Unanswered> {
    api.groups(&player(1), PEOPLE).await
}

#[tokio::test]
async fn a_player_is_in_a_group_or_not_or_it_cannot_be_told() {
    let private = player(2).to_string();
    let peer = Peer::start(move |call: &Call| match call.query("steamid") {
        Some(id) if id == private => Say::Json(403, PRIVATE.to_owned()),
        Some(_) | None => json(LISTED),
    })
    .await;
    let (api, _) = api(&peer.base);
    for (who, which, answer) in [
        (1, 4, Membership::Yes),
        (1, 9, Membership::Yes),
        (1, 5, Membership::No),
        (2, 4, Membership::CannotTell(Obstacle::Hidden)),
    ] {
        let groups = api.groups(&player(who), PEOPLE).await.unwrap();
        assert_eq!(Membership::of(&groups, group(which)), answer, "{who} in {which}");
    }
    let calls = peer.calls();
    assert_eq!(calls.len(), 4, "every question is asked");
    assert_eq!(calls[0].uri.path(), "/ISteamUser/GetUserGroupList/v1");
    assert_eq!(calls[0].query("key").as_deref(), Some(KEY));
    assert_eq!(calls[0].query("steamid"), Some(player(1).to_string()));
}

#[tokio::test]
async fn a_private_profile_is_understood_with_any_status() {
    let peer = Peer::start(|_| json(PRIVATE)).await;
    let (api, _) = api(&peer.base);
    for status in [200, 401, 403] {
        peer.now(move |_| Say::Json(status, PRIVATE.to_owned()));
        assert_eq!(ask(&api).await, Ok(Groups::Hidden), "{status}");
    }
    // Ten of these are no failures: the breaker stays closed.
    for _ in 0..10 {
        assert_eq!(ask(&api).await, Ok(Groups::Hidden));
    }
}

#[tokio::test]
async fn whatever_is_no_answer_is_never_a_no() {
    let peer = Peer::start(|_| json(LISTED)).await;
    let (api, clock) = api(&peer.base);
    let long = format!(
        r#"{{"response":{{"success":true,"x":"{}"}}}}"#,
        "x".repeat(1 << 20)
    );
    let html = "<html><title>Forbidden</title>Please verify your key</html>";
    for (say, cause) in [
        (json(""), Unanswered::Unreadable),
        (json("{}"), Unanswered::Unreadable),
        (json(r#"{"response":{}}"#), Unanswered::Unreadable),
        (json(r#"{"response":{"groups":[]}}"#), Unanswered::Unreadable),
        (
            json(r#"{"response":{"success":true,"groups":[{"gid":"x"}]}}"#),
            Unanswered::Unreadable,
        ),
        (
            json(r#"{"response":{"success":true,"groups":[{"gid":4}]}}"#),
            Unanswered::Unreadable,
        ),
        (json(&long), Unanswered::TooLong),
        (Say::Text(200, html.to_owned()), Unanswered::Unreadable),
        (Say::Text(403, html.to_owned()), Unanswered::Refused),
        (Say::Json(403, LISTED.to_owned()), Unanswered::Refused),
        (Say::Text(401, html.to_owned()), Unanswered::Refused),
        (
            Say::Text(429, html.to_owned()),
            Unanswered::Throttled {
                retry_after_ms: 5_000,
                for_all: false,
            },
        ),
        (Say::Json(500, LISTED.to_owned()), Unanswered::Status(500)),
        (Say::Json(500, PRIVATE.to_owned()), Unanswered::Status(500)),
        (
            Say::Redirect(format!("{}/elsewhere", peer.base)),
            Unanswered::Status(302),
        ),
    ] {
        peer.now(move |_| say.clone());
        assert_eq!(ask(&api).await, Err(cause));
        assert!(ask(&api).await.is_err(), "{cause:?}");
        assert!(peer.calls().iter().all(|call| call.uri.path() != "/elsewhere"));
        // A good answer between two bad ones keeps the breaker closed.
        peer.now(|_| json(LISTED));
        clock.advance_ms(5_000);
        assert!(ask(&api).await.is_ok());
        peer.calls();
    }
}

/// Time stands still here but for timers, so what takes five seconds is over at once.
#[tokio::test(start_paused = true)]
async fn a_peer_that_never_answers_is_given_up() {
    let peer = Peer::start(|_| Say::Nothing).await;
    let (api, _) = api(&peer.base);
    let before = tokio::time::Instant::now();
    assert_eq!(ask(&api).await, Err(Unanswered::Timeout));
    assert!(before.elapsed() <= std::time::Duration::from_secs(6));
}

#[tokio::test]
async fn after_five_failures_it_is_asked_once_in_five_seconds_until_it_answers() {
    let peer = Peer::start(|_| Say::Text(500, String::new())).await;
    let (api, clock) = api(&peer.base);
    for _ in 0..20 {
        assert!(ask(&api).await.is_err());
    }
    assert_eq!(peer.calls().len(), 5);
    assert_eq!(
        ask(&api).await,
        Err(Unanswered::Paused {
            retry_after_ms: 5_000
        })
    );
    for _ in 0..3 {
        clock.advance_ms(5_000);
        for _ in 0..10 {
            assert!(ask(&api).await.is_err());
        }
        assert_eq!(peer.calls().len(), 1);
    }
    peer.now(|_| json(LISTED));
    clock.advance_ms(4_999);
    assert!(ask(&api).await.is_err());
    clock.advance_ms(1);
    for _ in 0..10 {
        assert!(ask(&api).await.is_ok());
    }
    assert_eq!(peer.calls().len(), 10);
}

#[tokio::test]
async fn the_key_is_in_no_failure() {
    let nobody = Peer::start(|_| Say::Nothing)
        .await
        .base
        .replace("127.0.0.1", "127.0.0.2");
    let peer = Peer::start(|_| Say::Text(403, KEY.to_owned())).await;
    for base in [nobody.as_str(), &peer.base] {
        let (api, _) = api(base);
        let failure = ask(&api).await.unwrap_err();
        assert!(!format!("{failure} {failure:?}").contains("MARKED"));
    }
    assert_eq!(ask(&api(&nobody).0).await, Err(Unanswered::Unreachable));
    for base in ["", "nowhere", "mailto:x@example.org"] {
        let refused = WebApi::new(base, SecretString::from(KEY), Arc::new(TestClock::new(NOW)));
        let error = refused.err().unwrap();
        assert!(!format!("{error} {error:?}").contains("MARKED"), "{base}");
    }
}

#[tokio::test]
async fn an_address_with_a_path_keeps_it() {
    let peer = Peer::start(|_| json(LISTED)).await;
    for base in [format!("{}/steam", peer.base), format!("{}/steam/", peer.base)] {
        ask(&api(&base).0).await.unwrap();
        assert_eq!(
            peer.calls()[0].uri.path(),
            "/steam/ISteamUser/GetUserGroupList/v1"
        );
    }
}

#[tokio::test]
async fn summaries_are_those_that_were_asked_for() {
    let body = serde_json::json!({ "response": { "players": [
        { "steamid": player(1).as_str(), "personaname": " Ada\u{7} ", "communityvisibilitystate": 3, "avatar": "x" },
        { "steamid": player(2).as_str(), "personaname": "\u{0}", "communityvisibilitystate": 1 },
        { "steamid": player(3).as_str(), "personaname": "x".repeat(500) },
        { "steamid": player(500).as_str(), "personaname": "Stranger" },
        { "steamid": "1", "personaname": "Nobody" },
    ] } });
    let peer = Peer::start(move |_| json(&body.to_string())).await;
    let (api, _) = api(&peer.base);
    let players: Vec<SteamId> = (1..=150).map(player).collect();
    let found = api.summaries(&players, PEOPLE).await.unwrap();
    let names: Vec<(&str, bool)> = found.iter().map(|one| (one.name.as_str(), one.public)).collect();
    let long = "x".repeat(64);
    assert_eq!(
        names,
        [("Ada", true), (player(2).as_str(), false), (long.as_str(), false)]
    );
    let calls = peer.calls();
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].query("steamids").unwrap().split(',').count(), 100);
    assert_eq!(api.summaries(&[], PEOPLE).await, Ok(Vec::new()));
    assert!(peer.calls().is_empty());
    peer.now(|_| json(r#"{"response":{}}"#));
    let unreadable = api.summaries(&players, PEOPLE).await;
    assert_eq!(unreadable, Err(Unanswered::Unreadable));
}

#[tokio::test]
async fn a_groups_name_is_looked_up() {
    let peer = Peer::start(|call: &Call| match call.query("vanityurl").as_deref() {
        Some("Valve") => json(r#"{"response":{"steamid":"103582791429521412","success":1}}"#),
        Some("odd") => json(r#"{"response":{"steamid":"76561197960265729","success":1}}"#),
        Some(_) | None => json(r#"{"response":{"success":42,"message":"No match"}}"#),
    })
    .await;
    let (api, _) = api(&peer.base);
    let find = async |name| api.find_group(name, PEOPLE).await;
    assert_eq!(find("Valve").await, Ok(Some(group(4))));
    assert_eq!(find("none").await, Ok(None));
    assert_eq!(find("odd").await, Err(Unanswered::Unreadable));
    assert_eq!(peer.calls()[0].query("url_type").as_deref(), Some("2"));
}
