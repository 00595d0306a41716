//! The clients against a peer on loopback that answers whatever a test wants.
#![cfg(test)]

mod oauth;
mod openid;
mod peer;
mod web_api;
mod webhooks;
