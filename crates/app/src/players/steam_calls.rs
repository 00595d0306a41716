//! The day's calls to Steam's Web API, counted over all nodes and restarts: each node writes down its own once a minute
//! and reads what the others wrote.

use std::collections::HashMap;

use domain::quota::{DailyQuota, Spending};
use storage::players::daily_calls::{self, Calls};
use storage::{NoOrg, Tx, Work};

use crate::error::{AppError, ServiceError};
use crate::state::App;

/// Polls and settings, by Org.
const POLLS: &str = "steam_web_api";
/// People who wait for an answer, by the Org whose page they are on.
const PEOPLE: &str = "steam_web_api_people";
/// Rows written by one unit, so that others need not wait for a long one.
const SLICE: usize = 200;

/// Writes down our own calls, then learns the sum.
pub async fn share(app: &App) -> Result<(), AppError> {
    let Some(steam) = &app.platforms.steam_api else {
        return Ok(());
    };
    if let Some((day, spending)) = steam.drain_calls() {
        let rows = to_rows(&spending);
        for (index, slice) in rows.chunks(SLICE).enumerate() {
            let written = app
                .db
                .write(AddCalls {
                    day,
                    rows: slice.to_vec(),
                })
                .await;
            if let Err(error) = written {
                // What may have been stored is not counted twice.
                let in_doubt = matches!(error, AppError::Service(ServiceError::OutcomeUnknown(_)));
                let unwritten = index + usize::from(in_doubt);
                let rest = rows.get(unwritten * SLICE..).unwrap_or_default();
                steam.restore_calls(day, &to_spending(rest));
                return Err(error);
            }
        }
    }
    let day = DailyQuota::day_of(app.now_ms());
    let mut written = Vec::new();
    for part in [POLLS, PEOPLE] {
        let rows = daily_calls::list(&app.db, part, day).await?;
        written.extend(rows.into_iter().map(|row| (part, row)));
    }
    steam.learn_calls(day, to_spending(&written));
    Ok(())
}

/// In the order of their keys, so that two nodes that write at once do not wait for each other.
fn to_rows(spending: &Spending) -> Vec<(&'static str, Calls)> {
    let part = |name, calls: &HashMap<i64, u32>| {
        let mut rows: Vec<_> = calls
            .iter()
            .map(|(org_num, calls)| Calls {
                org_num: *org_num,
                calls: i64::from(*calls),
            })
            .collect();
        rows.sort_by_key(|row| row.org_num);
        rows.into_iter().map(move |row| (name, row))
    };
    part(POLLS, &spending.bulk)
        .chain(part(PEOPLE, &spending.verify))
        .collect()
}

fn to_spending(rows: &[(&'static str, Calls)]) -> Spending {
    let mut spending = Spending::default();
    for (part, row) in rows {
        let calls = u32::try_from(row.calls).unwrap_or(u32::MAX);
        // A version before this one wrote people's calls as those of no Org.
        let kept = if *part == PEOPLE || row.org_num == 0 {
            &mut spending.verify
        } else {
            &mut spending.bulk
        };
        *kept.entry(row.org_num).or_default() += calls;
    }
    spending
}

struct AddCalls {
    day: i64,
    rows: Vec<(&'static str, Calls)>,
}

impl Work for AddCalls {
    type For = NoOrg;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "add_daily_calls";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), AppError> {
        for (part, row) in &self.rows {
            daily_calls::add(tx, part, self.day, *row).await?;
        }
        Ok(())
    }
}
