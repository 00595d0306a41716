//! Parameters of a call, read by hand from the raw query: a repeated name has a defined meaning.

use std::borrow::Cow;

use domain::action::{ACTIONS, Action, ActionSpec};
use serde_json::Value;

/// Names that begin a parameter. A display name pasted raw into the address may hold `&` and `=`; it ends only where
/// one of these begins.
const KNOWN: [&str; 16] = [
    "action",
    "id",
    "secret",
    "guild_id",
    "server_id",
    "group",
    "groups",
    "role",
    "mode",
    "status",
    "name",
    "nickname",
    "synced",
    "cursor",
    "limit",
    "since",
];

/// The query as it came, and what it says.
pub struct Params<'a> {
    query: &'a str,
    pairs: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    action: ActionParam,
    body: Body,
}

/// The body of a POST.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Body {
    /// None, or nothing but space.
    #[default]
    Empty,
    /// Whatever it is: each action looks for what it needs.
    Json(Value),
    /// Something, but not JSON.
    Unreadable,
}

/// What an object with one field takes in memory, however short it was written.
const OBJECT_BYTES: usize = 640;
/// What any other value takes.
const VALUE_BYTES: usize = 64;

impl Body {
    /// An upper bound of what a body takes in memory once it is read, beside its own bytes: seven bytes of `{"":0},` take
    /// nearly a hundred times as much.
    pub fn weight(bytes: &[u8]) -> usize {
        let of = |byte: &u8| match byte {
            b'{' => OBJECT_BYTES,
            b'[' | b',' => VALUE_BYTES,
            _ => 0,
        };
        bytes.iter().map(of).sum()
    }

    /// Nothing is refused here; an action that needs a body says what is wrong with it.
    pub fn read(bytes: &[u8]) -> Self {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Body::Empty;
        }
        serde_json::from_slice(bytes).map_or(Body::Unreadable, Body::Json)
    }
}

/// The parameter `action`, which decides how a failure must sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionParam {
    /// Given once, and spelled right.
    Known(Action),
    /// Given once, and not in the table.
    Unknown,
    /// Not given.
    Missing,
    /// Given more than once: nobody can tell what was meant.
    Repeated,
}

impl<'a> Params<'a> {
    /// Refuses nothing: what is wrong is found by whoever needs the parameter.
    pub fn parse(query: &'a str, body: Body) -> Self {
        let pairs: Vec<_> = query.split('&').filter_map(pair).collect();
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
        Self {
            query,
            pairs,
            action,
            body,
        }
    }

    /// Read once, when the query is parsed.
    pub fn action(&self) -> ActionParam {
        self.action
    }

    /// The body, once it was read.
    pub fn set_body(&mut self, body: Body) {
        self.body = body;
    }

    /// Empty until `set_body`.
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// The value of a parameter; of a repeated one the last.
    pub fn last(&self, name: &str) -> Option<&str> {
        let mut found = self.pairs.iter().rev().filter(|(known, _)| known == name);
        found.next().map(|(_, value)| value.as_ref())
    }

    /// A text that people chose and old clients paste without encoding it.
    pub(crate) fn free_text(&self, name: &str) -> Option<String> {
        let starts = ["&", name, "="].concat();
        let query = ["&", self.query].concat();
        let value = &query[query.find(&starts)? + starts.len()..];
        let end = value
            .match_indices('&')
            .map(|(at, _)| at)
            .find(|at| begins_parameter(&value[at + 1..]));
        let raw = &value[..end.unwrap_or(value.len())];
        // With spaces written as %20, a plus is a plus.
        let raw = if raw.contains("%20") {
            raw.replace('+', "%2B")
        } else {
            raw.to_owned()
        };
        let decoded = form_urlencoded::parse(raw.replace('&', "%26").replace('=', "%3D").as_bytes())
            .next()
            .map(|(text, _)| text.into_owned());
        Some(decoded.unwrap_or_default())
    }
}

/// One parameter. Most are written as they are meant, and long lists of ids always are: they are not copied.
fn pair(text: &str) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
    if text.bytes().any(|byte| byte == b'%' || byte == b'+') {
        return form_urlencoded::parse(text.as_bytes()).next();
    }
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    (!text.is_empty()).then_some((Cow::Borrowed(name), Cow::Borrowed(value)))
}

fn begins_parameter(text: &str) -> bool {
    KNOWN
        .iter()
        .any(|name| text.strip_prefix(name).is_some_and(|rest| rest.starts_with('=')))
}

/// Whether a failure of this call must carry the words that old bots read as "not linked".
/// True for the three id look-ups, and whenever the action is not known to be another one.
pub fn is_fail_closed(query: &str) -> bool {
    match Params::parse(query, Body::Empty).action() {
        ActionParam::Known(action) => action.spec().fail_closed,
        ActionParam::Unknown | ActionParam::Missing | ActionParam::Repeated => true,
    }
}

