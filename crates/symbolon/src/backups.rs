//! Backups that the service makes by itself, and how many of them stay.

use std::fs;
use std::path::{Path, PathBuf};
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
const AGAIN_AFTER_MS: i64 = 10 * 60_000;
/// Nothing else in the directory is ever removed.
const PREFIX: &str = "symbolon-";

struct Schedule {
    directory: PathBuf,
    data_dir: PathBuf,
    every_ms: i64,
    keep: usize,
    options: OpenOptions,
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
        let mut not_before_ms = 0;
        loop {
            let now_ms = clock.now_ms();
            let due_ms = backup::last_made(&schedule.data_dir).map_or(0, |last| last + schedule.every_ms);
            if now_ms >= due_ms && now_ms >= not_before_ms {
                match make(&schedule, now_ms).await {
                    Ok(made) => tracing::info!(to = %made.display(), "backup made and checked"),
                    Err(failure) => {
                        not_before_ms = now_ms + AGAIN_AFTER_MS;
                        tracing::error!("no backup was made: {}", failure.text());
                    }
                }
            }
            tokio::select! {
                () = tokio::time::sleep(LOOK_EVERY) => {}
                _ = stop.wait_for(|stopped| *stopped) => return,
            }
        }
    });
}

async fn make(schedule: &Schedule, now_ms: i64) -> Result<PathBuf, Failure> {
    let to = schedule.directory.join(name_of(now_ms)?);
    storage::backup::create(&schedule.options, &to, now_ms).await?;
    backup::note_made(&schedule.data_dir, now_ms)?;
    for old in beyond(listed(&schedule.directory)?, schedule.keep) {
        let path = schedule.directory.join(&old);
        fs::remove_dir_all(&path).map_err(|error| format!("cannot remove {}: {error}", path.display()))?;
    }
    Ok(to)
}

/// Names are in the order of time.
fn name_of(now_ms: i64) -> Result<String, Failure> {
    let at = jiff::Timestamp::from_millisecond(now_ms)?;
    Ok(format!("{PREFIX}{}", at.strftime("%Y-%m-%dT%H%M%SZ")))
}

fn listed(directory: &Path) -> Result<Vec<String>, Failure> {
    let entries =
        fs::read_dir(directory).map_err(|error| format!("cannot read {}: {error}", directory.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        if let Some(name) = name.to_str().filter(|name| is_ours(name)) {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

fn is_ours(name: &str) -> bool {
    let day = name.strip_prefix(PREFIX);
    day.is_some_and(|day| day.len() == "2026-01-01T000000Z".len() && day.ends_with('Z'))
}

/// All but the newest ones.
fn beyond(mut names: Vec<String>, keep: usize) -> Vec<String> {
    names.sort_unstable();
    let surplus = names.len().saturating_sub(keep);
    names.truncate(surplus);
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_ones_go_and_nothing_that_is_not_ours() {
        let made: Vec<String> = [5_i64, 1, 3]
            .iter()
            .map(|day| name_of(day * 24 * HOUR_MS).unwrap())
            .collect();
        assert_eq!(made[1], "symbolon-1970-01-02T000000Z");
        assert!(made.iter().all(|name| is_ours(name)));
        for other in ["symbolon-", "symbolon-by-hand", "today", "symbolon.db"] {
            assert!(!is_ours(other), "{other}");
        }
        assert_eq!(beyond(made.clone(), 2), [made[1].clone()]);
        assert_eq!(beyond(made, 3), [""; 0]);
    }
}
