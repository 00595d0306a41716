//! `update`: gives or takes a role, which is remembered as given by this key's Server.

use domain::platform_id::{DiscordId, SteamId};
use domain::roles::Cause;
use storage::roles::grants::{self, Granting, Grantor};
use storage::roles::mappings;
use storage::tenancy::{guild_settings, guilds};
use storage::{GuildNum, OrgScope, Tx, Work};

use crate::error::AppError;
use crate::plugin::{Call, Reply};
use crate::role_marks::{Place, Rank, mark_in};

pub(super) async fn run(call: &Call<'_>) -> Result<Reply, AppError> {
    let players = call.steam_ids_only()?;
    let role = call.one("role", DiscordId::parse)?;
    let gives = match call.params.last("mode").map(str::trim) {
        Some("add") => true,
        Some("remove") => false,
        Some(_) | None => return Err(AppError::invalid("mode", "must be add or remove")),
    };
    let named = players.clone();
    let work = Request {
        guild: call.key.guild,
        grantor: match call.key.server {
            Some(server) => Grantor::Server(server),
            None => Grantor::Key(call.key.num),
        },
        players,
        role,
        gives,
        now_ms: call.app.now_ms(),
    };
    call.app.db.write_for(call.key.scope, work).await?;
    call.app.bell.ring();
    call.mark_named(&named).await;
    Ok(Reply::text(200, "Roles updated"))
}

struct Request {
    guild: GuildNum,
    grantor: Grantor,
    players: Vec<SteamId>,
    role: DiscordId,
    gives: bool,
    now_ms: i64,
}

impl Work for Request {
    type For = OrgScope;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "request_role";

    /// A plugin may only touch roles that the Guild names: its key must not be a way to any role.
    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<(), AppError> {
        let (guild, now_ms) = (self.guild, self.now_ms);
        guilds::lock(tx, scope, guild).await?;
        // What somebody gave they can always take back.
        let is_named = !self.gives
            || guild_settings::may_grant(tx, scope, guild, &self.role).await?
            || mappings::names_role(tx, scope, guild, &self.role).await?;
        if !is_named {
            return Err(AppError::invalid(
                "role",
                "plugins cannot change this role; allow it in the Guild's settings",
            ));
        }
        let members = grants::list_members(tx, scope, guild, &self.players).await?;
        let granting = Granting {
            members: &members,
            role: &self.role,
            grantor: self.grantor,
        };
        if self.gives {
            grants::give(tx, scope, guild, granting, now_ms).await?;
        } else {
            grants::take(tx, scope, guild, granting).await?;
        }
        let id = guilds::get_id(tx, scope, guild).await?;
        let marked: Vec<_> = members.into_iter().map(|id| (id, Cause::Plugin)).collect();
        let place = Place { num: guild, id };
        Ok(mark_in(tx, scope, &place, &marked, Rank::First, now_ms).await?)
    }
}
