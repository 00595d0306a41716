//! How long things are kept.

use app::privacy::Sides;
use app::privacy::erase::{Extent, erase};
use domain::audit::Actor;
use domain::plan::Tier;
use testkit::{both_databases, discord, steam};

use super::link;
use crate::linking::stage::Stage;

const DAY_MS: i64 = 24 * 60 * 60_000;

both_databases! {
    async fn what_remains_of_an_erased_account_is_forgotten_when_its_time_is_over(engine) {
        let stage = Stage::set(engine).await;
        let (app, tenant) = (&stage.test.app, &stage.tenant);
        for number in [11, 1] {
            tenant.link_pair(app, 1, number).await.unwrap();
        }
        tenant.link_pair(app, 2, 11).await.unwrap();
        erase(app, Sides { discord: Some(discord(1)), steam: Some(steam(1)) }, Extent::Everywhere, Actor::Player).await.unwrap();
        let tombstone = app.erase_key.tombstone(&domain::platform_id::EitherId::Discord(discord(1)));
        let same = format!("links WHERE discord_id = '{}'", tombstone.as_str());
        stage.test.clock.advance_ms(729 * DAY_MS);
        app::background::keep_house(&stage.test.app).await.unwrap();
        assert_eq!((stage.count("tombstones").await, stage.count(&same).await), (2, 2));
        stage.test.clock.advance_ms(2 * DAY_MS);
        app::background::keep_house(&stage.test.app).await.unwrap();
        assert_eq!((stage.count("tombstones").await, stage.count(&same).await), (0, 0));
        assert_eq!(stage.count("links WHERE substr(discord_id, 1, 2) = 'x:'").await, 2);
        assert!(!stage.dump().await.contains(tombstone.as_str()));
        stage.test.drain_jobs().await;
        assert!(storage::doctor::examine(&stage.test.db.db).await.unwrap().is_empty());
        // Nothing is known of them any more.
        link(&stage, 1).await;
        assert_eq!(stage.count(&format!("people WHERE discord_id = '{}' AND accounts = 2", discord(1))).await, 1);
        stage.finish().await;
    }

    async fn scores_of_long_ago_are_forgotten(engine) {
        let stage = Stage::set(engine).await;
        link(&stage, 1).await;
        assert_eq!(stage.count("trust_points").await, 1);
        stage.test.clock.advance_ms(731 * DAY_MS);
        app::background::keep_house(&stage.test.app).await.unwrap();
        assert_eq!(stage.count("trust_points WHERE at < 1800000000000").await, 0);
        stage.finish().await;
    }

    async fn a_community_whose_digests_cannot_be_forgotten_keeps_nobody_else_waiting(engine) {
        let stage = Stage::set(engine).await;
        let (test, org) = (&stage.test, stage.tenant.scope.num());
        let other = test.tenant(2, Tier::Standard).await;
        other.link_pair(&test.app, 1, 1).await.unwrap();
        let both = Sides { discord: Some(discord(1)), steam: Some(steam(1)) };
        erase(&test.app, both, Extent::Everywhere, Actor::Player).await.unwrap();
        // More than are forgotten in one go, older than the other's, and held fast.
        let rows: Vec<String> = (0..150).map(|n| format!("({org}, 'x:{n}', 1)")).collect();
        let rows = rows.join(", ");
        for sql in [
            "CREATE TABLE held (org_num BIGINT, tombstone TEXT, FOREIGN KEY (org_num, tombstone) REFERENCES tombstones (org_num, tombstone))".to_owned(),
            format!("INSERT INTO tombstones (org_num, tombstone, erased_at) VALUES {rows}"),
            "INSERT INTO held (org_num, tombstone) SELECT org_num, tombstone FROM tombstones WHERE erased_at = 1".to_owned(),
        ] {
            test.db.damage(&sql).await;
        }
        test.clock.advance_ms(731 * DAY_MS);
        app::background::keep_house(&test.app).await.expect_err("some cannot be forgotten");
        assert_eq!((stage.count("tombstones WHERE erased_at > 1").await, stage.count("tombstones").await), (0, 150));
        test.db.damage("DROP TABLE held").await;
        for _ in 0..2 {
            app::background::keep_house(&test.app).await.unwrap();
        }
        assert_eq!(stage.count("tombstones").await, 0);
        stage.finish().await;
    }
}
