//! What concerns a signed-in person and nobody else: who they are, their sessions, leaving an Org, making one.

use app::admin::visits::{self, Visited};
use app::error::RequestError;
use app::identity::accounts::{self, OrgOfPerson};
use app::identity::sessions::{self, Session};
use app::tenancy::orgs;
use app::tenancy::team::{self, TeamActor};
use app::{App, AppError, pictures, privacy};
use axum::response::{IntoResponse, Response};
use domain::id::{AccountId, OrgId};
use domain::name::Slug;
use domain::platform_id::DiscordId;
use domain::release::VERSION;
use http::HeaderValue;
use http::header::SET_COOKIE;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{JsonBody, Person, Pressed, Segments, SessionName};
use crate::fields::{display_name, permission_names};
use crate::openapi::{Gives, words};
use crate::routes::{Answer, Created, Done, Found, RouteAnswer};
use crate::tenancy::orgs::Usage;

#[derive(Serialize, ToSchema)]
pub struct Me {
    #[schema(value_type = String)]
    id: AccountId,
    name: String,
    #[schema(value_type = String)]
    discord_id: DiscordId,
    /// Where their picture is.
    picture: Option<String>,
    operator: bool,
    signed_in_at_ms: i64,
    /// `open`, or `invite_only` while a new organisation needs a code.
    registration: &'static str,
    orgs_owned: i64,
    orgs_ceiling: i64,
    /// Whether plans can be bought here.
    billing: bool,
    /// The running release of the service.
    version: &'static str,
    orgs: Vec<OrgSummary>,
}

#[derive(Serialize, ToSchema)]
pub struct OrgSummary {
    #[schema(value_type = String)]
    id: OrgId,
    slug: String,
    name: String,
    #[schema(value_type = words::Tier)]
    tier: &'static str,
    #[schema(value_type = words::Role)]
    role: &'static str,
    permissions: Vec<&'static str>,
    usage: Usage,
    ceilings: Usage,
    /// For operators: it is not theirs, they visit it.
    visit: Option<VisitOfOrg>,
}

/// An operator's visit that goes on.
#[derive(Serialize, ToSchema)]
pub struct VisitOfOrg {
    ends_at_ms: i64,
    /// Whether more than looking is allowed.
    write: bool,
}

impl OrgSummary {
    fn visited(app: &App, visited: Visited) -> Self {
        let visit = Some(VisitOfOrg {
            ends_at_ms: visited.ends_at_ms,
            write: visited.can_write,
        });
        Self {
            visit,
            ..Self::of(app, visited.org)
        }
    }

    fn of(app: &App, org: OrgOfPerson) -> Self {
        Self {
            usage: Usage {
                guilds: org.guilds,
                servers: org.servers,
                links: org.links,
                navigation_links: org.navigation_links,
            },
            ceilings: app.plans.ceilings(org.tier).into(),
            id: org.id,
            slug: org.slug,
            name: org.name,
            tier: org.tier.as_str(),
            role: org.role.as_str(),
            permissions: permission_names(org.permissions),
            visit: None,
        }
    }
}

pub async fn me(app: App, person: Person, (): ()) -> Answer<Found<Me>> {
    let me = accounts::me(&app, &person.caller.account_id).await?;
    let id = me.account.id;
    let picture = me.account.picture;
    let mut orgs: Vec<OrgSummary> = me.orgs.into_iter().map(|org| OrgSummary::of(&app, org)).collect();
    if let Some(operator) = person.caller.operator {
        let visited = visits::list_of(&app, operator, person.account()).await?;
        orgs.extend(visited.into_iter().map(|one| OrgSummary::visited(&app, one)));
    }
    Ok(Found(Me {
        picture: picture.map(|digest| pictures::address(id.as_str(), &digest)),
        id,
        name: me.account.name,
        discord_id: me.account.discord_id,
        operator: person.caller.operator.is_some(),
        signed_in_at_ms: person.caller.signed_in_at_ms,
        registration: if me.invite_only { "invite_only" } else { "open" },
        orgs_owned: me.orgs_owned,
        orgs_ceiling: me.orgs_ceiling,
        billing: app.plans.sold,
        version: VERSION,
        orgs,
    }))
}

#[derive(Serialize, ToSchema)]
pub struct SessionList {
    sessions: Vec<SessionView>,
}

