//! Changes of links, told to receivers that operators added.

pub mod ends;
mod secrets;
mod sending;
mod sink;
mod stage;
