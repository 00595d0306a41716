//! What plugins say about themselves, kept in memory and written down with the rest of the minute.

use papaya::HashMap;
use storage::tenancy::servers;
use storage::{Db, NoOrg, ServerNum, Tx, Work};

use crate::error::AppError;

/// Longer than any version or stamp of ours; nobody else's text is kept.
const MAX_BYTES: usize = 32;
/// Servers whose plugin is remembered at one time.
const MAX_SERVERS: usize = 65_536;
/// What was written is written again, because another node may have written something else since then.
const REWRITE_EVERY_MS: i64 = 60 * 60_000;

/// What the plugin of each Server last said, and whether it is written down.
#[derive(Default)]
pub struct Plugins {
    known: HashMap<i64, Said>,
}

#[derive(Clone, PartialEq, Eq)]
struct Said {
    version: String,
    stamp: Option<String>,
    /// None while it is on its way.
    written_at_ms: Option<i64>,
}

fn fits(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b".+-".contains(&byte);
    (1..=MAX_BYTES).contains(&text.len()) && text.bytes().all(fits)
}

impl Plugins {
    /// Remembers the version that a Server's plugin sent, if it is one, and the stamp of its file, if it sent one.
    pub fn note(&self, server: ServerNum, version: &str, stamp: Option<&str>, now_ms: i64) {
        if !fits(version) {
            return;
        }
        let stamp = stamp.filter(|stamp| fits(stamp));
        let known = self.known.pin();
        let said = known.get(&server.0);
        let is_known = said.is_some_and(|said| {
            let is_fresh = said
                .written_at_ms
                .is_none_or(|at_ms| now_ms - at_ms < REWRITE_EVERY_MS);
            is_fresh && said.version == version && said.stamp.as_deref() == stamp
        });
        if is_known || (known.len() >= MAX_SERVERS && said.is_none()) {
            return;
        }
        let fresh = Said {
            version: version.to_owned(),
            stamp: stamp.map(str::to_owned),
            written_at_ms: None,
        };
        known.insert(server.0, fresh);
    }

    /// Writes down what is new.
    pub async fn flush(&self, db: &Db, now_ms: i64) -> Result<(), AppError> {
        let news = self.unwritten();
        for slice in news.chunks(200) {
            db.write(Write(slice.to_vec())).await?;
            for (server, said) in slice {
                self.mark_written(*server, said, now_ms);
            }
        }
        Ok(())
    }

    fn unwritten(&self) -> Vec<(ServerNum, Said)> {
        let known = self.known.pin();
        let news = known.iter().filter(|(_, said)| said.written_at_ms.is_none());
        let mut news: Vec<_> = news
            .map(|(server, said)| (ServerNum(*server), said.clone()))
            .collect();
        // Every node writes rows in the same order, so that two of them never wait for each other.
        news.sort_unstable_by_key(|(server, _)| *server);
        news
    }

    fn mark_written(&self, server: ServerNum, written: &Said, now_ms: i64) {
        let done = Said {
            written_at_ms: Some(now_ms),
            ..written.clone()
        };
        self.known.pin().update(
            server.0,
            |now| if now == written { done.clone() } else { now.clone() },
        );
    }
}

struct Write(Vec<(ServerNum, Said)>);

impl Work for Write {
    type For = NoOrg;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "write_plugins";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), AppError> {
        for (server, said) in &self.0 {
            servers::note_plugin(tx, *server, &said.version, said.stamp.as_deref()).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_versions_are_remembered_and_each_once() {
        let plugins = Plugins::default();
        for odd in ["", "1.0 beta", "<b>", &"1".repeat(33), "1.0\n"] {
            plugins.note(ServerNum(1), odd, Some("0123456789ab"), 0);
        }
        assert!(plugins.unwritten().is_empty());
        plugins.note(ServerNum(1), "1.2.3", None, 0);
        let news = plugins.unwritten();
        assert_eq!((news[0].0, &*news[0].1.version), (ServerNum(1), "1.2.3"));
        plugins.mark_written(news[0].0, &news[0].1, 0);
        plugins.note(ServerNum(1), "1.2.3", None, 0);
        assert!(plugins.unwritten().is_empty());
        plugins.note(ServerNum(1), "1.2.4", None, 0);
        assert_eq!(plugins.unwritten().len(), 1);
    }

    #[test]
    fn what_was_written_is_written_again_after_an_hour() {
        let plugins = Plugins::default();
        plugins.note(ServerNum(1), "1.2.3", None, 0);
        let news = plugins.unwritten();
        plugins.mark_written(news[0].0, &news[0].1, 5);
        plugins.note(ServerNum(1), "1.2.3", None, REWRITE_EVERY_MS + 4);
        assert!(plugins.unwritten().is_empty());
        plugins.note(ServerNum(1), "1.2.3", None, REWRITE_EVERY_MS + 5);
        assert_eq!(plugins.unwritten().len(), 1);
    }

    #[test]
    fn a_new_stamp_is_news_and_odd_ones_are_none() {
        let plugins = Plugins::default();
        plugins.note(ServerNum(1), "1.2.3", Some("0123456789ab"), 0);
        let news = plugins.unwritten();
        plugins.mark_written(news[0].0, &news[0].1, 0);
        plugins.note(ServerNum(1), "1.2.3", Some("ba9876543210"), 0);
        let news = plugins.unwritten();
        assert_eq!(news[0].1.stamp.as_deref(), Some("ba9876543210"));
        plugins.note(ServerNum(1), "1.2.3", Some("<b>"), 0);
        assert_eq!(plugins.unwritten()[0].1.stamp, None);
    }
}
