//! The check-up of a Guild: each part in each of its states, and who is shown what.

use std::collections::{BTreeSet, HashMap};

use app::background;
use app::downloads::builds::{self, NewBuild};
use app::downloads::shelf;
use app::tenancy::guild_changes::GuildChange;
use domain::permission::Permission;
use domain::plan::Tier;
use domain::plugin_build::PluginVersion;
use domain::quota::{Purpose, Spending};
use domain::roles::Direction;
use emulator::{Fault, FaultKind};
use http::Method;
use serde_json::{Value, json};
use testkit::{Client, START_MS, Tenant, TestApp, both_databases, discord};

use crate::linking::stage::Stage;
use crate::roles::scene::{Scene, role, rule};
use crate::support::{call, refusal, refused, server_of};

const VANITY: &str = "GET /ISteamUser/ResolveVanityURL/v1";
/// What Steam says of a name that stands for nothing.
const NOBODY: &str = r#"{"response":{"success":42}}"#;
const HOUR_MS: i64 = 60 * 60_000;
const DAY_MS: i64 = 24 * HOUR_MS;

fn checkup_of(tenant: &Tenant) -> String {
    format!("/orgs/{}/guilds/{}/checkup", tenant.org, tenant.guild)
}

async fn checkup(person: &Client, tenant: &Tenant) -> Value {
    let reply = person.get(&checkup_of(tenant)).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

/// States and sentences of a topic.
async fn all_of(person: &Client, tenant: &Tenant, topic: &str) -> Vec<(String, String)> {
    let found = checkup(person, tenant).await;
    let checks = found["checks"].as_array().expect("a list").iter();
    checks
        .filter(|check| check["topic"] == topic)
        .map(|check| (text(&check["state"]), text(&check["text"])))
        .collect()
}

/// The states of a topic.
async fn states(person: &Client, tenant: &Tenant, topic: &str) -> Vec<String> {
    let found = all_of(person, tenant, topic).await;
    found.into_iter().map(|(state, _)| state).collect()
}

/// Where the last check of a topic that has a page is put right.
async fn page(person: &Client, tenant: &Tenant, topic: &str) -> String {
    let found = checkup(person, tenant).await;
    let checks = found["checks"].as_array().expect("a list").iter();
    let mut pages = checks
        .filter(|check| check["topic"] == topic)
        .filter_map(|check| check["fix"]["page"].as_str());
    pages.next_back().expect("a page").to_owned()
}

/// What a bot's process says while all is well.
async fn online(test: &TestApp) {
    let bot = test.platform_bot().await;
    let said = json!({ "instance": "00000000000000bb", "state": "online" });
    assert_eq!(bot.post("/bot/session", &said.to_string()).await.status, 200);
}

/// Publishes builds, and lets the service see them.
async fn publish(test: &TestApp, versions: &[&str]) {
    let blobs = test.app.platforms.blobs.as_ref().expect("a file store");
    for version in versions {
        let new = NewBuild {
            version: PluginVersion::parse(version).expect("a version"),
            file_name: "Symbolon.cs".to_owned(),
            bytes: version.as_bytes().to_vec(),
        };
        builds::publish(blobs, new, START_MS).await.expect("a build");
    }
    shelf::refresh(&test.app).await.expect("a list");
}

/// The plugin of the tenant's Server calls, and what it said is written down.
async fn plugin_calls(test: &TestApp, tenant: &Tenant, version: &str, stamp: &str) {
    let plugin = test.plugin(&tenant.key).header("x-plugin-version", version);
    let plugin = plugin.header("x-config-stamp", stamp);
    assert_eq!(plugin.get("/api?action=count").await.status, 200);
    background::keep_house(&test.app).await.expect("a tidy house");
}

both_databases! {
    async fn the_bot_its_permissions_and_the_log_channel_are_told_in_each_state(engine) {
        let stage = Stage::set(engine).await;
        let (test, tenant) = (&stage.test, &stage.tenant);
        let owner = test.person(&test.session(&tenant.owner).await);
        let on_discord = async || {
            let mut found = Vec::new();
            for topic in ["bot", "permissions", "log_channel"] {
                found.extend(states(&owner, tenant, topic).await);
            }
            found
        };
        assert_eq!(on_discord().await, ["unknown"; 3], "nobody has looked");
        let first = checkup(&owner, tenant).await;
        assert_eq!((&first["looking"], &first["checked_at_ms"]), (&json!(true), &Value::Null));
        test.drain_jobs().await;
        assert_eq!(on_discord().await, ["bad", "ok", "ok"], "the bot is offline");
        assert_eq!(states(&owner, tenant, "clock").await, ["ok"], "Discord’s answers bore the time");
        online(test).await;
        assert_eq!(on_discord().await, ["ok"; 3]);
        let seen = checkup(&owner, tenant).await;
        assert_eq!((&seen["name"], &seen["guild_id"]), (&json!("Guild 1"), &json!(tenant.guild.as_str())));
        assert_eq!((&seen["looking"], &seen["checked_at_ms"]), (&json!(false), &json!(START_MS)));
        let log = all_of(&owner, tenant, "log_channel").await;
        assert_eq!(log[0].1, "The bot can post log messages in #log.");
        for (sets, expected) in [
            ("guild_bots SET permissions = 0", ["ok", "warn", "ok"]),
            ("guild_bots SET commands_hash = NULL, commands_at = NULL", ["warn", "warn", "ok"]),
            ("discord_channels SET reason = 'cannot_see'", ["warn", "warn", "bad"]),
            ("discord_channels SET reason = NULL, gone_at = 1", ["warn", "warn", "bad"]),
            ("discord_channels SET id = '799999999999999999', gone_at = NULL", ["warn", "warn", "unknown"]),
            ("guild_bots SET log_problem = 'no_access', log_problem_at = 1", ["warn", "warn", "bad"]),
            ("guild_bots SET log_problem = NULL, log_problem_at = NULL, present = 0", ["bad", "unknown", "unknown"]),
            ("guilds SET log_channel_id = NULL", ["bad", "unknown", "warn"]),
        ] {
            test.db.damage(&format!("UPDATE {sets}")).await;
            assert_eq!(on_discord().await, expected, "{sets}");
        }
        let settings = format!("/orgs/{}/guilds/{}", tenant.org, tenant.guild);
        assert_eq!(page(&owner, tenant, "bot").await, settings);
        assert_eq!(page(&owner, tenant, "log_channel").await, settings);
        assert_eq!(checkup(&owner, tenant).await["state"], "bad", "the worst of all");
        stage.finish().await;
    }

    async fn rules_and_roles_that_cannot_be_are_told_with_the_way_out(engine) {
        let scene = Scene::set(engine).await;
        let (test, tenant) = (&scene.stage.test, &scene.stage.tenant);
        let owner = test.person(&test.session(&tenant.owner).await);
        let roles = async || all_of(&owner, tenant, "roles").await;
        let told = |state: &str, text: &str| (state.to_owned(), text.to_owned());
        assert_eq!(roles().await, [told("ok", "No rule ties a group to a role.")]);
        scene.rules(&[rule("vip", 71, Direction::ToDiscord), rule("gold", 72, Direction::ToGame)]).await;
        let fine = [told("ok", "All 2 rules can be carried out.")];
        assert_eq!(roles().await, fine);
        scene.raise(72, true).await;
        assert_eq!(roles().await, fine, "a role that is only read may stand above the bot");
        scene.raise(71, true).await;
        let above = "A rule with the role Role 71 can’t be carried out. Drag the bot's role above it in Discord's server settings.";
        assert_eq!(roles().await, [told("bad", above)]);
        assert_eq!(page(&owner, tenant, "roles").await, format!("{}/roles", server_of(tenant)));
        scene.change(|guild| drop(guild.roles.remove(&role(72))));
        scene.look().await;
        let gone = "A rule with the role Role 72 can’t be carried out. It was deleted on Discord; choose another role.";
        assert_eq!(roles().await, [told("bad", above), told("bad", gone)]);
        // Of somebody who was to get it, the look tells too.
        scene.link(1).await;
        scene.report(1, "vip").await;
        scene.sync().await;
        assert_eq!(states(&owner, tenant, "roles").await, ["bad", "bad", "warn"]);
        scene.rules(&[]).await;
        scene.unlink(1).await;
        scene.sync().await;
        let change = |number| GuildChange { verified_roles: Some(vec![discord(number)]), ..GuildChange::default() };
        scene.settings(change(74)).await;
        assert!(roles().await.contains(&told("ok", "The bot can give all roles of the settings.")));
        scene.raise(74, true).await;
        let found = roles().await;
        let of_settings = found.last().expect("a check");
        assert!(of_settings.0 == "bad" && of_settings.1.starts_with("The bot can’t give the role Role 74"), "{of_settings:?}");
        assert_eq!(page(&owner, tenant, "roles").await, format!("/orgs/{}/guilds/{}", tenant.org, tenant.guild));
        scene.rules(&[rule("vip", 73, Direction::Both)]).await;
        test.db.damage("UPDATE guild_bots SET present = 0").await;
        assert_eq!(states(&owner, tenant, "roles").await[0], "unknown", "nobody can tell from outside");
        scene.finish().await;
    }

    async fn servers_their_plugins_and_files_are_told_in_each_state(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Standard).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let of_server = async || {
            let found = checkup(&owner, &tenant).await;
            let checks = found["checks"].as_array().expect("a list").iter();
            let own = checks.filter(|check| check["server"]["id"] == tenant.server.as_str());
            own.map(|check| format!("{} {}", text(&check["topic"]), text(&check["state"]))).collect::<Vec<_>>()
        };
        let stamp = async || {
            let file = owner.get(&format!("{}/plugin-file", server_of(&tenant))).await.json();
            text(&file["content"]["Settings stamp"])
        };
        assert_eq!(of_server().await, ["server warn", "plugin unknown", "key ok"], "it has never called");
        plugin_calls(&test, &tenant, "1.1.0", &stamp().await).await;
        assert_eq!(of_server().await, ["server ok", "plugin unknown", "configuration ok", "key ok"], "there is no build to compare");
        publish(&test, &["v1.0.0", "v1.1.0"]).await;
        assert_eq!(of_server().await, ["server ok", "plugin ok", "configuration ok", "key ok"]);
        plugin_calls(&test, &tenant, "1.0.0", &stamp().await).await;
        assert_eq!(of_server().await, ["server ok", "plugin warn", "configuration ok", "key ok"]);
        let update = &all_of(&owner, &tenant, "plugin").await[0].1;
        assert_eq!(update, "Server 1 runs version 1.0.0 of the plugin. Install v1.1.0 in its place.");
        assert_eq!(page(&owner, &tenant, "plugin").await, format!("/orgs/{}/plugin?server={}", tenant.org, tenant.server));
        let slower = json!({ "poll_seconds": 90 });
        assert_eq!(call(&owner, Method::PATCH, &server_of(&tenant), &slower).await.status, 204);
        assert_eq!(states(&owner, &tenant, "configuration").await, ["warn"], "the file is out of date");
        plugin_calls(&test, &tenant, "1.1.0", "none").await;
        assert_eq!(of_server().await, ["server ok", "plugin ok", "configuration unknown", "key ok"], "it was written by hand");
        // Of a plugin that is none of ours nothing can be said.
        plugin_calls(&test, &tenant, "9.9.9", "").await;
        assert_eq!(of_server().await, ["server ok", "plugin unknown", "key ok"]);
        test.clock.advance_ms(25 * HOUR_MS);
        assert_eq!(states(&owner, &tenant, "server").await, ["warn"], "it is silent");
        let off = json!({ "active": false });
        assert_eq!(call(&owner, Method::PATCH, &server_of(&tenant), &off).await.status, 204);
        let told = all_of(&owner, &tenant, "server").await;
        assert_eq!(told, [("warn".to_owned(), "Server 1 is inactive, so its calls are refused.".to_owned())]);
        assert_eq!(page(&owner, &tenant, "server").await, server_of(&tenant));
        assert_eq!(call(&owner, Method::DELETE, &server_of(&tenant), &Value::Null).await.status, 204);
        let found = checkup(&owner, &tenant).await;
        let none = found["checks"].as_array().expect("a list").iter().find(|check| check["topic"] == "server");
        let none = none.expect("a check");
        assert_eq!((&none["state"], &none["server"], &none["text"]), (&json!("warn"), &Value::Null, &json!("Guild 1 has no Server.")));
        test.finish().await;
    }

    async fn a_key_that_is_revoked_replaced_refused_or_shown_to_logs_is_told(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Standard).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let keys = async || states(&owner, &tenant, "key").await;
        assert_eq!(all_of(&owner, &tenant, "key").await, [("ok".to_owned(), "The key of Server 1 is in force.".to_owned())]);
        let old_way = format!("/api?action=count&secret={}", tenant.key);
        assert_eq!(test.client().get(&old_way).await.status, 200);
        background::keep_house(&test.app).await.expect("a tidy house");
        assert_eq!(keys().await, ["warn"], "it was sent in the URL");
        for _ in 0..2 {
            assert_eq!(test.plugin(&tenant.key).get("/api?action=nope").await.code(), "UNKNOWN_ACTION");
        }
        assert_eq!(test.plugin(&tenant.key).get("/api?action=findBySteam&id=x").await.code(), "INVALID_PARAMETER");
        test.settle().await;
        test.app.memories.refused_calls.flush(&test.app.db).await.expect("a flush");
        let told = all_of(&owner, &tenant, "key").await;
        let text = "Calls with the key of Server 1 were refused in the last 24 hours: 3, mostly with the code UNKNOWN_ACTION.";
        assert_eq!(told[1], ("warn".to_owned(), text.to_owned()));
        let regenerate = format!("{}/key/regenerate", server_of(&tenant));
        assert_eq!(owner.post(&regenerate, "").await.status, 200);
        assert_eq!(test.plugin(&tenant.key).get("/api?action=count").await.status, 401);
        test.settle().await;
        assert_eq!(keys().await, ["warn", "bad", "warn"], "the replaced one is still in use");
        let revoke = format!("{}/key/revoke", server_of(&tenant));
        assert_eq!(owner.post(&revoke, "").await.status, 204);
        assert_eq!(keys().await, ["bad", "warn", "bad", "warn"]);
        assert!(states(&owner, &tenant, "server").await.is_empty(), "the key says it all");
        // Who looks after Servers and not after keys is told what the Server's page shows them.
        let viewer = test.person(&test.member(&tenant, 5, &[Permission::ServersView]).await);
        assert_eq!(states(&viewer, &tenant, "key").await, ["bad", "warn"]);
        test.finish().await;
    }

    async fn a_clock_is_wrong_from_a_minute_on_and_told_to_be_the_operators(engine) {
        let (test, steam) = TestApp::start_with_steam(engine).await;
        let tenant = test.tenant(1, Tier::Standard).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        assert_eq!(states(&owner, &tenant, "clock").await, ["unknown"], "nobody was asked");
        let date = "Thu, 01 Jan 2026 00:00:00 GMT";
        steam.hub().add_fault(Fault::answer(VANITY, 200, NOBODY).header("date", date));
        let api = test.app.platforms.steam_api.as_ref().expect("a client");
        let asked = api.find_group("nobody", Purpose::Settings { org_num: 1 }).await;
        assert_eq!(asked, Ok(None));
        for (off_ms, state, word) in [
            (0, "ok", "agrees"), (60_000, "ok", "agrees"), (-60_000, "ok", "agrees"),
            (61_000, "warn", "ahead"), (-61_000, "warn", "behind"), (240_000, "warn", "ahead"),
            (241_000, "bad", "ahead"), (-241_000, "bad", "behind"), (3 * DAY_MS, "bad", "3 days"),
        ] {
            test.clock.set_ms(START_MS + off_ms);
            let told = all_of(&owner, &tenant, "clock").await;
            assert!(told.len() == 1 && told[0].0 == state && told[0].1.contains(word), "{off_ms}: {told:?}");
            assert_eq!(told[0].1.contains("whoever runs this installation"), state != "ok", "{off_ms}");
        }
        test.clock.set_ms(START_MS);
        test.clock.advance_ms(HOUR_MS);
        assert_eq!(states(&owner, &tenant, "clock").await, ["ok"], "time passes for both");
        test.finish().await;
    }

    async fn a_steam_group_is_told_by_whether_steam_can_be_asked(engine) {
        let set = |tenant: &Tenant| format!("UPDATE guilds SET steam_group = '4242', steam_group_id = 4242 WHERE id = '{}'", tenant.guild);
        let without = TestApp::start(engine).await;
        let tenant = without.tenant(1, Tier::Standard).await;
        let owner = without.person(&without.session(&tenant.owner).await);
        assert_eq!(states(&owner, &tenant, "steam_group").await, ["ok"], "there is none");
        without.db.damage(&set(&tenant)).await;
        assert_eq!(states(&owner, &tenant, "steam_group").await, ["bad"], "nobody can be checked");
        assert_eq!(page(&owner, &tenant, "steam_group").await, format!("/orgs/{}/guilds/{}", tenant.org, tenant.guild));
        without.finish().await;

        let (test, steam) = TestApp::start_with_steam(engine).await;
        let tenant = test.tenant(1, Tier::Standard).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        test.db.damage(&set(&tenant)).await;
        let group = async || states(&owner, &tenant, "steam_group").await;
        assert_eq!(group().await, ["unknown"], "nobody asked Steam");
        let api = test.app.platforms.steam_api.as_ref().expect("a client");
        let ask = async |name: &str| api.find_group(name, Purpose::Settings { org_num: 1 }).await;
        steam.hub().add_fault(Fault::answer(VANITY, 200, NOBODY));
        assert_eq!(ask("nobody").await, Ok(None));
        let told = all_of(&owner, &tenant, "steam_group").await;
        assert_eq!(told, [("ok".to_owned(), "Players have to be in the Steam group 4242. Steam answers.".to_owned())]);
        steam.hub().add_fault(Fault::new(VANITY, FaultKind::Error500).times(5));
        for _ in 0..5 {
            assert!(ask("somebody").await.is_err());
        }
        assert_eq!(group().await, ["warn"], "Steam keeps failing");
        test.clock.advance_ms(5_000);
        steam.hub().add_fault(Fault::answer(VANITY, 200, NOBODY));
        assert_eq!(ask("nobody").await, Ok(None));
        assert_eq!(group().await, ["ok"]);
        let spent = Spending { verify: HashMap::from([(1, 90_000)]), ..Spending::default() };
        api.learn_calls(test.app.now_ms().div_euclid(DAY_MS), spent);
        assert_eq!(group().await, ["warn"], "the day has no calls left");
        test.finish().await;
    }

    async fn nobody_is_told_of_parts_that_their_permissions_do_not_show(engine) {
        use Permission::{OrgSettings, ServersKeys, ServersRoles, ServersView};
        let test = TestApp::start(engine).await;
        let (one, two) = (test.tenant(1, Tier::Standard).await, test.tenant(2, Tier::Standard).await);
        let topics = async |number: u64, permissions: &[Permission]| {
            let person = test.person(&test.member(&one, number, permissions).await);
            let found = checkup(&person, &one).await;
            let checks = found["checks"].as_array().expect("a list").iter();
            checks.map(|check| text(&check["topic"])).collect::<BTreeSet<_>>()
        };
        let expected = |more: &[&str]| {
            let all = ["server", "plugin", "key", "clock"].into_iter().chain(more.iter().copied());
            all.map(str::to_owned).collect::<BTreeSet<_>>()
        };
        assert_eq!(topics(5, &[ServersView]).await, expected(&[]));
        assert_eq!(topics(6, &[ServersView, ServersKeys]).await, expected(&[]));
        assert_eq!(topics(7, &[ServersView, ServersRoles]).await, expected(&["roles"]));
        let settings = ["bot", "permissions", "log_channel", "steam_group"];
        assert_eq!(topics(8, &[ServersView, OrgSettings]).await, expected(&settings));
        let blind = test.person(&test.member(&one, 9, &[OrgSettings, ServersRoles, ServersKeys]).await);
        assert_eq!(refusal(&blind.get(&checkup_of(&one)).await), refused(403, "MISSING_PERMISSION"));
        // A Guild of somebody else is none.
        let owner = test.person(&test.session(&one.owner).await);
        let others = format!("/orgs/{}/guilds/{}/checkup", one.org, two.guild);
        for uri in [others, checkup_of(&two), format!("/orgs/{}/guilds/gld_none/checkup", one.org)] {
            assert_eq!(refusal(&owner.get(&uri).await), refused(404, "NOT_FOUND"), "{uri}");
        }
        let found = checkup(&owner, &one).await;
        assert!(!found.to_string().contains("Server 2") && !found.to_string().contains("Guild 2"), "{found}");
        test.finish().await;
    }
}
