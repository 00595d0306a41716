//! Roles on Discord and groups in the game: the looks that bring members in line, the rules they follow, and what was done.

pub(crate) mod attention;
mod calls;
mod erased;
mod listed;
mod look;
mod nicknames;
mod powerful;
mod recheck;
mod scene;
mod settle;
mod settle_game;
mod sync;

pub mod dry_run;
pub mod history;
pub mod places;
pub mod rules;

pub use recheck::{Progress, cancel, progress, start};
pub(crate) use recheck::{step as recheck_step, sweep};
pub(crate) use scene::reason_against;
pub(crate) use sync::step;
