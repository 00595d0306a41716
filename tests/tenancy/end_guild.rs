//! A removed Guild is gone at once, and its links end one slice after the other.

use app::jobs::operate;
use app::tenancy::{guilds, orgs, servers};
use app::work;
use domain::audit::Actor;
use domain::plan::Tier;
use storage::testing::COUNT_LINKS_ANEW;
use testkit::{START_MS, Tenant, TestApp, TestDb, both_databases, discord, steam};
use tokio::sync::watch;

use crate::torture::race::Nodes;

/// Links and boosters by the thousand, past the product.
pub async fn seed_links(db: &TestDb, tenant: &Tenant, count: u64) {
    let (org, guild) = (tenant.scope.num(), &tenant.guild);
    let guild = format!("(SELECT num FROM guilds WHERE id = '{guild}')");
    let numbers: Vec<u64> = (1..=count).collect();
    for slice in numbers.chunks(1_000) {
        let link = |number: &u64| {
            let id = format!("lnk_{:026}", u64::try_from(org).unwrap() * 10_000_000 + number);
            let (discord, steam) = (discord(*number), steam(*number));
            format!("('{id}', {org}, {guild}, '{discord}', '{steam}', {START_MS}, {START_MS})")
        };
        let rows: Vec<String> = slice.iter().map(link).collect();
        db.damage(&format!(
            "INSERT INTO links (id, org_num, guild_num, discord_id, steam_id, linked_at, verified_at) VALUES {};",
            rows.join(", ")
        ))
        .await;
    }
    db.damage(&format!(
        "UPDATE org_usage SET links = links + {count} WHERE org_num = {org};
         UPDATE orgs SET people_swept_at = 0 WHERE num = {org};
         UPDATE guilds SET active_links = active_links + {count} WHERE num = {guild};
         INSERT INTO boosters (guild_num, org_num, discord_id, since)
         SELECT guild_num, org_num, discord_id, 1 FROM links WHERE guild_num = {guild} AND num % 2 = 0"
    ))
    .await;
    db.damage(COUNT_LINKS_ANEW).await;
}

async fn assert_sound(test: &TestApp) {
    let findings = storage::doctor::examine(&test.db.db).await.unwrap();
    assert!(findings.is_empty(), "{findings:#?}");
}

/// What the dashboard tells about removals.
async fn told(test: &TestApp, tenant: &Tenant) -> serde_json::Value {
    let session = test.session(&tenant.owner).await;
    let listed = test
        .person(&session)
        .get(&format!("/orgs/{}/guilds", tenant.org))
        .await;
    assert_eq!(listed.status, 200, "{}", listed.text());
    listed.json()["removals"].clone()
}

async fn links_of_org(test: &TestApp, tenant: &Tenant) -> i64 {
    orgs::get_own(&test.app, tenant.scope).await.unwrap().links
}

