//! `update`: gives or takes a role, for the bot to carry out.

use domain::platform_id::{DiscordId, SteamId};
use storage::linking::role_changes::{self, RoleRequest};
use storage::tenancy::{guild_settings, guilds};
use storage::{GuildNum, OrgScope, Tx, Work};

use crate::error::AppError;
use crate::plugin::{Call, Reply};

pub(super) async fn run(call: &Call<'_>) -> Result<Reply, AppError> {
    let players = call.steam_ids_only()?;
    let role = call.one("role", DiscordId::parse)?;
    let mode = match call.params.last("mode").map(str::trim) {
        Some("add") => "add",
        Some("remove") => "remove",
        Some(_) | None => return Err(AppError::invalid("mode", "must be add or remove")),
    };
    let work = Request {
        guild: call.key.guild,
        players,
        role,
        mode,
        now_ms: call.app.now_ms(),
    };
    call.app.db.write_for(call.key.scope, work).await?;
    Ok(Reply::text(200, "Roles updated"))
}

struct Request {
    guild: GuildNum,
    players: Vec<SteamId>,
    role: DiscordId,
    mode: &'static str,
    now_ms: i64,
}

impl Work for Request {
    type For = OrgScope;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "request_role";

    /// A plugin may only touch roles that the Guild's settings name: its key must not be a way to any role.
    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<(), AppError> {
        guilds::lock(tx, scope, self.guild).await?;
        if !guild_settings::may_grant(tx, scope, self.guild, &self.role).await? {
            return Err(AppError::invalid(
                "role",
                "plugins cannot change this role; allow it in the Guild's settings",
            ));
        }
        let request = RoleRequest {
            players: &self.players,
            role_id: &self.role,
            mode: self.mode,
            now_ms: self.now_ms,
        };
        role_changes::request(tx, scope, self.guild, &request).await?;
        Ok(())
    }
}
