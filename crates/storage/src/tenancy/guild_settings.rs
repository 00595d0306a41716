//! What an Org decides about a Guild: where messages go, which roles follow, what players have to do.

use domain::flow::JoinMode;
use domain::invite::InviteUrl;
use domain::platform_id::DiscordId;
use domain::roles::Template;
use domain::steam_group::GroupId;

use crate::columns;
use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{GuildNum, OrgScope};

statements! {
    SETTINGS: GuildSettings = "
        SELECT {columns}
        FROM guilds
        WHERE num = $2 AND org_num = $1 AND removed_at IS NULL";
    SET_SETTINGS = "
        UPDATE guilds
        SET log_channel_id = $3, verified_roles = $4, booster_roles = $5, plugin_roles = $6, steam_group = $7,
            steam_group_id = $8, join_mode = $9, invite_url = $10, relink_cooldown_ms = $11, nickname_template = $12
        WHERE num = $2 AND org_num = $1";
    STEAM_GROUP_ID = "
        SELECT steam_group_id
        FROM guilds
        WHERE num = $1 AND steam_group_id IS NOT NULL AND removed_at IS NULL";
    ROLES: Roles = "
        SELECT {columns}
        FROM guilds
        WHERE num = $2 AND org_num = $1";
}

/// What an Org decides about one of its Guilds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuildSettings {
    /// Where linked and unlinked messages go; none switches them off.
    pub log_channel_id: Option<DiscordId>,
    /// Roles of everybody who is linked.
    pub verified_roles: Vec<DiscordId>,
    /// Roles of linked boosters.
    pub booster_roles: Vec<DiscordId>,
    /// Further roles that game servers may give and take.
    pub plugin_roles: Vec<DiscordId>,
    /// The Steam group that players are asked to join.
    pub steam_group: Option<SteamGroup>,
    /// Whether players have to be in the Discord server, and how they get there.
    pub join_mode: JoinMode,
    /// Where players find the way in by themselves.
    pub invite_url: Option<InviteUrl>,
    /// How long a new link stays as it is; 0 lets players relink at once.
    pub relink_cooldown_ms: i64,
    /// What nicknames of linked members follow; none leaves them alone.
    pub nickname_template: Option<Template>,
}

/// A Steam group as somebody wrote it down, and the number it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SteamGroup {
    /// What somebody pasted, shown to them again.
    pub pasted: String,
    /// What it stands for, which is what counts.
    pub id: GroupId,
}

impl FromRow for GuildSettings {
    const COLUMNS: &'static str = "\
        log_channel_id, verified_roles, booster_roles, plugin_roles, steam_group, steam_group_id, \
        join_mode, invite_url, relink_cooldown_ms, nickname_template";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let roles = |column| row.parse(column, |text| serde_json::from_str(text));
        Ok(Self {
            log_channel_id: match row.opt_text(0)? {
                Some(_) => Some(row.parse(0, DiscordId::parse)?),
                None => None,
            },
            verified_roles: roles(1)?,
            booster_roles: roles(2)?,
            plugin_roles: roles(3)?,
            steam_group: match (row.opt_text(4)?, row.opt_int(5)?) {
                (Some(pasted), Some(number)) => Some(SteamGroup {
                    pasted,
                    id: columns::group_id(number)?,
                }),
                (_, _) => None,
            },
            join_mode: row.parse(6, |text| JoinMode::parse(text).ok_or("unknown join mode"))?,
            invite_url: match row.opt_text(7)? {
                Some(_) => Some(row.parse(7, InviteUrl::parse)?),
                None => None,
            },
            relink_cooldown_ms: row.int(8)?,
            nickname_template: match row.opt_text(9)? {
                Some(_) => Some(row.parse(9, Template::parse)?),
                None => None,
            },
        })
    }
}

/// None for a Guild that is not the Org's or is removed.
pub async fn find(db: &Db, scope: OrgScope, guild: GuildNum) -> Result<Option<GuildSettings>, DbError> {
    db.find(&SETTINGS, params![scope.num(), guild]).await
}

/// Of a Guild that the unit found under the Org's lock.
pub async fn get_in(tx: &mut Tx<'_>, scope: OrgScope, guild: GuildNum) -> Result<GuildSettings, DbError> {
    tx.get(&SETTINGS, params![scope.num(), guild]).await
}

/// Replaces all of them. Under the Org's lock.
pub async fn set(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    settings: &GuildSettings,
) -> Result<(), DbError> {
    let list = |roles: &[DiscordId]| {
        serde_json::to_string(roles).map_err(|error| DbError::Bug(format!("a list of roles: {error}")))
    };
    let (verified, booster, plugin) = (
        list(&settings.verified_roles)?,
        list(&settings.booster_roles)?,
        list(&settings.plugin_roles)?,
    );
    let channel = settings.log_channel_id.as_ref().map(DiscordId::as_str);
    let pasted = settings.steam_group.as_ref().map(|group| group.pasted.as_str());
    let number = settings
        .steam_group
        .as_ref()
        .map(|group| i64::from(group.id.number()));
    let values = params![
        scope.num(),
        guild,
        channel,
        &verified,
        &booster,
        &plugin,
        pasted,
        number,
        settings.join_mode.as_str(),
        settings.invite_url.as_ref().map(InviteUrl::as_str),
        settings.relink_cooldown_ms,
        settings.nickname_template.as_ref().map(Template::as_str),
    ];
    tx.execute_one(&SET_SETTINGS, values).await
}

/// The Steam group of a key's Guild, if it has one.
pub async fn find_steam_group(db: &Db, guild: GuildNum) -> Result<Option<GroupId>, DbError> {
    let number = db.find::<i64>(&STEAM_GROUP_ID, params![guild]).await?;
    number.map(columns::group_id).transpose()
}

/// The three role lists of a Guild, each a JSON array of Discord ids.
struct Roles([String; 3]);

impl FromRow for Roles {
    const COLUMNS: &'static str = "verified_roles, booster_roles, plugin_roles";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self([row.text(0)?, row.text(1)?, row.text(2)?]))
    }
}

/// Whether the Guild's settings let plugins give and take this role.
pub async fn may_grant(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    role: &DiscordId,
) -> Result<bool, DbError> {
    let roles: Roles = tx.get(&ROLES, params![scope.num(), guild]).await?;
    let quoted = ["\"", role.as_str(), "\""].concat();
    Ok(roles.0.iter().any(|list| list.contains(&quoted)))
}
