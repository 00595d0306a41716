//! `nitroChecks`: which of many Steam ids belong to boosters.

use storage::linking::lookups;

use crate::error::AppError;
use crate::plugin::{Call, Reply};

pub(super) async fn run(call: &Call<'_>) -> Result<Reply, AppError> {
    let asked = call.steam_ids()?;
    let boosting = lookups::boosting(&call.app.db, call.key.guild, &asked.ids).await?;
    call.mark_asked(&asked.ids, &boosting);
    Ok(Reply::flags(&asked, boosting))
}
