//! The unlink page.

use testkit::{both_databases, discord, steam};

use super::stage::Stage;

both_databases! {
    async fn either_account_ends_the_link(engine) {
        let stage = Stage::set(engine).await;
        for by_steam in [false, true] {
            stage.signed_in(1).await.press("/link/guild-1/verify").await;
            let mut browser = stage.browser();
            if by_steam {
                browser.sign_in_steam("unlink", &steam(1)).await;
            } else {
                browser.sign_in_discord("unlink", &discord(1)).await;
            }
            let page = browser.get("/unlink/guild-1").await;
            assert!(page.text().contains("Player 1") && page.text().contains("Unlink these accounts?"));
            for _ in 0..2 {
                assert_eq!(browser.press("/unlink/guild-1/confirm").await.status, 303);
            }
            assert_eq!(stage.linked_steam(&discord(1)).await, None);
        }
        assert_eq!(stage.ended("user").await, 2);
        stage.finish().await;
    }

    async fn who_is_not_linked_is_told_so(engine) {
        let stage = Stage::set(engine).await;
        let mut browser = stage.browser();
        browser.sign_in_steam("unlink", &steam(5)).await;
        assert!(browser.get("/unlink/guild-1").await.text().contains("isn’t linked here"));
        stage.finish().await;
    }

    async fn a_flow_for_linking_unlinks_nothing(engine) {
        let stage = Stage::set(engine).await;
        let mut browser = stage.signed_in(1).await;
        browser.press("/link/guild-1/verify").await;
        let form = crate::linking::stage::form_token(&stage.signed_in(2).await.page().await).unwrap();
        assert_ne!(browser.post("/unlink/guild-1/confirm", &form).await.status, 303);
        assert_eq!(stage.linked_steam(&discord(1)).await, Some(steam(1).to_string()));
        stage.finish().await;
    }
}
