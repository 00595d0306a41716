//! Parameters of a call, read by hand from the raw query: a repeated name has a defined meaning.

use std::borrow::Cow;

use domain::action::Action;

pub struct Params<'a> {
    pairs: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    action: ActionParam,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionParam {
    Known(Action),
    Unknown,
    Missing,
    Repeated,
}

impl<'a> Params<'a> {
    pub fn parse(query: &'a str) -> Self {
        let pairs: Vec<_> = form_urlencoded::parse(query.as_bytes()).collect();
        let mut action = ActionParam::Missing;
        for (name, value) in &pairs {
            if name == "action" {
                action = match action {
                    ActionParam::Missing => {
                        Action::parse(value).map_or(ActionParam::Unknown, ActionParam::Known)
                    }
                    ActionParam::Known(_) | ActionParam::Unknown | ActionParam::Repeated => {
                        ActionParam::Repeated
                    }
                };
            }
        }
        Self { pairs, action }
    }

    pub fn action(&self) -> ActionParam {
        self.action
    }

    /// The value of a parameter; of a repeated one the last.
    pub fn last(&self, name: &str) -> Option<&str> {
        self.pairs
            .iter()
            .rev()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_ref())
    }
}

/// Whether a failure of this call must carry the words that old bots read as "not linked".
/// True for the three id look-ups, and whenever the action is not known to be another one.
pub fn is_fail_closed(query: &str) -> bool {
    match Params::parse(query).action() {
        ActionParam::Known(action) => action.spec().fail_closed,
        ActionParam::Unknown | ActionParam::Missing | ActionParam::Repeated => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_a_repeated_parameter_counts() {
        let params = Params::parse("id=1&action=count&id=2&secret=&id=3");
        assert_eq!(
            (params.last("id"), params.last("secret"), params.last("none")),
            (Some("3"), Some(""), None)
        );
    }

    #[test]
    fn a_second_action_is_noticed_even_when_equal() {
        assert_eq!(
            Params::parse("action=count&action=count").action(),
            ActionParam::Repeated
        );
        assert_eq!(Params::parse("action=Count").action(), ActionParam::Unknown);
        assert_eq!(
            Params::parse("action=getBotGuildMapping").action(),
            ActionParam::Unknown
        );
        assert_eq!(
            Params::parse("%61ction=count").action(),
            ActionParam::Known(Action::Count)
        );
    }

    #[test]
    fn anything_but_a_known_other_action_fails_closed() {
        for query in [
            "action=findBySteam",
            "action=findByDiscord",
            "action=discordCheck",
            "",
            "action=x",
            "action=count&action=count",
        ] {
            assert!(is_fail_closed(query), "{query}");
        }
        assert!(!is_fail_closed("action=count"));
    }
}
