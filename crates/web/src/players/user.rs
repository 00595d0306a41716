//! One person, with everything that an Org knows of them.

use app::players::person::{self, OwnLinkRow, PersonPage, Point, Presence};
use app::players::unlink;
use app::players::users::ListedUser;
use app::{App, AppError};
use domain::id::{GuildId, LinkId, ServerId};
use domain::link::UnlinkCause;
use domain::platform_id::EitherId;
use domain::trust::{GroupClass, GroupRules, PillTone, Score, Thresholds, TrustTier};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::users::{TierThresholds, User, readable};
use crate::extract::{Asked, Asks, Authorized, JsonBody, Question, Segments, perm};
use crate::openapi::words;
use crate::routes::{Answer, Done, Found};

/// Everything about somebody.
#[derive(Serialize, ToSchema)]
pub struct UserPage {
    user: User,
    first_linked_at_ms: i64,
    trust: UserTrust,
    presence: Vec<ServerPresence>,
    /// Active ones first, then the newest; at most 200.
    links: Vec<UserLink>,
    /// There are more links than are listed.
    links_cut: bool,
}

/// A Trust Score, what it is made of, and why.
#[derive(Serialize, ToSchema)]
pub struct UserTrust {
    #[serde(flatten)]
    parts: TrustParts,
    scored_at_ms: i64,
    /// Links that they, a plugin or a relink ended. Each takes 18 points off stability.
    churn: i64,
    /// Accounts of both platforms that hang together with theirs. Each beyond two takes 30 points off; nobody counts
    /// beyond 50.
    accounts: i64,
    thresholds: TierThresholds,
}

/// A Trust Score with its parts, each from 0 to 100.
#[derive(Serialize, ToSchema)]
pub struct TrustParts {
    score: u8,
    #[schema(value_type = words::TrustTier)]
    tier: TrustTier,
    /// Counts 35 of 100.
    stability: u8,
    /// Counts 25 of 100.
    cross_server: u8,
    /// Counts 20 of 100.
    age: u8,
    /// Counts 20 of 100.
    multi: u8,
}

impl TrustParts {
    fn of(score: &Score, thresholds: &Thresholds) -> Self {
        Self {
            score: score.total,
            tier: thresholds.tier(score.total),
            stability: score.stability,
            cross_server: score.cross_server,
            age: score.age,
            multi: score.multi,
        }
    }
}

/// What a Server knows of somebody.
#[derive(Serialize, ToSchema)]
struct ServerPresence {
    #[schema(value_type = String)]
    guild_id: GuildId,
    guild_name: String,
    #[schema(value_type = String)]
    server_id: ServerId,
    server_name: String,
    /// Without those that the plugin gives by itself. Nothing where it never reported any.
    groups: Option<Vec<PlayerGroup>>,
    reported_at_ms: Option<i64>,
    seen_at_ms: Option<i64>,
}

#[derive(Serialize, ToSchema)]
struct PlayerGroup {
    name: String,
    #[schema(value_type = words::GroupClass)]
    class: GroupClass,
    #[schema(value_type = words::PillTone)]
    tone: PillTone,
}

impl ServerPresence {
    fn of(presence: Presence, rules: &GroupRules) -> Self {
        let row = presence.row;
        let groups = presence.groups.into_iter().map(|(name, class)| PlayerGroup {
            name,
            class,
            tone: rules.tone(class),
        });
        Self {
            groups: row.groups.is_some().then(|| groups.collect()),
            guild_id: row.guild,
            guild_name: row.guild_name,
            server_id: row.server,
            server_name: row.server_name,
            reported_at_ms: row.reported_at_ms,
            seen_at_ms: row.seen_at_ms,
        }
    }
}

/// A link of somebody, active or ended.
#[derive(Serialize, ToSchema)]
struct UserLink {
    #[schema(value_type = String)]
    id: LinkId,
    #[schema(value_type = String)]
    guild_id: GuildId,
    guild_name: String,
    /// The Guild was removed from this organisation.
    guild_gone: bool,
    /// Nothing where that account's owner had it erased.
    steam_id: Option<String>,
    discord_name: Option<String>,
    steam_name: Option<String>,
    country: Option<String>,
    linked_at_ms: i64,
    verified_at_ms: i64,
    ended_at_ms: Option<i64>,
    #[schema(value_type = Option<words::UnlinkCause>)]
    cause: Option<UnlinkCause>,
    /// Since when it is flagged as dormant.
    flagged_at_ms: Option<i64>,
}

