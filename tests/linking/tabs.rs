//! Two tabs of one browser do not end each other's way.

use domain::flow::JoinMode;
use domain::plan::Tier;
use testkit::{both_databases, discord, steam};

use super::stage::{Stage, own_path, visit};

both_databases! {
    async fn two_communities_in_two_tabs_are_two_ways(engine) {
        let stage = Stage::set(engine).await;
        let other = stage.test.tenant(2, Tier::Free).await;
        testkit::add_guild(&stage.discord, &other.discord_guild, "Guild 2");
        let mut one = stage.signed_in(1).await;
        // The second tab shares the cookies of the first and goes through all of its own steps in between.
        let mut two = stage.browser().on("guild-2");
        two.cookies = one.cookies.clone();
        two.sign_in_discord("link", &discord(1)).await;
        two.sign_in_steam("link", &steam(1)).await;
        assert_eq!(two.press("/link/guild-2/verify").await.header("location"), Some("/link/guild-2"));
        one.cookies = two.cookies.clone();
        assert!(one.page().await.contains("Verify and link"), "the first tab is where it was");
        assert_eq!(one.press("/link/guild-1/verify").await.header("location"), Some("/link/guild-1"));
        assert_eq!(stage.count("links WHERE ended_at IS NULL").await, 2);
        // Starting over in one leaves the other alone.
        two.press("/link/guild-2/restart").await;
        one.cookies = two.cookies.clone();
        assert!(one.page().await.contains("You’re linked"));
        stage.finish().await;
    }

    async fn two_sign_ins_that_overlap_both_arrive(engine) {
        let stage = Stage::set(engine).await;
        for steam_first in [false, true] {
            let mut browser = stage.browser();
            let to_discord = browser.answer_of_discord("link", &discord(1)).await;
            let to_steam = browser.answer_of_steam("link", &steam(1)).await;
            let order = if steam_first { [to_steam, to_discord] } else { [to_discord, to_steam] };
            for back in &order {
                let reply = browser.get(back).await;
                assert_eq!((reply.status.as_u16(), reply.header("location")), (303, Some("/link/guild-1")), "{steam_first}");
                assert_eq!(browser.get(back).await.status, 400, "each of them once");
            }
            assert!(browser.page().await.contains("Verify and link"), "{steam_first}");
        }
        stage.finish().await;
    }

    async fn linking_and_unlinking_in_two_tabs_are_two_ways(engine) {
        let stage = Stage::set(engine).await;
        stage.signed_in(2).await.press("/link/guild-1/verify").await;
        let mut browser = stage.browser();
        let link = browser.answer_of_discord("link", &discord(1)).await;
        browser.sign_in_discord("unlink", &discord(2)).await;
        assert_eq!(browser.get(&link).await.status, 303);
        browser.sign_in_steam("link", &steam(1)).await;
        assert_eq!(browser.press("/unlink/guild-1/confirm").await.status, 303);
        assert_eq!(stage.linked_steam(&discord(2)).await, None);
        browser.press("/link/guild-1/verify").await;
        assert_eq!(stage.linked_steam(&discord(1)).await, Some(steam(1).to_string()));
        stage.finish().await;
    }

    async fn two_trips_of_the_dashboard_both_arrive(engine) {
        let stage = Stage::set(engine).await;
        let mut browser = stage.browser();
        let mut backs = Vec::new();
        for _ in 0..2 {
            let out = browser.get("/auth/discord/login").await;
            let there = format!("{}&as={}", out.header("location").unwrap(), discord(1));
            backs.push(own_path(&visit(&there).await));
        }
        for back in &backs {
            let reply = browser.get(back).await;
            assert_eq!(reply.status, 303, "{}", reply.text());
            assert_eq!(browser.get(back).await.status, 400, "each of them once");
        }
        let mut stranger = stage.browser();
        stranger.get("/auth/discord/login").await;
        assert_eq!(stranger.get(&backs[0]).await.status, 400);
        stage.finish().await;
    }

    async fn what_ends_in_one_tab_leaves_the_token_that_another_needs(engine) {
        let stage = Stage::set(engine).await;
        let other = stage.test.tenant(2, Tier::Free).await;
        testkit::add_guild(&stage.discord, &other.discord_guild, "Guild 2");
        stage.test.db.damage(&format!("UPDATE guilds SET join_mode = '{}'", JoinMode::Auto.as_str())).await;
        let mut one = stage.signed_in(1).await;
        let mut two = stage.browser().on("guild-2");
        two.cookies = one.cookies.clone();
        two.sign_in_discord("link", &discord(1)).await;
        two.sign_in_steam("link", &steam(1)).await;
        two.press("/link/guild-2/verify").await;
        stage.test.settle().await;
        one.press("/link/guild-1/join").await;
        assert!(one.page().await.contains("You’re in the Discord server"));
        one.press("/link/guild-1/verify").await;
        stage.test.settle().await;
        assert!(stage.discord.grants().is_empty(), "the last one gives all back");
        stage.finish().await;
    }
}
