//! The button under many clicks: a day's calls are never exceeded, and a Steam that fails is left alone.

use app::steam_calls;
use domain::flow::JoinMode;
use domain::quota::DailyQuota;
use emulator::{Fault, FaultKind};
use futures_util::future::join_all;
use testkit::{Client, both_databases, discord, rounds, steam};

use super::stage::{Browser, GROUP, Stage};

const GROUPS: &str = "GET /ISteamUser/GetUserGroupList/v1";
const PLAYERS: u64 = 20;
/// Presses of each player before the next look is allowed.
const PRESSES: u64 = 5;
/// One look at a player in this time.
const PAUSE_MS: i64 = 5_000;
/// Questions that the Org has left today: its share is a tenth of what others left.
const CALLS_LEFT: u64 = 60;

/// Players who have signed in and are not in the group.
async fn signed_in(stage: &Stage) -> Vec<(Browser, Client, String)> {
    let mut ready = Vec::new();
    for player in 1..=PLAYERS {
        let mut browser = stage.browser();
        browser.client = browser.client.clone().from(&format!("198.51.100.{player}"));
        browser.sign_in_discord("link", &discord(player)).await;
        browser.sign_in_steam("link", &steam(player)).await;
        let (client, body) = browser.ready().await;
        ready.push((browser, client, body));
    }
    ready
}

/// Everybody presses at once, several times.
async fn press(players: &[(Browser, Client, String)]) {
    let presses = players.iter().flat_map(|(_, client, body)| {
        let press = move |_| client.post("/link/guild-1/verify", body);
        (0..PRESSES).map(press)
    });
    for reply in join_all(presses).await {
        let place = reply.header("location").unwrap_or_default();
        assert_eq!((reply.status.as_u16(), place), (303, "/link/guild-1?notice=open"));
    }
}

fn clicks_to_rounds(clicks: usize) -> u64 {
    clicks as u64 / (PLAYERS * PRESSES)
}

both_databases! {
    async fn however_often_the_button_is_pressed_the_days_calls_are_never_exceeded(engine) {
        let stage = Stage::set(engine).await;
        stage.demand(JoinMode::Off, true).await;
        let mut players = signed_in(&stage).await;
        let day = DailyQuota::day_of(stage.test.app.now_ms());
        // The names of the players were asked for when they signed in.
        let spent = 90_000 - 10 * (PLAYERS + CALLS_LEFT);
        stage.test.db.damage(&format!("INSERT INTO daily_calls (provider, day, org_num, calls) VALUES ('steam_web_api', {day}, 0, {spent})")).await;
        steam_calls::share(&stage.test.app).await.unwrap();
        for round in 0..clicks_to_rounds(rounds(500, 10_000)) {
            press(&players).await;
            let asked = stage.steam.hub().count(GROUPS);
            assert_eq!(asked, CALLS_LEFT.min((round + 1) * PLAYERS), "round {round}");
            stage.test.clock.advance_ms(PAUSE_MS);
        }
        for (browser, _, _) in &mut players {
            let page = browser.page().await;
            assert!(page.contains("Steam did not answer, so we cannot tell"), "{page}");
        }
        assert_eq!(stage.count("links").await, 0);
        // The next day has calls of its own.
        stage.test.clock.advance_ms(DailyQuota::resets_in_ms(stage.test.app.now_ms()));
        stage.steam.set_membership(&steam(1), GROUP, true);
        stage.signed_in(1).await.press("/link/guild-1/verify").await;
        assert_eq!(stage.linked_steam(&discord(1)).await, Some(steam(1).to_string()));
        stage.finish().await;
    }

    async fn a_steam_that_fails_is_hardly_asked_until_it_answers_again(engine) {
        let stage = Stage::set(engine).await;
        stage.demand(JoinMode::Off, true).await;
        let mut players = signed_in(&stage).await;
        stage.steam.hub().add_fault(Fault::new(GROUPS, FaultKind::Error500).times(1_000_000));
        let count = clicks_to_rounds(rounds(500, 10_000));
        press(&players).await;
        let first = stage.steam.hub().count(GROUPS);
        assert!(first <= PLAYERS, "{first}");
        for _ in 1..count {
            stage.test.clock.advance_ms(PAUSE_MS);
            press(&players).await;
        }
        let asked = stage.steam.hub().count(GROUPS);
        assert!(asked < first + count, "{asked} after {first}: once in five seconds");
        assert!(players[0].0.page().await.contains("Steam did not answer"));
        assert_eq!(stage.count("links").await, 0);
        stage.steam.hub().remove_faults();
        stage.test.clock.advance_ms(PAUSE_MS);
        for player in 1..=2 {
            stage.steam.set_membership(&steam(player), GROUP, true);
            stage.signed_in(player).await.press("/link/guild-1/verify").await;
            assert_eq!(stage.linked_steam(&discord(player)).await, Some(steam(player).to_string()));
        }
        stage.finish().await;
    }
}
