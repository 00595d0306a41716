//! Another account on either side.

use testkit::{both_databases, discord, steam};

use super::stage::Stage;

both_databases! {
    async fn another_steam_account_ends_the_link_before_it(engine) {
        let stage = Stage::set(engine).await;
        stage.signed_in(1).await.press("/link/guild-1/verify").await;
        let mut browser = stage.browser();
        browser.sign_in_discord("link", &discord(1)).await;
        browser.sign_in_steam("link", &steam(2)).await;
        let page = browser.page().await;
        assert!(page.contains("This ends an existing link") && page.contains("Player 1"), "it says what ends");
        browser.press("/link/guild-1/verify").await;
        assert_eq!(stage.linked_steam(&discord(1)).await, Some(steam(2).to_string()));
        assert_eq!(stage.ended("relink").await, 1);
        stage.finish().await;
    }

    async fn another_discord_account_ends_the_link_before_it(engine) {
        let stage = Stage::set(engine).await;
        stage.signed_in(1).await.press("/link/guild-1/verify").await;
        let mut browser = stage.browser();
        browser.sign_in_discord("link", &discord(2)).await;
        browser.sign_in_steam("link", &steam(1)).await;
        browser.press("/link/guild-1/verify").await;
        assert_eq!(stage.linked_steam(&discord(2)).await, Some(steam(1).to_string()));
        assert_eq!(stage.linked_steam(&discord(1)).await, None);
        stage.finish().await;
    }

    async fn two_linked_accounts_end_two_links(engine) {
        let stage = Stage::set(engine).await;
        for player in [1, 2] {
            stage.signed_in(player).await.press("/link/guild-1/verify").await;
        }
        let mut browser = stage.browser();
        browser.sign_in_discord("link", &discord(1)).await;
        browser.sign_in_steam("link", &steam(2)).await;
        browser.press("/link/guild-1/verify").await;
        assert_eq!(stage.ended("relink").await, 2);
        assert_eq!(stage.linked_steam(&discord(1)).await, Some(steam(2).to_string()));
        stage.finish().await;
    }

    async fn a_cool_down_makes_the_second_change_wait_and_the_first_free(engine) {
        let stage = Stage::set(engine).await;
        stage.test.db.damage("UPDATE guilds SET relink_cooldown_ms = 3600000").await;
        stage.signed_in(1).await.press("/link/guild-1/verify").await;
        let change = |number: u64| {
            let stage = &stage;
            async move {
                let mut browser = stage.browser();
                browser.sign_in_discord("link", &discord(1)).await;
                browser.sign_in_steam("link", &steam(number)).await;
                browser.press("/link/guild-1/verify").await
            }
        };
        assert_eq!(change(2).await.status, 303);
        let refused = change(3).await;
        assert_eq!(refused.status, 409);
        assert!(refused.text().contains("minutes"), "{}", refused.text());
        assert_eq!(stage.linked_steam(&discord(1)).await, Some(steam(2).to_string()));
        stage.test.clock.advance_ms(3_600_000);
        assert_eq!(change(3).await.status, 303);
        stage.finish().await;
    }
}
