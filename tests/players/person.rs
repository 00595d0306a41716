//! What an Org's staff sees of one person.

use domain::link::UnlinkCause;
use domain::permission::Permission;
use domain::plan::Tier;
use http::Method;
use testkit::{TestApp, both_databases, discord, steam};

use super::crowd::{Who, call, link, number_of, owner, page, unlink, user, users, who};

const HOUR_MS: i64 = 3_600_000;

both_databases! {
    async fn a_page_tells_links_presence_and_what_the_score_is_made_of(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let ash = Who { country: Some("DE"), ..who(1, "Ash") };
        link(&test, &tenant, &tenant.guild, &ash).await;
        test.clock.advance_ms(73 * 24 * HOUR_MS);
        link(&test, &tenant, &tenant.guild, &Who { steam: 11, ..ash.clone() }).await;
        test.plugin(&tenant.key).get(&format!("/api?action=updateOxideGroups&id={}&groups=vip,linked,builders", steam(11))).await;
        test.drain_jobs().await;
        let owner = owner(&test, &tenant).await;
        let found = page(&owner, &tenant, 1).await;
        let trust = &found["trust"];
        assert_eq!((&trust["churn"], &trust["accounts"]), (&1.into(), &3.into()));
        assert_eq!(
            (&trust["stability"], &trust["cross_server"], &trust["age"], &trust["multi"]),
            (&82.into(), &40.into(), &20.into(), &70.into())
        );
        assert_eq!((&trust["score"], &trust["tier"]), (&57.into(), &"Watch".into()), "28.7 + 10 + 4 + 14");
        let links = found["links"].as_array().expect("links");
        assert_eq!((links.len(), &links[1]["cause"], &links[0]["cause"]), (2, &"relink".into(), &serde_json::Value::Null));
        let on = &found["presence"][0];
        assert_eq!(on["server_id"], tenant.server.as_str());
        let groups: Vec<&str> = on["groups"].as_array().expect("groups").iter().map(|group| group["class"].as_str().expect("a class")).collect();
        assert_eq!(groups, ["custom", "vip"], "what our own plugin gives is nobody's standing");
        assert_eq!(found["user"]["steam_accounts"], 2);
        // A Steam id stands for whom it is linked with, an old one for whom it was linked with last.
        for id in [steam(11), steam(1)] {
            let same = call(&owner, Method::GET, &format!("{}/{id}", users(&tenant)), "", 200).await.json();
            assert_eq!(same["user"]["discord_id"], discord(1).as_str());
        }
        test.finish().await;
    }

    async fn a_steam_id_stands_for_its_active_link_and_else_for_its_newest(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = owner(&test, &tenant).await;
        let whose = async || {
            let uri = format!("{}/{}", users(&tenant), steam(9));
            number_of(&call(&owner, Method::GET, &uri, "", 200).await.json()["user"]["discord_id"])
        };
        for number in 1..=2 {
            test.clock.advance_ms(1_000);
            link(&test, &tenant, &tenant.guild, &Who { steam: 9, ..who(number, "Somebody") }).await;
        }
        assert_eq!(whose().await, 2);
        unlink(&test, &tenant, &tenant.guild, 2, UnlinkCause::User).await;
        assert_eq!(whose().await, 2, "the newest that ended");
        link(&test, &tenant, &tenant.guild, &Who { steam: 9, ..who(1, "Somebody") }).await;
        assert_eq!(whose().await, 1);
        test.finish().await;
    }

    async fn who_looked_at_somebody_is_written_down_once_an_hour(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        for number in 1..=2 {
            link(&test, &tenant, &tenant.guild, &who(number, "Somebody")).await;
        }
        let viewers = [owner(&test, &tenant).await, test.person(&test.member(&tenant, 55, &[Permission::LinksView]).await)];
        let views = async || test.db.count("audit WHERE action = 'user.viewed'").await;
        for viewer in &viewers {
            for _ in 0..3 {
                page(viewer, &tenant, 1).await;
            }
        }
        assert_eq!(views().await, 2, "each viewer once");
        page(&viewers[0], &tenant, 2).await;
        assert_eq!(views().await, 3);
        test.clock.advance_ms(HOUR_MS);
        page(&viewers[0], &tenant, 1).await;
        assert_eq!(views().await, 4);
        // Parts of the page show the same, so they are views of it.
        test.clock.advance_ms(HOUR_MS);
        for part in ["/graph", "/trust-history"] {
            for _ in 0..2 {
                call(&viewers[1], Method::GET, &format!("{}{part}", user(&tenant, 2)), "", 200).await;
            }
        }
        assert_eq!(views().await, 5, "once, whichever part came first");
        page(&viewers[1], &tenant, 2).await;
        assert_eq!(views().await, 5);
        call(&viewers[0], Method::GET, &format!("{}/trust-history", user(&tenant, 2)), "", 200).await;
        assert_eq!(views().await, 6);
        // What names nobody: the entry is about our own id of a link.
        assert_eq!(test.db.count("audit WHERE action = 'user.viewed' AND target LIKE 'lnk_%' AND detail = '{}'").await, 6);
        test.finish().await;
    }

    async fn staff_unlink_somebody_everywhere_or_in_one_guild(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        link(&test, &tenant, &tenant.guild, &who(1, "Ash")).await;
        let viewer = test.person(&test.member(&tenant, 55, &[Permission::LinksView]).await);
        let staff = test.person(&test.member(&tenant, 56, &[Permission::LinksUnlink]).await);
        let uri = format!("{}/unlink", user(&tenant, 1));
        call(&viewer, Method::POST, &uri, "{}", 403).await;
        let stranger = test.tenant(2, Tier::Pro).await;
        call(&staff, Method::POST, &uri, &format!(r#"{{"guild_id":"{}"}}"#, stranger.guild), 404).await;
        assert_eq!(call(&staff, Method::POST, &uri, "{}", 200).await.json()["links"], 1);
        assert_eq!(call(&staff, Method::POST, &uri, "{}", 200).await.json()["links"], 0, "twice is once");
        assert_eq!(test.db.count("links WHERE end_cause = 'admin'").await, 1);
        // The log channel is told, and who did it.
        assert_eq!(test.db.count("jobs WHERE kind = 'log.unlinked' AND payload LIKE '%usr_%'").await, 1);
        let owner = owner(&test, &tenant).await;
        let found = page(&owner, &tenant, 1).await;
        assert_eq!((&found["user"]["active_links"], &found["trust"]["stability"]), (&0.into(), &100.into()), "staff's unlink is no churn");
        test.finish().await;
    }

    async fn nobody_is_there_under_an_id_that_never_linked(engine) {
        let test = TestApp::start(engine).await;
        let (tenant, other) = (test.tenant(1, Tier::Pro).await, test.tenant(2, Tier::Pro).await);
        link(&test, &other, &other.guild, &who(1, "Ash")).await;
        let owner = owner(&test, &tenant).await;
        for (method, path) in [
            (Method::GET, ""), (Method::GET, "/graph"), (Method::GET, "/trust-history"), (Method::POST, "/trust"), (Method::POST, "/unlink"),
        ] {
            let body = if path == "/unlink" { "{}" } else { "" };
            let known = call(&owner, method.clone(), &format!("{}{path}", user(&tenant, 1)), body, 404).await;
            let unknown = call(&owner, method.clone(), &format!("{}{path}", user(&tenant, 99)), body, 404).await;
            assert_eq!(known.json()["message"], unknown.json()["message"], "another Org's is no more there than nobody");
        }
        call(&owner, Method::GET, &format!("{}/abc", users(&tenant)), "", 404).await;
        test.finish().await;
    }
}
