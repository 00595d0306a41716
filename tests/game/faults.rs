//! Whatever the service does or does not do, nobody loses or gets a group by it.

use testkit::{Engine, discord, steam};

use super::host::{Host, config};
use super::service::{Mood, Running};
use crate::linking::stage::Stage;

const MOODS: [Mood; 10] = [
    Mood::Refuses(401, "UNAUTHORIZED"),
    Mood::Refuses(403, "KEY_REVOKED"),
    Mood::Refuses(429, "RATE_LIMITED"),
    Mood::Refuses(500, "INTERNAL"),
    Mood::Refuses(503, "STORAGE_UNAVAILABLE"),
    Mood::Says(200, "<html>It works!</html>"),
    Mood::Says(200, "{}"),
    Mood::Says(200, "[true,false]"),
    Mood::Says(502, ""),
    Mood::Hangs,
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_failure_of_the_service_changes_a_group() {
    let stage = Stage::set(Engine::Sqlite).await;
    let (app, tenant) = (&stage.test.app, &stage.tenant);
    for number in [1, 2] {
        tenant.link_pair(app, number, number).await.expect("a link");
    }
    let mut service = Running::start(&stage.test, None).await;
    let mut host = Host::start(stage.test.db.directory(), &config(&service.url(), &tenant.key)).await;
    for number in 1..=3 {
        host.join(number);
    }
    host.order(&format!("add {} vip", steam(3)));
    host.until(1, &["linked"]).await;
    host.until(2, &["linked"]).await;
    for mood in MOODS {
        service.set(mood);
        // Also for whoever joins meanwhile.
        host.join(4);
        let before: u64 = host.requests().await.values().sum();
        while host.requests().await.values().sum::<u64>() == before {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        let groups = host.groups().await;
        let of = |number: u64| groups[steam(number).as_str()].clone();
        assert_eq!(
            (of(1), of(2), of(3), of(4)),
            (linked(), linked(), vec!["vip".to_owned()], vec![]),
            "{mood:?}"
        );
        host.order(&format!("leave {}", steam(4)));
    }
    // Killed, and back at the same address: what changed meanwhile is caught up with.
    let address = service.address;
    service.end();
    tenant.link_pair(app, 3, 3).await.expect("a link");
    unlink(&stage, 2).await;
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    assert_eq!(host.groups_of(2).await, linked());
    service = Running::start(&stage.test, Some(address)).await;
    host.until(2, &[]).await;
    host.until(3, &["linked", "vip"]).await;
    host.until(1, &["linked"]).await;
    let spent: u64 = host.requests().await.values().sum();
    assert!(spent < 200, "{spent} requests: it backs off");
    service.end();
    stage.test.drain_jobs().await;
    stage.finish().await;
}

fn linked() -> Vec<String> {
    vec!["linked".to_owned()]
}

async fn unlink(stage: &Stage, number: u64) {
    use app::linking::links;
    use domain::audit::Actor;
    use domain::link::UnlinkCause;
    use domain::platform_id::EitherId;
    let (app, tenant) = (&stage.test.app, &stage.tenant);
    let either = EitherId::Discord(discord(number));
    links::unlink(
        app,
        tenant.scope,
        tenant.guild.clone(),
        either,
        UnlinkCause::User,
        Actor::Player,
    )
    .await
    .expect("an answer");
}
