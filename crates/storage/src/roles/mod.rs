//! Rules between groups and roles, who is to be looked at, and what was done.

pub mod game_side;
pub mod grants;
pub mod ledger;
pub mod mappings;
pub mod marks;
pub mod members;
pub mod rechecks;
pub mod subjects;
