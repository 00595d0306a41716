//! Taking over the links of another system, a slice at a time. Each slice is one transaction and may be sent again.

mod work;

use domain::id::{GuildId, LinkId, ServerId};
use domain::link::UnlinkCause;
use domain::platform_id::{DiscordId, SteamId};
use serde::{Deserialize, Serialize};
use storage::OrgScope;

use crate::error::AppError;
use crate::state::App;

/// Rows of one slice: few enough that other writers wait for milliseconds only.
pub const MOST_ROWS: usize = 200;

/// One row of the other system, checked for its form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportRow {
    pub discord_id: DiscordId,
    pub steam_id: SteamId,
    pub discord_name: Option<String>,
    pub steam_name: Option<String>,
    pub booster: bool,
    /// Permission groups as `a,b` or as a JSON array.
    pub groups: Option<String>,
    pub linked_at_ms: Option<i64>,
    /// Set for a link that is history.
    pub ended: Option<Ended>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    pub at_ms: Option<i64>,
    pub cause: UnlinkCause,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct ImportSlice {
    pub guild: GuildId,
    /// Whose reports the permission groups become; none leaves them out.
    pub server: Option<ServerId>,
    pub rows: Vec<ImportRow>,
    /// False to decide only.
    pub write: bool,
    /// Links that earlier slices of a run without writing would have added.
    pub planned: i64,
}

/// What became of a slice, row by row in its order.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportReport {
    pub rows: Vec<RowOutcome>,
    /// Boosters and players with groups among what was added.
    pub boosters: usize,
    pub groups: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RowOutcome {
    Added,
    Known,
    Refused(String),
}

/// Decides on each row of a slice, and writes what is new unless asked not to.
pub async fn run(app: &App, scope: OrgScope, slice: ImportSlice) -> Result<ImportReport, AppError> {
    if slice.rows.len() > MOST_ROWS {
        return Err(AppError::invalid(
            "rows",
            format!("a slice has at most {MOST_ROWS} rows"),
        ));
    }
    let now_ms = app.now_ms();
    let ids = slice
        .rows
        .iter()
        .map(|_| LinkId::generate(now_ms, &*app.random))
        .collect();
    app.db
        .write(work::Import {
            scope,
            slice,
            ids,
            now_ms,
        })
        .await
}
