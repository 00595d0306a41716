//! What plugins say about themselves, kept in memory and written down with the rest of the minute.

use papaya::HashMap;
use storage::tenancy::servers;
use storage::{Db, NoOrg, ServerNum, Tx, Work};

use crate::error::AppError;

/// Longer than any version of ours; nobody else's text is kept.
const MAX_BYTES: usize = 32;
/// Servers whose version is remembered at one time.
const MAX_SERVERS: usize = 65_536;

/// The last version of each Server, and whether it is written down.
#[derive(Default)]
pub struct Versions {
    known: HashMap<i64, PluginVersion>,
}

#[derive(Clone, PartialEq, Eq)]
struct PluginVersion {
    version: String,
    is_written: bool,
}

impl Versions {
    /// Remembers the version that a Server's plugin sent, if it is one.
    pub fn note(&self, server: ServerNum, version: &str) {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b".+-".contains(&byte);
        if version.is_empty() || version.len() > MAX_BYTES || !version.bytes().all(fits) {
            return;
        }
        let known = self.known.pin();
        let is_same = known.get(&server.0).is_some_and(|known| known.version == version);
        if is_same || (known.len() >= MAX_SERVERS && known.get(&server.0).is_none()) {
            return;
        }
        let fresh = PluginVersion {
            version: version.to_owned(),
            is_written: false,
        };
        known.insert(server.0, fresh);
    }

    /// Writes down versions that changed.
    pub async fn flush(&self, db: &Db) -> Result<(), AppError> {
        let news = self.unwritten();
        for slice in news.chunks(200) {
            let rows = slice
                .iter()
                .map(|(server, known)| (*server, known.version.clone()));
            db.write(Write(rows.collect())).await?;
            for (server, known) in slice {
                self.mark_written(*server, known);
            }
        }
        Ok(())
    }

    fn unwritten(&self) -> Vec<(ServerNum, PluginVersion)> {
        let known = self.known.pin();
        let news = known.iter().filter(|(_, known)| !known.is_written);
        let mut news: Vec<_> = news
            .map(|(server, known)| (ServerNum(*server), known.clone()))
            .collect();
        // Every node writes rows in the same order, so that two of them never wait for each other.
        news.sort_unstable_by_key(|(server, _)| *server);
        news
    }

    fn mark_written(&self, server: ServerNum, written: &PluginVersion) {
        let done = PluginVersion {
            is_written: true,
            ..written.clone()
        };
        self.known.pin().update(
            server.0,
            |now| if now == written { done.clone() } else { now.clone() },
        );
    }
}

struct Write(Vec<(ServerNum, String)>);

impl Work for Write {
    type For = NoOrg;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "write_plugin_versions";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), AppError> {
        for (server, version) in &self.0 {
            servers::note_version(tx, *server, version).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_versions_are_remembered_and_each_once() {
        let versions = Versions::default();
        for odd in ["", "1.0 beta", "<b>", &"1".repeat(33), "1.0\n"] {
            versions.note(ServerNum(1), odd);
        }
        assert!(versions.unwritten().is_empty());
        versions.note(ServerNum(1), "1.2.3");
        let news = versions.unwritten();
        assert_eq!((news[0].0, &*news[0].1.version), (ServerNum(1), "1.2.3"));
        versions.mark_written(news[0].0, &news[0].1);
        versions.note(ServerNum(1), "1.2.3");
        assert!(versions.unwritten().is_empty());
        versions.note(ServerNum(1), "1.2.4");
        assert_eq!(versions.unwritten().len(), 1);
    }
}
