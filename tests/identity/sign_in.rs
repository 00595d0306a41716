//! Signing in with Discord.

use std::time::Duration;

use app::identity::blocklist::{BlockRequest, block};
use domain::audit::Actor;
use domain::blocklist::BlockEntry;
use emulator::{Fault, FaultKind};
use testkit::{both_databases, discord, own_time};

use crate::linking::stage::{Browser, Stage, own_path, visit};

const TOKEN: &str = "POST /api/v10/oauth2/token";
const PERSON: &str = "GET /api/v10/users/@me";
const MINUTE_MS: i64 = 60_000;

/// What Discord sends the browser back with.
pub async fn answer(browser: &mut Browser, return_to: &str, number: u64) -> String {
    let reply = browser
        .get(&format!("/auth/discord/login?return_to={return_to}"))
        .await;
    assert_eq!(reply.status, 303, "{}", reply.text());
    let there = reply.header("location").expect("an address");
    own_path(&visit(&format!("{there}&as={}", discord(number))).await)
}

pub async fn enter(stage: &Stage, number: u64) -> Browser {
    let mut browser = stage.browser();
    let back = answer(&mut browser, "/app/", number).await;
    assert_eq!(browser.get(&back).await.status, 303);
    browser
}

async fn block_person(stage: &Stage, number: u64) {
    let request = BlockRequest {
        entry: BlockEntry::discord(&discord(number)),
        discord_id: Some(discord(number)),
        reason: "test".to_owned(),
        days: None,
    };
    block(&stage.test.app, request, Actor::Operator).await.unwrap();
}

