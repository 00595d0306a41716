//! Links by day, people by tier, countries, steps on the link page, and how long links last.

use app::analytics::{self, Analytics, AnalyticsAsked, Countries, Funnel, LinkDay, TierDay};
use app::{App, AppError};
use domain::analytics::{Day, DayRange, Kept, LIVED, RangeError};
use domain::flow::LinkStep;
use domain::id::GuildId;
use domain::link::UnlinkCause;
use domain::trust::TrustTier;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{Asked, Asks, Authorized, Question, perm};
use crate::routes::{Answer, Found};

const NO_DAY: &str = "must be a day such as 2026-01-31";

/// An Org in numbers. Days are in UTC.
#[derive(Serialize, ToSchema)]
pub struct AnalyticsNumbers {
    /// The first day that is told.
    from: String,
    /// The last one.
    to: String,
    /// All of them, in order.
    days: Vec<DayOfLinks>,
    /// Active links that the plan allows in all Guilds together; nothing where one Guild is asked for.
    ceiling: Option<i64>,
    /// People with an active link, counted each night. Days without a count are not there.
    tiers: Vec<DayOfTiers>,
    countries: LinkCountries,
    funnel: LinkFunnel,
    /// Links of the last fourteen months, the oldest first; the days that are asked for do not matter here.
    retention: Vec<MonthOfLinks>,
}

#[derive(Serialize, ToSchema)]
pub(super) struct DayOfLinks {
    day: String,
    /// Links that began, relinks among them.
    linked: i64,
    ended: EndedLinks,
    /// Active links at the end of the day, or by now.
    active: i64,
}

/// Links that ended, by cause.
#[derive(Serialize, ToSchema)]
struct EndedLinks {
    user: i64,
    admin: i64,
    plugin: i64,
    /// One account was linked with another one instead.
    relink: i64,
    #[serde(rename = "zombie-cleanup")]
    zombie_cleanup: i64,
}

#[derive(Serialize, ToSchema)]
pub(super) struct DayOfTiers {
    day: String,
    trusted: i64,
    normal: i64,
    watch: i64,
    risk: i64,
}

/// Active links by country, as they were counted last.
#[derive(Serialize, ToSchema)]
struct LinkCountries {
    /// The day of that count; nothing before the first one.
    as_of: Option<String>,
    /// The most frequent first; at most 50.
    list: Vec<CountryOfLinks>,
    /// Links of countries that are not listed.
    other: i64,
    /// Links without a known country.
    unknown: i64,
}

#[derive(Serialize, ToSchema)]
pub(super) struct CountryOfLinks {
    country: String,
    links: i64,
}

/// How often each step of the link page was reached.
#[derive(Serialize, ToSchema)]
pub(super) struct LinkFunnel {
    started: i64,
    discord: i64,
    steam: i64,
    joined: i64,
    verified: i64,
    /// Attempts that ended with an error; the most frequent first.
    failed: Vec<FailedAttempts>,
}

#[derive(Serialize, ToSchema)]
struct FailedAttempts {
    /// An error code.
    reason: String,
    times: i64,
}

#[derive(Serialize, ToSchema)]
pub(super) struct MonthOfLinks {
    month: String,
    /// Links that began in this month.
    linked: i64,
    after: Vec<LinksAfter>,
}

#[derive(Serialize, ToSchema)]
struct LinksAfter {
    days: i64,
    /// How many of them lasted so long; nothing while some cannot have.
    left: Option<i64>,
}

impl From<LinkDay> for DayOfLinks {
    fn from(day: LinkDay) -> Self {
        let of = |cause: UnlinkCause| {
            let place = UnlinkCause::ALL.iter().position(|known| *known == cause);
            place.and_then(|place| day.ended.get(place)).copied().unwrap_or(0)
        };
        Self {
            day: day.day.to_string(),
            linked: day.linked,
            ended: EndedLinks {
                user: of(UnlinkCause::User),
                admin: of(UnlinkCause::Admin),
                plugin: of(UnlinkCause::Plugin),
                relink: of(UnlinkCause::Relink),
                zombie_cleanup: of(UnlinkCause::ZombieCleanup),
            },
            active: day.active,
        }
    }
}

impl DayOfLinks {
    pub(super) fn cells(&self) -> [String; 8] {
        let ended = &self.ended;
        let numbers = [
            self.linked,
            ended.user,
            ended.admin,
            ended.plugin,
            ended.relink,
            ended.zombie_cleanup,
            self.active,
        ]
        .map(|number| number.to_string());
        let [linked, user, admin, plugin, relink, cleanup, active] = numbers;
        [
            self.day.clone(),
            linked,
            user,
            admin,
            plugin,
            relink,
            cleanup,
            active,
        ]
    }
}

impl From<TierDay> for DayOfTiers {
    fn from(day: TierDay) -> Self {
        let of = |tier: TrustTier| {
            let place = TrustTier::ALL.iter().position(|known| *known == tier);
            place
                .and_then(|place| day.people.get(place))
                .copied()
                .unwrap_or(0)
        };
        Self {
            day: day.day.to_string(),
            trusted: of(TrustTier::Trusted),
            normal: of(TrustTier::Normal),
            watch: of(TrustTier::Watch),
            risk: of(TrustTier::Risk),
        }
    }
}

