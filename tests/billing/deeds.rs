//! All that billing leaves in the audit log.

use app::billing::{Grant, grants};
use domain::audit::Actor;
use domain::plan::Tier;
use testkit::Engine;

use super::shop::Shop;
use crate::secrecy::rows::{Rows, texts};

/// Somebody buys, looks into the portal and is given a plan that ends. Nobody is named by it; the actions are told.
pub async fn of_billing(engine: Engine) -> Vec<String> {
    let shop = Shop::open(engine).await;
    shop.buy("standard", "month").await;
    shop.tell_all().await;
    let opened = shop.person.post(&shop.path("/billing/portal"), "{}").await;
    assert_eq!(opened.status, 200, "{}", opened.text());
    let ends_at_ms = Some(shop.test.app.now_ms() + 1_000);
    let grant = Grant {
        tier: Tier::Pro,
        ends_at_ms,
    };
    let given = grants::give(&shop.test.app, shop.tenant.scope, Some(grant), Actor::Operator).await;
    given.expect("a grant");
    shop.test.clock.advance_ms(1_000);
    app::background::keep_house(&shop.test.app)
        .await
        .expect("a round");
    let subscription = shop.newest_subscription();
    shop.test.db.damage("UPDATE subscriptions SET listed = 0").await;
    let forgotten = app::billing::forgotten::forget(
        &shop.test.app,
        shop.tenant.scope,
        subscription,
        "of an old account",
        Actor::Operator,
    );
    forgotten.await.expect("it is forgotten");
    let db = &shop.test.db.db;
    let owner = &shop.tenant.owner;
    for line in Rows::of(db).await.of_tables(db, &["audit"]).await {
        assert!(
            !line.contains(owner.discord_id.as_str()) && !line.contains(&owner.name),
            "{line}"
        );
    }
    let actions = texts(db, "SELECT DISTINCT action FROM audit").await;
    shop.close().await;
    actions
}
