//! Backups that the service makes by itself, and how many of them stay.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use app::App;
use config::Config;
use storage::OpenOptions;
use storage::migrate::Migrate;
use tokio::sync::watch;

use crate::backup;
use crate::open::open_options;
use crate::output::Failure;

const LOOK_EVERY: Duration = Duration::from_secs(30);
const HOUR_MS: i64 = 3_600_000;
/// After one that failed, so that a disk that is full is not filled again at once.
const AGAIN_AFTER: Duration = Duration::from_secs(600);
/// What is not finished after so long is left behind by a process that was killed.
const LEFT_AFTER_MS: i64 = 24 * HOUR_MS;
/// Nothing else in the directory is ever removed.
const NAMES: &str = "symbolon-%Y-%m-%dT%H%M%SZ";

struct Schedule {
    directory: PathBuf,
    data_dir: PathBuf,
    every_ms: i64,
    keep: usize,
    options: OpenOptions,
}

/// A directory that this schedule made, or began to make.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Made {
    name: String,
    at_ms: i64,
    is_finished: bool,
}

/// Makes backups until the service stops, where the settings name a directory for them.
pub fn start(app: &App, config: &Config, mut stop: watch::Receiver<bool>) {
    let Some(directory) = config.backup.directory.clone() else {
        return;
    };
    let schedule = Schedule {
        directory,
        data_dir: config.data_dir.clone(),
        every_ms: i64::from(config.backup.every_hours) * HOUR_MS,
        keep: config.backup.keep.try_into().unwrap_or(usize::MAX),
        options: open_options(config, Migrate::Require),
    };
    let clock = app.clock.clone();
    app.tasks.spawn(async move {
        loop {
            let pause = match schedule.make_if_due(clock.now_ms()).await {
                Ok(()) => LOOK_EVERY,
                Err(failure) => {
                    tracing::error!("no backup was made: {}", failure.text());
                    AGAIN_AFTER
                }
            };
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                _ = stop.wait_for(|stopped| *stopped) => return,
            }
        }
    });
}

impl Schedule {
    async fn make_if_due(&self, now_ms: i64) -> Result<(), Failure> {
        if now_ms < due_ms(&self.list()?, self.every_ms, now_ms) {
            return Ok(());
        }
        let to = self.directory.join(name_of(now_ms)?);
        storage::backup::create(&self.options, &to, now_ms).await?;
        tracing::info!(to = %to.display(), "backup made and checked");
        // It is good, whatever becomes of what follows.
        if let Err(failure) = backup::note_made(&self.data_dir, now_ms) {
            tracing::warn!("the metrics do not show this backup: {}", failure.text());
        }
        for old in beyond(self.list()?, self.keep, now_ms) {
            let path = self.directory.join(old);
            if let Err(error) = fs::remove_dir_all(&path) {
                tracing::error!(path = %path.display(), %error, "an old backup cannot be removed");
            }
        }
        Ok(())
    }

    /// The oldest first.
    fn list(&self) -> Result<Vec<Made>, Failure> {
        let told = |error: std::io::Error| {
            Failure::from(format!("cannot read {}: {error}", self.directory.display()))
        };
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.directory).map_err(told)? {
            let entry = entry.map_err(told)?;
            let name = entry.file_name();
            if let Some((name, at_ms)) = name.to_str().and_then(|name| Some((name, made_at(name)?))) {
                found.push(Made {
                    name: name.to_owned(),
                    at_ms,
                    is_finished: storage::backup::is_finished(&entry.path()),
                });
            }
        }
        found.sort_unstable_by_key(|made| made.at_ms);
        Ok(found)
    }
}

/// One from the future was made by a clock that was wrong, and says nothing.
fn due_ms(made: &[Made], every_ms: i64, now_ms: i64) -> i64 {
    let known = made
        .iter()
        .filter(|made| made.is_finished && made.at_ms <= now_ms);
    known
        .map(|made| made.at_ms)
        .max()
        .map_or(0, |last_ms| last_ms + every_ms)
}

/// Names are in the order of time.
fn name_of(now_ms: i64) -> Result<String, Failure> {
    let at = jiff::Timestamp::from_millisecond(now_ms)?;
    Ok(at.strftime(NAMES).to_string())
}

fn made_at(name: &str) -> Option<i64> {
    let at = jiff::civil::DateTime::strptime(NAMES, name).ok()?;
    let at_ms = at
        .to_zoned(jiff::tz::TimeZone::UTC)
        .ok()?
        .timestamp()
        .as_millisecond();
    name_of(at_ms).is_ok_and(|exact| exact == name).then_some(at_ms)
}

/// All but the newest ones that are finished, and what was left unfinished long ago.
fn beyond(made: Vec<Made>, keep: usize, now_ms: i64) -> Vec<String> {
    let (finished, begun): (Vec<Made>, Vec<Made>) = made.into_iter().partition(|made| made.is_finished);
    let surplus = finished.len().saturating_sub(keep);
    let old = finished.into_iter().take(surplus);
    let left = begun
        .into_iter()
        .filter(|made| made.at_ms < now_ms - LEFT_AFTER_MS);
    old.chain(left).map(|made| made.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY_MS: i64 = 24 * HOUR_MS;

    fn made(day: i64, is_finished: bool) -> Made {
        Made {
            name: name_of(day * DAY_MS).unwrap(),
            at_ms: day * DAY_MS,
            is_finished,
        }
    }

    #[test]
    fn names_tell_the_time_and_what_is_not_ours_has_none() {
        assert_eq!(made(1, true).name, "symbolon-1970-01-02T000000Z");
        for day in [1, 20_000] {
            assert_eq!(made_at(&made(day, true).name), Some(day * DAY_MS));
        }
        for other in [
            "symbolon-",
            "symbolon-by-hand",
            "today",
            "symbolon.db",
            "symbolon-1970-1-2T000000Z",
        ] {
            assert_eq!(made_at(other), None, "{other}");
        }
    }

    #[test]
    fn the_oldest_finished_ones_go_and_broken_ones_take_nobodys_place() {
        let all = || {
            vec![
                made(1, true),
                made(2, false),
                made(3, true),
                made(4, false),
                made(5, true),
            ]
        };
        let name = |day| made(day, true).name;
        assert_eq!(beyond(all(), 2, 5 * DAY_MS), [name(1), name(2)]);
        assert_eq!(beyond(all(), 3, 9 * DAY_MS), [name(2), name(4)]);
        assert_eq!(
            beyond(vec![made(5, true), made(5, false)], 1, 5 * DAY_MS),
            [""; 0]
        );
    }

    #[test]
    fn one_is_due_after_the_last_finished_one_that_is_not_from_the_future() {
        let all = [made(3, true), made(4, false), made(40, true)];
        assert_eq!(due_ms(&all, DAY_MS, 5 * DAY_MS), 4 * DAY_MS);
        assert_eq!(due_ms(&all[1..], DAY_MS, 5 * DAY_MS), 0);
    }
}
