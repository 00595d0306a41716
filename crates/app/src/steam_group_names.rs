//! Names of Steam groups that people paste into the settings, remembered for a while: the same form is often sent more
//! than once, and every question counts against the day's calls.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::panic::AssertUnwindSafe;
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::flow::Provider;
use domain::quota::Purpose;
use domain::steam_group::GroupId;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use platform::Unanswered;
use quick_cache::sync::Cache;

use crate::error::AppError;
use crate::state::App;

/// Names that are remembered.
const MOST: usize = 1_000;
/// A group keeps its number; somebody may take its name over, though.
const FOUND_MS: i64 = 60 * 60_000;
/// A name that stands for nothing may be given any moment.
const UNKNOWN_MS: i64 = 60_000;
/// For who asks about another name meanwhile. Steam mostly answers much sooner.
const BUSY_MS: i64 = 1_000;

#[derive(Clone, Copy)]
struct Known {
    group: Option<GroupId>,
    /// Of the steady clock.
    asked_at_ms: i64,
}

impl Known {
    fn is_fresh(&self, steady_ms: i64) -> bool {
        let lasts_ms = if self.group.is_some() {
            FOUND_MS
        } else {
            UNKNOWN_MS
        };
        steady_ms - self.asked_at_ms < lasts_ms
    }
}

type Answer = Result<Option<GroupId>, Unanswered>;
type Answering = Shared<BoxFuture<'static, Answer>>;

/// A question that Steam has not answered yet.
struct Asked {
    name: String,
    answering: Answering,
}

pub(crate) struct SteamGroupNames {
    known: Cache<String, Known>,
    /// By Org, which has one question out at a time. Never more than there are requests.
    asked: Mutex<HashMap<i64, Asked>>,
}

impl Default for SteamGroupNames {
    fn default() -> Self {
        Self {
            known: Cache::new(MOST),
            asked: Mutex::default(),
        }
    }
}

impl SteamGroupNames {
    fn find(&self, name: &str, steady_ms: i64) -> Option<Option<GroupId>> {
        let known = self.known.get(name)?;
        known.is_fresh(steady_ms).then_some(known.group)
    }

    fn asked(&self) -> MutexGuard<'_, HashMap<i64, Asked>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The group that a name in an address of Steam stands for. Asked out of the Org's share of the day's calls. Who asks the
/// same as somebody else of the Org at this moment shares the answer; another name is refused until it is there.
pub(crate) async fn find(app: &App, org_num: i64, name: &str) -> Result<Option<GroupId>, AppError> {
    app.platforms.steam_api()?;
    let name = name.to_lowercase();
    let answering = {
        let mut asked = app.steam_group_names.asked();
        if let Some(group) = app.steam_group_names.find(&name, app.clock.steady_ms()) {
            return Ok(group);
        }
        match asked.entry(org_num) {
            Entry::Occupied(asked) if asked.get().name == name => asked.get().answering.clone(),
            Entry::Occupied(_) => {
                return Err(AppError::RateLimited {
                    retry_after_ms: BUSY_MS,
                });
            }
            Entry::Vacant(place) => {
                let answering = ask(app.clone(), org_num, name.clone()).boxed().shared();
                // Goes on when its asker hangs up: others may wait for it, and it is paid for.
                app.tasks.spawn(answering.clone().map(drop));
                place.insert(Asked { name, answering }).answering.clone()
            }
        }
    };
    answering.await.map_err(failure)
}

/// Asks Steam, remembers what it said and ends the Org's turn. A question that panics is one without an answer.
async fn ask(app: App, org_num: i64, name: String) -> Answer {
    let question = async {
        let steam = app.platforms.steam_api.as_ref().ok_or(Unanswered::Unreachable)?;
        steam.find_group(&name, Purpose::Settings { org_num }).await
    };
    let answer = AssertUnwindSafe(question).catch_unwind().await;
    let answer = answer.unwrap_or(Err(Unanswered::Unreadable));
    if let Ok(group) = answer {
        let asked_at_ms = app.clock.steady_ms();
        app.steam_group_names
            .known
            .insert(name, Known { group, asked_at_ms });
    }
    app.steam_group_names.asked().remove(&org_num);
    answer
}

fn failure(cause: Unanswered) -> AppError {
    match cause {
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
    }
}
