//! What an Org says about permission groups.

use domain::permission::Permission;
use domain::plan::Tier;
use http::Method;
use serde_json::json;
use testkit::{TestApp, both_databases, steam};

use super::crowd::{call, link, owner, page, who};

both_databases! {
    async fn keywords_are_tried_out_before_they_are_saved_and_everybody_is_reckoned_anew(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        for number in 1..=30 {
            link(&test, &tenant, &tenant.guild, &who(number, "Somebody")).await;
            let groups = if number <= 20 { "helper" } else { "default" };
            test.plugin(&tenant.key).get(&format!("/api?action=updateOxideGroups&id={}&groups={groups}", steam(number))).await;
        }
        test.drain_jobs().await;
        let owner = owner(&test, &tenant).await;
        let uri = format!("/orgs/{}/trust", tenant.org);
        let wanted = json!({ "keywords": [{ "text": " Helper ", "class": "staff" }], "tones": [{ "class": "staff", "tone": "accent" }], "revision": 0 });
        let tried = call(&owner, Method::POST, &format!("{uri}/simulate"), &wanted.to_string(), 200).await.json();
        assert_eq!((&tried["people"], &tried["rescored"], &tried["moved"]), (&30.into(), &20.into(), &20.into()));
        assert_eq!(tried["moves"], json!([{ "from": "Watch", "to": "Normal", "people": 20 }]));
        let before = page(&owner, &tenant, 1).await;
        assert_eq!(before["trust"]["score"], 60, "35 + 5 + 0 + 20: nothing was stored");
        let saved = call(&owner, Method::PUT, &uri, &wanted.to_string(), 200).await.json();
        assert_eq!((&saved["revision"], &saved["keywords"]), (&1.into(), &json!([{ "text": "helper", "class": "staff" }])));
        test.drain_jobs().await;
        let after = page(&owner, &tenant, 1).await;
        assert_eq!((&after["trust"]["score"], &after["user"]["staff"]), (&70.into(), &true.into()), "35 + 15 + 0 + 20");
        let group = &after["presence"][0]["groups"][0];
        assert_eq!((&group["class"], &group["tone"]), (&"staff".into(), &"accent".into()));
        // Somebody saved since, and the same again changes nothing.
        let late = json!({ "keywords": [{ "text": "late", "class": "vip" }], "revision": 0 });
        call(&owner, Method::PUT, &uri, &late.to_string(), 409).await;
        call(&owner, Method::PUT, &uri, &wanted.to_string(), 200).await;
        let same = json!({ "keywords": [{ "text": "helper", "class": "staff" }], "tones": [{ "class": "staff", "tone": "accent" }] });
        call(&owner, Method::PUT, &uri, &same.to_string(), 200).await;
        assert_eq!(test.db.count("audit WHERE action = 'org.trust_changed'").await, 1);
        test.finish().await;
    }

    async fn keywords_that_are_saved_while_scores_are_reckoned_count_for_everybody(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        for number in 1..=3 {
            link(&test, &tenant, &tenant.guild, &who(number, "Somebody")).await;
            test.plugin(&tenant.key).get(&format!("/api?action=updateOxideGroups&id={}&groups=helper", steam(number))).await;
        }
        test.drain_jobs().await;
        let owner = owner(&test, &tenant).await;
        let uri = format!("/orgs/{}/trust", tenant.org);
        let keyword = |class: &str| json!({ "keywords": [{ "text": "helper", "class": class }] }).to_string();
        call(&owner, Method::PUT, &uri, &keyword("staff"), 200).await;
        // The round has come to its end by the first keywords when somebody saves again.
        test.db.damage("UPDATE jobs SET cursor = 'scores:0:999999' WHERE kind = 'people.sweep'").await;
        call(&owner, Method::PUT, &uri, &keyword("vip"), 200).await;
        test.drain_jobs().await;
        for number in 1..=3 {
            assert_eq!(page(&owner, &tenant, number).await["trust"]["score"], 65, "35 + 10 + 0 + 20");
        }
        test.finish().await;
    }

    async fn groups_of_our_own_plugin_say_nothing_in_whatever_case_they_were_typed(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        test.db.damage("UPDATE servers SET booster_group = 'VIP'").await;
        link(&test, &tenant, &tenant.guild, &who(1, "Somebody")).await;
        test.plugin(&tenant.key).get(&format!("/api?action=updateOxideGroups&id={}&groups=VIP", steam(1))).await;
        test.drain_jobs().await;
        let found = page(&owner(&test, &tenant).await, &tenant, 1).await;
        assert_eq!((&found["trust"]["cross_server"], &found["presence"][0]["groups"]), (&5.into(), &json!([])));
        test.finish().await;
    }

    async fn keywords_that_cannot_be_used_are_refused_by_their_row(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = owner(&test, &tenant).await;
        let uri = format!("/orgs/{}/trust", tenant.org);
        let keyword = |text: &str| json!({ "text": text, "class": "vip" });
        for (keywords, row) in [
            (vec![keyword("a"), keyword("  ")], Some(1)),
            (vec![keyword("a"), keyword("A ")], Some(1)),
            (vec![keyword("\u{200b}")], Some(0)),
            (vec![keyword(&"x".repeat(33))], Some(0)),
            ((0..51).map(|n| keyword(&format!("k{n}"))).collect(), None),
        ] {
            let body = json!({ "keywords": keywords }).to_string();
            for (method, uri) in [(Method::PUT, uri.clone()), (Method::POST, format!("{uri}/simulate"))] {
                let reply = call(&owner, method, &uri, &body, 400).await;
                assert_eq!(reply.json()["row"].as_i64(), row, "{}", reply.text());
            }
        }
        call(&owner, Method::PUT, &uri, r#"{"keywords":[{"text":"a","class":"king"}]}"#, 400).await;
        let viewer = test.person(&test.member(&tenant, 55, &[Permission::LinksView]).await);
        call(&viewer, Method::GET, &uri, "", 403).await;
        test.finish().await;
    }

    async fn groups_that_the_plugin_gives_are_left_out_from_the_moment_they_are_named_so(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        link(&test, &tenant, &tenant.guild, &who(1, "Somebody")).await;
        test.plugin(&tenant.key).get(&format!("/api?action=updateOxideGroups&id={}&groups=vip", steam(1))).await;
        test.drain_jobs().await;
        let owner = owner(&test, &tenant).await;
        let score = async || page(&owner, &tenant, 1).await["trust"]["score"].as_i64().unwrap();
        assert_eq!(score().await, 65, "35 + 10 + 0 + 20");
        let uri = format!("/orgs/{}/servers/{}", tenant.org, tenant.server);
        for (group, wanted) in [("VIP", 56), ("members", 65)] {
            call(&owner, Method::PATCH, &uri, &json!({ "linked_group": group }).to_string(), 204).await;
            test.drain_jobs().await;
            assert_eq!(score().await, wanted, "{group}");
        }
        // Other settings concern nobody's score.
        call(&owner, Method::PATCH, &uri, &json!({ "poll_seconds": 90 }).to_string(), 204).await;
        assert_eq!(test.db.count("jobs WHERE kind = 'people.sweep'").await, 0);
        test.finish().await;
    }
}
