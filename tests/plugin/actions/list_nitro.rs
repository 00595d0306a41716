//! `listNitro`.

use app::linking::links;
use domain::action::Action;
use domain::audit::Actor;
use domain::link::UnlinkCause;
use domain::platform_id::EitherId;
use serde_json::json;
use testkit::{both_databases, discord, steam};

use crate::plugin::actions::cases::{Case, assert_cases};
use crate::plugin::actions::{Stage, assert_answer};

const CASES: [Case; 4] = [
    Case::Before("updateNitro&id={D9}&status=1", ""),
    Case::Get("404 nobody who is linked boosts", ""),
    Case::Before("updateNitro&id={D1}&status=1", ""),
    Case::Get("200 boosters", ""),
];

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::ListNitro, "", &CASES).await;
    }

    async fn the_migration_forgets_boosters_whose_link_ended_before_it(engine) {
        let stage = Stage::set(engine).await;
        let migration = include_str!("../../../migrations/0016_changed_links.sql");
        let (_, forget) = migration.split_once("DELETE FROM boosters").expect("a statement");
        stage.get(&format!("remove&id={}", steam(2))).await;
        let body = format!(r#"{{"discord_ids":["{}","{}","{}"]}}"#, discord(1), discord(2), discord(9));
        stage.post("updateNitroBulk", &body).await;
        stage.test.db.damage(&["DELETE FROM boosters", forget].concat()).await;
        assert_eq!(stage.test.db.count("boosters").await, 2);
        assert_eq!(stage.test.db.count(&format!("boosters WHERE discord_id = '{}'", discord(2))).await, 0);
        stage.test.finish().await;
    }

    async fn the_end_of_a_link_forgets_that_its_member_boosts_however_it_ends(engine) {
        let stage = Stage::set(engine).await;
        let (app, tenant) = (&stage.test.app, &stage.tenant);
        let boost = || async {
            let body = format!(r#"{{"discord_ids":["{}","{}"]}}"#, discord(1), discord(2));
            stage.post("updateNitroBulk", &body).await;
        };
        let boosters = || async { stage.get("listNitro").await.json() };
        let only = |number| json!({ "Result": [{ "discord_id": discord(number).to_string() }] });
        boost().await;
        // By a plugin, and the person comes back.
        stage.get(&format!("remove&id={}", steam(1))).await;
        assert_eq!(boosters().await, only(2));
        tenant.link(app, 1).await;
        assert_eq!(boosters().await, only(2));
        assert_answer(&stage.get(&format!("nitroChecks&id={}", steam(1))).await, 200, &format!(r#"{{"{}":false}}"#, steam(1)));
        // By the person or the staff.
        boost().await;
        for cause in [UnlinkCause::User, UnlinkCause::Admin] {
            tenant.link(app, 1).await;
            boost().await;
            links::unlink(app, tenant.scope, tenant.guild.clone(), EitherId::Discord(discord(1)), cause, Actor::System).await.unwrap();
            assert_eq!(boosters().await, only(2), "{cause:?}");
        }
        // By another account on either side.
        tenant.link(app, 1).await;
        boost().await;
        tenant.link_pair(app, 1, 7).await.unwrap();
        assert_eq!(boosters().await, only(2));
        boost().await;
        tenant.link_pair(app, 8, 2).await.unwrap();
        assert_eq!(boosters().await, only(1));
        tenant.link(app, 2).await;
        assert_eq!(boosters().await, only(1));
        // With the whole Guild.
        app::tenancy::guilds::remove(app, tenant.scope, tenant.guild.clone(), Actor::System).await.unwrap();
        stage.test.drain_jobs().await;
        assert_eq!(stage.test.db.count("boosters").await, 0);
        stage.test.finish().await;
    }
}
