//! A Guild with a few roles on the emulated Discord, and a plugin that reports, fetches and clears.

use app::linking::links;
use app::roles::rules::{self, NewRule, Wanted};
use domain::audit::Actor;
use domain::link::UnlinkCause;
use domain::platform_id::EitherId;
use domain::roles::{Direction, OnLoss, Side};
use emulator::discord::{Member, Permissions, Role, Snowflake};
use serde_json::Value;
use storage::bots::places;
use testkit::{Engine, discord, steam};

use crate::bots::log::{guild_num, snowflake};
use crate::linking::stage::Stage;

/// No roles at all.
pub const NONE: [u64; 0] = [];
/// Roles of the Discord server.
pub const ROLES: std::ops::RangeInclusive<u64> = 71..=76;

pub struct Scene {
    pub stage: Stage,
}

pub fn role(number: u64) -> Snowflake {
    snowflake(&discord(number))
}

impl Scene {
    /// Players 1 to 9 are in the Discord server, which has roles 71 to 76.
    pub async fn set(engine: Engine) -> Self {
        let scene = Self {
            stage: Stage::set(engine).await,
        };
        scene.change(|guild| {
            for (number, position) in ROLES.zip(1..) {
                let made = Role {
                    name: format!("Role {number}"),
                    position,
                    ..Role::default()
                };
                guild.roles.insert(role(number), made);
            }
            for number in 1..=9 {
                guild
                    .members
                    .insert(snowflake(&discord(number)), Member::default());
            }
        });
        scene.look().await;
        scene
    }

    pub fn change(&self, change: impl FnOnce(&mut emulator::discord::Guild)) {
        let id = snowflake(&self.stage.tenant.discord_guild);
        let changed = self
            .stage
            .discord
            .change(|state| change(state.guilds.get_mut(&id).expect("the guild")));
        changed.expect("a change");
    }

    /// Reads the Discord server, as the bot does after each change in it.
    pub async fn look(&self) {
        let (app, tenant) = (&self.stage.test.app, &self.stage.tenant);
        app::bots::look::enqueue(app, tenant.scope, tenant.guild.clone())
            .await
            .expect("a look");
        self.stage.test.drain_jobs().await;
        let known =
            places::list_roles(&self.stage.test.db.db, tenant.scope, guild_num(&self.stage).await).await;
        assert!(known.expect("roles").len() >= ROLES.count());
    }

    pub async fn link(&self, number: u64) {
        let (app, tenant) = (&self.stage.test.app, &self.stage.tenant);
        tenant.link_pair(app, number, number).await.expect("a link");
    }

    pub async fn unlink(&self, number: u64) {
        let (app, tenant) = (&self.stage.test.app, &self.stage.tenant);
        let (guild, either) = (tenant.guild.clone(), EitherId::Discord(discord(number)));
        links::unlink(app, tenant.scope, guild, either, UnlinkCause::User, Actor::Player)
            .await
            .expect("an answer")
            .expect("a link");
    }

    /// Everybody who is marked is looked at.
    pub async fn sync(&self) {
        self.stage.test.drain_jobs().await;
    }

    /// The roles that a player has.
    pub fn has(&self, number: u64) -> Vec<u64> {
        let id = snowflake(&self.stage.tenant.discord_guild);
        let state = self.stage.discord.state();
        let member = state.guilds[&id].members.get(&snowflake(&discord(number)));
        let roles = member.map(|member| member.roles.clone()).unwrap_or_default();
        ROLES.filter(|number| roles.contains(&role(*number))).collect()
    }

    /// Somebody gives or takes a role by hand, and the bot hears of it.
    pub async fn by_hand(&self, number: u64, given: u64, is_given: bool) {
        self.change(|guild| {
            let member = guild
                .members
                .get_mut(&snowflake(&discord(number)))
                .expect("a member");
            member.roles.retain(|had| *had != role(given));
            if is_given {
                member.roles.push(role(given));
            }
        });
        self.hear(number, "changed").await;
    }

    pub async fn hear(&self, number: u64, change: &str) {
        let bot = self.stage.test.platform_bot().await;
        let told = serde_json::json!({
            "discord_guild_id": self.stage.tenant.discord_guild.as_str(),
            "members": [{ "id": discord(number).as_str(), "change": change }],
        });
        assert_eq!(bot.post("/bot/members", &told.to_string()).await.status, 204);
    }

