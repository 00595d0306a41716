//! The plugin actions, one file for each, and what goes across them. Keys may call all of them.

mod cases;
mod clear_pending_oxide_changes;
mod clear_pending_oxide_changes_bulk;
mod confirm_nickname_sync;
mod confirm_role_sync;
mod count;
mod custom_keys;
mod discord_check;
mod find_by_discord;
mod find_by_steam;
mod get_discord;
mod get_pending_oxide_changes;
mod get_pending_oxide_changes_bulk;
mod get_player;
mod get_server_config;
mod get_steam;
mod get_steam_bulk;
mod group_checks;
mod is_linked_steam_bulk;
mod list_all_linked;
mod list_all_nicknames;
mod list_nitro;
mod nitro_checks;
mod pending_nicknames;
mod pending_roles;
mod remove;
mod seen;
mod set_oxide_group_from_discord;
mod steam_calls;
mod steam_checks;
mod switches;
mod table;
mod update;
mod update_nitro;
mod update_nitro_bulk;
mod update_oxide_groups;
mod update_oxide_groups_bulk;
mod update_steam;

use app::AppError;
use app::tenancy::guild_changes::{self, GuildChange};
use domain::action::ActionSet;
use domain::audit::Actor;
use domain::plan::Tier;
use testkit::{Client, Engine, Reply, Tenant, TestApp};

/// A tenant with three linked players, and a key of its Server that may call everything.
pub struct Stage {
    pub test: TestApp,
    pub tenant: Tenant,
    pub caller: Client,
}

impl Stage {
    pub async fn set(engine: Engine) -> Stage {
        Stage::of(TestApp::start(engine).await).await
    }

    /// On an application that is not the plain one.
    pub async fn of(test: TestApp) -> Stage {
        let tenant = test.tenant(1, Tier::Standard).await;
        for player in 1..=3 {
            tenant.link(&test.app, player).await;
        }
        let (_, key) = test.custom_key(&tenant, ActionSet::ALL, true).await;
        let caller = test.plugin(&key);
        Stage { test, tenant, caller }
    }

    pub async fn get(&self, query: &str) -> Reply {
        self.caller.get(&format!("/api?action={query}")).await
    }

    pub async fn post(&self, query: &str, body: &str) -> Reply {
        self.caller.post(&format!("/api?action={query}"), body).await
    }
}

impl Stage {
    /// Sets the Steam group of the Guild, as somebody would paste it.
    pub async fn set_steam_group(&self, pasted: Option<&str>) -> Result<(), AppError> {
        let change = GuildChange {
            steam_group: Some(pasted.map(str::to_owned)),
            ..GuildChange::default()
        };
        let (app, tenant) = (&self.test.app, &self.tenant);
        guild_changes::change(app, tenant.scope, tenant.guild.clone(), change, Actor::System).await
    }
}

/// Status and body, to the byte.
#[track_caller]
pub fn assert_answer(reply: &Reply, status: u16, body: &str) {
    assert_eq!((reply.status.as_u16(), reply.text()), (status, body));
}

/// A refusal with its code, as the object that every failure is.
#[track_caller]
pub fn assert_refused(reply: &Reply, status: u16, code: &str) {
    assert_eq!(
        (reply.status.as_u16(), reply.code().as_str()),
        (status, code),
        "{}",
        reply.text()
    );
}
