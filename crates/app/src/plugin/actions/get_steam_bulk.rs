//! `getSteamBulk`: the Steam names of many Discord ids. Unknown ones are left out.

use storage::linking::lookups;

use crate::error::AppError;
use crate::plugin::{Call, Reply};

pub(super) async fn run(call: &Call<'_>) -> Result<Reply, AppError> {
    let asked = call.discord_ids()?.ids;
    Reply::names(lookups::steam_names(&call.app.db, call.key.guild, &asked).await?)
}
