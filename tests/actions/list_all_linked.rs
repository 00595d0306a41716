//! `listAllLinked`.

use domain::action::Action;
use domain::plan::Tier;
use testkit::{both_databases, discord, steam};

use super::cases::{Case, assert_cases};
use super::{Stage, assert_answer, assert_refused};

const CASES: [Case; 3] = [
    Case::Get("200 a page", "limit=2"),
    Case::Get("200 the next page", "limit=2&cursor={D2}"),
    Case::Get("400 with a limit that is none", "limit=0"),
];

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::ListAllLinked, "", &CASES).await;
    }

    async fn all_links_are_listed_page_by_page(engine) {
        let stage = Stage::set(engine).await;
        let mut found = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = stage.get(&format!("listAllLinked&limit=2&cursor={cursor}")).await.json();
            for entry in page["Result"].as_array().unwrap() {
                found.push((entry["discord_id"].as_str().unwrap().to_owned(), entry["steam_id"].as_str().unwrap().to_owned()));
            }
            match page["next"].as_str() {
                Some(next) => cursor = next.to_owned(),
                None => break,
            }
        }
        assert_eq!(found, [1, 2, 3].map(|number| (discord(number).to_string(), steam(number).to_string())));
        stage.test.finish().await;
    }

    async fn a_guild_without_links_says_so_and_limits_are_checked(engine) {
        let stage = Stage::set(engine).await;
        let empty = stage.test.tenant(2, Tier::Standard).await;
        let (_, key) = stage.test.custom_key(&empty, domain::action::ActionSet::ALL, false).await;
        assert_answer(&stage.test.plugin(&key).get("/api?action=listAllLinked").await, 200, r#"{"Result":0}"#);
        for limit in ["0", "1001", "x", "-1"] {
            assert_refused(&stage.get(&format!("listAllLinked&limit={limit}")).await, 400, "INVALID_PARAMETER");
        }
        stage.test.finish().await;
    }
}
