//! Players on game servers of Guilds in which they are not linked.

use app::background;
use app::tenancy::servers;
use domain::audit::Actor;
use domain::dormancy::{DAY_MS, day_of};
use domain::name::DisplayName;
use domain::plan::Tier;
use http::Method;
use serde_json::json;
use testkit::{Client, Engine, Tenant, TestApp, both_databases, steam};

use super::crowd::{all, call, link, owner, second_guild, start, who};

async fn days_pass(test: &TestApp, days: i64) {
    for _ in 0..days {
        let day = day_of(test.app.now_ms());
        let heard = format!(
            "INSERT INTO guild_days (guild_num, org_num, day) SELECT num, org_num, {day} FROM guilds"
        );
        test.db.damage(&heard).await;
        test.clock.advance_ms(DAY_MS);
    }
}

async fn night(test: &TestApp) {
    background::keep_house(&test.app).await.expect("housekeeping");
    test.drain_jobs().await;
}

/// A game server of another Guild of the Org.
async fn another_server(test: &TestApp, tenant: &Tenant) -> Client {
    let second = second_guild(test, tenant).await;
    let name = DisplayName::parse("Elsewhere").expect("a name");
    let made = servers::create(&test.app, tenant.scope, second, name, Actor::System).await;
    test.plugin(made.expect("a Server").key.expose())
}

async fn flagged(test: &TestApp, tenant: &Tenant) -> Vec<u64> {
    let mut found = all(&owner(test, tenant).await, tenant, "status=flagged", 50).await;
    found.sort_unstable();
    found
}

both_databases! {
    async fn whoever_plays_on_a_server_of_another_guild_is_not_dormant(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let elsewhere = another_server(&test, &tenant).await;
        for number in [1, 3, 4, 5, 6, 8, 9] {
            link(&test, &tenant, &tenant.guild, &who(number, "Somebody")).await;
        }
        days_pass(&test, 35).await;
        // Each way in which a game server names its players, and one who is linked nowhere.
        let one = |number: u64| steam(number).to_string();
        for (action, status) in [
            (format!("findBySteam&id={}", one(1)), 404),
            (format!("updateSteam&id={}&name=Ash", one(3)), 200),
            (format!("updateOxideGroups&id={}&groups=vip", one(4)), 200),
        ] {
            assert_eq!(elsewhere.get(&format!("/api?action={action}")).await.status, status, "{action}");
        }
        for (action, number) in [("steamChecks", 5), ("nitroChecks", 6)] {
            let reply = elsewhere.get(&format!("/api?action={action}&id={},{}", one(number), one(77))).await;
            assert_eq!(reply.status, 200, "{action}: {}", reply.text());
        }
        let groups = json!({ "players": { one(8): ["vip"], one(77): ["vip"] } }).to_string();
        assert_eq!(elsewhere.post("/api?action=updateOxideGroupsBulk", &groups).await.status, 200);
        background::flush_seen(&test.app).await.expect("marks are written");
        assert_eq!(test.db.count("player_seen").await, 6, "nothing is kept of whoever is linked nowhere");
        assert_eq!(test.db.count("server_players").await, 0, "nor there of whoever is not linked there");
        let body = json!({ "enabled": true, "days": 30, "grace_days": 3 }).to_string();
        call(&owner(&test, &tenant).await, Method::PUT, &format!("/orgs/{}/cleanup", tenant.org), &body, 200).await;
        test.drain_jobs().await;
        assert_eq!(flagged(&test, &tenant).await, [9]);
        // A flag is gone as soon as they are seen.
        elsewhere.get(&format!("/api?action=findBySteam&id={}", one(9))).await;
        days_pass(&test, 1).await;
        elsewhere.get(&format!("/api?action=findBySteam&id={}", one(9))).await;
        background::flush_seen(&test.app).await.expect("marks are written");
        assert_eq!(flagged(&test, &tenant).await, [0_u64; 0]);
        days_pass(&test, 4).await;
        night(&test).await;
        assert_eq!(test.db.count("links WHERE ended_at IS NOT NULL").await, 0);
        test.finish().await;
    }

    async fn what_was_written_is_followed_even_if_the_rest_could_not_be(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let elsewhere = another_server(&test, &tenant).await;
        for number in [1, 2] {
            link(&test, &tenant, &tenant.guild, &who(number, "Somebody")).await;
        }
        let (first, second) = (steam(1).to_string(), steam(2).to_string());
        test.plugin(&tenant.key).get(&format!("/api?action=findBySteam&id={first}")).await;
        elsewhere.get(&format!("/api?action=findBySteam&id={second}")).await;
        let (refuse, allow) = match engine {
            Engine::Sqlite => (
                format!("CREATE TRIGGER refused BEFORE INSERT ON player_seen WHEN NEW.steam_id = '{second}' BEGIN SELECT RAISE(ABORT, 'no'); END"),
                "DROP TRIGGER refused",
            ),
            Engine::Postgres => (
                format!("ALTER TABLE player_seen ADD CONSTRAINT refused CHECK (steam_id <> '{second}')"),
                "ALTER TABLE player_seen DROP CONSTRAINT refused",
            ),
        };
        test.db.damage(&refuse).await;
        background::flush_seen(&test.app).await.expect_err("one of them cannot be written");
        test.drain_jobs().await;
        let on_server = format!("server_id={}", tenant.server);
        assert_eq!(all(&owner(&test, &tenant).await, &tenant, &on_server, 50).await, [1]);
        test.db.damage(allow).await;
        background::flush_seen(&test.app).await.expect("the rest is written");
        assert_eq!(test.db.count("player_seen").await, 2);
        test.finish().await;
    }
}
