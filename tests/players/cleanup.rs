//! Dormant accounts: who is flagged, who comes back, who is kept, and whose link ends.

use app::background;
use app::import::{self, ImportRow, ImportSlice};
use app::memories::seen::SeenAt;
use app::tenancy::servers;
use domain::action::ActionSet;
use domain::audit::Actor;
use domain::dormancy::{DAY_MS, day_of};
use domain::permission::Permission;
use domain::plan::Tier;
use domain::platform_id::SteamAccount;
use http::Method;
use serde_json::{Value, json};
use testkit::{Engine, Tenant, TestApp, both_databases, discord, steam, wait_until};

use super::crowd::{all, call, link, owner, page, start, users, who};

fn uri(tenant: &Tenant, rest: &str) -> String {
    format!("/orgs/{}/cleanup{rest}", tenant.org)
}

/// Days pass on which the game server says something each day.
async fn days_pass(test: &TestApp, tenant: &Tenant, days: i64) {
    for _ in 0..days {
        test.db
            .damage(&format!(
                "INSERT INTO guild_days (guild_num, org_num, day) SELECT num, org_num, {} FROM guilds WHERE id = '{}'
                 ON CONFLICT DO NOTHING",
                day_of(test.app.now_ms()),
                tenant.guild
            ))
            .await;
        test.clock.advance_ms(DAY_MS);
    }
}

async fn is_seen(test: &TestApp, tenant: &Tenant, number: u64) {
    let asked = format!("/api?action=findBySteam&id={}", steam(number));
    assert_eq!(test.plugin(&tenant.key).get(&asked).await.status, 200);
    background::flush_seen(&test.app)
        .await
        .expect("marks are written");
}

/// By the owner, who signs in anew: sessions end long before somebody is dormant.
async fn ask(test: &TestApp, tenant: &Tenant, method: Method, rest: &str, body: &Value) -> Value {
    let client = owner(test, tenant).await;
    call(&client, method, &uri(tenant, rest), &body.to_string(), 200)
        .await
        .json()
}

async fn set(test: &TestApp, tenant: &Tenant, enabled: bool, days: i64) -> Value {
    let body = json!({ "enabled": enabled, "days": days, "grace_days": 3 });
    ask(test, tenant, Method::PUT, "", &body).await
}

/// The nightly round, and what it leaves to be done.
async fn night(test: &TestApp) {
    background::keep_house(&test.app).await.expect("housekeeping");
    test.drain_jobs().await;
}

async fn flagged(test: &TestApp, tenant: &Tenant) -> Vec<u64> {
    let mut found = all(&owner(test, tenant).await, tenant, "status=flagged", 50).await;
    found.sort_unstable();
    found
}

