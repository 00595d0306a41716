//! What is sent, when it is tried again, and when nothing is sent at all.

use app::webhooks::manage;
use app::work;
use domain::plan::Tier;
use serde_json::json;
use testkit::{START_MS, both_databases, discord, steam, wait_until};

use super::sink::Sink;
use super::stage::{HOUR_MS, Stage, added, is_conflict, link};

both_databases! {
    async fn a_change_of_a_link_is_sent_once_with_a_signature_that_fits(engine) {
        let stage = Stage::set(engine).await;
        let id = stage.link(1).await;
        stage.test.drain_jobs().await;
        let sent = stage.sink.take_one();
        assert_eq!((sent.path.as_str(), sent.id.clone()), ("/hook", format!("created_{id}")));
        assert_eq!((sent.at.as_str(), sent.signatures.len()), ("1767225600", 1));
        assert!(sent.is_signed_with(&stage.secret));
        assert!(!sent.is_signed_with("whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="));
        let data = json!({
            "org": stage.tenant.org.as_str(), "guild": stage.tenant.guild.as_str(), "link": id.as_str(),
            "discord_id": discord(1).as_str(), "steam_id": steam(1).as_str(),
        });
        let expected = json!({ "type": "link.created", "timestamp": "2026-01-01T00:00:00Z", "data": data });
        assert_eq!(sent.json(), expected);
        stage.pass(24 * HOUR_MS).await;
        assert_eq!(stage.sink.count(), 0, "what was taken is not sent again");
        stage.unlink(1).await;
        stage.test.drain_jobs().await;
        let sent = stage.sink.take_one();
        assert!(sent.is_signed_with(&stage.secret));
        let mut data = data;
        data["cause"] = json!("plugin");
        assert_eq!(sent.json(), json!({ "type": "link.ended", "timestamp": "2026-01-02T00:00:00Z", "data": data }));
        stage.finish().await;
    }

    async fn a_relink_is_the_end_of_one_link_and_the_beginning_of_another(engine) {
        let stage = Stage::set(engine).await;
        let old = stage.link(1).await;
        stage.test.drain_jobs().await;
        stage.sink.take();
        stage.tenant.link_pair(&stage.test.app, 1, 2).await.unwrap();
        // The same pair again changes nothing that is told.
        stage.tenant.link_pair(&stage.test.app, 1, 2).await.unwrap();
        stage.test.drain_jobs().await;
        let sent = stage.sink.take();
        assert_eq!(sent.len(), 2, "{sent:?}");
        let (created, ended) = (sent[0].json(), sent[1].json());
        assert_eq!((&created["type"], &created["data"]["steam_id"]), (&json!("link.created"), &json!(steam(2).as_str())));
        assert_eq!((&ended["data"]["link"], &ended["data"]["cause"]), (&json!(old.as_str()), &json!("relink")));
        stage.finish().await;
    }

    async fn while_the_flag_is_off_nothing_is_noted_and_nothing_is_sent(engine) {
        let stage = Stage::set(engine).await;
        stage.switch(false).await;
        stage.link(1).await;
        stage.pass(HOUR_MS).await;
        let noted = "jobs WHERE kind = 'webhook.send'";
        assert_eq!((stage.count("webhook_deliveries").await, stage.count(noted).await, stage.sink.count()), (0, 0, 0));
        stage.switch(true).await;
        stage.link(2).await;
        stage.switch(false).await;
        stage.pass(HOUR_MS).await;
        assert_eq!((stage.count("webhook_deliveries WHERE next_at IS NOT NULL").await, stage.sink.count()), (1, 0));
        stage.switch(true).await;
        stage.pass(60_000).await;
        assert_eq!(stage.sink.take_one().json()["data"]["discord_id"], discord(2).as_str());
        stage.finish().await;
    }

    async fn an_org_without_a_receiver_notes_nothing(engine) {
        let stage = Stage::set(engine).await;
        let other = stage.test.tenant(2, Tier::Free).await;
        link(&stage.test, &other, 5).await;
        stage.test.drain_jobs().await;
        assert_eq!((stage.count("webhook_deliveries").await, stage.sink.count()), (0, 0));
        stage.finish().await;
    }

    async fn what_fails_is_tried_again_with_growing_pauses_and_given_up_after_days(engine) {
        let stage = Stage::set(engine).await;
        stage.sink.says(500);
        stage.link(1).await;
        stage.test.drain_jobs().await;
        let first = stage.sink.take_one();
        let (mut pauses, mut attempts) = (Vec::new(), 1);
        while stage.count("webhook_deliveries WHERE next_at IS NOT NULL").await == 1 {
            let next_ms = stage.number("SELECT next_at FROM webhook_deliveries").await;
            let pause = next_ms - stage.test.app.now_ms();
            stage.pass(pause - 1).await;
            assert_eq!(stage.sink.count(), 0, "too early");
            stage.pass(1).await;
            let again = stage.sink.take_one();
            assert_eq!((&again.id, &again.body), (&first.id, &first.body));
            assert_eq!(again.at, (stage.test.app.now_ms() / 1_000).to_string());
            assert!(again.is_signed_with(&stage.secret));
            pauses.push(pause);
            attempts += 1;
        }
        assert_eq!(attempts, 10);
        for (pause, minutes) in pauses.iter().zip([1, 5, 30, 120, 300, 600, 840, 1_200, 1_440]) {
            let usual = minutes * 60_000;
            assert!((pause - usual).abs() <= usual / 5 + 1, "{pauses:?}");
        }
        let age_ms = stage.test.app.now_ms() - START_MS;
        assert!(age_ms > 48 * HOUR_MS && age_ms < 120 * HOUR_MS, "{age_ms}");
        let dead = manage::list_deliveries(&stage.test.app, &stage.webhook, true, 9).await.unwrap();
        assert_eq!((dead.len(), dead[0].attempts, dead[0].result.as_deref()), (1, 10, Some("status 500")));
        stage.pass(200 * HOUR_MS).await;
        assert_eq!(stage.sink.count(), 0);
        // An operator has it sent once more.
        stage.sink.says(200);
        assert_eq!(manage::retry(&stage.test.app, &stage.webhook).await.unwrap(), 1);
        stage.test.drain_jobs().await;
        assert_eq!(stage.sink.take_one().id, first.id);
        assert!(manage::list_deliveries(&stage.test.app, &stage.webhook, true, 9).await.unwrap().is_empty());
        stage.finish().await;
    }

    async fn what_could_not_be_tried_is_given_up_after_five_days(engine) {
        let stage = Stage::set(engine).await;
        stage.link(1).await;
        stage.switch(false).await;
        stage.pass(119 * HOUR_MS).await;
        assert_eq!(stage.count("webhook_deliveries WHERE dead = 1").await, 0);
        stage.pass(2 * HOUR_MS).await;
        assert_eq!(stage.count("webhook_deliveries WHERE dead = 1").await, 1);
        // And shown for a month.
        stage.pass(29 * 24 * HOUR_MS).await;
        assert_eq!(stage.count("webhook_deliveries").await, 1);
        stage.pass(2 * 24 * HOUR_MS).await;
        assert_eq!((stage.count("webhook_deliveries").await, stage.sink.count()), (0, 0));
        stage.finish().await;
    }

    async fn one_message_that_fails_does_not_keep_the_others(engine) {
        let stage = Stage::set(engine).await;
        stage.sink.says(500);
        stage.link(1).await;
        stage.test.drain_jobs().await;
        stage.sink.says(200);
        stage.link(2).await;
        stage.test.drain_jobs().await;
        assert_eq!(stage.sink.take().len(), 1, "the receiver is left alone for a moment");
        stage.pass(10_000).await;
        assert_eq!(stage.sink.take_one().json()["data"]["discord_id"], discord(2).as_str());
        stage.pass(2 * 60_000).await;
        assert_eq!(stage.sink.take_one().json()["data"]["discord_id"], discord(1).as_str());
        stage.finish().await;
    }

    async fn a_receiver_that_hangs_costs_no_other_org_its_messages(engine) {
        let stage = Stage::set(engine).await;
        for path in ["/second", "/third"] {
            added(&stage.test, &stage.tenant, &stage.sink.url(path)).await;
        }
        assert!(is_conflict(&manage::add(&stage.test.app, &stage.tenant.org, &stage.sink.url("/fourth")).await));
        let (other, theirs) = (stage.test.tenant(2, Tier::Free).await, Sink::start().await);
        added(&stage.test, &other, &theirs.url("/")).await;
        stage.sink.hangs();
        stage.link(1).await;
        let app = stage.test.app.clone();
        stage.test.app.tasks.spawn(async move {
            work::drain(&app).await.expect("jobs are done");
        });
        wait_until("all of the first Org's receivers hang", || async { stage.sink.count() == 3 }).await;
        link(&stage.test, &other, 5).await;
        let app = stage.test.app.clone();
        stage.test.app.tasks.spawn(async move {
            work::drain(&app).await.expect("jobs are done");
        });
        wait_until("the other Org's message arrives", || async { theirs.count() == 1 }).await;
        stage.sink.says(204);
        stage.test.settle().await;
        let paths: Vec<String> = stage.sink.take().into_iter().map(|sent| sent.path).collect();
        assert_eq!(paths.len(), 3, "{paths:?}");
        stage.finish().await;
    }

    async fn no_more_than_five_thousand_wait_for_a_receiver(engine) {
        let stage = Stage::set(engine).await;
        let fill = "
            WITH RECURSIVE many(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < 4999)
            INSERT INTO webhook_deliveries (endpoint_num, org_num, guild_num, link_id, event, created_at, begun_at, next_at)
            SELECT e.num, g.org_num, g.num, 'lnk_' || CAST(m.n AS TEXT), 'link.created', 1, 9000000000000, 9000000000000
            FROM webhook_endpoints e JOIN guilds g ON g.org_num = e.org_num CROSS JOIN many m";
        stage.test.db.damage(fill).await;
        stage.link(1).await;
        stage.link(2).await;
        assert_eq!(stage.count("webhook_deliveries").await, 5_000);
        assert_eq!(manage::list(&stage.test.app).await.unwrap()[0].left_out, 1);
        stage.test.drain_jobs().await;
        assert_eq!(stage.sink.take_one().json()["data"]["discord_id"], discord(1).as_str());
        stage.finish().await;
    }
}
