//! `pendingRoles` and `confirmRoleSync`: roles that follow from reported groups.

use domain::platform_id::DiscordId;
use serde::Serialize;
use serde_json::value::RawValue;
use storage::players::group_changes::ServerPlace;
use storage::players::server_players;
use storage::tenancy::servers;
use storage::{Tx, Work};

use crate::error::AppError;
use crate::plugin::{Call, Reply, groups};

const PENDING: i64 = 50;

#[derive(Serialize)]
struct Entry {
    discord_id: String,
    steam_id: String,
    oxide_groups: Box<RawValue>,
    discord_roles_synced: Option<Box<RawValue>>,
}

pub(super) async fn pending(call: &Call<'_>) -> Result<Reply, AppError> {
    let raw = |text: String| RawValue::from_string(text).map_err(AppError::internal);
    let mut entries = Vec::new();
    for player in server_players::list_pending(&call.app.db, call.server()?, PENDING).await? {
        entries.push(Entry {
            discord_id: player.discord_id,
            steam_id: player.steam_id,
            oxide_groups: raw(player.oxide_groups)?,
            discord_roles_synced: player.roles_synced.map(raw).transpose()?,
        });
    }
    Reply::of(&entries)
}

pub(super) async fn confirm(call: &Call<'_>) -> Result<Reply, AppError> {
    let id = call.discord_id()?;
    let synced = groups::parse_list(call.params.last("synced").unwrap_or("[]"))
        .ok_or_else(|| AppError::invalid("synced", "must be a JSON array of names or role IDs"))?;
    let place = ServerPlace {
        scope: call.key.scope,
        guild: call.key.guild,
        server: call.server()?,
    };
    call.app.db.write_for(place, Confirm { id, synced }).await?;
    Ok(Reply::text(200, "Role sync confirmed"))
}

struct Confirm {
    id: DiscordId,
    synced: String,
}

impl Work for Confirm {
    type For = ServerPlace;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "confirm_roles";

    async fn run(&self, tx: &mut Tx<'_>, &place: &ServerPlace) -> Result<(), AppError> {
        servers::lock(tx, place).await?;
        let (server, guild) = (place.server, place.guild);
        Ok(server_players::confirm(tx, server, guild, &self.id, &self.synced).await?)
    }
}
