//! Parts of the service that operators switch.

use app::App;
use app::flags::{self, Known};
use domain::flag::Flag;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{JsonBody, Operator, Segments};
use crate::routes::{Answer, Done, Found};

#[derive(Serialize, ToSchema)]
pub struct FlagList {
    flags: Vec<FlagView>,
}

/// A part of the service that can be switched.
#[derive(Serialize, ToSchema)]
pub struct FlagView {
    name: &'static str,
    /// What happens while it is off.
    about: &'static str,
    on: bool,
    /// As long as nobody switches it.
    default: bool,
    set_at_ms: Option<i64>,
    set_by: Option<String>,
    set_by_name: Option<String>,
}

impl From<Known> for FlagView {
    fn from(known: Known) -> Self {
        let (flag, on) = (known.flag, known.is_on);
        let (set_at_ms, set_by, set_by_name) = match known.set {
            Some(set) => (Some(set.set_at_ms), set.set_by, set.set_by_name),
            None => (None, None, None),
        };
        Self {
            name: flag.as_str(),
            about: flag.about(),
            on,
            default: flag.default(),
            set_at_ms,
            set_by,
            set_by_name,
        }
    }
}

pub async fn list(app: App, _: Operator, (): ()) -> Answer<Found<FlagList>> {
    let known = flags::list(&app).await?;
    Ok(Found(FlagList {
        flags: known.into_iter().map(FlagView::from).collect(),
    }))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FlagSwitch {
    on: bool,
}

pub async fn set(
    app: App,
    operator: Operator,
    (Segments(flag), JsonBody(switch)): (Segments<Flag>, JsonBody<FlagSwitch>),
) -> Answer<Done> {
    flags::set(&app, flag, switch.on, operator.by()).await?;
    Ok(Done)
}
