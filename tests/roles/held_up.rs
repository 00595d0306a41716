//! What cannot be done at once is still done later, and told where it is not.

use app::tenancy::guild_changes::GuildChange;
use domain::roles::{Direction, Template};
use emulator::discord::Permissions;
use emulator::{Fault, FaultKind};
use serde_json::json;
use testkit::{both_databases, discord, steam};

use super::nightly::night;
use super::rules::{put, wanted};
use super::scene::{NONE, Scene, rule};
use crate::bots::log::snowflake;

const MEMBER: &str = "GET /api/v10/guilds/{guild}/members/{user}";
const CHANGE_MEMBER: &str = "PATCH /api/v10/guilds/{guild}/members/{user}";
const MINUTE_MS: i64 = 60_000;

fn verified(number: u64) -> GuildChange {
    GuildChange {
        verified_roles: Some(vec![discord(number)]),
        ..GuildChange::default()
    }
}

both_databases! {
    async fn a_rule_that_is_made_anew_asks_again(engine) {
        let scene = Scene::set(engine).await;
        scene.by_hand(1, 73, true).await;
        scene.link(1).await;
        scene.rules(&[rule("admin", 73, Direction::ToGame)]).await;
        scene.rules(&[]).await;
        assert_eq!(scene.waiting(1).await, Vec::<String>::new());
        assert_eq!(scene.stage.count("role_ledger WHERE result = 'cannot' AND reason = 'withdrawn'").await, 1);
        scene.rules(&[rule("admin", 73, Direction::ToGame)]).await;
        assert_eq!(scene.waiting(1).await, ["+admin"]);
        // The same the other way round, and without a look in between.
        scene.clear(1).await;
        scene.report(1, "admin").await;
        scene.by_hand(1, 73, false).await;
        scene.sync().await;
        assert_eq!(scene.waiting(1).await, ["-admin"]);
        scene.stage.test.db.damage("DELETE FROM role_mappings").await;
        scene.rules(&[rule("admin", 73, Direction::ToGame)]).await;
        assert_eq!(scene.waiting(1).await, ["-admin"]);
        scene.finish().await;
    }

    async fn a_role_that_a_plugin_takes_back_goes_when_it_can(engine) {
        let scene = Scene::set(engine).await;
        scene.settings(GuildChange { plugin_roles: Some(vec![discord(76)]), ..GuildChange::default() }).await;
        scene.link(1).await;
        scene.plugin(&format!("update&id={}&role={}&mode=add", steam(1), discord(76))).await;
        scene.sync().await;
        scene.raise(76, true).await;
        scene.plugin(&format!("update&id={}&role={}&mode=remove", steam(1), discord(76))).await;
        scene.sync().await;
        assert_eq!(scene.has(1), [76], "it stands above the bot");
        scene.raise(76, false).await;
        night(&scene).await;
        assert_eq!((scene.has(1), scene.stage.count("role_grants").await), (NONE.to_vec(), 0));
        scene.finish().await;
    }

    async fn what_is_owed_is_tried_each_night_also_where_nobody_is_linked_any_more(engine) {
        let scene = Scene::set(engine).await;
        scene.settings(verified(72)).await;
        scene.link(1).await;
        scene.sync().await;
        scene.raise(72, true).await;
        scene.unlink(1).await;
        scene.sync().await;
        assert_eq!(scene.has(1), [72]);
        scene.raise(72, false).await;
        night(&scene).await;
        assert_eq!((scene.has(1), scene.stage.count("role_members").await), (NONE.to_vec(), 0));
        scene.finish().await;
    }

    async fn a_group_that_never_comes_is_asked_for_seldom_and_told(engine) {
        let scene = Scene::set(engine).await;
        scene.by_hand(1, 73, true).await;
        scene.link(1).await;
        scene.rules(&[rule("vipp", 73, Direction::ToGame)]).await;
        let looks = || scene.stage.discord.hub().calls().iter().filter(|call| call.route == MEMBER).count();
        let before = looks();
        let mut asked = 0;
        // For an hour, the plugin takes what waits and reports without it, every half minute.
        for _ in 0..120 {
            if !scene.waiting(1).await.is_empty() {
                asked += 1;
                scene.clear(1).await;
            }
            scene.report(1, "default").await;
            scene.sync().await;
            scene.stage.test.clock.advance_ms(MINUTE_MS / 2);
        }
        assert!((4..=7).contains(&asked), "asked for {asked} times");
        assert!(looks() - before <= 10, "{} looks", looks() - before);
        assert_eq!(scene.stage.count("role_ledger WHERE reason = 'not_shown' AND side = 'game'").await, 1);
        let owner = scene.stage.test.session(&scene.stage.tenant.owner).await;
        let address = format!("/api/orgs/{}/overview", scene.stage.tenant.org);
        let told = scene.stage.test.person(&owner).get(&address).await.text().to_owned();
        assert!(told.contains("role_out_of_reach") && told.contains("did not apply the group"), "{told}");
        // When it comes after all, nothing is left of it.
        scene.report(1, "default,vipp").await;
        scene.sync().await;
        let told = scene.stage.test.person(&owner).get(&address).await.text().to_owned();
        assert!(!told.contains("role_out_of_reach"), "{told}");
        scene.finish().await;
    }

    async fn a_role_that_leads_to_a_powerful_one_is_given_by_rules_alone(engine) {
        let scene = Scene::set(engine).await;
        scene.empower(71, Permissions::ADMINISTRATOR).await;
        let owner = scene.stage.test.session(&scene.stage.tenant.owner).await;
        let rules = json!({
            "revision": 0, "rules": [wanted("admin", 71, "to_discord"), wanted("admin", 72, "to_game")],
            "confirmed_roles": [discord(71).as_str()],
        });
        assert_eq!(put(&scene, &owner, &rules).await.status, 200);
        scene.link(1).await;
        scene.plugin(&format!("update&id={}&role={}&mode=add", steam(1), discord(72))).await;
        scene.settings(verified(72)).await;
        assert_eq!((scene.has(1), scene.waiting(1).await), (NONE.to_vec(), vec![]));
        assert!(scene.stage.count("role_ledger WHERE result = 'cannot' AND reason = 'powerful'").await > 0);
        // Whom people on Discord give it gets the group.
        scene.by_hand(1, 72, true).await;
        scene.sync().await;
        assert_eq!(scene.waiting(1).await, ["+admin"]);
        scene.finish().await;
    }

    async fn a_nickname_whose_answer_was_lost_is_ours(engine) {
        let scene = Scene::set(engine).await;
        let guild = snowflake(&scene.stage.tenant.discord_guild);
        let nick = || scene.stage.discord.state().guilds[&guild].members[&snowflake(&discord(1))].nick.clone();
        scene.change(|guild| guild.members.get_mut(&snowflake(&discord(1))).expect("a member").nick = Some("Old".to_owned()));
        let template = Template::parse("[S] {discord}").expect("a template");
        scene.settings(GuildChange { nickname_template: Some(Some(template)), ..GuildChange::default() }).await;
        scene.stage.discord.hub().add_fault(Fault::new(CHANGE_MEMBER, FaultKind::Lost).times(1));
        scene.link(1).await;
        scene.sync().await;
        assert!(nick().is_some_and(|nick| nick.starts_with("[S] ")), "Discord did it");
        scene.stage.test.clock.advance_ms(20 * MINUTE_MS);
        scene.sync().await;
        scene.unlink(1).await;
        scene.sync().await;
        assert_eq!(nick().as_deref(), Some("Old"));
        scene.finish().await;
    }

    async fn the_history_tells_that_what_a_link_had_is_gone(engine) {
        let scene = Scene::set(engine).await;
        scene.rules(&[rule("staff", 73, Direction::ToGame)]).await;
        scene.by_hand(1, 73, true).await;
        scene.link(1).await;
        scene.sync().await;
        scene.clear(1).await;
        scene.report(1, "staff").await;
        scene.sync().await;
        scene.unlink(1).await;
        scene.sync().await;
        assert_eq!(scene.stage.count("role_ledger WHERE result = 'waiting'").await, 1);
        assert_eq!(scene.waiting(1).await, ["-staff"]);
        scene.clear(1).await;
        scene.report(1, "").await;
        assert_eq!(scene.stage.count("role_ledger WHERE result = 'waiting'").await, 0);
        assert_eq!(scene.stage.count("role_ledger WHERE source = 'end' AND result = 'done' AND side = 'game'").await, 1);
        scene.finish().await;
    }

    async fn somebody_who_met_one_failure_does_not_wait_behind_bulk_work(engine) {
        let scene = Scene::set(engine).await;
        scene.settings(verified(72)).await;
        scene.stage.discord.hub().add_fault(Fault::new(MEMBER, FaultKind::Error500));
        scene.link(1).await;
        scene.sync().await;
        assert_eq!(scene.stage.count("role_marks WHERE rank = 0").await, 1, "the first time");
        scene.stage.test.clock.advance_ms(20 * MINUTE_MS);
        scene.sync().await;
        assert_eq!(scene.stage.count("role_marks WHERE rank = 1").await, 1, "whoever holds up others again and again");
        scene.stage.discord.hub().remove_faults();
        scene.stage.test.clock.advance_ms(20 * MINUTE_MS);
        scene.sync().await;
        assert_eq!(scene.has(1), [72]);
        scene.finish().await;
    }
}
