//! What a bot hears is a hint: a job reads the facts, once for each Guild.

use domain::plan::Tier;
use serde_json::{Value, json};
use testkit::{Client, Tenant, TestApp, both_databases, discord};

use crate::secrecy::rows::{numbers, texts};

async fn tell(bot: &Client, events: &[(&str, &Tenant)]) -> u16 {
    let events: Vec<Value> = events
        .iter()
        .map(|(kind, tenant)| json!({ "kind": kind, "discord_guild_id": tenant.discord_guild.as_str() }))
        .collect();
    let told = json!({ "instance": "00000000000000aa", "events": events });
    bot.post("/bot/events", &told.to_string()).await.status.as_u16()
}

async fn looks(test: &TestApp) -> Vec<String> {
    texts(
        &test.db.db,
        "SELECT lane FROM jobs WHERE kind = 'bot.look' ORDER BY lane",
    )
    .await
}

async fn last_heard(test: &TestApp) -> Vec<i64> {
    numbers(
        &test.db.db,
        "SELECT last_event_at FROM guild_bots ORDER BY guild_num",
    )
    .await
}

both_databases! {
    async fn hints_leave_one_job_for_each_guild_and_note_when_it_was_heard_of(engine) {
        let test = TestApp::start(engine).await;
        let (one, two) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await);
        let bot = test.platform_bot().await;
        assert_eq!(tell(&bot, &[]).await, 204);
        assert_eq!(tell(&bot, &[("seen", &one)]).await, 204);
        assert_eq!(looks(&test).await, Vec::<String>::new(), "nothing changed there");
        let begun = test.app.now_ms();
        assert_eq!(last_heard(&test).await, [begun]);
        assert_eq!(tell(&bot, &[("guild_here", &two), ("guild_changed", &one), ("guild_changed", &one), ("guild_gone", &two)]).await, 204);
        assert_eq!(tell(&bot, &[("guild_changed", &one)]).await, 204);
        let mut lanes = [format!("bot:{}", one.guild), format!("bot:{}", two.guild)];
        lanes.sort();
        assert_eq!(looks(&test).await, lanes);
        // To the minute, so that a busy Discord server writes nothing most of the time.
        test.clock.advance_ms(59_000);
        assert_eq!(tell(&bot, &[("seen", &one)]).await, 204);
        assert_eq!(last_heard(&test).await, [begun, begun]);
        test.clock.advance_ms(1_000);
        assert_eq!(tell(&bot, &[("seen", &one)]).await, 204);
        assert_eq!(last_heard(&test).await, [begun + 60_000, begun]);
        test.finish().await;
    }

    async fn a_bot_that_connects_anew_has_nothing_looked_at_that_was_just_read(engine) {
        let test = TestApp::start(engine).await;
        let one = test.tenant(1, Tier::Free).await;
        let bot = test.platform_bot().await;
        let now = test.app.now_ms();
        let known = format!(
            "INSERT INTO guild_bots (guild_num, org_num, present, checked_at) SELECT num, org_num, 1, {now} FROM guilds"
        );
        test.db.damage(&known).await;
        assert_eq!(tell(&bot, &[("guild_here", &one)]).await, 204);
        assert!(looks(&test).await.is_empty());
        test.clock.advance_ms(10 * 60_000);
        assert_eq!(tell(&bot, &[("guild_here", &one)]).await, 204);
        assert_eq!(looks(&test).await.len(), 1);
        test.finish().await;
    }

    async fn what_changes_all_the_time_is_looked_at_now_and_then(engine) {
        let test = TestApp::start(engine).await;
        let (one, two) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await);
        let bot = test.platform_bot().await;
        let now = test.app.now_ms();
        let known = format!(
            "INSERT INTO guild_bots (guild_num, org_num, present, checked_at) SELECT num, org_num, 1, {now} FROM guilds"
        );
        test.db.damage(&known).await;
        test.clock.advance_ms(10_000);
        let due = || async {
            let mut due = Vec::new();
            for tenant in [&one, &two] {
                let sql = format!("SELECT run_at FROM job_lanes WHERE lane = 'bot:{}'", tenant.guild);
                due.extend(numbers(&test.db.db, &sql).await.into_iter().map(|at| at - test.app.now_ms()));
            }
            due
        };
        assert_eq!(tell(&bot, &[("guild_changed", &one), ("guild_changed", &two)]).await, 204);
        assert_eq!(due().await, [20_000, 20_000]);
        test.clock.advance_ms(5_000);
        assert_eq!(tell(&bot, &[("guild_changed", &one), ("guild_gone", &two)]).await, 204);
        assert_eq!(due().await, [15_000, 0], "further changes put nothing off, and what is gone is seen at once");
        test.finish().await;
    }

    async fn a_guild_without_the_bot_is_not_looked_at_whenever_it_connects(engine) {
        let test = TestApp::start(engine).await;
        let one = test.tenant(1, Tier::Free).await;
        let bot = test.platform_bot().await;
        let known = "INSERT INTO guild_bots (guild_num, org_num, present, checked_at) SELECT num, org_num, 0, 1 FROM guilds";
        test.db.damage(known).await;
        assert_eq!(tell(&bot, &[("guild_gone", &one)]).await, 204);
        assert!(looks(&test).await.is_empty(), "it is known");
        test.db.damage("UPDATE guild_bots SET present = 1").await;
        assert_eq!(tell(&bot, &[("guild_gone", &one)]).await, 204);
        assert_eq!(looks(&test).await.len(), 1);
        test.finish().await;
    }

    async fn hints_about_what_is_not_the_bots_own_do_nothing(engine) {
        let test = TestApp::start(engine).await;
        let (one, two) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await);
        let shared = test.platform_bot().await;
        let own = test.dedicated_bot(&one, &discord(77)).await;
        let online = json!({ "instance": "00000000000000bb", "state": "online" });
        assert_eq!(own.post("/bot/session", &online.to_string()).await.status, 200);
        assert_eq!(tell(&own, &[("guild_changed", &two)]).await, 204);
        assert_eq!(tell(&shared, &[("guild_changed", &one)]).await, 204, "its own bot serves it");
        let nobody = json!({ "instance": "00000000000000aa", "events": [{ "kind": "guild_here", "discord_guild_id": "123456789012345678" }] });
        assert_eq!(shared.post("/bot/events", &nobody.to_string()).await.status, 204);
        assert!(looks(&test).await.is_empty() && last_heard(&test).await.is_empty());
        assert_eq!(tell(&own, &[("guild_changed", &one)]).await, 204);
        assert_eq!(looks(&test).await, [format!("bot:{}", one.guild)]);
        let many: Vec<(&str, &Tenant)> = vec![("seen", &two); 101];
        assert_eq!(tell(&shared, &many).await, 400);
        test.finish().await;
    }
}
