//! Whether the process runs, and whether it should be given requests.

use app::App;
use axum::extract::State;
use domain::release::VERSION;
use serde::Serialize;
use utoipa::ToSchema;

use crate::routes::{Answer, Found};
use crate::state::WebState;

#[derive(Serialize, ToSchema)]
pub struct Alive {
    #[schema(example = "ok")]
    status: &'static str,
    /// The running release.
    #[schema(example = "v3.24.0")]
    version: &'static str,
}

#[derive(Serialize, ToSchema)]
pub struct Ready {
    #[schema(example = "ready")]
    status: &'static str,
    /// `sqlite` or `postgres`.
    database: &'static str,
}

/// The process answers; nothing else is asked.
pub async fn alive() -> Found<Alive> {
    Found(Alive {
        status: "ok",
        version: VERSION,
    })
}

/// The database answers and takes writes. Schema and master keys were checked before the listener opened.
pub async fn ready(State(state): State<WebState>) -> Answer<Found<Ready>> {
    check(&state.app).await?;
    Ok(Found(Ready {
        status: "ready",
        database: state.app.db_engine(),
    }))
}

async fn check(app: &App) -> Result<(), app::AppError> {
    app::readiness::check(app).await
}
