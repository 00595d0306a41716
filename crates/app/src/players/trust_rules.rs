//! What an Org says about permission groups: keywords and colours, tried out before they are saved.

use std::collections::BTreeMap;

use domain::audit::{Actor, AuditAction};
use domain::trust::{GroupRules, GroupRulesError, Thresholds, TrustTier};
use serde_json::json;
use storage::players::trust;
pub use storage::players::trust::StoredRules;
use storage::records::audit::Act;
use storage::tenancy::orgs;
use storage::{OrgScope, Tx, Work};

use crate::error::{AppError, PlayersError, RequestError};
use crate::people::{self, score::scores_of};
use crate::state::App;

/// People of one read.
const PAGE: i64 = 2_000;

/// What the Org says, and where tiers begin.
pub async fn get(app: &App, scope: OrgScope) -> Result<(StoredRules, Thresholds), AppError> {
    Ok((trust::get_rules(&app.db, scope).await?, app.thresholds))
}

/// Replaces what the Org says, unless somebody did so since the revision that the caller saw, if they name one. Everybody's
/// score is reckoned anew.
pub async fn save(
    app: &App,
    scope: OrgScope,
    rules: GroupRules,
    revision: Option<i64>,
    actor: Actor,
) -> Result<(), AppError> {
    let rules = checked(rules)?;
    app.db
        .write_for(app.act(scope, actor), Save { rules, revision })
        .await?;
    app.bell.ring();
    Ok(())
}

fn checked(rules: GroupRules) -> Result<GroupRules, AppError> {
    rules.checked().map_err(|problem| {
        let (row, problem) = match problem {
            GroupRulesError::TooMany => return AppError::invalid("keywords", problem.to_string()),
            GroupRulesError::Text(row) | GroupRulesError::Twice(row) => (row, problem.to_string()),
        };
        let parameter = "text";
        RequestError::InvalidRow {
            row,
            parameter,
            problem,
        }
        .into()
    })
}

struct Save {
    rules: GroupRules,
    revision: Option<i64>,
}

impl Work for Save {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "save_trust_rules";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        let scope = act.scope;
        orgs::lock(tx, scope).await?;
        let before = trust::get_rules_in(tx, scope).await?;
        // The same save once more is no conflict.
        if before.rules == self.rules {
            return Ok(());
        }
        if self.revision.is_some_and(|seen| seen != before.revision) {
            return Err(RequestError::ChangedMeanwhile.into());
        }
        trust::set_rules(tx, scope, &self.rules).await?;
        if before.rules.keywords != self.rules.keywords {
            people::sweep_later(tx, scope, act.now_ms).await?;
        }
        let detail = json!({ "before": before.rules, "after": self.rules });
        Ok(act.note(tx, AuditAction::TrustChanged, None, &detail).await?)
    }
}

/// What other rules would do.
#[derive(Debug, Clone, Default)]
pub struct Simulation {
    /// Everybody with an active link.
    pub people: i64,
    /// Whose score would be another.
    pub rescored: i64,
    /// How many would go from one tier to another.
    pub moves: BTreeMap<(TrustTier, TrustTier), i64>,
}

/// Reckons everybody's score with these rules beside the ones that hold, and stores nothing.
pub async fn simulate(app: &App, scope: OrgScope, rules: GroupRules) -> Result<Simulation, AppError> {
    let wanted = checked(rules)?.effective();
    let _place = app
        .memories
        .dry_runs
        .begin(scope)
        .ok_or(PlayersError::SimulationsRunning)?;
    let held = trust::get_rules(&app.db, scope).await?.rules.effective();
    let (now_ms, tiers) = (app.now_ms(), app.thresholds);
    let (mut found, mut after) = (Simulation::default(), 0);
    loop {
        let people = trust::list_active(&app.db, scope, after, PAGE).await?;
        let Some(last) = people.last() else {
            return Ok(found);
        };
        after = *last;
        let (signals, reports) = trust::read_signals(&app.db, scope, &people).await?;
        let now = scores_of(&signals, &reports, &held, now_ms);
        let then = scores_of(&signals, &reports, &wanted, now_ms);
        for (now, then) in now.zip(then) {
            found.people += 1;
            let (now, then) = (now.score.total, then.score.total);
            found.rescored += i64::from(now != then);
            let (from, to) = (tiers.tier(now), tiers.tier(then));
            if from != to {
                *found.moves.entry((from, to)).or_default() += 1;
            }
        }
    }
}
