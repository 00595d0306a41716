//! What lets a session go on after a restart: it costs no IDENTIFY then, and nothing is missed.

use std::fs::{DirBuilder, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use http::Uri;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::SetupError;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resume {
    pub session_id: String,
    pub sequence: u64,
    pub resume_url: String,
    pub bot_user_id: Option<String>,
    pub guilds: Vec<u64>,
    /// Whether it hears of members; that is for as long as a session lasts.
    #[serde(default)]
    pub members: bool,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    /// Of which token the session is: another one cannot go on with it.
    token: String,
    #[serde(flatten)]
    resume: Resume,
}

/// The file of one bot.
pub struct ResumeFile {
    path: PathBuf,
    token: String,
    saved: Option<Resume>,
}

impl ResumeFile {
    /// Reads what is there. A file that cannot be read, or is of another token, is none.
    pub fn open(folder: &Path, bot_id: &str, token: &SecretString) -> Result<Self, SetupError> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(|error| SetupError(format!("cannot make {}: {error}", folder.display())))?;
        let path = folder.join(format!("{bot_id}.json"));
        let token = print(token);
        let stored = std::fs::read(&path)
            .ok()
            .and_then(|bytes| serde_json::from_slice::<Stored>(&bytes).ok());
        let saved = stored
            .filter(|stored| stored.token == token)
            .map(|stored| stored.resume)
            .filter(|resume| is_gateway(&resume.resume_url));
        Ok(Self { path, token, saved })
    }

    pub fn saved(&self) -> Option<&Resume> {
        self.saved.as_ref()
    }

    /// Writes it down if it is not what is there. A disk that is full costs an IDENTIFY at the next start and no more.
    pub fn save(&mut self, resume: Option<Resume>) {
        if resume == self.saved {
            return;
        }
        let written = match &resume {
            Some(resume) => self.write(resume),
            None => std::fs::remove_file(&self.path),
        };
        match written {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => tracing::warn!(%error, "a restart cannot go on with this session"),
        }
        self.saved = resume;
    }

    fn write(&self, resume: &Resume) -> std::io::Result<()> {
        let stored = Stored {
            token: self.token.clone(),
            resume: resume.clone(),
        };
        let bytes = serde_json::to_vec(&stored)?;
        let new = self.path.with_extension("new");
        let mut options = OpenOptions::new();
        let mut file = options
            .create(true)
            .truncate(true)
            .write(true)
            .mode(0o600)
            .open(&new)?;
        file.write_all(&bytes)?;
        std::fs::rename(&new, &self.path)
    }
}

/// Whether a gateway can be there: the client takes an address that is none for a mistake of ours, and stops.
pub fn is_gateway(url: &str) -> bool {
    let parsed = url.parse::<Uri>().ok();
    parsed.is_some_and(|uri| matches!(uri.scheme_str(), Some("wss" | "ws")) && uri.host().is_some())
}

/// Tells tokens apart and says nothing about them.
fn print(token: &SecretString) -> String {
    let hash = Sha256::new()
        .chain_update("symbolon bot token ")
        .chain_update(token.expose_secret())
        .finalize();
    hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("symbolon-resume-{}-{name}", std::process::id()));
        drop(std::fs::remove_dir_all(&folder));
        folder
    }

    fn resume() -> Resume {
        Resume {
            session_id: "abc".to_owned(),
            sequence: 7,
            resume_url: "wss://gateway.discord.gg".to_owned(),
            bot_user_id: Some("900000000000000001".to_owned()),
            guilds: vec![1, 2],
            members: false,
        }
    }

    #[test]
    fn a_session_is_found_again_by_its_own_token_only() {
        let folder = folder("token");
        let open = |token: &str| ResumeFile::open(&folder, "platform", &SecretString::from(token)).unwrap();
        let mut file = open("one");
        assert_eq!(file.saved(), None);
        file.save(Some(resume()));
        assert_eq!(open("one").saved(), Some(&resume()));
        assert_eq!(open("two").saved(), None);
        let text = std::fs::read_to_string(folder.join("platform.json")).unwrap();
        assert!(!text.contains("\"one\""), "{text}");
        file.save(None);
        assert_eq!(open("one").saved(), None);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_that_makes_no_sense_is_none() {
        let folder = folder("noise");
        let token = SecretString::from("one");
        let mut file = ResumeFile::open(&folder, "platform", &token).unwrap();
        file.save(Some(Resume {
            resume_url: "not an address".to_owned(),
            ..resume()
        }));
        assert_eq!(
            ResumeFile::open(&folder, "platform", &token).unwrap().saved(),
            None
        );
        std::fs::write(folder.join("platform.json"), b"{\"token\":").unwrap();
        assert_eq!(
            ResumeFile::open(&folder, "platform", &token).unwrap().saved(),
            None
        );
        std::fs::remove_dir_all(folder).unwrap();
    }
}
