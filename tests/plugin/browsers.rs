//! An address with a key in it that somebody pastes or opens must not change anything.

use domain::plan::Tier;
use testkit::{TestApp, both_databases, steam};

use super::support::{assert_answer, assert_failure, links};

const PREVIEWS: [&str; 8] = [
    "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
    "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
    "TelegramBot (like TwitterBot)",
    "Twitterbot/1.0",
    "facebookexternalhit/1.1",
    "WhatsApp/2.23.20.0",
    "LinkedInBot/1.0 (compatible; Mozilla/5.0)",
    "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5",
];

both_databases! {
    async fn a_page_or_a_preview_with_the_key_in_its_address_changes_nothing(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        let asked = format!("/api?action=remove&id={}&secret={}", steam(1), tenant.key);
        let mut pages = vec![test.client().header("sec-fetch-mode", "navigate")];
        pages.extend(PREVIEWS.map(|agent| test.client().header("user-agent", agent)));
        pages.push(test.client().header("user-agent", &PREVIEWS[0].to_uppercase()));
        for page in pages {
            for reply in [page.get(&asked).await, page.post(&asked, "").await] {
                assert_failure(&reply, 403, "BROWSER_REFUSED");
                assert_eq!(reply.header("deprecation"), Some("true"));
            }
        }
        assert_eq!(links(&test, &tenant).await[0].ended_at_ms, None);
        test.finish().await;
    }

    async fn a_page_may_still_look_things_up(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let page = test.client().header("sec-fetch-mode", "navigate").header("user-agent", PREVIEWS[0]);
        let reply = page.get(&format!("/api?action=count&secret={}", tenant.key)).await;
        assert_answer(&reply, 200, r#"{"Total":0}"#);
        test.finish().await;
    }

    async fn a_key_in_a_header_is_a_program_whatever_else_it_says(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let bearer = test.client().header("authorization", &format!("Bearer {}", tenant.key));
        for (player, caller) in (1..).zip([test.plugin(&tenant.key), bearer]) {
            tenant.link(&test.app, player).await;
            let caller = caller.header("sec-fetch-mode", "navigate").header("user-agent", PREVIEWS[0]);
            let reply = caller.get(&format!("/api?action=remove&id={}", steam(player))).await;
            assert_answer(&reply, 200, r#""User Removed""#);
        }
        test.finish().await;
    }

    async fn a_program_with_the_key_in_its_address_may_change_things(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let callers = [
            test.client(),
            test.client().header("user-agent", "UnityPlayer/2022.3.41f1 (UnityWebRequest/1.0)"),
            test.client().header("sec-fetch-mode", "cors"),
            test.client().header("user-agent", "DiscordBot (https://discord.js.org, 14.16.3)"),
            test.client().header("user-agent", "DiscordBot (https://github.com/me/discordbot/ 2.4.0) Python/3.12"),
        ];
        for (player, caller) in (1..).zip(callers) {
            tenant.link(&test.app, player).await;
            let asked = format!("/api?action=remove&id={}&secret={}", steam(player), tenant.key);
            assert_answer(&caller.get(&asked).await, 200, r#""User Removed""#);
        }
        test.finish().await;
    }
}
