//! Rules as staff write them.

use app::roles::dry_run;
use app::tenancy::guild_changes::GuildChange;
use domain::permission::Permission;
use domain::roles::Direction;
use emulator::discord::Permissions;
use http::Method;
use serde_json::{Value, json};
use testkit::{both_databases, discord, steam};

use super::scene::{NONE, Scene, rule};

/// A rule as the page sends it.
pub fn wanted(group: &str, role: u64, direction: &str) -> Value {
    json!({
        "group": group, "role_id": discord(role).as_str(), "direction": direction, "authority": "game", "on_loss": "remove",
    })
}

/// Saves rules.
pub async fn put(scene: &Scene, session: &str, body: &Value) -> testkit::Reply {
    send(scene, session, Method::PUT, "", body).await
}

async fn send(scene: &Scene, session: &str, method: Method, end: &str, body: &Value) -> testkit::Reply {
    let tenant = &scene.stage.tenant;
    let address = format!("/api/orgs/{}/servers/{}/roles{end}", tenant.org, tenant.server);
    let client = scene.stage.test.person(session);
    client.send(method, &address, body.to_string().into()).await
}

both_databases! {
    async fn rules_that_cannot_stand_are_refused_with_the_row(engine) {
        let scene = Scene::set(engine).await;
        let owner = scene.stage.test.session(&scene.stage.tenant.owner).await;
        let twice = json!({ "revision": 0, "rules": [wanted("vip", 71, "both"), wanted("vip", 71, "to_game")] });
        let reply = put(&scene, &owner, &twice).await;
        assert_eq!((reply.status.as_u16(), reply.code()), (400, "MAPPING_TWICE".to_owned()));
        assert_eq!(reply.json()["row"], 1);
        for (group, role) in [("vip", 99), ("", 71), (" \u{200B} ", 71), ("*", 71), ("a\nb", 71)] {
            let strange = json!({ "revision": 0, "rules": [wanted(group, role, "both")] });
            assert_eq!(put(&scene, &owner, &strange).await.code(), "INVALID_PARAMETER", "{group:?}");
        }
        let good = json!({ "revision": 0, "rules": [wanted("vip", 71, "both")] });
        assert_eq!(put(&scene, &owner, &good).await.status, 200);
        assert_eq!(put(&scene, &owner, &good).await.status, 409, "somebody saved since then");
        scene.finish().await;
    }

    async fn a_circle_is_refused_and_the_order_of_rules_is_kept(engine) {
        let scene = Scene::set(engine).await;
        let owner = scene.stage.test.session(&scene.stage.tenant.owner).await;
        let there_and_back = [("a", 71, "to_discord"), ("b", 71, "to_game"), ("b", 72, "to_discord"), ("a", 72, "to_game")];
        let circle = there_and_back.map(|(group, role, direction)| wanted(group, role, direction));
        let reply = put(&scene, &owner, &json!({ "revision": 0, "rules": circle })).await;
        assert_eq!((reply.status.as_u16(), reply.code()), (400, "MAPPING_RING".to_owned()));
        let groups = ["zebra", "ant", "mole"];
        let rules: Vec<Value> = groups.iter().zip(71..).map(|(group, role)| wanted(group, role, "to_discord")).collect();
        assert_eq!(put(&scene, &owner, &json!({ "revision": 0, "rules": rules })).await.status, 200);
        let tenant = &scene.stage.tenant;
        let read = scene.stage.test.person(&owner).get(&format!("/api/orgs/{}/servers/{}/roles", tenant.org, tenant.server)).await.json();
        let kept: Vec<&str> = read["rules"].as_array().expect("rules").iter().filter_map(|rule| rule["group"].as_str()).collect();
        assert_eq!(kept, groups);
        assert_eq!(scene.stage.count("audit WHERE action = 'server.roles_changed'").await, 1);
        scene.finish().await;
    }

    async fn a_powerful_role_is_the_owners_to_confirm(engine) {
        let scene = Scene::set(engine).await;
        scene.empower(71, Permissions::ADMINISTRATOR).await;
        let tenant = &scene.stage.tenant;
        let owner = scene.stage.test.session(&tenant.owner).await;
        let staff = scene.stage.test.member(tenant, 77, &[Permission::ServersRoles]).await;
        let plain = json!({ "revision": 0, "rules": [wanted("admin", 71, "to_discord")] });
        let confirmed = json!({
            "revision": 0, "rules": [wanted("admin", 71, "to_discord")], "confirmed_roles": [discord(71).as_str()],
        });
        assert_eq!(put(&scene, &owner, &plain).await.code(), "ROLE_TOO_POWERFUL");
        assert_eq!(put(&scene, &staff, &confirmed).await.code(), "ROLE_TOO_POWERFUL");
        assert_eq!(put(&scene, &owner, &confirmed).await.status, 200);
        scene.link(1).await;
        scene.report(1, "admin").await;
        scene.sync().await;
        assert_eq!(scene.has(1), [71]);
        // Who may edit rules cannot give it to others than the Owner said, nor by another way.
        let read = scene.stage.test.person(&staff).get(&format!("/api/orgs/{}/servers/{}/roles", tenant.org, tenant.server)).await;
        let id = read.json()["rules"][0]["id"].clone();
        let mut moved = wanted("default", 71, "to_discord");
        moved["id"] = id.clone();
        for rules in [json!([moved]), json!([wanted("admin", 71, "to_discord"), wanted("default", 71, "to_discord")])] {
            assert_eq!(put(&scene, &staff, &json!({ "revision": 1, "rules": rules })).await.code(), "ROLE_TOO_POWERFUL");
        }
        let change = GuildChange { verified_roles: Some(vec![discord(71)]), ..GuildChange::default() };
        scene.settings(change).await;
        scene.link(2).await;
        scene.sync().await;
        assert_eq!((scene.has(1), scene.has(2)), (vec![71], vec![]), "by the rule alone");
        let mut same = wanted("admin", 71, "to_discord");
        same["id"] = id;
        let more = json!({ "revision": 1, "rules": [same, wanted("vip", 72, "to_discord")] });
        assert_eq!(put(&scene, &staff, &more).await.status, 200);
        assert_eq!(put(&scene, &staff, &json!({ "revision": 2, "rules": [] })).await.status, 200);
        assert_eq!(put(&scene, &staff, &json!({ "revision": 3, "rules": [wanted("admin", 71, "to_discord")] })).await.code(), "ROLE_TOO_POWERFUL");
        scene.finish().await;
    }

    async fn a_dry_run_tells_what_rules_would_do_and_does_nothing(engine) {
        let scene = Scene::set(engine).await;
        for number in 1..=4 {
            scene.link(number).await;
            scene.report(number, if number <= 2 { "vip" } else { "default" }).await;
        }
        scene.sync().await;
        scene.by_hand(4, 72, true).await;
        scene.sync().await;
        let (app, tenant) = (&scene.stage.test.app, &scene.stage.tenant);
        let rules = [rule("vip", 71, Direction::ToDiscord), rule("gold", 72, Direction::ToGame)];
        let found = dry_run::run(app, tenant.scope, &scene.wanted(&rules)).await.expect("a dry run");
        assert_eq!((found.members, found.unknown, found.add, found.remove, found.cannot), (4, 0, 3, 0, 0));
        assert_eq!((scene.has(1), scene.waiting(4).await), (vec![], vec![]));
        scene.rules(&rules).await;
        assert_eq!((scene.has(1), scene.has(2), scene.waiting(4).await), (vec![71], vec![71], vec!["+gold".to_owned()]));
        scene.finish().await;
    }

    async fn a_dry_run_tells_what_cannot_be_done_and_why(engine) {
        let scene = Scene::set(engine).await;
        scene.empower(71, Permissions::ADMINISTRATOR).await;
        scene.raise(72, true).await;
        for number in 1..=3 {
            scene.link(number).await;
            scene.report(number, "vip").await;
        }
        scene.sync().await;
        let tenant = &scene.stage.tenant;
        let owner = scene.stage.test.session(&tenant.owner).await;
        let staff = scene.stage.test.member(tenant, 77, &[Permission::ServersRoles]).await;
        let dry = async |session: &str, rules: &Value, confirmed: Value| {
            let trial = json!({ "rules": rules, "confirmed_roles": confirmed });
            send(&scene, session, Method::POST, "/dry-run", &trial).await
        };
        // What a save refuses is refused here too.
        let powerful = json!([wanted("vip", 71, "to_discord")]);
        let confirmed = json!([discord(71).as_str()]);
        assert_eq!(dry(&owner, &powerful, json!([])).await.code(), "ROLE_TOO_POWERFUL");
        assert_eq!(dry(&staff, &powerful, confirmed.clone()).await.code(), "ROLE_TOO_POWERFUL");
        let strange = dry(&owner, &json!([wanted("vip", 73, "to_discord"), wanted("vip", 99, "to_discord")]), json!([])).await;
        assert_eq!((strange.code(), &strange.json()["row"]), ("INVALID_PARAMETER".to_owned(), &json!(1)));
        assert_eq!(dry(&owner, &powerful, confirmed).await.json()["add"], 3);
        // Who may not see links is told why, and nobody's name.
        let rules = json!([wanted("vip", 72, "to_discord"), wanted("vip", 73, "to_discord")]);
        for (session, listed) in [(&owner, 6), (&staff, 0)] {
            let found = dry(session, &rules, json!([])).await.json();
            assert_eq!((&found["add"], &found["cannot"]), (&json!(3), &json!(3)));
            assert_eq!(found["reasons"], json!([{ "role_id": discord(72).as_str(), "reason": "above_bot" }]));
            assert_eq!(found["changes"].as_array().unwrap().len(), listed);
        }
        assert_eq!(scene.has(1), NONE);
        scene.finish().await;
    }

    async fn a_dry_run_follows_one_rule_to_the_next(engine) {
        let scene = Scene::set(engine).await;
        scene.by_hand(1, 73, true).await;
        scene.link(1).await;
        scene.report(1, "").await;
        scene.sync().await;
        let (app, tenant) = (&scene.stage.test.app, &scene.stage.tenant);
        let rules = [rule("admin", 73, Direction::ToGame), rule("admin", 74, Direction::ToDiscord)];
        let found = dry_run::run(app, tenant.scope, &scene.wanted(&rules)).await.expect("a dry run");
        assert_eq!((found.add, found.remove, found.cannot), (2, 0, 0));
        scene.finish().await;
    }

    async fn every_change_can_be_explained(engine) {
        let scene = Scene::set(engine).await;
        scene.rules(&[rule("vip", 71, Direction::ToDiscord)]).await;
        scene.link(1).await;
        scene.report(1, "vip").await;
        scene.sync().await;
        scene.report(1, "").await;
        scene.plugin(&format!("updateSteam&id={}&name=Ann", steam(1))).await;
        scene.sync().await;
        let tenant = &scene.stage.tenant;
        let owner = scene.stage.test.session(&tenant.owner).await;
        let address = format!("/api/orgs/{}/guilds/{}/role-history?member={}", tenant.org, tenant.guild, discord(1));
        let found = scene.stage.test.person(&owner).get(&address).await.json();
        let entries = found["entries"].as_array().unwrap();
        let short: Vec<_> = entries.iter().map(|entry| (entry["change"].as_str().unwrap(), entry["cause"].as_str().unwrap())).collect();
        assert_eq!(short, [("remove", "report"), ("add", "report")]);
        assert_eq!((&entries[0]["rule"], &entries[0]["steam_name"]), (&json!("vip → Role 71"), &json!("Ann")));
        scene.finish().await;
    }

    async fn who_looks_after_rules_is_shown_where_there_are_any(engine) {
        let scene = Scene::set(engine).await;
        scene.rules(&[rule("vip", 71, Direction::ToDiscord), rule("staff", 73, Direction::ToGame)]).await;
        let (test, tenant) = (&scene.stage.test, &scene.stage.tenant);
        let owner = test.person(&test.session(&tenant.owner).await);
        let body = json!({ "guild_id": tenant.guild.as_str(), "name": "Second" }).to_string();
        assert_eq!(owner.post(&format!("/orgs/{}/servers", tenant.org), &body).await.status, 201);
        let found = owner.get(&format!("/orgs/{}/roles", tenant.org)).await.json();
        let servers = found["guilds"][0]["servers"].as_array().expect("Servers");
        let short: Vec<_> = servers.iter().map(|server| (server["name"].as_str(), server["rules"].as_i64())).collect();
        assert_eq!(short, [(Some("Server 1"), Some(2)), (Some("Second"), Some(0))]);
        assert_eq!(found["guilds"][0]["id"], tenant.guild.as_str());
        scene.finish().await;
    }
}
