//! Tells the service manager that started us (systemd, with `Type=notify`) how we are.

use std::ffi::OsStr;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

use app::App;
use config::manager;
use tokio::sync::watch;

/// Requests are answered from now on. As long as they are, whoever watches us gets a sign of life.
pub fn ready(app: &App, mut stop: watch::Receiver<bool>) {
    tell("READY=1");
    let Some(every) = manager()
        .and_then(|manager| manager.watchdog)
        .map(|limit| limit / 2)
    else {
        return;
    };
    app.tasks.spawn(async move {
        loop {
            tokio::select! {
                () = tokio::time::sleep(every) => tell("WATCHDOG=1"),
                _ = stop.wait_for(|stopped| *stopped) => return,
            }
        }
    });
}

/// Open requests are finished, and then the process ends.
pub fn stopping() {
    tell("STOPPING=1");
}

/// A manager that does not listen costs a line in the log and nothing else.
fn tell(news: &str) {
    let Some(manager) = manager() else { return };
    if let Err(error) = send(&manager.socket, news) {
        tracing::warn!(%error, "the service manager was not told {news}");
    }
}

fn send(socket: &OsStr, news: &str) -> io::Result<()> {
    let address = match socket.as_bytes().split_first() {
        Some((b'@', name)) => SocketAddr::from_abstract_name(name)?,
        _ => SocketAddr::from_pathname(socket)?,
    };
    let sender = UnixDatagram::unbound()?;
    sender.send_to_addr(news.as_bytes(), &address).map(drop)
}
