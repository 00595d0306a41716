//! The rules of a Server.

use std::collections::BTreeSet;

use domain::audit::{Actor, AuditAction};
use domain::discord::RoleReason;
use domain::id::{GuildId, MappingId, ServerId};
use domain::name::without_zero_width;
use domain::platform_id::DiscordId;
use domain::roles::{Cause, Clash, Direction, MOST_RULES, OnLoss, Rule, Side, find_clash};
use serde_json::json;
use storage::bots::{guild_bots, places};
use storage::records::audit::Act;
use storage::roles::{mappings, rechecks};
use storage::tenancy::servers::{self, Server};
use storage::tenancy::{guilds, orgs};
use storage::{OrgScope, Tx, Work};

use super::powerful::{self, OwnersWord};
use super::scene::{reason_against, rule_words};
use crate::error::{AppError, RequestError, RolesError};
use crate::plugin::groups;
use crate::role_marks::look_at_everybody;
use crate::state::App;

/// Rules of all Servers of a Guild together: each look goes through all of them.
const MOST_OF_GUILD: usize = 500;

/// A role that a rule may name.
#[derive(Debug, Clone)]
pub struct Choice {
    /// As Discord has it.
    pub role: places::Role,
    /// Why it cannot be handed out.
    pub reason: Option<RoleReason>,
    /// A powerful one that the Owner lets rules hand out.
    pub confirmed: bool,
}

/// The rules of a Server, and what they can be made of.
#[derive(Debug, Clone)]
pub struct Rules {
    /// Whose roles they are.
    pub guild: GuildId,
    /// One more with every save.
    pub revision: i64,
    /// In their order.
    pub rules: Vec<Rule>,
    /// All roles of the Discord server.
    pub choices: Vec<Choice>,
    /// Groups that the plugin reported.
    pub groups: Vec<String>,
    /// Whether our bot is in the Discord server; none before the first look.
    pub present: Option<bool>,
    /// When that was found out.
    pub checked_at_ms: Option<i64>,
}

/// A rule as somebody wants it.
#[derive(Debug, Clone)]
pub struct NewRule {
    /// Of a rule that stays.
    pub id: Option<MappingId>,
    /// Of the game server.
    pub group: String,
    /// Of the Discord server.
    pub role: DiscordId,
    /// Which side follows.
    pub direction: Direction,
    /// Who is right at first.
    pub authority: Side,
    /// What a loss leads to.
    pub on_loss: OnLoss,
}

/// The rules of a Server.
pub async fn get(app: &App, scope: OrgScope, id: &ServerId) -> Result<Rules, AppError> {
    let server = find(app, scope, id).await?;
    let db = &app.db;
    let roles = places::list_roles(db, scope, server.guild).await?;
    let bot = guild_bots::find(db, scope, server.guild)
        .await?
        .unwrap_or_default();
    let all = mappings::list(db, scope, server.guild).await?;
    let confirmed: BTreeSet<DiscordId> = all
        .iter()
        .filter(|rule| rule.confirmed)
        .map(|rule| rule.role.clone())
        .collect();
    Ok(Rules {
        guild: server.guild_id,
        revision: mappings::find_revision(db, scope, server.num).await?.unwrap_or(0),
        rules: all
            .into_iter()
            .filter(|rule| rule.server == server.num.0)
            .collect(),
        choices: roles
            .into_iter()
            .map(|role| Choice {
                reason: reason_against(&role)
                    .filter(|reason| *reason != RoleReason::Powerful || !confirmed.contains(&role.id)),
                confirmed: confirmed.contains(&role.id),
                role,
            })
            .collect(),
        groups: mappings::list_groups(db, server.num).await?,
        present: bot.present,
        checked_at_ms: bot.checked_at_ms,
    })
}

pub(super) async fn find(app: &App, scope: OrgScope, id: &ServerId) -> Result<Server, AppError> {
    let found = servers::find(&app.db, scope, id).await?;
    Ok(found.ok_or(RequestError::NotFound)?)
}

