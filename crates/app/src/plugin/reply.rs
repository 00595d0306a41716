//! The bodies that actions answer with.

use domain::name::without_zero_width;
use domain::platform_id::{SteamAccount, SteamId};
use serde::Serialize;
use storage::linking::lookups::Named;

use super::Reply;
use super::input::Listed;
use crate::error::AppError;

impl Reply {
    /// `{"<id>":true,…}` for every asked id, in order; what is no id is false under its own text.
    pub(super) fn flags(asked: &Listed<'_, SteamId>, mut yes: Vec<SteamAccount>) -> Self {
        yes.sort_unstable();
        let mut flags = Flags::with_room(asked.ids.len() + asked.odd.len());
        let mut odd = asked.odd.iter().peekable();
        for (position, id) in asked.ids.iter().enumerate() {
            while let Some((_, text)) = odd.next_if(|(before, _)| *before == position) {
                flags.push_odd(text);
            }
            flags.push(id.as_str(), yes.binary_search(&id.account()).is_ok());
        }
        odd.for_each(|(_, text)| flags.push_odd(text));
        flags.finish()
    }

    /// `{"<id>":true,…}` in the order given.
    pub(super) fn pairs<'a>(given: impl Iterator<Item = (&'a str, bool)>) -> Self {
        let mut flags = Flags::with_room(given.size_hint().0);
        given.for_each(|(id, flag)| flags.push(id, flag));
        flags.finish()
    }

    /// `{"<discord id>":"name",…}` with names as they are stored, which confirmed ones are compared with.
    pub(super) fn stored_names(named: Vec<Named>) -> Result<Self, AppError> {
        Reply::object(named.into_iter().map(|entry| (entry.discord_id, entry.name)))
    }

    /// The same with names as they are shown.
    pub(super) fn names(named: Vec<Named>) -> Result<Self, AppError> {
        Reply::object(
            named
                .into_iter()
                .filter_map(|entry| Some((entry.discord_id, shown(&entry.name)?))),
        )
    }

    fn object(entries: impl Iterator<Item = (String, String)>) -> Result<Self, AppError> {
        let object: serde_json::Map<String, serde_json::Value> =
            entries.map(|(id, name)| (id, name.into())).collect();
        Reply::of(&object)
    }

    /// How many entries of a report were taken, and how many were not.
    pub(super) fn counted(updated: u64, errors: u64) -> Self {
        Reply::json(format!(r#"{{"updated":{updated},"errors":{errors}}}"#))
    }

    /// Any value as JSON.
    pub(super) fn of(value: &impl Serialize) -> Result<Self, AppError> {
        serde_json::to_string(value)
            .map(Reply::json)
            .map_err(AppError::internal)
    }
}

/// A stored name as it is told: older ones may hold characters that take no room. Nothing when nothing else is left.
pub(super) fn shown(name: &str) -> Option<String> {
    Some(without_zero_width(name)).filter(|name| !name.trim().is_empty())
}

/// An object from id to yes or no, written as it comes.
struct Flags(String);

impl Flags {
    fn with_room(entries: usize) -> Self {
        const ENTRY: usize = "\"76561197960265728\":false,".len();
        let mut body = String::with_capacity(2 + ENTRY * entries);
        body.push('{');
        Self(body)
    }

    /// Ids are digits, so nothing needs escaping.
    fn push(&mut self, id: &str, flag: bool) {
        self.separate();
        self.0.push('"');
        self.0.push_str(id);
        self.0.push_str(if flag { "\":true" } else { "\":false" });
    }

    fn push_odd(&mut self, text: &str) {
        self.separate();
        self.0.push_str(&serde_json::Value::from(text).to_string());
        self.0.push_str(":false");
    }

    fn separate(&mut self) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
    }

    fn finish(mut self) -> Reply {
        self.0.push('}');
        Reply::json(self.0)
    }
}
