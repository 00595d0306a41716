//! The list of Guilds: the shared bot serves all without an online bot of their own, a dedicated one its own.

use app::tenancy::guilds;
use domain::plan::Tier;
use serde_json::{Value, json};
use storage::catalogue;
use testkit::{Client, Engine, Tenant, TestApp, both_databases, discord};

async fn ids(bot: &Client) -> Vec<String> {
    let page = bot.get("/bot/guilds").await;
    assert_eq!(page.status, 200, "{}", page.text());
    let page = page.json();
    let guilds = page["guilds"].as_array().unwrap().clone();
    guilds
        .iter()
        .map(|guild| guild["id"].as_str().unwrap().to_owned())
        .collect()
}

pub async fn say(bot: &Client, state: &str, failure: Value) -> u16 {
    let told = json!({ "instance": "00000000000000aa", "state": state, "failure": failure });
    bot.post("/bot/session", &told.to_string()).await.status.as_u16()
}

async fn is_serving(bot: &Client) -> bool {
    let page = bot.get("/bot/guilds").await.json();
    assert_eq!(page["guilds"].as_array().unwrap().len(), 1);
    let (serving, keys) = (
        page["guilds"][0]["serving"].as_bool().unwrap(),
        page["guilds"][0]["keys"].as_array().unwrap(),
    );
    assert_eq!(serving, !keys.is_empty(), "keys are for the serving bot");
    serving
}

async fn remove(test: &TestApp, tenant: &Tenant) {
    let removed = guilds::remove(
        &test.app,
        tenant.scope,
        tenant.guild.clone(),
        domain::audit::Actor::System,
    )
    .await;
    removed.unwrap();
}

