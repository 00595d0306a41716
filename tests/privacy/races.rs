//! Erasures at the same time as each other, as links and as reports, on two nodes.

use app::privacy::Sides;
use app::privacy::erase::{Extent, erase};
use app::tenancy::servers;
use app::{App, background};
use domain::audit::Actor;
use domain::name::DisplayName;
use domain::plan::Tier;
use testkit::{Client, Engine, Tenant, TestApp, both_databases, discord, rounds, steam, wait_until};

use super::{erase_everywhere, link, visitor};
use crate::linking::stage::Stage;
use crate::players::crowd;
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

/// A game server of another Guild of the Org.
async fn elsewhere(test: &TestApp, tenant: &Tenant) -> Client {
    let second = crowd::second_guild(test, tenant).await;
    let name = DisplayName::parse("Elsewhere").unwrap();
    let made = servers::create(&test.app, tenant.scope, second, name, Actor::System).await;
    test.plugin(made.unwrap().key.expose())
}

/// Waits until so many units wait for each other.
async fn stuck(test: &TestApp, units: i64) {
    let waiting = "pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    wait_until("units wait for a lock", || async {
        test.db.count(waiting).await == units
    })
    .await;
}

#[tokio::test]
async fn a_sighting_from_another_guild_that_meets_an_erasure_brings_nobody_back() {
    let test = TestApp::start(Engine::Postgres).await;
    let tenant = test.tenant(1, Tier::Pro).await;
    let elsewhere = elsewhere(&test, &tenant).await;
    tenant.link_pair(&test.app, 1, 1).await.unwrap();
    let named = format!("/api?action=findBySteam&id={}", steam(1));
    elsewhere.get(&named).await;
    background::flush_seen(&test.app).await.unwrap();
    assert_eq!(test.db.count("player_seen").await, 1);
    // They are there again an hour later, and that is not written down yet.
    test.clock.advance_ms(60 * 60_000);
    elsewhere.get(&named).await;
    let id = steam(1);
    let mark =
        format!("INSERT INTO person_marks (org_num, steam_id) SELECT num, '{id}' FROM orgs WHERE num > 0");
    test.db.damage(&mark).await;
    // The erasure gets as far as that mark: what was seen is deleted by then, and not committed.
    let held = format!("SELECT 1 FROM person_marks WHERE steam_id = '{id}' FOR UPDATE");
    let beside = test.db.begin_beside(&held).await;
    let sighting = async {
        stuck(&test, 1).await;
        let (flushed, ()) = tokio::join!(background::flush_seen(&test.app), async {
            stuck(&test, 2).await;
            beside.commit().await;
        });
        flushed.unwrap();
    };
    let erasure = erase(&test.app, both(1), Extent::Everywhere, Actor::Player);
    let (erased, ()) = tokio::join!(erasure, sighting);
    erased.unwrap();
    assert_eq!(test.db.count("player_seen").await, 0);
    assert_forgotten(&test, 1).await;
    test.finish().await;
}
