//! What has to outlive the process: how often Discord refused us lately, and that it rejects the token. A service that is
//! started again and again must not begin to count anew each time.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use secrecy::ExposeSecret;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Rest;

/// As long as Discord counts refusals.
const WINDOW_MS: i64 = 10 * 60_000;

/// A file beside the data of this node: Discord counts by the address that calls come from.
pub(super) struct Kept {
    path: PathBuf,
    written: Mutex<Snapshot>,
}

#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
struct Snapshot {
    /// By the wall clock, the only one that outlives a process.
    at_ms: i64,
    refused: u32,
    /// A print of the token that Discord rejects.
    rejected: Option<String>,
}

impl Rest {
    /// Goes on counting where the last process of this node stopped, and keeps the count in this file.
    #[must_use]
    pub fn kept_in(mut self, path: PathBuf) -> Self {
        let found = std::fs::read(&path)
            .ok()
            .and_then(|text| serde_json::from_slice::<Snapshot>(&text).ok())
            .unwrap_or_default();
        let age_ms = self.guard.clock.now_ms() - found.at_ms;
        if (0..WINDOW_MS).contains(&age_ms) {
            self.guard.restore(found.refused);
        }
        if found.rejected.as_deref() == Some(self.print().as_str()) {
            self.guard.reject();
        }
        self.kept = Some(Kept {
            path,
            written: Mutex::new(found),
        });
        self
    }

    /// Writes down what changed since the last time.
    pub async fn keep(&self) -> std::io::Result<()> {
        let Some(kept) = &self.kept else {
            return Ok(());
        };
        let mut snapshot = Snapshot {
            at_ms: 0,
            refused: self.guard.refused(),
            rejected: self.guard.is_rejected().then(|| self.print()),
        };
        {
            let written = kept.written.lock().unwrap_or_else(PoisonError::into_inner);
            if (written.refused, &written.rejected) == (snapshot.refused, &snapshot.rejected) {
                return Ok(());
            }
        }
        snapshot.at_ms = self.guard.clock.now_ms();
        let (text, path) = (serde_json::to_vec(&snapshot)?, kept.path.clone());
        let written = tokio::task::spawn_blocking(move || {
            let fresh = path.with_extension("new");
            std::fs::write(&fresh, text)?;
            std::fs::rename(&fresh, &path)
        });
        match written.await.map_err(std::io::Error::other)? {
            // The folder is gone with the rest of the data.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            written => written?,
        }
        *kept.written.lock().unwrap_or_else(PoisonError::into_inner) = snapshot;
        Ok(())
    }

    /// Tells tokens apart, and nothing else.
    fn print(&self) -> String {
        let digest = Sha256::digest(self.token.expose_secret());
        digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }
}
