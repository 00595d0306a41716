//! What ends without an unlink: by a block, with a Server, with a key.

use app::identity::blocklist::{self, BlockRequest};
use app::keys::custom_keys;
use app::tenancy::guild_changes::GuildChange;
use app::tenancy::servers;
use domain::action::ActionSet;
use domain::audit::Actor;
use domain::blocklist::BlockEntry;
use domain::roles::Direction;
use serde_json::json;
use testkit::{both_databases, discord, steam};

use super::scene::{NONE, Scene, rule};
use crate::bots::interactions::{said, used};

async fn with_plugin_role(engine: testkit::Engine) -> Scene {
    let scene = Scene::set(engine).await;
    let change = GuildChange {
        plugin_roles: Some(vec![discord(76)]),
        ..GuildChange::default()
    };
    scene.settings(change).await;
    scene.link(1).await;
    scene.link(2).await;
    scene
}

fn give(number: u64) -> String {
    format!("update&id={}&role={}&mode=add", steam(number), discord(76))
}

both_databases! {
    async fn a_block_takes_roles_and_groups_until_it_is_lifted(engine) {
        let scene = Scene::set(engine).await;
        let change = GuildChange { verified_roles: Some(vec![discord(72)]), ..GuildChange::default() };
        scene.settings(change).await;
        scene.rules(&[rule("staff", 73, Direction::ToGame)]).await;
        for number in [1, 2] {
            scene.by_hand(number, 73, true).await;
            scene.link(number).await;
        }
        scene.sync().await;
        scene.clear(1).await;
        scene.report(1, "staff").await;
        scene.sync().await;
        assert_eq!((scene.has(1), scene.waiting(1).await), (vec![72, 73], vec![]));
        let app = &scene.stage.test.app;
        for entry in [BlockEntry::steam(&steam(1)), BlockEntry::discord(&discord(1))] {
            let request = BlockRequest { entry: entry.clone(), discord_id: None, reason: "x".to_owned(), days: None };
            blocklist::block(app, request, Actor::Operator).await.expect("a block");
            scene.sync().await;
            assert_eq!((scene.has(1), scene.waiting(1).await), (vec![73], vec!["-staff".to_owned()]));
            assert_eq!(scene.has(2), [72, 73], "somebody else keeps theirs");
            blocklist::unblock(app, entry, Actor::Operator).await.expect("no block");
            scene.clear(1).await;
            scene.report(1, "default").await;
            scene.sync().await;
            assert_eq!((scene.has(1), scene.waiting(1).await), (vec![72, 73], vec!["+staff".to_owned()]));
            scene.clear(1).await;
            scene.report(1, "staff").await;
            scene.sync().await;
        }
        scene.finish().await;
    }

    async fn what_a_server_gave_ends_with_it(engine) {
        let scene = with_plugin_role(engine).await;
        let (app, tenant) = (&scene.stage.test.app, &scene.stage.tenant);
        let (_, key) = scene.stage.test.custom_key(tenant, ActionSet::ALL, false).await;
        scene.plugin(&give(1)).await;
        assert_eq!(scene.stage.test.plugin(&key).get(&format!("/api?action={}", give(2))).await.status, 200);
        scene.sync().await;
        assert_eq!((scene.has(1), scene.has(2)), (vec![76], vec![76]));
        servers::delete(app, tenant.scope, tenant.server.clone(), Actor::System).await.expect("no Server");
        scene.sync().await;
        assert_eq!((scene.has(1), scene.has(2)), (vec![], vec![76]));
        assert_eq!(scene.stage.count("role_grants").await, 1);
        scene.finish().await;
    }

    async fn what_a_key_gave_ends_with_it(engine) {
        let scene = with_plugin_role(engine).await;
        let (app, tenant) = (&scene.stage.test.app, &scene.stage.tenant);
        let (id, key) = scene.stage.test.custom_key(tenant, ActionSet::ALL, false).await;
        let reply = scene.stage.test.plugin(&key).get(&format!("/api?action={}", give(1))).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        scene.plugin(&give(2)).await;
        scene.sync().await;
        assert_eq!((scene.has(1), scene.has(2)), (vec![76], vec![76]));
        custom_keys::revoke(app, tenant.scope, id, Actor::System).await.expect("no key");
        scene.sync().await;
        assert_eq!((scene.has(1), scene.has(2)), (vec![], vec![76]));
        scene.finish().await;
    }

    /// Whoever was marked before a change may have been looked at before it, too.
    async fn a_change_begins_a_look_at_everybody_anew(engine) {
        let scene = Scene::set(engine).await;
        for number in 1..=3 {
            scene.link(number).await;
        }
        scene.sync().await;
        let (app, tenant) = (&scene.stage.test.app, &scene.stage.tenant);
        app::roles::start(app, tenant.scope, &tenant.guild, Actor::System).await.expect("a look at everybody");
        scene.stage.test.db.damage("UPDATE jobs SET cursor = '9', done = 2 WHERE kind = 'roles.recheck'").await;
        let change = GuildChange { verified_roles: Some(vec![discord(72)]), ..GuildChange::default() };
        scene.settings(change).await;
        assert_eq!((scene.has(1), scene.has(2), scene.has(3)), (vec![72], vec![72], vec![72]));
        assert_eq!(scene.stage.count("jobs").await, 0);
        scene.finish().await;
    }

    async fn staff_have_roles_looked_at_from_discord(engine) {
        let scene = Scene::set(engine).await;
        let change = GuildChange { verified_roles: Some(vec![discord(72)]), ..GuildChange::default() };
        scene.settings(change).await;
        scene.link(1).await;
        scene.link(2).await;
        scene.sync().await;
        let bot = scene.stage.test.platform_bot().await;
        let lose = || scene.change(|guild| guild.members.values_mut().for_each(|member| member.roles.clear()));
        lose();
        let one = json!({ "user": discord(1).as_str() });
        let text = said(&bot, &used(&scene.stage.tenant, 900_001, "sync", one)).await;
        assert!(text.contains(discord(1).as_str()), "{text}");
        scene.sync().await;
        assert_eq!((scene.has(1), scene.has(2)), (vec![72], vec![]));
        lose();
        said(&bot, &used(&scene.stage.tenant, 900_001, "sync", json!({}))).await;
        scene.sync().await;
        assert_eq!((scene.has(1), scene.has(2)), (vec![72], vec![72]));
        let nobody = json!({ "user": discord(50).as_str() });
        let text = said(&bot, &used(&scene.stage.tenant, 900_001, "sync", nobody)).await;
        assert!(text.contains("not linked"), "{text}");
        assert_eq!((scene.has(3), scene.stage.count("role_marks").await), (NONE.to_vec(), 0));
        scene.finish().await;
    }
}
