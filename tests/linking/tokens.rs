//! Discord tokens that flows hold, and the master keys that these are sealed with.

use app::error::RequestError;
use app::tenancy::guilds;
use app::{AppError, master_keys};
use domain::audit::Actor;
use domain::flow::JoinMode;
use emulator::{Fault, FaultKind};
use testkit::{both_databases, discord};

use super::stage::{Stage, own_path, visit};

/// Where tokens are given back.
const REVOKE: &str = "POST /api/v10/oauth2/token/revoke";

both_databases! {
    async fn the_tokens_of_a_removed_guild_are_given_back(engine) {
        let stage = Stage::set(engine).await;
        stage.demand(JoinMode::Auto, false).await;
        let mut browsers = Vec::new();
        for number in 1..=3 {
            browsers.push(stage.signed_in(number).await);
        }
        stage.test.settle().await;
        assert_eq!(stage.discord.grants().len(), 3);
        let (app, tenant) = (&stage.test.app, &stage.tenant);
        guilds::remove(app, tenant.scope, tenant.guild.clone(), Actor::System).await.unwrap();
        assert_eq!(browsers[0].get("/link/guild-1").await.status, 404);
        stage.test.drain_jobs().await;
        assert!(stage.discord.grants().is_empty(), "nobody keeps what is not needed any more");
        assert_eq!(stage.count("flows").await, 0);
        stage.finish().await;
    }

    async fn a_token_is_not_lost_because_discord_is_away(engine) {
        let stage = Stage::set(engine).await;
        stage.demand(JoinMode::Auto, false).await;
        stage.signed_in(1).await;
        stage.test.settle().await;
        stage.discord.hub().add_fault(Fault::new(REVOKE, FaultKind::Error500));
        let (app, tenant) = (&stage.test.app, &stage.tenant);
        guilds::remove(app, tenant.scope, tenant.guild.clone(), Actor::System).await.unwrap();
        stage.test.drain_jobs().await;
        assert_eq!(stage.discord.grants().len(), 1);
        assert_eq!(stage.count("flows WHERE token_sealed IS NOT NULL").await, 1, "it is kept");
        assert_eq!(stage.count("jobs WHERE last_error = 'PROVIDER_UNREACHABLE'").await, 1);
        stage.discord.hub().remove_faults();
        stage.test.clock.advance_ms(60_000);
        stage.test.drain_jobs().await;
        assert!(stage.discord.grants().is_empty());
        assert_eq!(stage.count("flows").await, 0);
        stage.finish().await;
    }

    async fn a_token_that_discord_does_not_take_for_a_day_is_forgotten(engine) {
        let stage = Stage::set(engine).await;
        stage.demand(JoinMode::Auto, false).await;
        stage.signed_in(1).await;
        stage.test.settle().await;
        stage.discord.hub().add_fault(Fault::new(REVOKE, FaultKind::Error500));
        stage.test.clock.advance_ms(2 * 60 * 60_000);
        app::background::keep_house(&stage.test.app).await.unwrap();
        assert_eq!(stage.count("flows WHERE token_sealed IS NOT NULL").await, 1, "it is kept");
        stage.test.clock.advance_ms(24 * 60 * 60_000);
        app::background::keep_house(&stage.test.app).await.unwrap();
        assert_eq!(stage.count("flows").await, 0);
        stage.finish().await;
    }

    async fn tokens_that_a_dead_node_left_behind_are_given_back_by_the_next(engine) {
        let stage = Stage::set(engine).await;
        stage.demand(JoinMode::Auto, false).await;
        stage.signed_in(1).await;
        let mut under_way = stage.signed_in(2).await;
        // Nobody came back to it.
        stage.test.db.damage(&format!("UPDATE flows SET created_at = 1, touched_at = 1 WHERE discord_id = '{}'", discord(1))).await;
        app::background::keep_house(&stage.test.app).await.unwrap();
        stage.test.settle().await;
        let owners: Vec<String> = stage.discord.grants().iter().map(|grant| grant.user.to_string()).collect();
        assert_eq!(owners, [discord(2).to_string()], "and no others");
        under_way.press("/link/guild-1/join").await;
        assert!(under_way.page().await.contains("You’re in the Discord server"));
        stage.finish().await;
    }

    async fn changing_the_master_key_ends_no_sign_in_that_is_under_way(engine) {
        let stage = Stage::set(engine).await;
        stage.demand(JoinMode::Auto, false).await;
        // One holds a token, one is on the way to Discord, one signs in to the dashboard.
        let mut holder = stage.signed_in(1).await;
        let mut traveller = stage.browser();
        let back = traveller.answer_of_discord("link", &discord(2)).await;
        let mut member = stage.browser();
        let out = member.get("/auth/discord/login").await;
        let there = format!("{}&as={}", out.header("location").unwrap(), discord(3));
        let entrance = own_path(&visit(&there).await);
        let app = &stage.test.app;
        master_keys::rotate(app).await.unwrap();
        master_keys::remove(app, "k1").await.unwrap();
        assert_eq!(app.vault.kids(), ["k2"]);
        holder.press("/link/guild-1/join").await;
        assert!(holder.page().await.contains("You’re in the Discord server"));
        assert_eq!(traveller.get(&back).await.header("location"), Some("/link/guild-1"));
        assert_eq!(member.get(&entrance).await.status, 303);
        stage.test.settle().await;
        stage.finish().await;
    }

    async fn a_master_key_that_a_sign_in_needs_cannot_be_removed(engine) {
        let stage = Stage::set(engine).await;
        stage.demand(JoinMode::Auto, false).await;
        let app = &stage.test.app;
        stage.signed_in(1).await;
        stage.browser().begin("discord", "link").await;
        stage.browser().get("/auth/discord/login").await;
        master_keys::rotate(app).await.unwrap();
        for (needs, over) in [
            ("UPDATE flow_trips SET sealed_kid = 'k1' WHERE sealed IS NOT NULL", "UPDATE flow_trips SET sealed_kid = 'k2' WHERE sealed IS NOT NULL"),
            ("UPDATE sign_ins SET verifier_kid = 'k1'", "UPDATE sign_ins SET verifier_kid = 'k2'"),
            ("UPDATE flows SET token_kid = 'k1'", "UPDATE flows SET token_kid = 'k2'"),
        ] {
            stage.test.db.damage(needs).await;
            let refused = master_keys::remove(app, "k1").await;
            assert!(matches!(refused, Err(AppError::Request(RequestError::InvalidParameter { .. }))), "{needs}");
            stage.test.db.damage(over).await;
        }
        master_keys::remove(app, "k1").await.unwrap();
        stage.finish().await;
    }
}
