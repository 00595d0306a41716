//! What is counted each night: people by tier, links by country.

use app::tenancy::guilds;
use domain::audit::Actor;
use domain::link::UnlinkCause;
use domain::plan::Tier;
use serde_json::json;
use testkit::{TestApp, both_databases};

use super::{DAY_MS, get, get_of};
use crate::players::crowd::{Who, link, owner, second_guild, start, unlink, who};

async fn night(test: &TestApp) {
    test.clock.advance_ms(DAY_MS + 1);
    app::background::keep_house(&test.app)
        .await
        .expect("housekeeping");
    test.drain_jobs().await;
}

both_databases! {
    async fn tiers_and_countries_are_told_as_of_the_night_they_were_counted(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let second = second_guild(&test, &tenant).await;
        let owner = owner(&test, &tenant).await;
        let fresh = get(&owner, &tenant, "").await;
        assert_eq!(fresh["countries"], json!({ "as_of": null, "list": [], "other": 0, "unknown": 0 }));
        assert_eq!(fresh["tiers"], json!([]));
        for (number, country) in [(1, Some("DE")), (2, Some("DE")), (3, Some("NL")), (4, None)] {
            link(&test, &tenant, &tenant.guild, &Who { country, ..who(number, "Somebody") }).await;
        }
        link(&test, &tenant, &second, &Who { country: Some("NL"), ..who(1, "Somebody") }).await;
        link(&test, &tenant, &second, &Who { country: Some("NL"), ..who(9, "Somebody") }).await;
        unlink(&test, &tenant, &second, 9, UnlinkCause::User).await;
        night(&test).await;
        let found = get(&owner, &tenant, "").await;
        let countries = &found["countries"];
        assert_eq!((&countries["as_of"], &countries["unknown"], &countries["other"]), (&"2026-01-02".into(), &1.into(), &0.into()));
        assert_eq!(countries["list"], json!([{ "country": "DE", "links": 2 }, { "country": "NL", "links": 2 }]));
        // People, each once; whoever has no active link is not among them.
        let people = |found: &serde_json::Value, at: usize| {
            let tier = |name: &str| found["tiers"][at][name].as_i64().expect("a number");
            ["trusted", "normal", "watch", "risk"].map(tier).iter().sum::<i64>()
        };
        assert_eq!((people(&found, 0), &found["tiers"][0]["day"]), (4, &"2026-01-02".into()));
        let there = get_of(&owner, &tenant, &second).await;
        assert_eq!(people(&there, 0), 1);
        assert_eq!(there["countries"]["list"], json!([{ "country": "NL", "links": 1 }]));
        // What happens by day is not told before the next night, which takes the place of the last one for countries alone.
        unlink(&test, &tenant, &tenant.guild, 1, UnlinkCause::User).await;
        assert_eq!(get(&owner, &tenant, "").await["countries"], found["countries"]);
        night(&test).await;
        let found = get(&owner, &tenant, "").await;
        assert_eq!(found["countries"]["as_of"], "2026-01-03");
        assert_eq!(found["countries"]["list"], json!([{ "country": "NL", "links": 2 }, { "country": "DE", "links": 1 }]));
        assert_eq!((people(&found, 0), people(&found, 1)), (4, 4));
        assert_eq!(test.db.count("stat_days WHERE what LIKE 'country:%' AND day < 20456").await, 0);
        guilds::remove(&test.app, tenant.scope, tenant.guild.clone(), Actor::System).await.expect("a removal");
        test.drain_jobs().await;
        assert_eq!(test.db.count("stat_days s JOIN guilds g ON g.num = s.guild_num AND g.removed_at IS NOT NULL").await, 0);
        assert_eq!(people(&get(&owner, &tenant, "").await, 0), 4, "what was counted of the whole Org stays");
        test.finish().await;
    }

    async fn a_second_round_on_the_same_day_takes_the_place_of_the_first(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        link(&test, &tenant, &tenant.guild, &Who { country: Some("DE"), ..who(1, "Somebody") }).await;
        night(&test).await;
        link(&test, &tenant, &tenant.guild, &Who { country: Some("DE"), ..who(2, "Somebody") }).await;
        test.db.damage("UPDATE orgs SET people_swept_at = 0").await;
        app::background::keep_house(&test.app).await.expect("housekeeping");
        test.drain_jobs().await;
        let found = get(&owner(&test, &tenant).await, &tenant, "").await;
        assert_eq!(found["countries"]["list"], json!([{ "country": "DE", "links": 2 }]));
        assert_eq!(found["tiers"].as_array().expect("tiers").len(), 1);
        test.finish().await;
    }
}
