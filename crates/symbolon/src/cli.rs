//! What can be typed. The help texts are written for someone who has never seen the program.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use domain::plugin_build::PluginVersion;

use crate::admin::AdminCommand;
use crate::import::ImportOptions;
use crate::version;

/// Links Discord accounts to Steam accounts for game communities.
///
/// Start with `symbolon serve --sandbox --data ./data/sandbox`: it needs no account anywhere.
#[derive(Parser)]
#[command(name = "symbolon", version = version::LONG.as_str(), max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub command: Command,
}

/// Where the configuration and the data are.
#[derive(Args)]
pub struct Common {
    /// Configuration file. `symbolon config default` prints one to start from.
    #[arg(long, global = true, env = "SYMBOLON_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Directory for the embedded database and the master keys.
    #[arg(long = "data", global = true, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Database: `sqlite` (in the data directory), `sqlite:PATH`, or `postgres://user:password@host/name`.
    #[arg(long, global = true, value_name = "URL")]
    pub database: Option<String>,
}

#[derive(Subcommand)]
pub enum Command {
    /// Run the service until it is stopped (Ctrl-C and SIGTERM let open requests finish first).
    Serve(ServeOptions),
    /// Run a bot's connection to Discord. `serve` runs the shared bot itself unless bot.shared is false.
    Bot(BotOptions),
    /// Migrate an existing database to this version's schema, then stop.
    Migrate,
    /// Check every invariant of the stored data and list what is wrong.
    Doctor,
    /// Check or print the configuration.
    Config {
        #[command(subcommand)]
        command: ConfigCommand,
    },
    /// Create and change things from the command line, even while the service is running.
    Admin {
        /// Print the result as JSON.
        #[arg(long, global = true)]
        json: bool,
        #[command(subcommand)]
        command: AdminCommand,
    },
    /// Import the links of an older system into a Guild. A dry run unless `--apply` is given; safe to repeat.
    Import(ImportOptions),
    /// Publish and withdraw builds of the plugin that game servers download.
    Plugin {
        #[command(subcommand)]
        command: PluginCommand,
    },
    /// Prepare a Stripe account for selling plans.
    Billing {
        #[command(subcommand)]
        command: BillingCommand,
    },
    /// Copy the database into a new directory while the service keeps running, and check the copy.
    Backup {
        /// New directory for the copy.
        #[arg(long, value_name = "DIR")]
        to: PathBuf,
    },
    /// Restore a backup into an empty database, and check it.
    Restore {
        /// Directory that `symbolon backup` wrote.
        #[arg(long, value_name = "DIR")]
        from: PathBuf,
    },
}

#[derive(Args)]
pub struct ServeOptions {
    /// Address to listen on, such as 127.0.0.1:8080.
    #[arg(long, value_name = "ADDR:PORT")]
    pub listen: Option<SocketAddr>,
    /// Fill an empty database with a demo world and write its IDs and keys to sandbox.json in the data directory.
    #[arg(long)]
    pub sandbox: bool,
    /// Add an organisation with 100,000 active and 400,000 ended links to a new sandbox. Takes some minutes.
    #[arg(long, requires = "sandbox")]
    pub large: bool,
}

#[derive(Subcommand)]
pub enum PluginCommand {
    /// Publish a file as a new version. A published version never changes.
    Publish {
        /// File that game servers download, such as Symbolon.cs.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Version of the file, such as v1.2.3.
        #[arg(long, value_name = "VERSION", value_parser = version)]
        version: PluginVersion,
    },
    /// List all builds, the latest first.
    List,
    /// Offer a build no more. Its own address keeps working.
    Withdraw {
        /// Version to withdraw, such as v1.2.3.
        #[arg(value_name = "VERSION", value_parser = version)]
        version: PluginVersion,
    },
    /// Offer a withdrawn build again.
    Restore {
        /// Version to offer again, such as v1.2.3.
        #[arg(value_name = "VERSION", value_parser = version)]
        version: PluginVersion,
    },
}

#[derive(Subcommand)]
pub enum BillingCommand {
    /// Create the products, prices, portal and webhook endpoint that are missing, and print what to put into the configuration.
    Setup,
}

fn version(text: &str) -> Result<PluginVersion, &'static str> {
    PluginVersion::parse(text).ok_or("a version is written as v1.2.3")
}

#[derive(Args)]
pub struct BotOptions {
    /// Take the settings from a line of JSON on standard input, and end when it closes: how `serve` starts a bot.
    #[arg(long, hide = true)]
    pub stdin: bool,
    /// Take the settings from the secret that a Swarm gives to the container: how `serve` starts a bot there.
    #[arg(long, hide = true, conflicts_with = "stdin")]
    pub handed: bool,
}

#[derive(Subcommand)]
pub enum ConfigCommand {
    /// Read the file and environment, and report what is wrong or worth a second look.
    Check {
        /// Also ask Discord, Steam and the database, and report what each answered.
        #[arg(long)]
        online: bool,
    },
    /// Print the commented default configuration file.
    Default,
}
