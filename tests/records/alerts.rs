//! Operators are told of failures that nobody handled: once, not too often, and never because of the telling itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use app::background;
use app::memories::alerts::{AlertEnd, MOST_WAITING, Place};
use app::records::alerts;
use app::{App, Parts, Platforms};
use axum::Router;
use axum::routing::get;
use domain::clock::{SharedClock, TestClock};
use domain::plan::Tier;
use domain::platform_id::DiscordId;
use emulator::discord::{Message, Snowflake, Webhook as KnownWebhook};
use emulator::{Discord, Fault, FaultKind};
use platform::discord::{AlertSink, Outgoing, Webhook};
use storage::Db;
use testkit::{Client, Engine, TestApp, add_guild, both_databases, log_channel, start_discord, wait_until};
use web::Edge;

const WEBHOOK: &str = "600000000000000777";
const TOKEN: &str = "MARKED-ALERT-WEBHOOK-TOKEN";
const ROUTE: &str = "POST /api/v10/webhooks/{application}/{token}";
const TEN_MINUTES_MS: i64 = 10 * 60_000;
const HOUR_MS: i64 = 60 * 60_000;

/// Two nodes, a Discord, and a channel of the operators' on it.
pub struct Ops {
    pub test: TestApp,
    pub other: App,
    pub discord: Discord,
    discord_clock: Arc<TestClock>,
    channel: DiscordId,
}

impl Ops {
    pub async fn start(engine: Engine) -> Ops {
        let (discord, discord_clock) = start_discord().await;
        let guild = DiscordId::parse("700000000000000001").unwrap();
        add_guild(&discord, &guild, "Operators");
        let channel = log_channel(&guild);
        let webhook = KnownWebhook {
            channel_id: snowflake(channel.as_str()),
            name: "alerts".to_owned(),
            token: TOKEN.to_owned(),
        };
        let changed = discord.change(|state| state.webhooks.insert(snowflake(WEBHOOK), webhook));
        changed.expect("a webhook");
        let of_node = |clock| Platforms {
            alerts: Some(sink(&discord, clock)),
            ..Platforms::default()
        };
        let test = TestApp::start_among(engine, |_| {}, |_| {}, of_node).await;
        let db = match engine {
            Engine::Sqlite => test.db.db.clone(),
            Engine::Postgres => Db::open(test.db.options()).await.expect("a second node"),
        };
        let parts = Parts {
            db,
            platforms: of_node(Arc::clone(&test.clock) as SharedClock),
            ..test.parts()
        };
        let other = App::start(parts).await.expect("a second application");
        Ops {
            test,
            other,
            discord,
            discord_clock,
            channel,
        }
    }

    /// What stands in the channel, oldest first.
    pub fn messages(&self) -> Vec<Message> {
        let state = self.discord.state();
        let messages = state.messages.get(&snowflake(self.channel.as_str()));
        messages.cloned().unwrap_or_default()
    }

    /// Title and text of each.
    pub fn texts(&self) -> Vec<(String, String)> {
        let text = |message: &Message, name: &str| message.embeds[0][name].as_str().unwrap().to_owned();
        let messages = self.messages();
        let texts = messages
            .iter()
            .map(|message| (text(message, "title"), text(message, "description")));
        texts.collect()
    }

    /// As both nodes do every few seconds.
    pub async fn flush(&self) {
        alerts::flush(&self.test.app).await;
        alerts::flush(&self.other).await;
    }

    /// The time of everybody.
    pub fn advance_ms(&self, ms: i64) {
        self.test.clock.advance_ms(ms);
        self.discord_clock.advance_ms(ms);
    }

    pub async fn finish(self, engine: Engine) {
        if engine == Engine::Postgres {
            self.other.db.close().await;
        }
        drop(self.other);
        self.test.finish().await;
    }
}