#[derive(Serialize, ToSchema)]
pub struct SessionView {
    id: String,
    device: Option<String>,
    created_at_ms: i64,
    seen_at_ms: i64,
    expires_at_ms: i64,
    /// The one that asks.
    current: bool,
}

impl SessionView {
    fn of(session: Session, current: &str) -> Self {
        Self {
            id: session.id().to_owned(),
            current: session.hash == current,
            device: session.device,
            created_at_ms: session.created_at_ms,
            seen_at_ms: session.seen_at_ms,
            expires_at_ms: session.expires_at_ms,
        }
    }
}

pub async fn list_sessions(app: App, person: Person, (): ()) -> Answer<Found<SessionList>> {
    let current = person.token.hash();
    let found = sessions::list(&app, person.account()).await?;
    let shown = found
        .into_iter()
        .map(|session| SessionView::of(session, &current));
    Ok(Found(SessionList {
        sessions: shown.collect(),
    }))
}

pub async fn end_session(
    app: App,
    person: Person,
    Segments(SessionName(id)): Segments<SessionName>,
) -> Answer<Done> {
    sessions::end_one(&app, &person.caller, &id).await?;
    Ok(Done)
}

pub async fn end_other_sessions(app: App, person: Person, (): ()) -> Answer<Done> {
    sessions::end_others(&app, &person.caller, &person.token).await?;
    Ok(Done)
}

/// 204, and the browser forgets what it kept of us.
pub struct SignedOut {
    cookie: HeaderValue,
}

impl Gives for SignedOut {
    const ANSWER: RouteAnswer = RouteAnswer::Nothing;
}

impl IntoResponse for SignedOut {
    fn into_response(self) -> Response {
        let mut response = Done.into_response();
        let headers = response.headers_mut();
        headers.insert(SET_COOKIE, self.cookie);
        headers.insert(
            "clear-site-data",
            HeaderValue::from_static("\"cache\", \"cookies\", \"storage\""),
        );
        response
    }
}

pub async fn sign_out(app: App, person: Person, (): ()) -> Answer<SignedOut> {
    sessions::end(&app, &person.token).await?;
    Ok(SignedOut {
        cookie: person.forget_cookie,
    })
}

/// The word `delete`, typed by hand.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AccountRemoval {
    #[schema(min_length = 6, max_length = 6)]
    confirm: String,
}

pub async fn delete(
    app: App,
    person: Person,
    JsonBody(removal): JsonBody<AccountRemoval>,
) -> Answer<SignedOut> {
    sessions::require_fresh(&app, person.caller.signed_in_at_ms)?;
    if removal.confirm != "delete" {
        return Err(AppError::invalid("confirm", "type the word delete").into());
    }
    privacy::account::delete(&app, &person.caller).await?;
    Ok(SignedOut {
        cookie: person.forget_cookie,
    })
}

pub async fn leave(app: App, person: Person, (): ()) -> Answer<Done> {
    let scope = person.org.ok_or(RequestError::NotFound)?;
    let actor = TeamActor {
        account: person.account(),
        actor: person.actor(),
    };
    team::leave(&app, scope, actor).await?;
    Ok(Done)
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewOrg {
    #[schema(min_length = 1, max_length = 64)]
    name: String,
    #[schema(min_length = 3, max_length = 40, pattern = "^[a-z0-9]+(-[a-z0-9]+)*$")]
    slug: String,
    #[serde(default)]
    invite_code: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct CreatedOrg {
    #[schema(value_type = String)]
    id: OrgId,
    slug: String,
}

pub async fn create_org(
    app: App,
    person: Person,
    Pressed(JsonBody(new), press): Pressed<JsonBody<NewOrg>>,
) -> Answer<Created<CreatedOrg>> {
    let name = display_name(&new.name)?;
    let slug = Slug::parse(&new.slug).map_err(|error| AppError::invalid("slug", error))?;
    let owner = accounts::get(&app, &person.caller.account_id).await?;
    let code = new.invite_code.as_deref();
    let press = press.by(person.account());
    let id = orgs::register(&app, press, &owner, name, slug, code).await?;
    // It may have been made by an earlier press, and renamed, removed or handed over since.
    let me = accounts::me(&app, &person.caller.account_id)
        .await
        .map_err(AppError::after_write)?;
    let org = me.orgs.into_iter().find(|org| org.id == id);
    let org = org.ok_or(RequestError::NotFound)?;
    Ok(Created(CreatedOrg {
        id: org.id,
        slug: org.slug,
    }))
}
