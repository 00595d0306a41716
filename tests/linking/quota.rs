//! The button under many clicks: a day's calls are never exceeded, and a Steam that fails is left alone.

use std::sync::atomic::{AtomicBool, Ordering};

use app::players::steam_calls;
use domain::flow::JoinMode;
use domain::quota::DailyQuota;
use emulator::{Fault, FaultKind};
use futures_util::future::join_all;
use testkit::{Client, both_databases, discord, rounds, steam, wait_until};

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

/// Everybody presses at once, several times, and time goes on: who comes too soon is held back.
async fn press(stage: &Stage, players: &[(Browser, Client, String)]) {
    let presses = players.iter().flat_map(|(_, client, body)| {
        let press = move |_| client.post("/link/guild-1/verify", body);
        (0..PRESSES).map(press)
    });
    let are_done = AtomicBool::new(false);
    let presses = async {
        let replies = join_all(presses).await;
        are_done.store(true, Ordering::SeqCst);
        replies
    };
    let time_goes_on = wait_until("everybody has an answer", async || {
        stage.test.clock.advance_ms(500);
        are_done.load(Ordering::SeqCst)
    });
    let (replies, ()) = tokio::join!(presses, time_goes_on);
    for reply in replies {
        let place = reply.header("location").unwrap_or_default();
        assert_eq!((reply.status.as_u16(), place), (303, "/link/guild-1?notice=open"));
    }
}

/// No player was asked about more often than once in five seconds. Time goes on while a question is on its way, so it
/// may arrive late: what counts is how many there were since the beginning.
fn assert_paced(stage: &Stage, began_ms: i64) {
    let mut asked = std::collections::HashMap::new();
    for call in stage
        .steam
        .hub()
        .calls()
        .into_iter()
        .filter(|call| call.route == GROUPS)
    {
        let count = asked.entry(call.query.clone()).or_insert(0);
        *count += 1;
        assert!(
            *count <= 1 + (call.at_ms - began_ms) / PAUSE_MS,
            "the {count}th time: {call:?}"
        );
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
        let began_ms = stage.test.app.now_ms();
        for _ in 0..clicks_to_rounds(rounds(500, 10_000)) {
            press(&stage, &players).await;
            assert!(stage.steam.hub().count(GROUPS) <= CALLS_LEFT);
            stage.test.clock.advance_ms(PAUSE_MS);
        }
        assert_eq!(stage.steam.hub().count(GROUPS), CALLS_LEFT);
        assert_paced(&stage, began_ms);
        for (browser, _, _) in &mut players {
            let page = browser.page().await;
            assert!(page.contains("Steam didn’t answer, so we couldn’t check"), "{page}");
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
        let began_ms = stage.test.app.now_ms();
        for _ in 0..clicks_to_rounds(rounds(500, 10_000)) {
            press(&stage, &players).await;
            stage.test.clock.advance_ms(PAUSE_MS);
        }
        // Those that were under way when it was given up, then one in five seconds.
        let probes = (stage.test.app.now_ms() - began_ms) / PAUSE_MS;
        let asked = stage.steam.hub().count(GROUPS);
        assert!(asked <= PLAYERS + probes.unsigned_abs(), "{asked} after {probes} probes");
        assert_paced(&stage, began_ms);
        assert!(players[0].0.page().await.contains("Steam didn’t answer"));
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
