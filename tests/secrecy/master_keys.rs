//! Changing the master key while the service runs.

use app::error::RequestError;
use app::tenancy::servers;
use app::{App, AppError, master_keys};
use domain::audit::Actor;
use domain::name::DisplayName;
use domain::plan::Tier;
use testkit::{Tenant, TestApp, both_databases};

use super::rows::{numbers, texts};
use super::search::{Secrets, everything_stored};

async fn assert_all_reveal(app: &App, tenants: &[Tenant]) {
    for tenant in tenants {
        let key = app::keys::plugin_keys::reveal(app, tenant.scope, tenant.server.clone(), Actor::Operator)
            .await
            .expect("a revealed key");
        assert_eq!(key.expose(), tenant.key);
    }
}

async fn kids(test: &TestApp) -> Vec<String> {
    texts(
        &test.db.db,
        "SELECT DISTINCT sealed_kid FROM api_keys ORDER BY sealed_kid",
    )
    .await
}

async fn three_tenants(test: &TestApp) -> [Tenant; 3] {
    [
        test.tenant(1, Tier::Free).await,
        test.tenant(2, Tier::Free).await,
        test.tenant(3, Tier::Free).await,
    ]
}

/// Removing this key must be refused, in words that name it.
async fn assert_kept(test: &TestApp, kid: &str) {
    let refused = master_keys::remove(&test.app, kid).await;
    let Err(AppError::Request(RequestError::InvalidParameter {
        parameter: "kid",
        problem,
    })) = refused
    else {
        panic!("the master key {kid} was not kept");
    };
    assert!(problem.contains(kid), "{problem}");
    assert!(test.app.vault.kids().contains(&kid.to_owned()));
}

both_databases! {
    async fn after_a_rotation_everything_opens_and_the_old_key_can_go(engine) {
        let test = TestApp::start(engine).await;
        let tenants = three_tenants(&test).await;
        assert_eq!(kids(&test).await, ["k1"]);
        let rotation = master_keys::rotate(&test.app).await.unwrap();
        assert_eq!((rotation.kid.as_str(), rotation.resealed), ("k2", 3));
        assert_eq!(kids(&test).await, ["k2"]);
        assert_all_reveal(&test.app, &tenants).await;
        master_keys::remove(&test.app, "k1").await.unwrap();
        assert_eq!(test.app.vault.kids(), ["k2"]);
        assert_all_reveal(&test.app, &tenants).await;
        let again = App::start(test.parts()).await.unwrap();
        assert_all_reveal(&again, &tenants).await;
        let entries = texts(
            &test.db.db,
            "SELECT target FROM audit WHERE action = 'ring.rotated'",
        )
        .await;
        assert_eq!(entries, ["k2"]);
        test.finish().await;
    }

    async fn keys_made_during_a_rotation_and_after_it_open_too(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let create = async {
            let mut made = Vec::new();
            for number in 0..10 {
                let name = DisplayName::parse(&format!("S{number}")).unwrap();
                let created =
                    servers::create(&test.app, tenant.scope, tenant.guild.clone(), name, Actor::System);
                made.push(created.await.unwrap());
            }
            made
        };
        let (made, first) = tokio::join!(create, master_keys::rotate(&test.app));
        first.unwrap();
        master_keys::rotate(&test.app).await.unwrap();
        assert_eq!(kids(&test).await, ["k3"]);
        for server in made {
            let key = app::keys::plugin_keys::reveal(&test.app, tenant.scope, server.id, Actor::System)
                .await
                .unwrap();
            assert_eq!(key.expose(), server.key.expose());
        }
        test.finish().await;
    }

    async fn a_key_that_something_needs_cannot_be_removed(engine) {
        let test = TestApp::start(engine).await;
        let tenants = three_tenants(&test).await;
        assert_kept(&test, "k1").await;
        test.app.vault.add_key(&*test.app.random).unwrap();
        assert_kept(&test, "k1").await;
        assert_kept(&test, "k2").await;
        assert!(master_keys::remove(&test.app, "k7").await.is_err());
        assert_all_reveal(&test.app, &tenants).await;
        test.finish().await;
    }

    async fn a_rotation_that_stopped_half_way_can_be_repeated_and_loses_nothing(engine) {
        let test = TestApp::start(engine).await;
        let tenants = three_tenants(&test).await;
        // As far as a process came that was killed before its last step.
        test.app.vault.add_key(&*test.app.random).unwrap();
        assert_eq!(master_keys::reseal_all(&test.app).await.unwrap(), 3);
        assert_kept(&test, "k1").await;
        let again = App::start(test.parts()).await.unwrap();
        assert_all_reveal(&again, &tenants).await;
        assert_eq!(master_keys::rotate(&again).await.unwrap().kid, "k3");
        for kid in ["k1", "k2"] {
            master_keys::remove(&again, kid).await.unwrap();
        }
        let last = App::start(test.parts()).await.unwrap();
        assert_all_reveal(&last, &tenants).await;
        test.finish().await;
    }

    async fn another_node_seals_with_the_new_key_as_soon_as_there_is_one(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let other = App::start(test.parts()).await.unwrap();
        master_keys::rotate(&test.app).await.unwrap();
        master_keys::remove(&test.app, "k1").await.unwrap();
        let name = DisplayName::parse("Elsewhere").unwrap();
        let made = servers::create(&other, tenant.scope, tenant.guild.clone(), name, Actor::System)
            .await
            .unwrap();
        assert_eq!(kids(&test).await, ["k2"]);
        let key = app::keys::plugin_keys::reveal(&test.app, tenant.scope, made.id, Actor::System)
            .await
            .unwrap();
        assert_eq!(key.expose(), made.key.expose());
        assert_all_reveal(&other, &[tenant]).await;
        App::start(test.parts()).await.unwrap();
        test.finish().await;
    }

    async fn master_keys_are_nowhere_in_the_database(engine) {
        let test = TestApp::start(engine).await;
        let mut secrets = Secrets::default();
        let path = test.app.vault.path().to_owned();
        let tenants = three_tenants(&test).await;
        secrets.master_keys(&std::fs::read_to_string(&path).unwrap());
        master_keys::rotate(&test.app).await.unwrap();
        secrets.master_keys(&std::fs::read_to_string(&path).unwrap());
        for tenant in &tenants {
            secrets.key(&tenant.key);
        }
        secrets.assert_absent("the database", &everything_stored(&test, engine).await);
        assert_eq!(numbers(&test.db.db, "SELECT num FROM api_keys").await.len(), 3);
        test.finish().await;
    }
}
