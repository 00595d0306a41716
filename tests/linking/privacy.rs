//! What is kept about a visitor: two letters.

use domain::flow::JoinMode;
use testkit::{both_databases, discord};

use super::stage::{Stage, form_token};

both_databases! {
    async fn the_country_comes_from_a_trusted_proxy_and_from_nobody_else(engine) {
        let stage = Stage::behind_proxy(engine).await;
        for (player, peer, told, expected) in [
            (1, "10.0.0.1", Some("SE"), Some("SE")),
            (2, "203.0.113.9", Some("SE"), None),
            (3, "10.0.0.1", Some("XX"), None),
            (4, "10.0.0.1", Some("<script>"), None),
            (5, "10.0.0.1", None, None),
        ] {
            let mut browser = stage.signed_in(player).await;
            let form = form_token(&browser.page().await).unwrap();
            browser.client = browser.client.clone().from(peer);
            if let Some(told) = told {
                browser.client = browser.client.clone().header("cf-ipcountry", told);
            }
            assert_eq!(browser.post("/link/guild-1/verify", &form).await.status, 303);
            let rows = stage.count(&format!("links WHERE discord_id = '{}' AND country {}", discord(player), expected.map_or("IS NULL".to_owned(), |country| format!("= '{country}'")))).await;
            assert_eq!(rows, 1, "player {player}");
        }
        stage.finish().await;
    }

    async fn no_address_and_no_token_is_stored(engine) {
        let stage = Stage::set(engine).await;
        stage.demand(JoinMode::Auto, false).await;
        let mut browser = stage.browser();
        browser.client = browser.client.clone().from("198.51.100.77");
        browser.sign_in_discord("link", &discord(1)).await;
        let token = stage.discord.grants()[0].access.clone();
        browser.sign_in_steam("link", &testkit::steam(1)).await;
        let during = stage.dump().await;
        browser.press("/link/guild-1/verify").await;
        let after = stage.dump().await;
        for (name, text) in [("during", &during), ("after", &after)] {
            for secret in ["198.51.100", token.as_str(), browser.cookies["symbolon-flow"].as_str()] {
                assert!(!text.contains(secret), "{secret} is in the database {name} the flow");
            }
        }
        stage.finish().await;
    }
}