/// Turns wishes into rules of a Server: names are trimmed, and new rules get an id.
pub(super) fn made(app: &App, server: &Server, wanted: &[NewRule]) -> Result<Vec<Rule>, AppError> {
    if wanted.len() > MOST_RULES {
        return Err(AppError::invalid(
            "rules",
            format!("a Server has at most {MOST_RULES} rules"),
        ));
    }
    let made = wanted.iter().enumerate().map(|(row, rule)| {
        let is_seen = |group: &String| !without_zero_width(group).trim().is_empty();
        let group = groups::name(&rule.group).filter(is_seen);
        let group =
            group.ok_or_else(|| refused(row, "a group has a name of up to 64 characters on one line"))?;
        let new = || MappingId::generate(app.now_ms(), &*app.random);
        Ok(Rule {
            id: rule.id.clone().unwrap_or_else(new),
            server: server.num.0,
            group,
            role: rule.role.clone(),
            direction: rule.direction,
            authority: rule.authority,
            on_loss: rule.on_loss,
            confirmed: false,
        })
    });
    made.collect()
}

/// Rules of a Server as somebody wants them.
#[derive(Debug)]
pub struct Wanted {
    /// Whose.
    pub server: ServerId,
    /// All of them, in their order.
    pub rules: Vec<NewRule>,
    /// Powerful roles that the caller says rules may hand out.
    pub confirmed: Vec<DiscordId>,
    /// Only the Owner can say so.
    pub by_owner: bool,
}

/// Replaces the rules of a Server, which were read with this revision. Everybody of the Guild is looked at after it.
pub async fn replace(
    app: &App,
    scope: OrgScope,
    wanted: Wanted,
    revision: i64,
    actor: Actor,
) -> Result<Rules, AppError> {
    let server = find(app, scope, &wanted.server).await?;
    let rules = made(app, &server, &wanted.rules)?;
    let id = wanted.server.clone();
    let spare = spare_ids(app, &rules);
    let work = Replace {
        wanted,
        revision,
        rules,
        spare,
    };
    app.db.write_for(app.act(scope, actor), work).await?;
    app.bell.ring();
    get(app, scope, &id).await
}

/// Ids for rules that become others.
pub(super) fn spare_ids(app: &App, rules: &[Rule]) -> Vec<MappingId> {
    let new = |_| MappingId::generate(app.now_ms(), &*app.random);
    rules.iter().map(new).collect()
}

struct Replace {
    wanted: Wanted,
    revision: i64,
    rules: Vec<Rule>,
    spare: Vec<MappingId>,
}

impl Work for Replace {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "replace_rules";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        let scope = act.scope;
        orgs::lock(tx, scope).await?;
        let found = servers::find_in(tx, scope, &self.wanted.server).await?;
        let server = found.ok_or(RequestError::NotFound)?;
        let guild = guilds::find_in(tx, scope, &server.guild_id).await?;
        let guild = guild.ok_or(RequestError::NotFound)?;
        if mappings::find_revision_in(tx, scope, server.num).await? != Some(self.revision) {
            return Err(RequestError::ChangedMeanwhile.into());
        }
        let all = mappings::list_in(tx, scope, guild.num).await?;
        let (before, others): (Vec<Rule>, Vec<Rule>) =
            all.into_iter().partition(|rule| rule.server == server.num.0);
        let roles = places::list_roles_in(tx, scope, server.guild).await?;
        let made = (self.rules.as_slice(), self.spare.as_slice());
        let rules = checked(&self.wanted, made, &before, &others, &roles)?;
        if before == rules {
            return Ok(());
        }
        mappings::replace(tx, scope, guild.num, server.num, &rules, self.revision).await?;
        rechecks::begin(tx, scope, guild.num, Cause::Settings, act.now_ms).await?;
        look_at_everybody(tx, scope, &guild.id, guild.active_links, act.now_ms).await?;
        let words = |rules: &[Rule]| {
            let listed = rules.iter().map(|rule| told(rule, &roles));
            json!(listed.collect::<Vec<_>>())
        };
        let detail = json!({ "before": { "rules": words(&before) }, "after": { "rules": words(&rules) } });
        let target = Some(self.wanted.server.as_str());
        Ok(act
            .note(tx, AuditAction::ServerRolesChanged, target, &detail)
            .await?)
    }
}

