//! Purchases and the portal.

use domain::permission::Permission;
use emulator::stripe::Ending;
use emulator::{Fault, FaultKind};
use testkit::both_databases;

use super::shop::{Shop, assert_said};

both_databases! {
    async fn a_plan_that_was_paid_for_is_had_once_stripe_says_so_and_ends_with_its_subscription(engine) {
        let shop = Shop::open(engine).await;
        let subscription = shop.buy("standard", "month").await;
        assert_eq!(shop.tier().await, "free", "paying alone changes nothing");
        shop.tell_all().await;
        assert_eq!(shop.tier().await, "standard");
        let page = shop.page().await;
        let [one] = page["subscriptions"].as_array().unwrap().as_slice() else { panic!("{page}") };
        assert_eq!((&one["tier"], &one["interval"], &one["status"]), (&"standard".into(), &"month".into(), &"active".into()));
        assert_eq!((&one["bought_by"], &one["ends_at_ms"]), (&shop.tenant.owner.name.as_str().into(), &serde_json::Value::Null));
        assert!(one["renews_at_ms"].as_i64().unwrap() > shop.test.app.now_ms());
        shop.stripe.cancel(&subscription, Ending::Now).unwrap();
        shop.tell_all().await;
        assert_eq!(shop.tier().await, "free");
        assert_eq!(shop.page().await["subscriptions"], serde_json::json!([]), "what is over is not listed");
        shop.close().await;
    }

    async fn whoever_paid_unseen_is_not_sold_a_second_plan(engine) {
        let shop = Shop::open(engine).await;
        shop.buy("standard", "month").await;
        for _ in 0..3 {
            let refused = shop.choose("pro", "month").await;
            assert_said(&refused, 409, "USE_PORTAL");
        }
        assert_eq!(shop.tier().await, "standard", "what a click finds out is known at once");
        shop.read().await;
        assert_eq!(shop.tier().await, "standard", "and what was paid is looked up");
        let refused = shop.choose("standard", "month").await;
        assert_said(&refused, 409, "USE_PORTAL");
        assert_eq!(shop.stripe.state().subscriptions.len(), 1);
        shop.close().await;
    }

    async fn whoever_is_told_of_the_payment_before_the_subscription_is_not_sold_another(engine) {
        let shop = Shop::open(engine).await;
        shop.buy("standard", "month").await;
        for event in shop.told() {
            if event["type"] == "checkout.session.completed" {
                assert_eq!(shop.tell(&event).await.status, 200);
            }
        }
        assert_said(&shop.choose("standard", "month").await, 409, "USE_PORTAL");
        assert_eq!(shop.stripe.state().checkout_sessions.len(), 1);
        shop.close().await;
    }

    async fn a_failure_that_stripe_answers_is_not_asked_for_again(engine) {
        let shop = Shop::open(engine).await;
        for route in ["POST /v1/customers", "POST /v1/checkout/sessions"] {
            shop.stripe.hub().add_fault(Fault::new(route, FaultKind::Error500).times(1));
            assert_said(&shop.choose("standard", "year").await, 503, "BILLING_UNAVAILABLE");
        }
        assert_eq!(shop.choose("standard", "year").await.status, 200);
        let calls = shop.stripe.hub().calls();
        let keys: Vec<&String> = calls.iter().filter(|call| call.route.starts_with("POST")).map(|call| &call.idempotency_key).collect();
        let once: std::collections::BTreeSet<&String> = keys.iter().copied().collect();
        assert_eq!((keys.len(), once.len()), (4, 4), "each try has a key of its own");
        shop.close().await;
    }

    async fn an_answer_that_gets_lost_makes_no_second_page(engine) {
        let shop = Shop::open(engine).await;
        for route in ["POST /v1/customers", "POST /v1/checkout/sessions"] {
            let fault = Fault::new(route, FaultKind::Lost).times(1);
            shop.stripe.hub().add_fault(fault);
            let failed = shop.choose("standard", "year").await;
            assert_said(&failed, 503, "BILLING_UNAVAILABLE");
        }
        let reply = shop.choose("standard", "year").await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        let state = shop.stripe.state();
        assert_eq!((state.customers.len(), state.checkout_sessions.len()), (1, 1));
        shop.close().await;
    }

    async fn a_customer_that_stripe_forgot_is_made_anew(engine) {
        let shop = Shop::open(engine).await;
        shop.choose("standard", "month").await;
        let gone = shop.customer();
        shop.stripe.change(|state| {
            state.customers.clear();
            state.checkout_sessions.clear();
        }).unwrap();
        // The open page is asked for no more than its time.
        shop.test.clock.advance_ms(3 * 60 * 60_000);
        let reply = shop.choose("standard", "month").await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        assert_ne!(shop.customer(), gone);
        shop.close().await;
    }

    async fn a_customer_who_pays_is_kept_while_stripe_is_asked_with_another_accounts_key(engine) {
        let shop = Shop::open(engine).await;
        let subscription = shop.buy("pro", "month").await;
        shop.tell_all().await;
        shop.read().await;
        let (customer, books) = (shop.customer(), shop.stripe.state());
        shop.forget_at_stripe();
        assert_said(&shop.choose_bot().await, 503, "BILLING_REFUSED");
        assert_eq!(shop.test.db.count(&format!("payers WHERE customer_id = '{customer}'")).await, 1);
        // It was the wrong key. What happens to the subscription is heard of as before.
        shop.stripe.change(|state| *state = books.clone()).unwrap();
        shop.test.clock.advance_ms(3_000);
        shop.stripe.cancel(&subscription, Ending::Now).unwrap();
        shop.refresh().await;
        shop.read().await;
        assert_eq!(shop.tier().await, "free");
        shop.forget_at_stripe();
        assert_eq!(shop.choose_bot().await.status, 200, "nothing is paid for any more");
        assert_ne!(shop.customer(), customer);
        shop.close().await;
    }

    async fn what_is_sold_is_chosen_by_name_and_by_nothing_else(engine) {
        let shop = Shop::open(engine).await;
        for body in [
            r#"{"plan":"pro","interval":"month","price":"price_1"}"#,
            r#"{"plan":"pro","interval":"month","customer":"cus_1"}"#,
            r#"{"plan":"pro","interval":"month","success_url":"https://evil.example"}"#,
            r#"{"plan":"pro","interval":"week"}"#,
            r#"{"plan":"gold","interval":"month"}"#,
            r#"{"plan":"free","interval":"month"}"#,
            r#"{"plan":"pro"}"#,
        ] {
            let reply = shop.person.post(&shop.path("/billing/plan/checkout"), body).await;
            assert_eq!(reply.status, 400, "{body}: {}", reply.text());
        }
        assert!(shop.stripe.state().checkout_sessions.is_empty());
        shop.close().await;
    }

    async fn a_bot_is_bought_for_one_guild_and_once(engine) {
        let shop = Shop::open(engine).await;
        let path = shop.path(&format!("/guilds/{}/billing/checkout", shop.tenant.guild));
        let reply = shop.person.post(&path, "{}").await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        shop.pay(&reply);
        shop.tell_all().await;
        assert_eq!(shop.tier().await, "free", "a bot is no plan");
        let page = shop.page().await;
        let one = &page["subscriptions"][0];
        assert_eq!((&one["bot"], &one["guild_id"]), (&true.into(), &shop.tenant.guild.as_str().into()));
        let again = shop.person.post(&path, "{}").await;
        assert_said(&again, 409, "USE_PORTAL");
        // The plan is another matter.
        assert_eq!(shop.choose("standard", "month").await.status, 200);
        shop.close().await;
    }

    async fn the_portal_is_opened_for_the_orgs_own_customer(engine) {
        let shop = Shop::open(engine).await;
        let nothing = shop.person.post(&shop.path("/billing/portal"), "{}").await;
        assert_said(&nothing, 409, "NOTHING_BOUGHT");
        shop.buy("standard", "month").await;
        let stranger = shop.stripe.add_customer("stranger@example.org");
        let opened = shop.person.post(&shop.path("/billing/portal"), "{}").await;
        assert_eq!(opened.status, 200, "{}", opened.text());
        let sessions = shop.stripe.state().portal_sessions;
        assert_eq!(sessions.len(), 1);
        assert!(sessions.values().all(|session| session.customer != stranger));
        shop.close().await;
    }

    async fn only_who_may_manage_billing_sees_or_buys_anything(engine) {
        let shop = Shop::open(engine).await;
        let all_but_billing: Vec<Permission> =
            Permission::ALL.iter().copied().filter(|one| *one != Permission::OrgBilling).collect();
        let session = shop.test.member(&shop.tenant, 77, &all_but_billing).await;
        let member = shop.test.person(&session);
        let guild = format!("/guilds/{}/billing/checkout", shop.tenant.guild);
        for path in ["/billing/plan/checkout", "/billing/portal", "/billing/refresh", guild.as_str()] {
            let reply = member.post(&shop.path(path), r#"{"plan":"pro","interval":"month"}"#).await;
            assert_said(&reply, 403, "MISSING_PERMISSION");
        }
        assert_eq!(member.get(&shop.path("/billing/subscriptions")).await.code(), "MISSING_PERMISSION");
        assert!(shop.stripe.state().customers.is_empty());
        shop.close().await;
    }

    async fn one_org_cannot_use_up_what_stripe_answers_all_of_them(engine) {
        let shop = Shop::open(engine).await;
        shop.choose("pro", "month").await;
        let mut replies = Vec::new();
        for _ in 0..100 {
            replies.push(shop.person.post(&shop.path("/billing/portal"), "{}").await.status);
        }
        assert!(shop.stripe.hub().count("POST /v1/billing_portal/sessions") <= 60);
        assert!(replies.contains(&http::StatusCode::TOO_MANY_REQUESTS));
        shop.close().await;
    }

    async fn a_silent_stripe_costs_nobody_their_plan(engine) {
        let shop = Shop::open(engine).await;
        shop.buy("pro", "month").await;
        shop.tell_all().await;
        shop.stripe.hub().add_fault(Fault::new("*", FaultKind::Error500));
        shop.read().await;
        let refused = shop.person.post(&shop.path("/billing/portal"), "{}").await;
        assert_said(&refused, 503, "BILLING_UNAVAILABLE");
        assert_eq!(shop.tier().await, "pro");
        assert_eq!(shop.page().await["tier"], "pro", "the page is there all the same");
        shop.stripe.hub().remove_faults();
        shop.close().await;
    }
}
