//! Steam, Discord and Stripe on loopback, for the sandbox and for tests.
//!
//! An emulator knows what its platform knows: accounts, groups, guilds, roles, messages, subscriptions. A test sets that state, drives
//! the product and reads the state again. Faults are state too. Nothing here is a recording: what comes back follows
//! from what was done before.

mod common;
pub mod discord;
mod sandbox;
pub mod steam;
pub mod stripe;

pub use crate::common::faults::{Fault, FaultKind};
pub use crate::common::hub::Hub;
pub use crate::common::journal::Call;
pub use crate::common::person::Purpose;
pub use crate::common::setup::Setup;
pub use crate::discord::Discord;
pub use crate::sandbox::{Levers, SandboxControl};
pub use crate::steam::Steam;
pub use crate::stripe::Stripe;
