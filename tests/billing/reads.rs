//! What Stripe is asked, and what its answers are worth.

use domain::plan::Tier;
use emulator::stripe::Ending;
use emulator::{Fault, FaultKind};
use testkit::both_databases;

use super::shop::Shop;

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

    async fn all_nodes_together_ask_fifteen_times_a_second_at_most(engine) {
        let shop = Shop::open(engine).await;
        let node = shop.second_node().await;
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
        // Both do all that is due now, and the clock stands still.
        let both = async || {
            let (one, two) = tokio::join!(app::work::drain(&shop.test.app), app::work::drain(&node));
            assert!(one.is_ok() && two.is_ok());
        };
        both().await;
        let asked = shop.asked();
        assert!((10..=16).contains(&asked), "turns of this second and the next one's first: {asked}");
        for _ in 0..4 {
            let before = shop.asked();
            shop.test.clock.advance_ms(1_200);
            both().await;
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
