//! The bot with the real client of Discord's gateway, on the emulated Discord, beside a service made for the test.
#![cfg(test)]

mod answers;
mod gateway;
mod home;
mod members;
mod refusals;
mod restarts;
mod service;
mod twice;
mod world;
