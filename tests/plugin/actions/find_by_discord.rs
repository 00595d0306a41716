//! `findByDiscord`.

use domain::action::Action;
use testkit::{both_databases, discord, steam};

use crate::plugin::actions::cases::{Case, assert_cases};
use crate::plugin::actions::{Stage, assert_answer, assert_refused};

const CASES: [Case; 4] = [
    Case::Get("200 linked", "id={D1}"),
    Case::Get("404 not linked", "id={D9}"),
    Case::Get("400 without an id", ""),
    Case::Get("400 with a Steam id", "id={S1}"),
];

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::FindByDiscord, "id={D1}", &CASES).await;
    }

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
}
