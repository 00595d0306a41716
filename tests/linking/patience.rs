//! Providers that say nothing, or say it late. A visitor is promised a clear page within six seconds whatever they do,
//! and a promise about time can only be tested by waiting: all cases wait at the same time.

use std::time::Duration;

use domain::flow::JoinMode;
use emulator::{Fault, FaultKind};
use testkit::{Engine, Reply, discord, own_time, steam};

use super::stage::{GROUP, Stage};

const PROMISE: Duration = Duration::from_secs(6);
const TOKEN: &str = "POST /api/v10/oauth2/token";
const PERSON: &str = "GET /api/v10/users/@me";
const ASSERTION: &str = "POST /openid/login";
const NAMES: &str = "GET /ISteamUser/GetPlayerSummaries/v2";
const GROUPS: &str = "GET /ISteamUser/GetUserGroupList/v1";
const MEMBER: &str = "GET /api/v10/guilds/{guild}/members/{user}";

async fn timed(answer: impl Future<Output = Reply>) -> Reply {
    let (reply, took) = own_time(answer).await;
    assert!(took < PROMISE, "it took {took:?}");
    reply
}

/// Discord hangs at the first question, or is slow at the first and hangs at the second.
async fn discord_hangs(faults: &[(&str, FaultKind)]) {
    let stage = Stage::set(Engine::Sqlite).await;
    let mut browser = stage.browser();
    let back = browser.answer_of_discord("link", &discord(1)).await;
    for (route, kind) in faults {
        stage.discord.hub().add_fault(Fault::new(route, *kind).times(1));
    }
    let reply = timed(browser.get(&back)).await;
    assert_eq!(
        reply.header("location"),
        Some("/link/guild-1?notice=discord-silent")
    );
    let page = browser.get("/link/guild-1?notice=discord-silent").await;
    assert!(page.text().contains("Discord isn’t responding") && !page.text().contains("Player 1"));
    stage.discord.hub().remove_faults();
    stage.test.settle().await;
    assert!(
        stage.discord.grants().is_empty(),
        "a token that was given goes back"
    );
    assert_eq!(stage.count("flows WHERE discord_id IS NOT NULL").await, 0);
    browser.sign_in_discord("link", &discord(1)).await;
    stage.test.settle().await;
    stage.finish().await;
}

async fn steam_hangs() {
    let stage = Stage::set(Engine::Sqlite).await;
    let mut browser = stage.browser();
    browser.sign_in_discord("link", &discord(1)).await;
    let back = browser.answer_of_steam("link", &steam(1)).await;
    stage
        .steam
        .hub()
        .add_fault(Fault::new(ASSERTION, FaultKind::Hang).times(1));
    let reply = timed(browser.get(&back)).await;
    assert_eq!(
        reply.header("location"),
        Some("/link/guild-1?notice=steam-silent")
    );
    let page = browser.get("/link/guild-1?notice=steam-silent").await;
    assert!(page.text().contains("Steam isn’t responding") && page.text().contains("Player 1"));
    assert_eq!(stage.count("flows WHERE steam_id IS NOT NULL").await, 0);
    stage.steam.hub().remove_faults();
    browser.sign_in_steam("link", &steam(1)).await;
    browser.press("/link/guild-1/verify").await;
    assert_eq!(stage.linked_steam(&discord(1)).await, Some(steam(1).to_string()));
    stage.finish().await;
}

/// Late but right is right; only the name is not waited for.
async fn steam_is_slow() {
    let stage = Stage::set(Engine::Sqlite).await;
    let mut browser = stage.browser();
    let back = browser.answer_of_steam("link", &steam(1)).await;
    stage
        .steam
        .hub()
        .add_fault(Fault::new(ASSERTION, FaultKind::Slow).times(1));
    stage
        .steam
        .hub()
        .add_fault(Fault::new(NAMES, FaultKind::Hang).times(1));
    let reply = timed(browser.get(&back)).await;
    assert_eq!(reply.header("location"), Some("/link/guild-1"));
    assert!(browser.page().await.contains(steam(1).as_str()));
    stage.steam.hub().remove_faults();
    stage.finish().await;
}

async fn both_hang_when_the_button_is_pressed() {
    let stage = Stage::set(Engine::Sqlite).await;
    stage.demand(JoinMode::Invite, true).await;
    stage.steam.set_membership(&steam(1), GROUP, true);
    testkit::add_member(&stage.discord, &stage.tenant.discord_guild, &discord(1));
    let mut browser = stage.signed_in(1).await;
    stage
        .steam
        .hub()
        .add_fault(Fault::new(GROUPS, FaultKind::Hang).times(1));
    stage
        .discord
        .hub()
        .add_fault(Fault::new(MEMBER, FaultKind::Hang).times(1));
    let reply = timed(browser.press("/link/guild-1/verify")).await;
    assert_eq!(reply.header("location"), Some("/link/guild-1?notice=open"));
    let page = browser.get("/link/guild-1?notice=open").await;
    for said in ["Still to do:", "Steam didn’t answer", "Discord didn’t tell us"] {
        assert!(page.text().contains(said), "{said}: {}", page.text());
    }
    assert_eq!(stage.count("links").await, 0);
    stage.steam.hub().remove_faults();
    stage.discord.hub().remove_faults();
    stage.test.clock.advance_ms(5_000);
    browser.press("/link/guild-1/verify").await;
    assert_eq!(stage.linked_steam(&discord(1)).await, Some(steam(1).to_string()));
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_that_hangs_costs_a_visitor_less_than_six_seconds_and_leaves_nothing_half_done() {
    tokio::join!(
        discord_hangs(&[(TOKEN, FaultKind::Hang)]),
        discord_hangs(&[(TOKEN, FaultKind::Slow), (PERSON, FaultKind::Hang)]),
        steam_hangs(),
        steam_is_slow(),
        both_hang_when_the_button_is_pressed(),
    );
}