both_databases! {
    async fn a_bot_is_told_its_guilds_with_keys_that_work(engine) {
        let test = TestApp::start(engine).await;
        let (one, two) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await);
        let bot = test.platform_bot().await;
        let page = bot.get("/bot/guilds").await;
        assert_eq!((page.status.as_u16(), page.header("cache-control")), (200, Some("no-store")));
        let told = page.json();
        assert_eq!(told["next"], Value::Null);
        for (guild, tenant, number) in [(&told["guilds"][0], &one, 1), (&told["guilds"][1], &two, 2)] {
            let key = guild["keys"][0]["key"].as_str().unwrap().to_owned();
            assert_eq!(*guild, json!({
                "id": tenant.guild.as_str(),
                "discord_guild_id": tenant.discord_guild.as_str(),
                "name": format!("Guild {number}"),
                "slug": format!("guild-{number}"),
                "serving": true,
                "link_url": format!("http://127.0.0.1:8080/link/guild-{number}"),
                "keys": [{ "server_id": tenant.server.as_str(), "key": key }],
            }));
            assert_eq!(test.plugin(&key).get("/api?action=count").await.status, 200);
        }
        // They are made once.
        assert_eq!(bot.get("/bot/guilds").await.json(), told);
        assert_eq!(test.db.count("api_keys WHERE kind = 'bot'").await, 2);
        test.finish().await;
    }

    async fn what_the_bot_knows_is_not_sent_again(engine) {
        let test = TestApp::start(engine).await;
        let one = test.tenant(1, Tier::Free).await;
        let bot = test.platform_bot().await;
        let tag = bot.get("/bot/guilds").await.header("etag").unwrap().to_owned();
        let again = bot.clone().header("if-none-match", &tag);
        let same = again.get("/bot/guilds").await;
        assert_eq!((same.status.as_u16(), same.header("etag"), same.body.len()), (304, Some(tag.as_str()), 0));
        let weak = bot.clone().header("if-none-match", &format!("\"x\", W/{tag}"));
        assert_eq!(weak.get("/bot/guilds").await.status, 304);
        assert_eq!(bot.clone().header("if-none-match", "\"x\"").get("/bot/guilds").await.status, 200);
        test.bot_key(&one).await;
        let changed = again.get("/bot/guilds").await;
        assert_eq!(changed.status, 200, "another key");
        assert_ne!(changed.header("etag"), Some(tag.as_str()));
        test.finish().await;
    }

    async fn the_list_has_pages_and_leaves_out_what_is_removed(engine) {
        let test = TestApp::start(engine).await;
        let mut all = Vec::new();
        for number in 1..=5 {
            all.push(test.tenant(number, Tier::Free).await);
        }
        remove(&test, &all.remove(1)).await;
        let bot = test.platform_bot().await;
        let mut found = Vec::new();
        let mut next = String::new();
        for _ in 0..3 {
            let page = bot.get(&format!("/bot/guilds?limit=2{next}")).await.json();
            found.extend(page["guilds"].as_array().unwrap().iter().map(|guild| guild["id"].as_str().unwrap().to_owned()));
            match page["next"].as_str() {
                Some(cursor) => next = format!("&cursor={cursor}"),
                None => break,
            }
        }
        assert_eq!(found, all.iter().map(|tenant| tenant.guild.to_string()).collect::<Vec<_>>());
        for wrong in ["limit=0", "limit=201", "limit=x", "cursor=-1", "cursor=x", "other=1"] {
            let refused = bot.get(&format!("/bot/guilds?{wrong}")).await;
            assert_eq!((refused.status.as_u16(), refused.code().as_str()), (400, "INVALID_PARAMETER"), "{wrong}");
        }
        test.finish().await;
    }

    async fn a_guild_goes_to_its_own_bot_while_that_is_online_and_back(engine) {
        let test = TestApp::start(engine).await;
        let (one, two) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await);
        let shared = test.platform_bot().await;
        let own = test.dedicated_bot(&one, &discord(77)).await;
        let (both, other) = (vec![one.guild.to_string(), two.guild.to_string()], vec![two.guild.to_string()]);
        assert_eq!(ids(&shared).await, both, "it was never online");
        assert!(!is_serving(&own).await);
        assert_eq!(say(&own, "connecting", Value::Null).await, 200);
        assert_eq!(ids(&shared).await, both);
        assert_eq!(say(&own, "online", Value::Null).await, 200);
        assert_eq!(ids(&shared).await, other);
        assert!(is_serving(&own).await);
        // A restart of less than a minute hands nothing over.
        test.clock.advance_ms(59_000);
        assert_eq!(say(&own, "connecting", Value::Null).await, 200);
        assert_eq!(ids(&shared).await, other);
        test.clock.advance_ms(1_001);
        assert_eq!(ids(&shared).await, both);
        assert!(!is_serving(&own).await);
        assert_eq!(say(&own, "online", Value::Null).await, 200);
        assert_eq!(ids(&shared).await, other);
        for passing in ["intents_missing", "unreachable"] {
            assert_eq!(say(&own, "online", json!(passing)).await, 200);
            assert_eq!(ids(&shared).await, other, "{passing}");
            assert!(is_serving(&own).await, "{passing}");
        }
        for failure in ["token_rejected", "identify_budget", "sharding_required", "refused"] {
            assert_eq!(say(&own, "online", Value::Null).await, 200);
            assert_eq!(say(&own, "stopped", json!(failure)).await, 200);
            assert_eq!(ids(&shared).await, both, "{failure} hands over at once");
        }
        // With its Guild it goes too.
        remove(&test, &one).await;
        assert_eq!(own.get("/bot/guilds").await.status, 401);
        test.finish().await;
    }

    async fn keys_of_a_guild_in_between_stay_with_its_own_bot(engine) {
        let test = TestApp::start(engine).await;
        let (_, two, _) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await, test.tenant(3, Tier::Free).await);
        let own = test.dedicated_bot(&two, &discord(77)).await;
        assert_eq!(say(&own, "online", Value::Null).await, 200);
        let key = own.get("/bot/guilds").await.json()["guilds"][0]["keys"][0]["key"].as_str().unwrap().to_owned();
        let shared = test.platform_bot().await.get("/bot/guilds").await;
        assert_eq!(shared.json()["guilds"].as_array().unwrap().len(), 2);
        assert!(!shared.text().contains(&key) && !shared.text().contains(two.server.as_str()));
        test.finish().await;
    }
}

#[tokio::test]
async fn a_list_of_many_guilds_takes_as_many_statements_as_one_of_few() {
    let test = TestApp::start(Engine::Sqlite).await;
    for number in 1..=6 {
        test.tenant(number, Tier::Free).await;
    }
    let bot = test.platform_bot().await;
    bot.get("/bot/guilds").await;
    let runs = || {
        let of = |name: &str| {
            let statement = catalogue::statements()
                .find(|statement| statement.name() == name)
                .unwrap();
            test.db.db.times_run(statement).unwrap_or(0)
        };
        [
            "storage::bots::register::HOLDER",
            "storage::bots::guild_lists::SHARED",
            "storage::keys::bot_keys::OF_SERVER",
        ]
        .map(of)
    };
    let before = runs();
    assert_eq!(bot.get("/bot/guilds").await.status, 200);
    let after = runs();
    assert_eq!(
        [after[0] - before[0], after[1] - before[1], after[2] - before[2]],
        [1, 1, 0]
    );
    test.finish().await;
}
