//! What somebody might send instead of an honest answer.

use domain::permission::Permission;
use emulator::Fault;
use emulator::steam::Check;
use http::Method;
use testkit::{both_databases, discord, steam};

use super::stage::{Stage, form_token, own_path, visit};
use crate::identity::sign_in::answer;

const CHECK: &str = "POST /openid/login";
const TOKEN: &str = "POST /api/v10/oauth2/token";

/// Replaces a value in a query.
fn with(query: &str, name: &str, value: &str) -> String {
    let (path, query) = query.split_once('?').unwrap();
    let pairs = form_urlencoded::parse(query.as_bytes()).map(|(key, old)| {
        let new = if key == name {
            value.to_owned()
        } else {
            old.into_owned()
        };
        (key.into_owned(), new)
    });
    let pairs: Vec<_> = pairs.collect();
    let query = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs)
        .finish();
    format!("{path}?{query}")
}

both_databases! {
    async fn a_changed_assertion_is_refused_before_steam_is_asked(engine) {
        let stage = Stage::set(engine).await;
        stage.steam.set_check(Check::AlwaysValid);
        let other = "https://steamcommunity.com/openid/id/76561198000000002";
        for (name, value) in [
            ("openid.identity", other),
            ("openid.op_endpoint", "https://steamcommunity.com.evil.example/openid/login"),
            ("openid.ns", "http://openid.net/signon/1.1"),
            ("openid.return_to", "https://evil.example/"),
            ("openid.signed", "claimed_id"),
            ("openid.response_nonce", "2020-01-01T00:00:00Zold"),
            ("openid.claimed_id", "https://staemcommunity.com/openid/id/76561198000000001"),
        ] {
            let mut browser = stage.browser();
            let back = browser.answer_of_steam("link", &steam(1)).await;
            assert_eq!(browser.get(&with(&back, name, value)).await.status, 400, "{name}");
        }
        assert_eq!(stage.steam.hub().count(CHECK), 0);
        stage.finish().await;
    }

    async fn a_code_that_cannot_be_discords_is_refused_before_discord_is_asked(engine) {
        let stage = Stage::set(engine).await;
        let mut browser = stage.browser();
        let session = stage.test.member(&stage.tenant, 1, Permission::ALL).await;
        browser.cookies.insert("symbolon".to_owned(), session);
        let claim = browser.get(&format!("/auth/discord/claim?org={}", stage.tenant.org)).await;
        let claim = visit(&format!("{}&as={}", claim.header("location").unwrap(), discord(1))).await;
        let ways = [
            own_path(&claim),
            answer(&mut browser, "/app/", 1).await,
            browser.answer_of_discord("link", &discord(1)).await,
            browser.answer_of_discord("unlink", &discord(1)).await,
        ];
        let mut wrong = vec![String::new(), "x".repeat(257), "x".repeat(20_000)];
        wrong.extend(["a b", "a+b", "a&scope=bot", "a/../b", "a%2Fb", "ä", "a\r\nb", "\u{202e}a"].map(str::to_owned));
        for back in &ways {
            for code in &wrong {
                let reply = browser.get(&with(back, "code", code)).await;
                assert_eq!(reply.status, 400, "{back} {code:?}");
                assert!(reply.text().contains("This sign-in has expired"), "{}", reply.text());
                // Enough time for what one network may do.
                stage.test.clock.advance_ms(2_000);
            }
        }
        assert_eq!(stage.discord.hub().count(TOKEN), 0);
        for back in &ways {
            assert_eq!(browser.get(back).await.status, 303, "none of that used it up: {back}");
        }
        assert_eq!(stage.discord.hub().count(TOKEN), 4);
        stage.finish().await;
    }

    async fn a_forged_signature_is_refused_by_steam(engine) {
        let stage = Stage::set(engine).await;
        let mut browser = stage.browser();
        let back = browser.answer_of_steam("link", &steam(1)).await;
        assert_eq!(browser.get(&with(&back, "openid.sig", "Zm9yZ2Vk")).await.status, 400);
        assert_eq!(stage.steam.hub().count(CHECK), 1);
        assert!(!browser.page().await.contains("Player 1"));
        stage.finish().await;
    }

    async fn a_number_that_was_used_is_refused_even_when_steam_says_yes(engine) {
        let stage = Stage::set(engine).await;
        stage.steam.set_check(Check::AlwaysValid);
        let mut one = stage.browser();
        let first = one.answer_of_steam("link", &steam(1)).await;
        assert_eq!(one.get(&first).await.status, 303);
        let nonce = form_urlencoded::parse(first.split_once('?').unwrap().1.as_bytes())
            .find(|(name, _)| name == "openid.response_nonce").unwrap().1.into_owned();
        let mut two = stage.browser();
        let second = two.answer_of_steam("link", &steam(1)).await;
        assert_eq!(two.get(&with(&second, "openid.response_nonce", &nonce)).await.status, 400);
        assert!(!two.page().await.contains("Player 1"));
        stage.finish().await;
    }

    async fn every_other_answer_of_the_provider_is_a_no(engine) {
        let stage = Stage::set(engine).await;
        let mut browser = stage.browser();
        for body in ["xis_valid:true\n", "ns:http://specs.openid.net/auth/2.0\nis_valid:true:x\n", "is_valid:true\n", "<html>is_valid:true</html>", "", "ns:http://specs.openid.net/auth/2.0\nis_valid:false\nis_valid:true\n"] {
            stage.steam.hub().add_fault(Fault::answer(CHECK, 200, body));
            let back = browser.answer_of_steam("link", &steam(1)).await;
            let reply = browser.get(&back).await;
            assert!(reply.status == 400 || reply.header("location") == Some("/link/guild-1?notice=steam-silent"), "{body:?} {}", reply.status);
            assert!(!browser.page().await.contains("Signed in as"), "{body:?}");
        }
        stage.finish().await;
    }

    async fn a_flow_of_one_guild_is_worth_nothing_in_another(engine) {
        let stage = Stage::set(engine).await;
        let other = stage.test.tenant(2, domain::plan::Tier::Standard).await;
        let mut browser = stage.signed_in(1).await;
        let form = form_token(&browser.page().await).unwrap();
        for path in ["/link/guild-2/verify", "/link/guild-2/join"] {
            assert_eq!(browser.post(path, &form).await.status, 400, "{path}");
        }
        let page = browser.get("/link/guild-2").await;
        assert!(!page.text().contains("Player 1"), "nor does the other page know who it is");
        assert_eq!(stage.count("links").await, 0);
        assert_eq!(stage.test.plugin(&other.key).get("/api?action=count").await.text(), r#"{"Total":0}"#);
        stage.finish().await;
    }

    async fn a_get_never_links_and_a_form_from_elsewhere_neither(engine) {
        let stage = Stage::set(engine).await;
        let mut browser = stage.signed_in(1).await;
        assert_eq!(browser.get("/link/guild-1/verify").await.status, 405);
        let form = form_token(&browser.page().await).unwrap();
        for wrong in ["", "x", &"0".repeat(64)] {
            assert_eq!(browser.post("/link/guild-1/verify", wrong).await.status, 403);
        }
        let cookie = format!("symbolon-flow={}", browser.cookies["symbolon-flow"]);
        let elsewhere = |name: &'static str, value: &str| {
            stage.test.client()
                .header("cookie", &cookie)
                .header("content-type", "application/x-www-form-urlencoded")
                .header(name, value)
        };
        for (name, value) in [("sec-fetch-site", "cross-site"), ("sec-fetch-site", "same-site"), ("origin", "https://evil.example"), ("origin", "null")] {
            let reply = elsewhere(name, value).send(Method::POST, "/link/guild-1/verify", format!("form={form}").into()).await;
            assert_eq!(reply.status, 403, "{name}: {value}");
        }
        assert_eq!(stage.linked_steam(&discord(1)).await, None);
        let mut other = stage.signed_in(2).await;
        assert_eq!(other.post("/link/guild-1/verify", &form).await.status, 403, "another browser's form");
        assert_eq!(browser.post("/link/guild-1/verify", &form).await.status, 303);
        stage.finish().await;
    }
}
