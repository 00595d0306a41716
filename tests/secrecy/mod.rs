mod flow;
mod master_keys;
mod process;
pub mod rows;
mod sealed;
pub mod search;
mod startup;
