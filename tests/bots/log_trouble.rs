//! Log messages while Discord misbehaves: nobody else waits, and nothing is told more often than it has to be.

use domain::plan::Tier;
use emulator::{Fault, FaultKind};
use http::Method;
use serde_json::json;
use testkit::{Tenant, both_databases, log_channel};

use super::log::{MINUTE_MS, POST, numbers, posted, problem, short, snowflake, stage, told};
use crate::linking::stage::Stage;
use crate::support::call;

const SECOND_MS: i64 = 1_000;
const FIVE_SECONDS_MS: i64 = 5 * SECOND_MS;

async fn other_tenant(stage: &Stage, number: u64) -> Tenant {
    let tenant = stage.test.tenant(number, Tier::Free).await;
    testkit::add_guild(&stage.discord, &tenant.discord_guild, &format!("Guild {number}"));
    tenant
}

both_databases! {
    async fn what_may_have_arrived_is_there_twice_at_most(engine) {
        let stage = stage(engine).await;
        // Discord posts everything and answers nothing.
        stage.discord.hub().add_fault(Fault::new(POST, FaultKind::Lost));
        stage.tenant.link(&stage.test.app, 1).await;
        for _ in 0..4 {
            stage.test.drain_jobs().await;
            stage.test.clock.advance_ms(50 * SECOND_MS);
        }
        assert_eq!(posted(&stage, &stage.tenant).len(), 1, "Discord knows it by its number");
        for _ in 0..20 {
            stage.test.clock.advance_ms(10 * MINUTE_MS);
            stage.test.drain_jobs().await;
        }
        assert_eq!((posted(&stage, &stage.tenant).len(), stage.count("jobs").await), (2, 0));
        let line = r#"symbolon_jobs_total{kind="log.linked",outcome="dropped"} 1"#;
        assert!(numbers(&stage).lines().any(|shown| shown == line));
        stage.discord.hub().remove_faults();
        stage.tenant.link(&stage.test.app, 2).await;
        stage.test.clock.advance_ms(10 * MINUTE_MS);
        stage.test.drain_jobs().await;
        assert_eq!(short(&told(&stage, &stage.tenant)), ["Linked 01", "Linked 01", "Linked 02"]);
        stage.finish().await;
    }

    async fn what_could_not_arrive_is_told_once_after_an_outage(engine) {
        let stage = stage(engine).await;
        stage.discord.hub().add_fault(Fault::new("*", FaultKind::Drop));
        stage.tenant.link(&stage.test.app, 1).await;
        for _ in 0..12 {
            stage.test.drain_jobs().await;
            stage.test.clock.advance_ms(10 * MINUTE_MS);
        }
        stage.discord.hub().remove_faults();
        stage.test.clock.advance_ms(10 * MINUTE_MS);
        stage.test.drain_jobs().await;
        assert_eq!(short(&told(&stage, &stage.tenant)), ["Linked 01"]);
        stage.finish().await;
    }

    async fn an_answer_that_is_not_discords_own_drops_nothing(engine) {
        let stage = stage(engine).await;
        for (number, status) in (1..).zip([403, 404]) {
            stage.discord.hub().add_fault(Fault::answer(POST, status, "<html>no</html>"));
            stage.tenant.link(&stage.test.app, number).await;
            stage.test.drain_jobs().await;
            assert_eq!((stage.count("jobs").await, problem(&stage).await), (1, None), "{status}");
            stage.test.clock.advance_ms(11 * MINUTE_MS);
            stage.test.drain_jobs().await;
            assert_eq!(posted(&stage, &stage.tenant).len() as u64, number, "{status}");
        }
        stage.finish().await;
    }

    async fn a_new_channel_is_used_at_once(engine) {
        let stage = stage(engine).await;
        let (guild, channel) = (snowflake(&stage.tenant.discord_guild), log_channel(&stage.tenant.discord_guild));
        let changed = stage.discord.change(|state| {
            let channels = &mut state.guilds.get_mut(&guild).unwrap().channels;
            let log = channels.remove(&snowflake(&channel)).unwrap();
            channels.insert(snowflake(&testkit::discord(71)), log);
        });
        changed.expect("another channel");
        for number in 1..=11 {
            stage.tenant.link(&stage.test.app, number).await;
        }
        stage.test.drain_jobs().await;
        assert_eq!((stage.count("jobs").await, problem(&stage).await.as_deref()), (1, Some("unknown_channel")));
        let owner = stage.test.person(&stage.test.session(&stage.tenant.owner).await);
        let uri = format!("/orgs/{}/guilds/{}", stage.tenant.org, stage.tenant.guild);
        let set = json!({ "log_channel_id": testkit::discord(71).as_str() });
        assert_eq!(call(&owner, Method::PATCH, &uri, &set).await.status, 204);
        stage.test.drain_jobs().await;
        assert_eq!((stage.count("jobs").await, problem(&stage).await), (0, None));
        stage.finish().await;
    }

    async fn a_rejected_token_is_said_in_every_guild_and_nothing_more_is_dropped(engine) {
        let stage = stage(engine).await;
        let other = other_tenant(&stage, 2).await;
        let changed = stage.discord.change(|state| {
            state.applications.values_mut().for_each(|one| one.token = "another".to_owned());
        });
        changed.expect("another token");
        stage.tenant.link(&stage.test.app, 1).await;
        stage.test.drain_jobs().await;
        other.link(&stage.test.app, 2).await;
        stage.test.drain_jobs().await;
        assert_eq!((stage.count("guild_bots WHERE log_problem = 'token_rejected'").await, stage.count("jobs WHERE kind LIKE 'log.%'").await), (2, 1));
        assert_eq!(stage.discord.hub().calls().iter().filter(|call| call.status == Some(401)).count(), 1);
        let again_at = stage.test.app.now_ms() + 10 * MINUTE_MS;
        assert_eq!(stage.count(&format!("job_lanes WHERE kind = 'log' AND run_at = {again_at}")).await, 1, "for whoever starts with another");
        stage.finish().await;
    }

    /// Ten minutes in which fifty Guilds refuse everything.
    async fn guilds_that_refuse_everything_cost_only_themselves(engine) {
        let stage = stage(engine).await;
        let mut refusing = Vec::new();
        for number in 2..=51 {
            let tenant = other_tenant(&stage, number).await;
            let id = snowflake(&tenant.discord_guild);
            let changed = stage.discord.change(|state| {
                let guild = state.guilds.get_mut(&id).unwrap();
                guild.owner_id = None;
                guild.roles.values_mut().for_each(|role| role.permissions = emulator::discord::Permissions::default());
            });
            changed.expect("a Discord server that lets the bot do nothing");
            refusing.push(tenant);
        }
        stage.test.drain_jobs().await;
        let (steps, mut invalid) = (120, 0);
        for step in 1..=steps {
            // Each of them every half minute, and the healthy one all the time.
            for tenant in refusing.iter().skip((step % 6) as usize).step_by(6) {
                tenant.link(&stage.test.app, 1_000 + step).await;
            }
            stage.tenant.link(&stage.test.app, 1_000 + step).await;
            stage.test.clock.advance_ms(FIVE_SECONDS_MS);
            stage.test.drain_jobs().await;
            assert_eq!(told(&stage, &stage.tenant).len() as u64, step, "its message is there within five seconds");
            invalid += stage.discord.hub().calls().iter().filter(|call| matches!(call.status, Some(401 | 403 | 429))).count();
            stage.discord.hub().forget_calls();
        }
        assert!((50..=500).contains(&invalid), "{invalid} refused requests");
        stage.finish().await;
    }
}
