//! `steamChecks`.

use domain::action::Action;
use domain::plan::Tier;
use testkit::{TestApp, both_databases, discord, steam};

use crate::plugin::actions::cases::{Case, assert_cases};
use crate::plugin::actions::{Stage, assert_answer, assert_refused};

const CASES: [Case; 8] = [
    Case::Get("200 linked and not", "id={S9},%20{S2}%20,,{S1},{S9}"),
    Case::Post("200 from a body", "", r#"{"ids":["{S1}","{S9}"]}"#),
    Case::Get("200 nobody asked for", "id="),
    Case::Get("200 with entries that are no ids", "id=x,{S1},{D1}"),
    Case::Get("400 without an id", ""),
    Case::Post(
        "400 with numbers instead of texts",
        "",
        r#"{"ids":[76561197960265729]}"#,
    ),
    Case::Post("400 with a body that is no JSON", "", "{"),
    Case::Get("400 with too many ids", "id={MANY_S}"),
];

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::SteamChecks, "id={S1}", &CASES).await;
    }

    async fn every_asked_steam_id_is_answered_once_and_in_order(engine) {
        let stage = Stage::set(engine).await;
        let (one, two, nine) = (steam(1), steam(2), steam(9));
        for action in ["steamChecks", "isLinkedSteamBulk"] {
            let reply = stage.get(&format!("{action}&id={nine},%20{two}%20,,{one},{nine}")).await;
            assert_answer(&reply, 200, &format!(r#"{{"{nine}":false,"{two}":true,"{one}":true}}"#));
            let posted = stage.post(action, &format!(r#"{{"ids":["{one}","{nine}"]}}"#)).await;
            assert_answer(&posted, 200, &format!(r#"{{"{one}":true,"{nine}":false}}"#));
            assert_answer(&stage.get(&format!("{action}&id=")).await, 200, "{}");
            assert_answer(&stage.post(action, r#"{"ids":[]}"#).await, 200, "{}");
        }
        stage.test.finish().await;
    }

    async fn one_odd_entry_does_not_stop_a_whole_poll(engine) {
        let stage = Stage::set(engine).await;
        stage.get(&format!("updateNitro&id={}&status=1", discord(1))).await;
        let (one, member) = (steam(1), discord(1));
        let odd = r#"a\"b\u0007é"#;
        for action in ["steamChecks", "isLinkedSteamBulk", "nitroChecks"] {
            let reply = stage.get(&format!("{action}&id=bot,{one},0{one},{member}")).await;
            assert_answer(&reply, 200, &format!(r#"{{"bot":false,"{one}":true,"0{one}":false,"{member}":false}}"#));
            let posted = stage.post(action, &format!(r#"{{"ids":["{odd}"," {one} ","{odd}"]}}"#)).await;
            assert_answer(&posted, 200, &format!(r#"{{"{odd}":false,"{one}":true}}"#));
        }
        for action in ["getPendingOxideChangesBulk", "getSteamBulk"] {
            assert_answer(&stage.get(&format!("{action}&id=bot,{one},{}", discord(9))).await, 200, "{}");
        }
        stage.test.finish().await;
    }

    async fn a_list_without_an_id_is_refused(engine) {
        let stage = Stage::set(engine).await;
        for action in [
            "steamChecks", "isLinkedSteamBulk", "nitroChecks", "groupChecks", "getSteamBulk", "getPendingOxideChangesBulk",
            "clearPendingOxideChangesBulk", "update&role=820000000000000001&mode=add",
        ] {
            for reply in [stage.get(action).await, stage.post(action, "").await] {
                assert_refused(&reply, 400, "INVALID_PARAMETER");
                assert_eq!(reply.json()["parameter"], "id", "{action}");
            }
            assert_refused(&stage.post(action, "{}").await, 400, "INVALID_PARAMETER");
        }
        stage.test.finish().await;
    }

    async fn lists_are_bounded_by_the_plan_and_refused_whole(engine) {
        let stage = Stage::set(engine).await;
        let list = |count: u64| (0..count).map(|number| steam(number).to_string()).collect::<Vec<_>>().join(",");
        let most = stage.get(&format!("steamChecks&id={}", list(500))).await;
        assert_eq!(most.json().as_object().unwrap().len(), 500);
        let surplus = stage.get(&format!("steamChecks&id={}", list(501))).await;
        assert_refused(&surplus, 400, "TOO_MANY_IDS");
        assert_eq!(surplus.json()["limit"], 500);
        // Repetitions do not count.
        let repeated = stage.get(&format!("steamChecks&id={},{}", list(500), list(500))).await;
        assert_eq!(repeated.status, 200);
        for (query, body) in [("steamChecks", r#"{"ids":[76561197960265729]}"#), ("steamChecks", "{")] {
            assert_refused(&stage.post(query, body).await, 400, "INVALID_PARAMETER");
        }
        stage.test.finish().await;
    }

    async fn another_guilds_links_do_not_show(engine) {
        let stage = Stage::set(engine).await;
        let other = stage.test.tenant(2, Tier::Standard).await;
        other.link(&stage.test.app, 7).await;
        let reply = stage.get(&format!("steamChecks&id={}", steam(7))).await;
        assert_answer(&reply, 200, &format!(r#"{{"{}":false}}"#, steam(7)));
        assert_answer(&stage.get(&format!("getPlayer&id={}", steam(7))).await, 200, r#"{"linked":false}"#);
        stage.test.finish().await;
    }

    async fn two_thousand_ids_of_the_largest_plan_are_answered_in_one_call(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        tenant.link(&test.app, 5).await;
        let list = (0..2_000).map(|number| steam(number).to_string()).collect::<Vec<_>>().join(",");
        let reply = test.plugin(&tenant.key).get(&format!("/api?action=steamChecks&id={list}")).await;
        let answers = reply.json();
        assert_eq!(answers.as_object().unwrap().values().filter(|linked| **linked == true).count(), 1);
        assert_eq!(answers.as_object().unwrap().len(), 2_000);
        test.finish().await;
    }
}
