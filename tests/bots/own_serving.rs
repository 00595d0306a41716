//! When a Guild's own bot serves it, and when it is not tried again.

use std::sync::Arc;

use app::App;
use app::bots::fleet::{self, Change, HandOvers, Seen};
use app::bots::leases::Lease;
use app::bots::{look, own_bot, register};
use domain::bot::BotId;
use domain::clock::{Clock, SystemClock};
use domain::runner::{Reason, Runner, Step};
use serde_json::{Value, json};
use storage::GuildNum;
use testkit::{Engine, bot_with, both_databases};
use web::WebState;

use super::guild_list::say;
use super::log::snowflake;
use super::own::{Owner, account, invite, token};

const ME: &str = "GET /api/v10/users/@me";

impl Owner {
    async fn damage(&self, sql: &str) {
        self.stage.test.db.damage(sql).await;
    }

    async fn retry(&self) -> testkit::Reply {
        self.person.post(&format!("{}/retry", self.path), "").await
    }

    /// Has the bot for a node with room for so many.
    async fn take(&self, owner: &str, most: i64) -> Option<Lease> {
        let app = &self.stage.test.app;
        let bots = fleet::list(app).await.expect("bots");
        let all = bots.iter().map(|bot| bot.bot_user_id.clone()).collect();
        fleet::take_free(app, owner, all, most).await.expect("a turn");
        let bots = fleet::list(app).await.expect("bots");
        let (holder, fence) = bots[0].held_by.clone()?;
        let bot = BotId::Dedicated(bots[0].bot_user_id.clone());
        (holder == owner).then_some(Lease {
            bot,
            owner: holder,
            fence,
        })
    }

    async fn runner(&self) -> Runner {
        let bots = fleet::list(&self.stage.test.app).await.expect("bots");
        bots[0].runner.clone()
    }

    async fn note(&self, lease: &Lease, change: Change) {
        let noted = fleet::note(&self.stage.test.app, lease, change).await;
        assert!(noted.expect("a turn"), "it is this node's");
    }

    async fn is_serving(&self) -> bool {
        let card = self.card().await;
        assert_ne!(card["bot"]["serving"], card["shared"]["serving"]);
        card["bot"]["serving"] == true
    }
}

fn moved(from: Runner, to: Runner) -> Change {
    Change {
        moved: Some((from, to)),
        ..Change::default()
    }
}

fn ended() -> Change {
    Change {
        ended: true,
        ..Change::default()
    }
}

fn begins() -> Change {
    let begins = Some("00000000000000aa".to_owned());
    Change {
        begins,
        ..Change::default()
    }
}

