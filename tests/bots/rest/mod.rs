//! The client of a bot's token, against an emulated Discord.

mod manners;
mod stage;
mod trouble;
