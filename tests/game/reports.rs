//! What the plugin reports is taken, however much it is.

use testkit::{Engine, steam, wait_until};

use super::host::{Host, config};
use super::service::Running;
use crate::linking::stage::Stage;

const PLAYERS: u64 = 150;
/// As many as a player may be in, with names as long as they may be.
const GROUPS: u64 = 60;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_players_in_many_groups_are_reported() {
    let stage = Stage::set(Engine::Sqlite).await;
    let service = Running::start(&stage.test, None).await;
    let config = config(&service.url(), &stage.tenant.key);
    let mut host = Host::start(stage.test.db.directory(), &config).await;
    for number in 1..=PLAYERS {
        let linked = stage.tenant.link_pair(&stage.test.app, number, number).await;
        linked.expect("a link");
        host.join(number);
        for group in 0..GROUPS {
            host.order(&format!("add {} {group:x>60}", steam(number)));
        }
    }
    let written = format!("server_players WHERE oxide_groups LIKE '%{:x>60}%'", GROUPS - 1);
    wait_until("everybody is reported", || async {
        stage.count(&written).await == PLAYERS as i64
    })
    .await;
    assert_eq!(host.count("warning"), 0, "{:?}", host.told("warning"));
    service.end();
    stage.test.drain_jobs().await;
    stage.finish().await;
}
