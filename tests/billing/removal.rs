//! Nothing is removed that somebody goes on paying for.

use emulator::stripe::{Ending, SessionStatus};
use emulator::{Fault, FaultKind};
use http::Method;
use serde_json::json;
use testkit::{Reply, both_databases};

use super::shop::{Shop, assert_said, session_of};
use crate::admin::operator;
use crate::support::call;

const EXPIRE: &str = "POST /v1/checkout/sessions/{session}/expire";

async fn remove_org(shop: &Shop) -> Reply {
    let body = r#"{"confirm":"org-1"}"#;
    shop.person
        .send(Method::DELETE, &shop.path(""), body.into())
        .await
}

async fn remove_guild(shop: &Shop) -> Reply {
    let body = r#"{"confirm":"guild-1"}"#;
    let path = shop.path(&format!("/guilds/{}", shop.tenant.guild));
    shop.person.send(Method::DELETE, &path, body.into()).await
}

both_databases! {
    async fn an_org_that_is_paid_for_stays_until_its_subscription_is_to_end(engine) {
        let shop = Shop::open(engine).await;
        let subscription = shop.buy("standard", "month").await;
        shop.tell_all().await;
        let refused = remove_org(&shop).await;
        assert_said(&refused, 409, "ACTIVE_SUBSCRIPTION");
        shop.test.clock.advance_ms(1_000);
        shop.stripe.cancel(&subscription, Ending::AtPeriodEnd).unwrap();
        shop.tell_all().await;
        assert_eq!(shop.tier().await, "standard", "what is paid is had to its end");
        assert!(shop.page().await["subscriptions"][0]["ends_at_ms"].is_i64());
        shop.read().await;
        assert_eq!(remove_org(&shop).await.status, 204);
        // What is heard of it later harms nobody.
        shop.test.clock.advance_ms(40 * 24 * 60 * 60_000);
        shop.tell_all().await;
        shop.read().await;
        shop.close().await;
    }

    async fn a_guild_whose_bot_is_paid_for_stays_too(engine) {
        let shop = Shop::open(engine).await;
        let path = shop.path(&format!("/guilds/{}/billing/checkout", shop.tenant.guild));
        shop.pay(&shop.person.post(&path, "{}").await);
        shop.tell_all().await;
        let refused = remove_guild(&shop).await;
        assert_said(&refused, 409, "ACTIVE_SUBSCRIPTION");
        assert_eq!(remove_org(&shop).await.code(), "ACTIVE_SUBSCRIPTION");
        shop.stripe.cancel(&shop.newest_subscription(), Ending::Now).unwrap();
        shop.tell_all().await;
        shop.read().await;
        assert_eq!(remove_guild(&shop).await.status, 204);
        shop.close().await;
    }

    async fn what_was_just_paid_for_is_not_removed(engine) {
        let shop = Shop::open(engine).await;
        shop.buy("pro", "month").await;
        assert_eq!(remove_org(&shop).await.code(), "ACTIVE_SUBSCRIPTION", "nobody told us yet");
        shop.read().await;
        assert_eq!(shop.tier().await, "pro");
        shop.close().await;
    }

    async fn what_may_have_been_paid_for_is_looked_up_before_it_is_removed(engine) {
        let shop = Shop::open(engine).await;
        shop.buy("pro", "month").await;
        // The payment is heard of, and the subscription is not.
        for event in shop.told() {
            if event["type"] == "checkout.session.completed" {
                assert_eq!(shop.tell(&event).await.status, 200);
            }
        }
        assert_eq!(remove_org(&shop).await.code(), "BILLING_UNSETTLED");
        shop.read().await;
        assert_eq!(remove_org(&shop).await.code(), "ACTIVE_SUBSCRIPTION");
        shop.close().await;
    }

    async fn a_page_that_is_open_for_what_was_removed_is_closed(engine) {
        let shop = Shop::open(engine).await;
        let session = session_of(&shop.choose("pro", "month").await);
        assert_eq!(remove_org(&shop).await.status, 204);
        shop.read().await;
        assert_eq!(shop.stripe.state().checkout_sessions[&session].status, SessionStatus::Expired);
        shop.close().await;
    }

    async fn while_stripe_is_away_what_is_known_here_decides(engine) {
        let shop = Shop::open(engine).await;
        let session = session_of(&shop.choose("pro", "month").await);
        shop.stripe.hub().add_fault(Fault::new("*", FaultKind::Error500));
        // Somebody looked whether they had paid.
        shop.person.post(&shop.path("/billing/refresh"), "{}").await;
        assert_eq!(remove_guild(&shop).await.status, 204);
        assert_eq!(remove_org(&shop).await.status, 204);
        shop.read().await;
        assert_eq!(shop.stripe.state().checkout_sessions[&session].status, SessionStatus::Open);
        shop.stripe.hub().remove_faults();
        shop.test.clock.advance_ms(60_000);
        shop.read().await;
        assert_eq!(shop.stripe.state().checkout_sessions[&session].status, SessionStatus::Expired, "closed as soon as that could be");
        shop.close().await;
    }

    async fn what_renews_stays_while_stripe_is_away(engine) {
        let shop = Shop::open(engine).await;
        shop.buy("pro", "month").await;
        shop.tell_all().await;
        shop.stripe.hub().add_fault(Fault::new("*", FaultKind::Error500));
        assert_said(&remove_org(&shop).await, 409, "ACTIVE_SUBSCRIPTION");
        assert_eq!(remove_guild(&shop).await.status, 204, "nobody pays for the Guild");
        shop.stripe.hub().remove_faults();
        shop.close().await;
    }

    async fn a_page_that_cannot_be_closed_keeps_nothing_from_being_read(engine) {
        let shop = Shop::open(engine).await;
        let subscription = shop.buy("standard", "month").await;
        shop.tell_all().await;
        shop.read().await;
        let session = session_of(&shop.choose_bot().await);
        shop.stripe.hub().add_fault(Fault::new(EXPIRE, FaultKind::Error500));
        assert_eq!(remove_guild(&shop).await.status, 204);
        shop.stripe.switch_price(&subscription, &shop.price_of("pro")).unwrap();
        shop.refresh().await;
        shop.read().await;
        assert_eq!(shop.tier().await, "pro", "and no event was heard");
        assert_eq!(shop.stripe.state().checkout_sessions[&session].status, SessionStatus::Open);
        shop.stripe.hub().remove_faults();
        shop.test.clock.advance_ms(60_000);
        shop.read().await;
        assert_eq!(shop.stripe.state().checkout_sessions[&session].status, SessionStatus::Expired);
        shop.close().await;
    }

    async fn a_key_that_may_close_no_page_stands_in_nobodys_way(engine) {
        let shop = Shop::open(engine).await;
        let session = session_of(&shop.choose("pro", "month").await);
        shop.stripe.hub().add_fault(Fault::new(EXPIRE, FaultKind::Error403));
        assert_said(&shop.choose("standard", "month").await, 503, "BILLING_REFUSED");
        assert_eq!(remove_org(&shop).await.status, 204, "nobody is paying on it");
        shop.stripe.hub().remove_faults();
        shop.read().await;
        assert_eq!(shop.stripe.state().checkout_sessions[&session].status, SessionStatus::Expired);
        shop.close().await;
    }

    async fn what_ends_years_from_now_renews_until_then(engine) {
        let shop = Shop::open(engine).await;
        let subscription = shop.buy("standard", "month").await;
        let far = shop.test.app.now_ms() / 1_000 + 2 * 365 * 24 * 60 * 60;
        let dated = shop.stripe.change(|state| {
            state.subscriptions.get_mut(&subscription).unwrap().cancel_at = Some(far);
        });
        dated.unwrap();
        shop.refresh().await;
        shop.read().await;
        let page = shop.page().await;
        let one = &page["subscriptions"][0];
        assert!(one["renews_at_ms"].is_i64() && one["ends_at_ms"].is_null(), "{page}");
        assert_said(&remove_org(&shop).await, 409, "ACTIVE_SUBSCRIPTION");
        // In the last period it is about to end.
        shop.test.db.damage("UPDATE subscriptions SET period_end = cancel_at").await;
        let page = shop.page().await;
        let one = &page["subscriptions"][0];
        assert!(one["renews_at_ms"].is_null() && one["ends_at_ms"].is_i64(), "{page}");
        assert_eq!(remove_org(&shop).await.status, 204);
        shop.close().await;
    }

    async fn nobody_keeps_a_discord_server_from_operators_by_paying_for_its_bot(engine) {
        let shop = Shop::open(engine).await;
        shop.pay(&shop.choose_bot().await);
        shop.tell_all().await;
        shop.read().await;
        assert_said(&remove_guild(&shop).await, 409, "ACTIVE_SUBSCRIPTION");
        let (_, operator) = operator(&shop.test, 21).await;
        let body = json!({ "reason": "Claimed by mistake", "confirm": shop.tenant.discord_guild.as_str() });
        let uri = format!("/admin/guilds/{}/release", shop.tenant.guild);
        let released = call(&operator, Method::POST, &uri, &body).await;
        assert_eq!(released.status, 204, "{}", released.text());
        let found = storage::doctor::examine(&shop.test.app.db).await.unwrap();
        assert!(found.iter().any(|finding| finding.contains("goes on paying for a removed Org or Guild")), "{found:?}");
        shop.test.clock.advance_ms(1_000);
        shop.stripe.cancel(&shop.newest_subscription(), Ending::Now).unwrap();
        shop.tell_all().await;
        shop.close().await;
    }

    async fn a_removal_that_is_refused_leaves_open_pages_open(engine) {
        let shop = Shop::open(engine).await;
        shop.buy("standard", "month").await;
        shop.tell_all().await;
        let path = shop.path(&format!("/guilds/{}/billing/checkout", shop.tenant.guild));
        let session = session_of(&shop.person.post(&path, "{}").await);
        assert_said(&remove_org(&shop).await, 409, "ACTIVE_SUBSCRIPTION");
        assert_eq!(shop.stripe.state().checkout_sessions[&session].status, SessionStatus::Open);
        shop.pay(&shop.person.post(&path, "{}").await);
        shop.tell_all().await;
        assert_eq!(shop.stripe.state().subscriptions.len(), 2, "it could still be paid on");
        shop.close().await;
    }
}