impl From<OwnLinkRow> for UserLink {
    fn from(row: OwnLinkRow) -> Self {
        let (ended_at_ms, cause) = row.ended.unzip();
        Self {
            flagged_at_ms: row.flagged_at_ms,
            id: row.id,
            guild_id: row.guild,
            guild_name: row.guild_name,
            guild_gone: row.is_guild_gone,
            steam_id: readable(row.steam_id),
            discord_name: row.discord_name,
            steam_name: row.steam_name,
            country: row.country,
            linked_at_ms: row.linked_at_ms,
            verified_at_ms: row.verified_at_ms,
            ended_at_ms,
            cause,
        }
    }
}

impl From<PersonPage> for UserPage {
    fn from(page: PersonPage) -> Self {
        let presence = page.presence.into_iter();
        let servers = presence
            .as_slice()
            .iter()
            .map(|on| on.row.server.clone())
            .collect();
        Self {
            first_linked_at_ms: page.key.first_linked_at_ms,
            trust: UserTrust {
                parts: TrustParts::of(&page.key.score, &page.thresholds),
                scored_at_ms: page.key.scored_at_ms,
                churn: page.key.churn,
                accounts: page.key.accounts,
                thresholds: page.thresholds.into(),
            },
            presence: presence.map(|on| ServerPresence::of(on, &page.rules)).collect(),
            user: User::from(ListedUser {
                row: page.row,
                servers,
                tier: page.tier,
            }),
            links_cut: page.is_cut,
            links: page.links.into_iter().map(UserLink::from).collect(),
        }
    }
}

pub async fn get(
    app: App,
    caller: Authorized<perm::LinksView>,
    Segments(key): Segments<EitherId>,
) -> Answer<Found<UserPage>> {
    let page = person::get(&app, caller.scope, &key, caller.actor).await?;
    Ok(Found(page.into()))
}

/// Where links end.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UnlinkWhere {
    /// Only there; without it, in every Guild of the organisation.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    guild_id: Option<GuildId>,
}

/// How many links ended.
#[derive(Serialize, ToSchema)]
pub struct Unlinked {
    links: usize,
}

pub async fn unlink(
    app: App,
    caller: Authorized<perm::LinksUnlink>,
    (Segments(key), JsonBody(body)): (Segments<EitherId>, JsonBody<UnlinkWhere>),
) -> Answer<Found<Unlinked>> {
    let links = unlink::unlink(&app, caller.scope, &key, body.guild_id, caller.actor).await?;
    Ok(Found(Unlinked { links }))
}

pub async fn reckon(
    app: App,
    caller: Authorized<perm::LinksView>,
    Segments(key): Segments<EitherId>,
) -> Answer<Done> {
    person::reckon(&app, caller.scope, &key).await?;
    Ok(Done)
}

/// How far back.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct HistoryOfDays {
    days: Option<i64>,
}

impl Question for HistoryOfDays {
    const ASKS: &'static [Asks] = &[Asks::Number("days")];
}

/// Somebody's scores over time. A score holds until the next point.
#[derive(Serialize, ToSchema)]
pub struct TrustHistory {
    days: i64,
    since_ms: i64,
    thresholds: TierThresholds,
    /// The oldest first. The first can be from before the time that was asked for: it tells what held at its beginning.
    points: Vec<TrustPoint>,
}

#[derive(Serialize, ToSchema)]
struct TrustPoint {
    at_ms: i64,
    #[serde(flatten)]
    parts: TrustParts,
}

impl TrustPoint {
    fn of(point: &Point, thresholds: &Thresholds) -> Self {
        Self {
            at_ms: point.at_ms,
            parts: TrustParts::of(&point.score, thresholds),
        }
    }
}

pub async fn trust_history(
    app: App,
    caller: Authorized<perm::LinksView>,
    (Segments(key), Asked(asked)): (Segments<EitherId>, Asked<HistoryOfDays>),
) -> Answer<Found<TrustHistory>> {
    let days = asked.days.unwrap_or(30);
    if !(1..=365).contains(&days) {
        return Err(AppError::invalid("days", "must be from 1 to 365").into());
    }
    let found = person::trust_history(&app, caller.scope, &key, days, caller.actor).await?;
    let points = found.points.iter();
    Ok(Found(TrustHistory {
        days,
        since_ms: found.since_ms,
        points: points
            .map(|point| TrustPoint::of(point, &found.thresholds))
            .collect(),
        thresholds: found.thresholds.into(),
    }))
}
