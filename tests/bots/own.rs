//! A Guild's own bot: its token, which bot serves the Guild, and what people see of it.

use app::bots::fleet::{self, HandOvers};
use domain::plan::Tier;
use domain::platform_id::DiscordId;
use emulator::discord::{Application, Member, Snowflake, User};
use emulator::{Fault, FaultKind};
use http::Method;
use serde_json::{Value, json};
use testkit::{APPLICATION, BOT_TOKEN, Client, Engine, Reply, Tenant, both_databases, discord};

use super::guild_list::say;
use super::log::{posted, snowflake};
use crate::linking::stage::Stage;
use crate::secrecy::rows::{Rows, texts};

const ME: &str = "GET /api/v10/users/@me";

/// The token of a bot that Discord knows. Discord's own are of this length.
pub fn token(number: u64) -> String {
    format!("own-bot-{number}-{}", "t0ken".repeat(10))
}

pub fn account(number: u64) -> DiscordId {
    discord(9_000 + number)
}

/// The account of a bot, as the emulator knows it.
pub fn bot_id(number: u64) -> Snowflake {
    snowflake(&account(number))
}

/// Discord learns of a bot that somebody made.
pub fn make(discord: &emulator::Discord, number: u64) -> Snowflake {
    let id = bot_id(number);
    let made = discord.change(|state| {
        let user = User {
            username: format!("own-{number}"),
            bot: true,
            ..User::default()
        };
        state.users.insert(id, user);
        let application = Application {
            name: format!("Own {number}"),
            token: token(number),
            privileged_intents: 1 << 1,
            ..Application::default()
        };
        state.applications.insert(id, application);
    });
    made.expect("an application");
    id
}

/// Adds a bot to the Discord server of a tenant.
pub fn invite(stage: &Stage, tenant: &Tenant, bot: Snowflake) {
    let guild = snowflake(&tenant.discord_guild);
    let added = stage.discord.change(|state| {
        let guild = state.guilds.get_mut(&guild).expect("a guild");
        let shared = guild.members.values().next().cloned().unwrap_or_default();
        guild.members.insert(
            bot,
            Member {
                roles: shared.roles,
                ..Member::default()
            },
        );
    });
    added.expect("a member");
}

/// Somebody pays for a bot of this Guild.
pub async fn pay(db: &testkit::TestDb, guild: &str) {
    let payer = format!(
        "INSERT INTO payers (org_num, id, customer_id, created_at)
         SELECT o.num, 'pay_' || o.num, 'cus_' || o.num, 1 FROM orgs o JOIN guilds g ON g.org_num = o.num WHERE g.id = '{guild}'"
    );
    db.damage(&payer).await;
    let sql = format!(
        "INSERT INTO subscriptions (id, org_num, guild_num, status, tier, bot, pay_interval, told_at, started_at, listed)
         SELECT 'sub_' || id, org_num, num, 'active', NULL, 1, 'month', 1, 1, 1 FROM guilds WHERE id = '{guild}'"
    );
    db.damage(&sql).await;
}

/// Somebody whose Guild can have a bot of its own.
pub struct Owner {
    pub stage: Stage,
    pub person: Client,
    pub path: String,
}

impl Owner {
    pub async fn new(engine: Engine) -> Owner {
        let stage = Stage::with_tier(engine, Tier::Pro).await;
        make(&stage.discord, 1);
        make(&stage.discord, 2);
        let person = stage.test.person(&stage.test.session(&stage.tenant.owner).await);
        let path = path(&stage.tenant);
        Owner { stage, person, path }
    }

    pub async fn subscribed(engine: Engine) -> Owner {
        let owner = Self::new(engine).await;
        pay(&owner.stage.test.db, owner.stage.tenant.guild.as_str()).await;
        owner
    }

    pub async fn card(&self) -> Value {
        let reply = self.person.get(&self.path).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()
    }

    pub async fn save(&self, token: &str, new_identity: bool) -> Reply {
        self.stage.test.clock.advance_ms(3_000);
        let body = json!({ "token": token, "new_identity": new_identity });
        self.person
            .post(&format!("{}/token", self.path), &body.to_string())
            .await
    }

    /// The bot's process, as far as the service knows it.
    pub async fn process(&self, number: u64) -> Client {
        self.stage
            .test
            .dedicated_bot(&self.stage.tenant, &account(number))
            .await
    }

    /// What the node that leads does once a second.
    pub async fn hand_over(&self) {
        let app = &self.stage.test.app;
        let bots = fleet::list(app).await.expect("bots");
        fleet::hand_over(app, &mut HandOvers::default(), &bots)
            .await
            .expect("looks");
        self.stage.test.drain_jobs().await;
    }

    pub fn commands(&self, bot: Snowflake) -> usize {
        let guild = snowflake(&self.stage.tenant.discord_guild);
        let state = self.stage.discord.state();
        let application = state.applications.get(&bot).expect("an application");
        application.guild_commands.get(&guild).map_or(0, Vec::len)
    }
}

