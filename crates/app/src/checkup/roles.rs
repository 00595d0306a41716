//! Whether rules can be carried out, and whether the roles of a Guild's settings can be given.

use std::collections::BTreeMap;
use std::slice;

use domain::discord::RoleReason;
use domain::platform_id::DiscordId;
use domain::roles::Rule;
use storage::OrgScope;
use storage::roles::mappings;

use super::{Check, State, Topic};
use crate::bots::facts::{OnDiscord, Role};
use crate::error::AppError;
use crate::notice::Page;
use crate::roles::attention::{self, fix_of};
use crate::roles::reason_against;
use crate::state::App;
use crate::tenancy::guilds::{Guild, GuildSettings};
use crate::tenancy::servers::Server;

/// Roles that are told at once. Whoever puts these right is told of the next.
const MOST_ROLES: usize = 20;

type Roles<'a> = BTreeMap<&'a DiscordId, &'a Role>;

fn by_id(seen: &OnDiscord) -> Roles<'_> {
    seen.roles.iter().map(|role| (&role.id, role)).collect()
}

fn name_of<'a>(roles: &Roles<'a>, id: &'a DiscordId) -> &'a str {
    roles.get(id).map_or(id.as_str(), |role| role.name.as_str())
}

/// Rules that nothing can follow from, and roles that could not be changed for somebody.
pub(super) async fn of_rules(
    app: &App,
    scope: OrgScope,
    guild: &Guild,
    seen: &OnDiscord,
    servers: &[Server],
) -> Result<Vec<Check>, AppError> {
    let rules = mappings::list(&app.db, scope, guild.num).await?;
    let check = |state, text: String| Check::new(Topic::Roles, state, text);
    let failed = attention::of_guilds(app, scope, slice::from_ref(guild)).await?;
    let failed = failed.into_iter().map(|notice| Check::told(Topic::Roles, notice));
    if seen.present != Some(true) && !rules.is_empty() {
        let text = "Whether rules can be carried out is known once the bot is in the Discord server.";
        let unknown = check(State::Unknown, text.to_owned());
        return Ok([unknown].into_iter().chain(failed).collect());
    }
    let mut checks = barred(&rules, &by_id(seen), servers);
    checks.extend(failed);
    if checks.is_empty() {
        let text = match rules.len() {
            0 => "No rule ties a group to a role.".to_owned(),
            1 => "The one rule can be carried out.".to_owned(),
            many => format!("All {many} rules can be carried out."),
        };
        checks.push(check(State::Ok, text));
    }
    Ok(checks)
}

/// What keeps a rule from being carried out. One that only reads its role needs no more than that the role is there.
fn reason_for(rule: &Rule, roles: &Roles<'_>) -> Option<RoleReason> {
    let Some(role) = roles.get(&rule.role) else {
        return Some(RoleReason::Gone);
    };
    let reason = reason_against(role)?;
    let counts = match reason {
        RoleReason::Gone => true,
        RoleReason::Powerful => !rule.confirmed && rule.direction.writes_role(),
        RoleReason::Managed | RoleReason::AboveBot | RoleReason::NoPermission => rule.direction.writes_role(),
    };
    counts.then_some(reason)
}

/// By role, in the order of their rules.
fn barred(rules: &[Rule], roles: &Roles<'_>, servers: &[Server]) -> Vec<Check> {
    let mut found: Vec<(&Rule, RoleReason, usize)> = Vec::new();
    for rule in rules {
        let Some(reason) = reason_for(rule, roles) else {
            continue;
        };
        match found.iter_mut().find(|(first, ..)| first.role == rule.role) {
            Some((_, _, count)) => *count += 1,
            None => found.push((rule, reason, 1)),
        }
    }
    let found = found.into_iter().take(MOST_ROLES);
    found
        .map(|(rule, reason, count)| {
            let (name, fix) = (name_of(roles, &rule.role), fix_of(Some(reason)));
            let text = match count {
                1 => format!("A rule with the role {name} can’t be carried out. {fix}"),
                many => format!("{many} rules with the role {name} can’t be carried out. {fix}"),
            };
            let check = Check::new(Topic::Roles, State::Bad, text);
            match servers.iter().find(|server| server.num.0 == rule.server) {
                Some(server) => check.fixed_at("Look at the rules", Page::Rules(server.id.clone())),
                None => check,
            }
        })
        .collect()
}

/// Roles of the settings that the bot does not give.
pub(super) fn of_settings(guild: &Guild, settings: &GuildSettings, seen: &OnDiscord) -> Vec<Check> {
    let lists = [
        &settings.verified_roles,
        &settings.booster_roles,
        &settings.plugin_roles,
    ];
    let mut set: Vec<&DiscordId> = lists.into_iter().flatten().collect();
    set.sort_unstable();
    set.dedup();
    if seen.present != Some(true) || set.is_empty() {
        return Vec::new();
    }
    let roles = by_id(seen);
    let against = |id: &&DiscordId| match roles.get(*id) {
        Some(role) => reason_against(role),
        None => Some(RoleReason::Gone),
    };
    let wrong = set.iter().filter_map(|id| Some((*id, against(id)?)));
    let mut checks: Vec<Check> = wrong
        .take(MOST_ROLES)
        .map(|(id, reason)| {
            let (name, fix) = (name_of(&roles, id), fix_of(Some(reason)));
            let text = format!("The bot can’t give the role {name} of the settings. {fix}");
            let check = Check::new(Topic::Roles, State::Bad, text);
            check.fixed_at("Look at the settings", Page::Guild(guild.id.clone()))
        })
        .collect();
    if checks.is_empty() {
        let text = "The bot can give all roles of the settings.";
        checks.push(Check::new(Topic::Roles, State::Ok, text));
    }
    checks
}
