//! What staff change, cancel and forbid while there is still something to be done.

use app::tenancy::guild_changes::GuildChange;
use domain::audit::Actor;
use domain::permission::Permission;
use domain::roles::Direction;
use emulator::discord::Permissions;
use serde_json::json;
use testkit::{both_databases, discord, steam};

use super::rules::{put, wanted};
use super::scene::{NONE, Scene, rule};

both_databases! {
    async fn nobody_but_the_owner_leads_a_group_to_a_powerful_role(engine) {
        let scene = Scene::set(engine).await;
        scene.empower(71, Permissions::ADMINISTRATOR).await;
        let tenant = &scene.stage.tenant;
        let owner = scene.stage.test.session(&tenant.owner).await;
        let staff = scene.stage.test.member(tenant, 77, &[Permission::ServersRoles]).await;
        let confirmed = json!({
            "revision": 0, "rules": [wanted("admin", 71, "to_discord")], "confirmed_roles": [discord(71).as_str()],
        });
        let saved = put(&scene, &owner, &confirmed).await;
        assert_eq!(saved.status, 200);
        let kept = saved.json()["rules"][0].clone();
        let near = json!([kept, wanted("admin", 72, "to_game")]);
        let loud = json!([kept, wanted("Admin", 72, "to_game")]);
        let far = json!([kept, wanted("admin", 72, "to_game"), wanted("default", 72, "to_discord")]);
        for rules in [&near, &loud, &far] {
            let reply = put(&scene, &staff, &json!({ "revision": 1, "rules": rules })).await;
            assert_eq!(reply.code(), "RULE_LEADS_TO_POWER", "{rules}");
        }
        let mut lasting = kept.clone();
        lasting["on_loss"] = "keep".into();
        assert_eq!(put(&scene, &staff, &json!({ "revision": 1, "rules": [lasting] })).await.code(), "ROLE_TOO_POWERFUL");
        // Also while something else stands against the role.
        scene.raise(71, true).await;
        let other = json!({ "revision": 1, "rules": [kept, wanted("default", 71, "to_discord")] });
        assert_eq!(put(&scene, &staff, &other).await.code(), "ROLE_TOO_POWERFUL");
        assert_eq!(put(&scene, &owner, &json!({ "revision": 1, "rules": near })).await.status, 200);
        scene.finish().await;
    }

    async fn an_edited_rule_begins_without_an_agreement(engine) {
        let scene = Scene::set(engine).await;
        let owner = scene.stage.test.session(&scene.stage.tenant.owner).await;
        let saved = put(&scene, &owner, &json!({ "revision": 0, "rules": [wanted("vip", 71, "both")] })).await;
        let mut moved = saved.json()["rules"][0].clone();
        scene.link(1).await;
        scene.report(1, "vip").await;
        scene.sync().await;
        assert_eq!(scene.has(1), [71]);
        moved["group"] = "gold".into();
        moved["authority"] = "discord".into();
        let edited = put(&scene, &owner, &json!({ "revision": 1, "rules": [moved] })).await;
        assert_ne!(edited.json()["rules"][0]["id"], saved.json()["rules"][0]["id"]);
        scene.sync().await;
        assert_eq!((scene.has(1), scene.waiting(1).await), (vec![71], vec!["+gold".to_owned()]));
        scene.clear(1).await;
        scene.report(1, "vip,gold").await;
        scene.finish().await;
    }

    async fn what_a_removed_rule_asked_for_is_withdrawn(engine) {
        let scene = Scene::set(engine).await;
        scene.by_hand(1, 73, true).await;
        scene.link(1).await;
        scene.rules(&[rule("admin", 73, Direction::ToGame)]).await;
        assert_eq!(scene.waiting(1).await, ["+admin"]);
        scene.rules(&[]).await;
        assert_eq!(scene.waiting(1).await, Vec::<String>::new());
        scene.finish().await;
    }

    async fn a_role_that_could_not_be_taken_back_is_tried_again_with_everybody(engine) {
        let scene = Scene::set(engine).await;
        let change = GuildChange { verified_roles: Some(vec![discord(72)]), ..GuildChange::default() };
        scene.settings(change).await;
        scene.link(1).await;
        scene.sync().await;
        scene.raise(72, true).await;
        scene.unlink(1).await;
        scene.sync().await;
        assert_eq!((scene.has(1), scene.stage.count("role_marks").await), (vec![72], 0), "it stands above the bot");
        scene.raise(72, false).await;
        let tenant = &scene.stage.tenant;
        app::roles::start(&scene.stage.test.app, tenant.scope, &tenant.guild, Actor::System).await.expect("a look at everybody");
        scene.sync().await;
        assert_eq!((scene.has(1), scene.stage.count("role_members").await), (NONE.to_vec(), 0));
        scene.finish().await;
    }

    async fn a_grant_ends_with_the_permission_to_give_it(engine) {
        let scene = Scene::set(engine).await;
        let allow = |roles: Vec<u64>| GuildChange {
            plugin_roles: Some(roles.into_iter().map(discord).collect()),
            ..GuildChange::default()
        };
        scene.settings(allow(vec![76])).await;
        scene.link(1).await;
        scene.plugin(&format!("update&id={}&role={}&mode=add", steam(1), discord(76))).await;
        scene.sync().await;
        assert_eq!(scene.has(1), [76]);
        scene.settings(allow(vec![])).await;
        assert_eq!(scene.has(1), NONE);
        scene.plugin(&format!("update&id={}&role={}&mode=remove", steam(1), discord(76))).await;
        scene.sync().await;
        scene.finish().await;
    }

    async fn a_cancelled_look_at_everybody_is_begun_by_the_next_change(engine) {
        let scene = Scene::set(engine).await;
        for number in 1..=3 {
            scene.link(number).await;
        }
        scene.sync().await;
        let (app, tenant) = (&scene.stage.test.app, &scene.stage.tenant);
        app::roles::start(app, tenant.scope, &tenant.guild, Actor::System).await.expect("a look at everybody");
        // A worker is at the lane: it is to stop before its next step.
        scene.stage.test.db.damage("UPDATE jobs SET cancelled = 1 WHERE kind = 'roles.recheck'").await;
        let change = GuildChange { verified_roles: Some(vec![discord(72)]), ..GuildChange::default() };
        scene.settings(change).await;
        assert_eq!((scene.has(1), scene.has(2), scene.has(3)), (vec![72], vec![72], vec![72]));
        scene.finish().await;
    }
}
