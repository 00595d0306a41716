//! Many people unlinked at once.

use app::players::bulk_unlink::{self, Choice, Ended, Progress};
use app::{App, AppError};
use domain::audit::Actor;
use domain::id::GuildId;
use domain::platform_id::EitherId;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::users::UserFilter;
use crate::extract::{Authorized, JsonBody, perm};
use crate::routes::{Answer, Done, Found};

/// People named by id in one call.
const MOST_KEYS: usize = 500;

/// How far a bulk unlink is.
#[derive(Serialize, ToSchema)]
pub struct BulkUnlink {
    /// Nothing while there is none.
    running: Option<RunningUnlink>,
    /// How the one before it ended. Nothing while one is running, and where there was none.
    last: Option<EndedUnlink>,
}

#[derive(Serialize, ToSchema)]
struct EndedUnlink {
    /// Somebody cancelled it. Links that had ended stay ended.
    cancelled: bool,
    /// Links that it ended.
    done: i64,
    total: i64,
    at_ms: i64,
}

#[derive(Serialize, ToSchema)]
struct RunningUnlink {
    /// Links that ended.
    done: i64,
    total: i64,
    started_at_ms: i64,
}

impl BulkUnlink {
    fn of(progress: Option<Progress>, last: Option<Ended>) -> Self {
        Self {
            running: progress.map(|running| RunningUnlink {
                done: running.done,
                total: running.total,
                started_at_ms: running.started_at_ms,
            }),
            last: last.map(|last| EndedUnlink {
                cancelled: last.is_cancelled,
                done: last.done,
                total: last.total,
                at_ms: last.at_ms,
            }),
        }
    }
}

/// Whom to unlink: people by id, or everybody who fits. One of the two.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BulkUnlinkChoice {
    /// Discord IDs or Steam IDs, at most 500.
    #[serde(default)]
    users: Option<Vec<String>>,
    /// Everybody whom these filters match, at most 10,000.
    #[serde(default, deserialize_with = "object_or_none")]
    filter: Option<UserFilter>,
    /// Links end only there. A filter with a Guild or a Server says so by itself.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    guild_id: Option<GuildId>,
}

/// Nothing but an object is a filter: an empty array would be read as one that everybody fits.
fn object_or_none<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<UserFilter>, D::Error> {
    let fields = Option::<Map<String, Value>>::deserialize(deserializer)?;
    let filter = fields.map(|fields| serde_json::from_value(Value::Object(fields)));
    filter.transpose().map_err(D::Error::custom)
}

/// How many links will end.
#[derive(Serialize, ToSchema)]
pub struct BulkUnlinkStarted {
    links: i64,
}

pub async fn get(app: App, caller: Authorized<perm::LinksBulkUnlink>, (): ()) -> Answer<Found<BulkUnlink>> {
    let running = bulk_unlink::progress(&app, caller.scope).await?;
    let last = match running {
        Some(_) => None,
        None => bulk_unlink::last(&app, caller.scope).await?,
    };
    Ok(Found(BulkUnlink::of(running, last)))
}

pub async fn start(
    app: App,
    caller: Authorized<perm::LinksBulkUnlink>,
    JsonBody(body): JsonBody<BulkUnlinkChoice>,
) -> Answer<Found<BulkUnlinkStarted>> {
    let Actor::Account(by) = caller.actor else {
        return Err(AppError::internal("a member without an account").into());
    };
    let choice = match (body.users, body.filter) {
        (Some(keys), None) => Choice::Keys {
            users: parsed(&keys)?,
            guild: body.guild_id,
        },
        (None, Some(filter)) => {
            let mut asked = filter.asked("")?;
            if body.guild_id.is_some() && asked.guild.is_some() && body.guild_id != asked.guild {
                return Err(AppError::invalid("guild_id", "is another one than the filter's").into());
            }
            asked.guild = asked.guild.or(body.guild_id);
            Choice::Fitting(asked)
        }
        (Some(_), Some(_)) | (None, None) => {
            return Err(AppError::invalid("users", "name people, or a filter").into());
        }
    };
    let links = bulk_unlink::start(&app, caller.scope, choice, by).await?;
    Ok(Found(BulkUnlinkStarted { links }))
}

pub(super) fn parsed(keys: &[String]) -> Result<Vec<EitherId>, AppError> {
    if !(1..=MOST_KEYS).contains(&keys.len()) {
        return Err(AppError::invalid("users", format!("1 to {MOST_KEYS} people")));
    }
    let ids = keys.iter().map(|key| EitherId::parse(key));
    let ids: Result<Vec<EitherId>, _> = ids.collect();
    ids.map_err(|_| AppError::invalid("users", "must be Discord IDs or Steam IDs"))
}

pub async fn cancel(app: App, caller: Authorized<perm::LinksBulkUnlink>, (): ()) -> Answer<Done> {
    bulk_unlink::cancel(&app, caller.scope, caller.actor).await?;
    Ok(Done)
}
