//! Real HTTP clients in the languages of old bots, against the service on a real port. What they would do on Discord is
//! what is judged: nobody gets a role, a name or a place because something failed. A missing interpreter is a failure.

use std::net::SocketAddr;
use std::process::Command;

use app::error::ServiceError;
use app::import::{self, ImportRow, ImportSlice};
use axum::Router;
use axum::routing::any;
use domain::action::ActionSet;
use domain::audit::Actor;
use domain::id::KeyId;
use domain::plan::Tier;
use serde_json::json;
use testkit::{Engine, START_MS, Tenant, TestApp, both_databases, discord, steam};
use tokio::sync::oneshot;
use web::Edge;
use web::error::failed_response;
use web::serve::{Limits, bind, serve};

const CLIENTS: [(&str, &str); 2] = [("python3", "old_bot.py"), ("node", "old_bot.mjs")];

/// A community with one linked player, a key that may call everything, and the service on a port of this machine.
struct Stage {
    test: TestApp,
    tenant: Tenant,
    key_id: KeyId,
    key: String,
    address: SocketAddr,
    stop: oneshot::Sender<()>,
}

impl Stage {
    async fn set(engine: Engine) -> Stage {
        let test = TestApp::start_with(
            engine,
            |limits| {
                limits.unknown_keys.burst = 10_000;
                limits.pro.burst = 1;
            },
            |_| {},
        )
        .await;
        let tenant = test.tenant(1, Tier::Standard).await;
        let row = ImportRow {
            discord_id: discord(1),
            steam_id: steam(1),
            discord_name: None,
            steam_name: Some("Ada 7".to_owned()),
            country: None,
            booster: true,
            groups: Some("vip".to_owned()),
            linked_at_ms: Some(START_MS),
            ended: None,
        };
        let slice = ImportSlice {
            guild: tenant.guild.clone(),
            server: Some(tenant.server.clone()),
            rows: vec![row],
            write: true,
            planned: 0,
        };
        import::run(&test.app, tenant.scope, slice)
            .await
            .expect("a player");
        let (key_id, key) = test.custom_key(&tenant, ActionSet::ALL, true).await;
        let (address, stop) = open(&test, web::service(test.state.clone())).await;
        Stage {
            test,
            tenant,
            key_id,
            key,
            address,
            stop,
        }
    }

    /// Both clients with a key; `statuses` are the only ones they may see, none means that all is well.
    async fn run(&self, key: &str, statuses: &[u16]) {
        self.run_as(key, statuses, false).await;
    }

    async fn run_as(&self, key: &str, statuses: &[u16], bare: bool) {
        let person =
            |number, name| json!({ "discord": discord(number), "steam": steam(number), "name": name });
        let setting = json!({
            "base": format!("http://{}", self.address),
            "key": key,
            "people": [person(1, "Ada 7"), person(2, "Nobody")],
            "statuses": statuses,
            "bare": bare,
        });
        for (interpreter, script) in CLIENTS {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/clients/");
            let mut command = Command::new(interpreter);
            command.arg([path, script].concat()).arg(setting.to_string());
            let ran = tokio::task::spawn_blocking(move || command.output())
                .await
                .expect("the client is waited for");
            let output = ran.unwrap_or_else(|error| panic!("{interpreter} is needed for this test: {error}"));
            let told = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{script} {statuses:?}: {told}");
        }
    }

    async fn finish(self) {
        self.stop.send(()).expect("the service runs");
        self.test.finish().await;
    }
}

/// Puts a service behind a port.
async fn open(test: &TestApp, service: Edge) -> (SocketAddr, oneshot::Sender<()>) {
    let listener = bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let (stop, stopped) = oneshot::channel::<()>();
    test.app.tasks.spawn(async move {
        let stopped = async { drop(stopped.await) };
        serve(listener, service, Limits::default(), stopped).await;
    });
    (address, stop)
}

/// What every call is answered with when the database cannot be reached.
async fn unavailable() -> axum::response::Response {
    failed_response(ServiceError::StorageUnavailable("gone".to_owned()).into())
}

both_databases! {
    async fn old_clients_do_what_they_always_did(engine) {
        let stage = Stage::set(engine).await;
        stage.run(&stage.key, &[]).await;
        stage.finish().await;
    }

    async fn the_oldest_clients_get_ids_without_quotes_where_their_server_asks_for_it(engine) {
        let stage = Stage::set(engine).await;
        let owner = stage.test.person(&stage.test.session(&stage.tenant.owner).await);
        let uri = format!("/orgs/{}/servers/{}", stage.tenant.org, stage.tenant.server);
        let switched = owner.send(http::Method::PATCH, &uri, r#"{"bare_ids":true}"#.into()).await;
        assert_eq!(switched.status, 204, "{}", switched.text());
        stage.run_as(&stage.key, &[], true).await;
        stage.finish().await;
    }

    async fn old_clients_do_nothing_when_their_key_is_not_accepted(engine) {
        let stage = Stage::set(engine).await;
        stage.run(&format!("svc_live_{}", "0".repeat(48)), &[401]).await;
        stage.run("the secret of another system", &[401]).await;
        app::keys::custom_keys::revoke(&stage.test.app, stage.tenant.scope, stage.key_id.clone(), Actor::System)
            .await
            .expect("revoked");
        stage.run(&stage.key, &[403]).await;
        stage.finish().await;
    }

    async fn old_clients_do_nothing_when_they_may_not(engine) {
        let stage = Stage::set(engine).await;
        let counting = [domain::action::Action::Count].into_iter().collect();
        let (_, key) = stage.test.custom_key(&stage.tenant, counting, true).await;
        stage.run(&key, &[403]).await;
        app::tenancy::servers::set_active(&stage.test.app, stage.tenant.scope, stage.tenant.server.clone(), false, Actor::System)
            .await
            .expect("switched off");
        stage.run(&stage.key, &[403]).await;
        stage.finish().await;
    }

    async fn old_clients_do_nothing_when_they_call_too_often(engine) {
        let stage = Stage::set(engine).await;
        let busy = stage.test.tenant(2, Tier::Pro).await;
        let (_, key) = stage.test.custom_key(&busy, ActionSet::ALL, true).await;
        assert_eq!(stage.test.plugin(&key).get("/api?action=count").await.status, 200);
        stage.run(&key, &[429]).await;
        stage.finish().await;
    }

    async fn old_clients_do_nothing_when_the_service_is_broken(engine) {
        let stage = Stage::set(engine).await;
        stage.test.db.damage("ALTER TABLE api_keys RENAME TO lost").await;
        stage.run(&stage.key, &[500]).await;
        stage.test.db.damage("ALTER TABLE lost RENAME TO api_keys").await;
        stage.run(&stage.key, &[]).await;
        stage.finish().await;
    }

    async fn old_clients_do_nothing_when_the_database_is_gone(engine) {
        let mut stage = Stage::set(engine).await;
        let router = Router::new().route("/api", any(unavailable));
        let (address, stop) = open(&stage.test, Edge::new(router, stage.test.state.clone())).await;
        let whole = std::mem::replace(&mut stage.address, address);
        stage.run(&stage.key, &[503]).await;
        stop.send(()).expect("the service runs");
        stage.address = whole;
        stage.run(&stage.key, &[]).await;
        stage.finish().await;
    }
}
