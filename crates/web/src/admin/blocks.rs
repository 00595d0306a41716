//! Who cannot sign in.

use app::admin::blocks::{self, BlockFilter};
use app::identity::blocklist::{self, BlockRequest, Blocked};
use app::{App, AppError};
use domain::blocklist::BlockEntry;
use domain::id::BlockId;
use domain::platform_id::{DiscordId, SteamId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::paging::{limit, next};
use crate::extract::{Asked, Asks, FreshOperator, JsonBody, Operator, Question, Segments};
use crate::routes::{Answer, Created, Done, Found};

const MOST_DAYS: u32 = 3650;

/// An account or a network that cannot sign in.
#[derive(Serialize, ToSchema)]
pub struct BlockView {
    #[schema(value_type = String)]
    id: BlockId,
    /// `discord`, `steam` or `network`.
    kind: String,
    /// Nothing for an erased account.
    value: Option<String>,
    /// Only what remains of an account is blocked.
    erased: bool,
    reason: String,
    created_at_ms: i64,
    expires_at_ms: Option<i64>,
}

impl From<Blocked> for BlockView {
    fn from(blocked: Blocked) -> Self {
        let erased = BlockEntry::read(&blocked.entry).is_of_erased();
        let (kind, value) = blocked
            .entry
            .split_once(':')
            .unwrap_or(("network", &blocked.entry));
        Self {
            id: blocked.id,
            kind: kind.to_owned(),
            value: Some(value.to_owned()).filter(|_| !erased),
            erased,
            reason: blocked.reason,
            created_at_ms: blocked.created_at_ms,
            expires_at_ms: blocked.expires_at_ms,
        }
    }
}

#[derive(Serialize, ToSchema)]
pub struct BlockPage {
    blocks: Vec<BlockView>,
    next_after: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct BlockQuery {
    kind: String,
    q: String,
    after: String,
    limit: Option<i64>,
}

impl Question for BlockQuery {
    const ASKS: &'static [Asks] = &[
        Asks::OneOf("kind", &["discord", "steam", "network"]),
        Asks::Text("q"),
        Asks::Text("after"),
        Asks::Number("limit"),
    ];
}

pub async fn list(app: App, operator: Operator, Asked(asked): Asked<BlockQuery>) -> Answer<Found<BlockPage>> {
    let limit = limit(asked.limit)?;
    if !matches!(asked.kind.as_str(), "" | "discord" | "steam" | "network") {
        return Err(AppError::invalid("kind", "must be discord, steam or network").into());
    }
    let filter = BlockFilter {
        kind: &asked.kind,
        exactly: asked.q.trim(),
        after: &asked.after,
    };
    let found = blocks::list(&app, operator.scope, &filter, limit).await?;
    Ok(Found(BlockPage {
        next_after: next(&found, limit, |one| one.entry.clone()),
        blocks: found.into_iter().map(BlockView::from).collect(),
    }))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewBlock {
    /// `discord`, `steam` or `network`.
    kind: String,
    value: String,
    /// For operators only.
    #[schema(min_length = 1, max_length = 500)]
    reason: String,
    /// Without it, the block stays.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 3650)]
    days: Option<u32>,
}

#[derive(Serialize, ToSchema)]
pub struct MadeBlock {
    #[schema(value_type = String)]
    id: BlockId,
}

pub async fn create(
    app: App,
    operator: FreshOperator,
    JsonBody(new): JsonBody<NewBlock>,
) -> Answer<Created<MadeBlock>> {
    if new.days.is_some_and(|days| !(1..=MOST_DAYS).contains(&days)) {
        return Err(AppError::invalid("days", "must be from 1 to 3650").into());
    }
    let (entry, discord_id) = entry_of(&new)?;
    if discord_id.as_ref() == Some(operator.discord_id()) {
        return Err(AppError::invalid("value", "this is your own account").into());
    }
    if BlockEntry::networks_of(operator.client()).contains(&entry) {
        let problem = "you are in this network yourself; the command line blocks it anyway";
        return Err(AppError::invalid("value", problem).into());
    }
    let request = BlockRequest {
        entry,
        discord_id,
        reason: new.reason,
        days: new.days,
    };
    let id = blocklist::block(&app, request, operator.by()).await?;
    Ok(Created(MadeBlock { id }))
}

fn entry_of(new: &NewBlock) -> Result<(BlockEntry, Option<DiscordId>), AppError> {
    let value = new.value.trim();
    match new.kind.as_str() {
        "discord" => {
            let id = DiscordId::parse(value).map_err(|error| AppError::invalid("value", error))?;
            Ok((BlockEntry::discord(&id), Some(id)))
        }
        "steam" => {
            let id = SteamId::parse(value).map_err(|error| AppError::invalid("value", error))?;
            Ok((BlockEntry::steam(&id), None))
        }
        "network" => {
            let entry = BlockEntry::network(value).map_err(|error| AppError::invalid("value", error))?;
            Ok((entry, None))
        }
        _ => Err(AppError::invalid("kind", "must be discord, steam or network")),
    }
}

pub async fn lift(app: App, operator: FreshOperator, Segments(id): Segments<BlockId>) -> Answer<Done> {
    blocks::lift(&app, &id, operator.by()).await?;
    Ok(Done)
}
