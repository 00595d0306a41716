//! An Org's numbers as a file: one table of them at a time.

use app::analytics::{self, Analytics, Funnel};
use app::records::exports::{self, ExportPlace};
use app::{App, AppError};
use domain::audit::AuditAction;
use domain::flow::LinkStep;
use serde::{Deserialize, Serialize};

use super::numbers::{AnalyticsQuery, CountryOfLinks, DayOfLinks, DayOfTiers, FILTERS, MonthOfLinks};
use crate::export::{Export, FORMATS, Format, Slices, csv_line, json_line};
use crate::extract::{Asked, Asks, Authorized, Question, perm};
use crate::routes::Answer;

/// Lines that are written at a time.
const SLICE: usize = 100;
const TABLES: &[&str] = &["days", "tiers", "countries", "steps", "retention"];

/// What the numbers are and how they are written.
#[derive(Deserialize)]
#[serde(transparent)]
pub struct FileOfNumbers(AnalyticsQuery);

impl Question for FileOfNumbers {
    const ASKS: &'static [Asks] = &[
        FILTERS[0],
        FILTERS[1],
        FILTERS[2],
        Asks::OneOf("table", TABLES),
        Asks::OneOf("format", FORMATS),
    ];
}

#[derive(Clone, Copy)]
enum Table {
    Days,
    Tiers,
    Countries,
    Steps,
    Retention,
}

impl Table {
    fn parse(text: &str) -> Result<Self, AppError> {
        match text {
            "" | "days" => Ok(Self::Days),
            "tiers" => Ok(Self::Tiers),
            "countries" => Ok(Self::Countries),
            "steps" => Ok(Self::Steps),
            "retention" => Ok(Self::Retention),
            _ => Err(AppError::invalid(
                "table",
                format!("must be one of {}", TABLES.join(", ")),
            )),
        }
    }

    const fn names(self) -> [&'static str; 2] {
        match self {
            Self::Days => [
                "attachment; filename=\"links.csv\"",
                "attachment; filename=\"links.ndjson\"",
            ],
            Self::Tiers => [
                "attachment; filename=\"trust-tiers.csv\"",
                "attachment; filename=\"trust-tiers.ndjson\"",
            ],
            Self::Countries => [
                "attachment; filename=\"countries.csv\"",
                "attachment; filename=\"countries.ndjson\"",
            ],
            Self::Steps => [
                "attachment; filename=\"link-page.csv\"",
                "attachment; filename=\"link-page.ndjson\"",
            ],
            Self::Retention => [
                "attachment; filename=\"retention.csv\"",
                "attachment; filename=\"retention.ndjson\"",
            ],
        }
    }

    const fn head(self, format: Format) -> &'static str {
        match (format, self) {
            (Format::Json, _) => "",
            (Format::Csv, Self::Days) => {
                "day,linked,ended_user,ended_admin,ended_plugin,ended_relink,ended_zombie_cleanup,active\r\n"
            }
            (Format::Csv, Self::Tiers) => "day,trusted,normal,watch,risk\r\n",
            (Format::Csv, Self::Countries) => "country,links\r\n",
            (Format::Csv, Self::Steps) => "step,reason,times\r\n",
            (Format::Csv, Self::Retention) => {
                "month,linked,left_after_1_day,left_after_7_days,left_after_30_days,left_after_90_days,left_after_180_days,left_after_365_days\r\n"
            }
        }
    }
}

pub async fn export(
    app: App,
    caller: Authorized<perm::AnalyticsExport>,
    Asked(FileOfNumbers(asked)): Asked<FileOfNumbers>,
) -> Answer<Export> {
    let (format, table) = (Format::parse(&asked.format)?, Table::parse(&asked.table)?);
    let wanted = asked.asked(app.now_ms())?;
    let found = analytics::get(&app, caller.scope, &wanted).await?;
    let writing = Writing {
        _place: exports::begin(&app, caller.scope, caller.actor, AuditAction::AnalyticsExported).await?,
        lines: lines(table, format, found).into_iter(),
    };
    Ok(Export::new(format, table.names(), table.head(format), writing))
}

/// A step that was reached, or a reason for not going on.
#[derive(Serialize)]
struct Step {
    step: &'static str,
    reason: String,
    times: i64,
}

fn lines(table: Table, format: Format, found: Analytics) -> Vec<String> {
    match table {
        Table::Days => written(format, found.days.into_iter().map(DayOfLinks::from), |day| {
            day.cells().to_vec()
        }),
        Table::Tiers => written(format, found.tiers.into_iter().map(DayOfTiers::from), |day| {
            day.cells().to_vec()
        }),
        Table::Countries => {
            let countries = found.countries;
            let rest = [("other", countries.other), ("unknown", countries.unknown)];
            let rest = rest.into_iter().filter(|(_, links)| *links > 0);
            let rest = rest.map(|(name, links)| (name.to_owned(), links));
            let all = countries.list.into_iter().chain(rest);
            written(format, all.map(CountryOfLinks::from), |country| {
                country.cells().to_vec()
            })
        }
        Table::Steps => written(format, steps(found.funnel), |step| {
            vec![step.step.to_owned(), step.reason.clone(), step.times.to_string()]
        }),
        Table::Retention => written(
            format,
            found.retention.into_iter().map(MonthOfLinks::from),
            |month| month.cells(),
        ),
    }
}

fn steps(funnel: Funnel) -> impl Iterator<Item = Step> {
    let reached = funnel.reached.into_iter().map(|(step, times)| Step {
        step: step.as_str(),
        reason: String::new(),
        times,
    });
    let failed = funnel.failed.into_iter().map(|(reason, times)| Step {
        step: LinkStep::Failed.as_str(),
        reason,
        times,
    });
    reached.chain(failed)
}

fn written<T: Serialize>(
    format: Format,
    rows: impl Iterator<Item = T>,
    cells: impl Fn(&T) -> Vec<String>,
) -> Vec<String> {
    rows.map(|row| match format {
        Format::Json => json_line(&row),
        Format::Csv => csv_line(cells(&row)),
    })
    .collect()
}

/// An export under way. A year has few numbers, so all of them are read before the first line.
struct Writing {
    lines: std::vec::IntoIter<String>,
    /// Free again when the file is sent, or nobody takes it any more.
    _place: ExportPlace,
}

impl Slices for Writing {
    async fn next(&mut self) -> Result<Option<Vec<String>>, AppError> {
        let slice: Vec<String> = self.lines.by_ref().take(SLICE).collect();
        Ok((!slice.is_empty()).then_some(slice))
    }
}
