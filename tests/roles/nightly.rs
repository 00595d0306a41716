//! Looks at everybody: each night, and when somebody asks for one.

use app::tenancy::guild_changes::GuildChange;
use domain::audit::Actor;
use domain::roles::Direction;
use emulator::discord::{Member, Permissions};
use emulator::{Fault, FaultKind};
use testkit::{both_databases, discord};

use super::scene::{NONE, Scene, rule};
use crate::bots::log::snowflake;

const DAY_MS: i64 = 24 * 60 * 60_000;
const ONE: &str = "GET /api/v10/guilds/{guild}/members/{user}";
const LIST: &str = "GET /api/v10/guilds/{guild}/members";

async fn verified(scene: &Scene, members: u64) {
    scene.change(|guild| {
        for number in 1..=members {
            guild
                .members
                .entry(snowflake(&discord(number)))
                .or_insert_with(Member::default);
        }
    });
    let change = GuildChange {
        verified_roles: Some(vec![discord(72)]),
        ..GuildChange::default()
    };
    scene.settings(change).await;
    for number in 1..=members {
        scene.link(number).await;
    }
    scene.sync().await;
}

/// Something is changed that nobody hears of.
fn unheard(scene: &Scene, number: u64) {
    scene.change(|guild| {
        guild
            .members
            .get_mut(&snowflake(&discord(number)))
            .expect("a member")
            .roles
            .clear()
    });
}

pub async fn night(scene: &Scene) {
    scene.stage.test.clock.advance_ms(DAY_MS + 60_000);
    app::background::keep_house(&scene.stage.test.app)
        .await
        .expect("a tidy house");
    scene.sync().await;
}

both_databases! {
    async fn what_nobody_heard_of_is_put_right_at_night_with_few_questions(engine) {
        let scene = Scene::set(engine).await;
        verified(&scene, 30).await;
        unheard(&scene, 7);
        scene.change(|guild| drop(guild.members.remove(&snowflake(&discord(8)))));
        let hub = scene.stage.discord.hub();
        let before = (hub.count(ONE), hub.count(LIST));
        night(&scene).await;
        assert_eq!(scene.has(7), [72]);
        assert_eq!((hub.count(ONE) - before.0, hub.count(LIST) - before.1), (0, 1), "one list tells of them all");
        let row = "role_members WHERE roles = '[]'";
        assert_eq!(scene.stage.count(row).await, 1, "who left has none");
        scene.finish().await;
    }

    async fn where_discord_lists_nobody_each_is_asked_for(engine) {
        let scene = Scene::set(engine).await;
        verified(&scene, 30).await;
        unheard(&scene, 7);
        scene.stage.discord.hub().add_fault(Fault::new(LIST, FaultKind::Error403));
        night(&scene).await;
        assert_eq!((scene.has(7), scene.stage.count("role_marks").await), (vec![72], 0));
        scene.finish().await;
    }

    async fn a_look_at_everybody_is_begun_once_and_can_be_cancelled(engine) {
        let scene = Scene::set(engine).await;
        verified(&scene, 3).await;
        let (app, tenant) = (&scene.stage.test.app, &scene.stage.tenant);
        for _ in 0..2 {
            let shown = app::roles::start(app, tenant.scope, &tenant.guild, Actor::System).await.expect("begun");
            assert_eq!(shown.running.map(|(done, total, _)| (done, total)), Some((0, 3)));
        }
        assert_eq!(scene.stage.count("jobs WHERE kind = 'roles.recheck'").await, 1);
        let shown = app::roles::cancel(app, tenant.scope, &tenant.guild, Actor::System).await.expect("cancelled");
        assert_eq!((shown.running, shown.waiting), (None, 0));
        unheard(&scene, 2);
        app::roles::start(app, tenant.scope, &tenant.guild, Actor::System).await.expect("begun");
        scene.sync().await;
        assert_eq!(scene.has(2), [72]);
        // What changed nothing is not written down.
        app::roles::cancel(app, tenant.scope, &tenant.guild, Actor::System).await.expect("nothing to cancel");
        let noted = async |action: &str| scene.stage.count(&format!("audit WHERE action = 'guild.{action}'")).await;
        assert_eq!((noted("recheck_started").await, noted("recheck_cancelled").await), (2, 1));
        scene.finish().await;
    }

    async fn the_history_is_kept_for_ninety_days(engine) {
        let scene = Scene::set(engine).await;
        verified(&scene, 2).await;
        assert_eq!(scene.stage.count("role_ledger").await, 2);
        scene.stage.test.clock.advance_ms(89 * DAY_MS);
        app::background::keep_house(&scene.stage.test.app).await.expect("a tidy house");
        assert_eq!(scene.stage.count("role_ledger").await, 2);
        scene.stage.test.clock.advance_ms(2 * DAY_MS);
        app::background::keep_house(&scene.stage.test.app).await.expect("a tidy house");
        assert_eq!(scene.stage.count("role_ledger").await, 0);
        scene.finish().await;
    }

    async fn a_role_that_became_powerful_is_given_to_nobody_and_can_be_taken_back(engine) {
        let scene = Scene::set(engine).await;
        scene.rules(&[rule("vip", 71, Direction::ToDiscord)]).await;
        for number in [1, 2] {
            scene.link(number).await;
        }
        scene.report(1, "vip").await;
        scene.sync().await;
        scene.empower(71, Permissions::ADMINISTRATOR).await;
        scene.report(2, "vip").await;
        scene.report(1, "default").await;
        scene.sync().await;
        assert_eq!((scene.has(1), scene.has(2)), (vec![], vec![]));
        let told = scene.stage.count("role_ledger WHERE result = 'cannot' AND reason = 'powerful'").await;
        assert_eq!(told, 1);
        scene.finish().await;
    }

    /// Nobody is left in charge of them: the dashboard says so before.
    async fn a_guild_that_is_removed_leaves_roles_as_they_are(engine) {
        let scene = Scene::set(engine).await;
        verified(&scene, 2).await;
        let (app, tenant) = (&scene.stage.test.app, &scene.stage.tenant);
        app::tenancy::guilds::remove(app, tenant.scope, tenant.guild.clone(), Actor::System).await.expect("no Guild");
        scene.sync().await;
        assert_eq!((scene.has(1), scene.has(2)), (vec![72], vec![72]));
        let left = ["role_marks", "role_members", "role_grants", "role_mappings", "role_ledger"];
        for table in left {
            assert_eq!(scene.stage.count(table).await, 0, "{table}");
        }
        scene.finish().await;
    }

    async fn a_bot_that_is_not_there_is_waited_for(engine) {
        let scene = Scene::set(engine).await;
        verified(&scene, 1).await;
        let guild = snowflake(&scene.stage.tenant.discord_guild);
        let gone = scene.stage.discord.change(|state| state.guilds.remove(&guild).expect("the guild"));
        let kept = gone.expect("no guild");
        scene.unlink(1).await;
        scene.sync().await;
        assert_eq!(scene.stage.count("role_marks").await, 1, "what is owed is not forgotten");
        let back = scene.stage.discord.change(|state| state.guilds.insert(guild, kept));
        back.expect("the guild");
        // What was refused is left alone for a while.
        scene.stage.test.clock.advance_ms(600_000);
        scene.look().await;
        scene.sync().await;
        assert_eq!((scene.has(1), scene.stage.count("role_marks").await), (NONE.to_vec(), 0));
        scene.finish().await;
    }
}
