//! Keys of game servers and of the bots in front of them.

use app::keys::{bot_keys, plugin_keys};
use app::{App, AppError};
use clap::Subcommand;
use domain::audit::Actor;
use serde::{Deserialize, Serialize};

use super::Fields;
use super::words::{fields, find_server};

#[derive(Debug, Subcommand, Serialize, Deserialize)]
#[expect(clippy::enum_variant_names, reason = "the commands are called so")]
pub enum KeysCommand {
    /// Print a Server's key. The organisation's audit log records it.
    PrintKey {
        /// Server ID (srv_…).
        #[arg(long)]
        server: String,
    },
    /// Regenerate a Server's key and print the new one. The old key stops working immediately.
    RegenerateKey {
        #[arg(long)]
        server: String,
    },
    /// Revoke a Server's key until it is regenerated.
    RevokeKey {
        #[arg(long)]
        server: String,
    },
    /// Create a new bot key for a Server and print it; the previous one stops working immediately.
    IssueBotKey {
        #[arg(long)]
        server: String,
    },
}

pub(super) async fn run(app: &App, command: KeysCommand) -> Result<Fields, AppError> {
    use KeysCommand as C;
    match command {
        C::PrintKey { server } => {
            let (scope, id) = find_server(app, &server).await?;
            let key = plugin_keys::reveal(app, scope, id, Actor::Operator).await?;
            Ok(fields([("key", key.expose())]))
        }
        C::RegenerateKey { server } => {
            let (scope, id) = find_server(app, &server).await?;
            let key = plugin_keys::regenerate(app, scope, id, Actor::Operator).await?;
            Ok(fields([("key", key.expose())]))
        }
        C::RevokeKey { server } => {
            let (scope, id) = find_server(app, &server).await?;
            plugin_keys::revoke(app, scope, id, Actor::Operator).await?;
            Ok(fields([("revoked", &server)]))
        }
        C::IssueBotKey { server } => {
            let (scope, id) = find_server(app, &server).await?;
            let key = bot_keys::issue(app, scope, id, Actor::Operator).await?;
            Ok(fields([("key", key.expose())]))
        }
    }
}
