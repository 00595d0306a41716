//! Two nodes that reckon the scores of the same people at the same time.

use app::App;
use app::players::person;
use domain::plan::Tier;
use domain::platform_id::EitherId;
use futures_util::future::join_all;
use testkit::{Engine, Tenant, TestApp, discord, rounds};

use super::race::report;

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
/// At the same time, of one person.
const AT_ONCE: usize = 50;

async fn recompute(apps: &[App], tenant: &Tenant, people: u64) {
    for number in 1..=people {
        let at_once = (0..AT_ONCE).map(|turn| {
            let (app, key) = (&apps[turn % apps.len()], EitherId::Discord(discord(number)));
            async move { person::reckon(app, tenant.scope, &key).await }
        });
        for done in join_all(at_once).await {
            done.expect("a score");
        }
    }
}

#[tokio::test]
async fn two_nodes_that_reckon_at_once_keep_no_two_points_of_an_hour() {
    let people = rounds(10, 100) as u64;
    let test = TestApp::start(Engine::Postgres).await;
    let tenant = test.tenant(1, Tier::Pro).await;
    for number in 1..=people {
        tenant.link(&test.app, number).await;
    }
    let second = App::start(test.parts()).await.expect("a second node");
    let apps = [test.app.clone(), second];
    let times = 3;
    for _ in 0..times {
        // Older, so that each has another score; and half an hour later, when none may be kept.
        test.clock.advance_ms(40 * DAY_MS);
        recompute(&apps, &tenant, people).await;
        test.clock.advance_ms(HOUR_MS / 2);
        recompute(&apps, &tenant, people).await;
    }
    let points = test.db.count("trust_points").await;
    assert_eq!(
        points,
        (1 + times) * people as i64,
        "one when they linked, and one each time"
    );
    // The invariants say the same of any two neighbours: an hour apart, and not alike.
    drop(apps);
    test.finish().await;
    report(
        Engine::Postgres,
        &format!(
            "{people} people reckoned by two nodes, {AT_ONCE} at once, {} times: {points} points",
            2 * times
        ),
    );
}
