//! The client of a bot's token, against an emulated Discord.

mod manners;
mod members;
mod stage;
mod trouble;
