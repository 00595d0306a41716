//! Pages of a list: the newest first, forward from one id or back from another.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::error::ApiError;
use super::params::Params;

/// The parameters that every list has.
pub const PAGING: [&str; 3] = ["limit", "starting_after", "ending_before"];
const USUAL: i64 = 10;
const MOST: i64 = 100;

/// Things with their ids.
type Named<'a, T> = Vec<(&'a str, T)>;

/// What a caller asks for.
pub struct Page {
    limit: usize,
    starting_after: Option<String>,
    ending_before: Option<String>,
}

impl Page {
    pub fn of(params: &Params) -> Result<Self, ApiError> {
        let limit = params.integer("limit")?.unwrap_or(USUAL);
        if !(1..=MOST).contains(&limit) {
            let message = format!("Invalid limit: must be between 1 and {MOST}");
            return Err(params.wrong("limit", &message));
        }
        let page = Self {
            limit: usize::try_from(limit).unwrap_or_default(),
            starting_after: params.text("starting_after")?,
            ending_before: params.text("ending_before")?,
        };
        if page.starting_after.is_some() && page.ending_before.is_some() {
            let message = "You can't pass both starting_after and ending_before.";
            return Err(ApiError::invalid(message));
        }
        Ok(page)
    }

    /// Cuts the page out of everything, which is sorted already: the newest first. True when there are more.
    pub fn cut<'a, T>(&self, all: Named<'a, T>, kind: &str) -> Result<(Named<'a, T>, bool), ApiError> {
        let place = |id: &str, param: &str| {
            let found = all.iter().position(|(own, _)| *own == id);
            found.ok_or_else(|| ApiError::no_such(kind, id, param))
        };
        let (from, to) = match (&self.starting_after, &self.ending_before) {
            (Some(id), _) => (place(id, "starting_after")? + 1, all.len()),
            (None, Some(id)) => (0, place(id, "ending_before")?),
            (None, None) => (0, all.len()),
        };
        let has_more = to - from > self.limit;
        let from = if self.ending_before.is_some() && has_more {
            to - self.limit
        } else {
            from
        };
        let page = all.into_iter().skip(from).take((to - from).min(self.limit));
        Ok((page.collect(), has_more))
    }
}

/// A page of those that match. `created` tells when one was made.
pub fn list<T>(
    params: &Params,
    (kind, url): (&str, &str),
    all: &BTreeMap<String, T>,
    created: impl Fn(&T) -> i64,
    matches: impl Fn(&str, &T) -> bool,
    show: impl Fn(&str, &T) -> Value,
) -> Result<Value, ApiError> {
    let page = Page::of(params)?;
    let during = During::of(params, "created")?;
    let mut found: Vec<(&str, &T)> = all
        .iter()
        .map(|(id, it)| (id.as_str(), it))
        .filter(|(id, it)| during.includes(created(it)) && matches(id, it))
        .collect();
    found.sort_by(|one, other| (created(other.1), other.0).cmp(&(created(one.1), one.0)));
    let (page, has_more) = page.cut(found, kind)?;
    let data: Vec<Value> = page.into_iter().map(|(id, it)| show(id, it)).collect();
    Ok(json!({"object": "list", "data": data, "has_more": has_more, "url": url}))
}

/// `created=1`, `created[gte]=1&created[lt]=2`.
#[derive(Debug, Default)]
pub struct During {
    from: Option<i64>,
    to: Option<i64>,
}

impl During {
    pub fn of(params: &Params, name: &str) -> Result<Self, ApiError> {
        if params.tree().get(name).is_some_and(Value::is_string) {
            let at = params.time(name)?;
            return Ok(Self { from: at, to: at });
        }
        let bounds = params.inner(name)?;
        bounds.only(&["gt", "gte", "lt", "lte"])?;
        let after = bounds.time("gt")?.map(|time| time + 1);
        let before = bounds.time("lt")?.map(|time| time - 1);
        Ok(Self {
            from: after.max(bounds.time("gte")?),
            to: match (before, bounds.time("lte")?) {
                (Some(one), Some(other)) => Some(one.min(other)),
                (one, other) => one.or(other),
            },
        })
    }

    pub fn includes(&self, time: i64) -> bool {
        self.from.is_none_or(|from| from <= time) && self.to.is_none_or(|to| time <= to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(query: &str) -> (Vec<i64>, bool) {
        let params = Params::parse(&[query.as_bytes()]).expect("parameters");
        let all: BTreeMap<String, i64> = (1..=5).map(|number| (format!("x{number}"), number / 3)).collect();
        let page = list(
            &params,
            ("x", "/v1/x"),
            &all,
            |at| *at,
            |_, _| true,
            |id, _| id.into(),
        );
        let page = page.expect("a page");
        let data = page["data"].as_array().expect("a list").iter();
        let numbers = data.map(|id| {
            id.as_str()
                .and_then(|id| id[1..].parse().ok())
                .unwrap_or_default()
        });
        (numbers.collect(), page["has_more"] == true)
    }

    #[test]
    fn pages_go_forward_and_back() {
        assert_eq!(ids(""), (vec![5, 4, 3, 2, 1], false));
        assert_eq!(ids("limit=2"), (vec![5, 4], true));
        assert_eq!(ids("limit=2&starting_after=x4"), (vec![3, 2], true));
        assert_eq!(ids("limit=2&starting_after=x2"), (vec![1], false));
        assert_eq!(ids("limit=2&ending_before=x1"), (vec![3, 2], true));
        assert_eq!(ids("limit=2&ending_before=x4"), (vec![5], false));
    }

    #[test]
    fn times_bound_a_list() {
        assert_eq!(ids("created=0").0, [2, 1]);
        assert_eq!(ids("created[gt]=0").0, [5, 4, 3]);
        assert_eq!(ids("created[gte]=0&created[lt]=1").0, [2, 1]);
    }
}
