mod audit;
mod flow;
mod master_keys;
mod platforms;
mod process;
pub mod rows;
mod sealed;
pub mod search;
mod startup;