both_databases! {
    async fn a_token_that_discord_has_rejected_is_not_shown_to_it_again(engine) {
        let owner = Owner::subscribed(engine).await;
        owner.save(&token(1), false).await;
        owner.damage("UPDATE dedicated_bots SET step = 'failed', reason = 'token_rejected'").await;
        owner.damage("UPDATE bots SET failure = 'token_rejected' WHERE kind = 'dedicated'").await;
        let shown = owner.stage.discord.hub().calls().len();
        let refused = owner.retry().await;
        assert_eq!((refused.status.as_u16(), refused.code().as_str()), (409, "BOT_TOKEN_NEEDED"));
        assert!(refused.text().contains("Replace the token"), "{}", refused.text());
        let bot = owner.card().await["bot"].clone();
        assert_eq!((bot["status"].as_str(), bot["reason"].as_str()), (Some("failed"), Some("token_rejected")));
        // Nor when it is removed: its commands stay where they are.
        let removed = owner.person.send(http::Method::DELETE, &owner.path, "".into()).await;
        assert_eq!(removed.status, 204);
        assert_eq!(owner.stage.discord.hub().calls().len(), shown);
        // Another token is what helps.
        owner.save(&token(1), false).await;
        owner.damage("UPDATE dedicated_bots SET step = 'failed', reason = 'token_rejected'").await;
        assert_eq!(owner.save(&token(1), false).await.json()["bot"]["status"], "starting");
        assert_eq!(owner.stage.discord.hub().count(ME), 4, "three that were pasted, and once the shared bot's");
        owner.stage.finish().await;
    }

    async fn a_bot_that_is_not_in_its_discord_server_does_not_serve_after_a_restart(engine) {
        let owner = Owner::subscribed(engine).await;
        owner.save(&token(1), false).await;
        let process = owner.process(1).await;
        let lease = owner.take("00000000000000aa", 1).await.expect("a bot");
        for first in [Value::Null, json!("not_in_guild")] {
            assert_eq!(say(&process, "online", first).await, 200);
            assert_eq!(say(&process, "online", json!("not_in_guild")).await, 200);
            assert!(!owner.is_serving().await);
            owner.note(&lease, begins()).await;
            assert!(!owner.is_serving().await, "nobody knows yet whether it is there");
            assert_eq!(say(&process, "connecting", Value::Null).await, 200);
            assert!(!owner.is_serving().await);
        }
        assert_eq!(say(&process, "online", Value::Null).await, 200);
        assert!(owner.is_serving().await);
        // One that served goes on serving over a restart.
        owner.note(&lease, begins()).await;
        assert!(owner.is_serving().await);
        owner.stage.finish().await;
    }

    async fn a_bot_is_one_nodes_at_a_time_and_no_more_are_taken_than_there_is_room(engine) {
        let owner = Owner::subscribed(engine).await;
        owner.save(&token(1), false).await;
        assert_eq!(owner.take("00000000000000aa", 0).await, None);
        let (one, two) = tokio::join!(owner.take("00000000000000aa", 1), owner.take("00000000000000bb", 1));
        assert_eq!(one.iter().chain(&two).count(), 1, "{one:?} {two:?}");
        let lease = one.or(two).unwrap();
        assert_eq!(owner.take("00000000000000cc", 1).await, None);
        // One that rests is not this node's process any more, whatever that still says.
        let before = owner.runner().await;
        let failed = before.at(Step::Failed, Some(Reason::CrashLoop), 0);
        owner.note(&lease, begins()).await;
        owner.note(&lease, moved(before, failed)).await;
        assert_eq!(owner.stage.test.db.count("bots WHERE kind = 'dedicated' AND instance <> '' AND online_at IS NULL").await, 1);
        owner.note(&lease, ended()).await;
        assert_eq!(owner.stage.test.db.count("bots WHERE kind = 'dedicated' AND instance = '' AND online_at IS NULL").await, 1);
        owner.stage.finish().await;
    }

    async fn a_process_that_was_lost_sight_of_is_not_let_in_while_its_bot_rests(engine) {
        let owner = Owner::subscribed(engine).await;
        owner.save(&token(1), false).await;
        let process = owner.process(1).await;
        let lease = owner.take("00000000000000aa", 1).await.expect("a bot");
        owner.note(&lease, begins()).await;
        assert_eq!(say(&process, "online", Value::Null).await, 200);
        assert!(owner.is_serving().await);
        let before = owner.runner().await;
        let paused = before.at(Step::Paused, None, 0);
        owner.note(&lease, moved(before, paused.clone())).await;
        // It still answers, and serves no more; nor does any other begin.
        assert!(!owner.is_serving().await);
        assert_eq!(say(&process, "online", Value::Null).await, 200);
        assert!(!owner.is_serving().await);
        let begin = json!({ "instance": "00000000000000bb", "remaining": 900, "reset_after_ms": 1 });
        let refused = process.post("/bot/identify", &begin.to_string()).await;
        assert_eq!((refused.status.as_u16(), refused.code().as_str()), (409, "BOT_RUNS_TWICE"));
        owner.note(&lease, ended()).await;
        assert_eq!(say(&process, "online", Value::Null).await, 409, "nobody knows it any more");
        let resumed = paused.at(Step::Start, None, 0);
        owner.note(&lease, moved(paused, resumed)).await;
        owner.note(&lease, begins()).await;
        assert_eq!(say(&process, "online", Value::Null).await, 200);
        assert!(owner.is_serving().await);
        owner.stage.finish().await;
    }

    async fn what_another_node_has_is_freed_only_by_its_own_name(engine) {
        let owner = Owner::subscribed(engine).await;
        owner.save(&token(1), false).await;
        let lease = owner.take("00000000000000aa", 1).await.expect("a bot");
        owner.note(&lease, begins()).await;
        let app = &owner.stage.test.app;
        assert_eq!(fleet::free_left_by(app, "00000000000000bb".to_owned()).await.expect("a turn"), 0);
        assert_eq!(fleet::free_left_by(app, lease.owner.clone()).await.expect("a turn"), 1);
        assert!(!fleet::note(app, &lease, begins()).await.expect("a turn"), "it was another process's");
        assert!(owner.take("00000000000000bb", 1).await.is_some());
        owner.stage.finish().await;
    }

    async fn looks_at_guilds_are_asked_for_in_slices(engine) {
        let owner = Owner::subscribed(engine).await;
        owner.save(&token(1), false).await;
        let process = owner.process(1).await;
        assert_eq!(say(&process, "online", Value::Null).await, 200);
        let app = &owner.stage.test.app;
        let one = fleet::list(app).await.expect("bots").remove(0);
        let many: Vec<Seen> = (1..=120).map(|num| Seen { guild_num: GuildNum(num), ..one.clone() }).collect();
        let mut known = HandOvers::default();
        for asked in [50, 50, 20, 0] {
            assert_eq!(fleet::hand_over(app, &mut known, &many).await.expect("looks"), asked);
        }
        owner.stage.finish().await;
    }

    async fn where_the_shared_bot_is_not_the_commands_of_one_that_rests_are_taken_back(engine) {
        let owner = Owner::subscribed(engine).await;
        let (own, guild) = (snowflake(&account(1)), snowflake(&owner.stage.tenant.discord_guild));
        invite(&owner.stage, &owner.stage.tenant, own);
        owner.save(&token(1), false).await;
        let process = owner.process(1).await;
        assert_eq!(say(&process, "online", Value::Null).await, 200);
        owner.hand_over().await;
        assert!(owner.commands(own) > 0);
        let shared = testkit::APPLICATION.parse().expect("an id");
        let thrown_out = owner.stage.discord.change(|state| state.guilds.get_mut(&guild).unwrap().members.remove(&shared));
        thrown_out.unwrap();
        owner.stage.test.clock.advance_ms(61_000);
        owner.hand_over().await;
        assert_eq!(owner.commands(own), 0, "nobody would answer");
        owner.stage.finish().await;
    }

    async fn a_bot_whose_token_cannot_be_read_any_more_can_be_removed(engine) {
        let owner = Owner::subscribed(engine).await;
        owner.save(&token(1), false).await;
        // Its master key is gone.
        owner.damage("UPDATE dedicated_bots SET token_sealed = 'unreadable'").await;
        let removed = owner.person.send(http::Method::DELETE, &owner.path, "".into()).await;
        assert_eq!(removed.status, 204);
        assert_eq!(owner.card().await["bot"], Value::Null);
        owner.stage.finish().await;
    }

    async fn a_look_that_waits_is_done_at_once_when_another_bot_serves(engine) {
        let owner = Owner::subscribed(engine).await;
        let own = snowflake(&account(1));
        invite(&owner.stage, &owner.stage.tenant, own);
        owner.save(&token(1), false).await;
        let test = &owner.stage.test;
        look::enqueue(&test.app, owner.stage.tenant.scope, owner.stage.tenant.guild.clone()).await.unwrap();
        // Something did not answer, and it was put off.
        owner.damage("UPDATE job_lanes SET run_at = run_at + 3600000").await;
        let process = owner.process(1).await;
        assert_eq!(say(&process, "online", Value::Null).await, 200);
        owner.hand_over().await;
        assert!(owner.commands(own) > 0, "the Guild was looked at");
        owner.stage.finish().await;
    }
}

