//! Permission groups that a game server reports, and the roles that follow.

use serde_json::json;
use testkit::{Engine, both_databases, discord, steam};

use super::{Stage, assert_answer, assert_refused};

both_databases! {
    async fn reported_groups_wait_until_their_roles_are_confirmed(engine) {
        let stage = Stage::set(engine).await;
        let report = stage.get(&format!("updateOxideGroups&id={}&groups=vip,%20admin", steam(1))).await;
        assert_answer(&report, 200, "\"Oxide groups updated\"");
        let waiting = json!([{
            "discord_id": discord(1).to_string(), "steam_id": steam(1).to_string(),
            "oxide_groups": ["vip", "admin"], "discord_roles_synced": null
        }]);
        assert_eq!(stage.get("pendingRoles").await.json(), waiting);
        for _ in 0..2 {
            let confirmed = stage.get(&format!("confirmRoleSync&id={}&synced=%5B%22vip%22%5D", discord(1))).await;
            assert_answer(&confirmed, 200, "\"Role sync confirmed\"");
        }
        assert_answer(&stage.get("pendingRoles").await, 200, "[]");
        // The same report again changes nothing; another one waits with what was confirmed.
        stage.get(&format!("updateOxideGroups&id={}&groups=%5B%22vip%22,%22admin%22%5D", steam(1))).await;
        assert_answer(&stage.get("pendingRoles").await, 200, "[]");
        stage.get(&format!("updateOxideGroups&id={}&groups=", steam(1))).await;
        let pending = stage.get("pendingRoles").await.json();
        assert_eq!((&pending[0]["oxide_groups"], &pending[0]["discord_roles_synced"]), (&json!([]), &json!(["vip"])));
        stage.test.finish().await;
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

    async fn at_most_fifty_players_are_handed_out_at_once(engine) {
        let stage = Stage::set(engine).await;
        let mut players = serde_json::Map::new();
        for player in 100..160 {
            stage.tenant.link(&stage.test.app, player).await;
            players.insert(steam(player).to_string(), json!(["vip"]));
        }
        stage.post("updateOxideGroupsBulk", &json!({ "players": players }).to_string()).await;
        assert_eq!(stage.get("pendingRoles").await.json().as_array().unwrap().len(), 50);
        stage.test.finish().await;
    }
}
