//! The error log: an Org's failures for its members, all of them for operators.

use app::records::errors::{self, ErrorFilter, Listed, Place};
use app::{App, AppError};
use domain::id::OrgId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{Asked, Asks, Authorized, Operator, Question, perm};
use crate::openapi;
use crate::routes::{Answer, Found};

const PAGE: i64 = 50;
const MOST: i64 = 100;
const MINUTE_MS: i64 = 60_000;
/// Of any status: what is for operators to put right.
const FAULTS: &str = "faults";

/// Failures with one code at one route in one minute.
#[derive(Serialize, ToSchema)]
pub struct ErrorGroup {
    /// The minute in which they happened.
    at_ms: i64,
    code: String,
    status: i64,
    route: String,
    count: i64,
    /// The newest ones, at most 20.
    request_ids: Vec<String>,
    /// For operators: the organisation that it was about, if any.
    org_id: Option<String>,
    org_name: Option<String>,
    /// For operators: what went wrong inside, if it was a failure of ours.
    detail: Option<String>,
}

impl ErrorGroup {
    fn for_members(listed: Listed) -> Self {
        let group = listed.group;
        Self {
            at_ms: group.minute.saturating_mul(MINUTE_MS),
            code: group.code,
            status: group.status,
            route: group.route,
            count: group.count,
            request_ids: group.request_ids,
            org_id: None,
            org_name: None,
            detail: None,
        }
    }

    fn for_operators(mut listed: Listed) -> Self {
        Self {
            org_id: listed.org_id.take(),
            org_name: listed.org_name.take(),
            detail: Some(std::mem::take(&mut listed.group.detail)).filter(|detail| !detail.is_empty()),
            ..Self::for_members(listed)
        }
    }
}

#[derive(Serialize, ToSchema)]
pub struct ErrorList {
    errors: Vec<ErrorGroup>,
    /// What to ask for as `before` to go on; nothing at the end.
    next_before: Option<String>,
    /// Every code there is, for choosing one.
    codes: Vec<&'static str>,
}

impl ErrorList {
    fn of(found: Vec<Listed>, limit: i64, shape: fn(Listed) -> ErrorGroup) -> Self {
        let is_full = i64::try_from(found.len()).is_ok_and(|count| count == limit);
        let last = found.last().filter(|_| is_full).map(Listed::place);
        Self {
            next_before: last.map(|place| format!("{}-{}", place.minute, place.num)),
            errors: found.into_iter().map(shape).collect(),
            codes: openapi::codes().map(|known| known.code).collect(),
        }
    }
}

/// What is looked for.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct ErrorQuery {
    code: String,
    route: String,
    status: String,
    org: String,
    request_id: String,
    from_ms: Option<i64>,
    to_ms: Option<i64>,
    before: String,
    limit: Option<i64>,
}

const FILTERS: [Asks; 7] = [
    Asks::Text("code"),
    Asks::Text("route"),
    Asks::OneOf("status", &["4xx", "5xx", FAULTS]),
    Asks::Number("from_ms"),
    Asks::Number("to_ms"),
    Asks::Text("before"),
    Asks::Number("limit"),
];

/// A page of an Org's failures.
#[derive(Deserialize)]
#[serde(transparent)]
pub struct PageOfOrg(ErrorQuery);

impl Question for PageOfOrg {
    const ASKS: &'static [Asks] = &FILTERS;
}

/// A page of all failures.
#[derive(Deserialize)]
#[serde(transparent)]
pub struct PageOfAll(ErrorQuery);

impl Question for PageOfAll {
    const ASKS: &'static [Asks] = &[
        FILTERS[0],
        FILTERS[1],
        FILTERS[2],
        Asks::Text("org"),
        Asks::Text("request_id"),
        FILTERS[3],
        FILTERS[4],
        FILTERS[5],
        FILTERS[6],
    ];
}

impl ErrorQuery {
    fn filter(&self) -> Result<ErrorFilter, AppError> {
        let status = self.status.trim();
        let status_class = match status {
            "" | FAULTS => None,
            "4xx" => Some(4),
            "5xx" => Some(5),
            _ => return Err(AppError::invalid("status", "must be 4xx, 5xx or faults")),
        };
        Ok(ErrorFilter {
            code: text(&self.code),
            route: text(&self.route),
            status_class,
            faults_only: status == FAULTS,
            from_ms: self.from_ms,
            to_ms: self.to_ms,
            before: text(&self.before).map(|before| place(&before)).transpose()?,
        })
    }

    fn limit(&self) -> Result<i64, AppError> {
        let limit = self.limit.unwrap_or(PAGE);
        if (1..=MOST).contains(&limit) {
            return Ok(limit);
        }
        Err(AppError::invalid("limit", "must be from 1 to 100"))
    }
}

fn text(value: &str) -> Option<String> {
    Some(value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// The form in which a place travels: its minute and its number.
fn place(before: &str) -> Result<Place, AppError> {
    let parts = before.split_once('-');
    let numbers = parts.and_then(|(minute, num)| Some((minute.parse().ok()?, num.parse().ok()?)));
    let (minute, num) =
        numbers.ok_or_else(|| AppError::invalid("before", "must be the next_before of an earlier page"))?;
    Ok(Place { minute, num })
}

pub async fn list(
    app: App,
    caller: Authorized<perm::AuditView>,
    Asked(PageOfOrg(asked)): Asked<PageOfOrg>,
) -> Answer<Found<ErrorList>> {
    if !asked.org.is_empty() {
        return Err(AppError::invalid("org", "the URL already names the organisation").into());
    }
    if !asked.request_id.is_empty() {
        return Err(AppError::invalid("request_id", "only operators can look for one").into());
    }
    let limit = asked.limit()?;
    let found = errors::list(&app, caller.scope, &asked.filter()?, limit).await?;
    Ok(Found(ErrorList::of(found, limit, ErrorGroup::for_members)))
}

pub async fn list_all(
    app: App,
    operator: Operator,
    Asked(PageOfAll(asked)): Asked<PageOfAll>,
) -> Answer<Found<ErrorList>> {
    let limit = asked.limit()?;
    if let Some(request_id) = text(&asked.request_id) {
        let found = errors::list_with_request(&app, operator.scope, &request_id).await?;
        return Ok(Found(ErrorList::of(found, i64::MAX, ErrorGroup::for_operators)));
    }
    let org = text(&asked.org).map(|id| {
        OrgId::parse(&id).map_err(|_| AppError::invalid("org", "an organisation ID starts with org_"))
    });
    let (org, filter) = (org.transpose()?, asked.filter()?);
    let found = errors::list_for_operators(&app, operator.scope, org.as_ref(), &filter, limit).await?;
    Ok(Found(ErrorList::of(found, limit, ErrorGroup::for_operators)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_comes_back_as_it_went_and_nothing_else_is_one() {
        assert_eq!(
            place("29454720-7").unwrap(),
            Place {
                minute: 29_454_720,
                num: 7
            }
        );
        for text in ["7", "-", "1-", "-1", "1-x", "1-2-3", "99999999999999999999-1"] {
            assert!(place(text).is_err(), "{text}");
        }
    }
}
