//! The list of Guilds, with an ETag: a bot that knows it already is not sent it again.

use app::App;
use app::AppError;
use app::bots::guild_list::{self, ListedGuild, MOST_ON_A_PAGE};
use axum::extract::FromRequestParts;
use axum::response::{IntoResponse, Response};
use http::header::{ETAG, IF_NONE_MATCH};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use super::Caller;
use crate::error::Failure;
use crate::extract::{Asked, Asks, Question};
use crate::openapi::{Gives, Takes};
use crate::routes::{Answer, Found, FoundSecret, RouteAnswer};
use crate::state::WebState;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WhichGuilds {
    cursor: Option<String>,
    limit: Option<i64>,
}

impl Question for WhichGuilds {
    const ASKS: &'static [Asks] = &[Asks::Text("cursor"), Asks::Number("limit")];
}

/// A question, and the tag of the answer that the caller has.
pub struct Again {
    asked: WhichGuilds,
    known: Vec<String>,
}

impl FromRequestParts<WebState> for Again {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, Failure> {
        let Asked(asked) = Asked::from_request_parts(parts, state).await?;
        let known = known_tags(&parts.headers);
        Ok(Self { asked, known })
    }
}

impl Takes for Again {
    const ASKS: &'static [Asks] = WhichGuilds::ASKS;
}

fn known_tags(headers: &HeaderMap) -> Vec<String> {
    let sent = headers.get_all(IF_NONE_MATCH).iter();
    let texts = sent.filter_map(|value| value.to_str().ok());
    let tags = texts.flat_map(|text| text.split(','));
    tags.map(|tag| tag.trim().trim_start_matches("W/").to_owned())
        .collect()
}

/// A page of the Guilds that a bot serves.
#[derive(Serialize, ToSchema)]
pub struct BotGuilds {
    guilds: Vec<BotGuild>,
    /// Where the next page begins; null after the last.
    next: Option<String>,
}

#[derive(Serialize, ToSchema)]
struct BotGuild {
    id: String,
    discord_guild_id: String,
    name: String,
    slug: String,
    /// Whether this bot is to act there.
    serving: bool,
    link_url: String,
    /// For the plugin API; empty where the bot is not serving.
    keys: Vec<BotServerKey>,
}

#[derive(Serialize, ToSchema)]
struct BotServerKey {
    server_id: String,
    key: String,
}

impl From<ListedGuild> for BotGuild {
    fn from(guild: ListedGuild) -> Self {
        let keys = guild.keys.into_iter().map(|(server, key)| BotServerKey {
            server_id: server.as_str().to_owned(),
            key: key.expose().to_owned(),
        });
        Self {
            id: guild.id.as_str().to_owned(),
            discord_guild_id: guild.discord_guild_id.as_str().to_owned(),
            name: guild.name,
            slug: guild.slug,
            serving: guild.serving,
            link_url: guild.link_url,
            keys: keys.collect(),
        }
    }
}

/// The page, or that it is the one that the caller has.
pub enum Listed {
    New { tag: HeaderValue, page: BotGuilds },
    Same { tag: HeaderValue },
}

impl IntoResponse for Listed {
    fn into_response(self) -> Response {
        let (tag, mut response) = match self {
            Listed::New { tag, page } => (tag, FoundSecret(page).into_response()),
            Listed::Same { tag } => (tag, StatusCode::NOT_MODIFIED.into_response()),
        };
        response.headers_mut().insert(ETAG, tag);
        response
    }
}

impl Gives for Listed {
    const ANSWER: RouteAnswer = Found::<BotGuilds>::ANSWER;
}

pub async fn list(app: App, bot: Caller, again: Again) -> Answer<Listed> {
    let Again { asked, known } = again;
    let after = match asked.cursor.as_deref() {
        None => 0,
        Some(text) => {
            let number = text.parse().ok().filter(|number| *number >= 0);
            number.ok_or_else(|| AppError::invalid("cursor", "it is the `next` of the page before"))?
        }
    };
    let limit = asked.limit.unwrap_or(MOST_ON_A_PAGE);
    if !(1..=MOST_ON_A_PAGE).contains(&limit) {
        let problem = format!("it is from 1 to {MOST_ON_A_PAGE}");
        return Err(AppError::invalid("limit", problem).into());
    }
    let page = guild_list::list(&app, bot.record(), after, limit).await?;
    let page = BotGuilds {
        guilds: page.guilds.into_iter().map(BotGuild::from).collect(),
        next: page.next.map(|next| next.to_string()),
    };
    let tag = tag_of(&page)?;
    let is_known = tag
        .to_str()
        .is_ok_and(|tag| known.iter().any(|known| known == tag));
    Ok(if is_known {
        Listed::Same { tag }
    } else {
        Listed::New { tag, page }
    })
}

/// A digest of all that is told, keys included: a tag that is known tells nothing new.
fn tag_of(page: &BotGuilds) -> Result<HeaderValue, AppError> {
    let text = serde_json::to_vec(page).map_err(AppError::internal)?;
    let digest = Sha256::digest(text);
    let hex: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    HeaderValue::from_str(&format!("\"{hex}\"")).map_err(AppError::internal)
}
