//! `groupChecks`, with Steam on loopback.

use app::AppError;
use app::error::PlayersError;
use domain::action::Action;
use domain::plan::Tier;
use emulator::steam::{Account, Group};
use emulator::{Fault, FaultKind, Steam};
use storage::players::server_players;
use testkit::{Engine, START_MS, TestApp, both_databases, steam};

use crate::plugin::actions::cases::{Case, assert_cases};
use crate::plugin::actions::{Stage, assert_answer, assert_refused};

const CASES: [Case; 8] = [
    Case::Get("200 nobody asked for", "id="),
    Case::Get("400 without an id", ""),
    Case::Get("400 without a group", "id={S1}"),
    Case::Get("503 without Steam", "id={S1}&group=4"),
    Case::Get(
        "503 without Steam, with an entry that is no id",
        "id={S1},x&group=4",
    ),
    Case::Post(
        "400 with numbers instead of texts",
        "",
        r#"{"ids":[76561197960265729]}"#,
    ),
    Case::Post("400 with a body that is no JSON", "", "{"),
    Case::Get("400 with too many ids", "id={MANY_S}"),
];

const ROUTE: &str = "GET /ISteamUser/GetUserGroupList/v1";

/// A stage whose Guild has the Steam group 4. Player 1 is in it, player 2 is not, player 3 is private.
async fn stage(engine: Engine) -> (Stage, Steam) {
    let (test, peer) = TestApp::start_with_steam(engine).await;
    peer.set_membership(&steam(1), 4, true);
    peer.set_membership(&steam(1), 9, true);
    peer.set_account(&steam(2), Account::named("Bo"));
    let private = Account {
        private: true,
        groups: vec!["4".to_owned()],
        ..Account::named("Cy")
    };
    peer.set_account(&steam(3), private);
    let stage = Stage::of(test).await;
    stage.set_steam_group(Some("103582791429521412")).await.unwrap();
    (stage, peer)
}

fn list(players: impl IntoIterator<Item = u64>) -> String {
    let ids: Vec<String> = players
        .into_iter()
        .map(|number| steam(number).to_string())
        .collect();
    ids.join(",")
}

fn told(answers: &[(u64, bool)]) -> String {
    let pairs: Vec<String> = answers
        .iter()
        .map(|(number, member)| format!("\"{}\":{member}", steam(*number)))
        .collect();
    format!("{{{}}}", pairs.join(","))
}

