//! Readable copies of keys open in their own place and nowhere else.

use domain::plan::Tier;
use testkit::{Client, Tenant, TestApp, both_databases};

use super::rows::texts;

async fn reveal(person: &Client, tenant: &Tenant) -> testkit::Reply {
    let address = format!("/orgs/{}/servers/{}/key/reveal", tenant.org, tenant.server);
    person.post(&address, "").await
}

async fn assert_closed(person: &Client, tenant: &Tenant) {
    let reply = reveal(person, tenant).await;
    assert_eq!((reply.status.as_u16(), reply.code().as_str()), (500, "INTERNAL"));
    assert!(!reply.text().contains("svc_live_"), "{}", reply.text());
}

/// Puts a sealed text into the key row of a tenant's Server.
async fn put(test: &TestApp, tenant: &Tenant, sealed: &str) {
    let sql = format!(
        "UPDATE api_keys SET sealed = '{sealed}' WHERE server_num = (SELECT num FROM servers WHERE id = '{}')",
        tenant.server
    );
    test.db.damage(&sql).await;
}

async fn sealed(test: &TestApp, tenant: &Tenant) -> String {
    let sql = format!(
        "SELECT k.sealed FROM api_keys k JOIN servers s ON s.num = k.server_num WHERE s.id = '{}'",
        tenant.server
    );
    texts(&test.db.db, &sql).await.remove(0)
}

both_databases! {
    async fn copies_swapped_between_two_rows_do_not_open(engine) {
        let test = TestApp::start(engine).await;
        let (one, two) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await);
        let (first, second) = (
            test.person(&test.session(&one.owner).await),
            test.person(&test.session(&two.owner).await),
        );
        let copies = (sealed(&test, &one).await, sealed(&test, &two).await);
        put(&test, &one, &copies.1).await;
        put(&test, &two, &copies.0).await;
        assert_closed(&first, &one).await;
        assert_closed(&second, &two).await;
        put(&test, &one, &copies.0).await;
        put(&test, &two, &copies.1).await;
        assert_eq!(reveal(&first, &one).await.json()["key"], one.key);
        assert_eq!(reveal(&second, &two).await.json()["key"], two.key);
        test.finish().await;
    }

    async fn the_copy_of_a_key_that_was_regenerated_away_does_not_open(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let regenerate = format!("/orgs/{}/servers/{}/key/regenerate", tenant.org, tenant.server);
        let old = sealed(&test, &tenant).await;
        assert_eq!(owner.post(&regenerate, "").await.status, 200);
        put(&test, &tenant, &old).await;
        assert_closed(&owner, &tenant).await;
        let new = owner.post(&regenerate, "").await.json()["key"].clone();
        assert_eq!(reveal(&owner, &tenant).await.json()["key"], new);
        test.finish().await;
    }

    async fn a_changed_copy_does_not_open(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let good = sealed(&test, &tenant).await;
        let middle = good.len() / 2;
        let other = if &good[middle..=middle] == "A" { "B" } else { "A" };
        let changed = [&good[..middle], other, &good[middle + 1..]].concat();
        for bad in [
            changed.as_str(),
            "",
            "v1.k9.AAAA",
            "v1.k1.",
            &tenant.key,
            &good[1..],
            &good[..good.len() - 4],
        ] {
            put(&test, &tenant, bad).await;
            assert_closed(&owner, &tenant).await;
        }
        // The key itself is not touched by what happened to its copy.
        assert_eq!(
            test.plugin(&tenant.key).get("/api?action=count").await.status,
            200
        );
        put(&test, &tenant, &good).await;
        assert_eq!(reveal(&owner, &tenant).await.json()["key"], tenant.key);
        test.finish().await;
    }
}
