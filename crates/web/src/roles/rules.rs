//! Rules of Servers.

use app::App;
use app::roles::dry_run::{self, Would};
use app::roles::rules::{self, Choice, NewRule, Rules, Wanted};
use domain::discord::RoleReason;
use domain::id::{GuildId, MappingId, ServerId};
use domain::permission::{Permission, Role};
use domain::platform_id::DiscordId;
use domain::roles::{Change, Direction, MOST_RULES, OnLoss, Rule, Side};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{Authorized, JsonBody, Segments, perm};
use crate::openapi::words;
use crate::routes::{Answer, Found};

/// The rules of a Server, and what they can be made of.
#[derive(Serialize, ToSchema)]
pub struct RoleRules {
    #[schema(value_type = String)]
    guild_id: GuildId,
    /// One more with every save.
    revision: i64,
    rules: Vec<RoleRule>,
    /// All roles of the Discord server.
    roles: Vec<RoleChoice>,
    /// Groups that the plugin reported.
    groups: Vec<String>,
    /// Whether the bot is in the Discord server; nothing before the first look.
    present: Option<bool>,
    checked_at_ms: Option<i64>,
    most_rules: usize,
}

#[derive(Serialize, ToSchema)]
pub struct RoleRule {
    #[schema(value_type = String)]
    id: MappingId,
    group: String,
    #[schema(value_type = String)]
    role_id: DiscordId,
    #[schema(value_type = words::RoleDirection)]
    direction: Direction,
    #[schema(value_type = words::RoleSide)]
    authority: Side,
    #[schema(value_type = words::RoleLoss)]
    on_loss: OnLoss,
}

impl From<Rule> for RoleRule {
    fn from(rule: Rule) -> Self {
        Self {
            id: rule.id,
            group: rule.group,
            role_id: rule.role,
            direction: rule.direction,
            authority: rule.authority,
            on_loss: rule.on_loss,
        }
    }
}

/// A role that a rule may name.
#[derive(Serialize, ToSchema)]
pub struct RoleChoice {
    #[schema(value_type = String)]
    id: DiscordId,
    name: String,
    position: i64,
    colour: i64,
    /// Why it cannot be handed out.
    #[schema(value_type = Option<words::RoleReason>)]
    reason: Option<RoleReason>,
    /// A powerful one that the Owner lets rules hand out.
    confirmed: bool,
}

impl From<Choice> for RoleChoice {
    fn from(choice: Choice) -> Self {
        Self {
            id: choice.role.id,
            name: choice.role.name,
            position: choice.role.position,
            colour: choice.role.colour,
            reason: choice.reason,
            confirmed: choice.confirmed,
        }
    }
}

