//! Operators who look into somebody else's Org, and why they say they do.

use crate::permission::{Permission, PermissionSet};

const REASON_MIN: usize = 5;
const REASON_MAX: usize = 200;
/// The shortest id of a platform has this many digits; dates and ticket numbers have fewer.
const TELLING_DIGITS: usize = 15;
const MINUTE_MS: i64 = 60_000;

/// Why a reason is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReasonError {
    #[error("say why, in 5 to 200 characters on one line")]
    Form,
    #[error("the audit log keeps this for good: leave out e-mail addresses and the IDs of people")]
    NamesSomebody,
}

/// Why an operator does something, as the audit log keeps it. It holds no id of a platform and no address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason(String);

impl Reason {
    pub fn parse(text: &str) -> Result<Self, ReasonError> {
        let reason = text.trim();
        if !(REASON_MIN..=REASON_MAX).contains(&reason.chars().count())
            || reason.chars().any(char::is_control)
        {
            return Err(ReasonError::Form);
        }
        let mut digits = 0;
        for c in reason.chars() {
            digits = if c.is_ascii_digit() { digits + 1 } else { 0 };
            if digits >= TELLING_DIGITS || c == '@' {
                return Err(ReasonError::NamesSomebody);
            }
        }
        Ok(Self(reason.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// How long a visit may last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Minutes(i64);

impl Minutes {
    /// Unless somebody wants less.
    pub const MOST: Self = Self(60);

    pub const fn new(minutes: i64) -> Option<Self> {
        if minutes >= 5 && minutes <= Self::MOST.0 {
            Some(Self(minutes))
        } else {
            None
        }
    }

    pub const fn get(self) -> i64 {
        self.0
    }

    pub const fn as_ms(self) -> i64 {
        self.0 * MINUTE_MS
    }
}

/// What a visitor may do: look, and with a writing visit put right what support is asked for. Never who belongs to the Org,
/// what it pays, its keys, ending links of many, or taking its data home. Some routes leave visitors out besides.
pub fn permissions(can_write: bool) -> PermissionSet {
    use Permission as P;
    const READ: [P; 4] = [P::LinksView, P::ServersView, P::AuditView, P::AnalyticsView];
    const WRITE: [P; 6] = [
        P::OrgSettings,
        P::OrgNavigation,
        P::LinksUnlink,
        P::ServersManage,
        P::ServersRoles,
        P::ServersBots,
    ];
    let more = WRITE.into_iter().filter(|_| can_write);
    READ.into_iter().chain(more).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_names_nobody() {
        assert_eq!(
            Reason::parse(" Ticket 20260101-4711 ").map(|reason| reason.0),
            Ok("Ticket 20260101-4711".to_owned())
        );
        for text in ["ask a@b.example", "for 123456789012345678", "x76561198000000001y"] {
            assert_eq!(Reason::parse(text), Err(ReasonError::NamesSomebody), "{text}");
        }
        for text in ["", "why", "two\nlines of it", &"x".repeat(201)] {
            assert_eq!(Reason::parse(text), Err(ReasonError::Form), "{text}");
        }
    }

    #[test]
    fn a_visit_is_short() {
        assert_eq!(Minutes::new(4), None);
        assert_eq!(Minutes::new(61), None);
        assert_eq!(Minutes::new(60), Some(Minutes::MOST));
        assert_eq!(Minutes::MOST.as_ms(), 3_600_000);
    }

    #[test]
    fn looking_changes_nothing_and_no_visit_reaches_team_money_or_keys() {
        let (read, write) = (permissions(false), permissions(true));
        assert!(
            read.iter()
                .all(|permission| permission.as_str().ends_with(".view"))
        );
        assert!(read.is_subset_of(write));
        for never in [
            Permission::OrgTeam,
            Permission::OrgInvites,
            Permission::OrgBilling,
            Permission::ServersKeys,
            Permission::LinksExport,
            Permission::LinksBulkUnlink,
            Permission::LinksCleanup,
            Permission::AuditExport,
            Permission::AnalyticsExport,
        ] {
            assert!(!write.contains(never), "{never}");
        }
    }
}
