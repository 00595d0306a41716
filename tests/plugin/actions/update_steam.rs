//! `updateSteam`.

use domain::action::Action;
use testkit::{both_databases, discord, steam};

use crate::plugin::actions::cases::{Case, assert_cases};
use crate::plugin::actions::{Stage, assert_answer, assert_refused};

const CASES: [Case; 10] = [
    Case::Get("200 a name", "id={S1}&name=Ada"),
    Case::Get("200 not linked", "id={S9}&name=Zed"),
    Case::Get("400 without an id", "name=Ada"),
    Case::Get("400 with a Discord id", "id={D1}&name=Ada"),
    Case::Get("400 without a name", "id={S1}"),
    Case::Get("400 with an empty name", "id={S1}&name=%20"),
    Case::Get("400 with a name that takes no room", "id={S1}&name=%E2%80%8B"),
    Case::Post(
        "200 many",
        "",
        r#"{"players":{"{S1}":"Ada","{S2}":"B\u200bo","{S9}":"Zed","x":"X","{S3}":7}}"#,
    ),
    Case::Post(
        "400 with something else than an object",
        "",
        r#"{"players":["{S1}"]}"#,
    ),
    Case::Post("400 with too many ids", "", r#"{"players":{{MANY_P}}}"#),
];

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::UpdateSteam, "id={S1}&name=Ada", &CASES).await;
    }

    async fn a_reported_steam_name_can_be_read_and_waits_for_its_nickname(engine) {
        let stage = Stage::set(engine).await;
        let (player, name) = (discord(1), "Tom & Jerry=1+1 ☃");
        assert_answer(&stage.get(&format!("getSteam&id={player}")).await, 200, "false");
        assert_answer(&stage.get(&format!("getDiscord&id={player}")).await, 200, "false");
        let raw = format!("updateSteam&id={}&name=Tom%20&%20Jerry=1+1%20☃&x=1", steam(1));
        let sent = raw.replace('☃', "%E2%98%83").replace("&x=1", "");
        assert_answer(&stage.get(&sent).await, 200, "\"Steam updated\"");
        assert_eq!(stage.get(&format!("getSteam&id={player}")).await.json(), name);
        assert_eq!(stage.get("pendingNicknames").await.json(), serde_json::json!({ player.to_string(): name }));
        let other = stage.get(&format!("confirmNicknameSync&id={player}&nickname=Tom")).await;
        assert_answer(&other, 200, "\"Nickname sync confirmed\"");
        assert_eq!(stage.get("pendingNicknames").await.json(), serde_json::json!({ player.to_string(): name }));
        let encoded = "Tom%20%26%20Jerry%3D1%2B1%20%E2%98%83";
        stage.get(&format!("confirmNicknameSync&id={player}&nickname={encoded}")).await;
        assert_answer(&stage.get("pendingNicknames").await, 200, "{}");
        stage.test.finish().await;
    }

    async fn many_names_are_stored_in_one_call_and_counted(engine) {
        let stage = Stage::set(engine).await;
        let body = format!(r#"{{"players":{{"{}":"Ada","{}":" B\u200bo ","{}":"Zed","x":"X","{}":""}}}}"#, steam(1), steam(2), steam(9), steam(3));
        assert_answer(&stage.post("updateSteam", &body).await, 200, r#"{"updated":2,"errors":3}"#);
        let (one, two) = (discord(1).to_string(), discord(2).to_string());
        let names = serde_json::json!({ one.as_str(): "Ada", two.as_str(): "Bo" });
        assert_eq!(stage.get("listAllNicknames").await.json(), names);
        assert_eq!(stage.get("pendingNicknames").await.json(), names);
        stage.get(&format!("confirmNicknameSync&id={two}&nickname=Bo")).await;
        assert_eq!(stage.get("pendingNicknames").await.json(), serde_json::json!({ one: "Ada" }));
        // Another Guild's players are not these.
        let other = stage.test.tenant(2, domain::plan::Tier::Standard).await;
        other.link(&stage.test.app, 1).await;
        let theirs = stage.test.plugin(&other.key).post("/api?action=updateSteam", &format!(r#"{{"players":{{"{}":"Eve"}}}}"#, steam(1))).await;
        assert_answer(&theirs, 200, r#"{"updated":1,"errors":0}"#);
        assert_eq!(stage.get(&format!("getSteam&id={}", discord(1))).await.json(), "Ada");
        stage.test.finish().await;
    }

    async fn a_name_is_one_to_two_hundred_characters_and_a_stranger_has_none(engine) {
        let stage = Stage::set(engine).await;
        let at = |name: &str| format!("updateSteam&id={}&name={name}", steam(1));
        for name in ["", "%20", "%07", &"x".repeat(201)] {
            assert_refused(&stage.get(&at(name)).await, 400, "INVALID_PARAMETER");
        }
        assert_eq!(stage.get(&at(&"x".repeat(200))).await.status, 200);
        assert_refused(&stage.get(&format!("updateSteam&id={}", steam(1))).await, 400, "INVALID_PARAMETER");
        // Nobody is linked with this id; the answer is the same and nothing is kept.
        assert_answer(&stage.get(&format!("updateSteam&id={}&name=Zed", steam(9))).await, 200, "\"Steam updated\"");
        assert_eq!(stage.get("listAllNicknames").await.json().as_object().unwrap().len(), 1);
        stage.test.finish().await;
    }
}
