//! What operators tell people in the dashboard.

use crate::plan::Tier;
use crate::words::words;

const BODY_MAX: usize = 500;

words! {
    /// How much it matters.
    pub enum Severity {
        Info = "info",
        Success = "success",
        Warning = "warning",
        Critical = "critical",
    }
}

words! {
    /// Whom it is for.
    pub enum Target {
        All = "all",
        Free = "free",
        Standard = "standard",
        Pro = "pro",
        /// Inside Orgs of any plan that is paid for.
        Paid = "paid",
    }
}

words! {
    /// Where it stands in time.
    pub enum State {
        Planned = "planned",
        Shown = "shown",
        Ended = "ended",
    }
}

impl Target {
    /// What is shown inside an Org of a tier.
    pub const fn inside(tier: Tier) -> [Self; 3] {
        match tier {
            // Twice the same: every tier has three.
            Tier::Free => [Self::All, Self::Free, Self::Free],
            Tier::Standard => [Self::All, Self::Standard, Self::Paid],
            Tier::Pro => [Self::All, Self::Pro, Self::Paid],
        }
    }
}

impl State {
    /// An end is the first moment at which it is not shown any more.
    pub const fn at(now_ms: i64, starts_at_ms: i64, ends_at_ms: Option<i64>) -> Self {
        match ends_at_ms {
            Some(ends_at_ms) if ends_at_ms <= now_ms => Self::Ended,
            Some(_) | None if starts_at_ms > now_ms => Self::Planned,
            Some(_) | None => Self::Shown,
        }
    }
}

/// Why a text is not announced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    #[error("say something, in at most 500 characters")]
    Length,
    #[error("only visible characters and line breaks can be announced")]
    Control,
}

/// A text of 1 to 500 characters, trimmed. It is shown as it is: nothing in it is markup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body(String);

impl Body {
    pub fn parse(text: &str) -> Result<Self, BodyError> {
        let body = text.trim();
        if body.is_empty() || body.chars().count() > BODY_MAX {
            return Err(BodyError::Length);
        }
        if body.chars().any(|c| c.is_control() && c != '\n') {
            return Err(BodyError::Control);
        }
        Ok(Self(body.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paid_customers_are_those_with_standard_and_pro() {
        for (tier, paid) in [(Tier::Free, false), (Tier::Standard, true), (Tier::Pro, true)] {
            let shown = Target::inside(tier);
            assert_eq!(shown.contains(&Target::Paid), paid);
            assert!(shown.contains(&Target::All));
            assert_eq!(
                Target::parse(tier.as_str()).map(|own| shown.contains(&own)),
                Some(true)
            );
        }
        assert!(!Target::inside(Tier::Pro).contains(&Target::Standard));
    }

    #[test]
    fn it_is_shown_from_its_start_to_its_end() {
        assert_eq!(State::at(9, 10, None), State::Planned);
        assert_eq!(State::at(10, 10, None), State::Shown);
        assert_eq!(State::at(10, 10, Some(11)), State::Shown);
        assert_eq!(State::at(11, 10, Some(11)), State::Ended);
    }

    #[test]
    fn a_text_has_something_to_read_and_nothing_hidden() {
        assert_eq!(
            Body::parse("  Two\nlines ").map(|body| body.0),
            Ok("Two\nlines".to_owned())
        );
        assert_eq!(Body::parse(" \n "), Err(BodyError::Length));
        assert_eq!(Body::parse(&"x".repeat(501)), Err(BodyError::Length));
        assert_eq!(Body::parse("a\u{7}b"), Err(BodyError::Control));
        assert!(Body::parse("<script>").is_ok());
    }
}
