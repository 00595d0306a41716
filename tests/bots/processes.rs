//! What a bot's process tells, and when it may begin a session.

use app::identity::accounts;
use domain::plan::Tier;
use serde_json::{Value, json};
use testkit::{Client, Reply, TestApp, both_databases, discord};

const FIRST: &str = "00000000000000aa";
const SECOND: &str = "00000000000000bb";

async fn say(bot: &Client, instance: &str, state: &str) -> Reply {
    let told = json!({
        "instance": instance, "state": state, "failure": null, "bot_user_id": "900000000000000001",
        "guilds": 3, "memory_bytes": 4_000_000, "started_ms": 1,
    });
    bot.post("/bot/session", &told.to_string()).await
}

async fn begin(bot: &Client, instance: &str, remaining: i64) -> Reply {
    let asked = json!({ "instance": instance, "remaining": remaining, "reset_after_ms": 90_000 });
    bot.post("/bot/identify", &asked.to_string()).await
}

async fn notices(test: &TestApp) -> Vec<(String, String)> {
    let operator = test.account(42).await;
    accounts::grant_operator(&test.app, operator.clone())
        .await
        .unwrap();
    let client = test.person(&test.session(&operator).await);
    let told = client.get("/admin/attention").await.json();
    let told = told["attention"].as_array().unwrap().clone();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let of_bots = told
        .iter()
        .filter(|notice| text(&notice["kind"]).starts_with("bot_"));
    of_bots
        .map(|notice| (text(&notice["kind"]), text(&notice["text"])))
        .collect()
}

fn refusal(reply: &Reply) -> (u16, String) {
    (reply.status.as_u16(), reply.code())
}

