//! `symbolon admin`: one set of commands, run by the service itself when it is up, else on the database directly.

mod command;
mod run;
mod socket;

use app::App;
use serde::{Deserialize, Serialize};
use storage::migrate::Migrate;

pub use command::AdminCommand;
pub use socket::listen;

use crate::cli::Common;
use crate::open::{load_config, open_app};
use crate::output::{Failure, show};

/// What a command prints: names and values.
pub type Fields = Vec<(String, String)>;

/// A command's result as it travels over the socket.
#[derive(Serialize, Deserialize)]
enum Reply {
    Done(Fields),
    Refused(String),
}

/// Runs a command. A running service owns its embedded database, so it is asked first.
pub async fn run(common: &Common, json: bool, command: AdminCommand) -> Result<(), Failure> {
    let config = load_config(common, None)?;
    let reply = match socket::ask(&config.data_dir, &command).await? {
        Some(reply) => reply,
        None => {
            let app = open_app(&config, Migrate::Apply).await?;
            let reply = execute(&app, command).await;
            app.tasks.finish(std::time::Duration::from_secs(5)).await;
            app.db.close().await;
            reply
        }
    };
    match reply {
        Reply::Done(fields) => {
            show(&fields, json);
            Ok(())
        }
        Reply::Refused(text) => Err(text.into()),
    }
}

async fn execute(app: &App, command: AdminCommand) -> Reply {
    match run::run(app, command).await {
        Ok(fields) => Reply::Done(fields),
        Err(error) if error.is_ours() => Reply::Refused(error.internal_detail()),
        Err(error) => Reply::Refused(error.public_message()),
    }
}
