//! A demo world for trying things out: the same product, with data to look at.

mod clock;
mod file;
mod world;

use app::App;
use config::{Config, LogFormat};

pub use clock::SandboxClock;

use crate::output::{Failure, refused, say};

/// In the sandbox, callers on this machine may claim an address, and the log is for people.
pub fn adjust(config: &mut Config) {
    config.log.format = LogFormat::Text;
    for network in ["127.0.0.0/8", "::1/128"] {
        config
            .server
            .trusted_proxies
            .extend(network.parse::<ipnet::IpNet>());
    }
}

/// Seeds an empty database and writes `sandbox.json`.
pub async fn prepare(app: &App, clock: &SandboxClock, config: &Config) -> Result<(), Failure> {
    let world = world::ensure(app, clock).await.map_err(|error| refused(&error))?;
    let file = file::describe(app, &world, &config.server.public_url)
        .await
        .map_err(|error| refused(&error))?;
    file::write(&config.data_dir, &file)
}

/// Tells a newcomer where to look.
pub fn announce(config: &Config) {
    let file = config.data_dir.join("sandbox.json");
    say(format!("Sandbox:  ids and keys are in {}", file.display()));
    say("Try:");
    say(format!(
        "  KEY=$(python3 -c 'import json; print(json.load(open(\"{}\"))[\"orgs\"][0][\"guilds\"][0][\"servers\"][0][\"key\"])')",
        file.display()
    ));
    say(format!(
        "  curl -H \"X-API-Key: $KEY\" '{}/api?action=count'",
        config.server.public_url
    ));
}
