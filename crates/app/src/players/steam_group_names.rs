//! Names of Steam groups that people paste into the settings, remembered for a while: the same form is often sent more
//! than once, and every question counts against the day's calls.

use domain::flow::Provider;
use domain::quota::Purpose;
use domain::steam_group::GroupId;
use platform::Unanswered;
use quick_cache::sync::Cache;
use tokio::sync::Mutex;

use crate::error::AppError;
use crate::state::App;

/// Names that are remembered.
const MOST: usize = 1_000;
/// A group keeps its number; somebody may take its name over, though.
const FOUND_MS: i64 = 60 * 60_000;
/// A name that stands for nothing may be given any moment.
const UNKNOWN_MS: i64 = 60_000;
const LOCKS: usize = 64;

#[derive(Clone, Copy)]
struct Known {
    group: Option<GroupId>,
    asked_at_ms: i64,
}

impl Known {
    fn is_fresh(&self, now_ms: i64) -> bool {
        let lasts_ms = if self.group.is_some() {
            FOUND_MS
        } else {
            UNKNOWN_MS
        };
        (0..lasts_ms).contains(&(now_ms - self.asked_at_ms))
    }
}

pub(crate) struct SteamGroupNames {
    known: Cache<String, Known>,
    /// An Org has one question out at a time: the next one may find its answer.
    locks: [Mutex<()>; LOCKS],
}

impl Default for SteamGroupNames {
    fn default() -> Self {
        Self {
            known: Cache::new(MOST),
            locks: [const { Mutex::const_new(()) }; LOCKS],
        }
    }
}

/// The group that a name in an address of Steam stands for. Asked out of the Org's share of the day's calls.
pub(crate) async fn find(app: &App, org_num: i64, name: &str) -> Result<Option<GroupId>, AppError> {
    let steam = app.platforms.steam_api()?;
    let names = &app.memories.steam_group_names;
    let lock = usize::try_from(org_num.rem_euclid(LOCKS as i64)).unwrap_or(0);
    let _turn = names.locks[lock].lock().await;
    let name = name.to_lowercase();
    if let Some(known) = names
        .known
        .get(&name)
        .filter(|known| known.is_fresh(app.now_ms()))
    {
        return Ok(known.group);
    }
    let found = steam.find_group(&name, Purpose::Settings { org_num }).await;
    let group = found.map_err(|cause| match cause {
        Unanswered::Refused => AppError::ProviderMisconfigured {
            provider: Provider::Steam,
            setting: "steam.api_key",
        },
        Unanswered::OverQuota { retry_after_ms } => AppError::RateLimited { retry_after_ms },
        Unanswered::Timeout
        | Unanswered::Unreachable
        | Unanswered::Throttled { .. }
        | Unanswered::Status(_)
        | Unanswered::Personal(_)
        | Unanswered::TooLong
        | Unanswered::Unreadable
        | Unanswered::Paused { .. }
        | Unanswered::Remembered { .. }
        | Unanswered::OverShare { .. } => AppError::SteamUnavailable,
    })?;
    let known = Known {
        group,
        asked_at_ms: app.now_ms(),
    };
    names.known.insert(name, known);
    Ok(group)
}