both_databases! {
    async fn who_stays_away_is_flagged_and_unlinked_and_who_comes_back_is_not(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        for number in 1..=5 {
            link(&test, &tenant, &tenant.guild, &who(number, "Somebody")).await;
        }
        days_pass(&test, &tenant, 20).await;
        is_seen(&test, &tenant, 2).await;
        link(&test, &tenant, &tenant.guild, &who(5, "Verified again")).await;
        days_pass(&test, &tenant, 15).await;
        night(&test).await;
        assert_eq!(flagged(&test, &tenant).await, [0_u64; 0], "nobody asked for it");

        set(&test, &tenant, true, 30).await;
        test.drain_jobs().await;
        assert_eq!(flagged(&test, &tenant).await, [1, 3, 4]);
        let owner = owner(&test, &tenant).await;
        let state = call(&owner, Method::GET, &uri(&tenant, ""), "", 200).await.json();
        assert_eq!((&state["flagged"], &state["last_run"]["flagged"]), (&3.into(), &3.into()));
        assert_eq!(all(&owner, &tenant, &format!("status=flagged&guild_id={}", tenant.guild), 50).await.len(), 3);
        assert!(page(&owner, &tenant, 1).await["links"][0]["flagged_at_ms"].is_i64());
        let kept = json!({ "users": [discord(3)] }).to_string();
        assert_eq!(call(&owner, Method::POST, &uri(&tenant, "/keep"), &kept, 200).await.json()["links"], 1);
        assert_eq!(call(&owner, Method::POST, &uri(&tenant, "/keep"), &kept, 200).await.json()["links"], 0);

        days_pass(&test, &tenant, 2).await;
        is_seen(&test, &tenant, 4).await;
        assert_eq!(flagged(&test, &tenant).await, [1], "who is seen is flagged no more from then on");
        night(&test).await;
        assert_eq!(test.db.count("links WHERE ended_at IS NOT NULL").await, 0, "the grace is not over");
        days_pass(&test, &tenant, 2).await;
        night(&test).await;
        assert_eq!(test.db.count("links WHERE end_cause = 'zombie-cleanup'").await, 1);
        assert_eq!(all(&owner, &tenant, "status=archived", 50).await, [1]);
        assert_eq!(flagged(&test, &tenant).await, [0_u64; 0]);
        assert_eq!(test.db.count("audit WHERE action = 'users.cleanup_ran'").await, 2);
        assert_eq!(test.db.count("audit WHERE action = 'link.removed' AND actor_kind = 'system'").await, 1);
        test.finish().await;
    }

    async fn a_game_server_that_is_new_or_silent_flags_nobody_and_the_page_says_why(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        link(&test, &tenant, &tenant.guild, &who(1, "Somebody")).await;
        days_pass(&test, &tenant, 10).await;
        test.clock.advance_ms(300 * DAY_MS);
        let owner = owner(&test, &tenant).await;
        let state = set(&test, &tenant, true, 30).await;
        test.drain_jobs().await;
        assert_eq!((&state["guilds"][0]["heard_days"], &state["guilds"][0]["ready"]), (&10.into(), &false.into()));
        let seen = call(&owner, Method::GET, &uri(&tenant, "/preview"), "", 200).await.json();
        assert_eq!((&seen["total"], &seen["guilds"][0]["ready"]), (&0.into(), &false.into()));
        assert_eq!(flagged(&test, &tenant).await, [0_u64; 0]);
        let shorter = call(&owner, Method::GET, &uri(&tenant, "/preview?days=7"), "", 200).await.json();
        assert_eq!((&shorter["total"], &shorter["guilds"][0]["dormant"]), (&1.into(), &1.into()));
        assert_eq!(shorter["users"][0]["discord_id"], discord(1).as_str());
        test.finish().await;
    }

    async fn a_call_of_a_plugin_is_what_makes_a_day_count(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        link(&test, &tenant, &tenant.guild, &who(1, "Somebody")).await;
        for _ in 0..3 {
            is_seen(&test, &tenant, 1).await;
            background::flush_uses(&test.app).await.unwrap();
            test.clock.advance_ms(DAY_MS);
        }
        let (_, custom) = test.custom_key(&tenant, ActionSet::ALL, true).await;
        test.plugin(&custom).get(&format!("/api?action=findBySteam&id={}", steam(1))).await;
        background::flush_uses(&test.app).await.unwrap();
        assert_eq!(test.db.count("guild_days").await, 3, "other keys are nobody's game server");
        test.finish().await;
    }

    async fn who_turns_it_off_flags_nobody_any_more_and_nobody_is_unlinked(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        for number in 1..=30 {
            link(&test, &tenant, &tenant.guild, &who(number, "Somebody")).await;
        }
        let refused = call(&owner(&test, &tenant).await, Method::POST, &uri(&tenant, "/run"), "", 409).await;
        assert_eq!(refused.code(), "CLEANUP_OFF");
        days_pass(&test, &tenant, 40).await;
        set(&test, &tenant, true, 30).await;
        test.drain_jobs().await;
        assert_eq!(flagged(&test, &tenant).await.len(), 30);
        set(&test, &tenant, false, 30).await;
        test.drain_jobs().await;
        assert_eq!(flagged(&test, &tenant).await, [0_u64; 0]);
        days_pass(&test, &tenant, 10).await;
        set(&test, &tenant, true, 30).await;
        test.drain_jobs().await;
        assert_eq!(flagged(&test, &tenant).await.len(), 30, "the grace begins anew");
        call(&owner(&test, &tenant).await, Method::POST, &uri(&tenant, "/run"), "", 204).await;
        test.drain_jobs().await;
        assert_eq!(test.db.count("links WHERE ended_at IS NOT NULL").await, 0);
        // The same when no run came between off and on.
        days_pass(&test, &tenant, 10).await;
        set(&test, &tenant, false, 30).await;
        set(&test, &tenant, true, 30).await;
        test.drain_jobs().await;
        assert_eq!(test.db.count("links WHERE ended_at IS NOT NULL").await, 0);
        assert_eq!(flagged(&test, &tenant).await.len(), 30);
        test.finish().await;
    }

    async fn whoever_was_seen_is_written_down_also_when_nobody_waits_for_it(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let server = servers::get(&test.app, tenant.scope, &tenant.server).await.unwrap().num;
        for number in 1..=250 {
            tenant.link_pair(&test.app, number, number).await.unwrap();
        }
        let players = (1..=250).filter_map(|number| SteamAccount::of(steam(number).as_str()));
        test.app.memories.seen.mark(server, players, SeenAt::of(&test.app.clock));
        let mut given_up = Box::pin(background::flush_seen(&test.app));
        assert!(futures_util::poll!(given_up.as_mut()).is_pending());
        drop(given_up);
        // Who asks next waits for their turn, and then all of them are there.
        background::flush_seen(&test.app).await.unwrap();
        assert_eq!(test.db.count("player_seen").await, 250);
        test.finish().await;
    }

    async fn nobody_becomes_dormant_by_a_deleted_server_or_an_import(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        link(&test, &tenant, &tenant.guild, &who(1, "Somebody")).await;
        days_pass(&test, &tenant, 40).await;
        is_seen(&test, &tenant, 1).await;
        servers::delete(&test.app, tenant.scope, tenant.server.clone(), Actor::System).await.unwrap();
        test.drain_jobs().await;
        let row = ImportRow {
            discord_id: discord(2),
            steam_id: steam(2),
            discord_name: None,
            steam_name: None,
            country: None,
            booster: false,
            groups: None,
            linked_at_ms: Some(5),
            ended: None,
        };
        let slice = ImportSlice { guild: tenant.guild.clone(), server: None, rows: vec![row], write: true, planned: 0 };
        import::run(&test.app, tenant.scope, slice).await.unwrap();
        let owner = owner(&test, &tenant).await;
        let seen = call(&owner, Method::GET, &uri(&tenant, "/preview?days=30"), "", 200).await.json();
        assert_eq!(seen["total"], 0, "{seen}");
        test.finish().await;
    }

    async fn rules_out_of_bounds_and_other_peoples_are_refused(engine) {
        let test = start(engine).await;
        let (tenant, other) = (test.tenant(1, Tier::Pro).await, test.tenant(2, Tier::Pro).await);
        for tenant in [&tenant, &other] {
            link(&test, tenant, &tenant.guild, &who(1, "Somebody")).await;
            days_pass(&test, tenant, 10).await;
        }
        let mine = owner(&test, &tenant).await;
        for (days, grace) in [(6, 7), (366, 7), (90, 0), (90, 91), (-1, 7), (i64::MAX, 7)] {
            let body = json!({ "enabled": true, "days": days, "grace_days": grace }).to_string();
            call(&mine, Method::PUT, &uri(&tenant, ""), &body, 400).await;
        }
        call(&mine, Method::GET, &uri(&tenant, "/preview?days=6"), "", 400).await;
        set(&test, &tenant, true, 7).await;
        let stale = json!({ "enabled": false, "days": 7, "grace_days": 3, "revision": 0 }).to_string();
        assert_eq!(call(&mine, Method::PUT, &uri(&tenant, ""), &stale, 409).await.code(), "CHANGED_MEANWHILE");
        test.drain_jobs().await;
        assert_eq!(flagged(&test, &tenant).await, [1]);
        let theirs = owner(&test, &other).await;
        assert_eq!(flagged(&test, &other).await, [0_u64; 0]);
        let kept = json!({ "users": [discord(1)] }).to_string();
        assert_eq!(call(&theirs, Method::POST, &uri(&other, "/keep"), &kept, 200).await.json()["links"], 0);
        assert_eq!(flagged(&test, &tenant).await, [1], "another Org's word is none here");
        test.finish().await;
    }

    async fn who_may_clean_up_but_not_see_people_gets_numbers_only(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        link(&test, &tenant, &tenant.guild, &who(1, "Somebody")).await;
        days_pass(&test, &tenant, 10).await;
        let staff = test.person(&test.member(&tenant, 955, &[Permission::LinksCleanup]).await);
        let seen = call(&staff, Method::GET, &uri(&tenant, "/preview?days=7"), "", 200).await.json();
        assert_eq!((&seen["total"], &seen["users"]), (&1.into(), &json!([])));
        call(&staff, Method::GET, &users(&tenant), "", 403).await;
        let viewer = test.person(&test.member(&tenant, 956, &[Permission::LinksView]).await);
        call(&viewer, Method::GET, &uri(&tenant, ""), "", 403).await;
        test.finish().await;
    }
}

