//! Lists that go on: what is asked for, and where the next page begins.

use app::AppError;
use serde::Deserialize;

use crate::extract::{Asks, Question};

const USUAL: i64 = 50;
const MOST: i64 = 100;

/// A page of a list.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct Page {
    pub after: String,
    limit: Option<i64>,
}

impl Question for Page {
    const ASKS: &'static [Asks] = &[Asks::Text("after"), Asks::Number("limit")];
}

impl Page {
    pub fn limit(&self) -> Result<i64, AppError> {
        limit(self.limit)
    }
}

/// A page of what somebody looks for.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct Search {
    pub q: String,
    pub after: String,
    limit: Option<i64>,
}

impl Question for Search {
    const ASKS: &'static [Asks] = &[Asks::Text("q"), Asks::Text("after"), Asks::Number("limit")];
}

impl Search {
    pub fn limit(&self) -> Result<i64, AppError> {
        limit(self.limit)
    }
}

pub fn limit(asked: Option<i64>) -> Result<i64, AppError> {
    let limit = asked.unwrap_or(USUAL);
    if (1..=MOST).contains(&limit) {
        return Ok(limit);
    }
    Err(AppError::invalid("limit", "must be from 1 to 100"))
}

/// Where the next page begins; nothing behind a page that is not full.
pub fn next<T>(found: &[T], limit: i64, name: impl Fn(&T) -> String) -> Option<String> {
    let is_full = i64::try_from(found.len()).is_ok_and(|count| count == limit);
    found.last().filter(|_| is_full).map(name)
}