both_databases! {
    async fn an_entry_that_is_no_steam_id_is_left_out(engine) {
        let (stage, peer) = stage(engine).await;
        let reply = stage.get(&format!("groupChecks&id=bot,{},{}", list([1, 2]), testkit::discord(1))).await;
        assert_answer(&reply, 200, &told(&[(1, true), (2, false)]));
        drop(peer);
        stage.test.finish().await;
    }

    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::GroupChecks, "", &CASES).await;
    }

    async fn members_and_others_are_told_and_who_cannot_be_told_is_left_out(engine) {
        let (stage, _peer) = stage(engine).await;
        // Player 77 is nobody that Steam knows.
        let asked = list([2, 3, 1, 77]);
        let expected = told(&[(2, false), (1, true)]);
        assert_answer(&stage.get(&format!("groupChecks&id={asked}")).await, 200, &expected);
        let body = format!(r#"{{"ids":["{}","{}"]}}"#, steam(1), steam(2));
        assert_answer(&stage.post("groupChecks", &body).await, 200, &told(&[(1, true), (2, false)]));
        assert_answer(&stage.get("groupChecks&id=").await, 200, "{}");
        assert_refused(&stage.get("groupChecks").await, 400, "INVALID_PARAMETER");
        stage.test.finish().await;
    }

    async fn a_group_is_asked_for_by_number_and_anything_else_means_the_guilds_own(engine) {
        let (stage, _peer) = stage(engine).await;
        for (group, member) in [
            ("4", true),
            ("9", true),
            ("103582791429521417", true),
            ("5", false),
            ("", true),
            ("0", true),
            ("vip", true),
            ("some%20name", true),
            ("99999999999999999999", true),
        ] {
            let reply = stage.get(&format!("groupChecks&id={}&group={group}", steam(1))).await;
            assert_answer(&reply, 200, &told(&[(1, member)]));
        }
        stage.test.finish().await;
    }

    async fn a_guild_without_a_group_has_to_name_one(engine) {
        let (stage, _peer) = stage(engine).await;
        stage.set_steam_group(None).await.unwrap();
        for group in ["", "&group=vip"] {
            let reply = stage.get(&format!("groupChecks&id={}{group}", steam(1))).await;
            assert_refused(&reply, 400, "INVALID_PARAMETER");
            assert_eq!(reply.json()["parameter"], "group");
        }
        let named = stage.get(&format!("groupChecks&id={}&group=4", steam(1))).await;
        assert_answer(&named, 200, &told(&[(1, true)]));
        stage.test.finish().await;
    }

    async fn answers_are_remembered_for_ten_minutes_whichever_group_is_asked_for(engine) {
        let (stage, peer) = stage(engine).await;
        let poll = format!("groupChecks&id={}", list([1, 2, 3]));
        stage.get(&poll).await;
        assert_eq!(peer.hub().count(ROUTE), 3);
        peer.set_membership(&steam(1), 4, false);
        stage.test.clock.advance_ms(10 * 60_000 - 1);
        // Setting the wall clock makes nothing older or younger.
        stage.test.clock.set_ms(stage.test.app.now_ms() - 11 * 60_000);
        assert_answer(&stage.get(&poll).await, 200, &told(&[(1, true), (2, false)]));
        stage.get(&format!("{poll}&group=9")).await;
        assert_eq!(peer.hub().count(ROUTE), 3, "known, and a private profile is known to be private");
        stage.test.clock.advance_ms(1);
        assert_answer(&stage.get(&poll).await, 200, &told(&[(1, false), (2, false)]));
        assert_eq!(peer.hub().count(ROUTE), 6);
        stage.test.finish().await;
    }

    async fn polls_at_the_same_time_ask_about_a_player_once(engine) {
        let (stage, peer) = stage(engine).await;
        let poll = format!("groupChecks&id={}", list(1..=60));
        let answers = futures_util::future::join_all((0..8).map(|_| stage.get(&poll))).await;
        for answer in answers {
            assert_answer(&answer, 200, &told(&[(1, true), (2, false)]));
        }
        assert_eq!(peer.hub().count(ROUTE), 60);
        stage.test.finish().await;
    }

    async fn when_nobody_can_be_told_it_is_503_and_it_recovers(engine) {
        let (stage, peer) = stage(engine).await;
        let private = stage.get(&format!("groupChecks&id={}", steam(3))).await;
        assert_refused(&private, 503, "STEAM_UNAVAILABLE");
        assert_eq!(private.header("retry-after"), Some("30"));
        for fault in [FaultKind::Drop, FaultKind::Error500, FaultKind::Garbage, FaultKind::RateLimit] {
            peer.hub().add_fault(Fault::new(ROUTE, fault).times(1));
            assert_refused(&stage.get(&format!("groupChecks&id={}", steam(1))).await, 503, "STEAM_UNAVAILABLE");
        }
        // As long as Steam wanted to be left alone.
        stage.test.clock.advance_ms(1_000);
        assert_answer(&stage.get(&format!("groupChecks&id={}", steam(1))).await, 200, &told(&[(1, true)]));
        stage.test.finish().await;
    }

    async fn what_is_remembered_outlives_an_outage_and_nothing_hammers_it(engine) {
        let (stage, peer) = stage(engine).await;
        stage.get(&format!("groupChecks&id={}", steam(1))).await;
        peer.hub().add_fault(Fault::new(ROUTE, FaultKind::Error500));
        peer.hub().forget_calls();
        for _ in 0..5 {
            let reply = stage.get(&format!("groupChecks&id={}", list(1..=100))).await;
            assert_answer(&reply, 200, &told(&[(1, true)]));
        }
        // Calls that were under way when the fifth failed may still arrive.
        assert!(peer.hub().count(ROUTE) <= 12, "{}", peer.hub().count(ROUTE));
        stage.test.finish().await;
    }

    async fn two_thousand_players_are_asked_about_once_each(engine) {
        let (test, peer) = TestApp::start_with_steam(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        tenant.link(&test.app, 1_999).await;
        let caller = test.plugin(&tenant.key);
        for number in 0..2_000 {
            peer.set_membership(&steam(number), 4, number % 2 == 0);
        }
        let poll = format!("/api?action=groupChecks&group=4&id={}", list(0..2_000));
        let first = caller.get(&poll).await;
        assert_eq!(first.json()[steam(1_999).as_str()], false, "the linked one comes first");
        test.settle().await;
        let second = caller.get(&poll).await.json();
        let answers = second.as_object().unwrap();
        assert_eq!(answers.len(), 2_000);
        assert_eq!(answers.values().filter(|member| **member == true).count(), 1_000);
        assert_eq!(peer.hub().count(ROUTE), 2_000);
        test.finish().await;
    }

    async fn linked_players_of_a_poll_are_seen_whatever_steam_says(engine) {
        let (stage, peer) = stage(engine).await;
        peer.hub().add_fault(Fault::new(ROUTE, FaultKind::Error500));
        let test = &stage.test;
        test.plugin(&stage.tenant.key).get(&format!("/api?action=groupChecks&id={}", list([1, 77]))).await;
        app::background::flush_seen(&test.app).await.unwrap();
        let server = app::tenancy::servers::get(&test.app, stage.tenant.scope, &stage.tenant.server).await.unwrap().num;
        assert_eq!(server_players::find_last_seen(&test.app.db, server, &steam(1)).await.unwrap(), Some(START_MS));
        assert_eq!(server_players::find_last_seen(&test.app.db, server, &steam(77)).await.unwrap(), None);
        stage.test.finish().await;
    }

    async fn without_a_key_for_steam_the_answer_says_so(engine) {
        let stage = Stage::set(engine).await;
        let asked = format!("groupChecks&group=4&id={}", steam(1));
        assert_refused(&stage.get(&asked).await, 503, "STEAM_NOT_CONFIGURED");
        stage.test.finish().await;
    }

    async fn a_guilds_group_is_set_by_number_address_or_name(engine) {
        let (stage, peer) = stage(engine).await;
        let group = Group { name: "Ours".to_owned(), vanity: "our-group".to_owned() };
        peer.change(|state| state.groups.insert("12".to_owned(), group));
        let owner = stage.test.person(&stage.test.session(&stage.tenant.owner).await);
        let path = format!("/orgs/{}/guilds/{}", stage.tenant.org, stage.tenant.guild);
        let set = async |group: serde_json::Value| {
            let body = serde_json::json!({ "steam_group": group }).to_string();
            owner.send(http::Method::PATCH, &path, body.into()).await
        };
        for (text, stored, number) in [
            ("7", "7", "7"),
            (" 103582791429521412 ", "103582791429521412", "4"),
            ("https://steamcommunity.com/groups/Our-Group", "https://steamcommunity.com/groups/Our-Group", "12"),
        ] {
            assert_eq!(set(text.into()).await.status, 204, "{text}");
            let shown = owner.get(&path).await.json();
            assert_eq!(shown["steam_group"], serde_json::json!({ "pasted": stored, "id": number }));
        }
        for wrong in ["", "0", "https://steamcommunity.com/id/ada", "no-such-group", &"x".repeat(300)] {
            let refused = set(wrong.into()).await;
            assert_refused(&refused, 400, "INVALID_PARAMETER");
            assert_eq!(refused.json()["parameter"], "steam_group", "{wrong}");
        }
        peer.hub().add_fault(Fault::new("*", FaultKind::Error500).times(1));
        assert_refused(&set("another-group".into()).await, 503, "STEAM_UNAVAILABLE");
        assert_eq!(owner.get(&path).await.json()["steam_group"]["id"], "12", "a refusal changes nothing");
        assert_eq!(set(serde_json::Value::Null).await.status, 204);
        assert_eq!(owner.get(&path).await.json()["steam_group"], serde_json::Value::Null);
        stage.test.finish().await;
    }
}

/// A name needs Steam, a number does not.
#[tokio::test]
async fn without_a_key_for_steam_a_group_is_set_by_number_only() {
    let stage = Stage::set(Engine::Sqlite).await;
    stage.set_steam_group(Some("7")).await.unwrap();
    let named = stage.set_steam_group(Some("name")).await;
    assert!(matches!(
        named,
        Err(AppError::Players(PlayersError::SteamNotConfigured))
    ));
    stage.test.finish().await;
}

/// It takes the real five seconds that a poll waits at most.
#[tokio::test]
async fn a_steam_that_hangs_holds_no_poll() {
    let (stage, peer) = stage(Engine::Sqlite).await;
    stage.get(&format!("groupChecks&id={}", steam(1))).await;
    peer.hub().add_fault(Fault::new(ROUTE, FaultKind::Hang));
    let asked = format!("groupChecks&id={}", list(1..=100));
    let (reply, took) = testkit::own_time(stage.get(&asked)).await;
    assert_answer(&reply, 200, &told(&[(1, true)]));
    assert!(took < std::time::Duration::from_secs(8), "it took {took:?}");
    peer.hub().remove_faults();
    stage.test.finish().await;
}
