//! What operators decide about the whole installation: maintenance, and who may make an Org.

use domain::audit::AuditAction;
use domain::id::RegistrationId;
use domain::invitation::Code;
use domain::random;
use serde_json::json;
use storage::records::audit::Act;
use storage::tenancy::registration::{self, NewCode};
use storage::{NoOrg, Tx, Work, settings};

use crate::by_operator::ByOperator;
use crate::error::AppError;
use crate::notice::{Notice, Severity};
use crate::sealed_settings::PutSealed;
use crate::state::App;

/// The dashboard reads this setting together with the session; an empty text is off.
pub const MAINTENANCE: &str = "maintenance";
const INSTALLATION: &str = "installation";
const REGISTRATION: &str = "registration";
const INVITE_ONLY: &str = "invite_only";
const DEFAULT_MESSAGE: &str = "We are working on the dashboard.";
const MESSAGE_MAX: usize = 500;
const MOST_USES: i64 = 1000;
const DAY_MS: i64 = 24 * 60 * 60_000;

/// Tells this installation from others that use the same machines: made at the first start, and part of its database.
pub async fn installation(app: &App) -> Result<String, AppError> {
    if let Some(known) = settings::find(&app.db, INSTALLATION).await? {
        return Ok(known);
    }
    let bytes = random::bytes::<8>(&*app.random);
    let fresh: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    // Another node may have been first.
    app.db
        .write(PutSealed::first(INSTALLATION, fresh, app.now_ms()))
        .await
}

/// What is said while the dashboard is closed; none while it is open.
pub async fn maintenance(app: &App) -> Result<Option<String>, AppError> {
    let stored = settings::find(&app.db, MAINTENANCE).await?;
    Ok(stored.filter(|message| !message.is_empty()))
}

/// What operators should know about how the installation is switched.
pub(crate) async fn attention(app: &App) -> Result<Vec<Notice>, AppError> {
    let text = "Maintenance is on: the dashboard is closed for everybody but operators.";
    let closed = maintenance(app).await?;
    Ok(closed
        .map(|_| Notice::new("maintenance", Severity::Warn, text))
        .into_iter()
        .collect())
}

/// Closes the dashboard with a message, or opens it again.
pub async fn set_maintenance(
    app: &App,
    on: bool,
    message: Option<&str>,
    by: impl Into<ByOperator>,
) -> Result<(), AppError> {
    let text = message.map(str::trim).filter(|text| !text.is_empty());
    let text = text.unwrap_or(DEFAULT_MESSAGE);
    if text.chars().count() > MESSAGE_MAX {
        return Err(AppError::invalid("message", "must have at most 500 characters"));
    }
    let work = Set {
        name: MAINTENANCE,
        value: if on { text } else { "" }.to_owned(),
        action: AuditAction::MaintenanceSwitched,
        detail: json!({ "on": on }),
        by: by.into(),
    };
    let act = app.act(NoOrg, work.by.actor());
    app.db.write_for(act, work).await
}

/// Whether a new Org needs a code.
pub(crate) async fn is_invite_only(app: &App) -> Result<bool, AppError> {
    let stored = settings::find(&app.db, REGISTRATION).await?;
    Ok(stored.is_some_and(|mode| mode == INVITE_ONLY))
}

pub(crate) async fn is_invite_only_in(tx: &mut Tx<'_>) -> Result<bool, AppError> {
    let stored = settings::find_in(tx, REGISTRATION).await?;
    Ok(stored.is_some_and(|mode| mode == INVITE_ONLY))
}

/// Counts from the next new Org on. Audited for operators.
pub async fn set_invite_only(
    app: &App,
    invite_only: bool,
    by: impl Into<ByOperator>,
) -> Result<(), AppError> {
    let value = if invite_only { INVITE_ONLY } else { "open" };
    let work = Set {
        name: REGISTRATION,
        value: value.to_owned(),
        action: AuditAction::RegistrationChanged,
        detail: json!({ "mode": value }),
        by: by.into(),
    };
    let act = app.act(NoOrg, work.by.actor());
    app.db.write_for(act, work).await
}

struct Set {
    name: &'static str,
    value: String,
    action: AuditAction,
    detail: serde_json::Value,
    by: ByOperator,
}

impl Work for Set {
    type For = Act<NoOrg>;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "set_instance_setting";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<(), AppError> {
        settings::put(tx, self.name, &self.value, act.now_ms).await?;
        self.by.note(tx, act, self.action, None, &self.detail).await
    }
}

/// Who a registration code is for, and how far it goes.
pub struct CodeRequest<'a> {
    /// For other operators.
    pub note: &'a str,
    /// How many Orgs it is good for.
    pub max_uses: i64,
    /// None for one that never expires.
    pub days: Option<u32>,
}

/// A code with which Orgs can be made while registration is by invitation. It is shown once.
pub async fn make_registration_code(
    app: &App,
    request: CodeRequest<'_>,
    by: impl Into<ByOperator>,
) -> Result<(RegistrationId, Code), AppError> {
    if request.note.chars().count() > MESSAGE_MAX {
        return Err(AppError::invalid("note", "must have at most 500 characters"));
    }
    if !(1..=MOST_USES).contains(&request.max_uses) {
        return Err(AppError::invalid("max_uses", "must be from 1 to 1000"));
    }
    let code = Code::generate(&*app.random);
    let by = by.into();
    let act = app.act(NoOrg, by.actor());
    let id = RegistrationId::generate(act.now_ms, &*app.random);
    let work = MakeCode {
        id: id.clone(),
        hash: code.registration_hash(),
        note: request.note.trim().to_owned(),
        max_uses: request.max_uses,
        expires_at_ms: request
            .days
            .map(|days| act.now_ms + i64::from(days.max(1)) * DAY_MS),
        by,
    };
    app.db.write_for(act, work).await?;
    Ok((id, code))
}

struct MakeCode {
    id: RegistrationId,
    hash: String,
    note: String,
    max_uses: i64,
    expires_at_ms: Option<i64>,
    by: ByOperator,
}

impl Work for MakeCode {
    type For = Act<NoOrg>;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "make_registration_code";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<(), AppError> {
        let new = NewCode {
            hash: &self.hash,
            id: &self.id,
            note: &self.note,
            max_uses: self.max_uses,
            now_ms: act.now_ms,
            expires_at_ms: self.expires_at_ms,
        };
        registration::insert(tx, &new).await?;
        let (action, target) = (AuditAction::RegistrationCodeMade, Some(self.id.as_str()));
        self.by.note(tx, act, action, target, &json!({})).await
    }
}
