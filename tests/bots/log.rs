//! Messages to the log channel of a Guild, as they stand in the emulated Discord server.

use std::sync::Arc;

use app::bots::log::LogProblem;
use app::linking::links::{self, LinkRequest};
use domain::audit::Actor;
use domain::id::AccountId;
use domain::link::{Country, UnlinkCause};
use domain::plan::Tier;
use domain::platform_id::{DiscordId, EitherId};
use emulator::discord::{Message, Permissions, Snowflake};
use emulator::{Fault, FaultKind};
use platform::discord::rest::Asking;
use serde_json::{Value, json};
use storage::bots::{guild_bots, log_batches};
use testkit::{Engine, Tenant, both_databases, discord, log_channel, steam};
use web::metrics::More as MoreMetrics;

use crate::linking::stage::Stage;

pub const POST: &str = "POST /api/v10/channels/{channel}/messages";
pub const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;

pub fn snowflake(id: &DiscordId) -> Snowflake {
    id.as_str().parse().unwrap()
}

/// What was posted for a tenant, oldest first.
pub fn posted(stage: &Stage, tenant: &Tenant) -> Vec<Message> {
    let channel = snowflake(&log_channel(&tenant.discord_guild));
    let state = stage.discord.state();
    state.messages.get(&channel).cloned().unwrap_or_default()
}

/// The embeds of all messages, in order.
pub fn told(stage: &Stage, tenant: &Tenant) -> Vec<Value> {
    let messages = posted(stage, tenant);
    messages.into_iter().flat_map(|message| message.embeds).collect()
}

fn fields(embed: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let fields = embed["fields"].as_array().unwrap().iter();
    fields
        .map(|field| (text(&field["name"]), text(&field["value"])))
        .collect()
}