    pub async fn plugin(&self, call: &str) -> Value {
        let reply = self
            .stage
            .test
            .plugin(&self.stage.tenant.key)
            .get(&format!("/api?action={call}"))
            .await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()
    }

    pub async fn report(&self, number: u64, groups: &str) {
        self.plugin(&format!("updateOxideGroups&id={}&groups={groups}", steam(number)))
            .await;
    }

    /// What waits for the plugin: `+vip` or `-vip`.
    pub async fn waiting(&self, number: u64) -> Vec<String> {
        self.waiting_of(&[number]).await.remove(0)
    }

    /// The same for many, in one call.
    pub async fn waiting_of(&self, numbers: &[u64]) -> Vec<Vec<String>> {
        let ids: Vec<_> = numbers.iter().map(|number| steam(*number)).collect();
        let list: Vec<&str> = ids.iter().map(|id| id.as_str()).collect();
        let found = self
            .plugin(&format!("getPendingOxideChangesBulk&id={}", list.join(",")))
            .await;
        let sign = |change: &Value| if change["action"] == "add" { "+" } else { "-" };
        let words = |change: &Value| format!("{}{}", sign(change), change["group"].as_str().unwrap());
        let of = |id: &&str| found[*id].as_array().into_iter().flatten().map(words).collect();
        list.iter().map(of).collect()
    }

    pub async fn clear(&self, number: u64) {
        self.plugin(&format!("clearPendingOxideChangesBulk&id={}", steam(number)))
            .await;
    }

    /// Saves rules for the tenant's Server.
    pub async fn rules(&self, wanted: &[NewRule]) {
        let (app, tenant) = (&self.stage.test.app, &self.stage.tenant);
        let found = rules::get(app, tenant.scope, &tenant.server)
            .await
            .expect("rules");
        rules::replace(
            app,
            tenant.scope,
            self.wanted(wanted),
            found.revision,
            Actor::System,
        )
        .await
        .expect("rules are saved");
        self.sync().await;
    }

    /// As the Owner wants them.
    pub fn wanted(&self, rules: &[NewRule]) -> Wanted {
        Wanted {
            server: self.stage.tenant.server.clone(),
            rules: rules.to_vec(),
            confirmed: Vec::new(),
            by_owner: true,
        }
    }

    /// Settings of the Guild.
    pub async fn settings(&self, change: app::tenancy::guild_changes::GuildChange) {
        let (app, tenant) = (&self.stage.test.app, &self.stage.tenant);
        app::tenancy::guild_changes::change(app, tenant.scope, tenant.guild.clone(), change, Actor::System)
            .await
            .expect("settings are saved");
        self.sync().await;
    }

    /// A role's permissions on Discord.
    pub async fn empower(&self, number: u64, permissions: Permissions) {
        self.change(|guild| guild.roles.get_mut(&role(number)).expect("a role").permissions = permissions);
        self.look().await;
    }

    /// Moves a role above or below the bot, which does not own the Discord server any more.
    pub async fn raise(&self, number: u64, is_above: bool) {
        const OF_BOT: u64 = 79;
        self.change(|guild| {
            if let Some(bot) = guild.owner_id.take() {
                let own = Role {
                    name: "Bot".to_owned(),
                    position: 50,
                    permissions: Permissions::ADMINISTRATOR,
                    ..Role::default()
                };
                guild.roles.insert(role(OF_BOT), own);
                guild.members.entry(bot).or_default().roles.push(role(OF_BOT));
            }
            let raised = guild.roles.get_mut(&role(number)).expect("a role");
            raised.position = if is_above { 90 } else { 1 };
        });
        self.look().await;
    }

    pub async fn finish(self) {
        self.stage.finish().await;
    }
}

/// A rule for a group and a role, which removes on loss and lets the game be right.
pub fn rule(group: &str, number: u64, direction: Direction) -> NewRule {
    NewRule {
        id: None,
        group: group.to_owned(),
        role: discord(number),
        direction,
        authority: Side::Game,
        on_loss: OnLoss::Remove,
    }
}
