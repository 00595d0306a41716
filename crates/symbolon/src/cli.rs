//! What can be typed. The help texts are written for someone who has never seen the program.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
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
    /// Ask for what a first start needs, and write a configuration with its secrets in files of their own.
    Init(InitOptions),
    /// Ask a running service whether it is well; fails unless it answers that it is.
    Health(HealthOptions),
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
    #[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
    Backup {
        /// New directory for the copy.
        #[arg(long, value_name = "DIR", required = true)]
        to: Option<PathBuf>,
        #[command(subcommand)]
        command: Option<BackupCommand>,
    },
    /// Restore a backup into an empty database, and check it.
    Restore {
        /// Directory that `symbolon backup` wrote.
        #[arg(long, value_name = "DIR")]
        from: PathBuf,
    },
    /// Print what a shell needs to complete commands, such as `symbolon completions bash`.
    Completions {
        /// Shell to print it for.
        shell: Shell,
    },
    /// Write the manual pages.
    Man {
        /// Directory for them.
        #[arg(long, value_name = "DIR")]
        to: PathBuf,
    },
    /// Move to another database.
    Db {
        #[command(subcommand)]
        command: DbCommand,
    },
}

#[derive(Subcommand)]
pub enum BackupCommand {
    /// Check a backup again, without restoring it.
    Verify {
        /// Directory that `symbolon backup` wrote.
        #[arg(value_name = "DIR")]
        from: PathBuf,
    },
}

#[derive(Subcommand)]
pub enum DbCommand {
    /// Copy everything into an empty database, and compare every row. The service has to be stopped.
    Copy {
        /// File with the URL of the other database: `sqlite:PATH` or `postgres://user:password@host/name`.
        #[arg(long, value_name = "FILE", required_unless_present = "to")]
        to_url_file: Option<PathBuf>,
        /// The URL itself, where it holds no password.
        #[arg(long, value_name = "URL", conflicts_with = "to_url_file")]
        to: Option<String>,
        /// New directory for what is copied on the way; removed in the end.
        #[arg(long, value_name = "DIR")]
        by_way_of: PathBuf,
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

#[derive(Args)]
pub struct HealthOptions {
    /// Address of the service, unless it is the one in the configuration.
    #[arg(long, value_name = "ADDR:PORT")]
    pub address: Option<SocketAddr>,
    /// Ask whether it can take requests (/readyz) and not only whether it is alive (/healthz).
    #[arg(long)]
    pub ready: bool,
}

/// Whatever is not given is asked for on a terminal, and left out otherwise.
#[derive(Args)]
pub struct InitOptions {
    /// Directory for symbolon.toml and the files with the secrets. Nothing in it is overwritten.
    #[arg(long, value_name = "DIR")]
    pub dir: PathBuf,
    /// URL visitors use, such as https://link.example.org.
    #[arg(long, value_name = "URL")]
    pub public_url: Option<String>,
    /// Addresses or networks of the proxies in front of it.
    #[arg(long, value_name = "CIDR")]
    pub trusted_proxy: Vec<String>,
    /// ID of the Discord application.
    #[arg(long, value_name = "ID")]
    pub discord_client_id: Option<String>,
    /// File with the secret of that application.
    #[arg(long, value_name = "FILE")]
    pub discord_client_secret_file: Option<PathBuf>,
    /// File with the token of its bot.
    #[arg(long, value_name = "FILE")]
    pub discord_bot_token_file: Option<PathBuf>,
    /// File with the Steam Web API key.
    #[arg(long, value_name = "FILE")]
    pub steam_api_key_file: Option<PathBuf>,
    /// File with the URL of a PostgreSQL database; without it the database is an SQLite file.
    #[arg(long, value_name = "FILE")]
    pub database_url_file: Option<PathBuf>,
    /// Discord ID of the first operator; can be given more than once.
    #[arg(long, value_name = "ID")]
    pub operator: Vec<String>,
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

#[cfg(test)]
#[path = "cli_tests.rs"]
mod tests;
