//! A demo world for trying things out: the same product, with data to look at and platforms that need no account.

mod clock;
mod file;
mod levers;
mod platforms;
mod world;

use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;

use app::App;
use config::{Config, LogFormat};
use domain::clock::SharedClock;
use emulator::SandboxControl;

use self::clock::SandboxClock;
use self::levers::OwnLevers;
use self::platforms::Platforms;
use crate::output::{Failure, refused, say};

/// A clock that everything in the sandbox shares, and the platforms that live by it. They end when it is dropped.
pub struct Sandbox {
    clock: Arc<SandboxClock>,
    platforms: Platforms,
    /// Where the ids and keys are written down.
    file: PathBuf,
}

/// The seeded world, and the control interface, which ends when it is dropped.
pub struct Prepared {
    people: Vec<world::Person>,
    control: SandboxControl,
}

impl Sandbox {
    /// Starts the platforms and leads the product to them. The log is for people, and callers on this machine may
    /// claim an address and a country.
    pub async fn start(config: &mut Config) -> Result<Self, Failure> {
        let clock = Arc::new(SandboxClock::default());
        let platforms =
            Platforms::start(Arc::clone(&clock) as SharedClock, &config.server.public_url).await?;
        platforms.connect(config);
        config.log.format = LogFormat::Text;
        config.geo.country_header = "cf-ipcountry".to_owned();
        for network in ["127.0.0.0/8", "::1/128"] {
            config
                .server
                .trusted_proxies
                .extend(network.parse::<ipnet::IpNet>());
        }
        Ok(Self {
            clock,
            platforms,
            file: config.data_dir.join("sandbox.json"),
        })
    }

    pub fn clock(&self) -> SharedClock {
        Arc::clone(&self.clock) as SharedClock
    }

    /// Seeds an empty database and opens the control interface. What an earlier run wrote down is no longer true.
    pub async fn prepare(&self, app: &App) -> Result<Prepared, Failure> {
        let people = world::ensure(app, &self.clock).await?;
        match std::fs::remove_file(&self.file) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
            Ok(()) | Err(_) => {}
        }
        let levers = OwnLevers::resume(app, &self.clock)
            .await
            .map_err(|error| refused(&error))?;
        let control = SandboxControl::start(levers).await?;
        Ok(Prepared { people, control })
    }

    /// Writes `sandbox.json`, once everything in it can be reached.
    pub async fn publish(&self, app: &App, config: &Config, prepared: &Prepared) -> Result<(), Failure> {
        let Prepared { people, control } = prepared;
        let addresses = file::Addresses {
            base_url: config.server.public_url.clone(),
            control: control.url(),
            discord: file::DiscordAddresses {
                api: self.platforms.discord.api_url(),
                gateway: self.platforms.discord.gateway_url(),
                control: self.platforms.discord.control_url(),
            },
            steam: file::SteamAddresses {
                openid: self.platforms.steam.openid_url(),
                api: self.platforms.steam.api_url(),
                control: self.platforms.steam.control_url(),
            },
        };
        let described = file::describe(app, people, addresses)
            .await
            .map_err(|error| refused(&error))?;
        file::write(&self.file, &described)
    }

    /// Tells a newcomer where to look.
    pub fn announce(&self, config: &Config) {
        let (base, file) = (&config.server.public_url, self.file.display());
        say("");
        say("Run a community. The sign-in page asks who you want to be:");
        say(format!(
            "  {base}/app/   Ada owns Ashfall Network and is an operator, Bruno and Chen help her; Dara owns Tiny Camp;"
        ));
        say("  Gia owns nothing here yet, and two Discord servers that can be claimed.");
        say("");
        say(
            "Link a Discord and a Steam account. Both sign-in pages are emulated and ask who you want to be:",
        );
        say(format!("  {base}/link/ashfall-creative   asks for nothing else"));
        say(format!(
            "  {base}/link/ashfall-rust       adds you to its Discord server and asks for its Steam group"
        ));
        say(format!("  {base}/unlink/ashfall-rust     ends a link"));
        say(
            "  Ada, Bruno, Chen and the players are linked. Gia and Hugo are new here and in the Steam group,",
        );
        say("  Ines is not in it, and Jona's profile is private.");
        say(format!(
            "  {}   the Discord servers, with their channels",
            self.platforms.discord.home_url()
        ));
        say("");
        say("Be a plugin:");
        say(format!(
            "  KEY=$(python3 -c 'import json; print(json.load(open(\"{file}\"))[\"orgs\"][0][\"guilds\"][0][\"servers\"][0][\"key\"])')"
        ));
        say(format!("  curl -H \"X-API-Key: $KEY\" '{base}/api?action=count'"));
        say("");
        say(format!("All ids, keys and control addresses are in {file}"));
    }
}
