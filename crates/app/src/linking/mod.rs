//! The link and unlink pages: sign-ins, checks, and the one step that binds two accounts.
//!
//! Every function here is given the secret of the browser's flow. What a browser says about itself counts for nothing;
//! identities come from the providers alone.

mod checks;
mod discord;
mod flow;
pub mod guild_links;
mod link_roles;
pub mod links;
mod start;
mod steam;
mod trip;
mod unlink;
mod unlink_one;
mod verify;
mod view;

use domain::flow::{FlowPurpose, Provider};

pub use discord::discord_callback;
pub use flow::{clear_expired, restart};
pub(crate) use flow::{give_back_of_guild, give_back_tokens, token_place, trip_place};
pub use start::{Started, start};
pub(crate) use steam::is_cancelled;
pub use steam::steam_callback;
pub use storage::linking::link_pages::LinkPage as Page;
pub use storage::tenancy::navigation::NavigationLink;
pub use trip::{Trip, arrive};
pub use unlink::unlink;
pub use verify::{Outcome, Verifier, join, verify};
pub use view::{Account, Shown, WouldEnd, preview, view};

/// Where a sign-in begins.
pub const fn entrance(provider: Provider, purpose: FlowPurpose) -> &'static str {
    match (provider, purpose) {
        (Provider::Discord, FlowPurpose::Link) => "/auth/discord/link",
        (Provider::Discord, FlowPurpose::Unlink) => "/auth/discord/unlink",
        (Provider::Steam, FlowPurpose::Link) => "/auth/steam/link",
        (Provider::Steam, FlowPurpose::Unlink) => "/auth/steam/unlink",
    }
}

/// Where a provider sends the browser back to: one constant path for each provider and purpose, so that an answer for
/// one is worth nothing at another.
pub const fn callback(provider: Provider, purpose: FlowPurpose) -> &'static str {
    match (provider, purpose) {
        (Provider::Discord, FlowPurpose::Link) => "/auth/discord/link/callback",
        (Provider::Discord, FlowPurpose::Unlink) => "/auth/discord/unlink/callback",
        (Provider::Steam, FlowPurpose::Link) => "/auth/steam/link/callback",
        (Provider::Steam, FlowPurpose::Unlink) => "/auth/steam/unlink/callback",
    }
}
