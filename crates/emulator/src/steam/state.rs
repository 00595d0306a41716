//! What Steam knows.

use std::collections::{BTreeMap, BTreeSet};

use domain::platform_id::SteamId;
use serde::{Deserialize, Serialize};

use crate::common::person::Purpose;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SteamState {
    pub accounts: BTreeMap<SteamId, Account>,
    /// By 32-bit id in decimal. A group that accounts name but nobody described is there too, with defaults.
    pub groups: BTreeMap<String, Group>,
    /// Web API keys that are valid; while there is none, every key is.
    pub api_keys: BTreeSet<String>,
    pub check: Check,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Account {
    pub name: String,
    /// Nobody but friends sees the groups of a private account.
    pub private: bool,
    /// 32-bit group ids in decimal.
    pub groups: Vec<String>,
    /// The name in the address of the profile, if its owner chose one.
    pub vanity: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose: Option<Purpose>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Group {
    pub name: String,
    /// The last part of the group's address.
    pub vanity: String,
}

/// How `check_authentication` is answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// Genuine, fresh and asked for the first time.
    #[default]
    Honest,
    /// A provider that says yes to everything.
    AlwaysValid,
    AlwaysInvalid,
}

impl Account {
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }
}

impl SteamState {
    /// What types cannot say: group ids are 32-bit numbers.
    pub fn validate(&self) -> Result<(), String> {
        let named = self.accounts.values().flat_map(|account| &account.groups);
        match named.chain(self.groups.keys()).find(|gid| !is_gid(gid)) {
            Some(wrong) => Err(format!(
                "`{wrong}` is not a group id: use the 32-bit number in decimal"
            )),
            None => Ok(()),
        }
    }

    pub fn accepts_key(&self, key: &str) -> bool {
        !key.is_empty() && (self.api_keys.is_empty() || self.api_keys.contains(key))
    }

    /// The group's own words, if it exists: because somebody described it, or because somebody is in it.
    pub fn group(&self, gid: &str) -> Option<Group> {
        let described = self.groups.get(gid).cloned();
        described.or_else(|| {
            let inhabited = self
                .accounts
                .values()
                .any(|account| account.groups.iter().any(|own| own == gid));
            inhabited.then(Group::default)
        })
    }

    pub fn members(&self, gid: &str) -> impl Iterator<Item = &SteamId> {
        self.accounts
            .iter()
            .filter(move |(_, account)| account.groups.iter().any(|own| own == gid))
            .map(|(id, _)| id)
    }
}

fn is_gid(text: &str) -> bool {
    text.parse::<u32>().is_ok_and(|number| number.to_string() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn group_ids_are_32_bit_numbers_in_one_spelling() {
        for (gid, good) in [
            ("4", true),
            ("4294967295", true),
            ("4294967296", false),
            ("04", false),
            ("x", false),
        ] {
            assert_eq!(is_gid(gid), good, "{gid}");
        }
    }

    #[test]
    fn any_key_will_do_until_keys_are_named() {
        let mut state = SteamState::default();
        assert!(state.accepts_key("A") && !state.accepts_key(""));
        state.api_keys.insert("B".to_owned());
        assert!(state.accepts_key("B") && !state.accepts_key("A"));
    }
}
