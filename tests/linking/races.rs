//! Many at once.

use futures_util::future::join_all;
use testkit::{both_databases, discord, rounds, steam};

use super::stage::{Stage, form_token};

both_databases! {
    async fn fifty_presses_of_one_button_are_one_link(engine) {
        let stage = Stage::set(engine).await;
        for round in 1..=rounds(20, 200) {
            // Each round is another pair, linked again later: what is counted are links that were made.
            let made = stage.count("links").await;
            let (player, account) = (1 + round as u64 % 40, steam(2_000 + round as u64));
            testkit::add_steam_account(&stage.steam, &account);
            let mut browser = stage.browser();
            browser.sign_in_discord("link", &discord(player)).await;
            browser.sign_in_steam("link", &account).await;
            let form = form_token(&browser.page().await).unwrap();
            let cookie = format!("symbolon-flow={}", browser.cookies["symbolon-flow"]);
            let client = stage.test.client()
                .header("cookie", &cookie)
                .header("content-type", "application/x-www-form-urlencoded")
                .header("sec-fetch-site", "same-origin");
            let body = format!("form={form}");
            let presses = join_all((0..50).map(|_| client.post("/link/guild-1/verify", &body))).await;
            assert!(presses.iter().all(|reply| reply.status == 303), "round {round}");
            assert_eq!(stage.count("links").await, made + 1, "round {round}");
            assert_eq!(stage.count("audit WHERE action = 'link.created'").await, made + 1, "round {round}");
            stage.test.clock.advance_ms(60_000);
        }
        stage.finish().await;
    }

    async fn of_32_people_who_claim_one_account_one_has_it_and_31_had(engine) {
        let stage = Stage::set(engine).await;
        for round in 0..rounds(5, 200) {
            let shared = steam(1_000 + round as u64);
            testkit::add_steam_account(&stage.steam, &shared);
            let mut ready = Vec::new();
            for player in 1..=32 {
                let mut browser = stage.browser();
                browser.client = browser.client.clone().from(&format!("198.51.100.{player}"));
                browser.sign_in_discord("link", &discord(player)).await;
                browser.sign_in_steam("link", &shared).await;
                let form = form_token(&browser.page().await).unwrap();
                ready.push((browser, form));
            }
            let before = stage.ended("relink").await;
            let pressed = join_all(ready.iter_mut().map(|(browser, form)| browser.post("/link/guild-1/verify", form))).await;
            assert!(pressed.iter().all(|reply| reply.status == 303), "round {round}");
            assert_eq!(stage.count(&format!("links WHERE steam_id = '{shared}' AND ended_at IS NULL")).await, 1);
            let had = stage.count(&format!("links WHERE steam_id = '{shared}' AND end_cause = 'relink'")).await;
            assert_eq!(had, 31, "round {round}, {before} before");
            stage.test.clock.advance_ms(60_000);
        }
        stage.finish().await;
    }
}
