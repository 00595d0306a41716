//! What has to be known before somebody is looked at.

use std::collections::{BTreeMap, BTreeSet};

use domain::discord::RoleReason;
use domain::platform_id::DiscordId;
use domain::roles::{Game, Rule, Scene};
use platform::discord::rest::Member;
use storage::OrgScope;
use storage::bots::places;
use storage::identity::blocklist;
use storage::roles::grants::{self, Grant};
use storage::roles::members::{self, RoleMember};
use storage::roles::subjects::{self, Subject};
use storage::roles::{game_side, mappings};
use storage::tenancy::guild_settings::{self, GuildSettings};
use storage::tenancy::guilds::Guild;

use crate::error::AppError;
use crate::state::App;

/// What is the same for everybody in a Guild.
pub(super) struct Place {
    pub scope: OrgScope,
    pub guild: Guild,
    pub settings: GuildSettings,
    pub rules: Vec<Rule>,
    pub roles: Vec<places::Role>,
    pub barred: BTreeMap<DiscordId, RoleReason>,
}

impl Place {
    /// None where the Guild went meanwhile.
    pub async fn read(app: &App, scope: OrgScope, guild: Guild) -> Result<Option<Self>, AppError> {
        let Some(settings) = guild_settings::find(&app.db, scope, guild.num).await? else {
            return Ok(None);
        };
        let rules = mappings::list(&app.db, scope, guild.num).await?;
        let roles = places::list_roles(&app.db, scope, guild.num).await?;
        let barred = roles
            .iter()
            .filter_map(|role| Some((role.id.clone(), reason_against(role)?)));
        let barred = barred.collect();
        Ok(Some(Self {
            scope,
            guild,
            settings,
            rules,
            roles,
            barred,
        }))
    }

    /// Whether `update` may give this role, as the action itself decides.
    fn lets_plugins_give(&self, role: &DiscordId) -> bool {
        let settings = &self.settings;
        let lists = [
            &settings.verified_roles,
            &settings.booster_roles,
            &settings.plugin_roles,
        ];
        lists.iter().any(|list| list.contains(role)) || self.rules.iter().any(|rule| rule.role == *role)
    }

    /// A rule in words, as it is written down with a change.
    pub fn words(&self, rule: &Rule) -> String {
        rule_words(rule, &self.roles)
    }
}

pub(super) fn rule_words(rule: &Rule, roles: &[places::Role]) -> String {
    use domain::roles::Direction::{Both, ToDiscord, ToGame};
    let role = roles.iter().find(|role| role.id == rule.role);
    let role = role.map_or(rule.role.as_str(), |role| role.name.as_str());
    let group = &rule.group;
    match rule.direction {
        ToDiscord => format!("{group} → {role}"),
        ToGame => format!("{role} → {group}"),
        Both => format!("{group} ↔ {role}"),
    }
}

/// Why a role cannot be handed out. A powerful one can by a rule that the Owner confirmed.
pub(crate) fn reason_against(role: &places::Role) -> Option<RoleReason> {
    match role.gone_at {
        Some(_) => Some(RoleReason::Gone),
        None => role.reason.as_deref().and_then(RoleReason::parse),
    }
}

/// What is known of one member besides what Discord says.
pub(super) struct Known {
    pub subject: Subject,
    pub row: RoleMember,
    pub grants: Vec<Grant>,
    pub games: BTreeMap<i64, Game>,
    /// Has a link that counts.
    pub is_linked: bool,
}

impl Known {
    /// None of somebody who was never linked.
    pub async fn read(app: &App, place: &Place, member: &DiscordId) -> Result<Option<Self>, AppError> {
        let (db, guild) = (&app.db, place.guild.num);
        let Some(subject) = subjects::find(db, guild, member).await? else {
            return Ok(None);
        };
        let row = members::find(db, guild, member).await?.unwrap_or_default();
        let mut known = Self {
            is_linked: subject.is_linked,
            subject,
            row,
            grants: Vec::new(),
            games: BTreeMap::new(),
        };
        if !known.is_linked {
            return Ok(Some(known));
        }
        // Nobody's link stands with an account that was erased.
        let Some(steam_id) = known.subject.steam_id.clone() else {
            return Err(AppError::internal("an erased account is linked"));
        };
        let mut entries = app.discord_blocks(member).to_vec();
        entries.extend(app.steam_blocks(&steam_id));
        known.is_linked = !blocklist::is_any_blocked(db, &entries, app.now_ms()).await?;
        known.grants = grants::list(db, guild, member).await?;
        let mut games = game_side::list(db, guild, &[steam_id.as_str()]).await?;
        known.games = games.remove(steam_id.as_str()).unwrap_or_default();
        Ok(Some(known))
    }

    /// Everything together, as the rules see it.
    pub fn scene(&self, place: &Place, there: Option<&Member>, now_ms: i64) -> Scene {
        let kept = self.row.kept.clone();
        // What plugins may not give any more is given by none of them.
        let (living, ended): (Vec<&Grant>, Vec<&Grant>) = self
            .grants
            .iter()
            .partition(|grant| !grant.ended && place.lets_plugins_give(&grant.role));
        let ended = ended.into_iter().filter(|grant| kept.given.contains(&grant.role));
        Scene {
            now_ms,
            is_linked: self.is_linked,
            is_blocked: self.subject.is_linked && !self.is_linked,
            is_there: there.is_some(),
            boosts: there.is_some_and(|member| member.boosts),
            has: there
                .map(|member| member.roles.iter().cloned().collect::<BTreeSet<_>>())
                .unwrap_or_default(),
            rules: place.rules.clone(),
            verified: place.settings.verified_roles.clone(),
            booster: place.settings.booster_roles.clone(),
            granted: living.iter().map(|grant| grant.role.clone()).collect(),
            ended: ended.map(|grant| grant.role.clone()).collect(),
            kept,
            games: self.games.clone(),
            barred: place.barred.clone(),
        }
    }
}
