//! Takes back the groups that we put, for a link that ended or that does not count any more. It stands above the areas,
//! like [`crate::role_marks`].

use domain::platform_id::SteamId;
use domain::roles::{Cause, Change, Outcome, Side, Source};
use storage::roles::game_side;
use storage::roles::ledger::{self, Line};
use storage::{DbError, GuildNum, OrgScope, Tx};

/// Whose groups, and why.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ended<'a> {
    pub link_num: i64,
    pub steam_id: &'a SteamId,
    pub cause: Cause,
    pub now_ms: i64,
}

/// Has game servers take back what we put there: changes that wait for their plugins. Where nothing is left of ours,
/// nothing happens.
pub(crate) async fn take_groups_back(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    ended: Ended<'_>,
) -> Result<(), DbError> {
    let taken = game_side::end_of_link(tx, scope, guild, ended.steam_id, ended.now_ms).await?;
    for (server, group) in taken {
        let line = Line {
            link_num: ended.link_num,
            server: Some(server),
            side: Side::Game,
            change: Change::Remove,
            role: None,
            group: Some(&group),
            source: Source::End,
            rule: None,
            cause: ended.cause,
            was: None,
            became: Some(false),
            result: Outcome::Waiting,
            reason: None,
            at_ms: ended.now_ms,
        };
        ledger::write(tx, scope, guild, &line).await?;
    }
    Ok(())
}
