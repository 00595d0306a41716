//! What is counted by day is always what the links say. Each test ends with the doctor, who compares the two.

use app::import::{Ended, ImportRow, ImportSlice};
use app::tenancy::guilds;
use domain::audit::Actor;
use domain::link::UnlinkCause;
use domain::plan::Tier;
use http::Method;
use serde_json::json;
use testkit::{both_databases, discord, steam};

use super::{DAY_MS, analytics, counts, day, get, get_of};
use crate::players::crowd::{Who, call, link, owner, second_guild, start, unlink, users, who};
use crate::tenancy::end_guild::seed_links;

both_databases! {
    async fn every_beginning_and_every_cause_is_counted_on_its_own_day(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        for number in 1..=8 {
            link(&test, &tenant, &tenant.guild, &who(number, "Somebody")).await;
        }
        // The same pair again is no new link.
        link(&test, &tenant, &tenant.guild, &who(1, "Somebody")).await;
        test.clock.advance_ms(DAY_MS + 1);
        for (number, cause) in [(1, UnlinkCause::User), (2, UnlinkCause::Admin), (3, UnlinkCause::Plugin), (4, UnlinkCause::ZombieCleanup)] {
            unlink(&test, &tenant, &tenant.guild, number, cause).await;
        }
        // One link takes the place of two.
        link(&test, &tenant, &tenant.guild, &Who { steam: 6, ..who(5, "Somebody") }).await;
        let owner = owner(&test, &tenant).await;
        let found = get(&owner, &tenant, "").await;
        assert_eq!((&found["from"], &found["to"]), (&"2025-12-04".into(), &"2026-01-02".into()));
        assert_eq!(found["days"].as_array().expect("days").len(), 30);
        assert_eq!(counts(day(&found, "2025-12-31")), [0; 7]);
        assert_eq!(counts(day(&found, "2026-01-01")), [8, 0, 0, 0, 0, 0, 8]);
        assert_eq!(counts(day(&found, "2026-01-02")), [1, 1, 1, 1, 2, 1, 3]);
        assert_eq!(found["ceiling"], Tier::Pro.default_ceilings().links);
        test.finish().await;
    }

    async fn many_links_that_end_together_are_counted_each(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        for number in 1..=60 {
            link(&test, &tenant, &tenant.guild, &who(number, "Somebody")).await;
        }
        let owner = owner(&test, &tenant).await;
        let keys: Vec<_> = (1..=55).map(discord).collect();
        call(&owner, Method::POST, &format!("{}/unlink", users(&tenant)), &json!({ "users": keys }).to_string(), 200).await;
        test.drain_jobs().await;
        let found = get(&owner, &tenant, "").await;
        assert_eq!(counts(day(&found, "2026-01-01")), [60, 0, 55, 0, 0, 0, 5]);
        test.finish().await;
    }

    async fn imported_links_are_counted_on_the_days_they_are_from(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let now_ms = testkit::START_MS;
        let row = |number: u64, linked: i64, removed: Option<i64>| ImportRow {
            discord_id: discord(number),
            steam_id: steam(number),
            discord_name: None,
            steam_name: None,
            country: None,
            booster: false,
            groups: None,
            linked_at_ms: Some(now_ms - linked * DAY_MS),
            ended: removed.map(|days| Ended { at_ms: Some(now_ms - days * DAY_MS), cause: UnlinkCause::User }),
        };
        let rows = [row(1, 3, None), row(2, 3, None), row(3, 400, None), row(4, 20, Some(10)), row(5, 20, Some(19))];
        for part in [&rows[..3], &rows[3..]] {
            let slice = ImportSlice { guild: tenant.guild.clone(), server: None, rows: part.to_vec(), write: true, planned: 0 };
            app::import::run(&test.app, tenant.scope, slice).await.expect("an import");
        }
        let owner = owner(&test, &tenant).await;
        let found = get(&owner, &tenant, "from=2025-12-01").await;
        assert_eq!(counts(day(&found, "2025-12-12")), [2, 0, 0, 0, 0, 0, 3]);
        assert_eq!(counts(day(&found, "2025-12-11"))[6], 1, "the one of 400 days ago");
        assert_eq!(counts(day(&found, "2025-12-13")), [0, 1, 0, 0, 0, 0, 2]);
        assert_eq!(counts(day(&found, "2025-12-22")), [0, 1, 0, 0, 0, 0, 1]);
        assert_eq!(counts(day(&found, "2025-12-29")), [2, 0, 0, 0, 0, 0, 3]);
        test.finish().await;
    }

    async fn a_removed_guild_stays_in_the_sums_and_is_no_filter_any_more(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let second = second_guild(&test, &tenant).await;
        link(&test, &tenant, &second, &who(1, "Kept")).await;
        seed_links(&test.db, &tenant, 450).await;
        let owner = owner(&test, &tenant).await;
        assert_eq!(counts(day(&get(&owner, &tenant, "").await, "2026-01-01")), [451, 0, 0, 0, 0, 0, 451]);
        assert_eq!(counts(day(&get_of(&owner, &tenant, &tenant.guild).await, "2026-01-01")), [450, 0, 0, 0, 0, 0, 450]);
        assert_eq!(counts(day(&get_of(&owner, &tenant, &second).await, "2026-01-01")), [1, 0, 0, 0, 0, 0, 1]);
        guilds::remove(&test.app, tenant.scope, tenant.guild.clone(), Actor::System).await.expect("a removal");
        test.drain_jobs().await;
        assert_eq!(counts(day(&get(&owner, &tenant, "").await, "2026-01-01")), [451, 0, 450, 0, 0, 0, 1]);
        call(&owner, Method::GET, &format!("{}?guild_id={}", analytics(&tenant), tenant.guild), "", 404).await;
        test.finish().await;
    }
}
