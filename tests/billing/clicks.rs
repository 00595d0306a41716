//! Clicks at the same time, and pages that became something else since they were opened.

use domain::plan::Tier;
use emulator::stripe::SessionStatus;
use emulator::{Fault, FaultKind};
use testkit::{both_databases, rounds, wait_until};

use super::shop::{QUESTION, Shop, assert_said, session_of};

both_databases! {
    async fn clicking_twice_opens_one_page_for_one_customer(engine) {
        for _ in 0..rounds(3, 20) {
            let shop = Shop::open(engine).await;
            let clicks = (0..8).map(|_| shop.choose("pro", "year"));
            let replies = futures_util::future::join_all(clicks).await;
            let sessions: std::collections::BTreeSet<String> = replies.iter().map(session_of).collect();
            assert_eq!(sessions.len(), 1);
            let state = shop.stripe.state();
            assert_eq!((state.customers.len(), state.checkout_sessions.len()), (1, 1));
            shop.close().await;
        }
    }

    async fn another_choice_closes_the_page_that_was_open(engine) {
        let shop = Shop::open(engine).await;
        let first = session_of(&shop.choose("standard", "month").await);
        let second = session_of(&shop.choose("pro", "month").await);
        let state = shop.stripe.state();
        assert_eq!(state.checkout_sessions[&first].status, SessionStatus::Expired);
        assert_eq!(state.checkout_sessions[&second].status, SessionStatus::Open);
        assert!(shop.stripe.pay(&first).is_err(), "nobody pays for both");
        shop.close().await;
    }

    async fn a_page_that_was_paid_on_unseen_is_not_handed_out_again(engine) {
        let shop = Shop::open(engine).await;
        let first = session_of(&shop.choose("standard", "month").await);
        assert_eq!(session_of(&shop.choose("standard", "month").await), first, "while it is open");
        let over = shop.stripe.change(|state| {
            state.checkout_sessions.get_mut(&first).unwrap().status = SessionStatus::Expired;
        });
        over.unwrap();
        let second = shop.choose("standard", "month").await;
        assert_ne!(session_of(&second), first, "nobody could pay on it");
        shop.pay(&second);
        assert_said(&shop.choose("standard", "month").await, 409, "USE_PORTAL");
        shop.read().await;
        assert_eq!(shop.tier().await, "standard");
        shop.close().await;
    }

    async fn what_is_heard_while_stripe_answers_is_looked_up_before_there_is_another_page(engine) {
        let shop = Shop::open(engine).await;
        let mut late = Fault::answer(QUESTION, 200, r#"{"object":"list","data":[],"has_more":false}"#);
        late.delay_ms = Some(600_000);
        shop.stripe.hub().add_fault(late);
        let (slower, ()) = tokio::join!(shop.choose("pro", "month"), async {
            wait_until("the first click has Stripe asked", async || shop.asked() > 0).await;
            shop.buy("pro", "month").await;
            shop.tell_only("checkout.session.completed").await;
            shop.stripe.hub().remove_faults();
        });
        assert_said(&slower, 409, "USE_PORTAL");
        assert_eq!(shop.stripe.state().checkout_sessions.len(), 1);
        shop.close().await;
    }

    async fn whoever_loses_to_another_tab_is_told_to_try_again(engine) {
        let shop = Shop::open(engine).await;
        let route = "POST /v1/checkout/sessions";
        let mut slow = Fault::new(route, FaultKind::Slow).times(1);
        slow.delay_ms = Some(600_000);
        shop.stripe.hub().add_fault(slow);
        let (slower, ()) = tokio::join!(shop.choose("pro", "month"), async {
            wait_until("a page is being made", async || shop.stripe.hub().count(route) > 0).await;
            shop.test.db.damage("UPDATE checkouts SET ended_at = created_at").await;
            shop.stripe.hub().remove_faults();
        });
        assert_said(&slower, 409, "CONFLICT");
        let state = shop.stripe.state();
        assert!(state.checkout_sessions.values().all(|session| session.status == SessionStatus::Expired));
        assert_eq!(shop.choose("pro", "month").await.status, 200);
        shop.close().await;
    }

    async fn a_page_that_is_being_made_for_one_org_keeps_no_other_org_waiting(engine) {
        let shop = Shop::open(engine).await;
        let other = shop.test.tenant(2, Tier::Free).await;
        let person = shop.test.person(&shop.test.session(&other.owner).await);
        let route = "POST /v1/checkout/sessions";
        let mut slow = Fault::new(route, FaultKind::Slow).times(1);
        slow.delay_ms = Some(600_000);
        shop.stripe.hub().add_fault(slow);
        let (_, (second, others)) = tokio::join!(shop.choose("pro", "month"), async {
            wait_until("a page is being made", async || shop.stripe.hub().count(route) > 0).await;
            let second = shop.choose("pro", "month").await;
            let body = r#"{"plan":"pro","interval":"month"}"#;
            let others = person.post(&format!("/orgs/{}/billing/plan/checkout", other.org), body).await;
            shop.stripe.hub().remove_faults();
            (second, others)
        });
        assert_said(&second, 503, "BILLING_UNAVAILABLE");
        assert_eq!(others.status, 200, "{}", others.text());
        shop.close().await;
    }

    async fn while_others_are_first_whoever_clicks_is_told_when_to_try_again(engine) {
        let shop = Shop::open(engine).await;
        assert_eq!(shop.choose("pro", "month").await.status, 200);
        let (before, far) = (shop.asked(), shop.test.app.now_ms() + 1_060);
        shop.test.db.damage(&format!("UPDATE settings SET value = '{far}' WHERE name = 'billing.next_question'")).await;
        assert_said(&shop.choose_bot().await, 429, "RATE_LIMITED");
        assert_eq!(shop.asked(), before, "nobody is asked out of turn");
        shop.close().await;
    }
}
