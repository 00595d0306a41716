//! From a row of a file to a row of the import, or the reason why not.

use domain::link::UnlinkCause;
use domain::name::given_name;
use domain::platform_id::{DiscordId, SteamId};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};

use super::columns::{Field, Mapping, Table};
use super::table::{RawRow, Value};
use crate::import::{Ended, ImportRow};

/// Details that were left out of rows which were taken all the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// No text, or too long.
    pub names: u64,
    /// Neither yes nor no.
    pub boosters: u64,
    /// Words that we have not.
    pub causes: u64,
}

impl LeftOut {
    /// In words, what there was of each.
    pub fn in_words(self) -> Vec<String> {
        [
            (self.names, "names that are not text or too long"),
            (self.boosters, "booster flags that are neither yes nor no"),
            (self.causes, "unknown causes"),
        ]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect()
    }
}

pub struct RowReader<'a> {
    pub table: Table,
    pub mapping: &'a Mapping,
    /// Of times that name no zone themselves.
    pub offset: Offset,
    pub left_out: &'a mut LeftOut,
}

impl RowReader<'_> {
    pub fn read(&mut self, row: &RawRow) -> Result<ImportRow, String> {
        if row.values.len() != row.columns.len() {
            return Err(format!(
                "it has {} values for {} columns",
                row.values.len(),
                row.columns.len()
            ));
        }
        let discord_id = self.id(row, Field::DiscordId, "Discord ID", DiscordId::parse)?;
        let steam_id = self.id(row, Field::SteamId, "Steam ID", SteamId::parse)?;
        let ended = match self.table {
            Table::Users => None,
            Table::Removed => Some(Ended {
                at_ms: self.time(row, Field::EndedAt)?,
                cause: self.cause(row),
            }),
        };
        Ok(ImportRow {
            discord_id,
            steam_id,
            discord_name: self.name(row, Field::DiscordName),
            steam_name: self.name(row, Field::SteamName),
            country: None,
            booster: self.booster(row),
            groups: self
                .text(row, Field::Groups)
                .filter(|text| is_list(text))
                .map(str::to_owned),
            linked_at_ms: self.time(row, Field::LinkedAt)?,
            ended,
        })
    }

    fn value<'r>(&self, row: &'r RawRow, field: Field) -> Option<&'r Value> {
        let value = row.values.get(self.mapping.place(field)?)?;
        let is_there = match value {
            Value::Null => false,
            Value::Text(bytes) => !bytes.trim_ascii().is_empty(),
            Value::Unreadable(_) => true,
        };
        is_there.then_some(value)
    }

    /// The text of a column, if it has one that can be read.
    fn text<'r>(&self, row: &'r RawRow, field: Field) -> Option<&'r str> {
        match self.value(row, field)? {
            Value::Text(bytes) => std::str::from_utf8(bytes).ok().map(str::trim),
            Value::Null | Value::Unreadable(_) => None,
        }
    }

    fn id<T, E: std::fmt::Display>(
        &self,
        row: &RawRow,
        field: Field,
        what: &str,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Result<T, String> {
        match self.value(row, field) {
            None => return Err(format!("the {what} is missing")),
            Some(Value::Unreadable(reason)) => return Err(format!("the {what} {reason}")),
            Some(Value::Null | Value::Text(_)) => {}
        }
        let text = self.text(row, field).unwrap_or_default();
        if text.contains(['e', 'E']) && text.parse::<f64>().is_ok() {
            return Err(format!(
                "the {what} was rounded, as spreadsheets do with long numbers; export the column as text"
            ));
        }
        parse(text).map_err(|error| format!("the {what} is not valid: {error}"))
    }

    /// A name without control characters; one that is no text or too long is left out.
    fn name(&mut self, row: &RawRow, field: Field) -> Option<String> {
        self.value(row, field)?;
        let name = self.text(row, field).and_then(given_name);
        self.left_out.names += u64::from(name.is_none());
        name
    }

    fn booster(&mut self, row: &RawRow) -> bool {
        if self.value(row, Field::Booster).is_none() {
            return false;
        }
        let text = self.text(row, Field::Booster).unwrap_or_default().to_lowercase();
        match text.as_str() {
            "1" | "true" | "yes" | "y" | "on" => true,
            "0" | "false" | "no" | "n" | "off" => false,
            _ => {
                self.left_out.boosters += 1;
                false
            }
        }
    }

    /// The cause of an end. One that we have no word for becomes `admin`, which counts against nobody.
    fn cause(&mut self, row: &RawRow) -> UnlinkCause {
        let Some(text) = self.text(row, Field::Cause) else {
            return UnlinkCause::Admin;
        };
        UnlinkCause::parse(&text.to_lowercase()).unwrap_or_else(|| {
            self.left_out.causes += 1;
            UnlinkCause::Admin
        })
    }

    fn time(&self, row: &RawRow, field: Field) -> Result<Option<i64>, String> {
        match self.value(row, field) {
            None => return Ok(None),
            Some(Value::Unreadable(reason)) => return Err(format!("its time {reason}")),
            Some(Value::Null | Value::Text(_)) => {}
        }
        let text = self.text(row, field).unwrap_or_default();
        time_ms(text, self.offset).map_err(|_| "its time cannot be read".to_owned())
    }
}

