//! Commands and buttons on Discord: who may use them, what they do, and what they show to whom.

use app::bots::commands::Command;
use app::identity::blocklist::{self, BlockRequest};
use app::linking::links::{self, LinkRequest};
use domain::audit::Actor;
use domain::blocklist::BlockEntry;
use domain::permission::Permission;
use domain::plan::Tier;
use emulator::{Fault, FaultKind};
use serde_json::{Value, json};
use storage::catalogue;
use testkit::{Client, Engine, Tenant, TestApp, both_databases, discord, log_channel, steam};

use crate::linking::stage::Stage;
use crate::secrecy::rows::texts;

const POST: &str = "POST /api/v10/channels/{channel}/messages";

/// A call that nobody made before.
pub fn used(tenant: &Tenant, user: u64, name: &str, options: Value) -> Value {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    json!({
        "id": (950_000_000_000_000_000 + NEXT.fetch_add(1, Ordering::Relaxed)).to_string(),
        "application_id": "900000000000000002",
        "kind": "command",
        "name": name,
        "options": options,
        "discord_guild_id": tenant.discord_guild.as_str(),
        "channel_id": log_channel(&tenant.discord_guild).as_str(),
        "user_id": discord(user).as_str(),
        "user_name": "Ada",
        "locale": "en-US",
        "guild_locale": "en-US",
    })
}