fn expected(fields: &[(&str, &str)]) -> Vec<(String, String)> {
    fields
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

/// Titles with the number of the player they are about.
pub fn short(embeds: &[Value]) -> Vec<String> {
    let line = |embed: &Value| {
        let id = fields(embed)
            .into_iter()
            .find(|(name, _)| name == "Discord ID")
            .map(|(_, id)| id);
        format!(
            "{} {}",
            embed["title"].as_str().unwrap(),
            id.unwrap_or_default().trim_start_matches("7000000000000000")
        )
    };
    embeds.iter().map(line).collect()
}

pub async fn link(stage: &Stage, number: u64, name: &str) {
    let request = LinkRequest {
        guild: stage.tenant.guild.clone(),
        discord_id: discord(number),
        steam_id: steam(number),
        country: Country::parse("DE").ok(),
    };
    let (app, scope) = (&stage.test.app, stage.tenant.scope);
    let linked = links::link_named(
        app,
        scope,
        request,
        name.to_owned(),
        "Ada *the* 1st".to_owned(),
        Actor::Player,
    )
    .await;
    linked.expect("a link");
}

async fn unlink(stage: &Stage, number: u64, cause: UnlinkCause, actor: Actor) {
    let (app, scope, guild) = (&stage.test.app, stage.tenant.scope, stage.tenant.guild.clone());
    let either = EitherId::Discord(discord(number));
    let ended = links::unlink(app, scope, guild, either, cause, actor).await;
    ended.expect("an answer").expect("a link");
}

pub async fn guild_num(stage: &Stage) -> storage::GuildNum {
    let guild =
        storage::tenancy::guilds::find(&stage.test.db.db, stage.tenant.scope, &stage.tenant.guild).await;
    guild.expect("a look").expect("a Guild").num
}

pub async fn problem(stage: &Stage) -> Option<String> {
    let (db, scope) = (&stage.test.db.db, stage.tenant.scope);
    let found = guild_bots::find(db, scope, guild_num(stage).await)
        .await
        .expect("a look");
    found.and_then(|bot| bot.log_problem).map(|(problem, _)| problem)
}

/// What operators see.
pub fn numbers(stage: &Stage) -> String {
    web::metrics::render(&stage.test.app, &(Arc::new(|_: &mut _| {}) as MoreMetrics))
}

pub async fn stage(engine: Engine) -> Stage {
    Stage::with_tier(engine, Tier::Free).await
}

both_databases! {
    async fn a_link_and_its_end_are_told_field_by_field(engine) {
        let stage = stage(engine).await;
        link(&stage, 1, "@everyone").await;
        stage.test.drain_jobs().await;
        stage.test.clock.advance_ms(3 * DAY_MS + 2 * 60 * MINUTE_MS);
        unlink(&stage, 1, UnlinkCause::User, Actor::Player).await;
        stage.test.drain_jobs().await;
        let messages = posted(&stage, &stage.tenant);
        assert_eq!(messages.len(), 2);
        for message in &messages {
            assert_eq!((message.content.as_str(), &message.allowed_mentions), ("", &Some(json!({ "parse": [] }))));
            assert!(message.nonce.is_some());
        }
        let [green, red] = [&messages[0].embeds[0], &messages[1].embeds[0]];
        let pair = [
            ("Discord ID", "700000000000000001"),
            ("Mention", "<@700000000000000001>"),
            ("Discord name", r"\@everyone"),
            ("Steam name", r"Ada \*the\* 1st"),
            ("Steam profile", "https://steamcommunity.com/profiles/76561197960265729"),
        ];
        assert_eq!((&green["title"], &green["color"]), (&json!("Linked"), &json!(0x2E_CC71)));
        assert_eq!(green["timestamp"], "2026-01-01T00:00:00Z");
        assert_eq!(fields(green), [expected(&pair), expected(&[("Country", "DE")])].concat());
        assert_eq!((&red["title"], &red["color"]), (&json!("Unlinked"), &json!(0xE7_4C3C)));
        assert_eq!(red["timestamp"], "2026-01-04T02:00:00Z");
        let end = expected(&[("Cause", "user"), ("Linked for", "3 days 2 hours")]);
        assert_eq!(fields(red), [end, expected(&pair)].concat());
        stage.finish().await;
    }

    async fn each_cause_is_told_and_who_did_it_where_that_is_a_member_or_a_server(engine) {
        let stage = stage(engine).await;
        let owner = stage.tenant.owner.id.clone();
        let nobody = AccountId::generate(1, &*stage.test.app.random);
        for (number, cause, actor, by) in [
            (1, UnlinkCause::User, Some(Actor::Player), None),
            (2, UnlinkCause::Admin, Some(Actor::Account(owner)), Some(("By", "Person 900001"))),
            (3, UnlinkCause::Plugin, None, Some(("By Server", "Server 1"))),
            (4, UnlinkCause::ZombieCleanup, Some(Actor::System), None),
            (5, UnlinkCause::Admin, Some(Actor::Account(nobody)), None),
        ] {
            link(&stage, number, "Ada").await;
            match actor {
                Some(actor) => unlink(&stage, number, cause, actor).await,
                None => {
                    let plugin = stage.test.plugin(&stage.tenant.key);
                    let reply = plugin.get(&format!("/api?action=remove&id={}", discord(number))).await;
                    assert_eq!(reply.status, 200);
                }
            }
            stage.test.drain_jobs().await;
            let embeds = told(&stage, &stage.tenant);
            let found = fields(embeds.last().unwrap());
            let mut head = vec![("Cause", cause.as_str()), ("Linked for", "less than a minute")];
            head.extend(by);
            assert_eq!(found[..head.len()], expected(&head));
            assert_eq!(found.len(), head.len() + 5, "{cause}");
        }
        stage.finish().await;
    }

    async fn a_relink_tells_the_end_first_and_a_second_verify_tells_nothing(engine) {
        let stage = stage(engine).await;
        stage.tenant.link_pair(&stage.test.app, 1, 1).await.unwrap();
        stage.tenant.link_pair(&stage.test.app, 1, 1).await.unwrap();
        stage.tenant.link_pair(&stage.test.app, 2, 1).await.unwrap();
        stage.test.drain_jobs().await;
        let embeds = told(&stage, &stage.tenant);
        assert_eq!(short(&embeds), ["Linked 01", "Unlinked 01", "Linked 02"]);
        assert_eq!(fields(&embeds[1])[0], ("Cause".to_owned(), "relink".to_owned()));
        assert_eq!(posted(&stage, &stage.tenant).len(), 1, "they travel together");
        stage.finish().await;
    }

    async fn what_waited_arrives_in_order_ten_in_a_message(engine) {
        let stage = stage(engine).await;
        stage.discord.hub().add_fault(Fault::new(POST, FaultKind::Error500));
        for number in 1..=12 {
            stage.tenant.link(&stage.test.app, number).await;
            unlink(&stage, number, UnlinkCause::User, Actor::Player).await;
        }
        stage.test.drain_jobs().await;
        assert!(posted(&stage, &stage.tenant).is_empty());
        stage.discord.hub().remove_faults();
        stage.test.clock.advance_ms(10 * MINUTE_MS);
        stage.test.drain_jobs().await;
        let expected: Vec<String> =
            (1..=12).flat_map(|number| [format!("Linked {number:02}"), format!("Unlinked {number:02}")]).collect();
        assert_eq!(short(&told(&stage, &stage.tenant)), expected);
        assert_eq!(posted(&stage, &stage.tenant).len(), 3);
        stage.finish().await;
    }

    async fn a_kill_between_sending_and_noting_it_makes_no_second_message(engine) {
        let stage = stage(engine).await;
        stage.tenant.link(&stage.test.app, 1).await;
        stage.discord.hub().add_fault(Fault::new(POST, FaultKind::Error500));
        stage.test.drain_jobs().await;
        stage.discord.hub().remove_faults();
        // The process posts what it stored, and is gone before it can note that.
        let batch = log_batches::find(&stage.test.db.db, stage.tenant.scope, guild_num(&stage).await).await;
        let batch = batch.expect("a look").expect("a message that is about to be sent");
        let (bot, guild) = (stage.test.app.platforms.discord_bot.as_ref().unwrap(), &stage.tenant.discord_guild);
        let asking = Asking::in_background(1, guild);
        let message = serde_json::from_str(&batch.body).unwrap();
        bot.post(asking, &log_channel(guild), message, batch.num).await.expect("a message");
        // More came meanwhile: what may be there is sent again as it was.
        stage.tenant.link(&stage.test.app, 2).await;
        stage.test.clock.advance_ms(10_000);
        stage.test.drain_jobs().await;
        assert_eq!(short(&told(&stage, &stage.tenant)), ["Linked 01", "Linked 02"]);
        let messages = posted(&stage, &stage.tenant);
        assert_eq!((messages.len(), messages[0].nonce.clone()), (2, Some(batch.num.to_string())));
        stage.finish().await;
    }

    async fn a_node_that_does_not_work_for_the_bot_leaves_messages_to_the_one_that_does(engine) {
        let stage = stage(engine).await;
        let bot = stage.test.app.platforms.discord_bot.as_ref().unwrap();
        bot.lead(false);
        link(&stage, 1, "Ada").await;
        stage.test.drain_jobs().await;
        assert_eq!(short(&told(&stage, &stage.tenant)), Vec::<String>::new());
        bot.lead(true);
        stage.test.drain_jobs().await;
        assert_eq!(short(&told(&stage, &stage.tenant)), ["Linked 01"]);
        stage.finish().await;
    }

    async fn what_can_never_arrive_is_dropped_and_said(engine) {
        let stage = stage(engine).await;
        let guild = snowflake(&stage.tenant.discord_guild);
        let channel = snowflake(&log_channel(&stage.tenant.discord_guild));
        let allow = |permissions: Permissions| {
            let changed = stage.discord.change(|state| {
                let guild = state.guilds.get_mut(&guild).unwrap();
                guild.owner_id = None;
                guild.roles.values_mut().for_each(|role| role.permissions = permissions);
            });
            changed.expect("permissions");
        };
        let mut number = 0;
        for (permissions, problem_then) in [
            (Permissions::VIEW_CHANNEL, LogProblem::NoPermission),
            (Permissions::SEND_MESSAGES, LogProblem::NoAccess),
        ] {
            allow(permissions);
            for _ in 0..12 {
                number += 1;
                stage.tenant.link(&stage.test.app, number).await;
            }
            stage.test.drain_jobs().await;
            assert_eq!(problem(&stage).await.as_deref(), Some(problem_then.as_str()));
            assert_eq!(stage.count("jobs").await, 2, "ten are dropped and the others rest");
            stage.test.clock.advance_ms(10 * MINUTE_MS - 1);
            stage.test.drain_jobs().await;
            assert_eq!(stage.count("jobs").await, 2);
            allow(Permissions::ALL);
            stage.test.clock.advance_ms(1);
            stage.test.drain_jobs().await;
            assert_eq!((stage.count("jobs").await, problem(&stage).await), (0, None), "it works again");
        }
        assert_eq!(told(&stage, &stage.tenant).len(), 4);
        let removed = stage.discord.change(|state| state.guilds.get_mut(&guild).unwrap().channels.remove(&channel));
        removed.expect("no channel");
        stage.tenant.link(&stage.test.app, 25).await;
        stage.test.drain_jobs().await;
        assert_eq!(problem(&stage).await.as_deref(), Some("unknown_channel"));
        stage.finish().await;
    }

    async fn a_channel_of_another_discord_server_gets_nothing(engine) {
        let stage = stage(engine).await;
        let other = stage.test.tenant(2, Tier::Free).await;
        testkit::add_guild(&stage.discord, &other.discord_guild, "Guild 2");
        let foreign = log_channel(&other.discord_guild);
        let sets = format!("UPDATE guilds SET log_channel_id = '{foreign}' WHERE id = '{}'", stage.tenant.guild);
        stage.test.db.damage(&sets).await;
        stage.tenant.link(&stage.test.app, 1).await;
        stage.test.drain_jobs().await;
        assert_eq!(problem(&stage).await.as_deref(), Some("other_server"));
        assert!(posted(&stage, &other).is_empty() && stage.discord.hub().count(POST) == 0);
        stage.finish().await;
    }

    async fn a_channel_that_is_taken_away_ends_what_waits(engine) {
        let stage = stage(engine).await;
        stage.discord.hub().add_fault(Fault::new(POST, FaultKind::Error500));
        stage.tenant.link(&stage.test.app, 1).await;
        stage.test.drain_jobs().await;
        let sets = format!("UPDATE guilds SET log_channel_id = NULL WHERE id = '{}'", stage.tenant.guild);
        stage.test.db.damage(&sets).await;
        stage.discord.hub().remove_faults();
        stage.test.clock.advance_ms(MINUTE_MS);
        stage.tenant.link(&stage.test.app, 2).await;
        stage.test.drain_jobs().await;
        assert_eq!((stage.count("jobs").await, stage.count("log_batches").await), (0, 0));
        assert!(posted(&stage, &stage.tenant).is_empty());
        stage.finish().await;
    }

    async fn messages_wait_for_discord_for_a_day_and_are_dropped_then(engine) {
        let stage = stage(engine).await;
        stage.discord.hub().add_fault(Fault::new(POST, FaultKind::Error500));
        stage.tenant.link(&stage.test.app, 1).await;
        for _ in 0..23 {
            stage.test.drain_jobs().await;
            stage.test.clock.advance_ms(60 * MINUTE_MS);
        }
        stage.tenant.link(&stage.test.app, 2).await;
        stage.test.clock.advance_ms(60 * MINUTE_MS);
        stage.discord.hub().remove_faults();
        stage.test.drain_jobs().await;
        let line = r#"symbolon_jobs_total{kind="log.linked",outcome="dropped"} 1"#;
        let metrics = numbers(&stage);
        assert!(metrics.lines().any(|shown| shown == line), "{metrics}");
        assert_eq!(short(&told(&stage, &stage.tenant)), ["Linked 02"]);
        stage.finish().await;
    }

    async fn changes_beyond_what_may_wait_are_told_in_sum(engine) {
        let stage = stage(engine).await;
        stage.tenant.link(&stage.test.app, 1).await;
        let (app, scope, guild) = (&stage.test.app, stage.tenant.scope, stage.tenant.guild.clone());
        let work = More { guild, times: 37 };
        app.db.write_for(scope, work).await.expect("jobs");
        stage.test.drain_jobs().await;
        let embeds = told(&stage, &stage.tenant);
        assert_eq!((&embeds[0]["title"], &embeds[1]["title"]), (&json!("Linked"), &json!("37 more changes")));
        assert_eq!((embeds.len(), stage.count("jobs").await), (2, 0));
        stage.finish().await;
    }
}

/// Leaves the job that counts changes.
struct More {
    guild: domain::id::GuildId,
    times: u32,
}

impl storage::Work for More {
    type For = app::OrgScope;
    type Output = ();
    type Error = app::AppError;
    const NAME: &'static str = "more";

    async fn run(&self, tx: &mut storage::Tx<'_>, &scope: &app::OrgScope) -> Result<(), app::AppError> {
        let job = domain::job::Job::LogMore {
            guild: self.guild.clone(),
        };
        storage::jobs::enqueue_counted(tx, scope, &job, 1, 0).await?;
        for _ in 1..self.times {
            storage::jobs::enqueue(tx, scope, &job, 0).await?;
        }
        Ok(())
    }
}
