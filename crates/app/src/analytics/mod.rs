//! An Org in numbers: what is counted as it happens, and what is counted each night.

use std::collections::BTreeMap;

use domain::analytics::{Day, DayRange, Kept, Month, months, retention};
use domain::flow::LinkStep;
use domain::id::GuildId;
use domain::link::UnlinkCause;
use domain::trust::TrustTier;
use storage::linking::link_days::{self, LinkDays};
use storage::linking::link_steps::{self, Steps};
use storage::players::stat_days::{self, COUNTRY, OTHER, Stat, TIER};
use storage::tenancy::{guilds, orgs};
use storage::{GuildNum, OrgScope};

use crate::error::{AppError, RequestError};
use crate::state::App;

const HOURS: i64 = 24;

/// What somebody wants to see.
#[derive(Debug, Clone)]
pub struct AnalyticsAsked {
    /// Days in a row; retention has its own.
    pub range: DayRange,
    /// One Guild instead of all of them.
    pub guild: Option<GuildId>,
}

/// One day of links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkDay {
    /// In UTC.
    pub day: Day,
    /// Links that began, relinks among them.
    pub linked: i64,
    /// Links that ended, by cause, in the order of [`UnlinkCause::ALL`].
    pub ended: Vec<i64>,
    /// Active ones when it was over, or by now.
    pub active: i64,
}

/// People with an active link, by tier, as they were counted one night.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TierDay {
    /// In UTC.
    pub day: Day,
    /// In the order of [`TrustTier::ALL`].
    pub people: Vec<i64>,
}

/// Active links by country, as they were counted last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Countries {
    /// None before the first night.
    pub as_of: Option<Day>,
    /// The most frequent first.
    pub list: Vec<(String, i64)>,
    /// In countries that are not listed.
    pub other: i64,
    /// Without a known country.
    pub unknown: i64,
}

/// How far people got on the link page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Funnel {
    /// How often each step was reached, in the order of [`LinkStep::ALL`] without the last.
    pub reached: Vec<(LinkStep, i64)>,
    /// What went wrong, by code; the most frequent first.
    pub failed: Vec<(String, i64)>,
}

/// An Org in numbers.
#[derive(Debug, Clone)]
pub struct Analytics {
    /// The days that are told.
    pub range: DayRange,
    /// Each of them, in order.
    pub days: Vec<LinkDay>,
    /// Active links that the plan allows; none for a single Guild, because it counts over all of them.
    pub ceiling: Option<i64>,
    /// Days without a number are not there.
    pub tiers: Vec<TierDay>,
    /// As of the last night, whatever the days are.
    pub countries: Countries,
    /// Over all of the days.
    pub funnel: Funnel,
    /// The last months, the oldest first.
    pub retention: Vec<Kept>,
}

/// Everything. As many statements for a year as for a day.
pub async fn get(app: &App, scope: OrgScope, asked: &AnalyticsAsked) -> Result<Analytics, AppError> {
    let (range, today) = (asked.range, Day::of(app.now_ms()));
    let guild = resolve(app, scope, asked.guild.as_ref()).await?;
    let db = &app.db;
    let org = orgs::get(db, scope).await?.ok_or(RequestError::NotFound)?;
    let counted = link_days::list(db, scope, guild, range.from, range.to).await?;
    let tiers = stat_days::list_tiers(db, scope, guild, range.from, range.to).await?;
    let (first_hour, last_hour) = (range.from.0 * HOURS, range.to.0 * HOURS + HOURS - 1);
    let steps = link_steps::list(db, scope, guild, first_hour, last_hour).await?;
    let since = months(today).next().map_or(today, Month::first);
    let linked = link_days::list_linked(db, scope, guild, since).await?;
    let lives = link_days::list_lives(db, scope, guild, since).await?;
    Ok(Analytics {
        range,
        days: fill(range, &counted),
        ceiling: guild.is_none().then(|| app.plans.ceilings(org.tier).links),
        tiers: by_tier(&tiers),
        countries: countries(stat_days::list_newest(db, scope, guild).await?),
        funnel: funnel(steps),
        retention: retention(
            linked.iter().map(|on| (on.day, on.times)),
            lives.iter().map(|on| (on.day, on.lived, on.times)),
            today,
        ),
    })
}

/// Another Org's Guild is no more there than a made-up one, or one that was removed.
async fn resolve(app: &App, scope: OrgScope, guild: Option<&GuildId>) -> Result<Option<GuildNum>, AppError> {
    let Some(id) = guild else { return Ok(None) };
    let found = guilds::find(&app.db, scope, id).await?;
    Ok(Some(found.ok_or(RequestError::NotFound)?.num))
}

/// Every day, also those on which nothing happened. What was active is reckoned back from the last one.
fn fill(range: DayRange, counted: &LinkDays) -> Vec<LinkDay> {
    let mut active = counted.active;
    let mut days: Vec<LinkDay> = range
        .days()
        .map(|day| LinkDay {
            day,
            linked: counted.linked.get(&day).copied().unwrap_or(0),
            ended: UnlinkCause::ALL
                .iter()
                .map(|cause| counted.ended.get(&(day, *cause)).copied().unwrap_or(0))
                .collect(),
            active: 0,
        })
        .collect();
    for day in days.iter_mut().rev() {
        day.active = active;
        active += day.ended.iter().sum::<i64>() - day.linked;
    }
    days
}

fn by_tier(stats: &[Stat]) -> Vec<TierDay> {
    let mut days: BTreeMap<Day, Vec<i64>> = BTreeMap::new();
    for stat in stats {
        let people = days
            .entry(stat.day)
            .or_insert_with(|| vec![0; TrustTier::ALL.len()]);
        let tier = stat.what.strip_prefix(TIER).and_then(TrustTier::parse);
        let place = TrustTier::ALL.iter().position(|known| Some(*known) == tier);
        if let Some(place) = place.and_then(|place| people.get_mut(place)) {
            *place += stat.times;
        }
    }
    let days = days.into_iter().map(|(day, people)| TierDay { day, people });
    days.collect()
}

fn countries(newest: Option<(Day, Vec<Stat>)>) -> Countries {
    let Some((day, stats)) = newest else {
        return Countries::default();
    };
    let mut found = Countries {
        as_of: Some(day),
        ..Countries::default()
    };
    for stat in stats {
        match stat.what.strip_prefix(COUNTRY) {
            Some("") => found.unknown = stat.times,
            Some(OTHER) => found.other = stat.times,
            Some(country) => found.list.push((country.to_owned(), stat.times)),
            None => {}
        }
    }
    found
}

fn funnel(steps: Vec<Steps>) -> Funnel {
    let is_step = |step: &LinkStep| *step != LinkStep::Failed;
    let times = |step: LinkStep| {
        steps
            .iter()
            .filter(|one| one.step == step)
            .map(|one| one.times)
            .sum()
    };
    let reached = LinkStep::ALL.iter().copied().filter(is_step);
    Funnel {
        reached: reached.map(|step| (step, times(step))).collect(),
        failed: steps
            .into_iter()
            .filter(|one| one.step == LinkStep::Failed)
            .map(|one| (one.reason, one.times))
            .collect(),
    }
}
