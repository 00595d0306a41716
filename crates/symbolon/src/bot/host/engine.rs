//! An engine that runs containers: Docker's, or podman, which speaks the same language.

use std::collections::HashMap;

use bollard::errors::Error;
use bollard::{ClientVersion, Docker};
use config::Config;
use tokio::sync::OnceCell;

use crate::output::Failure;

/// Spoken by Docker since 20.10, and by podman.
const SPOKEN: ClientVersion = ClientVersion {
    major_version: 1,
    minor_version: 41,
};
const ANSWER_WITHIN_S: u64 = 30;
/// Nobody's in particular.
pub const USER: &str = "65534";
/// Where a bot keeps what it needs to go on with its session; in memory.
pub const STATE: &str = "/state";
/// How an engine keeps what a bot says, beside where it is passed on to. It is bounded: a machine has many bots.
pub const LOG_DRIVER: &str = "json-file";
const LOG_SIZE: &str = "10m";
/// Threads of a bot; it needs three.
pub const MOST_THREADS: i64 = 64;

pub struct Engine {
    socket: String,
    docker: OnceCell<Docker>,
    pub image: String,
    /// None for the one that the engine gives.
    pub network: Option<String>,
    pub memory_bytes: i64,
    pub service_url: String,
    /// Several can share an engine. What does not carry this is not ours.
    installation: String,
}

impl Engine {
    pub fn new(config: &Config, installation: String) -> Result<Self, Failure> {
        let bot = &config.bot;
        let image = bot.image.clone();
        let missing = "bot.image is not set: it names the image that Custom Bots are started from";
        Ok(Self {
            socket: bot.docker_socket.to_string_lossy().into_owned(),
            docker: OnceCell::new(),
            image: image.ok_or(missing)?,
            network: bot.network.clone(),
            memory_bytes: i64::try_from(bot.memory_mib * 1024 * 1024)?,
            service_url: bot.service_url.clone(),
            installation,
        })
    }

    /// The engine may begin to answer after this service has.
    pub async fn docker(&self) -> Result<&Docker, Failure> {
        let opened = async { Docker::connect_with_unix(&self.socket, ANSWER_WITHIN_S, &SPOKEN) };
        Ok(self.docker.get_or_try_init(|| opened).await?)
    }

    /// What everything carries that is made for a bot, so that it is found again.
    pub fn labels(&self, bot: &str) -> HashMap<String, String> {
        let labels = [
            ("symbolon.bot", bot),
            ("symbolon.installation", &self.installation),
        ];
        let owned = labels.map(|(key, value)| (key.to_owned(), value.to_owned()));
        HashMap::from(owned)
    }

    /// Finds what carries the labels of this installation; of one bot, or of all.
    pub fn ours(&self, bot: Option<&str>) -> HashMap<String, Vec<String>> {
        let mut labels = vec![format!("symbolon.installation={}", self.installation)];
        labels.extend(bot.map(|bot| format!("symbolon.bot={bot}")));
        HashMap::from([("label".to_owned(), labels)])
    }
}

pub fn log_options() -> HashMap<String, String> {
    HashMap::from([("max-size".to_owned(), LOG_SIZE.to_owned())])
}

/// What everything is called that is made for a bot.
pub fn name(bot: &str) -> String {
    format!("symbolon-{bot}")
}

/// Of which bot that is which carries these labels.
pub fn bot_of(labels: Option<&HashMap<String, String>>) -> Option<&str> {
    labels?.get("symbolon.bot").map(String::as_str)
}

/// What is gone already need not be removed.
pub fn unless_gone<T>(answer: Result<T, Error>) -> Result<Option<T>, Failure> {
    match answer {
        Ok(there) => Ok(Some(there)),
        Err(Error::DockerResponseServerError { status_code: 404, .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
