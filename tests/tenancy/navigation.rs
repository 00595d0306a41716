//! Buttons and colours of the link pages, and how they are shown beforehand.

use domain::plan::Tier;
use http::Method;
use serde_json::{Value, json};
use testkit::{TestApp, both_databases};
use tokio::task::JoinSet;

use crate::support::{call, refusal, refused};

fn link(label: &str, url: &str) -> Value {
    json!({ "label": label, "url": url, "icon": "globe", "new_tab": true })
}

both_databases! {
    async fn buttons_are_checked_kept_in_order_and_drawn_with_care(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let uri = format!("/orgs/{}/navigation", tenant.org);
        let mut here = link("Stay <here>", "http://example.com/?a=1&b=2");
        here["new_tab"] = false.into();
        let links = json!({ "links": [link(" Shop ", "HTTPS://Example.COM"), here] });
        let kept = call(&owner, Method::PUT, &uri, &links).await;
        assert_eq!(kept.status, 200, "{}", kept.text());
        assert_eq!((&kept.json()["links"][0]["label"], &kept.json()["links"][0]["url"]), (&"Shop".into(), &"https://example.com/".into()));
        let page = test.client().get("/link/guild-1").await;
        let text = page.text();
        assert!(text.contains(r#"href="https://example.com/" target="_blank" rel="noopener noreferrer""#), "{text}");
        assert!(text.contains(r#"href="http://example.com/?a=1&#38;b=2">"#), "{text}");
        assert!(!text.contains("<here>"));
        let turned = json!({ "links": [kept.json()["links"][1].clone(), kept.json()["links"][0].clone()] });
        assert_eq!(call(&owner, Method::PUT, &uri, &turned).await.json()["links"], turned["links"]);
        assert_eq!(owner.get(&uri).await.json()["links"], turned["links"]);
        for (bad, row, parameter) in [
            (link("x", "javascript:alert(1)"), 1, "url"),
            (link("x", "https://discord.com@evil.example/"), 1, "url"),
            (link(&"x".repeat(25), "https://example.com"), 1, "label"),
            (link("a\u{202e}b", "https://example.com"), 1, "label"),
            (json!({ "label": "x", "url": "https://example.com", "icon": "skull", "new_tab": true }), 1, "icon"),
        ] {
            let reply = call(&owner, Method::PUT, &uri, &json!({ "links": [link("ok", "https://example.com"), bad] })).await;
            assert_eq!(refusal(&reply), refused(400, "INVALID_PARAMETER"));
            assert_eq!((&reply.json()["row"], &reply.json()["parameter"]), (&row.into(), &parameter.into()));
        }
        assert_eq!(owner.get(&uri).await.json()["links"], turned["links"], "a refused change changes nothing");
        test.finish().await;
    }

    async fn the_plan_caps_them_and_what_is_above_stays(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Standard).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let uri = format!("/orgs/{}/navigation", tenant.org);
        let some = |count: usize| json!({ "links": (0..count).map(|row| link(&format!("Link {row}"), "https://example.com")).collect::<Vec<_>>() });
        assert_eq!(call(&owner, Method::PUT, &uri, &some(5)).await.status, 200);
        let full = call(&owner, Method::PUT, &uri, &some(6)).await;
        assert_eq!((refusal(&full), &full.json()["limit"]), (refused(409, "LIMIT_REACHED"), &5.into()));
        app::billing::grants::set_tier(&test.app, tenant.scope, Tier::Free, domain::audit::Actor::System).await.unwrap();
        let mut renamed = some(5);
        renamed["links"][0]["label"] = "Renamed".into();
        assert_eq!(call(&owner, Method::PUT, &uri, &renamed).await.status, 200, "what exists can be changed");
        assert_eq!(call(&owner, Method::PUT, &uri, &some(4)).await.status, 200);
        assert_eq!(refusal(&call(&owner, Method::PUT, &uri, &some(5)).await), refused(409, "LIMIT_REACHED"));
        test.finish().await;
    }

    async fn a_button_opens_a_new_tab_and_has_no_icon_unless_it_says_so(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let uri = format!("/orgs/{}/navigation", tenant.org);
        let bare = json!({ "label": "Shop", "url": "https://example.com/" });
        let kept = call(&owner, Method::PUT, &uri, &json!({ "links": [bare] })).await;
        assert_eq!(kept.status, 200, "{}", kept.text());
        let whole = json!([{ "label": "Shop", "url": "https://example.com/", "icon": "none", "new_tab": true }]);
        assert_eq!(kept.json()["links"], whole);
        test.finish().await;
    }

    async fn changes_at_once_leave_one_whole_list(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let uri = format!("/orgs/{}/navigation", tenant.org);
        let mut calls = JoinSet::new();
        for racer in 0..20 {
            let (owner, uri) = (owner.clone(), uri.clone());
            let list: Vec<Value> = (0..3).map(|row| link(&format!("{racer}-{row}"), "https://example.com")).collect();
            calls.spawn(async move { call(&owner, Method::PUT, &uri, &json!({ "links": list })).await.status.as_u16() });
        }
        assert!(calls.join_all().await.into_iter().all(|status| status == 200));
        let kept = owner.get(&uri).await.json();
        let labels: Vec<&str> = kept["links"].as_array().unwrap().iter().map(|one| one["label"].as_str().unwrap()).collect();
        let racer = labels[0].split('-').next().unwrap();
        assert_eq!(labels, [format!("{racer}-0"), format!("{racer}-1"), format!("{racer}-2")]);
        test.finish().await;
    }

    async fn a_page_has_the_colour_that_was_chosen_for_it(engine) {
        let test = TestApp::start(engine).await;
        let (tenant, other) = (test.tenant(1, Tier::Pro).await, test.tenant(2, Tier::Pro).await);
        let owner = test.person(&test.session(&tenant.owner).await);
        let uri = format!("/orgs/{}/navigation", tenant.org);
        let paint = |guild: &str, accent: &str| json!({ "links": [], "accents": [{ "guild_id": guild, "accent": accent }] });
        let shown = async |slug: &str, accent: &str| {
            let page = test.client().get(&format!("/link/{slug}")).await;
            assert!(page.text().contains(&format!(r#"data-accent="{accent}""#)), "{slug}: {}", page.text());
        };
        shown("guild-1", "indigo").await;
        let kept = call(&owner, Method::PUT, &uri, &paint(tenant.guild.as_str(), "teal")).await;
        let pages = json!([{ "guild_id": tenant.guild.as_str(), "slug": "guild-1", "name": "Guild 1", "accent": "teal" }]);
        assert_eq!((kept.status.as_u16(), &kept.json()["link_pages"]), (200, &pages), "{}", kept.text());
        shown("guild-1", "teal").await;
        shown("guild-2", "indigo").await;
        let noted = || test.db.count("audit WHERE action = 'guild.changed'");
        assert_eq!(noted().await, 1);
        assert_eq!(call(&owner, Method::PUT, &uri, &paint(tenant.guild.as_str(), "teal")).await.status, 200);
        assert_eq!(noted().await, 1, "the same colour again is no change");
        assert_eq!(call(&owner, Method::PUT, &uri, &paint(tenant.guild.as_str(), "mud")).await.status, 400);
        let foreign = call(&owner, Method::PUT, &uri, &paint(other.guild.as_str(), "red")).await;
        assert_eq!(refusal(&foreign), refused(404, "NOT_FOUND"));
        // Who names what they saw has seen the page: it went meanwhile, or never was, which nobody is told.
        for guild in [other.guild.as_str(), "gld_00000000000000000000000000"] {
            let mut seen = paint(guild, "red");
            seen["revision"] = owner.get(&uri).await.json()["revision"].clone();
            assert_eq!(refusal(&call(&owner, Method::PUT, &uri, &seen).await), refused(409, "CHANGED_MEANWHILE"), "{guild}");
        }
        shown("guild-1", "teal").await;
        shown("guild-2", "indigo").await;
        test.finish().await;
    }

    async fn the_preview_is_the_page_that_players_see(engine) {
        let test = TestApp::start(engine).await;
        let (tenant, other) = (test.tenant(1, Tier::Pro).await, test.tenant(2, Tier::Pro).await);
        let owner = test.person(&test.session(&tenant.owner).await);
        let uri = format!("/orgs/{}/navigation", tenant.org);
        let wanted = |guild: &str, theme: &str| {
            let buttons = json!([{ "label": " Shop <3 ", "icon": "shop" }, { "label": "", "icon": "none" }]);
            json!({ "guild_id": guild, "accent": "pink", "theme": theme, "buttons": buttons })
        };
        let draw = async |theme: &str| {
            let reply = call(&owner, Method::POST, &format!("{uri}/preview"), &wanted(tenant.guild.as_str(), theme)).await;
            assert_eq!(reply.status, 200, "{}", reply.text());
            let drawn = reply.json()["html"].as_str().unwrap().to_owned();
            let marks = format!(r#" data-theme="{theme}""#);
            assert!(drawn.contains(&marks) && drawn.contains("<body inert>"), "{drawn}");
            drawn.replace(&marks, "").replace("<body inert>", "<body>").replace("https://example.invalid/", "https://example.com/")
        };
        let (light, dark) = (draw("light").await, draw("dark").await);
        assert_eq!(light, dark);
        let before = test.client().get("/link/guild-1").await;
        assert!(before.text().contains(r#"data-accent="indigo""#), "a look changes nothing");
        let mut shop = link("Shop <3", "https://example.com");
        (shop["icon"], shop["new_tab"]) = ("shop".into(), false.into());
        let saved = json!({ "links": [shop], "accents": [{ "guild_id": tenant.guild.as_str(), "accent": "pink" }] });
        assert_eq!(call(&owner, Method::PUT, &uri, &saved).await.status, 200);
        assert_eq!(test.client().get("/link/guild-1").await.text(), light);
        let foreign = call(&owner, Method::POST, &format!("{uri}/preview"), &wanted(other.guild.as_str(), "light")).await;
        assert_eq!(refusal(&foreign), refused(404, "NOT_FOUND"));
        test.finish().await;
    }
}
