//! Boosters, as Discord tells.

use app::tenancy::guild_changes::GuildChange;
use testkit::{both_databases, discord, steam};

use super::scene::{NONE, Scene};
use crate::bots::log::snowflake;

fn boost(scene: &Scene, number: u64, boosts: bool) {
    scene.change(|guild| {
        let member = guild
            .members
            .get_mut(&snowflake(&discord(number)))
            .expect("a member");
        member.premium_since = boosts.then(|| "2026-01-01T00:00:00Z".to_owned());
    });
}

both_databases! {
    async fn booster_roles_come_and_go_with_the_boost(engine) {
        let scene = Scene::set(engine).await;
        let change = GuildChange { booster_roles: Some(vec![discord(75)]), ..GuildChange::default() };
        scene.settings(change).await;
        boost(&scene, 1, true);
        scene.link(1).await;
        scene.sync().await;
        assert_eq!(scene.has(1), [75]);
        let told = scene.plugin(&format!("nitroChecks&id={}", steam(1))).await;
        assert_eq!(told[steam(1).as_str()], true);
        boost(&scene, 1, false);
        scene.hear(1, "changed").await;
        scene.sync().await;
        assert_eq!(scene.has(1), NONE);
        let told = scene.plugin(&format!("nitroChecks&id={}", steam(1))).await;
        assert_eq!(told[steam(1).as_str()], false);
        scene.finish().await;
    }
}
