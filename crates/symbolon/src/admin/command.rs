//! Every command, as typed and as sent; what each does stands with its area.

use app::{App, AppError};
use clap::Subcommand;
use serde::{Deserialize, Serialize};

use super::bots::BotSecretCommand;
use super::find::Person;
use super::identity::IdentityCommand;
use super::instance::InstanceCommand;
use super::jobs::JobsCommand;
use super::keys::KeysCommand;
use super::linking::LinkingCommand;
use super::lists::ListsCommand;
use super::tenancy::TenancyCommand;
use super::webhooks::WebhookCommand;
use super::{Fields, bots, find, identity, instance, jobs, keys, linking, lists, tenancy, webhooks};

#[derive(Debug, Subcommand, Serialize, Deserialize)]
pub enum AdminCommand {
    #[command(flatten)]
    Tenancy(TenancyCommand),
    #[command(flatten)]
    Keys(KeysCommand),
    #[command(flatten)]
    Linking(LinkingCommand),
    #[command(flatten)]
    Lists(ListsCommand),
    /// Find a person in all organisations: their dashboard account, roles and links. The operators' audit log records it.
    Find(Person),
    #[command(flatten)]
    Identity(IdentityCommand),
    /// List pending and running jobs, retry or drop them.
    Jobs {
        #[command(subcommand)]
        command: JobsCommand,
    },
    /// Show or replace the secret of a bot that runs elsewhere.
    BotSecret {
        #[command(subcommand)]
        command: BotSecretCommand,
    },
    /// Have changes of links sent to other systems, while the flag for it is on.
    Webhook {
        #[command(subcommand)]
        command: WebhookCommand,
    },
    #[command(flatten)]
    Instance(InstanceCommand),
}

pub(super) async fn run(app: &App, command: AdminCommand) -> Result<Fields, AppError> {
    match command {
        AdminCommand::Tenancy(command) => tenancy::run(app, command).await,
        AdminCommand::Keys(command) => keys::run(app, command).await,
        AdminCommand::Linking(command) => linking::run(app, command).await,
        AdminCommand::Lists(command) => lists::run(app, command).await,
        AdminCommand::Find(person) => find::run(app, &person).await,
        AdminCommand::Identity(command) => identity::run(app, command).await,
        AdminCommand::Jobs { command } => jobs::run(app, command).await,
        AdminCommand::BotSecret { command } => bots::run(app, command).await,
        AdminCommand::Webhook { command } => webhooks::run(app, command).await,
        AdminCommand::Instance(command) => instance::run(app, command).await,
    }
}