async fn ask(bot: &Client, asked: &Value) -> Value {
    let reply = bot.post("/bot/interactions", &asked.to_string()).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

pub async fn said(bot: &Client, asked: &Value) -> String {
    ask(bot, asked).await["content"].as_str().unwrap().to_owned()
}

fn about(number: u64) -> Value {
    json!({ "user": discord(number).as_str() })
}

async fn ended(test: &TestApp) -> Vec<String> {
    let sql = "SELECT end_cause FROM links WHERE ended_at IS NOT NULL ORDER BY num";
    texts(&test.db.db, sql).await
}

fn denied(permission: &str) -> String {
    format!("You need the permission `{permission}` in this community's dashboard.")
}

both_databases! {
    async fn anybody_is_shown_the_link_page_and_how_they_stand(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let bot = test.platform_bot().await;
        let mut pressed = used(&tenant, 1, "verify", json!({}));
        pressed["kind"] = "button".into();
        let button = json!([{ "type": 1, "components": [
            { "type": 2, "style": 5, "label": "Open the link page", "url": "http://127.0.0.1:8080/link/guild-1" },
        ] }]);
        for asked in [&used(&tenant, 1, "link", json!({})), &pressed] {
            let shown = ask(&bot, asked).await;
            assert_eq!(shown, json!({ "content": "Link your accounts on this page:", "embeds": [], "components": button }));
        }
        let status = used(&tenant, 1, "linkstatus", json!({}));
        assert_eq!(said(&bot, &status).await, "You are not linked here.");
        tenant.link(&test.app, 1).await;
        let linked = format!("You are linked with {} since <t:{}:D>.", steam(1), testkit::START_MS / 1000);
        assert_eq!(said(&bot, &status).await, linked);
        let shown = ask(&bot, &pressed).await;
        assert_eq!((shown["content"].as_str(), &shown["components"]), (Some(linked.as_str()), &button));
        test.finish().await;
    }

    async fn ones_own_unlink_has_the_cause_user_and_happens_once(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let bot = test.platform_bot().await;
        tenant.link(&test.app, 1).await;
        let asked = used(&tenant, 1, "unlink", json!({}));
        assert_eq!(said(&bot, &asked).await, "Your accounts are no longer linked.");
        assert_eq!(ended(&test).await, ["user"]);
        // Discord or the bot repeats it after the person has linked again.
        tenant.link(&test.app, 1).await;
        assert_eq!(said(&bot, &asked).await, "Your accounts are no longer linked.");
        assert_eq!(test.db.count("links WHERE ended_at IS NULL").await, 1);
        // Naming oneself is no matter of staff.
        assert_eq!(said(&bot, &used(&tenant, 1, "unlink", about(1))).await, "Your accounts are no longer linked.");
        assert_eq!(said(&bot, &used(&tenant, 1, "unlink", json!({}))).await, "You are not linked here.");
        assert_eq!(ended(&test).await, ["user", "user"]);
        let actors = texts(&test.db.db, "SELECT actor_kind FROM audit WHERE action = 'link.removed'").await;
        assert_eq!(actors, ["player", "player"]);
        // Ids are kept as long as Discord repeats them.
        let kept = test.db.count("interactions").await;
        test.clock.advance_ms(15 * 60_000 + 1);
        app::background::keep_house(&test.app).await.unwrap();
        assert_eq!((kept, test.db.count("interactions").await), (2, 0));
        test.finish().await;
    }

    async fn what_is_for_staff_takes_its_permission_in_the_org_of_the_guild(engine) {
        let stage = Stage::set(engine).await;
        let (test, tenant) = (&stage.test, &stage.tenant);
        let other = test.tenant(2, Tier::Free).await;
        let bot = test.platform_bot().await;
        tenant.link(&test.app, 1).await;
        let commands = [
            ("unlink", about(1), Permission::LinksUnlink),
            ("whois", about(1), Permission::LinksView),
            ("search", json!({ "id": steam(1).as_str() }), Permission::LinksView),
            ("panel", json!({}), Permission::OrgSettings),
            ("sync", about(1), Permission::ServersRoles),
        ];
        test.member(tenant, 20, &[]).await;
        test.member(&other, 21, Permission::ALL).await;
        let lacking: Vec<Permission> = Permission::ALL.iter().copied().filter(|one| !commands.iter().any(|(.., needed)| needed == one)).collect();
        test.member(tenant, 22, &lacking).await;
        for (name, options, needed) in &commands {
            // Nobody, a member without anything, the owner and staff of another Org, and a member with all but this.
            for user in [30, 20, 900_002, 21, 22] {
                let asked = used(tenant, user, name, options.clone());
                assert_eq!(said(&bot, &asked).await, denied(needed.as_str()), "{user} {name}");
            }
        }
        assert_eq!(test.db.count("links WHERE ended_at IS NULL").await, 1);
        assert!(stage.discord.state().messages.is_empty(), "nothing was posted");
        for (number, (name, options, needed)) in (40..).zip(commands.iter().rev()) {
            test.member(tenant, number, &[*needed]).await;
            for user in [number, 900_001] {
                let shown = ask(&bot, &used(tenant, user, name, options.clone())).await;
                assert!(!shown["content"].as_str().unwrap().contains("permission"), "{user} {name}: {shown}");
            }
        }
        // The rights of a table that tests walk and of what was tried here are the same.
        for command in Command::ALL {
            let tried = commands.iter().find(|(name, ..)| *name == command.name());
            assert_eq!(command.needs(true), tried.map(|(.., needed)| *needed), "{command:?}");
        }
        stage.finish().await;
    }

    async fn an_unlink_by_staff_has_the_cause_admin_and_names_who_did_it(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let bot = test.platform_bot().await;
        test.member(&tenant, 20, &[Permission::LinksUnlink]).await;
        tenant.link(&test.app, 1).await;
        let asked = used(&tenant, 20, "unlink", about(1));
        let mention = format!("<@{}>", discord(1));
        assert_eq!(said(&bot, &asked).await, format!("{mention} is no longer linked."));
        let again = used(&tenant, 20, "unlink", about(1));
        for _ in 0..2 {
            assert_eq!(said(&bot, &again).await, format!("{mention} is not linked here."));
        }
        assert_eq!(ended(&test).await, ["admin"]);
        let member = test.account(20).await.id;
        let actors = texts(&test.db.db, "SELECT actor_id FROM audit WHERE action = 'link.removed'").await;
        assert_eq!(actors, [member.as_str()]);
        test.finish().await;
    }

    async fn staff_see_who_is_linked_in_this_guild_and_nobody_elses_people(engine) {
        let test = TestApp::start(engine).await;
        let (tenant, other) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await);
        let bot = test.platform_bot().await;
        tenant.link(&test.app, 1).await;
        other.link(&test.app, 2).await;
        let owner = 900_001;
        let (id, account) = (discord(1), steam(1));
        let embed = json!([{ "fields": [
            { "name": "Discord", "value": format!("<@{id}>\n{id}"), "inline": true },
            { "name": "Steam", "value": account.as_str(), "inline": true },
            { "name": "Linked since", "value": format!("<t:{}:D>", testkit::START_MS / 1000), "inline": true },
        ] }]);
        for (name, options) in [
            ("whois", about(1)),
            ("search", json!({ "id": id.as_str() })),
            ("search", json!({ "id": format!(" {account} ") })),
        ] {
            assert_eq!(ask(&bot, &used(&tenant, owner, name, options)).await["embeds"], embed, "{name}");
        }
        for (name, options, who) in [
            ("whois", about(2), format!("<@{}>", discord(2))),
            ("search", json!({ "id": discord(2).as_str() }), format!("<@{}>", discord(2))),
            ("search", json!({ "id": steam(2).as_str() }), steam(2).to_string()),
            ("unlink", about(2), format!("<@{}>", discord(2))),
        ] {
            let shown = ask(&bot, &used(&tenant, owner, name, options)).await;
            assert_eq!(shown, json!({ "content": format!("{who} is not linked here."), "embeds": [], "components": [] }), "{name}");
        }
        assert_eq!(test.db.count("links WHERE ended_at IS NULL").await, 2);
        for wrong in [json!({ "id": "Ada" }), json!({ "id": "" }), json!({})] {
            let shown = said(&bot, &used(&tenant, owner, "search", wrong)).await;
            assert_eq!(shown, "That is neither a Discord id nor a Steam id.");
        }
        test.finish().await;
    }

    async fn names_are_shown_as_plain_text(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let bot = test.platform_bot().await;
        let request = LinkRequest { guild: tenant.guild.clone(), discord_id: discord(1), steam_id: steam(1), country: None };
        // Nothing in a name turns what stands after it around.
        let names = ("@everyone <@1>".to_owned(), "**x** [a](http://b) `c` ||d||\u{202e}\u{2066}".to_owned());
        links::link_named(&test.app, tenant.scope, request, names.0, names.1, Actor::System).await.unwrap();
        let shown = ask(&bot, &used(&tenant, 900_001, "whois", about(1))).await;
        let fields = shown["embeds"][0]["fields"].clone();
        assert_eq!(fields[0]["value"], format!("<@{0}> \\@everyone \\<\\@1\\>\n{0}", discord(1)));
        let plain = r"\*\*x\*\* \[a\]\(http\:\/\/b\) \`c\` \|\|d\|\|";
        assert_eq!(fields[1]["value"], format!("{plain} ({})", steam(1)));
        let status = said(&bot, &used(&tenant, 1, "linkstatus", json!({}))).await;
        assert!(status.contains(plain), "{status}");
        test.finish().await;
    }

    async fn whoever_is_blocked_is_told_so_and_changes_nothing(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let bot = test.platform_bot().await;
        test.member(&tenant, 20, Permission::ALL).await;
        tenant.link(&test.app, 1).await;
        for number in [1, 20] {
            let request = BlockRequest { entry: BlockEntry::discord(&discord(number)), discord_id: None, reason: "x".to_owned(), days: None };
            blocklist::block(&test.app, request, Actor::Operator).await.unwrap();
        }
        for command in Command::ALL {
            for user in [1, 20] {
                let options = json!({ "user": discord(1).as_str(), "id": steam(1).as_str() });
                let told = said(&bot, &used(&tenant, user, command.name(), options)).await;
                assert_eq!(told, "You are blocked. Write to whoever runs this service.", "{command:?}");
            }
        }
        assert_eq!(test.db.count("links WHERE ended_at IS NULL").await, 1);
        test.finish().await;
    }

    async fn whatever_is_used_is_answered_by_whichever_bot_hears_it(engine) {
        let test = TestApp::start(engine).await;
        let (tenant, other) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await);
        let shared = test.platform_bot().await;
        let own = test.dedicated_bot(&tenant, &discord(77)).await;
        let online = json!({ "instance": "00000000000000bb", "state": "online" });
        assert_eq!(own.post("/bot/session", &online.to_string()).await.status, 200);
        for bot in [&shared, &own] {
            assert_eq!(said(bot, &used(&tenant, 1, "linkstatus", json!({}))).await, "You are not linked here.");
            let mut button = used(&tenant, 1, "of-another-version", json!({ "more": "1" }));
            assert_eq!(said(bot, &button).await, "This is not known here any more.");
            button["kind"] = "button".into();
            assert_eq!(said(bot, &button).await, "This is not known here any more.");
        }
        let elsewhere = used(&other, 1, "link", json!({}));
        assert_eq!(said(&own, &elsewhere).await, "This Discord server is not set up for linking.", "another's Guild");
        let mut nowhere = used(&tenant, 1, "link", json!({}));
        nowhere["discord_guild_id"] = "123456789012345678".into();
        assert_eq!(said(&shared, &nowhere).await, "This Discord server is not set up for linking.");
        for field in ["id", "discord_guild_id", "channel_id", "user_id"] {
            let mut wrong = used(&tenant, 1, "link", json!({}));
            wrong[field] = "x".into();
            let refused = shared.post("/bot/interactions", &wrong.to_string()).await;
            assert_eq!((refused.status.as_u16(), refused.code().as_str()), (400, "INVALID_PARAMETER"), "{field}");
        }
        test.finish().await;
    }

    async fn answers_come_in_the_language_of_whoever_asks(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let bot = test.platform_bot().await;
        for (locale, text) in [
            ("de", "Du bist hier nicht verknüpft."),
            ("pt-BR", "Você não está vinculado aqui."),
            ("ja", "You are not linked here."),
        ] {
            let mut asked = used(&tenant, 1, "linkstatus", json!({}));
            asked["locale"] = locale.into();
            assert_eq!(said(&bot, &asked).await, text);
        }
        test.finish().await;
    }

    async fn one_person_cannot_use_up_what_the_bot_may_ask(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let bot = test.platform_bot().await;
        for _ in 0..60 {
            assert_eq!(said(&bot, &used(&tenant, 1, "linkstatus", json!({}))).await, "You are not linked here.");
        }
        assert_eq!(said(&bot, &used(&tenant, 1, "linkstatus", json!({}))).await, "That was too fast. Wait a moment.");
        assert_eq!(said(&bot, &used(&tenant, 2, "linkstatus", json!({}))).await, "You are not linked here.");
        test.clock.advance_ms(1_000);
        assert_eq!(said(&bot, &used(&tenant, 1, "linkstatus", json!({}))).await, "You are not linked here.");
        test.finish().await;
    }

    async fn the_panel_is_posted_once_in_the_language_of_the_discord_server(engine) {
        let stage = Stage::set(engine).await;
        let (tenant, owner) = (&stage.tenant, 900_001);
        let bot = stage.test.platform_bot().await;
        let mut asked = used(tenant, owner, "panel", json!({}));
        asked["guild_locale"] = "fr".into();
        for _ in 0..2 {
            assert_eq!(said(&bot, &asked).await, "The panel is posted.");
        }
        let channel = log_channel(&tenant.discord_guild).as_str().parse().unwrap();
        let posted = stage.discord.state().messages.get(&channel).cloned().unwrap_or_default();
        assert_eq!(posted.len(), 1);
        assert_eq!(posted[0].embeds[0]["title"], "Associez votre compte Steam");
        // Discord numbers what it was sent.
        let button = json!({ "id": 2, "type": 2, "style": 3, "label": "Vérifier", "custom_id": "verify" });
        assert_eq!(json!(posted[0].components), json!([{ "id": 1, "type": 1, "components": [button] }]));
        stage.discord.hub().add_fault(Fault::new(POST, FaultKind::Error403).times(2));
        let asked = used(tenant, owner, "panel", json!({}));
        for _ in 0..2 {
            let refused = said(&bot, &asked).await;
            assert_eq!(refused, "I cannot post here. Let me view this channel, send messages and embed links.");
        }
        let other = stage.test.tenant(2, Tier::Free).await;
        testkit::add_guild(&stage.discord, &other.discord_guild, "Guild 2");
        let mut foreign = used(tenant, owner, "panel", json!({}));
        foreign["channel_id"] = log_channel(&other.discord_guild).as_str().into();
        let refused = said(&bot, &foreign).await;
        assert_eq!(refused, "I cannot post here. Let me view this channel, send messages and embed links.", "another's");
        stage.discord.hub().add_fault(Fault::new(POST, FaultKind::Error500).times(1));
        assert_eq!(said(&bot, &used(tenant, owner, "panel", json!({}))).await, "Discord did not answer. Try again in a minute.");
        stage.finish().await;
    }
}

#[tokio::test]
async fn an_answer_takes_one_look_at_each_table() {
    let test = TestApp::start(Engine::Sqlite).await;
    let tenant = test.tenant(1, Tier::Free).await;
    let bot = test.platform_bot().await;
    let whois = used(&tenant, 900_001, "whois", about(1));
    ask(&bot, &whois).await;
    let of = |name: &str| {
        let found = catalogue::statements().find(|statement| statement.name() == name);
        test.db.db.times_run(found.unwrap()).unwrap_or(0)
    };
    let names = [
        "storage::bots::register::HOLDER",
        "storage::bots::guild_lists::BY_DISCORD",
        "storage::identity::blocklist::ANY_OF",
        "storage::tenancy::team::BY_DISCORD",
        "storage::linking::lookups::BY_DISCORD",
    ];
    let before = names.map(of);
    ask(&bot, &whois).await;
    for (name, before) in names.iter().zip(before) {
        assert_eq!(of(name) - before, 1, "{name}");
    }
    test.finish().await;
}
