//! What needs a person's attention, as the dashboard is told.

use app::App;
use app::attention;
use app::notice::{Notice, Page};
use domain::id::OrgId;
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::Operator;
use crate::openapi::words;
use crate::routes::{Answer, Found};

/// One thing that somebody should look at.
#[derive(Serialize, ToSchema)]
pub struct Attention {
    /// Its name for programs.
    kind: &'static str,
    #[schema(value_type = words::Severity)]
    severity: &'static str,
    text: String,
    /// What it is about: an id, or something that the plan counts.
    subject: Option<String>,
    fix: Option<Fix>,
}

/// Where it is put right.
#[derive(Serialize, ToSchema)]
pub struct Fix {
    label: &'static str,
    /// The page of the dashboard, below `/app`.
    page: String,
}

impl Attention {
    /// As the people of an organisation read it.
    pub fn of(notice: Notice, org: Option<&OrgId>) -> Self {
        let org = org.map_or("", OrgId::as_str);
        Self {
            kind: notice.kind,
            severity: notice.severity.as_str(),
            text: notice.text,
            subject: notice.subject,
            fix: notice.fix.map(|fix| Fix::of(fix, org)),
        }
    }
}

impl Fix {
    /// In the organisation with this ID.
    pub(crate) fn of((label, page): (&'static str, Page), org: &str) -> Self {
        let page = path(&page, org);
        Self { label, page }
    }
}

fn path(page: &Page, org: &str) -> String {
    match page {
        Page::NewGuild => format!("/orgs/{org}/guilds/new"),
        Page::Guilds => format!("/orgs/{org}/guilds"),
        Page::Guild(id) => format!("/orgs/{org}/guilds/{id}"),
        Page::Servers => format!("/orgs/{org}/servers"),
        Page::Server(id) => format!("/orgs/{org}/servers/{id}"),
        Page::Rules(id) => format!("/orgs/{org}/servers/{id}/roles"),
        Page::Plugin(id) => format!("/orgs/{org}/plugin?server={id}"),
        Page::Keys => format!("/orgs/{org}/keys"),
        Page::LinkPage => format!("/orgs/{org}/link-page"),
        Page::Visits => format!("/orgs/{org}/audit?action=visit.began"),
        Page::OurErrors => "/admin/errors?status=faults".to_owned(),
        Page::ErrorsWith(code) => format!("/admin/errors?code={code}"),
    }
}

#[derive(Serialize, ToSchema)]
pub struct AttentionList {
    attention: Vec<Attention>,
}

pub async fn for_operators(app: App, operator: Operator, (): ()) -> Answer<Found<AttentionList>> {
    let notices = attention::for_operators(&app, operator.scope).await?;
    Ok(Found(AttentionList {
        attention: notices
            .into_iter()
            .map(|notice| Attention::of(notice, None))
            .collect(),
    }))
}
