//! The plugin API: its front door and the actions that are built.
#![expect(
    clippy::expect_used,
    reason = "a test that cannot arrange its world must fail"
)]

mod addresses;
mod allow_list;
mod answers;
mod arbitrary;
mod browsers;
mod count;
mod failures;
mod faults;
mod find_by_steam;
mod forwarded;
mod headers;
mod key_places;
mod key_state;
mod limits;
mod logs;
mod methods;
mod order;
mod remove;
mod retired;
mod scope;
mod support;
mod transport;
mod unknown_keys;
mod uses;
