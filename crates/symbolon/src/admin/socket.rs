//! A socket in the data directory, open to the user who runs the service and to no one else.

use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use app::App;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};

use super::command::AdminCommand;
use super::{Reply, execute};
use crate::output::Failure;

const MAX_REQUEST_BYTES: u64 = 64 * 1024;
const PATIENCE: Duration = Duration::from_secs(600);

fn path(data_dir: &Path) -> PathBuf {
    data_dir.join("admin.sock")
}

/// Asks the running service; `None` when none is running on this data directory.
pub(super) async fn ask(data_dir: &Path, command: &AdminCommand) -> Result<Option<Reply>, Failure> {
    let mut stream = match UnixStream::connect(path(data_dir)).await {
        Ok(stream) => stream,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => {
            return Ok(None);
        }
        Err(error) => return Err(format!("cannot reach the running service: {error}").into()),
    };
    let mut request = serde_json::to_vec(command)?;
    request.push(b'\n');
    stream.write_all(&request).await?;
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer).await?;
    Ok(Some(serde_json::from_str(&answer).map_err(
        |_| "the running service gave no answer; its log tells why",
    )?))
}

/// Answers commands until the App's tasks end. Without a socket the service still runs.
pub fn listen(app: &App, data_dir: &Path, mut stop: tokio::sync::watch::Receiver<bool>) {
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
        let stopped = async move { drop(stop.wait_for(|stopped| *stopped).await) };
        let mut stopped = std::pin::pin!(stopped);
        loop {
            tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => answer_in_background(&serving, stream),
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

fn answer_in_background(app: &App, stream: UnixStream) {
    let answering = app.clone();
    app.tasks.spawn(async move {
        let served = tokio::time::timeout(PATIENCE, answer(&answering, stream)).await;
        if let Ok(Err(error)) = served {
            tracing::warn!(%error, "an admin command was not answered");
        }
    });
}

async fn answer(app: &App, stream: UnixStream) -> std::io::Result<()> {
    let (reader, mut writer) = stream.into_split();
    let mut line = String::new();
    BufReader::new(reader.take(MAX_REQUEST_BYTES))
        .read_line(&mut line)
        .await?;
    let reply = match serde_json::from_str(&line) {
        Ok(command) => execute(app, command).await,
        Err(_) => {
            Reply::Refused("the command was not understood; use the same version on both sides".to_owned())
        }
    };
    let mut text = serde_json::to_vec(&reply)?;
    text.push(b'\n');
    writer.write_all(&text).await
}
