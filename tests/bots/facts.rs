//! What is read of a Guild on Discord and shown of it.

use domain::permission::Permission;
use domain::plan::Tier;
use domain::platform_id::DiscordId;
use emulator::discord::{Channel, Guild, Member, Overwrite, Permissions, Role, Snowflake};
use emulator::{Fault, FaultKind};
use http::Method;
use serde_json::{Value, json};
use testkit::{Client, both_databases, discord, log_channel};

use crate::linking::stage::Stage;
use crate::support::{call, refusal, refused};

const BOT_ROLE: u64 = 60;
const LOW_ROLE: u64 = 61;
const HIGH_ROLE: u64 = 62;
const CATEGORY: u64 = 70;
const HIDDEN: u64 = 71;
const SILENT: u64 = 72;
const MINUTE_MS: i64 = 60_000;
const GUILD_ROUTE: &str = "GET /api/v10/guilds/{guild}";
const COMMANDS: &str = "PUT /api/v10/applications/{application}/guilds/{guild}/commands";
const POST: &str = "POST /api/v10/channels/{channel}/messages";

fn snowflake(id: &DiscordId) -> Snowflake {
    id.as_str().parse().unwrap()
}

fn change(stage: &Stage, change: impl FnOnce(&mut Guild)) {
    let id = snowflake(&stage.tenant.discord_guild);
    let changed = stage
        .discord
        .change(|state| change(state.guilds.get_mut(&id).unwrap()));
    changed.expect("a guild");
}

fn role(name: &str, position: i64, permissions: Permissions) -> Role {
    Role {
        name: name.to_owned(),
        color: 0x11_2233,
        position,
        permissions,
        ..Role::default()
    }
}

/// A Discord server of somebody else, in which the bot has a role of its own.
async fn stage(engine: testkit::Engine) -> (Stage, Client) {
    let stage = Stage::with_tier(engine, Tier::Free).await;
    let own = Permissions::MANAGE_ROLES | Permissions::VIEW_CHANNEL;
    change(&stage, |guild| {
        guild.owner_id = Some(snowflake(&discord(1)));
        guild
            .roles
            .values_mut()
            .for_each(|role| role.permissions = Permissions::EVERYBODY);
        for (id, made) in [
            (BOT_ROLE, role("Bot", 5, own)),
            (LOW_ROLE, role("Linked", 3, Permissions::default())),
            (HIGH_ROLE, role("Staff", 9, Permissions::default())),
        ] {
            guild.roles.insert(snowflake(&discord(id)), made);
        }
        for member in guild.members.values_mut() {
            *member = Member {
                roles: vec![snowflake(&discord(BOT_ROLE))],
                ..Member::default()
            };
        }
        let everybody = snowflake(&stage.tenant.discord_guild);
        for (id, name, kind, deny) in [
            (CATEGORY, "Staff", 4, None),
            (HIDDEN, "hidden", 0, Some(Permissions::VIEW_CHANNEL)),
            (SILENT, "silent", 0, Some(Permissions::SEND_MESSAGES)),
        ] {
            let deny = deny.map(|deny| Overwrite {
                id: everybody,
                kind: 0,
                deny,
                ..Overwrite::default()
            });
            let made = Channel {
                name: name.to_owned(),
                kind,
                parent_id: (id == HIDDEN).then(|| snowflake(&discord(CATEGORY))),
                permission_overwrites: deny.into_iter().collect(),
                ..Channel::default()
            };
            guild.channels.insert(snowflake(&discord(id)), made);
        }
    });
    let session = stage
        .test
        .member(
            &stage.tenant,
            5,
            &[Permission::OrgSettings, Permission::ServersView],
        )
        .await;
    let me = stage.test.person(&session);
    (stage, me)
}

async fn look(stage: &Stage, me: &Client) -> Value {
    stage.test.drain_jobs().await;
    let reply = me
        .get(&format!(
            "/orgs/{}/guilds/{}/discord",
            stage.tenant.org, stage.tenant.guild
        ))
        .await;
    assert_eq!(reply.status, 200);
    reply.json()
}

