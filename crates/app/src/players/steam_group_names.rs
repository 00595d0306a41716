//! Names of Steam groups that people paste into the settings. The same form is often sent more than once, and every
//! question counts against the day's calls, so answers are remembered.

use std::collections::hash_map::Entry;
use std::panic::AssertUnwindSafe;

use domain::flow::Provider;
use domain::quota::Purpose;
use domain::steam_group::GroupId;
use futures_util::FutureExt;
use platform::Unanswered;

use crate::error::{AppError, IdentityError, PlayersError, RequestError};
use crate::memories::steam_group_names::{Answer, Asked};
use crate::state::App;

/// For who asks about another name meanwhile. Steam mostly answers much sooner.
const BUSY_MS: i64 = 1_000;

/// The group that a name in an address of Steam stands for. Asked out of the Org's share of the day's calls. Who asks the
/// same as somebody else of the Org at this moment shares the answer; another name is refused until it is there.
pub(crate) async fn find(app: &App, org_num: i64, name: &str) -> Result<Option<GroupId>, AppError> {
    app.platforms.steam_api()?;
    let name = name.to_lowercase();
    let answering = {
        let mut asked = app.memories.steam_group_names.asked();
        if let Some(group) = app.memories.steam_group_names.find(&name, app.clock.steady_ms()) {
            return Ok(group);
        }
        match asked.entry(org_num) {
            Entry::Occupied(asked) if asked.get().name == name => asked.get().answering.clone(),
            Entry::Occupied(_) => {
                return Err(RequestError::RateLimited {
                    retry_after_ms: BUSY_MS,
                }
                .into());
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
        let names = &app.memories.steam_group_names;
        names.remember(name, group, app.clock.steady_ms());
    }
    app.memories.steam_group_names.asked().remove(&org_num);
    answer
}

fn failure(cause: Unanswered) -> AppError {
    match cause {
        Unanswered::Refused => IdentityError::ProviderMisconfigured {
            provider: Provider::Steam,
            setting: "steam.api_key",
        }
        .into(),
        Unanswered::OverQuota { retry_after_ms } => RequestError::RateLimited { retry_after_ms }.into(),
        Unanswered::Timeout
        | Unanswered::Unreachable
        | Unanswered::Throttled { .. }
        | Unanswered::Crowded { .. }
        | Unanswered::Status(_)
        | Unanswered::Personal(_)
        | Unanswered::TooLong
        | Unanswered::Unreadable
        | Unanswered::Paused { .. }
        | Unanswered::Held { .. }
        | Unanswered::Remembered { .. }
        | Unanswered::OverShare { .. } => PlayersError::SteamUnavailable.into(),
    }
}
