//! The bot as a process: on its own, or as a child of the service.

mod command;
mod ending;
pub mod fleet;
mod host;
pub mod keeper;
mod launch;
mod predecessor;
mod process;
mod round;
mod silence;
mod slot;
mod sweep;
mod watching;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use bot::Settings;
use config::{Log, LogFormat};
use serde::{Deserialize, Serialize};

pub use command::run;

/// What a child is told before its standard input is closed, when the bot is to be offline.
const PAUSE: &[u8] = b"pause\n";

/// Files and connections of a bot; it needs a dozen.
const MOST_FILES: i64 = 256;

/// The file of a container that holds what the bot is told, where nobody can write to its standard input.
const HANDED: &str = "symbolon-bot";

/// What a child is told on its standard input, in one line. Nothing of it is in its arguments or its environment.
#[derive(Serialize, Deserialize)]
struct Handed {
    log_level: String,
    log_as_text: bool,
    /// The user that it is to run as, who has the folder of its settings; none where it runs as whoever started it.
    #[serde(default)]
    run_as: Option<u32>,
    /// What the kernel gives it at most; none where a container's limit does.
    #[serde(default)]
    most_data_bytes: Option<u64>,
    settings: Settings,
}

impl Handed {
    fn log(&self) -> Log {
        Log {
            level: self.log_level.clone(),
            format: if self.log_as_text {
                LogFormat::Text
            } else {
                LogFormat::Json
            },
        }
    }
}

/// An address that is everybody's is reached as this machine.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip @ (IpAddr::V4(_) | IpAddr::V6(_)) => ip,
    };
    SocketAddr::new(ip, address.port())
}
