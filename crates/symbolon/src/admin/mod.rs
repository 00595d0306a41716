//! `symbolon admin`: one set of commands, run by the service itself when it is up, else on the database directly.

mod bots;
mod builds;
mod command;
mod fields;
mod find;
mod identity;
mod instance;
mod jobs;
mod keys;
mod linking;
mod lists;
mod socket;
mod tenancy;
mod webhooks;
mod words;

use app::App;
use app::import::{ImportReport, ImportSlice};
use config::Config;
use serde::{Deserialize, Serialize};

pub use command::AdminCommand;
pub use socket::listen;

use self::fields::Fields;
use crate::cli::Common;
use crate::open::{close, load_config, open_existing};
use crate::output::Failure;

/// What is asked over the socket.
#[derive(Serialize, Deserialize)]
enum Request {
    Admin(AdminCommand),
    Import(ImportSlice),
    Build(BuildNote),
}

/// What is about to be done with a build of the plugin.
#[derive(Serialize, Deserialize)]
pub struct BuildNote {
    pub version: String,
    pub deed: BuildDeed,
    /// Of the file, where there is a new one.
    pub sha256: Option<String>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
pub enum BuildDeed {
    Publish,
    Withdraw,
    Restore,
}

/// Has the running service write it into the operators' log. False where none runs on this data directory.
pub async fn note_build(data_dir: &std::path::Path, note: BuildNote) -> Result<bool, Failure> {
    let Some(mut connection) = socket::Connection::open(data_dir).await? else {
        return Ok(false);
    };
    match connection.ask(&Request::Build(note)).await? {
        Reply::Done(_) => Ok(true),
        Reply::Refused(text) => Err(text.into()),
        Reply::Imported(_) => Err("the running service sent an unexpected answer".into()),
    }
}

/// Whether a service runs on this data directory.
pub async fn is_served(data_dir: &std::path::Path) -> Result<bool, Failure> {
    Ok(socket::Connection::open(data_dir).await?.is_some())
}

/// The answer as it travels over the socket.
#[derive(Serialize, Deserialize)]
enum Reply {
    Done(Fields),
    Imported(ImportReport),
    Refused(String),
}

/// The way to the data. A running service owns its embedded database, so it is asked first.
pub enum Channel {
    Service(socket::Connection),
    Database(Box<App>),
}

impl Channel {
    pub async fn open(config: &Config) -> Result<Channel, Failure> {
        Ok(match socket::Connection::open(&config.data_dir).await? {
            Some(connection) => Channel::Service(connection),
            None => Channel::Database(Box::new(open_existing(config).await?)),
        })
    }

    async fn ask(&mut self, request: Request) -> Result<Reply, Failure> {
        match self {
            Channel::Service(connection) => connection.ask(&request).await,
            Channel::Database(app) => Ok(execute(app, request).await),
        }
    }

    /// Has a slice of an import decided on, and written if it says so.
    pub async fn import(&mut self, slice: ImportSlice) -> Result<ImportReport, Failure> {
        match self.ask(Request::Import(slice)).await? {
            Reply::Imported(report) => Ok(report),
            Reply::Refused(text) => Err(text.into()),
            Reply::Done(_) => Err("the running service sent an unexpected answer".into()),
        }
    }

    pub async fn close(self) -> Result<(), Failure> {
        if let Channel::Database(app) = self {
            app.tasks.finish(std::time::Duration::from_secs(5)).await;
            close(&app.db).await?;
        }
        Ok(())
    }
}

/// Runs a command.
pub async fn run(common: &Common, json: bool, command: AdminCommand) -> Result<(), Failure> {
    let mut channel = Channel::open(&load_config(common, None)?).await?;
    let reply = channel.ask(Request::Admin(command)).await;
    let closed = channel.close().await;
    match reply? {
        Reply::Done(fields) => {
            fields.show(json);
            closed
        }
        Reply::Refused(text) => Err(text.into()),
        Reply::Imported(_) => Err("the running service sent an unexpected answer".into()),
    }
}

async fn execute(app: &App, request: Request) -> Reply {
    let done = match request {
        Request::Admin(command) => command::run(app, command).await.map(Reply::Done),
        Request::Import(slice) => linking::import(app, slice).await.map(Reply::Imported),
        Request::Build(note) => builds::note(app, note).await.map(Reply::Done),
    };
    match done {
        Ok(reply) => reply,
        Err(error) if error.is_ours() => Reply::Refused(error.internal_detail()),
        Err(error) => Reply::Refused(error.public_message()),
    }
}
