//! `count`: how many active links the Guild has.

use storage::tenancy::guilds;

use crate::error::AppError;
use crate::plugin::{Call, Reply};

pub(super) async fn run(call: &Call<'_>) -> Result<Reply, AppError> {
    let counted = guilds::find_active_links(&call.app.db, call.key.guild).await?;
    Ok(Reply::json(format!(r#"{{"Total":{}}}"#, counted.unwrap_or(0))))
}
