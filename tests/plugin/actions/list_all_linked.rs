//! `listAllLinked`.

use domain::action::Action;
use domain::plan::Tier;
use serde_json::Value;
use testkit::{START_MS, both_databases, discord, steam};

use crate::plugin::actions::cases::{Case, assert_cases};
use crate::plugin::actions::{Stage, assert_answer, assert_refused};

const CASES: [Case; 7] = [
    Case::Get("200 a page", "limit=2"),
    Case::Get("200 the next page", "limit=2&cursor={D2}"),
    Case::Get("400 with a limit that is none", "limit=0"),
    Case::Before("remove&id={S3}", ""),
    Case::Get("200 what changed", "since=0"),
    Case::Get("400 with a time that is none", "since=yesterday"),
    Case::Get("400 with a cursor of another list", "since=0&cursor={D2}"),
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

    async fn what_changed_since_a_moment_is_listed_and_ended_links_say_when(engine) {
        let stage = Stage::set(engine).await;
        let (app, clock) = (&stage.test.app, &stage.test.clock);
        let since = |ms: i64| format!("listAllLinked&since={ms}");
        let listed = |page: Value| -> Vec<(String, Option<i64>)> {
            let entries = page["Result"].as_array().cloned().unwrap_or_default();
            entries.iter().map(|one| (one["discord_id"].as_str().unwrap().to_owned(), one["ended_at"].as_i64())).collect()
        };
        let one = |number: u64, ended| (discord(number).to_string(), ended);
        assert_answer(&stage.get(&since(START_MS + 1)).await, 200, r#"{"Result":0}"#);
        assert_eq!(listed(stage.get(&since(START_MS)).await.json()).len(), 3, "the moment itself counts");
        // Made, ended, verified again, each a second after the other.
        clock.advance_ms(1_000);
        stage.tenant.link(app, 4).await;
        clock.advance_ms(1_000);
        stage.get(&format!("remove&id={}", steam(2))).await;
        clock.advance_ms(1_000);
        stage.tenant.link(app, 1).await;
        let all = [one(4, None), one(2, Some(START_MS + 2_000)), one(1, None)];
        for (at, changed) in [(1, &all[..]), (2, &all[1..]), (3, &all[2..])] {
            assert_eq!(listed(stage.get(&since(START_MS + at * 1_000)).await.json()), changed);
        }
        // Page by page it is the same, each once.
        let (mut found, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = stage.get(&format!("{}&limit=1{cursor}", since(0))).await.json();
            found.extend(listed(page.clone()));
            let Some(next) = page["next"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        assert_eq!(found, listed(stage.get(&since(0)).await.json()));
        assert_eq!(found, [&[one(3, None)], &all[..]].concat());
        // Without it only active ones are there, and nobody else's ever.
        assert!(listed(stage.get("listAllLinked").await.json()).iter().all(|(_, ended)| ended.is_none()));
        let other = stage.test.tenant(2, Tier::Standard).await;
        let (_, key) = stage.test.custom_key(&other, domain::action::ActionSet::ALL, false).await;
        assert_answer(&stage.test.plugin(&key).get("/api?action=listAllLinked&since=0").await, 200, r#"{"Result":0}"#);
        stage.test.finish().await;
    }

    async fn an_erased_person_is_not_listed_as_ended(engine) {
        let stage = Stage::set(engine).await;
        stage.get(&format!("remove&id={}", steam(2))).await;
        stage.test.db.damage("UPDATE links SET discord_id = 'x:1', steam_id = 'x:2' WHERE ended_at IS NOT NULL").await;
        stage.test.db.damage("DELETE FROM people WHERE active_links = 0").await;
        let page = stage.get("listAllLinked&since=0").await.json();
        assert_eq!(page["Result"].as_array().map(Vec::len), Some(2), "{page}");
        stage.test.finish().await;
    }

    async fn a_guild_without_links_says_so_and_limits_are_checked(engine) {
        let stage = Stage::set(engine).await;
        let empty = stage.test.tenant(2, Tier::Standard).await;
        let (_, key) = stage.test.custom_key(&empty, domain::action::ActionSet::ALL, false).await;
        assert_answer(&stage.test.plugin(&key).get("/api?action=listAllLinked").await, 200, r#"{"Result":0}"#);
        for wrong in ["since=-1", "since=", "since=1.5", "since=0&cursor=x", "since=0&cursor=1.x", "since=0&cursor=.lnk_"] {
            assert_refused(&stage.get(&format!("listAllLinked&{wrong}")).await, 400, "INVALID_PARAMETER");
        }
        for limit in ["0", "1001", "x", "-1"] {
            assert_refused(&stage.get(&format!("listAllLinked&limit={limit}")).await, 400, "INVALID_PARAMETER");
        }
        stage.test.finish().await;
    }
}