#[tokio::test]
async fn who_comes_back_while_their_end_waits_for_the_org_stays() {
    let test = start(Engine::Postgres).await;
    let tenant = test.tenant(1, Tier::Pro).await;
    for number in 1..=2 {
        link(&test, &tenant, &tenant.guild, &who(number, "Somebody")).await;
    }
    days_pass(&test, &tenant, 40).await;
    set(&test, &tenant, true, 30).await;
    test.drain_jobs().await;
    days_pass(&test, &tenant, 5).await;
    background::keep_house(&test.app).await.unwrap();
    let org = tenant.scope.num();
    let beside = test
        .db
        .begin_beside(&format!(
            "SELECT 1 FROM org_usage WHERE org_num = {org} FOR UPDATE;
             INSERT INTO player_seen (org_num, steam_id, seen_at) VALUES ({org}, '{}', {})",
            steam(2),
            test.app.now_ms()
        ))
        .await;
    let ended = async {
        wait_until("the end waits", || beside.is_awaited()).await;
        beside.commit().await;
    };
    tokio::join!(test.drain_jobs(), ended);
    assert_eq!(test.db.count("links WHERE end_cause = 'zombie-cleanup'").await, 1);
    let still = format!("links WHERE ended_at IS NULL AND steam_id = '{}'", steam(2));
    assert_eq!(test.db.count(&still).await, 1);
    test.finish().await;
}