impl From<Rules> for RoleRules {
    fn from(found: Rules) -> Self {
        Self {
            guild_id: found.guild,
            revision: found.revision,
            rules: found.rules.into_iter().map(RoleRule::from).collect(),
            roles: found.choices.into_iter().map(RoleChoice::from).collect(),
            groups: found.groups,
            present: found.present,
            checked_at_ms: found.checked_at_ms,
            most_rules: MOST_RULES,
        }
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WantedRule {
    /// Of a rule that stays; a new one has none.
    #[schema(value_type = Option<String>)]
    id: Option<MappingId>,
    #[schema(min_length = 1, max_length = 64)]
    group: String,
    #[schema(value_type = String)]
    role_id: DiscordId,
    #[schema(value_type = words::RoleDirection)]
    direction: Direction,
    #[schema(value_type = words::RoleSide)]
    authority: Side,
    #[schema(value_type = words::RoleLoss)]
    on_loss: OnLoss,
}

impl From<WantedRule> for NewRule {
    fn from(rule: WantedRule) -> Self {
        Self {
            id: rule.id,
            group: rule.group,
            role: rule.role_id,
            direction: rule.direction,
            authority: rule.authority,
            on_loss: rule.on_loss,
        }
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RoleRulesChange {
    /// As it was read. A save by somebody else since then refuses this one.
    revision: i64,
    /// All of them, in their order.
    rules: Vec<WantedRule>,
    /// Powerful roles that the Owner lets rules hand out from now on.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    confirmed_roles: Vec<DiscordId>,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DryRunRules {
    rules: Vec<WantedRule>,
    /// Powerful roles that the Owner would let rules hand out.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    confirmed_roles: Vec<DiscordId>,
}

/// What rules would do, by what was last known of everybody.
#[derive(Serialize, ToSchema)]
pub struct DryRun {
    members: i64,
    /// Nobody has looked at them yet, so nothing is counted for them.
    unknown: i64,
    add: i64,
    remove: i64,
    cannot: i64,
    /// Why, once for each role.
    reasons: Vec<DryRunReason>,
    /// At most 200 of them.
    changes: Vec<DryRunChange>,
    /// There are more than are listed.
    more: bool,
}

#[derive(Serialize, ToSchema)]
struct DryRunReason {
    #[schema(value_type = String)]
    role_id: DiscordId,
    #[schema(value_type = words::RoleReason)]
    reason: RoleReason,
}

#[derive(Serialize, ToSchema)]
struct DryRunChange {
    #[schema(value_type = String)]
    discord_id: DiscordId,
    steam_id: String,
    name: Option<String>,
    #[schema(value_type = words::RoleSide)]
    side: Side,
    #[schema(value_type = words::RoleChangeKind)]
    change: Change,
    #[schema(value_type = Option<String>)]
    role_id: Option<DiscordId>,
    group: Option<String>,
    /// Which rule of the list, counted from 0.
    rule: usize,
    /// Why it cannot be done.
    #[schema(value_type = Option<words::RoleReason>)]
    cannot: Option<RoleReason>,
}

impl From<Would> for DryRunChange {
    fn from(would: Would) -> Self {
        Self {
            discord_id: would.discord_id,
            steam_id: would.steam_id,
            name: would.name,
            side: would.side,
            change: would.change,
            role_id: would.role,
            group: would.group,
            rule: would.rule,
            cannot: would.cannot,
        }
    }
}

impl From<(DiscordId, RoleReason)> for DryRunReason {
    fn from((role_id, reason): (DiscordId, RoleReason)) -> Self {
        Self { role_id, reason }
    }
}

fn wanted(server: ServerId, rules: Vec<WantedRule>, confirmed: Vec<DiscordId>, role: Role) -> Wanted {
    Wanted {
        server,
        rules: rules.into_iter().map(NewRule::from).collect(),
        confirmed,
        by_owner: role == Role::Owner,
    }
}

pub async fn get(
    app: App,
    caller: Authorized<perm::ServersRoles>,
    Segments(id): Segments<ServerId>,
) -> Answer<Found<RoleRules>> {
    Ok(Found(rules::get(&app, caller.scope, &id).await?.into()))
}

pub async fn replace(
    app: App,
    caller: Authorized<perm::ServersRoles>,
    (Segments(server), JsonBody(change)): (Segments<ServerId>, JsonBody<RoleRulesChange>),
) -> Answer<Found<RoleRules>> {
    let wanted = wanted(server, change.rules, change.confirmed_roles, caller.role);
    let saved = rules::replace(&app, caller.scope, wanted, change.revision, caller.actor).await?;
    Ok(Found(saved.into()))
}

pub async fn dry_run(
    app: App,
    caller: Authorized<perm::ServersRoles>,
    (Segments(server), JsonBody(trial)): (Segments<ServerId>, JsonBody<DryRunRules>),
) -> Answer<Found<DryRun>> {
    let wanted = wanted(server, trial.rules, trial.confirmed_roles, caller.role);
    let mut found = dry_run::run(&app, caller.scope, &wanted).await?;
    let more = found.has_more();
    if !caller.permissions.contains(Permission::LinksView) {
        // Who they are is for those who may see links.
        found.changes.clear();
    }
    Ok(Found(DryRun {
        members: found.members,
        unknown: found.unknown,
        add: found.add,
        remove: found.remove,
        cannot: found.cannot,
        reasons: found.reasons.into_iter().map(DryRunReason::from).collect(),
        more,
        changes: found.changes.into_iter().map(DryRunChange::from).collect(),
    }))
}
