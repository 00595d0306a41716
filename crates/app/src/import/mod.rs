//! Taking over the links of another system, a slice at a time. Each slice is one transaction and may be sent again.
//!
//! The command line sends slices itself. In the dashboard a file is stored row by row, and a job takes the slices.

pub mod files;
pub(crate) mod job;
pub mod runs;
mod storing;
pub mod tally;
pub mod uploads;
mod work;

use domain::audit::Actor;
use domain::id::{GuildId, LinkId, ServerId};
use domain::link::{Country, UnlinkCause};
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
    /// One half of the pair.
    pub discord_id: DiscordId,
    /// The other half.
    pub steam_id: SteamId,
    /// As the other system knew it, until we learn a newer one.
    pub discord_name: Option<String>,
    /// As the other system knew it, until we learn a newer one.
    pub steam_name: Option<String>,
    /// Of the last verification, where the other system knew it.
    #[serde(default)]
    pub country: Option<Country>,
    /// Stored as a report of the plugin would be.
    pub booster: bool,
    /// Permission groups as `a,b` or as a JSON array.
    pub groups: Option<String>,
    /// None is filled from what else the row says, else with the time of the import.
    pub linked_at_ms: Option<i64>,
    /// Set for a link that is history.
    pub ended: Option<Ended>,
}

/// How a link of the other system ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// None is filled like the time of the link.
    pub at_ms: Option<i64>,
    /// In our words.
    pub cause: UnlinkCause,
}

/// As the command line sends it to the running service, as JSON.
#[derive(Debug, Serialize, Deserialize)]
pub struct ImportSlice {
    /// Of the Org that the import is for.
    pub guild: GuildId,
    /// Whose reports the permission groups become; none leaves them out.
    pub server: Option<ServerId>,
    /// At most [`MOST_ROWS`].
    pub rows: Vec<ImportRow>,
    /// False to decide only.
    pub write: bool,
    /// Links that earlier slices of a run without writing would have added.
    pub planned: i64,
}

/// What became of a slice, row by row in its order.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportReport {
    /// In the order of the slice.
    pub rows: Vec<RowOutcome>,
    /// Boosters among what was added.
    pub boosters: usize,
    /// Players with groups among what was added.
    pub groups: usize,
}

/// What became of one row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RowOutcome {
    /// It is new and was written, or would be.
    Added,
    /// It is there already, with the same pair: a slice that is sent again adds nothing.
    Known,
    /// In words for the operator, who decides what to do about it.
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
    let act = app.act(scope, Actor::Operator);
    let ids = slice
        .rows
        .iter()
        .map(|_| LinkId::generate(act.now_ms, &*app.random))
        .collect();
    let work = work::Import {
        app: app.clone(),
        slice,
        ids,
    };
    app.db.write_for(act, work).await
}
