//! Providers on a bad day.

use emulator::{Fault, FaultKind};
use testkit::{both_databases, discord, steam};

use super::stage::Stage;

const KINDS: [FaultKind; 5] = [
    FaultKind::RateLimit,
    FaultKind::Error500,
    FaultKind::Error403,
    FaultKind::Garbage,
    FaultKind::Drop,
];

both_databases! {
    async fn steam_in_trouble_is_said_so_and_the_flow_goes_on(engine) {
        let stage = Stage::set(engine).await;
        let mut browser = stage.browser();
        browser.sign_in_discord("link", &discord(1)).await;
        for kind in KINDS {
            stage.steam.hub().add_fault(Fault::new("POST /openid/login", kind).times(1));
            let back = browser.answer_of_steam("link", &steam(1)).await;
            let reply = browser.get(&back).await;
            assert_eq!(reply.header("location"), Some("/link/guild-1?notice=steam-silent"), "{kind:?}");
            let page = browser.get("/link/guild-1?notice=steam-silent").await;
            assert!(page.text().contains("Steam isn’t responding") && page.text().contains("Player 1"), "{kind:?}");
            stage.test.clock.advance_ms(30_000);
        }
        browser.sign_in_steam("link", &steam(1)).await;
        browser.press("/link/guild-1/verify").await;
        assert_eq!(stage.linked_steam(&discord(1)).await, Some(steam(1).to_string()));
        stage.finish().await;
    }

    async fn discord_in_trouble_is_said_so_and_nothing_is_kept(engine) {
        let stage = Stage::set(engine).await;
        let mut browser = stage.browser();
        for route in ["POST /api/v10/oauth2/token", "GET /api/v10/users/@me"] {
            for kind in KINDS {
                stage.discord.hub().add_fault(Fault::new(route, kind).times(1));
                let back = browser.answer_of_discord("link", &discord(1)).await;
                let reply = browser.get(&back).await;
                assert_eq!(reply.header("location"), Some("/link/guild-1?notice=discord-silent"), "{route} {kind:?}");
                assert!(!browser.page().await.contains("Player 1"), "{kind:?}");
                stage.discord.hub().remove_faults();
                stage.test.clock.advance_ms(60_000);
            }
        }
        browser.sign_in_discord("link", &discord(1)).await;
        stage.test.settle().await;
        stage.finish().await;
    }

    async fn steam_that_keeps_failing_is_left_alone(engine) {
        let stage = Stage::set(engine).await;
        stage.steam.hub().add_fault(Fault::new("POST /openid/login", FaultKind::Error500).times(100));
        let mut browser = stage.browser();
        for _ in 0..15 {
            let back = browser.answer_of_steam("link", &steam(1)).await;
            browser.get(&back).await;
        }
        assert_eq!(stage.steam.hub().count("POST /openid/login"), 5, "then nobody is asked for a while");
        stage.finish().await;
    }

    async fn setting_the_wall_clock_opens_and_shuts_nothing(engine) {
        let stage = Stage::set(engine).await;
        stage.steam.hub().add_fault(Fault::new("POST /openid/login", FaultKind::Error500).times(5));
        let tried = async || {
            let mut browser = stage.browser();
            let back = browser.answer_of_steam("link", &steam(1)).await;
            let reply = browser.get(&back).await;
            (stage.steam.hub().count("POST /openid/login"), reply.header("location").unwrap_or(reply.text()).to_owned())
        };
        for number in 1..=5 {
            assert_eq!(tried().await.0, number);
        }
        for set_by_ms in [-10 * 60_000, -3_000, 24 * 60 * 60_000] {
            stage.test.clock.set_ms(stage.test.app.now_ms() + set_by_ms);
            stage.test.clock.advance_ms(1_000);
            assert_eq!(tried().await.0, 5, "its five seconds are not over");
        }
        stage.test.clock.set_ms(stage.test.app.now_ms() - 3_000);
        stage.test.clock.advance_ms(2_000);
        assert_eq!(tried().await, (6, "/link/guild-1".to_owned()), "now they are");
        stage.finish().await;
    }
}
