//! Members are brought in line, on both sides.

use domain::roles::Direction;
use emulator::{Fault, FaultKind};
use testkit::both_databases;

use super::scene::{NONE, Scene, rule};

const GIVE: &str = "PUT /api/v10/guilds/{guild}/members/{user}/roles/{role}";

both_databases! {
    async fn a_role_follows_a_group(engine) {
        let scene = Scene::set(engine).await;
        scene.rules(&[rule("vip", 71, Direction::ToDiscord)]).await;
        scene.link(1).await;
        scene.report(1, "vip,default").await;
        scene.sync().await;
        assert_eq!(scene.has(1), [71]);
        scene.report(1, "default").await;
        scene.sync().await;
        assert_eq!(scene.has(1), NONE);
        scene.finish().await;
    }

    async fn a_group_follows_a_role(engine) {
        let scene = Scene::set(engine).await;
        scene.rules(&[rule("vip", 71, Direction::ToGame)]).await;
        scene.link(1).await;
        scene.sync().await;
        scene.by_hand(1, 71, true).await;
        scene.sync().await;
        assert_eq!(scene.waiting(1).await, ["+vip"]);
        scene.clear(1).await;
        assert_eq!(scene.waiting(1).await, Vec::<String>::new());
        scene.report(1, "vip").await;
        scene.by_hand(1, 71, false).await;
        scene.sync().await;
        assert_eq!(scene.waiting(1).await, ["-vip"]);
        scene.finish().await;
    }

    async fn both_sides_follow_each_other_without_an_echo(engine) {
        let scene = Scene::set(engine).await;
        scene.rules(&[rule("vip", 71, Direction::Both)]).await;
        scene.link(1).await;
        scene.report(1, "default").await;
        scene.sync().await;
        scene.by_hand(1, 71, true).await;
        scene.sync().await;
        assert_eq!(scene.waiting(1).await, ["+vip"]);
        scene.clear(1).await;
        // A report that was on its way does not take the role again.
        scene.report(1, "default,other").await;
        scene.sync().await;
        assert_eq!(scene.has(1), [71]);
        scene.report(1, "default,vip").await;
        scene.sync().await;
        scene.stage.test.clock.advance_ms(120_000);
        scene.report(1, "default").await;
        scene.sync().await;
        assert_eq!((scene.has(1), scene.waiting(1).await), (vec![], vec![]));
        scene.finish().await;
    }

    async fn somebody_who_comes_back_gets_their_roles_again(engine) {
        let scene = Scene::set(engine).await;
        scene.rules(&[rule("vip", 71, Direction::Both)]).await;
        scene.link(1).await;
        scene.report(1, "vip").await;
        scene.sync().await;
        scene.change(|guild| {
            guild.members.remove(&crate::bots::log::snowflake(&testkit::discord(1)));
        });
        scene.hear(1, "left").await;
        scene.sync().await;
        assert_eq!(scene.waiting(1).await, Vec::<String>::new(), "what is theirs in the game stays");
        testkit::add_member(&scene.stage.discord, &scene.stage.tenant.discord_guild, &testkit::discord(1));
        scene.hear(1, "joined").await;
        scene.sync().await;
        assert_eq!(scene.has(1), [71]);
        scene.finish().await;
    }

    async fn what_discord_does_not_answer_is_done_later(engine) {
        let scene = Scene::set(engine).await;
        scene.rules(&[rule("vip", 71, Direction::ToDiscord)]).await;
        scene.link(1).await;
        scene.report(1, "vip").await;
        scene.stage.discord.hub().add_fault(Fault::new(GIVE, FaultKind::Error500).times(1));
        scene.sync().await;
        assert_eq!(scene.has(1), NONE);
        assert_eq!(scene.stage.count("role_marks").await, 1);
        scene.stage.test.clock.advance_ms(3_600_000);
        scene.sync().await;
        assert_eq!((scene.has(1), scene.stage.count("role_marks").await), (vec![71], 0));
        scene.finish().await;
    }
}
