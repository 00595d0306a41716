//! Steam's sign-in, with a provider that may lie.

use std::collections::HashSet;
use std::sync::Arc;

use domain::clock::TestClock;
use platform::Unanswered;
use platform::steam::OpenId;
use platform::steam::openid::{Assertion, Confirmed, NotConfirmed};

use crate::peer::{Call, Peer, Say};

/// 1 January 2026, 00:00 UTC.
const NOW: i64 = 1_767_225_600_000;
const YES: &str = "ns:http://specs.openid.net/auth/2.0\nis_valid:true\n";
const NO: &str = "ns:http://specs.openid.net/auth/2.0\nis_valid:false\n";
const ID: &str = "https://steamcommunity.com/openid/id/76561197960265729";
const FIELDS: [&str; 10] = [
    "ns",
    "mode",
    "op_endpoint",
    "claimed_id",
    "identity",
    "return_to",
    "response_nonce",
    "assoc_handle",
    "signed",
    "sig",
];

struct Stage {
    peer: Peer,
    steam: OpenId,
    clock: Arc<TestClock>,
}

impl Stage {
    async fn set(answers: impl Fn(&Call) -> Say + Send + 'static) -> Stage {
        let peer = Peer::start(answers).await;
        let clock = Arc::new(TestClock::new(NOW));
        let endpoint = format!("{}/openid/login", peer.base);
        let steam = OpenId::new(&endpoint, "https://link.example", Arc::clone(&clock) as _).unwrap();
        Stage { peer, steam, clock }
    }

    /// What a browser brings back after a sign-in.
    fn assertion(&self) -> Assertion {
        let return_to = self.steam.return_to("/auth/steam/callback", "flow1");
        let values = [
            "http://specs.openid.net/auth/2.0",
            "id_res",
            "https://steamcommunity.com/openid/login",
            ID,
            ID,
            return_to.as_str(),
            "2026-01-01T00:00:00Zq+/7==",
            "1234567890",
            "signed,op_endpoint,claimed_id,identity,return_to,response_nonce,assoc_handle",
            "W0u5DRbtHE1GG0ZKXjerUZDUGmc=",
        ];
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("flow", "flow1");
        for (name, value) in FIELDS.iter().zip(values) {
            query.append_pair(&format!("openid.{name}"), value);
        }
        Assertion::parse(&query.finish(), &return_to, NOW).unwrap()
    }

    async fn check(&self) -> Result<Confirmed, NotConfirmed> {
        self.steam.check(self.assertion()).await
    }
}

#[tokio::test]
async fn steam_is_asked_with_the_ten_fields_and_nothing_else() {
    let stage = Stage::set(|_| Say::Text(200, YES.to_owned())).await;
    let confirmed = stage.check().await.unwrap();
    assert_eq!(confirmed.steam_id.as_str(), "76561197960265729");
    let calls = stage.peer.calls();
    assert_eq!(calls.len(), 1);
    assert_eq!(
        (calls[0].method.as_str(), calls[0].uri.to_string()),
        ("POST", "/openid/login".to_owned())
    );
    let sent: Vec<String> = form_urlencoded::parse(calls[0].body.as_bytes())
        .map(|(name, _)| name.into_owned())
        .collect();
    assert_eq!(sent, FIELDS.map(|name| format!("openid.{name}")));
    assert_eq!(
        calls[0].form("openid.mode").as_deref(),
        Some("check_authentication")
    );
    assert_eq!(
        calls[0].form("openid.sig").as_deref(),
        Some("W0u5DRbtHE1GG0ZKXjerUZDUGmc=")
    );
    assert_eq!(
        calls[0].form("openid.response_nonce").as_deref(),
        Some("2026-01-01T00:00:00Zq+/7==")
    );
}

