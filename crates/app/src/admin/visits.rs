//! Operators who look into somebody else's Org: for a while, with a reason, and in sight of the Org.

use domain::audit::AuditAction;
use domain::id::{AccountId, OrgId};
use domain::visit::{Minutes, Reason};
use serde_json::json;
use storage::admin::search;
use storage::admin::visits::{self, NewVisit};
pub use storage::admin::visits::{Running, Visited};
use storage::identity::accounts;
use storage::records::audit::Act;
use storage::tenancy::{orgs, team};
use storage::{AccountNum, OperatorScope, OrgScope, Tx, Work};

use crate::by_operator::ByOperator;
use crate::error::{AppError, RequestError};
use crate::notice::{Notice, Page, Severity};
use crate::state::App;

/// What a visit is to be like.
pub struct VisitRequest {
    /// Both audit logs have it.
    pub reason: Reason,
    /// Whether more than looking is allowed.
    pub can_write: bool,
    /// It ends by itself after that.
    pub minutes: Minutes,
}

/// Begins a visit, in place of one that may be running. Returns when it ends by itself.
pub async fn begin(
    app: &App,
    (operator, account): (OperatorScope, AccountNum),
    org: &OrgId,
    request: VisitRequest,
    by: ByOperator,
) -> Result<i64, AppError> {
    let (scope, org) = (scope_of(app, operator, org).await?, org.clone());
    let act = app.act(scope, by.actor());
    let ends_at_ms = act.now_ms + request.minutes.as_ms();
    let work = Begin {
        account,
        org,
        request,
        ends_at_ms,
        by,
    };
    app.db.write_for(act, work).await?;
    Ok(ends_at_ms)
}

async fn scope_of(app: &App, operator: OperatorScope, org: &OrgId) -> Result<OrgScope, AppError> {
    let found = search::find_org(&app.db, operator, org.as_str()).await?;
    Ok(found.ok_or(RequestError::NotFound)?.scope)
}

struct Begin {
    account: AccountNum,
    org: OrgId,
    request: VisitRequest,
    ends_at_ms: i64,
    by: ByOperator,
}

impl Work for Begin {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "begin_visit";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        orgs::lock(tx, act.scope).await?;
        let is_owner = team::get_owner(tx, act.scope).await?.num == self.account;
        if is_owner
            || team::find_by_account(tx, act.scope, self.account)
                .await?
                .is_some()
        {
            return Err(
                RequestError::Conflict("You are in this organisation's team, so you need no visit.").into(),
            );
        }
        let new = NewVisit {
            account: self.account,
            reason: self.request.reason.as_str(),
            can_write: self.request.can_write,
            now_ms: act.now_ms,
            ends_at_ms: self.ends_at_ms,
        };
        visits::begin(tx, act.scope, &new).await?;
        let detail = json!({
            "reason": self.request.reason.as_str(),
            "write": self.request.can_write,
            "minutes": self.request.minutes.get(),
        });
        let (action, target) = (AuditAction::VisitBegan, Some(self.org.as_str()));
        act.note(tx, action, target, &detail).await?;
        self.by
            .note(tx, &act.for_operators(), action, target, &detail)
            .await
    }
}

/// Ends a visit, one's own or another operator's; one that is over is no error.
pub async fn end(
    app: &App,
    operator: OperatorScope,
    (org, visitor): (&OrgId, &AccountId),
    by: ByOperator,
) -> Result<(), AppError> {
    let scope = scope_of(app, operator, org).await?;
    let account = accounts::find(&app.db, visitor).await?;
    let work = End {
        account: account.ok_or(RequestError::NotFound)?.num,
        visitor: visitor.clone(),
        org: org.clone(),
        by,
    };
    let act = app.act(scope, work.by.actor());
    app.db.write_for(act, work).await
}

struct End {
    account: AccountNum,
    visitor: AccountId,
    org: OrgId,
    by: ByOperator,
}

impl Work for End {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "end_visit";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        orgs::lock(tx, act.scope).await?;
        if !visits::end(tx, act.scope, self.account, act.now_ms).await? {
            return Ok(());
        }
        let (action, target) = (AuditAction::VisitEnded, Some(self.org.as_str()));
        let mut detail = json!({});
        if !self.by.is(&self.visitor) {
            detail["account"] = json!(self.visitor.as_str());
        }
        act.note(tx, action, target, &detail).await?;
        self.by
            .note(tx, &act.for_operators(), action, target, &detail)
            .await
    }
}

/// The visits that go on, of all operators. Whoever is none any more visits nobody.
pub async fn list(app: &App, operator: OperatorScope) -> Result<Vec<Running>, AppError> {
    let mut running = visits::list(&app.db, operator, app.now_ms()).await?;
    running.retain(|visit| visit.granted || app.operators.contains(&visit.discord_id));
    Ok(running)
}

/// What the people of an Org should know about who looks into it.
pub(crate) async fn attention(app: &App, scope: OrgScope) -> Result<Vec<Notice>, AppError> {
    let mut running = visits::list_in(&app.db, scope, app.now_ms()).await?;
    running.retain(|visit| visit.granted || app.operators.contains(&visit.discord_id));
    let told = running.into_iter().map(|visit| {
        let may = if visit.can_write {
            "and can change things"
        } else {
            "to look only"
        };
        let text = format!(
            "An operator is visiting your organisation {may}. Their reason: {}",
            visit.reason
        );
        Notice::new("visit", Severity::Info, text).fixed_at("Audit log", Page::Visits)
    });
    Ok(told.collect())
}

/// The Orgs that an operator visits now.
pub async fn list_of(
    app: &App,
    operator: OperatorScope,
    account: AccountNum,
) -> Result<Vec<Visited>, AppError> {
    Ok(visits::list_of(&app.db, operator, account, app.now_ms()).await?)
}
