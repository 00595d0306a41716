//! Bots and plugins of others, beside our own work on roles.

use app::tenancy::guild_changes::GuildChange;
use domain::action::ActionSet;
use domain::roles::{Direction, Template};
use serde_json::{Value, json};
use testkit::{Client, both_databases, discord, steam};

use super::scene::{NONE, Scene, rule};

/// A bot of somebody else, with a key of the Server.
struct Other(Client);

impl Other {
    async fn of(scene: &Scene) -> Self {
        let stage = &scene.stage;
        let (_, key) = stage.test.custom_key(&stage.tenant, ActionSet::ALL, true).await;
        Self(stage.test.plugin(&key))
    }

    async fn get(&self, call: &str) -> Value {
        let reply = self.0.get(&format!("/api?action={call}")).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        serde_json::from_str(reply.text()).unwrap_or_default()
    }

    async fn post(&self, action: &str, body: &str) {
        let reply = self.0.post(&format!("/api?action={action}"), body).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
    }
}

both_databases! {
    async fn where_a_server_has_rules_bots_of_others_have_nothing_to_do(engine) {
        let scene = Scene::set(engine).await;
        let other = Other::of(&scene).await;
        scene.link(1).await;
        scene.report(1, "vip").await;
        assert_eq!(other.get("pendingRoles").await.as_array().map(Vec::len), Some(1));
        assert_eq!(other.get("getServerConfig").await["group_roles"], json!({}));
        scene.rules(&[rule("vip", 71, Direction::ToDiscord), rule("staff", 73, Direction::ToGame)]).await;
        assert_eq!(other.get("pendingRoles").await, json!([]));
        let told = other.get("getServerConfig").await;
        let names = [discord(71), discord(73)].map(|role| role.to_string());
        assert_eq!(told["group_roles"], json!({ "vip": [names[0]], "staff": [names[1]] }));
        other.get(&format!("confirmRoleSync&id={}&synced=%5B%5D", discord(1))).await;
        scene.sync().await;
        assert_eq!(scene.has(1), [71], "what others confirm is nothing to us");
        let changes = json!([{ "group": "staff", "action": "add" }, { "group": "other", "action": "add" }]);
        let body = json!({ "discord_id": discord(1).as_str(), "changes": changes }).to_string();
        other.post("setOxideGroupFromDiscord", &body).await;
        assert_eq!(scene.waiting(1).await, ["+other"], "a group that a rule names is ours");
        scene.clear(1).await;
        scene.rules(&[]).await;
        scene.report(1, "vip,builder").await;
        assert_eq!(other.get("pendingRoles").await.as_array().map(Vec::len), Some(1));
        other.post("setOxideGroupFromDiscord", &body).await;
        assert_eq!(scene.waiting(1).await, ["+other", "+staff"]);
        scene.clear(1).await;
        scene.finish().await;
    }

    async fn nicknames_follow_the_template_and_the_old_one_comes_back(engine) {
        let scene = Scene::set(engine).await;
        let nick = |number: u64| {
            let guild = crate::bots::log::snowflake(&scene.stage.tenant.discord_guild);
            scene.stage.discord.state().guilds[&guild].members[&crate::bots::log::snowflake(&discord(number))].nick.clone()
        };
        let named = |name: &str| scene.change(|guild| {
            guild.members.get_mut(&crate::bots::log::snowflake(&discord(1))).expect("a member").nick = Some(name.to_owned());
        });
        let other = Other::of(&scene).await;
        named("Old");
        for number in [1, 2] {
            scene.link(number).await;
            other.get(&format!("updateSteam&id={}&name=Gamer{number}", steam(number))).await;
        }
        scene.sync().await;
        assert_ne!(other.get("pendingNicknames").await, json!({}));
        let template = Template::parse("[S] {steam}").expect("a template");
        let change = GuildChange { nickname_template: Some(Some(template)), ..GuildChange::default() };
        scene.settings(change).await;
        assert_eq!((nick(1).as_deref(), nick(2).as_deref()), (Some("[S] Gamer1"), Some("[S] Gamer2")));
        assert_eq!(other.get("pendingNicknames").await, json!({}));
        assert_eq!(scene.stage.count("role_ledger WHERE source = 'nickname' AND result = 'done'").await, 2);
        scene.unlink(1).await;
        scene.unlink(2).await;
        scene.sync().await;
        assert_eq!((nick(1).as_deref(), nick(2)), (Some("Old"), None));
        scene.link(1).await;
        scene.sync().await;
        named("Mine");
        scene.unlink(1).await;
        scene.sync().await;
        assert_eq!(nick(1).as_deref(), Some("Mine"), "what somebody chose meanwhile stays");
        scene.finish().await;
    }

    async fn only_who_gave_a_role_takes_it_back(engine) {
        let scene = Scene::set(engine).await;
        scene.rules(&[rule("vip", 71, Direction::ToGame)]).await;
        scene.link(1).await;
        let (_, other) = scene.stage.test.custom_key(&scene.stage.tenant, ActionSet::ALL, false).await;
        let update = |mode: &str| format!("update&id={}&role={}&mode={mode}", steam(1), discord(71));
        // A role that a rule names is one that plugins may give.
        scene.plugin(&update("add")).await;
        scene.sync().await;
        assert_eq!(scene.has(1), [71]);
        let reply = scene.stage.test.plugin(&other).get(&format!("/api?action={}", update("remove"))).await;
        assert_eq!(reply.status, 200);
        scene.sync().await;
        assert_eq!(scene.has(1), [71], "another grantor's");
        scene.plugin(&update("remove")).await;
        scene.sync().await;
        assert_eq!(scene.has(1), NONE);
        scene.finish().await;
    }

    async fn a_rule_counts_more_than_a_grant(engine) {
        let scene = Scene::set(engine).await;
        scene.rules(&[rule("vip", 71, Direction::ToDiscord)]).await;
        scene.link(1).await;
        scene.report(1, "default").await;
        scene.plugin(&format!("update&id={}&role={}&mode=add", steam(1), discord(71))).await;
        scene.sync().await;
        assert_eq!(scene.has(1), NONE, "the rule says that they are not to have it");
        scene.report(1, "vip").await;
        scene.sync().await;
        assert_eq!(scene.has(1), [71]);
        scene.report(1, "default").await;
        scene.sync().await;
        assert_eq!(scene.has(1), NONE);
        scene.finish().await;
    }
}
