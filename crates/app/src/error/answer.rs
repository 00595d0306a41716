//! What a failure answers, as one row: each area writes its own rows beside its variants.

use std::borrow::Cow;

use domain::flow::Provider;

/// Whose it is to put right. It decides what is logged and where the detail is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The caller's: counted for their Org, without the detail.
    Caller,
    /// Ours: logged as an error, with the detail.
    Ours,
    /// A provider's, or of our standing with it: its client has logged it, and the detail is kept.
    Provider,
    /// Nobody's in a hurry: how the instance is set up, or what a provider's client has told already.
    Known,
}

/// One row: everything about a failure that leaves the service, and whose fault it is.
///
/// The message says what happened and what to do; it never holds anything internal. The named values are fields of the
/// JSON object beside it, for programs.
#[derive(Debug)]
pub struct ErrorAnswer<'a> {
    /// HTTP's status.
    pub status: u16,
    /// The stable word that programs compare, explained in `docs/api-errors.md`.
    pub code: &'static str,
    /// Whole sentences for a person.
    pub message: Cow<'a, str>,
    /// Seconds after which the same request may succeed without a change, where that can be.
    pub retry_after_s: Option<i64>,
    /// Whose it is to put right.
    pub fault: Fault,
    /// The plugin's action that was refused.
    pub action: Option<&'static str>,
    /// The parameter or field that is wrong.
    pub parameter: Option<&'static str>,
    /// The permission that is lacking.
    pub permission: Option<&'static str>,
    /// The ceiling that was met.
    pub limit: Option<i64>,
    /// What that ceiling is of.
    pub dimension: Option<&'static str>,
    /// The row of a list that is wrong, counted from 0.
    pub row: Option<usize>,
    /// Where our bot is added to a Discord server.
    pub invite_url: Option<&'a str>,
    /// The methods that an address takes, as in the header `Allow`.
    pub allow: Option<&'a str>,
}

impl<'a> ErrorAnswer<'a> {
    /// A row without named values. Statuses from 500 are our fault unless the row says otherwise.
    pub(super) fn new(status: u16, code: &'static str, message: impl Into<Cow<'a, str>>) -> Self {
        Self {
            status,
            code,
            message: message.into(),
            retry_after_s: None,
            fault: if status >= 500 { Fault::Ours } else { Fault::Caller },
            action: None,
            parameter: None,
            permission: None,
            limit: None,
            dimension: None,
            row: None,
            invite_url: None,
            allow: None,
        }
    }

    pub(super) fn retry_after_s(self, seconds: i64) -> Self {
        Self {
            retry_after_s: Some(seconds),
            ..self
        }
    }

    pub(super) fn fault(self, fault: Fault) -> Self {
        Self { fault, ..self }
    }

    pub(super) fn action(self, action: &'static str) -> Self {
        Self {
            action: Some(action),
            ..self
        }
    }

    pub(super) fn parameter(self, parameter: &'static str) -> Self {
        Self {
            parameter: Some(parameter),
            ..self
        }
    }

    pub(super) fn permission(self, permission: &'static str) -> Self {
        Self {
            permission: Some(permission),
            ..self
        }
    }

    pub(super) fn limit(self, limit: i64) -> Self {
        Self {
            limit: Some(limit),
            ..self
        }
    }

    pub(super) fn dimension(self, dimension: &'static str) -> Self {
        Self {
            dimension: Some(dimension),
            ..self
        }
    }

    pub(super) fn row(self, row: usize) -> Self {
        Self {
            row: Some(row),
            ..self
        }
    }

    pub(super) fn invite_url(self, url: &'a str) -> Self {
        Self {
            invite_url: Some(url),
            ..self
        }
    }

    pub(super) fn allow(self, methods: &'a str) -> Self {
        Self {
            allow: Some(methods),
            ..self
        }
    }
}

/// A provider as people write it.
pub(super) fn titled(provider: Provider) -> &'static str {
    match provider {
        Provider::Discord => "Discord",
        Provider::Steam => "Steam",
    }
}

/// Rounded up, and never nothing.
pub(super) fn seconds(ms: i64) -> i64 {
    (ms + 999).div_euclid(1000).max(1)
}

/// Rounded up to what a person would say.
pub(super) fn waiting_time(ms: i64) -> String {
    let minutes = (ms + 59_999).div_euclid(60_000).max(1);
    match minutes {
        1 => "a minute".to_owned(),
        2..=119 => format!("{minutes} minutes"),
        120..=2879 => format!("{} hours", (minutes + 59) / 60),
        _ => format!("{} days", (minutes + 1439) / 1440),
    }
}
