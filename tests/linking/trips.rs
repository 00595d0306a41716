//! A sign-in comes back once, in time, to the browser that began it.

use domain::flow::JoinMode;
use testkit::{both_databases, discord, steam};

use super::stage::{GROUP, Stage};

const TOKEN: &str = "POST /api/v10/oauth2/token";

both_databases! {
    async fn an_answer_works_once(engine) {
        let stage = Stage::set(engine).await;
        let mut browser = stage.browser();
        let back = browser.answer_of_discord("link", &discord(1)).await;
        assert_eq!(browser.get(&back).await.status, 303);
        let calls = stage.discord.hub().count(TOKEN);
        assert_eq!(browser.get(&back).await.status, 400);
        assert_eq!(stage.discord.hub().count(TOKEN), calls, "nothing is asked a second time");
        let back = browser.answer_of_steam("link", &steam(1)).await;
        assert_eq!(browser.get(&back).await.status, 303);
        assert_eq!(browser.get(&back).await.status, 400);
        stage.finish().await;
    }

    async fn an_answer_belongs_to_its_browser(engine) {
        let stage = Stage::set(engine).await;
        let (mut one, mut two) = (stage.browser(), stage.browser());
        let discord_back = one.answer_of_discord("link", &discord(1)).await;
        two.answer_of_discord("link", &discord(2)).await;
        for other in [&mut two, &mut stage.browser()] {
            assert_eq!(other.get(&discord_back).await.status, 400);
        }
        assert_eq!(stage.discord.hub().count(TOKEN), 0);
        let steam_back = one.answer_of_steam("link", &steam(1)).await;
        two.answer_of_steam("link", &steam(2)).await;
        assert_eq!(two.get(&steam_back).await.status, 400);
        assert_eq!(stage.steam.hub().count("POST /openid/login"), 0);
        stage.finish().await;
    }

    async fn an_answer_after_ten_minutes_is_too_late(engine) {
        let stage = Stage::set(engine).await;
        let mut browser = stage.browser();
        let back = browser.answer_of_discord("link", &discord(1)).await;
        stage.test.clock.advance_ms(10 * 60_000);
        assert_eq!(browser.get(&back).await.status, 400);
        assert_eq!(stage.discord.hub().count(TOKEN), 0);
        assert_eq!(browser.sign_in_discord("link", &discord(1)).await.status, 303, "the flow itself goes on");
        stage.finish().await;
    }

    async fn a_flow_ends_an_hour_after_its_last_step(engine) {
        let stage = Stage::set(engine).await;
        let mut browser = stage.browser();
        browser.sign_in_discord("link", &discord(1)).await;
        stage.test.clock.advance_ms(59 * 60_000);
        browser.sign_in_steam("link", &steam(1)).await;
        stage.test.clock.advance_ms(59 * 60_000);
        assert!(browser.page().await.contains("Verify and link"));
        stage.test.clock.advance_ms(60_000);
        assert!(!browser.page().await.contains("Verify and link"));
        app::linking::clear_expired(&stage.test.app).await.unwrap();
        assert_eq!(stage.count("flows").await, 0);
        stage.finish().await;
    }

    async fn an_answer_for_one_purpose_is_worth_nothing_at_another(engine) {
        let stage = Stage::set(engine).await;
        let mut browser = stage.browser();
        let back = browser.answer_of_discord("link", &discord(1)).await;
        for path in ["/auth/discord/unlink/callback", "/auth/steam/link/callback", "/auth/steam/unlink/callback"] {
            let query = back.split_once('?').unwrap().1;
            assert_eq!(browser.get(&format!("{path}?{query}")).await.status, 400, "{path}");
        }
        assert_eq!(stage.discord.hub().count(TOKEN), 0);
        assert_eq!(browser.get(&back).await.status, 303, "none of that used it up");
        stage.finish().await;
    }

    async fn the_way_back_does_not_depend_on_what_a_request_says(engine) {
        let stage = Stage::set(engine).await;
        let client = stage.test.client().header("host", "evil.example").header("x-forwarded-host", "evil.example");
        for provider in ["discord", "steam"] {
            let reply = client.get(&format!("/auth/{provider}/link?guild=guild-1")).await;
            let place = reply.header("location").unwrap();
            assert!(!place.contains("evil"), "{place}");
            assert!(place.contains("127.0.0.1%3A8080"), "{place}");
        }
        stage.finish().await;
    }

    async fn somebody_who_says_no_is_back_on_the_page(engine) {
        let stage = Stage::set(engine).await;
        let mut browser = stage.browser();
        for provider in ["discord", "steam"] {
            let out = browser.begin(provider, "link").await;
            let back = crate::linking::stage::own_path(&crate::linking::stage::visit(&format!("{out}&as=cancel")).await);
            let reply = browser.get(&back).await;
            assert_eq!(reply.header("location"), Some("/link/guild-1?notice=cancelled"), "{provider} {}", reply.text());
        }
        stage.finish().await;
    }

    async fn another_discord_account_has_to_show_its_steam_account_again(engine) {
        let stage = Stage::set(engine).await;
        let mut browser = stage.signed_in(1).await;
        browser.sign_in_discord("link", &discord(2)).await;
        let page = browser.page().await;
        assert!(page.contains("Player 2") && !page.contains("Verify and link"));
        // Signing in as the same person again keeps what is there.
        browser.sign_in_steam("link", &steam(2)).await;
        browser.sign_in_discord("link", &discord(2)).await;
        assert!(browser.page().await.contains("Verify and link"));
        stage.finish().await;
    }

    async fn a_steam_answer_counts_for_the_discord_account_it_was_begun_with(engine) {
        let stage = Stage::set(engine).await;
        let mut browser = stage.browser();
        browser.sign_in_discord("link", &discord(1)).await;
        let back = browser.answer_of_steam("link", &steam(1)).await;
        // In another tab of the same browser somebody else signs in meanwhile; the trip to Steam is over then.
        browser.sign_in_discord("link", &discord(2)).await;
        assert_eq!(browser.get(&back).await.status, 400);
        assert!(!browser.page().await.contains("Verify and link"));
        stage.finish().await;
    }

    async fn a_network_starts_thirty_sign_ins_a_minute(engine) {
        let stage = Stage::set(engine).await;
        for _ in 0..30 {
            stage.browser().begin("steam", "link").await;
        }
        let reply = stage.browser().get("/auth/steam/link?guild=guild-1").await;
        assert_eq!(reply.status, 429);
        assert!(reply.header("retry-after").is_some());
        let neighbour = stage.test.client().from("203.0.113.8").get("/auth/steam/link?guild=guild-1").await;
        assert_eq!(neighbour.status, 303);
        stage.test.clock.advance_ms(60_000);
        stage.browser().begin("steam", "link").await;
        stage.finish().await;
    }

    async fn cookies_of_flows_are_for_us_alone(engine) {
        let stage = Stage::set(engine).await;
        let reply = stage.test.client().get("/auth/discord/link?guild=guild-1").await;
        let cookie = reply.header("set-cookie").unwrap();
        assert!(cookie.starts_with("symbolon-flow=") && cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"), "{cookie}");
        assert!(cookie.contains("Path=/") && !cookie.contains("Domain"), "{cookie}");
        assert_eq!(reply.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(reply.header("cache-control"), Some("no-store"));
        stage.finish().await;
    }

    async fn a_wall_clock_set_back_ten_minutes_is_in_nobodys_way(engine) {
        let stage = Stage::set(engine).await;
        stage.demand(JoinMode::Off, true).await;
        stage.steam.set_membership(&steam(1), GROUP, true);
        let mut browser = stage.browser();
        let back = browser.answer_of_discord("link", &discord(1)).await;
        stage.test.clock.advance_ms(-10 * 60_000);
        assert_eq!(browser.get(&back).await.status, 303);
        browser.sign_in_steam("link", &steam(1)).await;
        assert_eq!(browser.press("/link/guild-1/verify").await.header("location"), Some("/link/guild-1"));
        assert_eq!(stage.linked_steam(&discord(1)).await, Some(steam(1).to_string()));
        stage.test.clock.advance_ms(-10 * 60_000);
        let mut leaving = stage.browser();
        leaving.sign_in_discord("unlink", &discord(1)).await;
        stage.test.clock.advance_ms(-10 * 60_000);
        assert_eq!(leaving.press("/unlink/guild-1/confirm").await.status, 303);
        assert_eq!(stage.linked_steam(&discord(1)).await, None);
        stage.finish().await;
    }
}
