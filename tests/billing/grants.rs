//! Plans that operators give, and installations that sell none.

use app::Platforms;
use app::billing::{Grant, grants};
use domain::audit::Actor;
use domain::plan::{Plans, Tier};
use emulator::stripe::Ending;
use testkit::{Engine, TestApp, both_databases};

use super::shop::{Shop, assert_said, tier_of};

const DAY_MS: i64 = 24 * 60 * 60_000;

async fn give(shop: &Shop, tier: Tier, days: Option<i64>) {
    let ends_at_ms = days.map(|days| shop.test.app.now_ms() + days * DAY_MS);
    let grant = Grant { tier, ends_at_ms };
    grants::give(&shop.test.app, shop.tenant.scope, Some(grant), Actor::Operator)
        .await
        .expect("a grant");
}

both_databases! {
    async fn a_plan_that_was_given_counts_beside_what_is_paid_until_it_ends(engine) {
        let shop = Shop::open(engine).await;
        give(&shop, Tier::Pro, Some(10)).await;
        assert_eq!(shop.tier().await, "pro");
        let subscription = shop.buy("standard", "month").await;
        shop.tell_all().await;
        assert_eq!(shop.tier().await, "pro", "the better one counts");
        assert_eq!(shop.page().await["grant"]["tier"], "pro");
        shop.test.clock.advance_ms(10 * 24 * 60 * 60_000);
        app::background::keep_house(&shop.test.app).await.unwrap();
        assert_eq!(shop.tier().await, "standard");
        assert_eq!(shop.test.db.count("tier_grants").await, 0);
        give(&shop, Tier::Standard, None).await;
        shop.stripe.cancel(&subscription, Ending::Now).unwrap();
        shop.read().await;
        shop.tell_all().await;
        assert_eq!(shop.tier().await, "standard", "what was given without an end stays");
        grants::give(&shop.test.app, shop.tenant.scope, None, Actor::Operator).await.unwrap();
        assert_eq!(shop.tier().await, "free");
        shop.close().await;
    }

    async fn where_nothing_is_sold_every_org_has_the_default_and_what_it_was_given(engine) {
        let test = TestApp::start_among(engine, |_| {}, |_| {}, |_| Platforms::default()).await;
        let (one, two) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await);
        grants::give(&test.app, two.scope, None, Actor::System).await.unwrap();
        // The operator changes the default, and starts again.
        let mut parts = test.parts();
        parts.plans = Plans { default_tier: Tier::Pro, ..Plans::default() };
        let node = app::App::start(parts).await.unwrap();
        app::billing::plans::note(&node).await.unwrap();
        app::background::keep_house(&node).await.unwrap();
        assert_eq!(tier_of(&test, &one).await, "free");
        assert_eq!(tier_of(&test, &two).await, "pro");
        let me = test.person(&test.session(&one.owner).await).get("/account").await;
        assert_eq!(me.json()["billing"], false);
        let person = test.person(&test.session(&one.owner).await);
        let off = person.get(&format!("/orgs/{}/billing/subscriptions", one.org)).await;
        assert_said(&off, 404, "BILLING_OFF");
        let off = test.client().post("/billing/webhook", "{}").await;
        assert_eq!(off.status, 400, "there is no secret that it could be signed with");
        test.finish().await;
    }

    async fn ceilings_are_settings(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let mut parts = test.parts();
        parts.plans.free.servers = 1;
        parts.plans.free.orgs = 2;
        let node = app::App::start(parts).await.unwrap();
        let name = || domain::name::DisplayName::parse("More").unwrap();
        let refused = app::tenancy::servers::create(&node, tenant.scope, tenant.guild.clone(), name(), Actor::System).await;
        assert_eq!(refused.err().expect("a refusal").code(), "LIMIT_REACHED");
        let slug = domain::name::Slug::parse("second").unwrap();
        app::tenancy::orgs::create(&node, &tenant.owner, name(), slug, Actor::System).await.unwrap();
        test.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tier_that_nothing_accounts_for_is_found_and_put_right() {
    let shop = Shop::open(Engine::Sqlite).await;
    shop.test.db.damage("UPDATE orgs SET tier = 'pro'").await;
    shop.test.db.damage("UPDATE api_keys SET tier = 'pro'").await;
    let found = storage::doctor::examine(&shop.test.app.db).await.unwrap();
    assert!(
        found
            .iter()
            .any(|finding| finding.contains("tier does not follow")),
        "{found:?}"
    );
    app::background::keep_house(&shop.test.app).await.unwrap();
    assert_eq!(shop.tier().await, "free");
    shop.close().await;
}
