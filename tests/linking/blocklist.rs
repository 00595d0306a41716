//! Blocked accounts and networks.

use app::identity::blocklist::{BlockRequest, block, unblock};
use domain::audit::Actor;
use domain::blocklist::BlockEntry;
use domain::flow::JoinMode;
use emulator::{Fault, FaultKind};
use testkit::{both_databases, discord, steam, wait_until};

use super::stage::{GROUP, Stage};

const GROUPS: &str = "GET /ISteamUser/GetUserGroupList/v1";
const TOKEN: &str = "POST /api/v10/oauth2/token";

async fn blocked(stage: &Stage, entry: BlockEntry, days: Option<u32>) {
    let request = BlockRequest {
        entry,
        discord_id: None,
        reason: "test".to_owned(),
        days,
    };
    block(&stage.test.app, request, Actor::Operator).await.unwrap();
}

both_databases! {
    async fn a_blocked_network_is_turned_away_before_anybody_is_asked(engine) {
        let stage = Stage::set(engine).await;
        let (mut begun, mut fresh) = (stage.browser(), stage.browser());
        let discord_back = begun.answer_of_discord("link", &discord(1)).await;
        let mut with_steam = stage.browser();
        let steam_back = with_steam.answer_of_steam("link", &steam(1)).await;
        blocked(&stage, BlockEntry::network("203.0.113.0/24").unwrap(), None).await;
        assert_eq!(fresh.get("/auth/discord/link?guild=guild-1").await.status, 403);
        for (browser, back) in [(&mut begun, &discord_back), (&mut with_steam, &steam_back)] {
            let reply = browser.get(back).await;
            assert_eq!(reply.status, 403);
            assert!(reply.text().contains("<html") && reply.text().contains("cannot sign in here"), "{}", reply.text());
        }
        assert_eq!((stage.discord.hub().count(TOKEN), stage.steam.hub().count("POST /openid/login")), (0, 0));
        assert_eq!(stage.count("flows").await, 0);
        let elsewhere = stage.test.client().from("198.51.100.1").get("/auth/discord/link?guild=guild-1").await;
        assert_eq!(elsewhere.status, 303);
        stage.finish().await;
    }

    async fn no_byte_in_a_forwarded_address_takes_anybody_past_a_blocked_network(engine) {
        let stage = Stage::behind_proxy(engine).await;
        blocked(&stage, BlockEntry::network("198.51.100.0/24").unwrap(), None).await;
        let through = |line: &[u8]| stage.test.client().from("10.0.0.1").header_bytes("x-forwarded-for", line);
        let begin = "/auth/discord/link?guild=guild-1";
        for line in [&b"198.51.100.1"[..], b"\xe9, 198.51.100.1", b"\xff,198.51.100.1:99, 10.0.0.2", b"::1, [::ffff:198.51.100.1]"] {
            assert_eq!(through(line).get(begin).await.status, 403, "{line:?}");
        }
        // Whom nobody can read is somebody, but not this network; what blocks everybody blocks them too.
        assert_eq!(through(b"\xe9").get(begin).await.status, 303);
        for everybody in ["0.0.0.0/0", "::/0"] {
            let entry = BlockEntry::network(everybody).unwrap();
            blocked(&stage, entry.clone(), None).await;
            assert_eq!(through(b"\xe9").get(begin).await.status, 403, "{everybody}");
            unblock(&stage.test.app, entry, Actor::Operator).await.unwrap();
        }
        // They are counted together, and the proxy is not counted with them.
        for turn in 3..30 {
            assert_eq!(through(&[0xe9, b'a' + turn]).get(begin).await.status, 303, "{turn}");
        }
        assert_eq!(through(b"\xff").get(begin).await.status, 429);
        assert_eq!(stage.test.client().from("10.0.0.1").get(begin).await.status, 303);
        stage.finish().await;
    }

    async fn a_blocked_discord_account_is_bound_to_nothing(engine) {
        let stage = Stage::set(engine).await;
        stage.demand(JoinMode::Auto, false).await;
        blocked(&stage, BlockEntry::discord(&discord(1)), None).await;
        let mut browser = stage.browser();
        let back = browser.answer_of_discord("link", &discord(1)).await;
        assert_eq!(browser.get(&back).await.status, 403);
        stage.test.settle().await;
        assert!(stage.discord.grants().is_empty(), "its token is given back");
        assert_eq!(stage.count("flows").await, 0);
        stage.finish().await;
    }

    async fn a_blocked_steam_account_is_refused_before_steam_is_asked(engine) {
        let stage = Stage::set(engine).await;
        stage.demand(JoinMode::Auto, false).await;
        blocked(&stage, BlockEntry::steam(&steam(1)), None).await;
        let mut browser = stage.browser();
        browser.sign_in_discord("link", &discord(1)).await;
        let back = browser.answer_of_steam("link", &steam(1)).await;
        assert_eq!(browser.get(&back).await.status, 403);
        assert_eq!(stage.steam.hub().count("POST /openid/login"), 0);
        stage.test.settle().await;
        assert!(stage.discord.grants().is_empty(), "what the flow kept is given back");
        stage.finish().await;
    }

    async fn who_is_blocked_between_sign_in_and_the_button_is_not_linked(engine) {
        let stage = Stage::set(engine).await;
        for (player, entry) in [(1, BlockEntry::discord(&discord(1))), (2, BlockEntry::steam(&steam(2))), (3, BlockEntry::network("203.0.113.7").unwrap())] {
            let mut browser = stage.signed_in(player).await;
            let form = crate::linking::stage::form_token(&browser.page().await).unwrap();
            blocked(&stage, entry.clone(), None).await;
            assert_eq!(browser.post("/link/guild-1/verify", &form).await.status, 403);
            assert_eq!(stage.linked_steam(&discord(player)).await, None);
            unblock(&stage.test.app, entry, Actor::Operator).await.unwrap();
        }
        stage.finish().await;
    }

    async fn a_block_ends_with_its_time(engine) {
        let stage = Stage::set(engine).await;
        blocked(&stage, BlockEntry::discord(&discord(1)), Some(1)).await;
        let mut browser = stage.browser();
        let back = browser.answer_of_discord("link", &discord(1)).await;
        assert_eq!(browser.get(&back).await.status, 403);
        stage.test.clock.advance_ms(24 * 60 * 60_000);
        stage.signed_in(1).await.press("/link/guild-1/verify").await;
        assert_eq!(stage.linked_steam(&discord(1)).await, Some(steam(1).to_string()));
        stage.finish().await;
    }

    async fn somebody_who_is_blocked_while_steam_is_asked_is_not_linked(engine) {
        let stage = Stage::set(engine).await;
        stage.demand(JoinMode::Off, true).await;
        stage.steam.set_membership(&steam(1), GROUP, true);
        let mut browser = stage.signed_in(1).await;
        let (client, body) = browser.ready().await;
        let mut slow = Fault::new(GROUPS, FaultKind::Slow).times(1);
        slow.delay_ms = Some(60_000);
        stage.steam.hub().add_fault(slow);
        let block_meanwhile = async {
            wait_until("Steam is asked", async || stage.steam.hub().count(GROUPS) == 1).await;
            blocked(&stage, BlockEntry::steam(&steam(1)), None).await;
            stage.steam.hub().remove_faults();
        };
        let (pressed, ()) = tokio::join!(client.post("/link/guild-1/verify", &body), block_meanwhile);
        assert_eq!(pressed.status, 403);
        assert_eq!(stage.count("links").await, 0);
        stage.finish().await;
    }

    async fn a_block_is_forgotten_when_its_time_is_over(engine) {
        let stage = Stage::set(engine).await;
        blocked(&stage, BlockEntry::discord(&discord(1)), Some(1)).await;
        blocked(&stage, BlockEntry::discord(&discord(2)), None).await;
        app::background::keep_house(&stage.test.app).await.unwrap();
        assert_eq!(stage.count("blocklist").await, 2);
        stage.test.clock.advance_ms(24 * 60 * 60_000);
        app::background::keep_house(&stage.test.app).await.unwrap();
        assert_eq!(stage.count("blocklist").await, 1);
        stage.finish().await;
    }

    async fn blocking_an_account_ends_its_sessions(engine) {
        let stage = Stage::set(engine).await;
        let session = stage.test.session(&stage.tenant.owner).await;
        let person = stage.test.person(&session);
        let path = format!("/orgs/{}/servers", stage.tenant.org);
        assert_eq!(person.get(&path).await.status, 200);
        let owner = discord(900_001);
        let request = BlockRequest { entry: BlockEntry::discord(&owner), discord_id: Some(owner), reason: "test".to_owned(), days: None };
        block(&stage.test.app, request, Actor::Operator).await.unwrap();
        assert_eq!(person.get(&path).await.status, 401);
        stage.finish().await;
    }
}
