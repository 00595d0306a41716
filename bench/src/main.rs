//! Measures Symbolon next to a bare server on the same machine, in one run.

mod baseline;
mod cold;
mod data;
mod discord;
mod ground;
mod histogram;
mod http;
mod load;
mod people;
mod phase;
mod process;
mod removal;
mod report;
mod roles;
mod run;
mod seed;
mod store;
mod writes;

use std::error::Error;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};

use crate::load::Call;
use crate::run::Only;

/// The product's allocator, so that the baseline differs from it in nothing but the work.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Threads of the load generator. It shares the machine with the server it measures.
const CLIENT_THREADS: usize = 2;

type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

#[derive(Parser)]
#[command(about = "Measures Symbolon against a bare server on the same machine")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Seed both databases, run every measurement and print the report.
    Run {
        /// A tenth of the links, one short round: to try the benchmark out, not to quote.
        #[arg(long)]
        quick: bool,
        /// Where the databases go; on the disk whose commits are to be measured.
        #[arg(long)]
        data: Option<PathBuf>,
    },
    /// Measure only a new rule in a large Guild, and what it costs others.
    Roles {
        #[arg(long)]
        quick: bool,
        #[arg(long)]
        data: Option<PathBuf>,
    },
    /// Measure only lists and scores of an Org with a great many people.
    People {
        #[arg(long)]
        quick: bool,
        #[arg(long)]
        data: Option<PathBuf>,
    },
    /// Measure only what the removal of a large Guild costs others.
    Removal {
        #[arg(long)]
        quick: bool,
        #[arg(long)]
        data: Option<PathBuf>,
    },
    /// Measure only unlinks while Discord answers and hangs, and the bot's memory.
    Discord {
        #[arg(long)]
        quick: bool,
        #[arg(long)]
        data: Option<PathBuf>,
    },
    /// Keep one server under a closed loop of one call, in turn with the bare server, and print its process id: for a
    /// profiler, or to compare one call before and after a change.
    Profile {
        #[arg(long, value_enum, default_value_t = ProfiledCall::FindBySteam)]
        call: ProfiledCall,
        /// Seconds of load.
        #[arg(long, default_value_t = 30)]
        seconds: usize,
        /// On PostgreSQL instead of SQLite.
        #[arg(long)]
        postgres: bool,
        #[arg(long)]
        quick: bool,
        #[arg(long)]
        data: Option<PathBuf>,
    },
    /// The bare server that the others are compared with.
    Baseline {
        #[arg(long)]
        listen: SocketAddr,
    },
}

/// The calls of the closed loop, by the names they are called with.
#[derive(Clone, Copy, ValueEnum)]
#[value(rename_all = "camelCase")]
enum ProfiledCall {
    FindBySteam,
    Count,
    SteamChecks,
}

impl From<ProfiledCall> for Call {
    fn from(call: ProfiledCall) -> Self {
        match call {
            ProfiledCall::FindBySteam => Self::FindBySteam,
            ProfiledCall::Count => Self::Count,
            ProfiledCall::SteamChecks => Self::SteamChecks,
        }
    }
}

fn main() -> ExitCode {
    match start(Arguments::parse().command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            report::line(&format!("failed: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Whether everything that was measured also answered rightly.
fn start(command: Command) -> Fallible<bool> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.enable_all();
    match command {
        Command::Run { quick, data } => {
            let runtime = runtime.worker_threads(CLIENT_THREADS).build()?;
            runtime.block_on(run::everything(quick, data))
        }
        Command::Roles { quick, data } => {
            let runtime = runtime.worker_threads(CLIENT_THREADS).build()?;
            runtime.block_on(run::alone(Only::Roles, quick, data))
        }
        Command::People { quick, data } => {
            let runtime = runtime.worker_threads(CLIENT_THREADS).build()?;
            runtime.block_on(run::alone(Only::People, quick, data))
        }
        Command::Removal { quick, data } => {
            let runtime = runtime.worker_threads(CLIENT_THREADS).build()?;
            runtime.block_on(run::alone(Only::Removal, quick, data))
        }
        Command::Discord { quick, data } => {
            let runtime = runtime.worker_threads(CLIENT_THREADS).build()?;
            runtime.block_on(run::alone(Only::Discord, quick, data))
        }
        Command::Profile {
            call,
            seconds,
            postgres,
            quick,
            data,
        } => {
            let runtime = runtime.worker_threads(CLIENT_THREADS).build()?;
            runtime.block_on(run::under_load(call.into(), seconds, postgres, quick, data))
        }
        Command::Baseline { listen } => {
            runtime.build()?.block_on(baseline::serve(listen))?;
            Ok(true)
        }
    }
}