fn sink(discord: &Discord, clock: SharedClock) -> AlertSink {
    let address = format!("{}/webhooks/{WEBHOOK}/{TOKEN}", discord.api_url());
    let webhook = Webhook::new(&discord.api_url(), &address.into(), clock).expect("a client");
    AlertSink::Webhook(Box::new(webhook))
}

fn snowflake(text: &str) -> Snowflake {
    text.parse().expect("an id")
}

/// Names that nothing had before.
pub fn made_up(number: usize) -> &'static str {
    Box::leak(format!("made_up_{number}").into_boxed_str())
}

async fn panicking() -> &'static str {
    panic!("on purpose, with 600000000000000042 in it")
}

/// A page of the product whose handler has a mistake.
pub fn with_a_mistake(test: &TestApp) -> Client {
    let router = Router::new()
        .route("/docs/errors", get(panicking))
        .route("/docs", get(|| async { "fine" }));
    test.client_of(Edge::new(router, test.state.clone()))
}

both_databases! {
    async fn a_failure_that_nobody_handled_is_told_once_in_ten_minutes_by_all_nodes_together(engine) {
        let ops = Ops::start(engine).await;
        let page = with_a_mistake(&ops.test);
        let first = page.get("/docs/errors?name=Somebody").await;
        assert_eq!(first.status, 500);
        for _ in 0..2 {
            page.get("/docs/errors").await;
        }
        alerts::note(&ops.other, "INTERNAL", Place::Route("/docs/errors"), None);
        ops.flush().await;
        ops.flush().await;
        let texts = ops.texts();
        assert_eq!(texts.len(), 1, "{texts:?}");
        let (title, text) = &texts[0];
        assert_eq!(title, "INTERNAL");
        assert!(text.starts_with("At route \\/docs\\/errors, 3 times."), "{text}");
        let id = first.header("x-request-id").unwrap().replace('_', "\\_");
        assert!(text.contains(&id) && text.contains("/app/admin/errors"), "{text}");
        for secret in ["purpose", "600000000000000042", "Somebody", TOKEN] {
            assert!(!text.contains(secret), "{text}");
        }
        assert_eq!(ops.messages()[0].allowed_mentions, Some(serde_json::json!({ "parse": [] })));

        ops.advance_ms(TEN_MINUTES_MS - 1);
        page.get("/docs/errors").await;
        ops.flush().await;
        assert_eq!(ops.texts().len(), 1, "it is still quiet");
        ops.advance_ms(1);
        alerts::note(&ops.other, "INTERNAL", Place::Route("/docs/errors"), None);
        ops.flush().await;
        let texts = ops.texts();
        assert_eq!(texts.len(), 2, "{texts:?}");
        assert!(texts[1].1.contains("3 times"), "those that were only counted: {texts:?}");
        ops.finish(engine).await;
    }

    async fn panics_in_the_background_and_jobs_that_are_given_up_are_told(engine) {
        let ops = Ops::start(engine).await;
        let app = &ops.test.app;
        let panicked = Arc::new(AtomicBool::new(false));
        app.tasks.supervise("on purpose", move || {
            let panicked = Arc::clone(&panicked);
            async move { assert!(panicked.swap(true, Ordering::SeqCst), "on purpose, once") }
        });
        wait_until("the panic was seen", || async {
            ops.flush().await;
            !ops.texts().is_empty()
        })
        .await;
        assert_eq!(ops.texts()[0].0, "PANICKED");
        assert!(ops.texts()[0].1.starts_with("At task on purpose"), "{:?}", ops.texts());
        let tenant = ops.test.tenant(1, Tier::Pro).await;
        crate::jobs::stage::tell(app, &tenant, 1).await;
        ops.advance_ms(25 * HOUR_MS);
        let given_up = crate::jobs::stage::engine(app, crate::jobs::stage::worker(|_, _| panic!("not begun")));
        given_up.drain().await.unwrap();
        alerts::flush(&ops.other).await;
        alerts::flush(app).await;
        let texts = ops.texts();
        let told = texts.iter().find(|(title, _)| title == "GIVEN\\_UP").expect("it is told");
        assert!(told.1.starts_with("At job log\\.linked, once."), "{told:?}");
        ops.finish(engine).await;
    }

    async fn more_than_twenty_in_an_hour_open_the_breaker_which_says_so_once(engine) {
        let ops = Ops::start(engine).await;
        for number in 0..30 {
            let app = if number % 2 == 0 { &ops.test.app } else { &ops.other };
            alerts::note(app, "INTERNAL", Place::Task(made_up(number)), None);
            ops.flush().await;
        }
        let texts = ops.texts();
        assert_eq!(texts.len(), 21, "{texts:?}");
        let (notices, told): (Vec<_>, Vec<_>) = texts.iter().partition(|(title, _)| title == "Too many alerts");
        assert_eq!((notices.len(), told.len()), (1, 20));
        assert!(notices[0].1.contains("/app/admin/errors"), "{notices:?}");

        ops.advance_ms(HOUR_MS - 1);
        alerts::note(&ops.other, "INTERNAL", Place::Task(made_up(99)), None);
        ops.flush().await;
        assert_eq!(ops.texts().len(), 21, "it is still open");
        ops.advance_ms(1);
        alerts::note(&ops.test.app, "INTERNAL", Place::Task(made_up(99)), None);
        ops.flush().await;
        let texts = ops.texts();
        assert!(texts.len() == 22 && texts[21].1.contains("2 times"), "{texts:?}");
        let held = |app: &App| app.memories.alerts.counted(AlertEnd::Held);
        assert_eq!(held(&ops.test.app) + held(&ops.other), 11);
        ops.finish(engine).await;
    }

    async fn a_sink_that_is_down_leads_to_no_alert_about_itself_and_keeps_nothing_but_rows(engine) {
        let ops = Ops::start(engine).await;
        ops.discord.hub().add_fault(Fault::new(ROUTE, FaultKind::Error500).times(1_000_000));
        for round in 0..200 {
            alerts::note(&ops.test.app, "INTERNAL", Place::Route("/docs"), Some("req_1"));
            alerts::note(&ops.other, "INTERNAL", Place::Task(made_up(round % 3)), None);
            ops.advance_ms(5_000);
            ops.flush().await;
            assert!(ops.test.app.memories.alerts.is_empty() && ops.other.memories.alerts.is_empty());
        }
        assert_eq!(ops.messages().len(), 0);
        assert_eq!(ops.test.db.count("operator_alerts").await, 4, "what failed, and nothing about the failing");
        let failed = |app: &App| app.memories.alerts.counted(AlertEnd::Failed);
        assert!(failed(&ops.test.app) + failed(&ops.other) > 0);
        assert!(ops.test.app.memories.alerts.trouble().is_some());
        let groups = ops.test.db.count("error_log").await;
        background::flush_errors(&ops.test.app).await.unwrap();
        assert_eq!(ops.test.db.count("error_log").await, groups, "it is no failed request either");

        ops.discord.hub().remove_faults();
        wait_until("Discord is asked again", || async {
            ops.advance_ms(60_000);
            ops.flush().await;
            ops.test.db.count("operator_alerts WHERE due_at IS NOT NULL").await == 0
        })
        .await;
        let texts = ops.texts();
        assert!((1..=4).contains(&texts.len()), "each arrives once: {texts:?}");
        ops.finish(engine).await;
    }

    async fn what_could_not_be_sent_for_an_hour_is_given_up_and_counted(engine) {
        let ops = Ops::start(engine).await;
        ops.discord.hub().add_fault(Fault::new(ROUTE, FaultKind::Error500).times(1_000_000));
        alerts::note(&ops.test.app, "INTERNAL", Place::Route("/docs"), None);
        ops.flush().await;
        ops.advance_ms(HOUR_MS);
        ops.flush().await;
        assert_eq!(ops.test.db.count("operator_alerts WHERE due_at IS NOT NULL").await, 0);
        let expired = |app: &App| app.memories.alerts.counted(AlertEnd::Expired);
        assert_eq!(expired(&ops.test.app) + expired(&ops.other), 1);
        ops.discord.hub().remove_faults();
        ops.advance_ms(HOUR_MS);
        ops.flush().await;
        assert_eq!(ops.messages().len(), 0);
        ops.advance_ms(25 * HOUR_MS);
        background::keep_house(&ops.test.app).await.unwrap();
        assert_eq!(ops.test.db.count("operator_alerts").await, 0, "it is forgotten after a day");
        ops.finish(engine).await;
    }

    async fn two_nodes_send_a_message_once(engine) {
        let ops = Ops::start(engine).await;
        for number in 0..10 {
            alerts::note(&ops.test.app, "INTERNAL", Place::Task(made_up(number)), None);
            alerts::note(&ops.other, "INTERNAL", Place::Task(made_up(number)), None);
            tokio::join!(alerts::flush(&ops.test.app), alerts::flush(&ops.other));
        }
        ops.flush().await;
        assert_eq!(ops.texts().len(), 10, "{:?}", ops.texts());
        ops.finish(engine).await;
    }

    async fn what_is_refused_on_purpose_is_not_told(engine) {
        let ops = Ops::start(engine).await;
        for path in ["/nothing", "/api?action=count", "/orgs", "/auth/discord/login", "/link/x"] {
            let reply = ops.test.client().get(path).await;
            assert_ne!(reply.status, 500, "{path}");
            assert!(reply.status.as_u16() >= 400, "{path}");
        }
        assert!(ops.test.app.memories.alerts.is_empty());
        ops.finish(engine).await;
    }

    async fn where_nobody_is_to_be_told_nothing_is_kept(engine) {
        let test = TestApp::start(engine).await;
        with_a_mistake(&test).get("/docs/errors").await;
        assert!(test.app.memories.alerts.is_empty());
        alerts::flush(&test.app).await;
        assert_eq!(test.db.count("operator_alerts").await, 0);
        test.finish().await;
    }

    async fn different_failures_beyond_the_bound_are_counted_and_left_out(engine) {
        let ops = Ops::start(engine).await;
        for number in 0..MOST_WAITING + 50 {
            alerts::note(&ops.test.app, "INTERNAL", Place::Task(made_up(number)), None);
        }
        assert_eq!(ops.test.app.memories.alerts.len(), MOST_WAITING);
        assert_eq!(ops.test.app.memories.alerts.counted(AlertEnd::LeftOut), 50);
        ops.flush().await;
        assert_eq!(ops.texts().len(), 21);
        ops.finish(engine).await;
    }

    async fn the_shared_bot_posts_alerts_to_a_channel(engine) {
        let (discord, clock) = start_discord().await;
        let guild = DiscordId::parse("700000000000000001").unwrap();
        add_guild(&discord, &guild, "Operators");
        let channel = log_channel(&guild);
        let platforms = |_| Platforms {
            discord_bot: Some(testkit::bot_of(&discord, clock.clone() as SharedClock, &Outgoing::at(u32::MAX))),
            alerts: Some(AlertSink::Channel(channel.clone())),
            ..Platforms::default()
        };
        let test = TestApp::start_among(engine, |_| {}, |_| {}, platforms).await;
        with_a_mistake(&test).get("/docs/errors").await;
        alerts::flush(&test.app).await;
        let state = discord.state();
        let messages = &state.messages[&snowflake(channel.as_str())];
        assert_eq!(messages.len(), 1);
        assert_eq!((messages[0].nonce.as_deref(), messages[0].embeds[0]["title"].as_str()), (Some("1"), Some("INTERNAL")));
        test.finish().await;
    }
}
