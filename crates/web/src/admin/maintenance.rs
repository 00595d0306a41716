//! Closing the dashboard, and who may make an Org.

use app::admin::registration::{self, RegistrationCode};
use app::instance::{self, CodeRequest};
use app::{App, AppError};
use domain::id::RegistrationId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::paging::{Page, next};
use crate::extract::{Asked, FreshOperator, JsonBody, Operator, Segments};
use crate::routes::{Answer, Created, Done, Found};

const MOST_DAYS: u32 = 365;

/// Whether the dashboard is closed.
#[derive(Serialize, ToSchema)]
pub struct MaintenanceView {
    on: bool,
    /// What people read in the meantime.
    message: Option<String>,
}

pub async fn get(app: App, _: Operator, (): ()) -> Answer<Found<MaintenanceView>> {
    let message = instance::maintenance(&app).await?;
    Ok(Found(MaintenanceView {
        on: message.is_some(),
        message,
    }))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MaintenanceSwitch {
    on: bool,
    #[serde(default)]
    #[schema(max_length = 500)]
    message: Option<String>,
}

pub async fn put(
    app: App,
    operator: FreshOperator,
    JsonBody(switch): JsonBody<MaintenanceSwitch>,
) -> Answer<Done> {
    instance::set_maintenance(&app, switch.on, switch.message.as_deref(), operator.by()).await?;
    Ok(Done)
}

/// Who may make an organisation.
#[derive(Serialize, ToSchema)]
pub struct RegistrationView {
    /// `open`, or `invite_only` while a new organisation needs a code.
    mode: &'static str,
    codes: Vec<RegistrationCodeView>,
    next_after: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct RegistrationCodeView {
    id: String,
    note: String,
    /// `usable`, `used_up`, `expired` or `revoked`.
    state: &'static str,
    uses: i64,
    max_uses: i64,
    created_at_ms: i64,
    expires_at_ms: Option<i64>,
    revoked_at_ms: Option<i64>,
}

impl RegistrationCodeView {
    fn of(code: RegistrationCode, now_ms: i64) -> Self {
        let state = if code.revoked_at_ms.is_some() {
            "revoked"
        } else if code.uses >= code.max_uses {
            "used_up"
        } else if code.expires_at_ms.is_some_and(|at_ms| at_ms <= now_ms) {
            "expired"
        } else {
            "usable"
        };
        Self {
            id: code.id,
            note: code.note,
            state,
            uses: code.uses,
            max_uses: code.max_uses,
            created_at_ms: code.created_at_ms,
            expires_at_ms: code.expires_at_ms,
            revoked_at_ms: code.revoked_at_ms,
        }
    }
}

pub async fn registration(
    app: App,
    operator: Operator,
    Asked(page): Asked<Page>,
) -> Answer<Found<RegistrationView>> {
    let limit = page.limit()?;
    let (invite_only, codes) = registration::list(&app, operator.scope, &page.after, limit).await?;
    let now_ms = app.now_ms();
    Ok(Found(RegistrationView {
        mode: if invite_only { "invite_only" } else { "open" },
        next_after: next(&codes, limit, |code| code.id.clone()),
        codes: codes
            .into_iter()
            .map(|code| RegistrationCodeView::of(code, now_ms))
            .collect(),
    }))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RegistrationMode {
    /// `open` or `invite_only`.
    mode: String,
}

pub async fn set_registration(
    app: App,
    operator: FreshOperator,
    JsonBody(wanted): JsonBody<RegistrationMode>,
) -> Answer<Done> {
    let invite_only = match wanted.mode.as_str() {
        "open" => false,
        "invite_only" => true,
        _ => return Err(AppError::invalid("mode", "must be open or invite_only").into()),
    };
    instance::set_invite_only(&app, invite_only, operator.by()).await?;
    Ok(Done)
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRegistrationCode {
    #[serde(default)]
    #[schema(max_length = 500)]
    note: String,
    /// How many organisations it is good for.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 1000)]
    max_uses: Option<i64>,
    /// Without it, the code never expires.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 365)]
    days: Option<u32>,
}

/// The only time that the code is shown.
#[derive(Serialize, ToSchema)]
pub struct MadeRegistrationCode {
    #[schema(value_type = String)]
    id: RegistrationId,
    code: String,
}

pub async fn make_code(
    app: App,
    operator: FreshOperator,
    JsonBody(new): JsonBody<NewRegistrationCode>,
) -> Answer<Created<MadeRegistrationCode>> {
    if new.days.is_some_and(|days| !(1..=MOST_DAYS).contains(&days)) {
        return Err(AppError::invalid("days", "must be from 1 to 365").into());
    }
    let request = CodeRequest {
        note: &new.note,
        max_uses: new.max_uses.unwrap_or(1),
        days: new.days,
    };
    let (id, code) = instance::make_registration_code(&app, request, operator.by()).await?;
    Ok(Created(MadeRegistrationCode {
        id,
        code: code.expose().to_owned(),
    }))
}

pub async fn revoke_code(
    app: App,
    operator: FreshOperator,
    Segments(id): Segments<RegistrationId>,
) -> Answer<Done> {
    registration::revoke(&app, id, operator.by()).await?;
    Ok(Done)
}
