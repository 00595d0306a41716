//! `symbolon import`: the tables of an older link system become links of one Guild.
//!
//! The files are read and checked here; what is left goes to the service in slices, which decides and writes.

mod gather;
mod report;

use std::path::PathBuf;

use app::import::files::Gathered;
use app::import::{ImportReport, ImportRow, ImportSlice, MOST_ROWS, RowOutcome};
use clap::Args;
use domain::id::{GuildId, ServerId};

use crate::admin::Channel;
use crate::cli::Common;
use crate::open::load_config;
use crate::output::Failure;
use gather::gather;
use report::{Outcome, Report};

/// Bytes of one slice as it travels to a running service.
const MOST_SLICE_BYTES: usize = 40 * 1024;

#[derive(Args)]
pub struct ImportOptions {
    /// Guild to import the links into (gld_…).
    #[arg(long)]
    pub guild: String,
    /// Server that gets the groups column as its reported groups (srv_…); without it, groups are not imported.
    #[arg(long)]
    pub server: Option<String>,
    /// MySQL dump with one or both tables.
    #[arg(
        long,
        value_name = "FILE",
        required_unless_present_any = ["users_csv", "removed_csv"],
        conflicts_with_all = ["users_csv", "removed_csv"]
    )]
    pub dump: Option<PathBuf>,
    /// CSV of the linked users table, with a header row.
    #[arg(long, value_name = "FILE")]
    pub users_csv: Option<PathBuf>,
    /// CSV of the removed users table, with a header row.
    #[arg(long, value_name = "FILE")]
    pub removed_csv: Option<PathBuf>,
    /// Name of the linked users table in the dump.
    #[arg(long, value_name = "NAME", default_value = "users")]
    pub users_table: String,
    /// Name of the removed users table in the dump.
    #[arg(long, value_name = "NAME", default_value = "users_removed")]
    pub removed_table: String,
    /// A column whose name is not recognised, such as steam_id=player; may be repeated.
    #[arg(long, value_name = "FIELD=NAME")]
    pub column: Vec<String>,
    /// UTC offset of times without one.
    #[arg(
        long,
        value_name = "±HH:MM",
        default_value = "+00:00",
        allow_hyphen_values = true
    )]
    pub utc_offset: String,
    /// Write the links. Without it, the report only shows what would be written.
    #[arg(long)]
    pub apply: bool,
    /// Print the report as JSON.
    #[arg(long)]
    pub json: bool,
}

pub async fn run(common: &Common, options: &ImportOptions) -> Result<(), Failure> {
    let guild = GuildId::parse(&options.guild).map_err(|error| format!("guild: {error}"))?;
    let server = options.server.as_deref().map(ServerId::parse).transpose();
    let server = server.map_err(|error| format!("server: {error}"))?;
    let (mut users, mut removed) = gather(options)?;
    let mut channel = Channel::open(&load_config(common, None)?).await?;
    let mut run = Run {
        channel: &mut channel,
        guild,
        server,
        write: options.apply,
        planned: 0,
        totals: ImportReport::default(),
    };
    // Links first: history of the same people is no reason to refuse them.
    let outcome = async {
        let linked = run.table(&mut users).await?;
        Ok::<_, Failure>((linked, run.table(&mut removed).await?))
    }
    .await;
    let totals = std::mem::take(&mut run.totals);
    let closed = channel.close().await;
    let (linked, ended) = outcome?;
    let report = Report {
        dry_run: !options.apply,
        users: (users, linked),
        removed: (removed, ended),
        boosters: totals.boosters,
        groups: totals.groups,
    };
    report.show(options.json);
    closed
}

struct Run<'a> {
    channel: &'a mut Channel,
    guild: GuildId,
    server: Option<ServerId>,
    write: bool,
    planned: i64,
    totals: ImportReport,
}

impl Run<'_> {
    /// Sends the rows of a table. An empty one is sent too: a wrong Guild must not go unnoticed.
    async fn table(&mut self, gathered: &mut Gathered) -> Result<Outcome, Failure> {
        let mut outcome = Outcome {
            refused: std::mem::take(&mut gathered.refused),
            ..Outcome::default()
        };
        let mut rows = std::mem::take(&mut gathered.rows).into_iter().peekable();
        loop {
            let (mut places, mut slice, mut bytes) = (Vec::new(), Vec::new(), 0);
            while let Some((_, row)) = rows.peek() {
                bytes += size_of(row);
                if slice.len() == MOST_ROWS || (bytes > MOST_SLICE_BYTES && !slice.is_empty()) {
                    break;
                }
                if let Some((place, row)) = rows.next() {
                    places.push(place);
                    slice.push(row);
                }
            }
            let ended: Vec<bool> = slice.iter().map(|row: &ImportRow| row.ended.is_some()).collect();
            let report = self.send(slice).await?;
            for ((place, became), ended) in places.into_iter().zip(report.rows).zip(ended) {
                match became {
                    RowOutcome::Added => {
                        outcome.added += 1;
                        self.planned += i64::from(!self.write && !ended);
                    }
                    RowOutcome::Known => outcome.known += 1,
                    RowOutcome::Refused(reason) => outcome.refused.push((place, reason)),
                }
            }
            self.totals.boosters += report.boosters;
            self.totals.groups += report.groups;
            if rows.peek().is_none() {
                outcome.refused.sort_by_key(|(place, _)| place.row);
                return Ok(outcome);
            }
        }
    }

    async fn send(&mut self, rows: Vec<ImportRow>) -> Result<ImportReport, Failure> {
        let slice = ImportSlice {
            guild: self.guild.clone(),
            server: self.server.clone(),
            rows,
            write: self.write,
            planned: self.planned,
        };
        self.channel.import(slice).await
    }
}

/// Roughly the bytes of a row on its way; names and groups make the difference.
fn size_of(row: &ImportRow) -> usize {
    let texts = [&row.discord_name, &row.steam_name, &row.groups];
    let escaped = |text: &Option<String>| text.as_ref().map_or(0, |text| 2 * text.len());
    300 + texts.into_iter().map(escaped).sum::<usize>()
}