fn reasons(list: &Value) -> Vec<(String, Option<String>)> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let list = list.as_array().unwrap().iter();
    list.map(|one| (text(&one["name"]).unwrap(), text(&one["reason"])))
        .collect()
}

fn expected(list: &[(&str, Option<&str>)]) -> Vec<(String, Option<String>)> {
    list.iter()
        .map(|(name, reason)| ((*name).to_owned(), reason.map(str::to_owned)))
        .collect()
}

async fn notices(stage: &Stage, me: &Client) -> Vec<String> {
    let reply = me.get(&format!("/orgs/{}/overview", stage.tenant.org)).await;
    let listed = reply.json()["attention"].as_array().unwrap().clone();
    let kinds = listed
        .iter()
        .map(|notice| notice["kind"].as_str().unwrap().to_owned());
    kinds
        .filter(|kind| kind.starts_with("bot_") || kind.starts_with("log_"))
        .collect()
}

both_databases! {
    async fn a_claimed_guild_is_read_with_what_can_be_used_and_why_not(engine) {
        let (stage, me) = stage(engine).await;
        let found = look(&stage, &me).await;
        assert_eq!((&found["present"], &found["looking"]), (&json!(true), &json!(false)));
        assert_eq!(found["checked_at_ms"], json!(testkit::START_MS));
        assert_eq!(
            reasons(&found["roles"]),
            expected(&[("Staff", Some("above_bot")), ("Bot", Some("above_bot")), ("Linked", None)])
        );
        assert_eq!((&found["roles"][2]["colour"], &found["roles"][2]["position"]), (&json!(0x11_2233), &json!(3)));
        let mut channels = reasons(&found["channels"]);
        channels.sort();
        assert_eq!(
            channels,
            expected(&[("Staff", Some("not_text")), ("hidden", Some("cannot_see")), ("log", None), ("silent", Some("cannot_post"))])
        );
        let held: Vec<&str> = found["permissions"].as_array().unwrap().iter()
            .filter(|one| one["held"] == true).map(|one| one["name"].as_str().unwrap()).collect();
        assert_eq!(held, ["View Channels", "Send Messages", "Embed Links", "Manage Roles", "Create Invite"]);
        assert_eq!(notices(&stage, &me).await, ["bot_lacks_permissions"]);
        assert_eq!((&found["online"], &found["commands"]), (&json!(false), &json!(true)));
        let bot = stage.test.platform_bot().await;
        let online = json!({ "instance": "00000000000000bb", "state": "online" });
        assert_eq!(bot.post("/bot/session", &online.to_string()).await.status, 200);
        assert_eq!(look(&stage, &me).await["online"], true);
        stage.test.clock.advance_ms(MINUTE_MS);
        assert_eq!(look(&stage, &me).await["online"], false, "nobody heard of it for a minute");
        stage.finish().await;
    }

    async fn the_invite_adds_exactly_what_is_missing(engine) {
        let (stage, me) = stage(engine).await;
        let before = Permissions::EVERYBODY | Permissions::MANAGE_ROLES;
        let found = look(&stage, &me).await;
        let url = found["invite_url"].as_str().unwrap().to_owned();
        assert!(url.contains(&format!("guild_id={}", stage.tenant.discord_guild)), "{url}");
        let wanted = (before | Permissions::MANAGE_NICKNAMES).0;
        assert!(url.contains(&format!("permissions={wanted}")), "{url}");
        change(&stage, |guild| {
            let own = guild.roles.get_mut(&snowflake(&discord(BOT_ROLE))).unwrap();
            own.permissions = Permissions(wanted);
        });
        stage.test.clock.advance_ms(MINUTE_MS + 1);
        assert_eq!(look(&stage, &me).await["looking"], true, "what is old is read while it is shown");
        let found = look(&stage, &me).await;
        assert_eq!((&found["invite_url"], &found["looking"]), (&Value::Null, &json!(false)));
        assert_eq!(notices(&stage, &me).await, Vec::<String>::new());
        stage.finish().await;
    }

    async fn what_is_gone_keeps_its_name(engine) {
        let (stage, me) = stage(engine).await;
        look(&stage, &me).await;
        change(&stage, |guild| {
            guild.roles.remove(&snowflake(&discord(LOW_ROLE)));
            guild.channels.remove(&snowflake(&discord(SILENT)));
            guild.roles.get_mut(&snowflake(&discord(HIGH_ROLE))).unwrap().name = "Team".to_owned();
        });
        let uri = format!("/orgs/{}/guilds/{}/discord", stage.tenant.org, stage.tenant.guild);
        assert_eq!(call(&me, Method::POST, &uri, &Value::Null).await.status, 204);
        let found = look(&stage, &me).await;
        let gone = |list: &Value| -> Vec<String> {
            let list = list.as_array().unwrap().iter();
            list.filter(|one| one["gone_at_ms"].is_i64()).map(|one| one["name"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!((gone(&found["roles"]), gone(&found["channels"])), (vec!["Linked".to_owned()], vec!["silent".to_owned()]));
        assert_eq!(found["roles"][0]["name"], "Team");
        let again = call(&me, Method::POST, &uri, &Value::Null).await;
        assert_eq!(refusal(&again), refused(429, "RATE_LIMITED"));
        stage.finish().await;
    }

    async fn a_kicked_bot_is_said_and_what_was_known_stays(engine) {
        let (stage, me) = stage(engine).await;
        look(&stage, &me).await;
        change(&stage, |guild| guild.members.clear());
        stage.test.clock.advance_ms(MINUTE_MS + 1);
        look(&stage, &me).await;
        let found = look(&stage, &me).await;
        assert_eq!((&found["present"], found["roles"].as_array().unwrap().len()), (&json!(false), 3));
        assert!(found["invite_url"].as_str().unwrap().contains("permissions=402672641"));
        assert_eq!(notices(&stage, &me).await, ["bot_absent"]);
        stage.finish().await;
    }

    async fn commands_are_registered_once_and_again_when_the_bot_comes_back(engine) {
        let (stage, me) = stage(engine).await;
        let id = snowflake(&stage.tenant.discord_guild);
        let registered = || -> Vec<String> {
            let state = stage.discord.state();
            let commands = state.applications.values().flat_map(|one| one.guild_commands.get(&id)).flatten();
            commands.map(|one| one["name"].as_str().unwrap().to_owned()).collect()
        };
        let look_later = || async {
            stage.test.clock.advance_ms(11 * MINUTE_MS);
            look(&stage, &me).await;
            look(&stage, &me).await
        };
        stage.discord.hub().add_fault(Fault::new(COMMANDS, FaultKind::Error403).times(1));
        look(&stage, &me).await;
        assert_eq!(registered(), Vec::<String>::new(), "Discord refuses, and the facts are kept");
        for _ in 0..2 {
            assert_eq!(look_later().await["present"], true);
            assert_eq!(registered(), ["link", "unlink", "linkstatus", "whois", "search", "panel", "sync"]);
            assert_eq!(stage.discord.hub().count(COMMANDS), 2);
        }
        let members = stage.discord.state().guilds[&id].members.clone();
        change(&stage, |guild| guild.members.clear());
        assert_eq!(look_later().await["present"], false);
        change(&stage, |guild| guild.members = members);
        assert_eq!(look_later().await["present"], true);
        assert_eq!(stage.discord.hub().count(COMMANDS), 3, "whoever removes a bot removes its commands");
        stage.finish().await;
    }

    async fn a_discord_that_fails_changes_no_fact(engine) {
        let (stage, me) = stage(engine).await;
        let before = look(&stage, &me).await;
        for kind in [FaultKind::Error500, FaultKind::Garbage, FaultKind::RateLimit] {
            stage.test.clock.advance_ms(11 * MINUTE_MS);
            stage.discord.hub().add_fault(Fault::new(GUILD_ROUTE, kind));
            look(&stage, &me).await;
            let found = look(&stage, &me).await;
            assert_eq!((&found["present"], &found["roles"]), (&before["present"], &before["roles"]), "{kind:?}");
            stage.discord.hub().remove_faults();
        }
        // What stands before Discord answers without a number of Discord's.
        for status in [403, 404] {
            stage.test.clock.advance_ms(11 * MINUTE_MS);
            stage.discord.hub().add_fault(Fault::answer(GUILD_ROUTE, status, "<html>"));
            look(&stage, &me).await;
            let found = look(&stage, &me).await;
            assert_eq!((&found["present"], &found["roles"]), (&before["present"], &before["roles"]), "{status}");
        }
        stage.test.clock.advance_ms(11 * MINUTE_MS);
        stage.finish().await;
    }

    async fn a_test_message_says_what_discord_said(engine) {
        let (stage, me) = stage(engine).await;
        let uri = format!("/orgs/{}/guilds/{}/log-test", stage.tenant.org, stage.tenant.guild);
        let press = || async {
            stage.test.clock.advance_ms(10_000);
            let reply = call(&me, Method::POST, &uri, &Value::Null).await;
            assert_eq!(reply.status, 200, "{}", reply.text());
            let told = reply.json();
            (told["sent"].as_bool().unwrap(), told["code"].as_str().map(str::to_owned), told["message"].as_str().unwrap().to_owned())
        };
        let code = |code: &str| Some(code.to_owned());
        let (sent, no_code, message) = press().await;
        assert_eq!((sent, no_code, message.as_str()), (true, None, "The test message is in the channel."));
        let channel = snowflake(&log_channel(&stage.tenant.discord_guild));
        assert_eq!(stage.discord.state().messages[&channel][0].embeds[0]["title"], "Test message");
        let again = call(&me, Method::POST, &uri, &Value::Null).await;
        assert_eq!(refusal(&again), refused(429, "RATE_LIMITED"));
        for (fault, expected) in [
            (Fault::new(POST, FaultKind::Error500), code("discord_unavailable")),
            (Fault::new(POST, FaultKind::Garbage), code("discord_unavailable")),
            (Fault::new(POST, FaultKind::Error403), code("no_access")),
        ] {
            stage.discord.hub().add_fault(fault);
            let (sent, told, _) = press().await;
            assert_eq!((sent, told), (false, expected));
            stage.discord.hub().remove_faults();
        }
        assert_eq!(notices(&stage, &me).await, ["log_unreachable"]);
        let (sent, ..) = press().await;
        assert!(sent, "somebody put it right and asks again");
        assert_eq!(notices(&stage, &me).await, Vec::<String>::new());
        change(&stage, |guild| guild.channels.clear());
        stage.test.clock.advance_ms(MINUTE_MS + 1);
        let (sent, told, message) = press().await;
        assert_eq!((sent, told), (false, code("unknown_channel")));
        assert!(message.contains("choose another one"), "{message}");
        stage.finish().await;
    }

    async fn a_channel_of_another_discord_server_is_not_saved(engine) {
        let (stage, me) = stage(engine).await;
        let other = stage.test.tenant(2, Tier::Free).await;
        testkit::add_guild(&stage.discord, &other.discord_guild, "Guild 2");
        let uri = format!("/orgs/{}/guilds/{}", stage.tenant.org, stage.tenant.guild);
        let set = |channel: DiscordId| json!({ "log_channel_id": channel.as_str() });
        let reply = call(&me, Method::PATCH, &uri, &set(log_channel(&other.discord_guild))).await;
        assert_eq!((refusal(&reply), reply.json()["parameter"].as_str()), (refused(400, "INVALID_PARAMETER"), Some("log_channel_id")));
        for channel in [SILENT, HIDDEN, 99] {
            let reply = call(&me, Method::PATCH, &uri, &set(discord(channel))).await;
            assert_eq!(reply.status, 204, "{channel}: {}", reply.text());
        }
        stage.finish().await;
    }
}
