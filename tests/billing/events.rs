//! Events in any order, however often, and from anybody.

use domain::plan::Tier;
use domain::random::{Random, SeededRandom, bytes};
use emulator::stripe::{Card, Ending};
use serde_json::{Value, json};
use testkit::{both_databases, rounds};

use super::shop::{Shop, tier_of};

/// Another order of the same, by a seed.
fn shuffled(mut events: Vec<Value>, random: &dyn Random) -> Vec<Value> {
    for place in (1..events.len()).rev() {
        let other = usize::from(bytes::<1>(random)[0]) % (place + 1);
        events.swap(place, other);
    }
    events
}

both_databases! {
    async fn in_whichever_order_events_come_the_tier_is_stripes_truth_in_the_end(engine) {
        for seed in 0..rounds(4, 20) {
            let shop = Shop::open(engine).await;
            let random = SeededRandom::new(seed as u64);
            let prices = shop.stripe.state().prices;
            let pro = prices.iter().find(|(_, price)| price.unit_amount == 1_000).expect("a price").0.clone();
            let subscription = shop.buy("standard", "month").await;
            shop.test.clock.advance_ms(1_000);
            shop.stripe.switch_price(&subscription, &pro).unwrap();
            let is_cancelled = seed % 2 == 0;
            if is_cancelled {
                shop.test.clock.advance_ms(1_000);
                shop.stripe.cancel(&subscription, Ending::Now).unwrap();
            }
            let events = shop.told();
            for event in shuffled([events.clone(), events].concat(), &random) {
                assert_eq!(shop.tell(&event).await.status, 200);
            }
            let wanted = if is_cancelled { "free" } else { "pro" };
            assert_eq!(shop.tier().await, wanted, "told alone is enough where no two share a second");
            shop.read().await;
            assert_eq!(shop.tier().await, wanted);
            shop.close().await;
        }
    }

    async fn objects_of_years_ago_are_understood(engine) {
        let shop = Shop::open(engine).await;
        shop.buy("pro", "year").await;
        let old = shop.stripe.bodies(Some("2022-11-15"));
        let subscription = old.iter().find(|event| event["type"] == "customer.subscription.created").expect("an event");
        let object = &subscription["data"]["object"];
        assert!(object["current_period_end"].is_i64() && object["plan"].is_object(), "{object}");
        for event in &old {
            assert_eq!(shop.tell(event).await.status, 200);
        }
        let page = shop.page().await;
        assert_eq!(page["tier"], "pro");
        assert!(page["subscriptions"][0]["renews_at_ms"].is_i64());
        shop.close().await;
    }

    async fn what_is_cancelled_never_comes_back_to_life(engine) {
        let shop = Shop::open(engine).await;
        let subscription = shop.buy("pro", "month").await;
        let before = shop.told();
        shop.test.clock.advance_ms(1_000);
        shop.stripe.cancel(&subscription, Ending::Now).unwrap();
        shop.tell_all().await;
        let mut forged = before.iter().find(|event| event["type"] == "customer.subscription.created").unwrap().clone();
        forged["id"] = "evt_later".into();
        forged["created"] = json!(shop.test.app.now_ms() / 1_000 + 60);
        assert_eq!(shop.tell(&forged).await.status, 200);
        assert_eq!(shop.tier().await, "free");
        shop.close().await;
    }

    async fn an_event_counts_for_the_org_of_its_customer_whatever_it_says_besides(engine) {
        let shop = Shop::open(engine).await;
        let other = shop.test.tenant(2, Tier::Free).await;
        shop.buy("pro", "month").await;
        for mut event in shop.told() {
            // Written by somebody who got into the account.
            event["data"]["object"]["metadata"] = json!({ "org": other.org.as_str(), "guild": other.guild.as_str() });
            assert_eq!(shop.tell(&event).await.status, 200);
        }
        assert_eq!(shop.tier().await, "pro");
        assert_eq!(tier_of(&shop.test, &other).await, "free");
        assert_eq!(shop.test.db.count("subscriptions WHERE guild_num IS NOT NULL").await, 0);
        shop.close().await;
    }

    async fn what_is_not_for_us_is_answered_and_changes_nothing(engine) {
        let shop = Shop::open(engine).await;
        shop.buy("pro", "month").await;
        let event = shop.told().into_iter().find(|event| event["type"] == "customer.subscription.created").unwrap();
        let with = |change: &dyn Fn(&mut Value)| {
            let mut event = event.clone();
            change(&mut event);
            event
        };
        for strange in [
            with(&|event| event["livemode"] = true.into()),
            with(&|event| event["account"] = "acct_of_somebody".into()),
            with(&|event| event["type"] = "customer.subscription.celebrated".into()),
            with(&|event| event["type"] = "radar.early_fraud_warning.created".into()),
            with(&|event| event["data"]["object"] = json!({ "id": 7 })),
            with(&|event| event["data"]["object"]["customer"] = "cus_of_nobody".into()),
            with(&|event| event["data"]["object"]["customer"] = "cus_\u{0}".into()),
            with(&|event| event["id"] = "e".repeat(300).into()),
        ] {
            let reply = shop.tell(&strange).await;
            assert!(reply.status == 200 || (reply.status == 400 && strange.to_string().contains("\\u0000")), "{strange}");
            assert_eq!(shop.tier().await, "free", "{strange}");
        }
        assert_eq!(shop.test.db.count("stripe_events").await, 0);
        assert_eq!(shop.test.db.count("subscriptions").await, 0);
        shop.close().await;
    }

    async fn an_event_of_a_shape_that_we_do_not_know_has_stripe_asked(engine) {
        let shop = Shop::open(engine).await;
        shop.buy("pro", "month").await;
        for (kind, change) in [
            ("customer.subscription.created", json!({ "status": 7 })),
            ("checkout.session.completed", json!({ "metadata": "none" })),
        ] {
            let mut event = shop.told().into_iter().find(|event| event["type"] == kind).unwrap();
            for (name, value) in change.as_object().unwrap() {
                event["data"]["object"][name] = value.clone();
            }
            shop.read().await;
            assert_eq!(shop.page().await["asking"], false);
            assert_eq!(shop.tell(&event).await.status, 200);
            assert_eq!(shop.page().await["asking"], true, "{kind}");
        }
        shop.read().await;
        assert_eq!(shop.tier().await, "pro");
        shop.close().await;
    }

    async fn a_subscription_without_our_marks_counts_like_any_other(engine) {
        let shop = Shop::open(engine).await;
        shop.buy("pro", "month").await;
        let mut event = shop.told().into_iter().find(|event| event["type"] == "customer.subscription.created").unwrap();
        event["data"]["object"]["metadata"] = Value::Null;
        assert_eq!(shop.tell(&event).await.status, 200);
        assert_eq!(shop.tier().await, "pro");
        shop.close().await;
    }

    async fn who_is_late_keeps_the_plan_until_stripe_gives_up(engine) {
        let shop = Shop::open(engine).await;
        let customer = { shop.buy("standard", "month").await; shop.customer() };
        shop.tell_all().await;
        shop.stripe.change(|state| state.customers.get_mut(&customer).unwrap().card = Card::Declined).unwrap();
        shop.test.clock.advance_ms(32 * 24 * 60 * 60_000);
        let person = shop.test.person(&shop.test.session(&shop.tenant.owner).await);
        shop.tell_all().await;
        assert_eq!(shop.tier().await, "standard");
        let page = person.get(&shop.path("/billing/subscriptions")).await.json();
        assert_eq!(page["subscriptions"][0]["status"], "past_due", "{page}");
        for _ in 0..40 {
            shop.test.clock.advance_ms(24 * 60 * 60_000);
            shop.stripe.settle().await;
        }
        shop.tell_all().await;
        assert_eq!(shop.tier().await, "free");
        shop.close().await;
    }
}
