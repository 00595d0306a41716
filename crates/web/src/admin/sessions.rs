//! Everybody's sessions.

use app::admin::sessions;
use app::{App, AppError};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{FreshOperator, JsonBody, Operator};
use crate::routes::{Answer, Done, Found};

const CONFIRM: &str = "sign out everyone";

/// How many browsers are signed in.
#[derive(Serialize, ToSchema)]
pub struct SessionCounts {
    living: i64,
    /// Of those, the ones that nobody used for `idle_days`.
    idle: i64,
    idle_days: i64,
}

pub async fn count(app: App, operator: Operator, (): ()) -> Answer<Found<SessionCounts>> {
    let counted = sessions::count(&app, operator.scope).await?;
    Ok(Found(SessionCounts {
        living: counted.living,
        idle: counted.idle,
        idle_days: sessions::IDLE_DAYS,
    }))
}

/// The words `sign out everyone`, typed by hand.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EveryonesEnd {
    confirm: String,
}

pub async fn end_all(
    app: App,
    operator: FreshOperator,
    JsonBody(end): JsonBody<EveryonesEnd>,
) -> Answer<Done> {
    if end.confirm.trim() != CONFIRM {
        return Err(AppError::invalid("confirm", "type the words: sign out everyone").into());
    }
    sessions::end_all_but(&app, operator.session_hash(), operator.by()).await?;
    Ok(Done)
}

pub async fn drop_idle(app: App, operator: FreshOperator, (): ()) -> Answer<Done> {
    sessions::drop_idle(&app, operator.by()).await?;
    Ok(Done)
}
