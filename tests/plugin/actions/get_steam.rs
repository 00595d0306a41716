//! `getSteam`.

use domain::action::Action;
use testkit::{both_databases, discord, steam};

use crate::plugin::actions::cases::{Case, assert_cases};
use crate::plugin::actions::{Stage, assert_answer};

const CASES: [Case; 6] = [
    Case::Get("200 no name known", "id={D1}"),
    Case::Before("updateSteam&id={S1}&name=Ada", ""),
    Case::Get("200 a name", "id={D1}"),
    Case::Get("200 not linked", "id={D9}"),
    Case::Get("400 without an id", ""),
    Case::Get("400 with a Steam id", "id={S1}"),
];

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::GetSteam, "id={D1}", &CASES).await;
    }

    async fn a_name_is_told_without_characters_that_take_no_room(engine) {
        let stage = Stage::set(engine).await;
        // As they were stored before names were cleaned.
        stage.test.db.damage("UPDATE links SET steam_name = 'A\u{200b}da', discord_name = '\u{2060}ada\u{feff}'").await;
        let (one, two) = (discord(1), discord(2));
        stage.test.db.damage(&format!("UPDATE links SET steam_name = '\u{200b}' WHERE discord_id = '{two}'")).await;
        assert_answer(&stage.get(&format!("getSteam&id={one}")).await, 200, "\"Ada\"");
        assert_answer(&stage.get(&format!("getDiscord&id={one}")).await, 200, "\"ada\"");
        assert_answer(&stage.get(&format!("getSteam&id={two}")).await, 200, "false");
        let bulk = stage.get(&format!("getSteamBulk&id={one},{two}")).await;
        assert_answer(&bulk, 200, &format!(r#"{{"{one}":"Ada"}}"#));
        let player = stage.get(&format!("getPlayer&id={one}")).await.json();
        assert_eq!((&player["steam_name"], &player["discord_name"]), (&"Ada".into(), &"ada".into()));
        assert_eq!(stage.get("listAllLinked&limit=1").await.json()["Result"][0]["steam_name"], "Ada");
        stage.get(&format!("updateSteam&id={}&name=B%E2%80%8Bo", steam(2))).await;
        assert_answer(&stage.get(&format!("getSteam&id={two}")).await, 200, "\"Bo\"");
        stage.test.finish().await;
    }
}
