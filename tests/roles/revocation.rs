//! The end of a link takes back what we gave, on both sides.

use app::tenancy::guild_changes::GuildChange;
use domain::roles::Direction;
use testkit::{both_databases, discord};

use super::scene::{Scene, rule};

async fn with_roles(scene: &Scene) {
    let change = GuildChange {
        verified_roles: Some(vec![discord(72)]),
        ..GuildChange::default()
    };
    scene.settings(change).await;
}

both_databases! {
    async fn an_unlink_takes_roles_and_groups_and_leaves_the_rest(engine) {
        let scene = Scene::set(engine).await;
        with_roles(&scene).await;
        scene.rules(&[rule("vip", 71, Direction::ToDiscord), rule("staff", 73, Direction::ToGame)]).await;
        scene.by_hand(1, 73, true).await;
        scene.by_hand(1, 74, true).await;
        scene.link(1).await;
        scene.report(1, "vip").await;
        scene.sync().await;
        assert_eq!((scene.has(1), scene.waiting(1).await), (vec![71, 72, 73, 74], vec!["+staff".to_owned()]));
        scene.clear(1).await;
        scene.unlink(1).await;
        scene.sync().await;
        assert_eq!((scene.has(1), scene.waiting(1).await), (vec![73, 74], vec!["-staff".to_owned()]));
        scene.clear(1).await;
        assert_eq!(scene.waiting(1).await, Vec::<String>::new());
        assert_eq!(scene.stage.count("role_members").await, 0, "nothing is left to remember");
        scene.finish().await;
    }

    async fn a_relink_moves_what_follows_from_the_account(engine) {
        let scene = Scene::set(engine).await;
        with_roles(&scene).await;
        scene.rules(&[rule("vip", 71, Direction::ToDiscord)]).await;
        scene.link(1).await;
        scene.report(1, "vip").await;
        scene.sync().await;
        assert_eq!(scene.has(1), [71, 72]);
        let tenant = &scene.stage.tenant;
        tenant.link_pair(&scene.stage.test.app, 1, 2).await.expect("a relink");
        scene.sync().await;
        assert_eq!(scene.has(1), [72], "nobody said that the other account is vip");
        tenant.link_pair(&scene.stage.test.app, 3, 2).await.expect("a relink");
        scene.sync().await;
        assert_eq!((scene.has(1), scene.has(3)), (vec![], vec![72]));
        scene.finish().await;
    }

    /// The plugin fetches, the link ends, and then the plugin says that it took everything.
    async fn what_the_plugin_took_without_seeing_it_waits_again(engine) {
        let scene = Scene::set(engine).await;
        scene.rules(&[rule("staff", 73, Direction::ToGame)]).await;
        scene.by_hand(1, 73, true).await;
        scene.link(1).await;
        scene.sync().await;
        assert_eq!(scene.waiting(1).await, ["+staff"]);
        scene.unlink(1).await;
        scene.clear(1).await;
        scene.report(1, "staff").await;
        assert_eq!(scene.waiting(1).await, Vec::<String>::new(), "the report may have been on its way");
        scene.stage.test.clock.advance_ms(60_000);
        scene.report(1, "staff").await;
        assert_eq!(scene.waiting(1).await, ["-staff"]);
        scene.clear(1).await;
        scene.report(1, "default").await;
        assert_eq!((scene.waiting(1).await, scene.stage.count("group_changes").await), (vec![], 0));
        scene.finish().await;
    }

    async fn who_has_left_owes_nothing(engine) {
        let scene = Scene::set(engine).await;
        with_roles(&scene).await;
        scene.link(1).await;
        scene.sync().await;
        scene.change(|guild| {
            guild.members.remove(&crate::bots::log::snowflake(&discord(1)));
        });
        scene.unlink(1).await;
        scene.sync().await;
        assert_eq!((scene.stage.count("role_marks").await, scene.stage.count("role_members").await), (0, 0));
        scene.finish().await;
    }
}
