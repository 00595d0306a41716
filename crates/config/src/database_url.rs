use std::path::{Path, PathBuf};

use secrecy::SecretString;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// Which database to use. A PostgreSQL address may hold a password, so it is
/// never printed.
#[derive(Debug, Clone)]
pub enum DatabaseUrl {
    Sqlite { path: PathBuf },
    Postgres { url: SecretString },
}

impl DatabaseUrl {
    /// Plain `sqlite` becomes an empty path, which `place_in` fills in.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if text == "sqlite" {
            return Some(Self::Sqlite { path: PathBuf::new() });
        }
        if let Some(path) = text.strip_prefix("sqlite:") {
            return is_file(path).then(|| Self::Sqlite { path: path.into() });
        }
        let rest = text
            .strip_prefix("postgres://")
            .or_else(|| text.strip_prefix("postgresql://"))?;
        let readable = !rest.is_empty() && !rest.contains(unprintable);
        readable.then(|| Self::Postgres { url: text.into() })
    }

    pub(crate) fn place_in(&mut self, data_dir: &Path) {
        if let Self::Sqlite { path } = self
            && path.as_os_str().is_empty()
        {
            *path = data_dir.join("symbolon.db");
        }
    }
}

/// The error carries no text: the refused address may hold a password.
impl<'de> Deserialize<'de> for DatabaseUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| D::Error::custom("not a database URL"))
    }
}

/// `sqlite://x` is refused because it would name a file in the root directory,
/// `:memory:` because each connection would get a database of its own.
fn is_file(path: &str) -> bool {
    !path.is_empty() && !path.starts_with("//") && path != ":memory:"
}

fn unprintable(c: char) -> bool {
    c.is_whitespace() || c.is_control()
}