/// Everything that a save has to pass, and a dry run too. Returns the rules as they are to be.
pub(super) fn checked(
    wanted: &Wanted,
    (made, spare): (&[Rule], &[MappingId]),
    before: &[Rule],
    others: &[Rule],
    roles: &[places::Role],
) -> Result<Vec<Rule>, AppError> {
    refuse_strange(wanted, before, roles)?;
    let mut rules = renewed(made, before, spare);
    refuse_clash(&rules, others)?;
    let word = OwnersWord {
        confirmed: &wanted.confirmed,
        by_owner: wanted.by_owner,
    };
    powerful::confirm(&mut rules, before, others, roles, word)?;
    Ok(rules)
}

fn refused(row: usize, problem: &str) -> AppError {
    RequestError::InvalidRow {
        row,
        parameter: "rules",
        problem: problem.to_owned(),
    }
    .into()
}

/// A rule that stays is one of this Server, and its role is one of this Discord server; a role that went stays where it
/// was.
fn refuse_strange(wanted: &Wanted, before: &[Rule], roles: &[places::Role]) -> Result<(), AppError> {
    let mut seen = BTreeSet::new();
    for (row, rule) in wanted.rules.iter().enumerate() {
        let is_own = |id: &MappingId| before.iter().any(|old| old.id == *id);
        if rule.id.as_ref().is_some_and(|id| !is_own(id) || !seen.insert(id)) {
            return Err(refused(row, "the id is not of a rule of this Server"));
        }
        let is_known = roles.iter().any(|role| role.id == rule.role);
        if !is_known && !before.iter().any(|old| old.role == rule.role) {
            return Err(refused(row, "the role is not of this Discord server"));
        }
    }
    Ok(())
}

/// A rule with everything that can be changed about it, for the audit log.
fn told(rule: &Rule, roles: &[places::Role]) -> String {
    let mut told = rule_words(rule, roles);
    if rule.direction == Direction::Both {
        told.push_str(match rule.authority {
            Side::Discord => ", Discord decides",
            Side::Game => ", the game decides",
        });
    }
    told.push_str(match rule.on_loss {
        OnLoss::Remove => ", removed on loss",
        OnLoss::Keep => ", kept on loss",
    });
    if rule.confirmed {
        told.push_str(", allowed by the Owner");
    }
    told
}

/// What was agreed on about one pair says nothing about another: a rule for another one has another id.
fn renewed(rules: &[Rule], before: &[Rule], spare: &[MappingId]) -> Vec<Rule> {
    let renew = |(rule, spare): (&Rule, &MappingId)| {
        let is_other = |old: &Rule| {
            old.id == rule.id
                && (&old.group, &old.role, old.direction) != (&rule.group, &rule.role, rule.direction)
        };
        let is_renewed = before.iter().any(is_other);
        let id = if is_renewed { spare } else { &rule.id };
        Rule {
            id: id.clone(),
            ..rule.clone()
        }
    };
    rules.iter().zip(spare).map(renew).collect()
}

/// Rules of all Servers of a Guild stand beside each other.
fn refuse_clash(own: &[Rule], others: &[Rule]) -> Result<(), AppError> {
    if own.len() + others.len() > MOST_OF_GUILD {
        let text = format!("the Servers of a Guild have at most {MOST_OF_GUILD} rules together");
        return Err(AppError::invalid("rules", text));
    }
    let all: Vec<Rule> = own.iter().chain(others).cloned().collect();
    let Some(clash) = find_clash(&all) else {
        return Ok(());
    };
    // The later one of the caller's own, which is more likely the new one.
    let row = |one: usize, other: usize| [other, one].into_iter().find(|at| *at < own.len());
    Err(match clash {
        Clash::Twice(one, other) => RolesError::Twice { row: row(one, other) },
        Clash::Ring(one, other) => RolesError::Ring { row: row(one, other) },
    }
    .into())
}
