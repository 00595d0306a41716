//! What the page shows at each step.

use domain::flow::JoinMode;
use testkit::{both_databases, discord, steam};

use super::stage::{Stage, form_token};

both_databases! {
    async fn a_player_links_with_discord_first(engine) {
        let stage = Stage::set(engine).await;
        let mut browser = stage.browser();
        let before = browser.page().await;
        assert!(before.contains("Sign in with Discord") && before.contains("Sign in with Steam"));
        assert!(!before.contains("Verify and link"));
        browser.sign_in_discord("link", &discord(1)).await;
        assert!(browser.page().await.contains("Player 1"));
        browser.sign_in_steam("link", &steam(1)).await;
        assert!(browser.page().await.contains("Verify and link"));
        let pressed = browser.press("/link/guild-1/verify").await;
        assert_eq!((pressed.status.as_u16(), pressed.header("location")), (303, Some("/link/guild-1")));
        let done = browser.page().await;
        assert!(done.contains("You’re linked") && done.matches("<bdi class=\"who\">Player 1</bdi>").count() == 2, "{done}");
        // The address of a step that is done by now says nothing.
        assert!(!browser.get("/link/guild-1?notice=open").await.text().contains("Not linked yet"));
        assert_eq!(stage.linked_steam(&discord(1)).await, Some(steam(1).to_string()));
        stage.finish().await;
    }

    async fn a_player_links_with_steam_first(engine) {
        let stage = Stage::set(engine).await;
        let mut browser = stage.browser();
        browser.sign_in_steam("link", &steam(2)).await;
        assert!(!browser.page().await.contains("Verify and link"));
        browser.sign_in_discord("link", &discord(2)).await;
        browser.press("/link/guild-1/verify").await;
        assert_eq!(stage.linked_steam(&discord(2)).await, Some(steam(2).to_string()));
        stage.finish().await;
    }

    async fn a_visit_stores_nothing(engine) {
        let stage = Stage::set(engine).await;
        for path in ["/link/guild-1", "/unlink/guild-1", "/link/guild-1?lang=ar", "/link/guild-1?notice=open"] {
            let reply = stage.browser().get(path).await;
            assert_eq!(reply.status, 200);
            assert!(reply.headers.get_all("set-cookie").iter().all(|cookie| !cookie.to_str().unwrap().contains("flow")));
        }
        assert_eq!(stage.count("flows").await, 0);
        assert_eq!(stage.browser().get("/link/nowhere").await.status, 404);
        stage.finish().await;
    }

    async fn a_page_is_there_with_a_slash_behind_its_address_too(engine) {
        let stage = Stage::set(engine).await;
        for path in ["/link/guild-1", "/unlink/guild-1", "/docs", "/docs/api", "/docs/api/count"] {
            let (page, slashed) = (stage.browser().get(path).await, stage.browser().get(&format!("{path}/")).await);
            assert_eq!((page.status.as_u16(), slashed.status.as_u16()), (200, 200), "{path}");
            assert_eq!(page.text(), slashed.text(), "{path}");
        }
        assert_eq!(stage.browser().get("/link/nowhere/").await.status, 404);
        stage.finish().await;
    }

    async fn equal_names_are_told_apart_by_their_ids(engine) {
        let stage = Stage::set(engine).await;
        for number in [1, 2] {
            testkit::rename_player(&stage.discord, &stage.steam, number, "Gia");
        }
        stage.signed_in(1).await.press("/link/guild-1/verify").await;
        let mut browser = stage.browser();
        browser.sign_in_discord("link", &discord(1)).await;
        browser.sign_in_steam("link", &steam(2)).await;
        let page = browser.page().await;
        let (_, ends) = page.split_once("This ends an existing link:").expect("a warning");
        let id = |id: String| format!("<bdi class=\"who\">Gia</bdi> <span class=\"id\">{id}</span>");
        for one in [discord(1).to_string(), steam(2).to_string()] {
            assert!(page.matches(&id(one)).count() >= 2, "in its step and in the question: {page}");
        }
        for one in [discord(1).to_string(), steam(1).to_string()] {
            assert!(ends.contains(&id(one)), "{page}");
        }
        browser.press("/link/guild-1/verify").await;
        let done = browser.page().await;
        for one in [discord(1).to_string(), steam(2).to_string()] {
            assert!(done.contains(&id(one)), "{done}");
        }
        let mut unlinking = stage.browser();
        unlinking.sign_in_steam("unlink", &steam(2)).await;
        let question = unlinking.get("/unlink/guild-1").await;
        for one in [discord(1).to_string(), steam(2).to_string()] {
            assert!(question.text().contains(&id(one)), "{}", question.text());
        }
        stage.finish().await;
    }

    async fn the_page_wears_the_face_of_its_community(engine) {
        let stage = Stage::set(engine).await;
        let page = stage.browser().page().await;
        assert!(page.contains("<span class=\"tile\" aria-hidden=\"true\">G1</span>"), "{page}");
        let button = |provider: &str| {
            let (_, rest) = page.split_once(&format!("href=\"/auth/{provider}/link?guild=guild-1\">")).expect("a button");
            rest.split_once("</a>").expect("its end").0.to_owned()
        };
        let (discord_button, steam_button) = (button("discord"), button("steam"));
        assert!(discord_button.starts_with("<svg ") && steam_button.starts_with("<svg "), "each has its platform's mark");
        assert_ne!(discord_button.split("</svg>").next(), steam_button.split("</svg>").next());
        stage.finish().await;
    }

    async fn verifying_a_linked_pair_again_is_no_new_link(engine) {
        let stage = Stage::set(engine).await;
        stage.signed_in(1).await.press("/link/guild-1/verify").await;
        let links = stage.count("links").await;
        let mut again = stage.signed_in(1).await;
        assert!(again.page().await.contains("already linked"));
        again.press("/link/guild-1/verify").await;
        assert!(again.page().await.contains("You’re linked"));
        assert_eq!(stage.count("links").await, links);
        stage.finish().await;
    }

    async fn names_cannot_become_markup(engine) {
        let stage = Stage::set(engine).await;
        let evil = "<script>alert(1)</script>\"><img src=x>";
        testkit::rename_player(&stage.discord, &stage.steam, 1, evil);
        let page = stage.signed_in(1).await.page().await;
        assert!(!page.contains("<script") && !page.contains("<img"));
        stage.finish().await;
    }

    async fn the_page_speaks_arabic_from_right_to_left(engine) {
        let stage = Stage::set(engine).await;
        let mut browser = stage.browser();
        let reply = browser.get("/link/guild-1?lang=ar").await;
        assert!(reply.text().contains("<html lang=\"ar\" dir=\"rtl\" data-accent=") && reply.text().contains("سجّل الدخول"));
        let open = browser.get("/link/guild-1?notice=open").await;
        assert!(open.text().contains("ما زال مفتوحًا: <b>Discord</b> · <b>Steam</b></p>"), "{}", open.text());
        assert!(browser.page().await.contains("dir=\"rtl\""), "the choice is remembered");
        assert!(stage.browser().page().await.contains("dir=\"ltr\""));
        stage.finish().await;
    }

    async fn starting_over_forgets_everything(engine) {
        let stage = Stage::set(engine).await;
        stage.demand(JoinMode::Auto, false).await;
        let mut browser = stage.signed_in(1).await;
        assert_eq!(stage.discord.grants().len(), 1, "the token waits for the join");
        assert_eq!(browser.press("/link/guild-1/restart").await.status, 303);
        stage.test.settle().await;
        assert!(stage.discord.grants().is_empty(), "and is given back");
        let page = browser.page().await;
        assert!(!page.contains("Player 1") && form_token(&page).is_none());
        assert_eq!(stage.count("flows").await, 0);
        stage.finish().await;
    }

    async fn a_full_plan_is_told_and_a_relink_still_works(engine) {
        let stage = Stage::with_tier(engine, domain::plan::Tier::Free).await;
        stage.test.db.damage("UPDATE org_usage SET links = 500").await;
        let mut browser = stage.signed_in(1).await;
        let refused = browser.press("/link/guild-1/verify").await;
        assert_eq!(refused.status, 409);
        assert!(refused.text().contains("500"), "{}", refused.text());
        stage.test.db.damage("UPDATE org_usage SET links = 0").await;
        browser.press("/link/guild-1/verify").await;
        stage.test.db.damage("UPDATE org_usage SET links = 500").await;
        let mut other = stage.browser();
        other.sign_in_discord("link", &discord(1)).await;
        other.sign_in_steam("link", &steam(3)).await;
        assert_eq!(other.press("/link/guild-1/verify").await.status, 303);
        assert_eq!(stage.linked_steam(&discord(1)).await, Some(steam(3).to_string()));
        stage.test.db.damage("UPDATE org_usage SET links = 1").await;
        stage.finish().await;
    }
}
