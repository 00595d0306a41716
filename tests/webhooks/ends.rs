//! What an end ends: of a receiver, a Guild, an Org, or of what is held about a person.

use app::privacy::Sides;
use app::privacy::erase::{Extent, erase};
use app::tenancy::{guilds, orgs};
use app::webhooks::manage;
use domain::audit::Actor;
use domain::plan::Tier;
use serde_json::{Value, json};
use testkit::{Engine, both_databases, discord, steam};

use super::sink::Sink;
use super::stage::{HOUR_MS, Stage, added, is_unknown, link};
use crate::secrecy::rows::texts;

/// All that is kept of webhooks.
const TABLES: [&str; 3] = ["webhook_deliveries", "webhook_secrets", "webhook_endpoints"];

/// What operators do with receivers, for the walk over all deeds of the audit log.
pub async fn deeds(engine: Engine) -> Vec<String> {
    let stage = Stage::set(engine).await;
    let app = &stage.test.app;
    manage::rotate(app, &stage.webhook, true).await.expect("a secret");
    manage::retry(app, &stage.webhook).await.expect("tried again");
    manage::remove(app, &stage.webhook).await.expect("removed");
    let actions = texts(&stage.test.db.db, "SELECT DISTINCT action FROM audit").await;
    stage.finish().await;
    actions
}

both_databases! {
    async fn a_message_that_waits_names_nobody_who_was_erased_meanwhile(engine) {
        let stage = Stage::set(engine).await;
        stage.sink.says(500);
        let (id, kept) = (stage.link(7).await, stage.link(8).await);
        stage.test.drain_jobs().await;
        stage.sink.take();
        let sides = Sides { discord: Some(discord(7)), steam: Some(steam(7)) };
        erase(&stage.test.app, sides, Extent::Everywhere, Actor::Operator).await.unwrap();
        stage.sink.says(200);
        stage.pass(HOUR_MS).await;
        let sent = stage.sink.take();
        for told in &sent {
            assert!(!told.body.contains(discord(7).as_str()) && !told.body.contains(steam(7).as_str()), "{told:?}");
            assert!(!told.body.contains("x:"), "{told:?}");
        }
        let of = |link: &str| -> Vec<Value> {
            let told = sent.iter().map(|told| told.json());
            told.filter(|told| told["data"]["link"] == link).collect()
        };
        let erased = of(id.as_str());
        assert_eq!(erased.len(), 2, "its beginning and its end: {sent:?}");
        for told in &erased {
            assert_eq!((&told["data"]["discord_id"], &told["data"]["steam_id"]), (&Value::Null, &Value::Null));
        }
        assert_eq!(erased[1]["data"]["cause"], "user");
        assert_eq!(of(kept.as_str())[0]["data"]["discord_id"], discord(8).as_str());
        stage.finish().await;
    }

    async fn a_receiver_that_says_it_is_gone_is_sent_nothing_until_an_operator_wants_it(engine) {
        let stage = Stage::set(engine).await;
        stage.sink.says(410);
        stage.link(1).await;
        stage.link(2).await;
        stage.test.drain_jobs().await;
        assert_eq!(stage.sink.take().len(), 1, "the first answer counts");
        stage.link(3).await;
        stage.sink.says(200);
        stage.pass(HOUR_MS).await;
        assert_eq!(stage.sink.count(), 0);
        let gone = &manage::list(&stage.test.app).await.unwrap()[0];
        assert!(gone.disabled_at_ms.is_some());
        assert_eq!((stage.count("webhook_deliveries").await, gone.left_out), (2, 1), "the third link was counted only");
        assert_eq!(manage::retry(&stage.test.app, &stage.webhook).await.unwrap(), 1);
        stage.test.drain_jobs().await;
        assert_eq!(stage.sink.take().len(), 2);
        stage.finish().await;
    }

    async fn a_receiver_that_is_removed_is_forgotten_with_its_messages(engine) {
        let stage = Stage::set(engine).await;
        let (app, other) = (&stage.test.app, Sink::start().await);
        added(&stage.test, &stage.tenant, &other.url("/stays")).await;
        stage.link(1).await;
        manage::remove(app, &stage.webhook).await.unwrap();
        stage.pass(60_000).await;
        assert_eq!((stage.sink.count(), other.take().len()), (0, 1));
        for table in TABLES {
            assert_eq!(stage.count(table).await, 1, "{table}");
        }
        assert!(is_unknown(&manage::remove(app, &stage.webhook).await));
        assert!(is_unknown(&manage::rotate(app, &stage.webhook, true).await));
        assert!(is_unknown(&manage::retry(app, &stage.webhook).await));
        assert!(is_unknown(&manage::list_deliveries(app, &stage.webhook, false, 9).await));
        let noted = "SELECT action || ' ' || detail FROM audit WHERE chain = 0 AND action LIKE 'webhook.%' ORDER BY seq";
        let detail = json!({ "org": stage.tenant.org.as_str() });
        let [added, removed] = ["added", "removed"].map(|deed| format!("webhook.{deed} {detail}"));
        assert_eq!(texts(&stage.test.db.db, noted).await, [added.clone(), added, removed]);
        stage.finish().await;
    }

    async fn a_removed_guild_is_told_nobody_any_more(engine) {
        let stage = Stage::set(engine).await;
        stage.sink.says(500);
        stage.link(1).await;
        stage.test.drain_jobs().await;
        stage.sink.take();
        stage.sink.says(200);
        guilds::remove(&stage.test.app, stage.tenant.scope, stage.tenant.guild.clone(), Actor::Operator).await.unwrap();
        stage.pass(HOUR_MS).await;
        assert_eq!((stage.sink.count(), stage.count("webhook_deliveries").await), (0, 0));
        assert_eq!(stage.count("webhook_endpoints").await, 1, "the receiver is the Org's");
        stage.finish().await;
    }

    async fn a_removed_org_has_no_receiver_any_more_and_another_keeps_its_own(engine) {
        let stage = Stage::set(engine).await;
        let (other, theirs) = (stage.test.tenant(2, Tier::Free).await, Sink::start().await);
        added(&stage.test, &other, &theirs.url("/")).await;
        stage.link(1).await;
        link(&stage.test, &other, 5).await;
        orgs::remove(&stage.test.app, stage.tenant.scope, stage.tenant.owner_actor()).await.unwrap();
        stage.pass(HOUR_MS).await;
        assert_eq!((stage.sink.count(), theirs.take().len()), (0, 1));
        stage.pass(60_000).await;
        for table in TABLES {
            assert_eq!(stage.count(table).await, 1, "{table}");
        }
        stage.finish().await;
    }
}