/// A machine whose clock is wrong.
struct WrongClock(i64);

impl Clock for WrongClock {
    fn now_ms(&self) -> i64 {
        SystemClock.now_ms() + self.0
    }

    fn steady_ms(&self) -> i64 {
        SystemClock.steady_ms()
    }

    fn ahead_ms(&self) -> Option<i64> {
        Some(0)
    }
}

/// Nodes share a database only where that is a server.
#[tokio::test]
async fn a_node_whose_clock_is_wrong_knows_which_bot_serves() {
    let owner = Owner::subscribed(Engine::Postgres).await;
    owner.save(&token(1), false).await;
    let (test, tenant) = (&owner.stage.test, &owner.stage.tenant);
    drop(owner.process(1).await);
    for ahead_ms in [600_000, -600_000] {
        let mut parts = test.parts();
        parts.clock = Arc::new(WrongClock(ahead_ms));
        let wrong = App::start(parts).await.expect("a node");
        let mut parts = test.parts();
        parts.clock = Arc::new(SystemClock);
        let right = App::start(parts).await.expect("a node");
        let id = BotId::Dedicated(account(1));
        let secret = register::secret(&right, &id).await.expect("its secret");
        let node = web::service(WebState::new(right.clone(), (*test.state.settings).clone()));
        let process = bot_with(test.client_of(node), id.as_str(), secret.expose());
        assert_eq!(say(&process, "online", Value::Null).await, 200);
        let card = async |app: &App| {
            own_bot::get(app, tenant.scope, &tenant.guild)
                .await
                .expect("a card")
        };
        assert!(card(&right).await.is_serving);
        assert!(card(&wrong).await.is_serving, "{ahead_ms}");
        owner
            .damage("UPDATE bots SET online_at = online_at - 61000 WHERE kind = 'dedicated'")
            .await;
        assert!(!card(&right).await.is_serving);
        assert!(!card(&wrong).await.is_serving, "{ahead_ms}");
    }
    owner.stage.finish().await;
}