#[tokio::test]
async fn a_no_is_a_no() {
    let stage = Stage::set(|_| Say::Text(200, NO.to_owned())).await;
    for _ in 0..10 {
        assert_eq!(stage.check().await, Err(NotConfirmed::Denied));
    }
    assert_eq!(stage.peer.calls().len(), 10, "an honest no is not a failure");
}

#[tokio::test]
async fn whatever_is_not_a_plain_yes_lets_nobody_in() {
    let stage = Stage::set(|_| Say::Nothing).await;
    let ns = "ns:http://specs.openid.net/auth/2.0\n";
    let elsewhere = format!("{}/yes", stage.peer.base);
    let mut cases = vec![
        (Say::Text(403, YES.to_owned()), Unanswered::Status(403)),
        (
            Say::Text(429, YES.to_owned()),
            Unanswered::Throttled {
                retry_after_ms: 5_000,
                for_all: false,
            },
        ),
        (Say::Text(500, YES.to_owned()), Unanswered::Status(500)),
        (Say::Text(201, YES.to_owned()), Unanswered::Status(201)),
        (Say::Redirect(elsewhere), Unanswered::Status(302)),
        (
            Say::Text(200, format!("{YES}{}", "x:y\n".repeat(2_000))),
            Unanswered::TooLong,
        ),
    ];
    for body in [
        String::new(),
        "is_valid:true\n".to_owned(),
        "<html><body>is_valid:true</body></html>".to_owned(),
        format!("{ns}xis_valid:true\n"),
        format!("{ns}is_valid:true:x\n"),
        format!("{ns}is_valid:false\nis_valid:true\n"),
        format!("{ns}{YES}"),
    ] {
        cases.push((Say::Text(200, body), Unanswered::Unreadable));
    }
    for (say, cause) in cases {
        let said = say.clone();
        stage.peer.now(move |call: &Call| match call.uri.path() {
            "/yes" => Say::Text(200, YES.to_owned()),
            _ => said.clone(),
        });
        assert_eq!(stage.check().await, Err(NotConfirmed::TryAgain(cause)));
        assert_eq!(stage.peer.calls().len(), 1, "no redirect is followed");
        // The next sign-in works, and keeps the breaker closed.
        stage.peer.now(|_| Say::Text(200, YES.to_owned()));
        stage.clock.advance_ms(5_000);
        assert!(stage.check().await.is_ok());
        stage.peer.calls();
    }
}

/// Time stands still here but for timers, so what takes five seconds is over at once.
#[tokio::test(start_paused = true)]
async fn a_steam_that_hangs_is_given_up_within_six_seconds() {
    let stage = Stage::set(|_| Say::Nothing).await;
    let before = tokio::time::Instant::now();
    assert_eq!(
        stage.check().await,
        Err(NotConfirmed::TryAgain(Unanswered::Timeout))
    );
    assert!(before.elapsed() <= std::time::Duration::from_secs(6));
}

#[tokio::test]
async fn a_steam_that_fails_is_left_alone_and_found_again() {
    let stage = Stage::set(|_| Say::Text(503, String::new())).await;
    for _ in 0..20 {
        assert!(matches!(stage.check().await, Err(NotConfirmed::TryAgain(_))));
    }
    assert_eq!(stage.peer.calls().len(), 5);
    stage.peer.now(|_| Say::Text(200, YES.to_owned()));
    stage.clock.advance_ms(5_000);
    assert!(stage.check().await.is_ok());
    assert!(stage.check().await.is_ok());
}

/// A provider that says yes to everything must not be enough: the nonce is what the caller's table refuses.
#[tokio::test]
async fn a_replayed_sign_in_brings_the_same_nonce() {
    let stage = Stage::set(|_| Say::Text(200, YES.to_owned())).await;
    let mut recorded = HashSet::new();
    let first = stage.check().await.unwrap();
    assert!(recorded.insert(first.nonce.as_str().to_owned()));
    let second = stage.check().await.unwrap();
    assert!(!recorded.insert(second.nonce.as_str().to_owned()));
}
