//! Whether the process runs, and whether it should be given requests.

use app::App;
use axum::extract::State;
use serde_json::json;

use crate::routes::{Answer, Found};
use crate::state::WebState;

/// The process answers; nothing else is asked.
pub async fn alive() -> Found<serde_json::Value> {
    Found(json!({ "status": "ok" }))
}

/// The database answers and takes writes. Schema and master keys were checked before the listener opened.
pub async fn ready(State(state): State<WebState>) -> Answer<Found<serde_json::Value>> {
    check(&state.app).await?;
    Ok(Found(
        json!({ "status": "ready", "database": state.app.db_engine() }),
    ))
}

async fn check(app: &App) -> Result<(), app::AppError> {
    app::background::probe(app).await
}