both_databases! {
    async fn the_links_of_a_removed_guild_end_in_slices_and_count_until_then(engine) {
        let test = TestApp::start(engine).await;
        let (tenant, other) = (test.tenant(1, Tier::Pro).await, test.tenant(2, Tier::Pro).await);
        seed_links(&test.db, &tenant, 1_300).await;
        other.link(&test.app, 1).await;
        test.clock.advance_ms(60_000);
        guilds::remove(&test.app, tenant.scope, tenant.guild.clone(), Actor::System).await.unwrap();
        assert_eq!(test.plugin(&tenant.key).get("/api?action=count").await.status, 401);
        assert_eq!(test.client().get("/link/guild-1").await.status, 404);
        let noted = r#"audit WHERE action = 'guild.removed' AND detail LIKE '%"links_ended":1300,"servers":1}'"#;
        assert_eq!(test.db.count(noted).await, 1);
        assert_eq!(links_of_org(&test, &tenant).await, 1_300);
        assert_sound(&test).await;

        test.clock.advance_ms(60_000);
        let (_stopper, stop) = watch::channel(false);
        let engine = work::engines(&test.app, &stop).remove(0);
        assert_eq!(engine.turn_once(9).await.unwrap(), [format!("guild:{}", tenant.guild)]);
        let listed = operate::list(&test.app, 100).await.unwrap().0;
        let end = listed.iter().find(|job| job.kind == "guild.end").unwrap();
        assert_eq!((end.done, end.total, end.is_taken), (1_000, 1_300, false));
        let removal = serde_json::json!([{ "name": "Guild 1", "links_ended": 1_000, "links": 1_300 }]);
        assert_eq!(told(&test, &tenant).await, removal);
        assert_eq!(told(&test, &other).await, serde_json::json!([]), "nobody else's");
        assert_eq!(links_of_org(&test, &tenant).await, 300);
        assert_sound(&test).await;

        test.drain_jobs().await;
        assert_eq!(told(&test, &tenant).await, serde_json::json!([]), "it is over");
        assert_eq!(links_of_org(&test, &tenant).await, 0);
        assert_eq!(test.db.count("boosters").await, 0);
        let ended = format!("links WHERE ended_at = {} AND end_cause = 'admin'", START_MS + 60_000);
        assert_eq!(test.db.count(&ended).await, 1_300, "at the time of the removal");
        assert_eq!(test.db.count("links WHERE ended_at IS NULL").await, 1, "nobody else's");
        let left = format!("jobs WHERE lane LIKE '%{}'", tenant.guild);
        assert_eq!(test.db.count(&left).await, 0, "nothing is posted about them");
        test.finish().await;
    }

    async fn nothing_is_told_about_a_removed_guild_any_more(engine) {
        let test = TestApp::start(engine).await;
        let (tenant, other) = (test.tenant(1, Tier::Pro).await, test.tenant(2, Tier::Pro).await);
        tenant.link(&test.app, 1).await;
        test.db.damage(
            "INSERT INTO jobs (lane, kind, dedupe, org_num, payload, give_up_at, created_at)
             WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 450)
             SELECT lane, kind, dedupe || CAST(i AS TEXT), org_num, payload, give_up_at, created_at FROM jobs, n;
             UPDATE job_lanes SET jobs = 450").await;
        other.link(&test.app, 1).await;
        guilds::remove(&test.app, tenant.scope, tenant.guild.clone(), Actor::System).await.unwrap();
        test.drain_jobs().await;
        assert_eq!(test.db.count("jobs").await, 2);
        for lane in ["log", "roles"] {
            let left = format!("job_lanes WHERE lane = '{lane}:{}' AND jobs = 1", other.guild);
            assert_eq!(test.db.count(&left).await, 1, "nobody else's");
        }
        assert_eq!(test.db.count("job_lanes").await, 2, "and its lanes are gone");
        assert_sound(&test).await;
        test.finish().await;
    }

    async fn what_servers_knew_of_players_is_forgotten_in_slices(engine) {
        let test = TestApp::start(engine).await;
        let tenants = [test.tenant(1, Tier::Pro).await, test.tenant(2, Tier::Pro).await, test.tenant(3, Tier::Pro).await];
        test.db.damage(
            "INSERT INTO server_players (server_num, guild_num, org_num, steam_id, seen_at)
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 450)
             SELECT num, guild_num, org_num, CAST(i AS TEXT), 1 FROM servers, n;
             INSERT INTO group_changes (server_num, guild_num, org_num, steam_id, group_name, action, created_at)
             SELECT server_num, guild_num, org_num, steam_id, 'vip', 'add', 1 FROM server_players;
             INSERT INTO role_grants (guild_num, org_num, discord_id, role_id, server_num, granted_at)
             SELECT guild_num, org_num, steam_id, '1', server_num, 1 FROM server_players;
             INSERT INTO role_members (guild_num, org_num, discord_id)
             SELECT guild_num, org_num, steam_id FROM server_players").await;
        let [first, second, third] = &tenants;
        guilds::remove(&test.app, first.scope, first.guild.clone(), Actor::System).await.unwrap();
        servers::delete(&test.app, second.scope, second.server.clone(), Actor::System).await.unwrap();
        for tenant in [first, second] {
            assert_eq!(test.plugin(&tenant.key).get("/api?action=count").await.status, 401, "gone at once");
            assert!(servers::list(&test.app, tenant.scope).await.unwrap().is_empty());
        }
        assert_eq!(test.db.count("server_players").await, 1_350, "and forgotten after that");
        assert_sound(&test).await;
        let (_stopper, stop) = watch::channel(false);
        let engine = work::engines(&test.app, &stop).remove(0);
        engine.turn_once(9).await.unwrap();
        assert_sound(&test).await;
        test.drain_jobs().await;
        let left = |table: &str| format!("{table} WHERE org_num <> {}", third.scope.num());
        for table in ["server_players", "group_changes", "servers"] {
            assert_eq!(test.db.count(&left(table)).await, 0, "{table}");
        }
        for table in ["role_grants", "role_members"] {
            assert_eq!(test.db.count(&format!("{table} WHERE org_num = {}", first.scope.num())).await, 0, "{table}");
        }
        for table in ["server_players", "group_changes", "role_grants", "role_members"] {
            let kept = format!("{table} WHERE org_num = {}", third.scope.num());
            assert_eq!(test.db.count(&kept).await, 450, "nobody else's: {table}");
        }
        assert_sound(&test).await;
        test.finish().await;
    }

    async fn the_end_of_a_guild_cannot_be_dropped(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        guilds::remove(&test.app, tenant.scope, tenant.guild.clone(), Actor::System).await.unwrap();
        let end = operate::list(&test.app, 100).await.unwrap().0.remove(0);
        let refused = operate::drop_job(&test.app, end.num, Actor::Operator).await.unwrap_err();
        assert_eq!(refused.code(), "CONFLICT");
        test.drain_jobs().await;
        test.finish().await;
    }

    async fn nodes_that_end_removed_guilds_together_count_each_link_once(engine) {
        let nodes = Nodes::start(engine).await;
        let mut tenants = Vec::new();
        for number in 1..=3 {
            let tenant = nodes.test.tenant(number, Tier::Pro).await;
            seed_links(&nodes.test.db, &tenant, 900).await;
            tenants.push(tenant);
        }
        for tenant in &tenants {
            orgs::remove(&nodes.test.app, tenant.scope, tenant.owner_actor()).await.unwrap();
        }
        let (one, other) = (nodes.app(0), nodes.app(1));
        let (first, second) = tokio::join!(work::drain(&one), work::drain(&other));
        assert_eq!((first.unwrap(), second.unwrap()), (vec![], vec![]));
        assert_eq!(nodes.test.db.count("links WHERE end_cause = 'admin'").await, 2_700);
        assert_eq!(nodes.test.db.count("org_usage WHERE links = 0").await, 3);
        nodes.finish(engine).await;
    }
}
