//! How far people get on a link page, counted for the Guild.

use app::tenancy::guilds;
use domain::audit::Actor;
use domain::flow::JoinMode;
use testkit::{both_databases, discord, steam};

use super::stage::{GROUP, Stage};

impl Stage {
    /// Writes down what was counted, and finds just this.
    async fn expect_steps(&self, expected: &[(&str, &str, i64)]) {
        self.test
            .app
            .memories
            .link_steps
            .flush(&self.test.app.db)
            .await
            .unwrap();
        for (step, reason, times) in expected {
            let row = format!("link_steps WHERE step = '{step}' AND reason = '{reason}' AND times = {times}");
            assert_eq!(self.count(&row).await, 1, "{step} {reason} {times}");
        }
        assert_eq!(self.count("link_steps").await, expected.len() as i64);
    }
}

both_databases! {
    async fn every_step_is_counted_once_for_a_person(engine) {
        let stage = Stage::set(engine).await;
        stage.demand(JoinMode::Invite, true).await;
        let mut browser = stage.signed_in(1).await;
        // A second sign-in gets nobody further.
        browser.sign_in_discord("link", &discord(1)).await;
        browser.press("/link/guild-1/verify").await;
        let mut expected = vec![
            ("started", "", 1),
            ("discord", "", 1),
            ("steam", "", 1),
            ("failed", "NOT_A_MEMBER", 1),
            ("failed", "NOT_IN_GROUP", 1),
        ];
        stage.expect_steps(&expected).await;
        testkit::add_member(&stage.discord, &stage.tenant.discord_guild, &discord(1));
        stage.steam.set_membership(&steam(1), GROUP, true);
        stage.test.clock.advance_ms(5_000);
        for _ in 0..3 {
            browser.press("/link/guild-1/verify").await;
        }
        expected.extend([("joined", "", 1), ("verified", "", 1)]);
        stage.expect_steps(&expected).await;
        stage.finish().await;
    }

    async fn a_sign_in_that_was_called_off_is_counted_with_its_reason(engine) {
        let stage = Stage::set(engine).await;
        let mut browser = stage.browser();
        let address = browser.begin("discord", "link").await;
        let state = address.split("state=").nth(1).and_then(|rest| rest.split('&').next()).unwrap();
        browser.get(&format!("/auth/discord/link/callback?error=access_denied&state={state}")).await;
        stage.expect_steps(&[("started", "", 1), ("failed", "SIGN_IN_CANCELLED", 1)]).await;
        stage.finish().await;
    }

    async fn unlinking_is_not_counted_and_a_removed_guild_keeps_no_numbers(engine) {
        let stage = Stage::set(engine).await;
        let mut browser = stage.browser();
        browser.sign_in_discord("unlink", &discord(1)).await;
        stage.expect_steps(&[]).await;
        let mut other = stage.signed_in(2).await;
        other.press("/link/guild-1/verify").await;
        let all = [("started", "", 1), ("discord", "", 1), ("steam", "", 1), ("verified", "", 1)];
        stage.expect_steps(&all).await;
        let late = stage.signed_in(3).await;
        let (scope, guild) = (stage.tenant.scope, stage.tenant.guild.clone());
        guilds::remove(&stage.test.app, scope, guild, Actor::System).await.unwrap();
        stage.test.drain_jobs().await;
        drop(late);
        // Neither what was written nor what still waited.
        stage.expect_steps(&[]).await;
        stage.finish().await;
    }
}
