//! Guilds: Discord communities that an Org has claimed.

use domain::audit::{Actor, AuditAction};
use domain::id::GuildId;
use domain::name::{DisplayName, Slug};
use domain::plan::Dimension;
use domain::platform_id::DiscordId;
pub use storage::guilds::Guild;
use storage::guilds::{self, NewGuild};
use storage::{GuildNum, OrgScope, Tx, Work, audit, orgs};

use crate::error::AppError;
use crate::orgs::taken;
use crate::state::App;

pub struct NewGuildRequest {
    pub discord_guild_id: DiscordId,
    pub name: DisplayName,
    pub slug: Slug,
    /// Where log messages go; none switches them off.
    pub log_channel_id: Option<DiscordId>,
}

/// Adds a Guild to an Org, within its tier's ceiling. A Discord community belongs to one Org at a time.
pub async fn create(
    app: &App,
    scope: OrgScope,
    request: NewGuildRequest,
    actor: Actor,
) -> Result<(GuildId, GuildNum), AppError> {
    let now_ms = app.now_ms();
    let id = GuildId::generate(now_ms, &*app.random);
    let num = app
        .db
        .write(Create {
            scope,
            id: id.clone(),
            request,
            actor,
            now_ms,
        })
        .await?;
    Ok((id, num))
}

struct Create {
    scope: OrgScope,
    id: GuildId,
    request: NewGuildRequest,
    actor: Actor,
    now_ms: i64,
}

impl Work for Create {
    type Output = GuildNum;
    type Error = AppError;
    const NAME: &'static str = "create_guild";

    fn tenant(&self) -> Option<i64> {
        Some(self.scope.num())
    }

    async fn run(&self, tx: &mut Tx<'_>) -> Result<GuildNum, AppError> {
        let org = orgs::lock(tx, self.scope).await?;
        let ceiling = org.tier.ceilings().guilds;
        if !orgs::add_one(tx, self.scope, Dimension::Guilds, ceiling).await? {
            return Err(AppError::LimitReached {
                dimension: Dimension::Guilds,
                ceiling,
            });
        }
        let new = NewGuild {
            id: &self.id,
            discord_guild_id: &self.request.discord_guild_id,
            slug: self.request.slug.as_str(),
            name: self.request.name.as_str(),
            log_channel_id: self.request.log_channel_id.as_ref().map(DiscordId::as_str),
            now_ms: self.now_ms,
        };
        let inserted = guilds::insert(tx, self.scope, &new).await;
        let num = inserted.map_err(|error| {
            taken(
                error,
                "This Discord server or slug already belongs to an organisation.",
            )
        })?;
        let entry = audit::Entry {
            at_ms: self.now_ms,
            actor: &self.actor,
            action: AuditAction::GuildCreated,
            target: Some(self.id.as_str()),
            detail: "{}",
        };
        audit::append(tx, self.scope, &entry).await?;
        Ok(num)
    }
}

/// The Org that a Guild belongs to, for operators who name only the Guild.
pub async fn find_org(app: &App, id: &GuildId) -> Result<OrgScope, AppError> {
    guilds::find_org(&app.db, id).await?.ok_or(AppError::NotFound)
}

pub async fn list(app: &App, scope: OrgScope) -> Result<Vec<Guild>, AppError> {
    Ok(guilds::list(&app.db, scope).await?)
}
