//! Operators who look into somebody else's Org, and what they can give back.

use app::admin::recovery;
use app::admin::visits::{self, Running, VisitRequest, Visited};
use app::{App, AppError};
use domain::id::{AccountId, GuildId, OrgId};
use domain::visit::{Minutes, Reason};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{FreshOperator, JsonBody, Operator, Segments};
use crate::routes::{Answer, Created, Done, Found};

/// A visit of one's own.
#[derive(Serialize, ToSchema)]
pub struct OwnVisit {
    ends_at_ms: i64,
    /// Whether more than looking is allowed.
    write: bool,
}

impl OwnVisit {
    pub fn of(visit: &Visited) -> Self {
        Self {
            ends_at_ms: visit.ends_at_ms,
            write: visit.can_write,
        }
    }
}

#[derive(Serialize, ToSchema)]
pub struct VisitList {
    visits: Vec<VisitView>,
}

/// A visit that goes on.
#[derive(Serialize, ToSchema)]
pub struct VisitView {
    #[schema(value_type = String)]
    org_id: OrgId,
    org_name: String,
    #[schema(value_type = String)]
    account_id: AccountId,
    account_name: String,
    write: bool,
    reason: String,
    began_at_ms: i64,
    ends_at_ms: i64,
    yours: bool,
}

impl VisitView {
    fn of(visit: Running, you: &AccountId) -> Self {
        Self {
            yours: visit.account == *you,
            org_id: visit.org,
            org_name: visit.org_name,
            account_id: visit.account,
            account_name: visit.account_name,
            write: visit.can_write,
            reason: visit.reason,
            began_at_ms: visit.began_at_ms,
            ends_at_ms: visit.ends_at_ms,
        }
    }
}

pub async fn list(app: App, operator: Operator, (): ()) -> Answer<Found<VisitList>> {
    let found = visits::list(&app, operator.scope).await?;
    Ok(Found(VisitList {
        visits: found
            .into_iter()
            .map(|visit| VisitView::of(visit, &operator.account_id))
            .collect(),
    }))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewVisit {
    /// The organisation reads it in its audit log. It names nobody.
    #[schema(min_length = 5, max_length = 200)]
    reason: String,
    /// Allows more than looking.
    #[serde(default)]
    write: bool,
    #[serde(default)]
    #[schema(minimum = 5, maximum = 60)]
    minutes: Option<i64>,
}

/// When the visit ends by itself.
#[derive(Serialize, ToSchema)]
pub struct BegunVisit {
    ends_at_ms: i64,
}

fn reason(text: &str) -> Result<Reason, AppError> {
    Reason::parse(text).map_err(|error| AppError::invalid("reason", error))
}

pub async fn begin(
    app: App,
    operator: FreshOperator,
    (Segments(org), JsonBody(new)): (Segments<OrgId>, JsonBody<NewVisit>),
) -> Answer<Created<BegunVisit>> {
    let minutes = new.minutes.map_or(Some(Minutes::MOST), Minutes::new);
    let request = VisitRequest {
        reason: reason(&new.reason)?,
        can_write: new.write,
        minutes: minutes.ok_or_else(|| AppError::invalid("minutes", "must be from 5 to 60"))?,
    };
    let by = (operator.scope(), operator.account());
    let ends_at_ms = visits::begin(&app, by, &org, request, operator.by()).await?;
    Ok(Created(BegunVisit { ends_at_ms }))
}

pub async fn end(app: App, operator: Operator, Segments(org): Segments<OrgId>) -> Answer<Done> {
    let whose = (&org, &operator.account_id);
    visits::end(&app, operator.scope, whose, operator.by()).await?;
    Ok(Done)
}

/// Another operator's as well.
pub async fn end_of(
    app: App,
    operator: Operator,
    (Segments(org), Segments(account)): (Segments<OrgId>, Segments<AccountId>),
) -> Answer<Done> {
    visits::end(&app, operator.scope, (&org, &account), operator.by()).await?;
    Ok(Done)
}

/// Who gets an organisation whose Owner lost their account.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OrgRecovery {
    account_id: String,
    /// Both audit logs have it. It names nobody.
    #[schema(min_length = 5, max_length = 200)]
    reason: String,
    /// The organisation's short name, typed by hand.
    confirm: String,
}

pub async fn transfer(
    app: App,
    operator: FreshOperator,
    (Segments(org), JsonBody(wanted)): (Segments<OrgId>, JsonBody<OrgRecovery>),
) -> Answer<Done> {
    let to =
        AccountId::parse(wanted.account_id.trim()).map_err(|error| AppError::invalid("account_id", error))?;
    let reason = reason(&wanted.reason)?;
    let to = (to, wanted.confirm);
    recovery::transfer(&app, operator.scope(), &org, to, reason, operator.by()).await?;
    Ok(Done)
}

/// Why a Discord server is taken from the organisation that claimed it.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GuildRelease {
    /// Both audit logs have it. It names nobody.
    #[schema(min_length = 5, max_length = 200)]
    reason: String,
    /// The Discord server's ID, typed by hand.
    confirm: String,
}

pub async fn release(
    app: App,
    operator: FreshOperator,
    (Segments(guild), JsonBody(wanted)): (Segments<GuildId>, JsonBody<GuildRelease>),
) -> Answer<Done> {
    let reason = reason(&wanted.reason)?;
    let (scope, by) = (operator.scope(), operator.by());
    recovery::release(&app, scope, guild, &wanted.confirm, reason, by).await?;
    Ok(Done)
}
