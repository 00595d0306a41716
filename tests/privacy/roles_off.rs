//! Roles and groups that came with a link go with it, though nobody remembers whose they were.

use app::tenancy::guild_changes::GuildChange;
use domain::roles::Direction;
use emulator::{Fault, FaultKind};
use testkit::{both_databases, discord, steam};

use super::{erase_everywhere, visitor};
use crate::roles::scene::{NONE, Scene};

const MEMBER: &str = "GET /api/v10/guilds/{guild}/members/{user}";

async fn with_role(engine: testkit::Engine) -> Scene {
    let scene = Scene::set(engine).await;
    let change = GuildChange {
        verified_roles: Some(vec![discord(71)]),
        ..GuildChange::default()
    };
    scene.settings(change).await;
    scene.link(1).await;
    scene.sync().await;
    assert_eq!(scene.has(1), [71]);
    scene
}

async fn is_forgotten(scene: &Scene) {
    let left = scene.stage.dump().await;
    for id in [discord(1).to_string(), steam(1).to_string()] {
        assert!(!left.contains(&id), "{left}");
    }
}

both_databases! {
    async fn roles_are_taken_off_after_an_erasure_and_nobody_is_named_meanwhile(engine) {
        let scene = with_role(engine).await;
        let mut browser = visitor(&scene.stage, 1).await;
        erase_everywhere(&mut browser).await;
        is_forgotten(&scene).await;
        assert_eq!(scene.stage.count("erased_members").await, 1);
        scene.sync().await;
        assert_eq!(scene.has(1), NONE);
        assert_eq!(scene.stage.count("erased_members").await, 0);
        is_forgotten(&scene).await;
        // What happened is still told, of nobody.
        let tenant = &scene.stage.tenant;
        let owner = scene.stage.test.session(&tenant.owner).await;
        let history = format!("/orgs/{}/guilds/{}/role-history", tenant.org, tenant.guild);
        let told = scene.stage.test.person(&owner).get(&history).await;
        assert_eq!(told.status, 200, "{}", told.text());
        assert!(told.json()["entries"][0]["discord_id"].is_null() && !told.text().contains("x:"), "{}", told.text());
        scene.stage.finish().await;
    }

    async fn a_discord_that_is_away_is_asked_again_for_a_day_and_no_longer(engine) {
        for hours in [2, 25] {
            let scene = with_role(engine).await;
            let mut browser = visitor(&scene.stage, 1).await;
            erase_everywhere(&mut browser).await;
            scene.stage.discord.hub().add_fault(Fault::new(MEMBER, FaultKind::Error500));
            scene.sync().await;
            assert_eq!((scene.has(1), scene.stage.count("erased_members").await), (vec![71], 1));
            scene.stage.test.clock.advance_ms(hours * 60 * 60_000);
            app::background::keep_house(&scene.stage.test.app).await.unwrap();
            scene.stage.discord.hub().remove_faults();
            scene.sync().await;
            assert_eq!(scene.stage.count("erased_members").await, 0);
            assert_eq!(scene.has(1), if hours == 2 { Vec::new() } else { vec![71] });
            scene.stage.finish().await;
        }
    }

    async fn whoever_comes_back_before_their_roles_are_off_keeps_what_they_have(engine) {
        let scene = with_role(engine).await;
        let mut browser = visitor(&scene.stage, 1).await;
        erase_everywhere(&mut browser).await;
        scene.link(1).await;
        assert_eq!(scene.stage.count("erased_members").await, 0);
        scene.sync().await;
        assert_eq!(scene.has(1), [71]);
        // And the role is still ours to take.
        scene.unlink(1).await;
        scene.sync().await;
        assert_eq!(scene.has(1), NONE);
        scene.stage.finish().await;
    }

    async fn what_is_left_to_be_done_survives_a_rotation_of_the_master_key(engine) {
        let scene = with_role(engine).await;
        let mut browser = visitor(&scene.stage, 1).await;
        erase_everywhere(&mut browser).await;
        let app = &scene.stage.test.app;
        let old = app.vault.active_kid();
        assert!(app::master_keys::rotate(app).await.unwrap().resealed >= 1);
        app::master_keys::remove(app, &old).await.unwrap();
        scene.sync().await;
        assert_eq!(scene.has(1), NONE);
        scene.stage.finish().await;
    }

    async fn groups_in_the_game_are_taken_back_when_the_plugin_asks_about_the_player(engine) {
        let scene = Scene::set(engine).await;
        scene.rules(&[crate::roles::scene::rule("vip", 72, Direction::ToGame)]).await;
        scene.link(1).await;
        scene.by_hand(1, 72, true).await;
        scene.sync().await;
        assert_eq!(scene.waiting(1).await, ["+vip"]);
        scene.clear(1).await;
        scene.report(1, "vip").await;
        scene.sync().await;
        let mut browser = visitor(&scene.stage, 1).await;
        erase_everywhere(&mut browser).await;
        is_forgotten(&scene).await;
        // What the plugin fetched before is cleared without it.
        scene.clear(1).await;
        assert_eq!(scene.waiting(1).await, ["-vip"]);
        let waiting = "role_ledger WHERE source = 'end' AND result = 'waiting'";
        assert_eq!(scene.stage.count(waiting).await, 1);
        scene.stage.test.clock.advance_ms(3 * 60_000);
        scene.clear(1).await;
        assert!(scene.waiting(1).await.is_empty());
        assert_eq!(scene.stage.count(waiting).await, 0, "the history waits for nothing more");
        assert_eq!(scene.stage.count("group_changes").await, 0);
        scene.stage.test.settle().await;
        is_forgotten(&scene).await;
        scene.stage.finish().await;
    }
}
