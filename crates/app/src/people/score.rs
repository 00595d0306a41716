//! Scores of people, reckoned from what is stored of them.

use std::collections::HashMap;

use domain::trust::{GroupClass, Keyword, Signals};
use storage::players::trust::{self, NewScore, PersonReport, PersonSignals};
use storage::{OrgScope, Tx};

use crate::error::AppError;

const DAY_MS: i64 = 24 * 60 * 60_000;

/// Reckons the scores of these people anew. Under the Org's lock.
pub(crate) async fn reckon(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    people: &[i64],
    now_ms: i64,
) -> Result<(), AppError> {
    if people.is_empty() {
        return Ok(());
    }
    let keywords = trust::get_rules_in(tx, scope).await?.rules.effective();
    let (signals, reports) = trust::list_signals(tx, scope, people).await?;
    let scores: Vec<NewScore> = scores_of(&signals, &reports, &keywords, now_ms).collect();
    Ok(trust::store(tx, scope, &scores, now_ms).await?)
}

/// The scores that follow from these facts with these keywords.
pub(crate) fn scores_of<'a>(
    signals: &'a [PersonSignals],
    reports: &[PersonReport],
    keywords: &[Keyword],
    now_ms: i64,
) -> impl Iterator<Item = NewScore> + use<'a> {
    let mut best: HashMap<i64, Vec<GroupClass>> = HashMap::new();
    for report in reports {
        let classes = best.entry(report.person_num).or_default();
        classes.push(report.report.best(keywords));
    }
    signals.iter().map(move |one| {
        let best_groups = best.remove(&one.num).unwrap_or_default();
        let best = best_groups.iter().copied().max_by_key(|class| class.weight());
        let days = (now_ms - one.first_linked_at_ms).max(0) / DAY_MS;
        let signals = Signals {
            churn: small(one.churn),
            best_groups,
            days: small(days),
            accounts: small(one.accounts),
        };
        NewScore {
            person_num: one.num,
            score: signals.score(),
            best: best.unwrap_or(GroupClass::Default),
        }
    })
}

fn small(count: i64) -> u32 {
    u32::try_from(count.max(0)).unwrap_or(u32::MAX)
}