impl DayOfTiers {
    pub(super) fn cells(&self) -> [String; 5] {
        let [trusted, normal, watch, risk] =
            [self.trusted, self.normal, self.watch, self.risk].map(|number| number.to_string());
        [self.day.clone(), trusted, normal, watch, risk]
    }
}

impl From<Countries> for LinkCountries {
    fn from(found: Countries) -> Self {
        let list = found.list.into_iter();
        Self {
            as_of: found.as_of.map(|day| day.to_string()),
            list: list.map(CountryOfLinks::from).collect(),
            other: found.other,
            unknown: found.unknown,
        }
    }
}

impl From<(String, i64)> for CountryOfLinks {
    fn from((country, links): (String, i64)) -> Self {
        Self { country, links }
    }
}

impl CountryOfLinks {
    pub(super) fn cells(&self) -> [String; 2] {
        [self.country.clone(), self.links.to_string()]
    }
}

impl From<Funnel> for LinkFunnel {
    fn from(funnel: Funnel) -> Self {
        let of = |step: LinkStep| {
            let found = funnel.reached.iter().find(|(known, _)| *known == step);
            found.map_or(0, |(_, times)| *times)
        };
        Self {
            started: of(LinkStep::Started),
            discord: of(LinkStep::Discord),
            steam: of(LinkStep::Steam),
            joined: of(LinkStep::Joined),
            verified: of(LinkStep::Verified),
            failed: funnel
                .failed
                .into_iter()
                .map(|(reason, times)| FailedAttempts { reason, times })
                .collect(),
        }
    }
}

impl From<Kept> for MonthOfLinks {
    fn from(kept: Kept) -> Self {
        let after = LIVED.iter().zip(kept.left);
        Self {
            month: kept.month.to_string(),
            linked: kept.linked,
            after: after
                .map(|(days, left)| LinksAfter { days: *days, left })
                .collect(),
        }
    }
}

impl MonthOfLinks {
    pub(super) fn cells(&self) -> Vec<String> {
        let after = self.after.iter();
        let left = after.map(|after| after.left.map(|left| left.to_string()).unwrap_or_default());
        [self.month.clone(), self.linked.to_string()]
            .into_iter()
            .chain(left)
            .collect()
    }
}

impl From<Analytics> for AnalyticsNumbers {
    fn from(found: Analytics) -> Self {
        Self {
            from: found.range.from.to_string(),
            to: found.range.to.to_string(),
            days: found.days.into_iter().map(DayOfLinks::from).collect(),
            ceiling: found.ceiling,
            tiers: found.tiers.into_iter().map(DayOfTiers::from).collect(),
            countries: found.countries.into(),
            funnel: found.funnel.into(),
            retention: found.retention.into_iter().map(MonthOfLinks::from).collect(),
        }
    }
}

/// Which days, where, and what of it is to be a file.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct AnalyticsQuery {
    from: String,
    to: String,
    guild_id: String,
    pub(super) table: String,
    pub(super) format: String,
}

pub(super) const FILTERS: [Asks; 3] = [Asks::Text("from"), Asks::Text("to"), Asks::Text("guild_id")];

impl AnalyticsQuery {
    pub(super) fn asked(&self, now_ms: i64) -> Result<AnalyticsAsked, AppError> {
        let day = |name: &'static str, text: &str| match text.trim() {
            "" => Ok(None),
            text => Day::parse(text)
                .map(Some)
                .ok_or_else(|| AppError::invalid(name, NO_DAY)),
        };
        let (from, to) = (day("from", &self.from)?, day("to", &self.to)?);
        let range = DayRange::new(from, to, Day::of(now_ms)).map_err(|why| {
            let parameter = match why {
                RangeError::Future if to.is_some() => "to",
                RangeError::Future | RangeError::Backwards | RangeError::TooLong => "from",
            };
            AppError::invalid(parameter, why.to_string())
        })?;
        let guild = match self.guild_id.trim() {
            "" => None,
            id => Some(
                GuildId::parse(id).map_err(|_| AppError::invalid("guild_id", "must be the id of a Guild"))?,
            ),
        };
        Ok(AnalyticsAsked { range, guild })
    }
}

/// Which days, and where.
#[derive(Deserialize)]
#[serde(transparent)]
pub struct DaysAsked(AnalyticsQuery);

impl Question for DaysAsked {
    const ASKS: &'static [Asks] = &FILTERS;
}

pub async fn get(
    app: App,
    caller: Authorized<perm::AnalyticsView>,
    Asked(DaysAsked(asked)): Asked<DaysAsked>,
) -> Answer<Found<AnalyticsNumbers>> {
    if !asked.format.is_empty() || !asked.table.is_empty() {
        return Err(AppError::invalid("format", "only an export has one").into());
    }
    let wanted = asked.asked(app.now_ms())?;
    Ok(Found(analytics::get(&app, caller.scope, &wanted).await?.into()))
}
