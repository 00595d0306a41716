//! `findByDiscord`, `discordCheck`, `steamChecks`, `isLinkedSteamBulk` and `getPlayer`.

use domain::plan::Tier;
use testkit::{TestApp, both_databases, discord, steam};

use super::{Stage, assert_answer, assert_refused};

both_databases! {
    async fn a_discord_id_finds_its_steam_id_under_both_names(engine) {
        let stage = Stage::set(engine).await;
        for action in ["findByDiscord", "discordCheck"] {
            let found = stage.get(&format!("{action}&id={}", discord(2))).await;
            assert_answer(&found, 200, &format!("\"{}\"", steam(2)));
            let missed = stage.get(&format!("{action}&id={}", discord(9))).await;
            assert_answer(&missed, 404, "\"No users found.\"");
            let wrong = stage.get(&format!("{action}&id={}", steam(2))).await;
            assert_refused(&wrong, 400, "INVALID_PARAMETER");
            assert!(wrong.json()["message"].as_str().unwrap().contains("No users"));
        }
        stage.test.finish().await;
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
            assert_answer(&stage.get(action).await, 200, "{}");
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
        for (query, body) in [("steamChecks&id=1", ""), ("steamChecks", r#"{"ids":[76561197960265729]}"#), ("steamChecks", "{")] {
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

    async fn a_player_is_described_by_either_id(engine) {
        let stage = Stage::set(engine).await;
        stage.get(&format!("updateSteam&id={}&name=Ada", steam(1))).await;
        stage.get(&format!("updateOxideGroups&id={}&groups=vip", steam(1))).await;
        for id in [steam(1).to_string(), discord(1).to_string()] {
            let player = stage.get(&format!("getPlayer&id={id}")).await.json();
            assert_eq!(player["linked"], true);
            assert_eq!((&player["discord_id"], &player["steam_id"]), (&discord(1).to_string().into(), &steam(1).to_string().into()));
            assert_eq!((&player["steam_name"], &player["groups"]), (&"Ada".into(), &serde_json::json!(["vip"])));
        }
        assert_refused(&stage.get("getPlayer&id=x").await, 400, "INVALID_PARAMETER");
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
