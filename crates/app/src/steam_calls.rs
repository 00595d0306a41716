//! The day's calls to Steam's Web API, counted over all nodes and restarts: each node writes down its own once a minute
//! and reads what the others wrote.

use domain::quota::{DailyQuota, Spending};
use storage::daily_calls::{self, Calls};
use storage::{Tx, Work};

use crate::error::AppError;
use crate::state::App;

const PROVIDER: &str = "steam_web_api";
/// Stands for people who wait for an answer; Orgs count from 1.
const PEOPLE: i64 = 0;
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
                steam.restore_calls(day, &to_spending(&rows[index * SLICE..]));
                return Err(error);
            }
        }
    }
    let day = DailyQuota::day_of(app.now_ms());
    let written = daily_calls::list(&app.db, PROVIDER, day).await?;
    steam.learn_calls(day, to_spending(&written));
    Ok(())
}

fn to_rows(spending: &Spending) -> Vec<Calls> {
    let people = (PEOPLE, spending.verify);
    let orgs = spending.bulk.iter().map(|(org_num, calls)| (*org_num, *calls));
    let mut rows: Vec<Calls> = std::iter::once(people)
        .chain(orgs)
        .filter(|(_, calls)| *calls > 0)
        .map(|(org_num, calls)| Calls {
            org_num,
            calls: i64::from(calls),
        })
        .collect();
    // Every node writes rows in the same order, so that two of them never wait for each other.
    rows.sort_unstable_by_key(|row| row.org_num);
    rows
}

fn to_spending(rows: &[Calls]) -> Spending {
    let mut spending = Spending::default();
    for row in rows {
        let calls = u32::try_from(row.calls).unwrap_or(u32::MAX);
        if row.org_num == PEOPLE {
            spending.verify = calls;
        } else {
            spending.bulk.insert(row.org_num, calls);
        }
    }
    spending
}

struct AddCalls {
    day: i64,
    rows: Vec<Calls>,
}

impl Work for AddCalls {
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "add_daily_calls";

    async fn run(&self, tx: &mut Tx<'_>) -> Result<(), AppError> {
        for row in &self.rows {
            daily_calls::add(tx, PROVIDER, self.day, *row).await?;
        }
        Ok(())
    }
}
