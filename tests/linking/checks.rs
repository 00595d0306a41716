//! What a Guild asks for besides both accounts.

use std::future::poll_fn;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use domain::flow::JoinMode;
use emulator::{Fault, FaultKind};
use futures_util::future::join_all;
use testkit::{Client, both_databases, discord, steam, wait_until};

use super::stage::{GROUP, Stage};

const MEMBER: &str = "GET /api/v10/guilds/{guild}/members/{user}";
const GROUPS: &str = "GET /ISteamUser/GetUserGroupList/v1";

/// Counts how often something goes on.
fn counted<F: Future>(work: F, steps: &AtomicUsize) -> impl Future<Output = F::Output> {
    let mut work = Box::pin(work);
    poll_fn(move |context| {
        steps.fetch_add(1, Ordering::Relaxed);
        work.as_mut().poll(context)
    })
}

/// Waits until everybody waits for somebody else.
async fn until_still(steps: &AtomicUsize) {
    loop {
        let before = steps.load(Ordering::Relaxed);
        tokio::time::sleep(Duration::from_secs(1)).await;
        if before > 0 && steps.load(Ordering::Relaxed) == before {
            return;
        }
    }
}

both_databases! {
    async fn the_button_asks_steam_each_time_and_takes_no_for_an_answer(engine) {
        let stage = Stage::set(engine).await;
        stage.demand(JoinMode::Off, true).await;
        let mut browser = stage.signed_in(1).await;
        for round in 0..5 {
            stage.steam.set_membership(&steam(1), GROUP, false);
            let pressed = browser.press("/link/guild-1/verify").await;
            assert_eq!(pressed.header("location"), Some("/link/guild-1?notice=open"), "round {round}");
            let page = browser.get("/link/guild-1?notice=open").await;
            assert!(page.text().contains("Still to do: <b>Steam group</b></p>"), "{}", page.text());
            assert!(page.text().contains("not in the Steam group yet"));
            stage.test.clock.advance_ms(5_000);
        }
        assert_eq!(stage.steam.hub().count(GROUPS), 5, "never from what was known before");
        stage.steam.set_membership(&steam(1), GROUP, true);
        browser.press("/link/guild-1/verify").await;
        assert_eq!(stage.linked_steam(&discord(1)).await, Some(steam(1).to_string()));
        stage.finish().await;
    }

    async fn a_private_profile_leads_to_where_steam_changes_that(engine) {
        let stage = Stage::set(engine).await;
        stage.demand(JoinMode::Off, true).await;
        let mut browser = stage.signed_in(1).await;
        let privacy = "href=\"https://steamcommunity.com/my/edit/settings\" target=\"_blank\" rel=\"noopener noreferrer\"";
        assert!(!browser.page().await.contains(privacy), "nobody knows yet");
        testkit::hide_groups(&stage.steam, 1, true);
        browser.press("/link/guild-1/verify").await;
        let page = browser.page().await;
        assert!(page.contains(privacy) && page.contains("Open Steam’s privacy settings"), "{page}");
        assert!(!page.contains("Open the Steam group"), "joining it again would not help");
        testkit::hide_groups(&stage.steam, 1, false);
        stage.steam.set_membership(&steam(1), GROUP, true);
        stage.test.clock.advance_ms(5_000);
        browser.press("/link/guild-1/verify").await;
        let done = browser.page().await;
        assert!(done.contains("You’re linked") && !done.contains(privacy), "{done}");
        stage.finish().await;
    }

    async fn not_knowing_is_not_a_no(engine) {
        let stage = Stage::set(engine).await;
        stage.demand(JoinMode::Off, true).await;
        let mut browser = stage.signed_in(1).await;
        testkit::hide_groups(&stage.steam, 1, true);
        browser.press("/link/guild-1/verify").await;
        assert!(browser.page().await.contains("doesn’t show us your groups"));
        testkit::hide_groups(&stage.steam, 1, false);
        stage.test.clock.advance_ms(5_000);
        stage.steam.hub().add_fault(Fault::new(GROUPS, FaultKind::Error500).times(1));
        browser.press("/link/guild-1/verify").await;
        assert!(browser.page().await.contains("Steam didn’t answer"));
        assert_eq!(stage.linked_steam(&discord(1)).await, None);
        stage.finish().await;
    }

    async fn presses_at_the_same_time_share_one_question_and_get_one_answer(engine) {
        let stage = Stage::set(engine).await;
        stage.demand(JoinMode::Off, true).await;
        for is_in in [false, true] {
            stage.steam.set_membership(&steam(1), GROUP, is_in);
            let asked = stage.steam.hub().count(GROUPS);
            let mut browser = stage.signed_in(1).await;
            let (client, body) = browser.ready().await;
            // Slow enough for all of them to come while the first is under way.
            let mut slow = Fault::new(GROUPS, FaultKind::Slow).times(1);
            slow.delay_ms = Some(60_000);
            stage.steam.hub().add_fault(slow);
            let steps = AtomicUsize::new(0);
            let presses = (0..50).map(|_| counted(client.post("/link/guild-1/verify", &body), &steps));
            let (pressed, ()) = tokio::join!(join_all(presses), async {
                until_still(&steps).await;
                stage.steam.hub().remove_faults();
            });
            let place = if is_in { "/link/guild-1" } else { "/link/guild-1?notice=open" };
            for reply in &pressed {
                assert_eq!((reply.status.as_u16(), reply.header("location")), (303, Some(place)));
            }
            assert_eq!(stage.steam.hub().count(GROUPS) - asked, 1);
            stage.test.clock.advance_ms(60_000);
        }
        assert_eq!(stage.count("links").await, 1);
        stage.finish().await;
    }

    async fn a_press_that_comes_too_soon_is_held_back_and_asks_anew(engine) {
        let stage = Stage::set(engine).await;
        stage.demand(JoinMode::Off, true).await;
        let mut browser = stage.signed_in(1).await;
        browser.press("/link/guild-1/verify").await;
        // The player joins the group and presses again, here and in a second browser.
        stage.steam.set_membership(&steam(1), GROUP, true);
        let mut second = stage.signed_in(1).await;
        let ((first, form), (second, other_form)) = (browser.ready().await, second.ready().await);
        let answered = AtomicUsize::new(0);
        let press = async |client: &Client, form: &str| {
            let reply = client.post("/link/guild-1/verify", form).await;
            answered.fetch_add(1, Ordering::Relaxed);
            reply
        };
        // However late one of them comes, time goes on for it.
        let time_goes_on = wait_until("both are answered", async || {
            stage.test.clock.advance_ms(500);
            answered.load(Ordering::Relaxed) == 2
        });
        let (one, two, ()) = tokio::join!(press(&first, &form), press(&second, &other_form), time_goes_on);
        for reply in [one, two] {
            assert_eq!(reply.header("location"), Some("/link/guild-1"), "nobody is told to wait");
        }
        assert_eq!(stage.linked_steam(&discord(1)).await, Some(steam(1).to_string()));
        let asked: Vec<i64> = stage.steam.hub().calls().iter().filter(|call| call.route == GROUPS).map(|call| call.at_ms).collect();
        // One that comes only after the other was answered asks for itself.
        assert!(asked.len() == 2 || asked.len() == 3, "{asked:?}");
        assert!(asked[1] - asked[0] >= 5_000, "{asked:?}");
        stage.finish().await;
    }

    async fn somebody_who_was_told_no_and_joins_at_once_is_linked_with_the_next_press(engine) {
        let stage = Stage::set(engine).await;
        stage.demand(JoinMode::Invite, false).await;
        let mut browser = stage.signed_in(1).await;
        let told = browser.press("/link/guild-1/verify").await;
        assert_eq!(told.header("location"), Some("/link/guild-1?notice=open"));
        testkit::add_member(&stage.discord, &stage.tenant.discord_guild, &discord(1));
        let began_ms = stage.test.app.now_ms();
        let time_goes_on = wait_until("five seconds pass", async || {
            stage.test.clock.advance_ms(500);
            stage.test.app.now_ms() - began_ms >= 5_000
        });
        let (pressed, ()) = tokio::join!(browser.press("/link/guild-1/verify"), time_goes_on);
        assert_eq!(pressed.header("location"), Some("/link/guild-1"));
        let asked: Vec<i64> = stage.discord.hub().calls().iter().filter(|call| call.route == MEMBER).map(|call| call.at_ms).collect();
        assert!(asked.len() == 2 && asked[1] - asked[0] >= 5_000, "the press was held back: {asked:?}");
        stage.finish().await;
    }

    async fn the_join_button_and_the_verify_button_ask_discord_at_one_pace(engine) {
        let stage = Stage::set(engine).await;
        stage.demand(JoinMode::Auto, false).await;
        let mut browser = stage.signed_in(1).await;
        let (client, body) = browser.ready().await;
        join_all((0..20).map(|_| client.post("/link/guild-1/join", &body))).await;
        browser.press("/link/guild-1/join").await;
        // Somebody who was just added is there; nobody has to be asked again, and nobody waits.
        browser.press("/link/guild-1/verify").await;
        assert_eq!(stage.discord.hub().count("PUT /api/v10/guilds/{guild}/members/{user}"), 1);
        assert!(browser.page().await.contains("You’re linked"));
        stage.finish().await;
    }

    async fn a_player_is_added_to_the_discord_server_with_one_press(engine) {
        let stage = Stage::set(engine).await;
        stage.demand(JoinMode::Auto, false).await;
        let mut browser = stage.signed_in(1).await;
        assert!(browser.page().await.contains("Join the Discord server"));
        browser.press("/link/guild-1/join").await;
        assert!(browser.page().await.contains("You’re in the Discord server"));
        assert!(testkit::is_member(&stage.discord, &stage.tenant.discord_guild, &discord(1)));
        browser.press("/link/guild-1/verify").await;
        assert!(browser.page().await.contains("You’re linked"));
        stage.test.settle().await;
        assert!(stage.discord.grants().is_empty(), "the token is given back with the last step");
        stage.finish().await;
    }

    async fn signing_in_again_keeps_a_token_that_works(engine) {
        let stage = Stage::set(engine).await;
        stage.demand(JoinMode::Auto, false).await;
        let mut browser = stage.signed_in(1).await;
        browser.sign_in_discord("link", &discord(1)).await;
        stage.test.settle().await;
        browser.press("/link/guild-1/join").await;
        assert!(browser.page().await.contains("You’re in the Discord server"));
        browser.sign_in_discord("link", &discord(2)).await;
        stage.test.settle().await;
        assert!(stage.discord.grants().iter().all(|grant| grant.user.to_string() == discord(2).to_string()));
        stage.finish().await;
    }

    async fn a_guild_that_invites_wants_members_and_adds_nobody(engine) {
        let stage = Stage::set(engine).await;
        stage.demand(JoinMode::Invite, false).await;
        let mut browser = stage.signed_in(1).await;
        assert!(stage.discord.grants().is_empty(), "no token is kept");
        browser.press("/link/guild-1/verify").await;
        assert!(browser.page().await.contains("not in the Discord server yet"));
        testkit::add_member(&stage.discord, &stage.tenant.discord_guild, &discord(1));
        stage.test.clock.advance_ms(5_000);
        browser.press("/link/guild-1/verify").await;
        assert!(browser.page().await.contains("You’re linked"));
        stage.finish().await;
    }
}
