//! What the emulators have in common: a listener, a journal of calls, faults, and the control interface.

pub mod control;
pub mod dates;
pub mod faults;
pub mod forms;
pub mod gate;
pub mod hub;
pub mod journal;
pub mod merge;
pub mod page;
pub mod person;
pub mod routes;
pub mod server;
pub mod setup;