both_databases! {
    async fn the_presence_counts_the_linked_of_the_guilds_that_a_bot_serves(engine) {
        let test = TestApp::start(engine).await;
        let (one, two) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await);
        for (tenant, number) in [(&one, 1), (&one, 2), (&two, 3)] {
            tenant.link(&test.app, number).await;
        }
        let shared = test.platform_bot().await;
        assert_eq!(say(&shared, FIRST, "online").await.json(), json!({ "linked": 3, "instance_ok": true }));
        let own = test.dedicated_bot(&one, &discord(77)).await;
        assert_eq!(say(&own, FIRST, "online").await.json()["linked"], 2);
        assert_eq!(say(&shared, FIRST, "online").await.json()["linked"], 1);
        test.finish().await;
    }

    async fn a_second_process_is_refused_and_both_learn_of_it(engine) {
        let test = TestApp::start(engine).await;
        let bot = test.platform_bot().await;
        assert_eq!(say(&bot, FIRST, "online").await.status, 200);
        assert_eq!(notices(&test).await, []);
        test.clock.advance_ms(5_000);
        let refused = say(&bot, SECOND, "connecting").await;
        assert_eq!(refusal(&refused), (409, "BOT_RUNS_TWICE".to_owned()));
        assert_eq!(refused.header("retry-after"), Some("5"));
        assert_eq!(refusal(&begin(&bot, SECOND, 900).await), (409, "BOT_RUNS_TWICE".to_owned()));
        assert_eq!(say(&bot, FIRST, "online").await.json()["instance_ok"], false);
        let told = notices(&test).await;
        assert_eq!(told, [("bot_runs_twice".to_owned(), "The shared bot was started twice. Stop one of the two processes.".to_owned())]);
        // The first falls silent, and the second takes over.
        test.clock.advance_ms(15_000);
        assert_eq!(say(&bot, SECOND, "connecting").await.status, 200);
        test.finish().await;
    }

    async fn a_bot_begins_few_sessions_in_a_day(engine) {
        let test = TestApp::start(engine).await;
        let bot = test.platform_bot().await;
        assert_eq!(say(&bot, FIRST, "connecting").await.status, 200);
        let spent = begin(&bot, FIRST, 9).await;
        assert_eq!(refusal(&spent), (429, "IDENTIFY_BUDGET".to_owned()));
        assert_eq!(spent.header("retry-after"), Some("90"), "until Discord counts anew");
        for number in 1..=50 {
            let begun = begin(&bot, FIRST, 900).await;
            assert_eq!((begun.status.as_u16(), begun.text()), (200, "{}"), "{number}");
            let is_told = notices(&test).await.iter().any(|(kind, _)| kind == "bot_identifies");
            assert_eq!(is_told, number >= 20, "{number}");
        }
        let refused = begin(&bot, FIRST, 900).await;
        assert_eq!(refusal(&refused), (429, "IDENTIFY_BUDGET".to_owned()));
        // Tests begin at midnight.
        assert_eq!(refused.header("retry-after"), Some("86400"));
        test.clock.advance_ms(86_400_000);
        assert_eq!(begin(&bot, FIRST, 900).await.status, 200);
        test.finish().await;
    }

    async fn operators_learn_that_a_bot_failed_or_is_silent(engine) {
        let test = TestApp::start(engine).await;
        let bot = test.platform_bot().await;
        assert_eq!(notices(&test).await, [], "it was never started");
        assert_eq!(say(&bot, FIRST, "online").await.status, 200);
        test.clock.advance_ms(60_000);
        assert_eq!(notices(&test).await, [("bot_silent".to_owned(), "The shared bot is not running.".to_owned())]);
        let failed = json!({ "instance": FIRST, "state": "stopped", "failure": "token_rejected" });
        assert_eq!(bot.post("/bot/session", &failed.to_string()).await.status, 200);
        assert_eq!(notices(&test).await, [("bot_failed".to_owned(), "The shared bot is offline: Discord rejects its token.".to_owned())]);
        test.finish().await;
    }

    async fn operators_learn_of_a_bot_that_does_not_come_online(engine) {
        let test = TestApp::start(engine).await;
        let bot = test.platform_bot().await;
        let say = async |state: &str, failure: Value| {
            let told = json!({ "instance": FIRST, "state": state, "failure": failure });
            assert_eq!(bot.post("/bot/session", &told.to_string()).await.status, 200);
        };
        let about = async || notices(&test).await.into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        for minute in 0..10 {
            say("connecting", json!(null)).await;
            assert_eq!(about().await, Vec::<String>::new(), "{minute}");
            test.clock.advance_ms(60_000);
        }
        say("connecting", json!(null)).await;
        assert_eq!(notices(&test).await, [("bot_offline".to_owned(), "The shared bot has not been online for 10 minutes or more. Its log says why.".to_owned())]);
        for (state, failure, text) in [
            ("connecting", "unreachable", "The shared bot is offline: it cannot reach Discord."),
            ("connecting", "intents_missing", "The shared bot has not been online for 10 minutes or more. Its log says why."),
            ("stopped", "refused", "The shared bot is offline: Discord refuses its connection. Its log says why."),
            ("stopped", "sharding_required", "The shared bot is offline: it is in more Discord servers than one connection can serve."),
            ("online", "intents_missing", "The shared bot asked for the members intent, which Discord does not grant it."),
        ] {
            say(state, json!(failure)).await;
            assert_eq!(about().await, [text]);
        }
        // A connection that is made anew is no trouble yet.
        say("connecting", json!("unreachable")).await;
        assert_eq!(about().await, Vec::<String>::new());
        test.clock.advance_ms(60_000);
        assert_eq!(about().await, ["The shared bot is not running."], "whatever it said before");
        test.finish().await;
    }

    async fn what_a_process_says_is_held_against_its_form(engine) {
        let test = TestApp::start(engine).await;
        let bot = test.platform_bot().await;
        let good = json!({ "instance": FIRST, "state": "online" });
        for (field, value) in [
            ("instance", json!("short")),
            ("instance", json!("00000000000000AA")),
            ("state", json!("asleep")),
            ("failure", json!("tired")),
            ("bot_user_id", json!("me")),
            ("guilds", json!(-1)),
            ("memory_bytes", json!(-1)),
            ("started_ms", json!(-1)),
        ] {
            let mut wrong = good.clone();
            wrong[field] = value;
            let refused = bot.post("/bot/session", &wrong.to_string()).await;
            assert_eq!(refusal(&refused), (400, "INVALID_PARAMETER".to_owned()), "{wrong}");
            assert_eq!(refused.json()["parameter"], field);
        }
        let strange = json!({ "instance": FIRST, "state": "online", "more": 1 });
        assert_eq!(refusal(&bot.post("/bot/session", &strange.to_string()).await), (400, "INVALID_JSON".to_owned()));
        assert_eq!(test.db.count("bots WHERE instance IS NOT NULL").await, 0);
        test.finish().await;
    }
}
