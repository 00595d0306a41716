//! What one node keeps in memory. None of it is the truth: a restart loses it and nobody is the worse for it.

pub mod bodies;
pub(crate) mod checks;
pub mod error_log;
pub mod exports;
pub mod gate;
pub mod job_numbers;
pub(crate) mod pace;
pub mod refusals;
pub mod seen;
pub(crate) mod steam_group_names;
pub(crate) mod steam_groups;
pub mod versions;

use std::sync::Arc;

use domain::clock::SharedClock;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use tokio::sync::Mutex;

use bodies::Bodies;
use checks::Checks;
use error_log::ErrorLog;
use exports::Exports;
use gate::{Gate, Limits};
use job_numbers::JobNumbers;
use refusals::Refusals;
use seen::Seen;
use steam_group_names::SteamGroupNames;
use steam_groups::SteamGroups;
use versions::Versions;

pub struct Memories {
    pub gate: Gate,
    pub errors: ErrorLog,
    pub bodies: Bodies,
    pub exports: Exports,
    pub refusals: Refusals,
    pub seen: Seen,
    pub versions: Versions,
    pub(crate) steam_groups: SteamGroups,
    pub(crate) steam_group_names: SteamGroupNames,
    pub(crate) checks: Checks,
    pub(crate) jobs: JobNumbers,
    /// Steps of housekeeping that failed, by their name.
    pub(crate) failed_steps: Family<[(&'static str, &'static str); 1], Counter>,
    /// The turn to ask the database whether it answers. A hung one is asked once at a time, however often we are asked.
    pub(crate) probing: Arc<Mutex<()>>,
}

impl Memories {
    pub fn new(limits: Limits, clock: SharedClock) -> Self {
        Self {
            gate: Gate::new(limits, clock),
            errors: ErrorLog::default(),
            bodies: Bodies::default(),
            exports: Exports::default(),
            refusals: Refusals::default(),
            seen: Seen::default(),
            versions: Versions::default(),
            steam_groups: SteamGroups::default(),
            steam_group_names: SteamGroupNames::default(),
            checks: Checks::default(),
            jobs: JobNumbers::default(),
            failed_steps: Family::default(),
            probing: Arc::default(),
        }
    }
}
