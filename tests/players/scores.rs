//! Trust Scores: what changes one, and what is kept of those before.

use domain::link::UnlinkCause;
use domain::plan::Tier;
use http::Method;
use serde_json::Value;
use testkit::{Client, Tenant, TestApp, both_databases, discord, steam};

use super::crowd::{Who, all, call, link, owner, page, second_guild, unlink, user, who};

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

async fn score(client: &Client, tenant: &Tenant, number: u64) -> i64 {
    let found = page(client, tenant, number).await;
    found["trust"]["score"].as_i64().expect("a score")
}

async fn report(test: &TestApp, tenant: &Tenant, number: u64, groups: &str) {
    let uri = format!(
        "/api?action=updateOxideGroups&id={}&groups={groups}",
        steam(number)
    );
    assert_eq!(test.plugin(&tenant.key).get(&uri).await.status, 200);
    test.drain_jobs().await;
}

async fn history(client: &Client, tenant: &Tenant, number: u64, days: i64) -> Vec<Value> {
    let uri = format!("{}/trust-history?days={days}", user(tenant, number));
    let found = call(client, Method::GET, &uri, "", 200).await.json();
    found["points"].as_array().expect("points").clone()
}

both_databases! {
    async fn a_score_follows_everything_that_it_is_made_of(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = owner(&test, &tenant).await;
        link(&test, &tenant, &tenant.guild, &who(1, "Ash")).await;
        assert_eq!(score(&owner, &tenant, 1).await, 56, "new: 35 + 1.25 + 0 + 20");
        report(&test, &tenant, 1, "admin").await;
        assert_eq!(score(&owner, &tenant, 1).await, 78, "35 + 22.5 + 0 + 20, a half up");
        report(&test, &tenant, 1, "default").await;
        assert_eq!(score(&owner, &tenant, 1).await, 56);
        // Somebody else links the same Steam account: it hangs together now, and both are told.
        link(&test, &tenant, &tenant.guild, &Who { steam: 1, ..who(2, "Bea") }).await;
        assert_eq!(score(&owner, &tenant, 1).await, 44, "28.7 (relinked away) + 1.25 + 0 + 14");
        assert_eq!(score(&owner, &tenant, 2).await, 50, "35 + 1.25 + 0 + 14");
        unlink(&test, &tenant, &tenant.guild, 2, UnlinkCause::User).await;
        assert_eq!(score(&owner, &tenant, 2).await, 44);
        // Time alone raises it, once a night.
        link(&test, &tenant, &tenant.guild, &who(3, "Cas")).await;
        test.clock.advance_ms(73 * DAY_MS);
        app::background::keep_house(&test.app).await.expect("housekeeping");
        test.drain_jobs().await;
        let owner = test.person(&test.session(&tenant.owner).await);
        assert_eq!(score(&owner, &tenant, 3).await, 60, "4 points for a fifth of a year");
        // A deleted Server says nothing any more.
        report(&test, &tenant, 3, "owner").await;
        assert_eq!(score(&owner, &tenant, 3).await, 84);
        call(&owner, Method::DELETE, &crate::support::server_of(&tenant), "", 204).await;
        test.drain_jobs().await;
        assert_eq!(score(&owner, &tenant, 3).await, 60);
        test.finish().await;
    }

    async fn a_player_carries_their_trust_to_the_game(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        link(&test, &tenant, &tenant.guild, &who(1, "Ash")).await;
        let (_, key) = test.custom_key(&tenant, domain::action::ActionSet::ALL, true).await;
        let one = test.plugin(&key).get(&format!("/api?action=getPlayer&id={}", steam(1))).await.json();
        assert_eq!(one["trust"], serde_json::json!({ "score": 56, "tier": "Watch" }));
        let body = format!(r#"{{"ids":["{}","{}"]}}"#, steam(1), discord(2));
        let both = test.plugin(&key).post("/api?action=getPlayer", &body).await.json();
        assert_eq!(both[steam(1).as_str()]["trust"]["score"], 56);
        test.finish().await;
    }

    async fn a_point_is_kept_an_hour_after_the_last_and_only_of_another_score(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = owner(&test, &tenant).await;
        link(&test, &tenant, &tenant.guild, &who(1, "Ash")).await;
        report(&test, &tenant, 1, "admin").await;
        assert_eq!(history(&owner, &tenant, 1, 30).await.len(), 1, "the hour is not over");
        test.clock.advance_ms(HOUR_MS - 1);
        report(&test, &tenant, 1, "vip").await;
        assert_eq!(history(&owner, &tenant, 1, 30).await.len(), 1);
        test.clock.advance_ms(1);
        call(&owner, Method::POST, &format!("{}/trust", user(&tenant, 1)), "", 204).await;
        let points = history(&owner, &tenant, 1, 30).await;
        assert_eq!((points.len(), &points[1]["score"], &points[1]["tier"]), (2, &65.into(), &"Watch".into()));
        for part in ["stability", "cross_server", "age", "multi"] {
            assert!(points[1][part].is_i64(), "{part}");
        }
        test.clock.advance_ms(HOUR_MS);
        call(&owner, Method::POST, &format!("{}/trust", user(&tenant, 1)), "", 204).await;
        assert_eq!(history(&owner, &tenant, 1, 30).await.len(), 2, "the same score again");
        // What held at the beginning of the time is told, even from long before.
        test.clock.advance_ms(10 * DAY_MS);
        let last = history(&owner, &tenant, 1, 1).await;
        assert_eq!((last.len(), &last[0]["score"]), (1, &65.into()));
        for days in ["0", "366", "-1", "x"] {
            call(&owner, Method::GET, &format!("{}/trust-history?days={days}", user(&tenant, 1)), "", 400).await;
        }
        test.finish().await;
    }

    async fn reports_of_an_account_are_those_of_whoever_is_linked_with_it_now(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let second = second_guild(&test, &tenant).await;
        for guild in [&tenant.guild, &second] {
            link(&test, &tenant, guild, &who(1, "Ash")).await;
        }
        report(&test, &tenant, 1, "vip").await;
        let owner = owner(&test, &tenant).await;
        unlink(&test, &tenant, &tenant.guild, 1, UnlinkCause::Admin).await;
        assert_eq!(score(&owner, &tenant, 1).await, 65, "what was reported last is theirs: 35 + 10 + 0 + 20");
        // Somebody else gets the account, and the game server knows them by it.
        link(&test, &tenant, &tenant.guild, &Who { steam: 1, ..who(2, "Bea") }).await;
        report(&test, &tenant, 1, "admin").await;
        let on_server = format!("server_id={}", tenant.server);
        assert_eq!(score(&owner, &tenant, 2).await, 72, "35 + 22.5 + 0 + 14");
        assert_eq!(score(&owner, &tenant, 1).await, 50, "35 + 1.25 + 0 + 14");
        assert_eq!(page(&owner, &tenant, 1).await["presence"], serde_json::json!([]));
        assert_eq!(all(&owner, &tenant, &on_server, 50).await, [2]);
        // It is not the first one's again when the second one has left, too.
        unlink(&test, &tenant, &tenant.guild, 2, UnlinkCause::Admin).await;
        assert_eq!(all(&owner, &tenant, &on_server, 50).await, [2]);
        // But it is when they are linked with it again.
        link(&test, &tenant, &tenant.guild, &who(1, "Ash")).await;
        report(&test, &tenant, 1, "admin").await;
        assert_eq!(all(&owner, &tenant, &on_server, 50).await, [1]);
        test.finish().await;
    }
}