both_databases! {
    async fn a_person_comes_back_to_where_they_wanted_to_go_with_a_session(engine) {
        let stage = Stage::set(engine).await;
        let mut browser = stage.browser();
        let wanted = "/app/orgs/org_01ARZ3NDEKTSV4RRFFQ69G5FAV/team";
        let back = answer(&mut browser, wanted, 1).await;
        let reply = browser.get(&back).await;
        assert_eq!((reply.status.as_u16(), reply.header("location")), (303, Some(wanted)));
        let cookies: Vec<&str> = reply.headers.get_all("set-cookie").iter().map(|value| value.to_str().unwrap()).collect();
        let session = cookies.iter().find(|cookie| cookie.starts_with("symbolon=")).expect("a session");
        for part in ["; Path=/", "; HttpOnly", "; SameSite=Lax"] {
            assert!(session.contains(part), "{session}");
        }
        assert!(!session.contains("Domain"));
        let me = browser.get("/account").await.json();
        assert_eq!((&me["name"], &me["discord_id"]), (&"Player 1".into(), &discord(1).as_str().into()));
        assert_eq!(me["orgs"], serde_json::json!([]));
        stage.test.settle().await;
        assert!(stage.discord.grants().is_empty(), "the token is given back");
        let dump = stage.dump().await;
        for secret in browser.cookies.values().filter(|value| !value.is_empty()) {
            assert!(!dump.contains(secret.as_str()));
        }
        stage.finish().await;
    }

    async fn people_are_known_by_their_id_and_called_by_their_newest_name(engine) {
        let stage = Stage::set(engine).await;
        let mut first = enter(&stage, 1).await;
        testkit::rename_player(&stage.discord, &stage.steam, 1, "New name");
        testkit::rename_player(&stage.discord, &stage.steam, 2, "Player 1");
        let mut again = enter(&stage, 1).await;
        let mut other = enter(&stage, 2).await;
        let (first, again, other) = (first.get("/account").await.json(), again.get("/account").await.json(), other.get("/account").await.json());
        assert_eq!((&first["id"], &again["name"]), (&again["id"], &"New name".into()));
        assert_ne!(other["id"], first["id"]);
        stage.finish().await;
    }

    async fn an_answer_counts_once_in_its_own_browser_within_ten_minutes(engine) {
        let stage = Stage::set(engine).await;
        let mut browser = stage.browser();
        let back = answer(&mut browser, "/app/", 1).await;
        let mut stranger = stage.browser();
        let theirs = answer(&mut stranger, "/app/", 2).await;
        assert_eq!(stage.browser().get(&back).await.status, 400, "without the cookie");
        assert_eq!(stranger.get(&back).await.status, 400, "in another browser");
        assert_eq!(browser.get(&theirs).await.status, 400, "somebody else's");
        assert_eq!(browser.get(&back.replace("login", "link")).await.status, 400, "for another purpose");
        assert_eq!(browser.get(&back.replace("login", "claim")).await.status, 401, "for another purpose");
        assert_eq!(stage.discord.hub().count(TOKEN), 0);
        assert_eq!(browser.get(&back).await.status, 303);
        assert_eq!(browser.get(&back).await.status, 400, "again");
        assert_eq!(stage.discord.hub().count(TOKEN), 1);
        let mut slow = stage.browser();
        let late = answer(&mut slow, "/app/", 3).await;
        stage.test.clock.advance_ms(10 * MINUTE_MS);
        assert_eq!(slow.get(&late).await.status, 400, "too late");
        assert_eq!(stage.discord.hub().count(TOKEN), 1);
        stage.finish().await;
    }

    async fn nobody_is_sent_to_another_site(engine) {
        let stage = Stage::set(engine).await;
        for wanted in ["//evil.example", "/%5Cevil.example", "https://evil.example/app/", "/app/%0d%0aSet-Cookie:x=1", "/app/..%2f", "/orgs"] {
            let mut browser = stage.browser();
            let back = answer(&mut browser, wanted, 1).await;
            let reply = browser.get(&back).await;
            assert_eq!(reply.header("location"), Some("/app/"), "{wanted}");
            stage.test.clock.advance_ms(MINUTE_MS);
        }
        let forged = stage.test.client().header("host", "evil.example").header("x-forwarded-host", "evil.example");
        let reply = forged.get("/auth/discord/login").await;
        assert!(!reply.header("location").unwrap().contains("evil"));
        stage.finish().await;
    }

    async fn every_sign_in_is_a_new_session_and_the_old_one_ends(engine) {
        let stage = Stage::set(engine).await;
        let mut browser = enter(&stage, 1).await;
        let old = browser.cookies["symbolon"].clone();
        let back = answer(&mut browser, "/app/", 1).await;
        assert_eq!(browser.get(&back).await.status, 303);
        assert_ne!(browser.cookies["symbolon"], old);
        assert_eq!(stage.test.person(&old).get("/account").await.status, 401);
        assert_eq!(browser.get("/account").await.status, 200);
        let fixed = "A".repeat(43);
        let mut lured = stage.browser();
        lured.cookies.insert("symbolon".to_owned(), fixed.clone());
        let back = answer(&mut lured, "/app/", 2).await;
        assert_eq!(lured.get(&back).await.status, 303);
        assert_ne!(lured.cookies["symbolon"], fixed);
        stage.finish().await;
    }

    async fn a_blocked_network_makes_no_token_call_and_a_blocked_account_gets_no_session(engine) {
        let stage = Stage::set(engine).await;
        let mut kept = enter(&stage, 2).await;
        let calls = stage.discord.hub().count(TOKEN);
        let mut browser = stage.browser();
        let back = answer(&mut browser, "/app/", 1).await;
        let request = BlockRequest {
            entry: BlockEntry::network("203.0.113.0/24").unwrap(),
            discord_id: None,
            reason: "test".to_owned(),
            days: Some(1),
        };
        block(&stage.test.app, request, Actor::Operator).await.unwrap();
        let reply = browser.get(&back).await;
        assert_eq!(reply.status, 403);
        assert!(reply.text().contains("cannot sign in here"));
        assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"));
        assert!(reply.text().contains("<h1>You can’t sign in here</h1>"), "a page of its own");
        assert_eq!(stage.test.client().get("/auth/discord/login").await.status, 403);
        assert_eq!(stage.discord.hub().count(TOKEN), calls);
        stage.test.clock.advance_ms(2 * 24 * 60 * MINUTE_MS);

        block_person(&stage, 1).await;
        let mut browser = stage.browser();
        let back = answer(&mut browser, "/app/", 1).await;
        assert_eq!(browser.get(&back).await.status, 403);
        stage.test.settle().await;
        assert!(stage.discord.grants().is_empty(), "its token is given back");
        assert!(!browser.cookies.contains_key("symbolon"));
        assert_eq!(stage.count(&format!("accounts WHERE discord_id = '{}'", discord(1))).await, 0);

        assert_eq!(kept.get("/account").await.status, 200);
        block_person(&stage, 2).await;
        assert_eq!(kept.get("/account").await.status, 401, "a block ends sessions");
        stage.finish().await;
    }

    async fn sessions_are_listed_and_ended_by_their_owner_alone(engine) {
        let stage = Stage::set(engine).await;
        let client = stage.test.client().header("user-agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0");
        let mut named = Browser { client, ..stage.browser() };
        let back = answer(&mut named, "/app/", 1).await;
        assert_eq!(named.get(&back).await.status, 303);
        stage.test.clock.advance_ms(MINUTE_MS);
        let (one, two, foreign) = (enter(&stage, 1).await, enter(&stage, 1).await, enter(&stage, 2).await);
        let person = |browser: &Browser| stage.test.person(&browser.cookies["symbolon"]);
        let list = person(&one).get("/account/sessions").await.json();
        let sessions = list["sessions"].as_array().unwrap();
        assert_eq!(sessions.len(), 3);
        assert_eq!(sessions.iter().filter(|session| session["current"] == true).count(), 1);
        let of_named = sessions.iter().find(|session| session["device"] == "Firefox on Linux").expect("a named one");
        let address = format!("/account/sessions/{}", of_named["id"].as_str().unwrap());
        let delete = |who: testkit::Client, uri: String| async move { who.send(http::Method::DELETE, &uri, axum::body::Body::empty()).await.status.as_u16() };
        assert_eq!(delete(person(&foreign), address.clone()).await, 404);
        assert_eq!(delete(person(&one), address.clone()).await, 204);
        assert_eq!(delete(person(&one), address).await, 404);
        assert_eq!(person(&named).get("/account").await.status, 401);
        assert_eq!(delete(person(&one), "/account/sessions".to_owned()).await, 204);
        assert_eq!(person(&two).get("/account").await.status, 401);
        assert_eq!((person(&one).get("/account").await.status, person(&foreign).get("/account").await.status), (http::StatusCode::OK, http::StatusCode::OK));
        let out = person(&one).post("/account/sign-out", "").await;
        assert_eq!((out.status.as_u16(), out.header("clear-site-data")), (204, Some("\"cache\", \"cookies\", \"storage\"")));
        assert!(out.header("set-cookie").unwrap().starts_with("symbolon=; Path=/; Max-Age=0"));
        assert_eq!(person(&one).get("/account").await.status, 401);
        stage.finish().await;
    }

    async fn a_network_begins_thirty_sign_ins_a_minute_and_looking_stores_nothing(engine) {
        let stage = Stage::set(engine).await;
        for path in ["/", "/app", "/app/orgs/x", "/invite/x", "/account"] {
            stage.test.client().get(path).await;
        }
        assert_eq!(stage.count("sign_ins").await, 0);
        let mut begun = 0;
        for _ in 0..40 {
            begun += i64::from(stage.test.client().get("/auth/discord/login").await.status == 303);
        }
        assert_eq!((begun, stage.count("sign_ins").await), (30, 30));
        stage.test.clock.advance_ms(11 * MINUTE_MS);
        app::background::keep_house(&stage.test.app).await.unwrap();
        assert_eq!(stage.count("sign_ins").await, 0);
        stage.finish().await;
    }

    async fn somebody_who_says_no_at_discord_is_not_signed_in(engine) {
        let stage = Stage::set(engine).await;
        let mut browser = stage.browser();
        let back = answer(&mut browser, "/app/", 1).await;
        let state = back.split(['?', '&']).find(|part| part.starts_with("state=")).expect("a state");
        let refused = format!("/auth/discord/login/callback?error=access_denied&{state}");
        assert_eq!(browser.get(&refused).await.status, 400);
        assert_eq!((stage.count("sessions").await, stage.discord.hub().count(TOKEN)), (0, 0));
        stage.finish().await;
    }

    async fn what_discord_has_against_one_person_stops_nobody_else(engine) {
        let stage = Stage::set(engine).await;
        for (route, number) in [(PERSON, 1), (TOKEN, 3)] {
            let mut unlucky = stage.browser();
            let back = answer(&mut unlucky, "/app/", number).await;
            stage.discord.hub().add_fault(Fault::new(route, FaultKind::Error403).times(1));
            assert_eq!(unlucky.get(&back).await.status, 503, "{route}");
            let mut next = stage.browser();
            let back = answer(&mut next, "/app/", number + 1).await;
            assert_eq!(next.get(&back).await.status, 303, "{route}");
            assert!(next.cookies.contains_key("symbolon"), "{route}");
        }
        stage.finish().await;
    }

    async fn discord_in_trouble_signs_nobody_in_and_keeps_no_token(engine) {
        let stage = Stage::set(engine).await;
        for route in [TOKEN, PERSON] {
            for kind in [FaultKind::RateLimit, FaultKind::Error500, FaultKind::Error403, FaultKind::Garbage, FaultKind::Drop] {
                let mut browser = stage.browser();
                let back = answer(&mut browser, "/app/", 1).await;
                stage.discord.hub().add_fault(Fault::new(route, kind).times(1));
                let reply = browser.get(&back).await;
                assert_eq!(reply.status, 503, "{route} {kind:?}");
                assert!(reply.text().contains("Discord is not responding"), "{route} {kind:?}");
                assert!(!browser.cookies.contains_key("symbolon"));
                stage.test.settle().await;
                assert!(stage.discord.grants().is_empty(), "{route} {kind:?}: a token that was given goes back");
                stage.test.clock.advance_ms(60_000);
            }
        }
        assert_eq!((stage.count("sessions").await, stage.count("sign_ins").await), (0, 0));
        let mut later = enter(&stage, 1).await;
        assert_eq!(later.get("/account").await.status, 200);
        stage.finish().await;
    }

    /// The one promise about time can only be seen by waiting.
    async fn a_discord_that_falls_silent_half_way_is_given_up_within_six_seconds(engine) {
        let stage = Stage::set(engine).await;
        let mut browser = stage.browser();
        let back = answer(&mut browser, "/app/", 1).await;
        stage.discord.hub().add_fault(Fault::new(PERSON, FaultKind::Hang).times(1));
        let (reply, took) = own_time(browser.get(&back)).await;
        assert_eq!(reply.status, 503);
        assert!(took < Duration::from_secs(6), "it took {took:?}");
        stage.discord.hub().remove_faults();
        stage.test.settle().await;
        assert!(stage.discord.grants().is_empty(), "a token that was given goes back");
        assert_eq!(stage.count("sessions").await, 0);
        stage.finish().await;
    }
}
