//! The day's calls to Steam.

use app::players::steam_calls;
use app::{App, Platforms, background};
use domain::plan::Tier;
use domain::quota::{DailyQuota, Purpose};
use emulator::Steam;
use platform::steam::WebApi;
use testkit::{STEAM_KEY, TestApp, both_databases, steam};

const PEOPLE: Purpose = Purpose::Verify { org_num: 1 };

/// Another process on the same database.
async fn second(test: &TestApp, peer: &Steam) -> App {
    let mut parts = test.parts();
    let client = WebApi::new(&peer.api_url(), STEAM_KEY.into(), parts.clock.clone()).unwrap();
    parts.platforms = Platforms {
        steam_api: Some(client),
        ..Platforms::default()
    };
    App::start(parts).await.unwrap()
}

both_databases! {
    async fn the_days_calls_are_shared_by_all_nodes_and_survive_a_restart(engine) {
        let (test, peer) = TestApp::start_with_steam(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let poll = format!("/api?action=groupChecks&group=4&id={},{}", steam(1), steam(2));
        test.plugin(&tenant.key).get(&poll).await;
        let api = test.app.platforms.steam_api().unwrap();
        api.groups(&steam(3), PEOPLE).await.unwrap();
        background::keep_house(&test.app).await.unwrap();
        let other = second(&test, &peer).await;
        let day = DailyQuota::day_of(test.app.now_ms());
        let rows = async || {
            let mut both = Vec::new();
            for part in ["steam_web_api_people", "steam_web_api"] {
                let rows = storage::players::daily_calls::list(&test.app.db, part, day).await.unwrap();
                both.extend(rows.iter().map(|row| (part, row.org_num, row.calls)));
            }
            both
        };
        let polls = ("steam_web_api", tenant.scope.num(), 2);
        assert_eq!(rows().await, [("steam_web_api_people", 1, 1), polls]);
        other.platforms.steam_api().unwrap().groups(&steam(4), PEOPLE).await.unwrap();
        steam_calls::share(&other).await.unwrap();
        steam_calls::share(&other).await.unwrap();
        assert_eq!(rows().await, [("steam_web_api_people", 1, 2), polls], "written down once");
        // The next day begins with nothing, and the day before yesterday is forgotten.
        test.clock.advance_ms(2 * 24 * 60 * 60_000);
        background::keep_house(&test.app).await.unwrap();
        assert_eq!(rows().await, []);
        drop(other);
        test.finish().await;
    }

    async fn what_others_spent_counts(engine) {
        let (test, _peer) = TestApp::start_with_steam(engine).await;
        let day = DailyQuota::day_of(test.app.now_ms());
        test.db.damage(&format!("INSERT INTO daily_calls (provider, day, org_num, calls) VALUES ('steam_web_api', {day}, 0, 89999)")).await;
        steam_calls::share(&test.app).await.unwrap();
        let api = test.app.platforms.steam_api().unwrap();
        assert!(api.groups(&steam(1), PEOPLE).await.is_ok());
        let spent = api.groups(&steam(1), PEOPLE).await;
        assert!(matches!(spent, Err(platform::Unanswered::OverQuota { .. })), "{spent:?}");
        test.finish().await;
    }
}
