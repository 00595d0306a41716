//! Erasures at the same time as each other, as links and as reports, on two nodes.

use app::App;
use app::privacy::Sides;
use app::privacy::erase::{Extent, erase};
use domain::audit::Actor;
use domain::plan::Tier;
use testkit::{Engine, TestApp, both_databases, discord, rounds, steam, wait_until};

use super::{erase_everywhere, link, visitor};
use crate::linking::stage::Stage;
use crate::secrecy::rows::Rows;

fn both(number: u64) -> Sides {
    Sides {
        discord: Some(discord(number)),
        steam: Some(steam(number)),
    }
}

async fn assert_forgotten(test: &TestApp, number: u64) {
    let rows = Rows::of(&test.db.db).await.all(&test.db.db).await.join("\n");
    for id in [discord(number).to_string(), steam(number).to_string()] {
        assert!(!rows.contains(&id), "{id} in {rows}");
    }
}

both_databases! {
    async fn two_erasures_and_a_link_at_once_leave_a_whole_link_or_nothing(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let other = App::start(test.parts()).await.unwrap();
        for number in 1..=rounds(20, 200) as u64 {
            tenant.link_pair(&test.app, number, number).await.unwrap();
            let (one, two, linked) = tokio::join!(
                erase(&test.app, both(number), Extent::Everywhere, Actor::Player),
                erase(&other, both(number), Extent::Everywhere, Actor::Player),
                tenant.link_pair(&test.app, number, number),
            );
            one.and(two).unwrap();
            linked.unwrap();
            let pair = format!("discord_id = '{}' AND steam_id = '{}'", discord(number), steam(number));
            let standing = test.db.count(&format!("links WHERE ended_at IS NULL AND {pair}")).await;
            // No ended link keeps an id, whoever was first.
            assert_eq!(test.db.count(&format!("links WHERE {pair}")).await, standing, "round {number}");
            if standing == 1 {
                erase(&other, both(number), Extent::Everywhere, Actor::Player).await.unwrap();
            }
            assert_forgotten(&test, number).await;
        }
        assert_eq!(test.db.count("tombstones").await, 2 * rounds(20, 200) as i64);
        test.drain_jobs().await;
        test.finish().await;
    }

    async fn a_press_that_began_before_an_erasure_links_nobody(engine) {
        let stage = Stage::set(engine).await;
        link(&stage, 1).await;
        let mut slow = stage.signed_in(1).await;
        let (client, form) = slow.ready().await;
        erase_everywhere(&mut visitor(&stage, 1).await).await;
        let late = client.post("/link/guild-1/verify", &form).await;
        assert!(late.status.is_client_error(), "{}", late.text());
        assert_forgotten(&stage.test, 1).await;
        stage.finish().await;
    }
}

#[tokio::test]
async fn a_report_that_is_being_written_is_waited_for_and_goes_too() {
    let test = TestApp::start(Engine::Postgres).await;
    let tenant = test.tenant(1, Tier::Pro).await;
    tenant.link_pair(&test.app, 1, 1).await.unwrap();
    let beside = test
        .db
        .begin_beside(&format!(
            "SELECT 1 FROM servers WHERE id = '{server}' FOR KEY SHARE;
             INSERT INTO server_players (server_num, guild_num, org_num, steam_id, seen_at)
             SELECT num, guild_num, org_num, '{id}', 1 FROM servers WHERE id = '{server}'",
            server = tenant.server,
            id = steam(1),
        ))
        .await;
    let report = async {
        wait_until("the erasure waits", || beside.is_awaited()).await;
        beside.commit().await;
    };
    let erasure = erase(&test.app, both(1), Extent::Everywhere, Actor::Player);
    let (erased, ()) = tokio::join!(erasure, report);
    erased.unwrap();
    assert_forgotten(&test, 1).await;
    test.finish().await;
}
