//! Races, crashes and several nodes. Small figures in `make test`, full ones in `make torture`; each test prints
//! one line with what it did.

mod alerts;
mod billing;
mod bulk_unlink;
mod ceilings;
mod claims;
mod cleanup;
mod crowd;
mod downgrades;
mod downloads;
mod exports;
mod flows;
mod imports;
mod jobs;
mod kill;
mod life;
mod maintenance;
mod mass_sign_out;
mod messages;
mod overload;
pub mod race;
mod relinks;
mod removal;
mod ring;
mod role_kills;
mod roles;
mod rolling;
mod rotations;
pub mod site;
mod stop;
mod switches;
mod trust;
pub mod wire;
mod worker;
