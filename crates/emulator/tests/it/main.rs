//! The emulators as a client meets them: over a socket.
#![cfg(test)]

mod control;
mod discord;
mod faults;
mod steam_openid;
mod steam_web_api;
mod stripe;
mod support;
