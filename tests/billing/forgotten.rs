//! Subscriptions that Stripe does not know any more.

use app::AppError;
use app::billing::forgotten;
use domain::audit::Actor;
use testkit::both_databases;

use super::shop::Shop;

async fn forget(shop: &Shop, subscription: &str, reason: &str) -> Result<(), AppError> {
    let (app, scope) = (&shop.test.app, shop.tenant.scope);
    forgotten::forget(app, scope, subscription.to_owned(), reason, Actor::Operator).await
}

async fn ask(shop: &Shop) {
    shop.person.post(&shop.path("/billing/refresh"), "{}").await;
    shop.read().await;
}

both_databases! {
    async fn an_operator_has_a_subscription_forgotten_that_stripe_does_not_know_any_more(engine) {
        let shop = Shop::open(engine).await;
        let subscription = shop.buy("pro", "month").await;
        shop.tell_all().await;
        shop.read().await;
        let refused = forget(&shop, &subscription, "of an old account").await.unwrap_err();
        assert_eq!(refused.code(), "INVALID_PARAMETER", "Stripe lists it");
        let books = shop.stripe.state().subscriptions;
        shop.stripe.change(|state| state.subscriptions.clear()).unwrap();
        ask(&shop).await;
        let found = storage::doctor::examine(&shop.test.app.db).await.unwrap();
        assert!(found.iter().any(|finding| finding.contains("symbolon admin forget-subscription")), "{found:?}");
        assert_eq!(forget(&shop, &subscription, "  ").await.unwrap_err().code(), "INVALID_PARAMETER");
        assert_eq!(forget(&shop, "sub_other", "of an old account").await.unwrap_err().code(), "NOT_FOUND");
        assert_eq!(shop.tier().await, "pro");
        forget(&shop, &subscription, " of an old account ").await.unwrap();
        assert_eq!(shop.tier().await, "free");
        assert!(storage::doctor::examine(&shop.test.app.db).await.unwrap().is_empty());
        let noted = format!("audit WHERE action = 'billing.subscription_forgotten' AND actor_kind = 'operator_cli' \
            AND detail LIKE '%{subscription}%' AND detail LIKE '%\"of an old account\"%'");
        assert_eq!(shop.test.db.count(&noted).await, 1);
        // It was a wrong key after all.
        shop.stripe.change(|state| state.subscriptions = books.clone()).unwrap();
        ask(&shop).await;
        assert_eq!(shop.tier().await, "pro");
        shop.close().await;
    }
}
