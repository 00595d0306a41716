//! The file that the dashboard makes for a Server is one that the plugin works with.

use serde_json::{Value, json};
use testkit::Engine;

use super::host::Host;
use super::service::Running;
use crate::linking::stage::Stage;
use crate::support::server_of;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_generated_file_makes_the_plugin_work_and_says_when_it_is_old() {
    let stage = Stage::set(Engine::Sqlite).await;
    let (test, tenant) = (&stage.test, &stage.tenant);
    let owner = test.person(&test.session(&tenant.owner).await);
    let server = server_of(tenant);
    let change = r#"{"linked_group":"members"}"#;
    let patch = async |body: &str| {
        owner
            .send(http::Method::PATCH, &server, body.to_owned().into())
            .await
            .status
    };
    assert_eq!(patch(change).await, 204);
    let mut file = owner.get(&format!("{server}/plugin-file")).await.json()["content"].take();
    let service = Running::start(test, None).await;
    // As somebody fills it in who knows other plugins.
    file["Service address"] = Value::String(format!("{}/api/", service.url()));
    file["Server key"] = Value::String(tenant.key.clone());
    let mut host = Host::start(test.db.directory(), &file).await;
    tenant.link_pair(&test.app, 1, 1).await.expect("a link");
    host.join(1);
    host.until(1, &["members"]).await;
    test.app
        .memories
        .plugins
        .flush(&test.app.db, 0)
        .await
        .expect("a flush");
    let is_old = async || owner.get(&server).await.json()["config_is_old"].take();
    assert_eq!(
        is_old().await,
        json!(false),
        "the plugin sends the stamp of its file"
    );
    assert_eq!(patch(r#"{"linked_group":"verified"}"#).await, 204);
    assert_eq!(is_old().await, json!(true));
    service.end();
    stage.test.drain_jobs().await;
    stage.finish().await;
}
