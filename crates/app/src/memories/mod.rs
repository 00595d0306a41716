//! What one node keeps in memory. None of it is the truth: a restart loses it and nobody is the worse for it.

pub mod alerts;
pub(crate) mod bodies;
mod buckets;
pub(crate) mod checks;
pub mod child;
pub mod error_log;
pub mod exports;
pub mod gate;
pub(crate) mod job_numbers;
pub(crate) mod lately;
pub mod link_steps;
pub(crate) mod pace;
pub mod plugins;
pub mod refusals;
pub mod refused_calls;
pub mod room;
pub mod seen;
mod shared_time;
pub(crate) mod shelf;
pub(crate) mod steam_group_names;
pub(crate) mod steam_groups;
mod tallies;
pub(crate) mod uploads;
pub(crate) mod views;

use std::sync::Arc;

use domain::clock::SharedClock;
use domain::network::ClientNetwork;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use tokio::sync::Mutex;

use alerts::Alerts;
use bodies::Bodies;
use checks::Checks;
use child::Child;
use error_log::ErrorLog;
use exports::Exports;
use gate::{Gate, Limits};
use job_numbers::JobNumbers;
use lately::Lately;
use link_steps::LinkSteps;
use plugins::Plugins;
use refusals::Refusals;
use refused_calls::RefusedCalls;
use room::{Room, STEP_BYTES};
use seen::Seen;
use shared_time::SharedTime;
use shelf::Shelf;
use steam_group_names::SteamGroupNames;
use steam_groups::SteamGroups;
use uploads::Uploads;
use views::Views;

/// What is kept of bodies whose senders have proved nothing yet: 8 MiB, shared by their networks.
const UNPROVEN_STEPS: u32 = 8 * 1024 * 1024 / STEP_BYTES as u32;

/// None of them grows with what strangers send: what does not fit is refused, shared or left out.
pub struct Memories {
    /// The bot that this node has started.
    pub child: Child,
    /// What the database's clock says.
    pub(crate) shared_time: SharedTime,
    /// Rate limits and last uses.
    pub gate: Gate,
    /// Failures on their way to the error log.
    pub errors: ErrorLog,
    /// Failures that operators are to be told of.
    pub alerts: Alerts,
    /// Room for the bodies of plugin calls.
    pub(crate) bodies: Bodies,
    /// Room for bodies that have to be read before it is known who sent them.
    pub unproven: Room<ClientNetwork>,
    /// Room for exports of the audit log.
    pub(crate) exports: Exports,
    /// Room for files of older systems.
    pub(crate) uploads: Uploads,
    /// Room for rules that are played through.
    pub(crate) dry_runs: Exports,
    /// Whose page was looked at by whom.
    pub(crate) views: Views,
    /// Refused members on their way to the audit log.
    pub refusals: Refusals,
    /// How far people get on link pages.
    pub link_steps: LinkSteps,
    /// Players whom game servers named.
    pub seen: Seen,
    /// The same of players who are not linked in the Guild of the game server. They may be in another one of its Org.
    pub strangers: Seen,
    /// Builds of the plugin.
    pub(crate) shelf: Shelf,
    /// What plugins say about themselves, on its way to their Servers.
    pub plugins: Plugins,
    /// Refused plugin calls on their way to their keys.
    pub refused_calls: RefusedCalls,
    /// Test messages to log channels.
    pub(crate) log_tests: Lately,
    /// Looks at Guilds on Discord that somebody asked for.
    pub(crate) looks: Lately,
    /// Tokens that were shown to Discord for somebody.
    pub(crate) bot_tokens: Lately,
    pub(crate) steam_groups: SteamGroups,
    pub(crate) steam_group_names: SteamGroupNames,
    pub(crate) checks: Checks,
    pub(crate) jobs: JobNumbers,
    /// Messages of webhooks, by what became of them.
    pub(crate) webhooks: Family<[(&'static str, &'static str); 1], Counter>,
    /// Steps of housekeeping that failed, by their name.
    pub(crate) failed_steps: Family<[(&'static str, &'static str); 1], Counter>,
    /// The turn to ask the database whether it answers. A hung one is asked once at a time, however often we are asked.
    pub(crate) probing: Arc<Mutex<()>>,
}

impl Memories {
    /// Empty, as after every start.
    pub(crate) fn new(limits: Limits, clock: SharedClock) -> Self {
        Self {
            child: Child::default(),
            shared_time: SharedTime::default(),
            gate: Gate::new(limits, clock),
            errors: ErrorLog::default(),
            alerts: Alerts::default(),
            bodies: Bodies::default(),
            unproven: Room::new(UNPROVEN_STEPS),
            exports: Exports::default(),
            uploads: Uploads::default(),
            views: Views::default(),
            dry_runs: Exports::default(),
            log_tests: Lately::default(),
            looks: Lately::default(),
            bot_tokens: Lately::default(),
            refusals: Refusals::default(),
            link_steps: LinkSteps::default(),
            seen: Seen::default(),
            strangers: Seen::default(),
            shelf: Shelf::default(),
            plugins: Plugins::default(),
            refused_calls: RefusedCalls::default(),
            steam_groups: SteamGroups::default(),
            steam_group_names: SteamGroupNames::default(),
            checks: Checks::default(),
            jobs: JobNumbers::default(),
            webhooks: Family::default(),
            failed_steps: Family::default(),
            probing: Arc::default(),
        }
    }
}
