//! The command line.

mod admin;
mod backup;
mod backups;
mod billing;
mod bot;
mod check;
mod cli;
mod health;
mod import;
mod init;
mod logging;
mod manual;
mod metrics;
mod move_to;
mod notify;
mod online;
mod open;
mod output;
mod plugin;
mod sandbox;
mod serve;
mod version;

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use tokio::runtime::{Builder, Runtime};

use crate::cli::{Cli, Command};
use crate::output::{Failure, complain};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How long threads are waited for that work for nobody any more.
const LAST_THREADS: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = match runtime(&cli.command) {
        Ok(runtime) => runtime,
        Err(error) => return complain(&Failure::from(format!("cannot start: {error}"))),
    };
    let ended = runtime.block_on(run(cli));
    // A thread that waits for a disk that hangs must not keep the process.
    runtime.shutdown_timeout(LAST_THREADS);
    logging::finish();
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => complain(&failure),
    }
}

/// A bot has little to do and there may be many on a machine: one thread will do.
fn runtime(command: &Command) -> std::io::Result<Runtime> {
    let mut builder = match command {
        Command::Bot(_)
        | Command::Health(_)
        | Command::Init(_)
        | Command::Completions { .. }
        | Command::Man { .. } => Builder::new_current_thread(),
        Command::Serve(_)
        | Command::Migrate
        | Command::Doctor
        | Command::Config { .. }
        | Command::Admin { .. }
        | Command::Import(_)
        | Command::Plugin { .. }
        | Command::Billing { .. }
        | Command::Backup { .. }
        | Command::Restore { .. }
        | Command::Db { .. } => Builder::new_multi_thread(),
    };
    builder.enable_all().build()
}

async fn run(cli: Cli) -> Result<(), Failure> {
    let Cli { common, command } = cli;
    match command {
        Command::Serve(options) => serve::run(&common, &options).await,
        Command::Bot(options) => bot::run(&common, &options).await,
        Command::Init(options) => init::run(&common, &options),
        Command::Completions { shell } => manual::complete(shell),
        Command::Man { to } => manual::write(&to),
        Command::Health(options) => health::ask(&common, &options).await,
        Command::Migrate => check::migrate(&common).await,
        Command::Doctor => check::doctor(&common).await,
        Command::Config { command } => check::config(&common, &command).await,
        Command::Admin { json, command } => admin::run(&common, json, command).await,
        Command::Import(options) => import::run(&common, &options).await,
        Command::Plugin { command } => plugin::run(&common, command).await,
        Command::Billing { command } => billing::run(&common, &command).await,
        Command::Backup { to, command } => backup::run(&common, to, command).await,
        Command::Restore { from } => backup::restore(&common, &from).await,
        Command::Db { command } => move_to::run(&common, &command).await,
    }
}
