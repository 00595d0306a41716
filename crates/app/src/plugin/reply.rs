//! The bodies that actions answer with.

use domain::platform_id::{SteamAccount, SteamId};
use serde::Serialize;
use storage::lookups::Named;

use super::Reply;
use crate::error::AppError;

impl Reply {
    /// `{"<id>":true,…}` for every asked id, in order.
    pub(super) fn flags(asked: &[SteamId], yes: Vec<SteamAccount>) -> Self {
        let mut yes = yes;
        yes.sort_unstable();
        let is_yes = |id: &SteamId| yes.binary_search(&id.account()).is_ok();
        Reply::told(asked.iter().map(|id| (id.as_str(), is_yes(id))))
    }

    /// `{"<id>":true,…}` in the order given.
    pub(super) fn told<'a>(flags: impl Iterator<Item = (&'a str, bool)>) -> Self {
        const ENTRY: usize = "\"76561197960265728\":false,".len();
        let mut body = String::with_capacity(2 + ENTRY * flags.size_hint().0);
        body.push('{');
        for (id, flag) in flags {
            if body.len() > 1 {
                body.push(',');
            }
            body.push('"');
            body.push_str(id);
            body.push_str(if flag { "\":true" } else { "\":false" });
        }
        body.push('}');
        Reply::json(body)
    }

    /// `{"<discord id>":"name",…}`.
    pub(super) fn names(named: &[Named]) -> Result<Self, AppError> {
        let object: serde_json::Map<String, serde_json::Value> = named
            .iter()
            .map(|entry| (entry.discord_id.clone(), entry.name.clone().into()))
            .collect();
        Reply::of(&object)
    }

    /// Any value as JSON.
    pub(super) fn of(value: &impl Serialize) -> Result<Self, AppError> {
        serde_json::to_string(value)
            .map(Reply::json)
            .map_err(|error| AppError::Internal(error.to_string()))
    }
}
