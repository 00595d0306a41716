//! The page on which somebody sees what is held about them.

use domain::plan::Tier;
use http::Method;
use serde_json::Value;
use testkit::{both_databases, discord, steam};

use super::{block, link, own_page, press, visitor};
use crate::linking::stage::{Stage, form_token};

both_databases! {
    async fn whoever_shows_nothing_sees_nothing(engine) {
        let stage = Stage::set(engine).await;
        link(&stage, 1).await;
        let mut stranger = stage.browser();
        let page = own_page(&mut stranger).await;
        assert!(page.contains("/auth/discord/me") && page.contains("/auth/steam/me"), "{page}");
        assert!(!page.contains("Guild 1") && !page.contains("Org 1") && form_token(&page).is_none());
        stage.finish().await;
    }

    async fn people_see_each_community_and_take_all_of_it_home(engine) {
        let stage = Stage::set(engine).await;
        link(&stage, 1).await;
        let key = stage.tenant.key.clone();
        let report = format!("/api?action=updateOxideGroups&id={}&groups=vip,default", steam(1));
        assert_eq!(stage.test.plugin(&key).get(&report).await.status, 200);
        stage.test.settle().await;
        let mut browser = visitor(&stage, 1).await;
        let page = own_page(&mut browser).await;
        for shown in ["Org 1", "Guild 1", "linked since", "Trust Score", "Erase here", "Erase everything"] {
            assert!(page.contains(shown), "{shown}: {page}");
        }
        let reply = press(&mut browser, "/me/export", "").await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        assert!(reply.header("content-disposition").unwrap().contains("my-data.json"));
        let taken: Value = reply.json();
        let held = &taken["communities"][0];
        assert_eq!(taken["accounts"]["discord_id"], discord(1).as_str());
        assert_eq!(held["links"][0]["steam_id"], steam(1).as_str());
        assert_eq!(held["servers"][0]["groups_reported"], r#"["default","vip"]"#);
        assert!(held["trust"][0]["score"].is_i64() && held["trust_history"][0]["at_ms"].is_i64(), "{held}");
        assert!(!reply.text().contains("lnk_") && !reply.text().contains("x:"), "{}", reply.text());
        stage.finish().await;
    }

    async fn one_side_shows_the_other_while_they_are_linked_and_no_longer(engine) {
        let stage = Stage::set(engine).await;
        link(&stage, 1).await;
        let mut browser = stage.browser();
        browser.sign_in_discord("me", &discord(1)).await;
        let linked = press(&mut browser, "/me/export", "").await;
        assert!(linked.text().contains(steam(1).as_str()), "{}", linked.text());
        let mut leaving = stage.browser();
        leaving.sign_in_discord("unlink", &discord(1)).await;
        leaving.press("/unlink/guild-1/confirm").await;
        let unlinked = press(&mut browser, "/me/export", "").await;
        assert!(unlinked.text().contains("linked_at_ms") && !unlinked.text().contains(steam(1).as_str()), "{}", unlinked.text());
        stage.finish().await;
    }

    async fn nobody_sees_another_persons_data(engine) {
        let stage = Stage::set(engine).await;
        let other = stage.test.tenant(2, Tier::Standard).await;
        link(&stage, 1).await;
        other.link_pair(&stage.test.app, 2, 2).await.unwrap();
        let mut browser = visitor(&stage, 2).await;
        let text = press(&mut browser, "/me/export", "").await.text().to_owned();
        assert!(text.contains("Org 2") && !text.contains("Org 1"), "{text}");
        for id in [discord(1).to_string(), steam(1).to_string()] {
            assert!(!text.contains(&id), "{text}");
        }
        // Another browser does not open what this one keeps.
        let kept = browser.cookies["symbolon-me"].clone();
        let mut thief = visitor(&stage, 3).await;
        thief.cookies.insert("symbolon-me".to_owned(), kept);
        assert!(own_page(&mut thief).await.contains("Show us which accounts are yours"));
        stage.finish().await;
    }

    async fn a_visit_ends_after_half_an_hour_and_at_once_when_somebody_says_so(engine) {
        let stage = Stage::set(engine).await;
        link(&stage, 1).await;
        let mut browser = visitor(&stage, 1).await;
        stage.test.clock.advance_ms(29 * 60_000);
        assert!(own_page(&mut browser).await.contains("Guild 1"));
        stage.test.clock.advance_ms(2 * 60_000);
        assert!(!own_page(&mut browser).await.contains("Guild 1"));
        let mut browser = visitor(&stage, 1).await;
        assert_eq!(press(&mut browser, "/me/sign-out", "").await.status, 303);
        assert!(!own_page(&mut browser).await.contains("Guild 1"));
        stage.finish().await;
    }

    async fn an_answer_of_a_provider_counts_once_and_in_its_own_browser(engine) {
        let stage = Stage::set(engine).await;
        for side in ["discord", "steam"] {
            let mut browser = stage.browser();
            let back = match side {
                "discord" => browser.answer_of_discord("me", &discord(1)).await,
                _ => browser.answer_of_steam("me", &steam(1)).await,
            };
            let mut other = stage.browser();
            other.begin(side, "me").await;
            assert!(other.get(&back).await.status.is_client_error(), "{side}");
            assert_eq!(browser.get(&back).await.status, 303, "{side}");
            assert!(browser.get(&back).await.status.is_client_error(), "{side}");
        }
        // Two tabs do not end each other's way.
        let mut browser = stage.browser();
        let first = browser.answer_of_discord("me", &discord(1)).await;
        let second = browser.answer_of_discord("me", &discord(1)).await;
        assert_eq!(browser.get(&first).await.status, 303);
        assert_eq!(browser.get(&second).await.status, 303);
        stage.finish().await;
    }

    async fn whoever_is_blocked_is_told_to_write_to_the_operator(engine) {
        let stage = Stage::set(engine).await;
        link(&stage, 1).await;
        let mut before = visitor(&stage, 1).await;
        block(&stage, &discord(1)).await;
        let mut browser = stage.browser();
        let reply = browser.sign_in_discord("me", &discord(1)).await;
        assert_eq!(reply.header("location"), Some("/me?notice=blocked"));
        assert!(browser.get("/me?notice=blocked").await.text().contains("Write to the operator"));
        assert!(!own_page(&mut browser).await.contains("Guild 1"));
        // Nor what was opened before, nor by the other side of the link.
        let mut other = stage.browser();
        other.sign_in_steam("me", &steam(1)).await;
        for open in [&mut before, &mut other] {
            let page = own_page(open).await;
            assert!(page.contains("Write to the operator") && !page.contains("Guild 1"), "{page}");
            let taken = press(open, "/me/export", "").await;
            assert_eq!(taken.header("location"), Some("/me?notice=blocked"));
        }
        let erased = press(&mut before, "/me/erase", "&what=everywhere&sure=yes").await;
        assert_eq!(erased.header("location"), Some("/me?notice=blocked"));
        let erased = press(&mut other, "/me/erase", "&what=everywhere&sure=yes").await;
        assert_eq!(erased.header("location"), Some("/me?notice=blocked"));
        assert_eq!(stage.count("links WHERE ended_at IS NULL").await, 1);
        stage.finish().await;
    }

    async fn a_form_of_another_site_or_without_a_tick_erases_nothing(engine) {
        let stage = Stage::set(engine).await;
        link(&stage, 1).await;
        let mut browser = visitor(&stage, 1).await;
        let unsure = press(&mut browser, "/me/erase", "&what=everywhere").await;
        assert_eq!(unsure.header("location"), Some("/me?notice=confirm"));
        let forged = browser.post("/me/erase", "0000&what=everywhere&sure=yes").await;
        assert_eq!(forged.status, 403);
        let cookies: Vec<String> = browser.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let form = form_token(&own_page(&mut browser).await).unwrap();
        let elsewhere = stage.test.client().header("cookie", &cookies.join("; ")).header("sec-fetch-site", "cross-site")
            .header("content-type", "application/x-www-form-urlencoded")
            .send(Method::POST, "/me/erase", format!("form={form}&what=everywhere&sure=yes").into()).await;
        assert_eq!(elsewhere.status, 403);
        for what in ["org_00000000000000000000000000", "nonsense", "", "%00"] {
            let reply = press(&mut browser, "/me/erase", &format!("&what={what}&sure=yes")).await;
            assert_eq!(reply.status, 404, "{what}: {}", reply.text());
        }
        assert_eq!(stage.count("links WHERE ended_at IS NULL").await, 1);
        stage.finish().await;
    }
}
