//! Counts an Org's people and active links at the end of its round: by trust tier, and by country.

use std::collections::BTreeMap;

use domain::analytics::Day;
use storage::jobs::{self, Grip, Held};
use storage::players::stat_days::{self, COUNTRY, LinkedFrom, OTHER, Scored, Stat, TIER, WHOLE_ORG};
use storage::players::sweeps;
use storage::tenancy::orgs;
use storage::{GuildNum, OrgScope, Tx, Work};

use super::users::tier_of;
use crate::error::AppError;
use crate::jobs::Outcome;
use crate::state::App;

/// Countries that are kept by name.
const MOST_COUNTRIES: usize = 50;
/// As long as the steps on link pages.
const KEPT_DAYS: i64 = 800;

/// Reads past everybody who writes, and stores the numbers in one short unit.
pub(super) async fn take(app: &App, scope: OrgScope, held: Held, asked: i64) -> Result<Outcome, AppError> {
    let now_ms = app.now_ms();
    let day = Day::of(now_ms);
    let scores = stat_days::count_scores(&app.db, scope).await?;
    let countries = stat_days::count_countries(&app.db, scope).await?;
    let mut stats = tiers(app, &scores, day);
    stats.extend(of_countries(countries, day));
    let store = Store {
        held,
        asked,
        day,
        stats,
        now_ms,
    };
    app.db.write_for(scope, store).await
}

fn tiers(app: &App, scores: &[Scored], day: Day) -> Vec<Stat> {
    let mut counted: BTreeMap<(GuildNum, String), i64> = BTreeMap::new();
    for scored in scores {
        let what = [TIER, tier_of(&app.thresholds, scored.score).as_str()].concat();
        *counted.entry((scored.guild, what)).or_default() += scored.people;
    }
    let stats = counted.into_iter().map(|((guild, what), times)| Stat {
        day,
        guild,
        what,
        times,
    });
    stats.collect()
}

/// The most frequent by name and the rest together, for each Guild and for the whole Org.
fn of_countries(found: Vec<LinkedFrom>, day: Day) -> Vec<Stat> {
    let mut counted: BTreeMap<GuildNum, BTreeMap<String, i64>> = BTreeMap::new();
    for from in found {
        for guild in [WHOLE_ORG, from.guild] {
            let of_guild = counted.entry(guild).or_default();
            *of_guild.entry(from.country.clone()).or_default() += from.links;
        }
    }
    let mut stats = Vec::new();
    for (guild, countries) in counted {
        let mut countries: Vec<(String, i64)> = countries.into_iter().collect();
        // What is not known is no country, and always told.
        countries.sort_by_key(|(country, links)| (!country.is_empty(), -links));
        let rest = countries.split_off(countries.len().min(MOST_COUNTRIES + 1));
        let rest: i64 = rest.iter().map(|(_, links)| links).sum();
        countries.extend((rest > 0).then(|| (OTHER.to_owned(), rest)));
        stats.extend(countries.into_iter().map(|(country, times)| Stat {
            day,
            guild,
            what: [COUNTRY, &country].concat(),
            times,
        }));
    }
    stats
}

struct Store {
    held: Held,
    /// How often the round was asked for when it began.
    asked: i64,
    day: Day,
    stats: Vec<Stat>,
    now_ms: i64,
}

impl Work for Store {
    type For = OrgScope;
    type Output = Outcome;
    type Error = AppError;
    const NAME: &'static str = "store_snapshot";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<Outcome, AppError> {
        orgs::lock_even_removed(tx, scope).await?;
        if jobs::hold(tx, &self.held).await? == Grip::Lost {
            return Ok(Outcome::Lost);
        }
        if jobs::get_total(tx, &self.held).await? != self.asked {
            jobs::advance(tx, &self.held, None, 0).await?;
            return Ok(Outcome::Again);
        }
        let kept_since = Day(self.day.0 - KEPT_DAYS);
        stat_days::store(tx, scope, self.day, kept_since, &self.stats).await?;
        sweeps::note(tx, scope, self.now_ms).await?;
        Ok(Outcome::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_countries_are_told_as_fifty_and_the_rest() {
        let letters = |number: i64| {
            let letter = |of: i64| char::from(b'A' + u8::try_from(of % 26).unwrap());
            String::from_iter([letter(number / 26), letter(number)])
        };
        let mut found: Vec<LinkedFrom> = (0..60)
            .map(|number| LinkedFrom {
                guild: GuildNum(1 + number % 2),
                country: letters(number),
                links: number + 1,
            })
            .collect();
        found.push(LinkedFrom {
            guild: GuildNum(1),
            country: String::new(),
            links: 1,
        });
        let stats = of_countries(found, Day(5));
        let of = |guild: i64| stats.iter().filter(move |stat| stat.guild == GuildNum(guild));
        assert_eq!((of(0).count(), of(1).count(), of(2).count()), (52, 31, 30));
        let all: i64 = of(0).map(|stat| stat.times).sum();
        assert_eq!(all, (1..=60).sum::<i64>() + 1);
        let rest = of(0).find(|stat| stat.what == "country:other").unwrap();
        assert_eq!(rest.times, (1..=10).sum::<i64>());
        assert!(of(0).any(|stat| stat.what == "country:" && stat.times == 1));
    }
}
