//! What has to be known before somebody is looked at.

use std::collections::{BTreeMap, BTreeSet};

use domain::blocklist::BlockEntry;
use domain::discord::RoleReason;
use domain::platform_id::DiscordId;
use domain::roles::{Game, Rule, Scene};
use platform::discord::rest::Member;
use storage::bots::places;
use storage::identity::blocklist;
use storage::roles::grants::{self, Grant};
use storage::roles::members::{self, RoleMember};
use storage::roles::subjects::{self, Subject};
use storage::roles::{game_side, mappings};
use storage::tenancy::guild_settings::{self, GuildSettings};
use storage::tenancy::guilds::Guild;
use storage::OrgScope;

use crate::error::AppError;
use crate::state::App;

/// What is the same for everybody in a Guild.
pub(super) struct Place {
    pub scope: OrgScope,
    pub guild: Guild,
    pub settings: GuildSettings,
    pub rules: Vec<Rule>,
    pub barred: BTreeMap<DiscordId, RoleReason>,
    pub role_names: BTreeMap<DiscordId, String>,
}

impl Place {
    /// None where the Guild went meanwhile.
    pub async fn read(app: &App, scope: OrgScope, guild: Guild) -> Result<Option<Self>, AppError> {
        let Some(settings) = guild_settings::find(&app.db, scope, guild.num).await? else {
            return Ok(None);
        };
        let rules = mappings::list(&app.db, scope, guild.num).await?;
        let confirmed = guild_settings::list_confirmed(&app.db, scope, guild.num).await?;
        let (mut barred, mut role_names) = (BTreeMap::new(), BTreeMap::new());
        for role in places::list_roles(&app.db, scope, guild.num).await? {
            if let Some(reason) = reason_against(&role, &confirmed) {
                barred.insert(role.id.clone(), reason);
            }
            role_names.insert(role.id, role.name);
        }
        Ok(Some(Self {
            scope,
            guild,
            settings,
            rules,
            barred,
            role_names,
        }))
    }

    /// A rule in words, as it is written down with a change.
    pub fn words(&self, rule: &Rule) -> String {
        let role = self.role_names.get(&rule.role).map_or(rule.role.as_str(), String::as_str);
        rule_words(rule, role)
    }
}

pub(super) fn rule_words(rule: &Rule, role: &str) -> String {
    use domain::roles::Direction::{Both, ToDiscord, ToGame};
    let group = &rule.group;
    match rule.direction {
        ToDiscord => format!("{group} → {role}"),
        ToGame => format!("{role} → {group}"),
        Both => format!("{group} ↔ {role}"),
    }
}

/// Why a role cannot be handed out. Powerful ones can once the Owner said so.
pub(super) fn reason_against(role: &places::Role, confirmed: &[DiscordId]) -> Option<RoleReason> {
    if role.gone_at.is_some() {
        return Some(RoleReason::Gone);
    }
    let reason = role.reason.as_deref().and_then(RoleReason::parse);
    reason.filter(|reason| *reason != RoleReason::Powerful || !confirmed.contains(&role.id))
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
        let entries = [
            BlockEntry::discord(member),
            BlockEntry::steam(&known.subject.steam_id),
        ];
        known.is_linked = !blocklist::is_any_blocked(db, &entries, app.now_ms()).await?;
        known.grants = grants::list(db, guild, member).await?;
        let steam_id = known.subject.steam_id.as_str().to_owned();
        let mut games = game_side::list(db, guild, &[&steam_id]).await?;
        known.games = games.remove(&steam_id).unwrap_or_default();
        Ok(Some(known))
    }

    /// Everything together, as the rules see it.
    pub fn scene(&self, place: &Place, there: Option<&Member>, now_ms: i64) -> Scene {
        let mut kept = self.row.kept.clone();
        let ended = self.grants.iter().filter(|grant| grant.ended);
        for grant in ended.filter(|grant| kept.given.contains(&grant.role)) {
            kept.owed.insert(grant.role.clone());
        }
        let living = self.grants.iter().filter(|grant| !grant.ended);
        Scene {
            now_ms,
            is_linked: self.is_linked,
            is_there: there.is_some(),
            boosts: there.is_some_and(|member| member.boosts),
            has: there.map(|member| member.roles.iter().cloned().collect::<BTreeSet<_>>()).unwrap_or_default(),
            rules: place.rules.clone(),
            verified: place.settings.verified_roles.clone(),
            booster: place.settings.booster_roles.clone(),
            granted: living.map(|grant| grant.role.clone()).collect(),
            kept,
            games: self.games.clone(),
            barred: place.barred.clone(),
        }
    }
}
