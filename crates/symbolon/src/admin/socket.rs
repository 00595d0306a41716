//! A socket in the data directory, open to the user who runs the service and to no one else.

use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use app::App;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;

use super::{Reply, Request, execute};
use crate::output::Failure;

const MAX_REQUEST_BYTES: u64 = 64 * 1024;
/// How long a connection may be silent.
const PATIENCE: Duration = Duration::from_secs(600);

fn path(data_dir: &Path) -> PathBuf {
    data_dir.join("admin.sock")
}

/// A connection to the running service, for as many commands as are wanted.
pub struct Connection {
    stream: BufReader<UnixStream>,
}

impl Connection {
    /// None when no service is running on this data directory.
    pub(super) async fn open(data_dir: &Path) -> Result<Option<Connection>, Failure> {
        match UnixStream::connect(path(data_dir)).await {
            Ok(stream) => Ok(Some(Connection {
                stream: BufReader::new(stream),
            })),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => {
                Ok(None)
            }
            Err(error) => Err(format!("cannot reach the running service: {error}").into()),
        }
    }

    pub(super) async fn ask(&mut self, request: &Request) -> Result<Reply, Failure> {
        let mut line = serde_json::to_vec(request)?;
        line.push(b'\n');
        self.stream.write_all(&line).await?;
        let mut answer = String::new();
        self.stream.read_line(&mut answer).await?;
        Ok(serde_json::from_str(&answer).map_err(|_| "the running service did not answer; see its log")?)
    }
}

/// Answers commands until the App's tasks end. Without a socket the service still runs.
pub fn listen(app: &App, data_dir: &Path, stop: watch::Receiver<bool>) {
    let path = path(data_dir);
    let listener = match bind(&path) {
        Ok(listener) => listener,
        Err(error) => {
            tracing::warn!(%error, "no admin socket: `symbolon admin` will not reach this process");
            return;
        }
    };
    let serving = app.clone();
    app.tasks.spawn(async move {
        let mut stopped = std::pin::pin!(stopped(stop.clone()));
        loop {
            tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => answer_in_background(&serving, stream, stop.clone()),
                    Err(error) => {
                        tracing::warn!(%error, "an admin connection failed");
                        tokio::time::sleep(Duration::from_millis(50)).await;
                    }
                },
                () = &mut stopped => break,
            }
        }
        drop(std::fs::remove_file(path));
    });
}

async fn stopped(mut stop: watch::Receiver<bool>) {
    drop(stop.wait_for(|stopped| *stopped).await);
}

/// A socket left by a crash is replaced; one that answers belongs to another node on this directory and stays.
fn bind(path: &Path) -> std::io::Result<UnixListener> {
    if std::os::unix::net::UnixStream::connect(path).is_ok() {
        return Err(ErrorKind::AddrInUse.into());
    }
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let listener = UnixListener::bind(path)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

fn answer_in_background(app: &App, stream: UnixStream, stop: watch::Receiver<bool>) {
    let answering = app.clone();
    app.tasks.spawn(async move {
        if let Err(error) = answer_all(&answering, stream, stop).await {
            tracing::warn!(%error, "an admin command was not answered");
        }
    });
}

/// Answers the commands of a connection one by one, until it is closed, silent for too long, or the service stops.
async fn answer_all(app: &App, stream: UnixStream, stop: watch::Receiver<bool>) -> std::io::Result<()> {
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    let mut stopped = std::pin::pin!(stopped(stop));
    loop {
        let mut line = String::new();
        let mut limited = (&mut reader).take(MAX_REQUEST_BYTES);
        tokio::select! {
            read = tokio::time::timeout(PATIENCE, limited.read_line(&mut line)) => match read {
                Ok(Ok(0)) | Err(_) => return Ok(()),
                Ok(Ok(_)) => {}
                Ok(Err(error)) => return Err(error),
            },
            () = &mut stopped => return Ok(()),
        }
        let reply = match serde_json::from_str(&line) {
            Ok(request) => execute(app, request).await,
            Err(_) => Reply::Refused(
                "the command was not understood; use the same version as the running service".to_owned(),
            ),
        };
        let mut text = serde_json::to_vec(&reply)?;
        text.push(b'\n');
        writer.write_all(&text).await?;
        // The rest of a line that was too long is no command.
        if !line.ends_with('\n') {
            return Ok(());
        }
    }
}
