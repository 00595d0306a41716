//! The shared bot beside a Guild's own: neither is taken for the other.

use app::bots::look;
use emulator::discord::Snowflake;
use serde_json::{Value, json};
use testkit::{APPLICATION, both_databases};

use super::own::{Owner, account, token};

both_databases! {
    async fn a_token_of_the_shared_bot_is_refused_also_when_discord_does_not_say_whose_that_is(engine) {
        let owner = Owner::subscribed(engine).await;
        let shared: Snowflake = APPLICATION.parse().unwrap();
        let fresh = "the-shared-bots-other-token-which-nobody-told-us".to_owned();
        // Somebody has reset it, and Discord does not take the one that the service has.
        let reset = owner.stage.discord.change(|state| state.applications.get_mut(&shared).unwrap().token.clone_from(&fresh));
        reset.unwrap();
        let unknown = owner.save(&fresh, false).await;
        assert_ne!(unknown.status, 200, "{}", unknown.text());
        assert_eq!(owner.card().await["bot"], Value::Null);
        let process = owner.stage.test.platform_bot().await;
        let told = json!({ "instance": "00000000000000aa", "state": "online", "bot_user_id": APPLICATION });
        assert_eq!(process.post("/bot/session", &told.to_string()).await.status, 200);
        assert_eq!(owner.save(&fresh, false).await.code(), "BOT_IN_USE", "its process has said who it is");
        assert_eq!(owner.save(&token(1), false).await.status, 200);
        owner.stage.finish().await;
    }

    async fn the_shared_bot_is_not_let_in_with_the_token_of_a_guilds_own(engine) {
        let owner = Owner::subscribed(engine).await;
        owner.save(&token(1), false).await;
        let shared = owner.stage.test.platform_bot().await;
        let told = |account: &str| json!({ "instance": "00000000000000aa", "state": "online", "bot_user_id": account }).to_string();
        let refused = shared.post("/bot/session", &told(account(1).as_str())).await;
        assert_eq!((refused.status.as_u16(), refused.code().as_str()), (409, "BOT_RUNS_TWICE"));
        assert_eq!(shared.post("/bot/session", &told(APPLICATION)).await.status, 200);
        owner.stage.finish().await;
    }

    async fn what_was_known_of_the_shared_bot_is_told_of_a_new_bot_too(engine) {
        let owner = Owner::subscribed(engine).await;
        let (test, tenant) = (&owner.stage.test, &owner.stage.tenant);
        look::enqueue(&test.app, tenant.scope, tenant.guild.clone()).await.expect("a look");
        test.drain_jobs().await;
        assert_eq!(owner.card().await["shared"]["present"], true);
        owner.save(&token(1), false).await;
        assert_eq!(owner.card().await["shared"]["present"], true);
        owner.stage.finish().await;
    }
}
