//! What integration tests stand on: a whole application on a database of its own, with a clock and randomness that
//! the test decides, callers with types, and factories.
#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot arrange its world must fail"
)]

mod app;
mod bots;
mod http;
mod platforms;
mod process;
mod scale;
mod world;

pub use crate::app::{START_MS, TestApp};
pub use crate::bots::bot_with;
pub use crate::http::{Client, Reply};
pub use crate::platforms::{
    APPLICATION, BOT_TOKEN, PREVIOUS_SECRET, STEAM_KEY, WEBHOOK_SECRET, add_guild, add_member, add_player,
    add_steam_account, bot_of, hide_groups, is_member, log_channel, rename_player, selling, set_avatar,
    set_icon, start_discord, start_platforms,
};
pub use crate::process::{Node, free_port};
pub use crate::scale::{own_time, rounds, wait_until};
pub use crate::world::{Tenant, discord, steam};
pub use storage::both_databases;
pub use storage::testing::{Engine, TestDb};
