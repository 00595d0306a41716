//! `getPlayer`.

use app::linking::links::{self, LinkRequest};
use domain::action::Action;
use domain::audit::Actor;
use domain::link::Country;
use testkit::{both_databases, discord, steam};

use crate::plugin::actions::cases::{Case, assert_cases};
use crate::plugin::actions::{Stage, assert_refused};

const CASES: [Case; 9] = [
    Case::Get("200 by the Steam id", "id={S1}"),
    Case::Get("200 by the Discord id", "id={D1}"),
    Case::Get("200 not linked", "id={S9}"),
    Case::Get("400 without an id", ""),
    Case::Get("400 with an id that is none", "id=x"),
    Case::Post("200 many", "", r#"{"ids":["{S1}","{D2}","{S9}","x"]}"#),
    Case::Post("200 nobody asked for", "", r#"{"ids":[]}"#),
    Case::Post(
        "400 with numbers instead of texts",
        "",
        r#"{"ids":[76561197960265729]}"#,
    ),
    Case::Post("400 with too many ids", "", r#"{"ids":[{MANY_DQ}]}"#),
];

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::GetPlayer, "id={S1}", &CASES).await;
    }

    async fn a_verification_without_a_known_country_keeps_the_one_before(engine) {
        let stage = Stage::set(engine).await;
        for (country, told) in [(Some("DE"), "DE"), (None, "DE"), (Some("FR"), "FR")] {
            let request = LinkRequest {
                guild: stage.tenant.guild.clone(),
                discord_id: discord(1),
                steam_id: steam(1),
                country: country.map(|code| Country::parse(code).unwrap()),
            };
            links::link(&stage.test.app, stage.tenant.scope, request, Actor::Player).await.unwrap();
            assert_eq!(stage.get(&format!("getPlayer&id={}", steam(1))).await.json()["country"], told);
        }
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
        let (one, two) = (steam(1).to_string(), discord(2).to_string());
        let many = stage.post("getPlayer", &format!(r#"{{"ids":["{one}","{two}","{}","bot"]}}"#, steam(9))).await.json();
        assert_eq!(many.as_object().unwrap().len(), 4);
        for id in [&one, &two] {
            assert_eq!(many[id], stage.get(&format!("getPlayer&id={id}")).await.json(), "{id}");
        }
        for nobody in [steam(9).as_str(), "bot"] {
            assert_eq!(many[nobody], serde_json::json!({ "linked": false }), "{nobody}");
        }
        assert_refused(&stage.get("getPlayer&id=x").await, 400, "INVALID_PARAMETER");
        stage.test.finish().await;
    }
}
