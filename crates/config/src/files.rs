use std::io::{self, Read};
use std::path::Path;

use toml::Value;

use crate::error::Place;
use crate::kind::Kind;
use crate::layers::{Given, Layers};
use crate::settings::SETTINGS;

const SECRET_FILE_MAX_BYTES: u64 = 64 * 1024;

impl Layers {
    /// Notes configuration files in which secrets stand themselves.
    pub(crate) fn note_files_with_secrets(&mut self) {
        for setting in SETTINGS
            .iter()
            .filter(|setting| matches!(setting.kind, Kind::Secret))
        {
            if let Some(Given {
                value,
                place: Place::File(name),
            }) = self.given.get(setting.key)
                && value.as_str() != Some("")
            {
                self.secret_files.push((setting.key, name.into()));
            }
        }
    }

    /// Replaces each `SecretFile` setting by what its file holds.
    pub(crate) fn read_secret_files(&mut self) {
        for setting in SETTINGS {
            let Kind::SecretFile { target } = setting.kind else {
                continue;
            };
            let Some(Given { value, place }) = self.given.remove(setting.key) else {
                continue;
            };
            if value.as_str() == Some("") {
                continue;
            }
            if let Some(other) = self.given.get(target) {
                let message = format!(
                    "{} and {target} ({}) are both set: keep one",
                    setting.key, other.place
                );
                self.problem(place, message);
                continue;
            }
            if let Some(path) = value.as_str() {
                self.secret_files.push((setting.key, path.into()));
            }
            // The path stays out of the message: it may be the secret itself, put here by mistake.
            match value
                .as_str()
                .map(|path| read_text(Path::new(path), SECRET_FILE_MAX_BYTES))
            {
                None => self.must_be(setting, place, &setting.kind.allowed()),
                Some(Err(error)) => {
                    self.problem(
                        place,
                        format!("the file of {} cannot be read: {error}", setting.key),
                    );
                }
                Some(Ok(text)) => {
                    let value = Value::String(text.trim().to_owned());
                    self.given.insert(target, Given { value, place });
                }
            }
        }
    }
}

/// Reads a text file of at most `max_bytes`.
pub(crate) fn read_text(path: &Path, max_bytes: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?
        .take(max_bytes + 1)
        .read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > max_bytes) {
        return Err(io::Error::other(format!("it is larger than {max_bytes} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8 text"))
}