/// Whether a query asks for one of the id look-ups, however clumsily: clients that know no better put theirs behind
/// another query, or spell the action in their own way.
pub fn names_look_up(query: &str) -> bool {
    let mut pairs = query.split(['&', '?', ';']).filter_map(pair);
    pairs.any(|(name, value)| {
        let is_look_up = |spec: &ActionSpec| spec.fail_closed && value.trim().eq_ignore_ascii_case(spec.name);
        name == "action" && ACTIONS.iter().any(is_look_up)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(query: &str) -> Params<'_> {
        Params::parse(query, Body::Empty)
    }

    #[test]
    fn the_last_of_a_repeated_parameter_counts() {
        let params = parse("id=1&action=count&id=2&secret=&id=3");
        assert_eq!(
            (params.last("id"), params.last("secret"), params.last("none")),
            (Some("3"), Some(""), None)
        );
    }

    #[test]
    fn a_second_action_is_noticed_even_when_equal() {
        assert_eq!(parse("action=count&action=count").action(), ActionParam::Repeated);
        assert_eq!(parse("action=Count").action(), ActionParam::Unknown);
        assert_eq!(parse("action=getBotGuildMapping").action(), ActionParam::Unknown);
        assert_eq!(
            parse("%61ction=count").action(),
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

    #[test]
    fn a_look_up_is_noticed_wherever_it_stands_in_a_query() {
        for query in [
            "action=findBySteam&id=1",
            "id=1&action=discordCheck",
            "action=count&action=findByDiscord",
            "%61ction=find%42ySteam",
            "guild=x?action=findBySteam",
            "action=findbysteam+",
        ] {
            assert!(names_look_up(query), "{query}");
        }
        for query in [
            "",
            "action",
            "action=count",
            "id=findBySteam",
            "action=findBySteamX",
            "q=action",
        ] {
            assert!(!names_look_up(query), "{query}");
        }
    }

    #[test]
    fn a_name_pasted_raw_survives() {
        for (query, name) in [
            (
                "action=updateSteam&id=1&name=Tom%20&%20Jerry=2+1&secret=x",
                "Tom & Jerry=2+1",
            ),
            ("name=Tom+Cat&id=1", "Tom Cat"),
            ("id=1&name=a%26b", "a&b"),
            ("id=1&name=&&&secret=x", "&&"),
            ("id=1&name=&secret=x", ""),
            ("id=1&name=%E2%98%83&nickname=b", "☃"),
        ] {
            assert_eq!(parse(query).free_text("name").as_deref(), Some(name), "{query}");
        }
        assert_eq!(parse("nickname=x").free_text("name"), None);
    }

    proptest! {
        #[test]
        fn whatever_is_asked_has_an_answer(query in ".{0,300}", name in "[a-z_]{1,12}") {
            let params = parse(&query);
            params.action();
            params.last(&name);
            params.free_text(&name);
            is_fail_closed(&query);
        }

        #[test]
        fn a_query_is_read_as_a_form(query in "[a-c=&%+2é ]{0,60}") {
            let read: Vec<_> = query.split('&').filter_map(pair).collect();
            let form: Vec<_> = form_urlencoded::parse(query.as_bytes()).collect();
            prop_assert_eq!(read, form);
        }

        #[test]
        fn encoded_values_come_back_and_the_last_one_counts(values in prop::collection::vec(".{0,40}", 1..6)) {
            let query = form_urlencoded::Serializer::new(String::new())
                .extend_pairs(values.iter().map(|value| ("id", value)))
                .append_pair("action", "count")
                .finish();
            let params = parse(&query);
            prop_assert_eq!(params.last("id"), values.last().map(String::as_str));
            prop_assert_eq!(params.action(), ActionParam::Known(Action::Count));
        }

        #[test]
        fn an_encoded_name_comes_back_whole(name in "[^+]{1,60}") {
            let encoded: String = form_urlencoded::Serializer::new(String::new())
                .append_pair("name", &name)
                .finish();
            let query = format!("action=updateSteam&id=1&{encoded}&secret=x");
            prop_assert_eq!(parse(&query).free_text("name"), Some(name));
        }

        #[test]
        fn a_name_pasted_raw_ends_only_at_a_parameter(name in "[a-zA-Z0-9&= ]{1,40}") {
            let names_a_parameter = KNOWN.iter().any(|known| name.contains(&format!("&{known}=")));
            prop_assume!(!names_a_parameter);
            let query = format!("action=updateSteam&id=1&name={name}&secret=x");
            prop_assert_eq!(parse(&query).free_text("name"), Some(name));
        }

        #[test]
        fn a_failure_is_closed_unless_another_action_is_named(name in "[a-zA-Z]{1,20}") {
            let closed = Action::parse(&name).is_none_or(|action| action.spec().fail_closed);
            prop_assert_eq!(is_fail_closed(&format!("action={name}")), closed);
        }
    }

    #[test]
    fn a_body_is_json_or_says_so() {
        assert_eq!(Body::read(b" \n"), Body::Empty);
        assert_eq!(Body::read(b"[1]"), Body::Json(serde_json::json!([1])));
        assert_eq!(Body::read(b"id=1"), Body::Unreadable);
    }
}