struct NoTime;

/// A date, a date with a time, or Unix time in seconds or milliseconds. MySQL's zero date is no time, and nobody linked
/// anything before 1970.
fn time_ms(text: &str, offset: Offset) -> Result<Option<i64>, NoTime> {
    Ok(any_time_ms(text, offset)?.filter(|at_ms| *at_ms > 0))
}

fn any_time_ms(text: &str, offset: Offset) -> Result<Option<i64>, NoTime> {
    if text.starts_with("0000-00-00") || text == "0" {
        return Ok(None);
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        let number: i64 = text.parse().map_err(|_| NoTime)?;
        // Seconds until the year 5138, milliseconds from 1973 on.
        return Ok(Some(if number < 100_000_000_000 {
            number * 1000
        } else {
            number
        }));
    }
    if let Ok(time) = text.parse::<Timestamp>() {
        return Ok(Some(time.as_millisecond()));
    }
    let local: DateTime = text.parse().map_err(|_| NoTime)?;
    let time = local.to_zoned(TimeZone::fixed(offset)).map_err(|_| NoTime)?;
    Ok(Some(time.timestamp().as_millisecond()))
}

/// `+02:00`, `-0530` or `+2`.
pub fn parse_offset(text: &str) -> Result<Offset, String> {
    let wrong = || "use the form +02:00".to_owned();
    let (sign, digits) = match text.split_at_checked(1) {
        Some(("+", digits)) => (1, digits),
        Some(("-", digits)) => (-1, digits),
        Some(_) | None => return Err(wrong()),
    };
    let (hours, minutes) = match digits.split_once(':') {
        Some(parts) => parts,
        None if digits.len() == 4 => digits.split_at(2),
        None => (digits, "0"),
    };
    let number = |text: &str| text.parse::<u8>().ok().map(i32::from);
    let seconds = number(hours)
        .zip(number(minutes))
        .filter(|(hours, minutes)| *hours <= 14 && *minutes < 60)
        .map(|(hours, minutes)| sign * (hours * 3600 + minutes * 60));
    seconds
        .and_then(|seconds| Offset::from_seconds(seconds).ok())
        .ok_or_else(wrong)
}

/// PHP's own way to write an array would read as one strange group name.
fn is_list(text: &str) -> bool {
    let serialized = text.starts_with("a:") && text.ends_with('}');
    !serialized && !text.chars().any(char::is_control)
}

#[cfg(test)]
#[path = "rows_tests.rs"]
mod tests;
