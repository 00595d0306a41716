//! Secrets of bots, for whoever runs one elsewhere.

use app::bots::register;
use app::{App, AppError};
use clap::Subcommand;
use domain::audit::Actor;
use domain::bot::BotId;
use serde::{Deserialize, Serialize};

use super::Fields;
use super::words::{fields, named};

#[derive(Debug, Subcommand, Serialize, Deserialize)]
pub enum BotSecretCommand {
    /// Print the secret with which a bot calls the service. The audit log notes it.
    Show {
        /// `platform` for the shared bot, or the Discord id of a dedicated one.
        #[arg(long, default_value = "platform")]
        bot: String,
    },
    /// Replace a bot's secret and print the new one. The old secret stops at once.
    Rotate {
        /// `platform` for the shared bot, or the Discord id of a dedicated one.
        #[arg(long, default_value = "platform")]
        bot: String,
    },
}

pub(super) async fn run(app: &App, command: BotSecretCommand) -> Result<Fields, AppError> {
    let (bot, secret) = match command {
        BotSecretCommand::Show { bot } => {
            let secret = register::show(app, parse(&bot)?, Actor::Operator).await;
            (bot, secret)
        }
        BotSecretCommand::Rotate { bot } => {
            let secret = register::rotate(app, parse(&bot)?, Actor::Operator).await;
            (bot, secret)
        }
    };
    let secret = secret.map_err(|error| named(error, "bot", "there is no such bot"))?;
    Ok(fields([("bot", &bot), ("secret", secret.expose())]))
}

fn parse(text: &str) -> Result<BotId, AppError> {
    let id = BotId::parse(text);
    id.ok_or_else(|| AppError::invalid("bot", "it is \"platform\" or the Discord id of a bot"))
}
