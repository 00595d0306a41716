//! What Stripe is asked, and what its answers are worth.

use domain::plan::Tier;
use emulator::stripe::Ending;
use emulator::{Fault, FaultKind};
use serde_json::json;
use testkit::{both_databases, wait_until};

use super::shop::{QUESTION, Shop, assert_said};

both_databases! {
    async fn coming_back_from_a_purchase_asks_stripe_and_changes_nothing_by_itself(engine) {
        let shop = Shop::open(engine).await;
        let reply = shop.choose("pro", "month").await;
        shop.stripe.hub().forget_calls();
        for _ in 0..3 {
            assert_eq!(shop.person.post(&shop.path("/billing/refresh"), "{}").await.status, 204);
        }
        assert!(shop.page().await["asking"].as_bool().unwrap());
        shop.read().await;
        assert_eq!((shop.tier().await.as_str(), shop.asked()), ("free", 1), "nobody paid");
        // Every event is lost, and the question finds it out.
        shop.pay(&reply);
        shop.person.post(&shop.path("/billing/refresh"), "{}").await;
        shop.read().await;
        assert_eq!(shop.tier().await, "pro");
        let page = shop.page().await;
        assert_eq!((&page["asking"], page["read_at_ms"].as_i64()), (&false.into(), Some(shop.test.app.now_ms())));
        shop.close().await;
    }

    async fn a_storm_of_events_asks_once_in_two_seconds(engine) {
        let shop = Shop::open(engine).await;
        shop.buy("pro", "month").await;
        shop.test.clock.advance_ms(3_000);
        shop.stripe.hub().forget_calls();
        for _ in 0..5 {
            for mut event in shop.told() {
                event["id"] = format!("evt_{}", shop.test.db.count("stripe_events").await).into();
                shop.tell(&event).await;
                shop.test.drain_jobs().await;
            }
        }
        assert_eq!(shop.asked(), 1, "the clock stands still");
        shop.read().await;
        assert_eq!(shop.asked(), 2);
        shop.close().await;
    }

    async fn lost_events_are_made_good_within_the_hour(engine) {
        let shop = Shop::open(engine).await;
        let subscription = shop.buy("pro", "month").await;
        shop.tell_all().await;
        shop.read().await;
        shop.stripe.cancel(&subscription, Ending::Now).unwrap();
        shop.test.clock.advance_ms(61 * 60_000);
        app::background::keep_house(&shop.test.app).await.unwrap();
        shop.read().await;
        assert_eq!(shop.tier().await, "free");
        shop.close().await;
    }

    async fn a_payment_on_a_page_that_was_open_for_long_is_found_within_the_hour(engine) {
        let shop = Shop::open(engine).await;
        let reply = shop.choose("pro", "month").await;
        let pass = async |minutes: i64| {
            for _ in 0..minutes / 10 {
                shop.test.clock.advance_ms(10 * 60_000);
                app::background::keep_house(&shop.test.app).await.unwrap();
                shop.read().await;
            }
        };
        pass(90).await;
        assert!(shop.asked() > 0);
        // In the second hour of the page, and every event is lost.
        shop.pay(&reply);
        assert_eq!(shop.tier().await, "free");
        pass(60).await;
        assert_eq!(shop.tier().await, "pro");
        shop.close().await;
    }

    async fn whoever_never_pays_is_asked_about_once_a_day_when_the_page_is_over(engine) {
        let shop = Shop::open(engine).await;
        shop.choose("pro", "month").await;
        let pass = async |hours: i64| {
            for _ in 0..hours {
                shop.test.clock.advance_ms(60 * 60_000);
                app::background::keep_house(&shop.test.app).await.unwrap();
                shop.read().await;
            }
        };
        pass(4).await;
        shop.stripe.hub().forget_calls();
        pass(48).await;
        assert_eq!(shop.asked(), 2);
        shop.close().await;
    }

    async fn a_subscription_that_stripe_does_not_list_is_kept_and_told_of(engine) {
        let shop = Shop::open(engine).await;
        shop.buy("pro", "month").await;
        shop.tell_all().await;
        shop.read().await;
        shop.stripe.change(|state| state.subscriptions.clear()).unwrap();
        shop.person.post(&shop.path("/billing/refresh"), "{}").await;
        shop.read().await;
        assert_eq!(shop.tier().await, "pro");
        let found = storage::doctor::examine(&shop.test.app.db).await.unwrap();
        assert!(found.iter().any(|finding| finding.contains("Stripe does not list")), "{found:?}");
        // Somebody saw to it.
        shop.test.db.damage("UPDATE subscriptions SET status = 'canceled'").await;
        app::background::keep_house(&shop.test.app).await.unwrap();
        assert_eq!(shop.tier().await, "free");
        shop.close().await;
    }

    async fn a_question_that_fails_is_asked_again(engine) {
        let shop = Shop::open(engine).await;
        let reply = shop.choose("pro", "month").await;
        shop.pay(&reply);
        shop.stripe.hub().add_fault(Fault::new("GET /v1/subscriptions", FaultKind::Error500).times(1));
        shop.person.post(&shop.path("/billing/refresh"), "{}").await;
        shop.read().await;
        assert_eq!(shop.tier().await, "free");
        shop.test.clock.advance_ms(60_000);
        shop.read().await;
        assert_eq!(shop.tier().await, "pro");
        shop.close().await;
    }

    async fn whoever_asks_for_it_does_not_wait_for_a_question_that_failed(engine) {
        let shop = Shop::open(engine).await;
        let reply = shop.choose("pro", "month").await;
        shop.pay(&reply);
        for told in [false, true] {
            shop.stripe.hub().add_fault(Fault::new("GET /v1/subscriptions", FaultKind::Error500).times(4));
            shop.person.post(&shop.path("/billing/refresh"), "{}").await;
            for _ in 0..4 {
                shop.test.clock.advance_ms(120_000);
                shop.test.drain_jobs().await;
            }
            // The next time would be 30 seconds later at least.
            shop.read().await;
            assert_eq!(shop.page().await["asking"], true);
            if told {
                shop.tell_all().await;
            } else {
                assert_eq!(shop.person.post(&shop.path("/billing/refresh"), "{}").await.status, 204);
            }
            shop.read().await;
            assert_eq!(shop.page().await["asking"], false);
            assert_eq!(shop.tier().await, "pro");
        }
        shop.close().await;
    }

    async fn a_click_is_one_of_the_questions_about_a_customer(engine) {
        let shop = Shop::open(engine).await;
        shop.choose("pro", "month").await;
        shop.refresh().await;
        shop.test.drain_jobs().await;
        assert_eq!(shop.asked(), 1, "the next one comes two seconds after the click");
        shop.read().await;
        assert_eq!(shop.asked(), 2);
        shop.close().await;
    }

    async fn whoever_asks_for_it_while_a_question_fails_does_not_wait_for_its_pause(engine) {
        let shop = Shop::open(engine).await;
        let reply = shop.choose("pro", "month").await;
        shop.pay(&reply);
        shop.stripe.hub().add_fault(Fault::new(QUESTION, FaultKind::Error500).times(3));
        shop.refresh().await;
        for _ in 0..3 {
            shop.test.clock.advance_ms(120_000);
            shop.test.drain_jobs().await;
        }
        // The next failure would have the one after it wait for half a minute.
        shop.stripe.hub().add_fault(Fault::new(QUESTION, FaultKind::Hang).times(1));
        shop.test.clock.advance_ms(120_000);
        let before = shop.asked();
        tokio::join!(shop.test.drain_jobs(), async {
            wait_until("the question is on its way", async || shop.asked() > before).await;
            shop.refresh().await;
            shop.stripe.hub().remove_faults();
        });
        assert_eq!(shop.tier().await, "free", "it brought no answer");
        shop.read().await;
        assert_eq!(shop.tier().await, "pro");
        shop.close().await;
    }

    async fn a_list_that_changes_between_two_pages_takes_nothing_away(engine) {
        let shop = Shop::open(engine).await;
        shop.buy("pro", "month").await;
        shop.tell_all().await;
        shop.read().await;
        // The last of the first page is gone when the second is asked for.
        let first = json!({ "data": [{ "id": "sub_gone", "customer": shop.customer(), "status": "canceled", "created": 1 }], "has_more": true });
        shop.stripe.hub().add_fault(Fault::answer(QUESTION, 200, &first.to_string()));
        shop.refresh().await;
        shop.read().await;
        assert_eq!(shop.test.db.count("subscriptions WHERE listed = 1").await, 1);
        assert_eq!(shop.page().await["asking"], true, "it is asked again");
        shop.test.clock.advance_ms(60_000);
        shop.read().await;
        assert_eq!(shop.page().await["asking"], false);
        shop.close().await;
    }

    async fn a_key_that_stripe_rejects_is_not_tried_with_every_customer(engine) {
        let shop = Shop::open(engine).await;
        shop.choose("pro", "month").await;
        for number in 2..=9 {
            shop.test.tenant(number, Tier::Free).await;
        }
        shop.test.db.damage(
            "INSERT INTO payers (org_num, id, customer_id, asked_at, created_at) \
             SELECT num, 'pay_' || substr(id, 5), 'cus_' || num, 0, 1 FROM orgs WHERE num NOT IN (SELECT org_num FROM payers)",
        ).await;
        shop.stripe.change(|state| state.api_keys.clear()).unwrap();
        app::background::keep_house(&shop.test.app).await.unwrap();
        shop.test.clock.advance_ms(60_000);
        shop.stripe.hub().forget_calls();
        shop.test.drain_jobs().await;
        assert!((1..=4).contains(&shop.asked()), "{}", shop.asked());
        assert!(shop.test.db.count("jobs WHERE last_error = 'STRIPE_REFUSED'").await > 0);
        assert_eq!(shop.test.db.count("jobs WHERE last_error = 'STRIPE_UNAVAILABLE'").await, 0);
        assert_said(&shop.choose_bot().await, 503, "BILLING_REFUSED");
        shop.close().await;
    }

    async fn all_nodes_together_ask_fifteen_times_a_second_at_most(engine) {
        let shop = Shop::open(engine).await;
        let (node, third) = (shop.second_node().await, shop.second_node().await);
        for number in 2..=40 {
            shop.test.tenant(number, Tier::Free).await;
        }
        shop.test.db.damage(
            "INSERT INTO payers (org_num, id, customer_id, asked_at, created_at) \
             SELECT num, 'pay_' || substr(id, 5), 'cus_' || num, 0, 1 FROM orgs",
        ).await;
        app::background::keep_house(&shop.test.app).await.unwrap();
        shop.test.clock.advance_ms(60_000);
        shop.stripe.hub().forget_calls();
        // They do all that is due now, and the clock stands still.
        let all = async || {
            let (one, two, three) =
                tokio::join!(app::work::drain(&shop.test.app), app::work::drain(&node), app::work::drain(&third));
            assert!(one.is_ok() && two.is_ok() && three.is_ok());
        };
        all().await;
        let asked = shop.asked();
        assert!((10..=16).contains(&asked), "turns of this second and the next one's first: {asked}");
        for _ in 0..4 {
            let before = shop.asked();
            shop.test.clock.advance_ms(1_200);
            all().await;
            assert!(shop.asked() - before <= 18, "{} in a second and a fifth", shop.asked() - before);
        }
        assert_eq!(shop.asked(), 40, "each once");
        shop.close().await;
    }

    async fn many_subscriptions_are_read_to_the_last_page(engine) {
        let shop = Shop::open(engine).await;
        shop.choose("pro", "month").await;
        let (customer, prices) = (shop.customer(), shop.stripe.state().prices);
        let bot = prices.iter().find(|(_, price)| price.lookup_key.as_deref() == Some("custom_bot_monthly")).unwrap().0;
        let pro = prices.iter().find(|(_, price)| price.lookup_key.as_deref() == Some("pro_monthly")).unwrap().0;
        shop.stripe.subscribe(&customer, pro, &[]).unwrap();
        for _ in 0..205 {
            shop.stripe.subscribe(&customer, bot, &[]).unwrap();
        }
        shop.person.post(&shop.path("/billing/refresh"), "{}").await;
        shop.read().await;
        assert_eq!(shop.test.db.count("subscriptions").await, 206);
        assert_eq!(shop.tier().await, "pro");
        shop.close().await;
    }
}
