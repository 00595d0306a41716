//! Changes of links, told to receivers that operators added.

mod ends;
mod secrets;
mod sending;
mod sink;
mod stage;
