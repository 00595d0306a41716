//! What operators tell people, and how people read it.

use app::admin::announcements::{self, Announcement, AnnouncementChange, NewAnnouncement};
use app::error::RequestError;
use app::{App, AppError};
use domain::announcement::{Body, Severity, Target};
use domain::id::AnnouncementId;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use super::paging::{Page, next};
use crate::extract::{Asked, JsonBody, Operator, Person, Segments};
use crate::openapi::words;
use crate::routes::{Answer, Created, Done, Found};

/// Something that operators tell people.
#[derive(Serialize, ToSchema)]
pub struct AnnouncementView {
    #[schema(value_type = String)]
    id: AnnouncementId,
    #[schema(value_type = words::AnnouncementSeverity)]
    severity: &'static str,
    #[schema(value_type = words::AnnouncementTarget)]
    target: &'static str,
    text: String,
    #[schema(value_type = words::AnnouncementState)]
    state: &'static str,
    starts_at_ms: i64,
    ends_at_ms: Option<i64>,
    created_at_ms: i64,
    created_by: Option<String>,
    /// How many people do not want to see it any more.
    dismissals: i64,
    /// One more with every change.
    revision: i64,
}

impl AnnouncementView {
    fn of(one: Announcement, now_ms: i64) -> Self {
        Self {
            state: one.state(now_ms).as_str(),
            id: one.id,
            severity: one.severity.as_str(),
            target: one.target.as_str(),
            text: one.body,
            starts_at_ms: one.starts_at_ms,
            ends_at_ms: one.ends_at_ms,
            created_at_ms: one.created_at_ms,
            created_by: one.created_by,
            dismissals: one.dismissals,
            revision: one.revision,
        }
    }
}

#[derive(Serialize, ToSchema)]
pub struct AnnouncementPage {
    announcements: Vec<AnnouncementView>,
    next_after: Option<String>,
}

pub async fn list(app: App, operator: Operator, Asked(page): Asked<Page>) -> Answer<Found<AnnouncementPage>> {
    let limit = page.limit()?;
    let found = announcements::list(&app, operator.scope, &page.after, limit).await?;
    let now_ms = app.now_ms();
    Ok(Found(AnnouncementPage {
        next_after: next(&found, limit, |one| one.id.to_string()),
        announcements: found
            .into_iter()
            .map(|one| AnnouncementView::of(one, now_ms))
            .collect(),
    }))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewAnnouncementBody {
    #[schema(value_type = words::AnnouncementSeverity)]
    severity: Severity,
    #[schema(value_type = words::AnnouncementTarget)]
    target: Target,
    #[schema(min_length = 1, max_length = 500)]
    text: String,
    /// Without it, it is shown from now on.
    #[serde(default)]
    starts_at_ms: Option<i64>,
    /// Without it, it has no end.
    #[serde(default)]
    ends_at_ms: Option<i64>,
}

fn body(text: &str) -> Result<Body, AppError> {
    Body::parse(text).map_err(|error| AppError::invalid("text", error))
}

pub async fn create(
    app: App,
    operator: Operator,
    JsonBody(new): JsonBody<NewAnnouncementBody>,
) -> Answer<Created<AnnouncementView>> {
    let new = NewAnnouncement {
        severity: new.severity,
        target: new.target,
        body: body(&new.text)?,
        starts_at_ms: new.starts_at_ms,
        ends_at_ms: new.ends_at_ms,
    };
    let made = announcements::create(&app, new, operator.by()).await?;
    Ok(Created(AnnouncementView::of(made, app.now_ms())))
}

/// What is left out stays as it is.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AnnouncementEdit {
    #[serde(default)]
    #[schema(value_type = Option<words::AnnouncementSeverity>)]
    severity: Option<Severity>,
    #[serde(default)]
    #[schema(value_type = Option<words::AnnouncementTarget>)]
    target: Option<Target>,
    #[serde(default)]
    #[schema(min_length = 1, max_length = 500)]
    text: Option<String>,
    #[serde(default)]
    starts_at_ms: Option<i64>,
    /// Nothing takes the end away.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<i64>)]
    ends_at_ms: Option<Option<i64>>,
    /// As it was read. A save by somebody else since then refuses this one.
    #[serde(default)]
    revision: Option<i64>,
}

/// Tells `null` from a field that is not there.
fn given<'de, D: Deserializer<'de>>(source: D) -> Result<Option<Option<i64>>, D::Error> {
    Option::deserialize(source).map(Some)
}

pub async fn change(
    app: App,
    operator: Operator,
    (Segments(id), JsonBody(edit)): (Segments<AnnouncementId>, JsonBody<AnnouncementEdit>),
) -> Answer<Found<AnnouncementView>> {
    let change = AnnouncementChange {
        revision: edit.revision,
        severity: edit.severity,
        target: edit.target,
        body: edit.text.as_deref().map(body).transpose()?,
        starts_at_ms: edit.starts_at_ms,
        ends_at_ms: edit.ends_at_ms,
        ends_now: false,
    };
    let changed = announcements::change(&app, id, change, operator.by()).await?;
    Ok(Found(AnnouncementView::of(changed, app.now_ms())))
}

pub async fn end(
    app: App,
    operator: Operator,
    Segments(id): Segments<AnnouncementId>,
) -> Answer<Found<AnnouncementView>> {
    let change = AnnouncementChange {
        ends_now: true,
        ..AnnouncementChange::default()
    };
    let ended = announcements::change(&app, id, change, operator.by()).await?;
    Ok(Found(AnnouncementView::of(ended, app.now_ms())))
}

pub async fn delete(app: App, operator: Operator, Segments(id): Segments<AnnouncementId>) -> Answer<Done> {
    announcements::delete(&app, id, operator.by()).await?;
    Ok(Done)
}

/// The same as people read it.
#[derive(Serialize, ToSchema)]
pub struct ShownAnnouncement {
    #[schema(value_type = String)]
    id: AnnouncementId,
    #[schema(value_type = words::AnnouncementSeverity)]
    severity: &'static str,
    text: String,
    starts_at_ms: i64,
    ends_at_ms: Option<i64>,
}

#[derive(Serialize, ToSchema)]
pub struct ShownAnnouncements {
    announcements: Vec<ShownAnnouncement>,
}

impl ShownAnnouncements {
    fn of(found: Vec<Announcement>) -> Self {
        let shown = found.into_iter().map(|one| ShownAnnouncement {
            id: one.id,
            severity: one.severity.as_str(),
            text: one.body,
            starts_at_ms: one.starts_at_ms,
            ends_at_ms: one.ends_at_ms,
        });
        Self {
            announcements: shown.collect(),
        }
    }
}

pub async fn shown(app: App, person: Person, (): ()) -> Answer<Found<ShownAnnouncements>> {
    let found = announcements::list_shown(&app, person.account(), None).await?;
    Ok(Found(ShownAnnouncements::of(found)))
}

pub async fn shown_in_org(app: App, person: Person, (): ()) -> Answer<Found<ShownAnnouncements>> {
    let scope = person.org.ok_or(RequestError::NotFound)?;
    let found = announcements::list_shown(&app, person.account(), Some(scope)).await?;
    Ok(Found(ShownAnnouncements::of(found)))
}

pub async fn dismiss(app: App, person: Person, Segments(id): Segments<AnnouncementId>) -> Answer<Done> {
    announcements::dismiss(&app, person.account(), id).await?;
    Ok(Done)
}
