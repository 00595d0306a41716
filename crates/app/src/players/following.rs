//! Brings people up to date of whom game servers said something new.

use storage::jobs::{self, Grip, Held};
use storage::players::person_marks;
use storage::tenancy::orgs;
use storage::{OrgScope, Tx, Work};

use crate::error::AppError;
use crate::jobs::{Claimed, Outcome};
use crate::people;
use crate::state::App;

/// People in one unit of work.
const SLICE: i64 = 200;

/// The next marked people of an Org.
pub(crate) async fn step(app: &App, claimed: &Claimed) -> Result<Outcome, AppError> {
    let scope = claimed.org.ok_or_else(|| AppError::internal("a job of no Org"))?;
    let slice = Slice {
        held: claimed.held.clone(),
        now_ms: app.now_ms(),
    };
    app.db.write_for(scope, slice).await
}

struct Slice {
    held: Held,
    now_ms: i64,
}

impl Work for Slice {
    type For = OrgScope;
    type Output = Outcome;
    type Error = AppError;
    const NAME: &'static str = "follow_people";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<Outcome, AppError> {
        orgs::lock_even_removed(tx, scope).await?;
        if jobs::hold(tx, &self.held).await? == Grip::Lost {
            return Ok(Outcome::Lost);
        }
        let marked = person_marks::list_next(tx, scope, SLICE).await?;
        if marked.is_empty() {
            return Ok(Outcome::Done);
        }
        let who = person_marks::list_who(tx, scope, &marked).await?;
        people::follow(tx, scope, who.iter().map(String::as_str), self.now_ms).await?;
        person_marks::done(tx, scope, &marked).await?;
        Ok(Outcome::Again)
    }
}
