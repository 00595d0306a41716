//! Roles that plugins give with `update`.

use app::tenancy::guild_changes::GuildChange;
use testkit::{both_databases, discord, steam};

use super::scene::{NONE, Scene};

async fn update(scene: &Scene, number: u64, mode: &str) {
    let call = format!("update&id={}&role={}&mode={mode}", steam(number), discord(76));
    scene.plugin(&call).await;
    scene.sync().await;
}

both_databases! {
    async fn a_grant_lasts_until_it_is_taken_back_or_the_link_ends(engine) {
        let scene = Scene::set(engine).await;
        let change = GuildChange { plugin_roles: Some(vec![discord(76)]), ..GuildChange::default() };
        scene.settings(change).await;
        scene.link(1).await;
        scene.link(2).await;
        update(&scene, 1, "add").await;
        update(&scene, 2, "add").await;
        assert_eq!((scene.has(1), scene.has(2)), (vec![76], vec![76]));
        update(&scene, 1, "remove").await;
        assert_eq!(scene.has(1), NONE);
        update(&scene, 1, "add").await;
        assert_eq!(scene.has(1), [76]);
        scene.unlink(2).await;
        scene.sync().await;
        assert_eq!((scene.has(2), scene.stage.count("role_grants").await), (vec![], 1));
        scene.finish().await;
    }

    async fn a_role_that_was_there_before_is_not_taken_by_a_grant_that_ends(engine) {
        let scene = Scene::set(engine).await;
        let change = GuildChange { plugin_roles: Some(vec![discord(76)]), ..GuildChange::default() };
        scene.settings(change).await;
        scene.by_hand(1, 76, true).await;
        scene.link(1).await;
        update(&scene, 1, "add").await;
        update(&scene, 1, "remove").await;
        assert_eq!(scene.has(1), [76]);
        scene.finish().await;
    }
}
