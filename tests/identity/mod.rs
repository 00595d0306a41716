//! Who people are: how they come in, what a session may do, who is kept out.

mod block_race;
mod front_door;
mod operators;
mod pictures;
mod rate;
mod sessions;
pub mod sign_in;
