//! `listAllNicknames`.

use axum::body::Body;
use domain::action::Action;
use futures_util::StreamExt;
use http::Method;
use testkit::{both_databases, discord, steam};

use crate::plugin::actions::Stage;
use crate::plugin::actions::cases::{Case, assert_cases};

const CASES: [Case; 3] = [
    Case::Get("200 no names", ""),
    Case::Before("updateSteam&id={S1}&name=Ada", ""),
    Case::Get("200 names", ""),
];

/// Adds players 4 to `last`, each with a name.
async fn link_up_to(stage: &Stage, last: u64) {
    let links = format!(
        "INSERT INTO links (id, org_num, guild_num, discord_id, steam_id, linked_at, verified_at, steam_name)
         WITH RECURSIVE counted (number) AS (SELECT 4 UNION ALL SELECT number + 1 FROM counted WHERE number < {last})
         SELECT 'lnk_' || substr('00000000000000000000000000' || CAST(number AS TEXT), length(CAST(number AS TEXT)) + 1), g.org_num, g.num, CAST(700000000000000000 + number AS TEXT),
                CAST(76561197960265728 + number AS TEXT), 1, 1, 'Name \"' || CAST(number AS TEXT)
         FROM counted, guilds g WHERE g.id = '{}'",
        stage.tenant.guild
    );
    let db = &stage.test.db;
    db.damage(&links).await;
    db.damage("UPDATE orgs SET people_swept_at = 0").await;
    db.damage(storage::testing::COUNT_LINKS_ANEW).await;
    db.damage(&format!("UPDATE org_usage SET links = {last}")).await;
    db.damage(&format!("UPDATE guilds SET active_links = {last}"))
        .await;
}

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::ListAllNicknames, "", &CASES).await;
    }

    async fn names_are_listed_without_invisible_characters(engine) {
        let stage = Stage::set(engine).await;
        stage.get(&format!("updateSteam&id={}&name=A%E2%80%8Bda", steam(1))).await;
        stage.get(&format!("updateSteam&id={}&name=Bo", steam(2))).await;
        let (one, two) = (discord(1).to_string(), discord(2).to_string());
        assert_eq!(stage.get("listAllNicknames").await.json(), serde_json::json!({ one.as_str(): "Ada", two.as_str(): "Bo" }));
        let bulk = stage.post("getSteamBulk", &format!(r#"{{"discord_ids":["{two}","{}"]}}"#, discord(9))).await;
        assert_eq!(bulk.json(), serde_json::json!({ two.as_str(): "Bo" }));
        assert_eq!(stage.get(&format!("getSteamBulk&id={two}")).await.json(), bulk.json());
        stage.test.finish().await;
    }

    /// A name that is stored while the answer is under way is in it, so it was not collected before.
    async fn a_large_guild_is_read_while_it_is_sent(engine) {
        let stage = Stage::set(engine).await;
        link_up_to(&stage, 2600).await;
        let answer = stage.caller.begin(Method::GET, "/api?action=listAllNicknames", Body::empty()).await;
        assert_eq!(answer.status(), 200);
        let mut pages = answer.into_body().into_data_stream();
        let mut text = String::from_utf8(pages.next().await.unwrap().unwrap().to_vec()).unwrap();
        assert_eq!(text.matches("Name").count(), 1000);
        let late = format!("UPDATE links SET steam_name = 'Late' WHERE discord_id = '{}'", discord(2600));
        stage.test.db.damage(&late).await;
        let mut longest = 0;
        while let Some(page) = pages.next().await {
            let page = String::from_utf8(page.unwrap().to_vec()).unwrap();
            longest = longest.max(page.matches("Name").count());
            text.push_str(&page);
        }
        assert!(longest <= 1000, "{longest} names at once");
        let names: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&text).unwrap();
        assert_eq!(names.len(), 2597, "whoever has no name is left out");
        assert_eq!((&names[discord(4).as_str()], &names[discord(2600).as_str()]), (&"Name \"4".into(), &"Late".into()));
        stage.test.finish().await;
    }

    async fn a_guild_of_exactly_one_page_is_whole(engine) {
        let stage = Stage::set(engine).await;
        link_up_to(&stage, 1003).await;
        assert_eq!(stage.get("listAllNicknames").await.json().as_object().unwrap().len(), 1000);
        stage.test.finish().await;
    }
}