fn path(tenant: &Tenant) -> String {
    format!("/orgs/{}/guilds/{}/bot", tenant.org, tenant.guild)
}

/// All deeds with a Guild's own bot; nobody is named by them.
pub async fn deeds(engine: Engine) -> Vec<String> {
    let owner = Owner::subscribed(engine).await;
    assert_eq!(owner.save(&token(1), false).await.status, 200);
    let db = &owner.stage.test.db;
    db.damage("UPDATE dedicated_bots SET step = 'failed', reason = 'crash_loop'")
        .await;
    let retried = owner.person.post(&format!("{}/retry", owner.path), "").await;
    assert_eq!(retried.json()["bot"]["status"], "starting");
    let removed = owner.person.send(Method::DELETE, &owner.path, "".into()).await;
    assert_eq!(removed.status, 204);
    let actions = texts(&db.db, "SELECT DISTINCT action FROM audit").await;
    owner.stage.finish().await;
    actions
}

both_databases! {
    async fn a_token_is_kept_only_for_a_guild_that_somebody_pays_for(engine) {
        let owner = Owner::new(engine).await;
        let refused = owner.save(&token(1), false).await;
        assert_eq!((refused.status.as_u16(), refused.code().as_str()), (409, "BOT_NOT_SUBSCRIBED"));
        assert_eq!(owner.stage.discord.hub().count(ME), 0, "Discord is not shown it");
        assert_eq!(owner.card().await["access"], "none");
        pay(&owner.stage.test.db, owner.stage.tenant.guild.as_str()).await;
        assert_eq!(owner.card().await["access"], "subscribed");
        let saved = owner.save(&token(1), false).await;
        assert_eq!(saved.status, 200, "{}", saved.text());
        let bot = &saved.json()["bot"];
        assert_eq!((bot["status"].as_str(), bot["message"].as_str()), (Some("starting"), Some("Allocating dedicated bot host")));
        assert_eq!((bot["name"].as_str(), bot["token_last4"].as_str()), (Some("own-1"), Some("0ken")));
        owner.stage.finish().await;
    }

    async fn what_is_not_a_bots_token_changes_nothing(engine) {
        let owner = Owner::subscribed(engine).await;
        for wrong in ["", "short", "two words that are long enough to be one", &"x".repeat(70), &"é".repeat(40), &"x".repeat(5_000)] {
            let refused = owner.save(wrong, false).await;
            assert_eq!((refused.status.as_u16(), refused.code().as_str()), (400, "BOT_TOKEN_REJECTED"), "{wrong}");
        }
        assert_eq!(owner.card().await["bot"], Value::Null);
        owner.save(&token(1), false).await;
        let before = owner.card().await;
        assert_eq!(owner.save(&"x".repeat(70), true).await.code(), "BOT_TOKEN_REJECTED");
        owner.stage.discord.hub().add_fault(Fault::new(ME, FaultKind::Error500));
        let silent = owner.save(&token(2), true).await;
        assert_eq!((silent.status.as_u16(), silent.code().as_str()), (503, "PROVIDER_SILENT"));
        assert_eq!(owner.card().await["bot"], before["bot"]);
        owner.stage.finish().await;
    }

    async fn a_saved_token_is_sealed_and_shown_to_nobody(engine) {
        let owner = Owner::subscribed(engine).await;
        let saved = owner.save(&format!("  {}\n", token(1)), false).await;
        assert!(!saved.text().contains(&token(1)) && !owner.card().await.to_string().contains(&token(1)));
        let db = &owner.stage.test.db.db;
        let all = Rows::of(db).await.all(db).await;
        assert!(all.len() > 10 && all.iter().all(|row| !row.contains(&token(1))), "nothing is stored in clear");
        owner.stage.finish().await;
    }

    async fn one_bot_serves_one_guild(engine) {
        let owner = Owner::subscribed(engine).await;
        assert_eq!(owner.save(BOT_TOKEN, false).await.code(), "BOT_IN_USE", "that is the shared one's");
        assert_eq!(owner.save(&token(1), false).await.status, 200);
        let test = &owner.stage.test;
        let other = test.tenant(2, Tier::Free).await;
        pay(&test.db, other.guild.as_str()).await;
        let person = test.person(&test.session(&other.owner).await);
        let body = json!({ "token": token(1), "new_identity": true }).to_string();
        let refused = person.post(&format!("{}/token", path(&other)), &body).await;
        assert_eq!((refused.status.as_u16(), refused.code().as_str()), (409, "BOT_IN_USE"));
        owner.stage.finish().await;
    }

    async fn another_bot_needs_a_word_and_the_one_before_is_let_in_no_more(engine) {
        let owner = Owner::subscribed(engine).await;
        let first = owner.save(&token(1), false).await.json()["bot"].clone();
        let process = owner.process(1).await;
        assert_eq!(say(&process, "online", Value::Null).await, 200);
        let refused = owner.save(&token(2), false).await;
        assert_eq!((refused.status.as_u16(), refused.code().as_str()), (409, "BOT_OTHER_IDENTITY"));
        let same = owner.save(&token(1), false).await.json();
        assert_eq!(same["bot"]["id"], first["id"]);
        let other = owner.save(&token(2), true).await.json();
        assert_eq!((&other["bot"]["id"], other["bot"]["name"].as_str()), (&first["id"], Some("own-2")));
        assert_eq!(say(&process, "online", Value::Null).await, 401);
        owner.stage.finish().await;
    }

    async fn to_replace_a_token_takes_a_fresh_sign_in_and_to_save_the_first_one_does_not(engine) {
        let owner = Owner::subscribed(engine).await;
        owner.stage.test.clock.advance_ms(15 * 60_000);
        assert_eq!(owner.save(&token(1), false).await.status, 200);
        let shown = owner.stage.discord.hub().count(ME);
        let refused = owner.save(&token(2), true).await;
        assert_eq!((refused.status.as_u16(), refused.code().as_str()), (403, "SIGN_IN_AGAIN"));
        assert_eq!(owner.stage.discord.hub().count(ME), shown, "Discord is not shown it");
        let removed = owner.person.send(Method::DELETE, &owner.path, "".into()).await;
        assert_eq!((removed.status.as_u16(), removed.code().as_str()), (403, "SIGN_IN_AGAIN"), "nor is there room for it");
        let again = Owner {
            person: owner.stage.test.person(&owner.stage.test.session(&owner.stage.tenant.owner).await),
            ..owner
        };
        assert_eq!(again.save(&token(2), true).await.json()["bot"]["name"], "own-2");
        again.stage.finish().await;
    }

    async fn the_own_bot_serves_while_it_is_online_and_the_shared_one_before_and_after(engine) {
        let owner = Owner::subscribed(engine).await;
        let (stage, test) = (&owner.stage, &owner.stage.test);
        let own = snowflake(&account(1));
        let shared = APPLICATION.parse().unwrap();
        invite(stage, &stage.tenant, own);
        owner.save(&token(1), false).await;
        owner.hand_over().await;
        let process = owner.process(1).await;
        assert_eq!(say(&process, "online", json!("not_in_guild")).await, 200);
        let outside = owner.card().await["bot"].clone();
        assert_eq!((outside["serving"].as_bool(), outside["reason"].as_str()), (Some(false), None), "it is not started yet");
        assert!(outside["invite_url"].as_str().unwrap().contains(account(1).as_str()), "nobody added it");
        assert_eq!(say(&process, "online", Value::Null).await, 200);
        owner.hand_over().await;
        let card = owner.card().await;
        assert_eq!((card["bot"]["serving"].as_bool(), card["shared"]["serving"].as_bool()), (Some(true), Some(false)));
        assert_eq!(card["shared"]["present"], true);
        assert!(owner.commands(own) > 0 && owner.commands(shared) == 0, "the commands are the own bot's");
        // What is posted and asked is its doing.
        let tested = owner.person.post(&format!("/orgs/{}/guilds/{}/log-test", stage.tenant.org, stage.tenant.guild), "").await;
        assert_eq!(tested.json()["sent"], true, "{}", tested.text());
        assert_eq!(posted(stage, &stage.tenant).last().unwrap().author_id, own);
        // A minute without a word, and the shared one is back.
        test.clock.advance_ms(61_000);
        owner.hand_over().await;
        assert_eq!(owner.card().await["shared"]["serving"], true);
        assert!(owner.commands(shared) > 0 && owner.commands(own) == 0);
        owner.stage.finish().await;
    }

    async fn a_bot_that_is_removed_leaves_nothing_and_the_shared_one_goes_on(engine) {
        let owner = Owner::subscribed(engine).await;
        let own = snowflake(&account(1));
        invite(&owner.stage, &owner.stage.tenant, own);
        owner.save(&token(1), false).await;
        let process = owner.process(1).await;
        say(&process, "online", Value::Null).await;
        owner.hand_over().await;
        assert!(owner.commands(own) > 0);
        for _ in 0..2 {
            let removed = owner.person.send(Method::DELETE, &owner.path, "".into()).await;
            assert_eq!(removed.status, 204);
        }
        owner.stage.test.drain_jobs().await;
        assert_eq!(owner.commands(own), 0);
        assert!(owner.commands(testkit::APPLICATION.parse().unwrap()) > 0, "the shared one offers them again");
        assert_eq!(owner.card().await["bot"], Value::Null);
        assert_eq!(say(&process, "online", Value::Null).await, 401);
        assert_eq!(owner.stage.test.db.count("dedicated_bots").await, 0);
        owner.stage.finish().await;
    }
}
