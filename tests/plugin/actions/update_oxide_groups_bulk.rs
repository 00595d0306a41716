//! `updateOxideGroupsBulk`.

use domain::action::Action;
use serde_json::json;
use testkit::{Engine, both_databases, steam};

use crate::plugin::actions::cases::{Case, assert_cases};
use crate::plugin::actions::{Stage, assert_answer, assert_refused};

const CASES: [Case; 5] = [
    Case::Post(
        "200 good and bad entries",
        "",
        r#"{"players":{"{S1}":["vip"],"{S2}":[],"{S9}":["x"],"nonsense":["x"]}}"#,
    ),
    Case::Get("400 without a body", ""),
    Case::Post("400 with a body that is no JSON", "", "{"),
    Case::Post("400 with something else than players", "", r#"{"players":[]}"#),
    Case::Post("400 with too many ids", "", r#"{"players":{{MANY_P}}}"#),
];

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::UpdateOxideGroupsBulk, "", &CASES).await;
    }

    async fn a_bulk_report_keeps_the_good_and_counts_the_bad(engine) {
        let stage = Stage::set(engine).await;
        let players = json!({ "players": {
            steam(1).to_string(): ["vip"], steam(2).to_string(): [], steam(9).to_string(): ["x"],
            "nonsense": ["x"], steam(3).to_string(): [1]
        }});
        let reply = stage.post("updateOxideGroupsBulk", &players.to_string()).await;
        assert_answer(&reply, 200, r#"{"updated":2,"errors":3}"#);
        assert_eq!(stage.get("pendingRoles").await.json().as_array().unwrap().len(), 2);
        for body in ["", "[]", r#"{"players":[]}"#, "x"] {
            assert_refused(&stage.post("updateOxideGroupsBulk", body).await, 400, "INVALID_PARAMETER");
        }
        stage.test.finish().await;
    }

    async fn a_bulk_report_is_one_transaction(engine) {
        let stage = Stage::set(engine).await;
        let mut players = serde_json::Map::new();
        for player in 100..200 {
            stage.tenant.link(&stage.test.app, player).await;
            players.insert(steam(player).to_string(), json!(["vip"]));
        }
        let body = json!({ "players": players }).to_string();
        let refused = steam(150);
        let (refuse, allow) = match engine {
            Engine::Sqlite => (
                format!("CREATE TRIGGER refuse BEFORE INSERT ON server_players WHEN NEW.steam_id = '{refused}' BEGIN SELECT RAISE(ABORT, 'no'); END"),
                "DROP TRIGGER refuse",
            ),
            Engine::Postgres => (
                format!("ALTER TABLE server_players ADD CONSTRAINT refuse CHECK (steam_id <> '{refused}')"),
                "ALTER TABLE server_players DROP CONSTRAINT refuse",
            ),
        };
        stage.test.db.damage(&refuse).await;
        assert_eq!(stage.post("updateOxideGroupsBulk", &body).await.status, 500);
        assert_answer(&stage.get("pendingRoles").await, 200, "[]");
        stage.test.db.damage(allow).await;
        assert_answer(&stage.post("updateOxideGroupsBulk", &body).await, 200, r#"{"updated":100,"errors":0}"#);
        stage.test.finish().await;
    }
}
