//! Roles and groups, from Discord to the game and back.

use std::time::Duration;

use domain::roles::Direction;
use testkit::{Engine, steam};

use super::host::{Host, config};
use super::service::Running;
use crate::roles::scene::{NONE, Scene, rule};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_role_arrives_as_a_group_and_a_group_as_a_role() {
    let scene = Scene::set(Engine::Sqlite).await;
    scene.link(1).await;
    let service = Running::start(&scene.stage.test, None).await;
    let mut host = Host::start(
        scene.stage.test.db.directory(),
        &config(&service.url(), &scene.stage.tenant.key),
    )
    .await;
    host.join(1);
    host.until(1, &["linked"]).await;
    scene
        .rules(&[
            rule("vip", 71, Direction::Both),
            rule("builder", 72, Direction::ToDiscord),
        ])
        .await;

    let polls = host.requests().await["getPendingOxideChangesBulk"];
    scene.by_hand(1, 71, true).await;
    scene.sync().await;
    host.until(1, &["linked", "vip"]).await;
    let taken = host.requests().await["getPendingOxideChangesBulk"] - polls;
    assert!(taken <= 2, "within two polls, not {taken}");

    host.order(&format!("add {} builder", steam(1)));
    until(&scene, 1, &[71, 72]).await;
    host.order(&format!("remove {} builder", steam(1)));
    until(&scene, 1, &[71]).await;
    host.order(&format!("remove {} vip", steam(1)));
    until(&scene, 1, &NONE).await;

    // The end of the link takes back what it gave, also from somebody who is not there.
    scene.by_hand(1, 71, true).await;
    scene.sync().await;
    host.until(1, &["linked", "vip"]).await;
    host.order(&format!("leave {}", steam(1)));
    scene.unlink(1).await;
    scene.sync().await;
    host.join(1);
    host.until(1, &[]).await;
    service.end();
    scene.sync().await;
    scene.finish().await;
}

/// Until the service heard of it and did its part.
async fn until(scene: &Scene, number: u64, roles: &[u64]) {
    for _ in 0..200 {
        scene.sync().await;
        if scene.has(number) == roles {
            return;
        }
        // A report that contradicts what was asked for is believed a minute later.
        scene.stage.test.clock.advance_ms(5_000);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{number} has {:?}, not {roles:?}", scene.has(number));
}
