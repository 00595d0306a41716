//! Another account on either side.

use domain::audit::Actor;
use domain::link::UnlinkCause;
use domain::platform_id::EitherId;
use testkit::{Reply, both_databases, discord, steam};

use super::stage::Stage;

/// Presses the button with these two accounts, in a browser and from a network of their own.
async fn pair(stage: &Stage, chat: u64, game: u64) -> Reply {
    let mut browser = stage.browser();
    browser.client = browser.client.clone().from(&format!("198.51.{chat}.{game}"));
    browser.sign_in_discord("link", &discord(chat)).await;
    browser.sign_in_steam("link", &steam(game)).await;
    browser.press("/link/guild-1/verify").await
}

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

    async fn unlinking_first_does_not_go_around_the_cool_down(engine) {
        let stage = Stage::set(engine).await;
        stage.test.db.damage("UPDATE guilds SET relink_cooldown_ms = 3600000").await;
        stage.signed_in(1).await.press("/link/guild-1/verify").await;
        let mut leaver = stage.browser();
        leaver.sign_in_discord("unlink", &discord(1)).await;
        leaver.press("/unlink/guild-1/confirm").await;
        // Neither with another Steam account nor, for the account that is free now, with another Discord account.
        for (chat, game) in [(1, 2), (2, 1)] {
            assert_eq!(pair(&stage, chat, game).await.status, 409, "{chat} {game}");
        }
        assert_eq!(pair(&stage, 2, 2).await.status, 303, "others are not kept waiting");
        assert_eq!(pair(&stage, 1, 1).await.status, 303, "the same pair may come back at once");
        assert_eq!(stage.linked_steam(&discord(1)).await, Some(steam(1).to_string()));
        stage.finish().await;
    }

    async fn going_back_and_forth_between_two_accounts_waits_too(engine) {
        let stage = Stage::set(engine).await;
        stage.test.db.damage("UPDATE guilds SET relink_cooldown_ms = 3600000").await;
        for (game, expected) in [(1, 303), (2, 303), (1, 409), (3, 409)] {
            assert_eq!(pair(&stage, 1, game).await.status, expected, "{game}");
        }
        stage.test.clock.advance_ms(3_600_000);
        assert_eq!(pair(&stage, 1, 1).await.status, 303);
        stage.finish().await;
    }

    async fn links_that_staff_or_the_cleanup_ended_start_no_cool_down(engine) {
        let stage = Stage::set(engine).await;
        stage.test.db.damage("UPDATE guilds SET relink_cooldown_ms = 3600000").await;
        for (player, cause, expected) in [
            (1, UnlinkCause::Admin, 303),
            (2, UnlinkCause::ZombieCleanup, 303),
            (3, UnlinkCause::Plugin, 409),
        ] {
            pair(&stage, player, player).await;
            let (app, tenant) = (&stage.test.app, &stage.tenant);
            let either = EitherId::Discord(discord(player));
            app::linking::links::unlink(app, tenant.scope, tenant.guild.clone(), either, cause, Actor::System).await.unwrap();
            assert_eq!(pair(&stage, player, 10 + player).await.status, expected, "{cause:?}");
        }
        stage.finish().await;
    }
}
