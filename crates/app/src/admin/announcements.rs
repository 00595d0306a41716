//! What operators tell people in the dashboard, and who does not want to see it any more.

use domain::announcement::{Body, Severity, Target};
use domain::audit::AuditAction;
use domain::id::AnnouncementId;
use serde_json::json;
use storage::admin::announcements;
pub use storage::admin::announcements::Announcement;
use storage::records::audit::Act;
use storage::{AccountNum, NoOrg, OperatorScope, OrgScope, Tx, Work};

use crate::by_operator::ByOperator;
use crate::error::{AppError, RequestError};
use crate::state::App;
use crate::tenancy::orgs;

/// An announcement to be made.
pub struct NewAnnouncement {
    /// How much it matters.
    pub severity: Severity,
    /// Whom it is for.
    pub target: Target,
    /// What it says.
    pub body: Body,
    /// None for now.
    pub starts_at_ms: Option<i64>,
    /// None for one without an end.
    pub ends_at_ms: Option<i64>,
}

/// Makes an announcement, which is shown from its start on.
pub async fn create(app: &App, new: NewAnnouncement, by: ByOperator) -> Result<Announcement, AppError> {
    let act = app.act(NoOrg, by.actor());
    let made = Announcement {
        id: AnnouncementId::generate(act.now_ms, &*app.random),
        severity: new.severity,
        target: new.target,
        body: new.body.as_str().to_owned(),
        starts_at_ms: new.starts_at_ms.unwrap_or(act.now_ms),
        ends_at_ms: new.ends_at_ms,
        created_at_ms: act.now_ms,
        created_by: act.actor().id().map(str::to_owned),
        revision: 1,
        dismissals: 0,
    };
    refuse_backwards(&made)?;
    let work = Create {
        made: made.clone(),
        by,
    };
    app.db.write_for(act, work).await?;
    Ok(made)
}

fn refuse_backwards(one: &Announcement) -> Result<(), AppError> {
    if one.starts_at_ms < 0 || one.ends_at_ms.is_some_and(|ends| ends <= one.starts_at_ms) {
        return Err(AppError::invalid("ends_at_ms", "it must end after it starts"));
    }
    Ok(())
}

struct Create {
    made: Announcement,
    by: ByOperator,
}

impl Work for Create {
    type For = Act<NoOrg>;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "create_announcement";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<(), AppError> {
        announcements::insert(tx, &self.made).await?;
        note(tx, (act, &self.by), AuditAction::AnnouncementCreated, &self.made).await
    }
}

/// The log has the kind of it and not the text, which people may be named in.
async fn note(
    tx: &mut Tx<'_>,
    (act, by): (&Act<NoOrg>, &ByOperator),
    action: AuditAction,
    one: &Announcement,
) -> Result<(), AppError> {
    let detail = json!({ "severity": one.severity, "target": one.target });
    by.note(tx, act, action, Some(one.id.as_str()), &detail).await
}

/// What may be changed; what is left out stays. Those who dismissed it do not see it again.
#[derive(Default)]
pub struct AnnouncementChange {
    /// What the caller saw.
    pub revision: Option<i64>,
    /// How much it matters.
    pub severity: Option<Severity>,
    /// Whom it is for.
    pub target: Option<Target>,
    /// What it says.
    pub body: Option<Body>,
    /// From when on it is shown.
    pub starts_at_ms: Option<i64>,
    /// The inner none takes the end away.
    pub ends_at_ms: Option<Option<i64>>,
    /// It ends now, unless it has ended before.
    pub ends_now: bool,
}

/// Changes an announcement for everybody from their next look on.
pub async fn change(
    app: &App,
    id: AnnouncementId,
    change: AnnouncementChange,
    by: ByOperator,
) -> Result<Announcement, AppError> {
    let act = app.act(NoOrg, by.actor());
    app.db.write_for(act, Change { id, change, by }).await
}

struct Change {
    id: AnnouncementId,
    change: AnnouncementChange,
    by: ByOperator,
}

impl Change {
    fn apply(&self, before: &Announcement, now_ms: i64) -> Announcement {
        let change = &self.change;
        let mut after = before.clone();
        after.severity = change.severity.unwrap_or(before.severity);
        after.target = change.target.unwrap_or(before.target);
        if let Some(body) = &change.body {
            after.body = body.as_str().to_owned();
        }
        after.starts_at_ms = change.starts_at_ms.unwrap_or(before.starts_at_ms);
        after.ends_at_ms = change.ends_at_ms.unwrap_or(before.ends_at_ms);
        if change.ends_now && after.ends_at_ms.is_none_or(|ends| ends > now_ms) {
            // One that was planned never begins.
            after.starts_at_ms = after.starts_at_ms.min(now_ms - 1);
            after.ends_at_ms = Some(now_ms);
        }
        after
    }
}

impl Work for Change {
    type For = Act<NoOrg>;
    type Output = Announcement;
    type Error = AppError;
    const NAME: &'static str = "change_announcement";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<Announcement, AppError> {
        let found = announcements::lock(tx, &self.id).await?;
        let before = found.ok_or(RequestError::NotFound)?;
        let mut after = self.apply(&before, act.now_ms);
        if after == before {
            return Ok(before);
        }
        refuse_backwards(&after)?;
        let seen = self.change.revision.unwrap_or(before.revision);
        announcements::change(tx, &after, seen).await?;
        after.revision = before.revision + 1;
        note(tx, (act, &self.by), AuditAction::AnnouncementChanged, &after).await?;
        Ok(after)
    }
}

/// Deletes an announcement, and who dismissed it.
pub async fn delete(app: &App, id: AnnouncementId, by: ByOperator) -> Result<(), AppError> {
    let act = app.act(NoOrg, by.actor());
    app.db.write_for(act, Delete { id, by }).await
}

struct Delete {
    id: AnnouncementId,
    by: ByOperator,
}

impl Work for Delete {
    type For = Act<NoOrg>;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "delete_announcement";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<(), AppError> {
        let found = announcements::lock(tx, &self.id).await?;
        let gone = found.ok_or(RequestError::NotFound)?;
        announcements::delete(tx, &self.id).await?;
        note(tx, (act, &self.by), AuditAction::AnnouncementDeleted, &gone).await
    }
}

/// All announcements, the newest first.
pub async fn list(
    app: &App,
    _: OperatorScope,
    after: &str,
    limit: i64,
) -> Result<Vec<Announcement>, AppError> {
    Ok(announcements::list(&app.db, after, limit).await?)
}

/// What somebody is told now: what is for everybody, and inside an Org what is for its plan.
pub async fn list_shown(
    app: &App,
    account: AccountNum,
    org: Option<OrgScope>,
) -> Result<Vec<Announcement>, AppError> {
    let targets = match org {
        Some(scope) => Target::inside(orgs::get_own(app, scope).await?.tier),
        None => [Target::All; 3],
    };
    Ok(announcements::list_shown(&app.db, account, app.now_ms(), targets).await?)
}

/// Shows an announcement to somebody no more.
pub async fn dismiss(app: &App, account: AccountNum, id: AnnouncementId) -> Result<(), AppError> {
    let now_ms = app.now_ms();
    app.db.write(Dismiss { account, id, now_ms }).await
}

struct Dismiss {
    account: AccountNum,
    id: AnnouncementId,
    now_ms: i64,
}

impl Work for Dismiss {
    type For = NoOrg;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "dismiss_announcement";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), AppError> {
        Ok(announcements::dismiss(tx, &self.id, self.account, self.now_ms).await?)
    }
}
