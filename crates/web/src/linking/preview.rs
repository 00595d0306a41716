//! The link page of a Guild as the dashboard shows it beside its editor.

use app::App;
use app::linking::{self, NavigationLink};
use domain::face::Accent;
use domain::id::GuildId;
use domain::navigation::{self, Icon};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::page::picture;
use crate::extract::{Authorized, JsonBody, perm};
use crate::openapi::words;
use crate::public::texts::ENGLISH;
use crate::routes::{Answer, Found};

/// More are not drawn, whatever is typed.
const MOST_BUTTONS: usize = 10;
/// Where the buttons of a picture lead; nobody can press them.
const NOWHERE: &str = "https://example.invalid/";

/// A link page as somebody would like it to be, saved or not.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PreviewRequest {
    #[schema(value_type = String)]
    guild_id: GuildId,
    #[schema(value_type = words::Accent)]
    accent: Accent,
    theme: Theme,
    buttons: Vec<DraftButton>,
}

#[derive(Deserialize, ToSchema)]
#[schema(as = PreviewTheme)]
#[serde(rename_all = "lowercase")]
enum Theme {
    Light,
    Dark,
}

/// A button under way. One without a label that can be kept is left out.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct DraftButton {
    label: String,
    #[schema(value_type = words::NavigationIcon)]
    icon: Icon,
}

#[derive(Serialize, ToSchema)]
#[schema(as = LinkPagePreview)]
pub struct Preview {
    /// A whole page. It needs no script, and nothing on it can be pressed.
    html: String,
}

pub async fn draw(
    app: App,
    caller: Authorized<perm::OrgNavigation>,
    JsonBody(wanted): JsonBody<PreviewRequest>,
) -> Answer<Found<Preview>> {
    let buttons = wanted.buttons.iter().take(MOST_BUTTONS).filter_map(|button| {
        Some(NavigationLink {
            label: navigation::label(&button.label).ok()?,
            url: NOWHERE.to_owned(),
            icon: button.icon.as_str().to_owned(),
            new_tab: false,
        })
    });
    let (guild, buttons) = (&wanted.guild_id, buttons.collect());
    let shown = linking::preview(&app, caller.scope, guild, wanted.accent, buttons).await?;
    let theme = match wanted.theme {
        Theme::Light => "light",
        Theme::Dark => "dark",
    };
    let html = picture(&shown, theme, &ENGLISH)?;
    Ok(Found(Preview { html }))
}
