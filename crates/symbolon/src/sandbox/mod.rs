//! A demo world for trying things out: the same product, with data to look at and platforms that need no account.

mod clock;
mod file;
mod large;
mod levers;
mod people;
mod platforms;
mod pulse;
mod stripe;
mod world;

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::PathBuf;
use std::sync::Arc;

use app::App;
use config::{Config, LogFormat};
use domain::clock::SharedClock;
use emulator::SandboxControl;
use tokio::sync::watch;

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
    /// Where the log goes, so that the addresses stay in sight.
    log: PathBuf,
    /// With an Org of a great many people.
    is_large: bool,
}

/// The seeded world, and the control interface, which ends when it is dropped.
pub struct Prepared {
    people: Vec<people::Person>,
    control: SandboxControl,
}

impl Sandbox {
    /// Starts the platforms and leads the product to them. The log is for people, and callers on this machine may
    /// claim an address and a country.
    pub async fn start(config: &mut Config, is_large: bool) -> Result<Self, Failure> {
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
            log: config.data_dir.join("sandbox.log"),
            is_large,
        })
    }

    /// A new log for each run.
    pub fn open_log(&self) -> Result<File, Failure> {
        if let Some(folder) = self.log.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let mut options = OpenOptions::new();
        options.create(true).truncate(true).write(true).mode(0o600);
        let opened = options.open(&self.log);
        Ok(opened.map_err(|error| format!("cannot write {}: {error}", self.log.display()))?)
    }

    pub fn clock(&self) -> SharedClock {
        Arc::clone(&self.clock) as SharedClock
    }

    /// Seeds an empty database and opens the control interface. What an earlier run wrote down is no longer true.
    pub async fn prepare(&self, app: &App) -> Result<Prepared, Failure> {
        let people = world::ensure(app, &self.clock, self.is_large).await?;
        stripe::remind(app, &self.platforms)
            .await
            .map_err(|error| refused(&error))?;
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

    /// Writes `sandbox.json`, once everything in it can be reached, and lets the game servers call.
    pub async fn publish(
        &self,
        app: &App,
        config: &Config,
        prepared: &Prepared,
        (address, stop): (SocketAddr, watch::Receiver<bool>),
    ) -> Result<(), Failure> {
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
            stripe: file::StripeAddresses {
                api: self.platforms.stripe.api_url(),
                control: self.platforms.stripe.control_url(),
                webhook_secret: self.platforms.webhook_secret.clone(),
            },
        };
        let described = file::describe(app, people, addresses)
            .await
            .map_err(|error| refused(&error))?;
        file::write(&self.file, &described)?;
        pulse::start(app, address, described.keys_in_use(), stop);
        Ok(())
    }

    /// Tells a newcomer where to look.
    pub fn announce(&self, config: &Config) {
        let (base, file, log) = (&config.server.public_url, self.file.display(), self.log.display());
        let discord = self.platforms.discord.home_url();
        say(format!(
            "
Run a community. The sign-in page asks who you want to be and says what each person is for:
  {base}/app/   Ada owns Ashfall Network, where everything is set up and game servers call every minute,
    and Quiet Harbour, where nothing is. Dara owns Tiny Camp. Gia starts from scratch.

Link a Discord and a Steam account. Both sign-in pages are emulated:
  {base}/link/ashfall-creative   needs only the two sign-ins
  {base}/link/ashfall-rust       adds you to its Discord server and requires its Steam group
  {base}/unlink/ashfall-rust     unlinks accounts
  {discord}   the emulated Discord servers and their channels

Act as a plugin:
  KEY=$(python3 -c 'import json; print(json.load(open(\"{file}\"))[\"orgs\"][0][\"guilds\"][0][\"servers\"][0][\"key\"])')
  curl -H \"X-API-Key: $KEY\" '{base}/api?action=count'

All IDs, keys and control URLs are in {file}
Requests are logged to {log}"
        ));
    }
}
