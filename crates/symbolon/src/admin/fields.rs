//! What a command prints: names and values, or a list. People read lines, programs one JSON object.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::output::say;

/// Both forms, made together: numbers are numbers for programs, and ids are texts.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Fields {
    lines: Vec<(String, String)>,
    object: Map<String, Value>,
}

/// One of a list: its name and a line about it for people, the same as an object for programs.
pub struct Item {
    pub name: String,
    pub line: String,
    pub object: Value,
}

/// What a list leaves out.
pub enum Rest {
    /// It is complete.
    Nothing,
    /// So many more, which may be none.
    Counted(i64),
    /// More, behind this place.
    Behind(String),
    /// More, and nobody counted them.
    Uncounted,
}

impl Fields {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a value that people read as it is.
    pub fn with(self, name: &str, value: impl Into<Value>) -> Self {
        let value = value.into();
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        self.told(name, &text, value)
    }

    /// Adds a value that people read in other words.
    pub fn told(mut self, name: &str, text: &str, value: impl Into<Value>) -> Self {
        self.lines.push((name.to_owned(), text.to_owned()));
        self.object.insert(name.to_owned(), value.into());
        self
    }

    /// A list. All of them have the same three names for programs.
    pub fn list(items: impl IntoIterator<Item = Item>, rest: Rest) -> Self {
        let (mut lines, mut objects) = (Vec::new(), Vec::new());
        for item in items {
            lines.push((item.name, item.line));
            objects.push(item.object);
        }
        let (told, more, next) = match rest {
            Rest::Nothing | Rest::Counted(..=0) => (None, Some(0), None),
            Rest::Counted(count) => (Some(count.to_string()), Some(count), None),
            Rest::Behind(place) => (Some(format!("--after {place}")), None, Some(place)),
            Rest::Uncounted => (Some("not listed".to_owned()), None, None),
        };
        lines.extend(told.map(|text| ("more".to_owned(), text)));
        let named = [
            ("items", Value::from(objects)),
            ("more", json!(more)),
            ("next", json!(next)),
        ];
        let object = named.map(|(name, value)| (name.to_owned(), value));
        Self {
            lines,
            object: object.into_iter().collect(),
        }
    }

    /// Aligned lines, or one JSON object.
    pub fn show(&self, json: bool) {
        if json {
            return say(Value::from(self.object.clone()).to_string());
        }
        let width = self.lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, value) in &self.lines {
            say(format!("{name:width$}  {value}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(name: &str) -> Item {
        Item {
            name: name.to_owned(),
            line: "a line".to_owned(),
            object: json!({ "id": name }),
        }
    }

    fn told(fields: &Fields) -> Vec<(&str, &str)> {
        let lines = fields.lines.iter();
        lines.map(|(name, text)| (name.as_str(), text.as_str())).collect()
    }

    #[test]
    fn programs_get_numbers_as_numbers_and_people_the_same_words_as_ever() {
        let fields = Fields::new()
            .with("link", "lnk_1")
            .with("relinked", 2)
            .told("active", "yes", true)
            .told("steam_group", "none", Value::Null);
        let lines = [
            ("link", "lnk_1"),
            ("relinked", "2"),
            ("active", "yes"),
            ("steam_group", "none"),
        ];
        assert_eq!(told(&fields), lines);
        let object = json!({ "link": "lnk_1", "relinked": 2, "active": true, "steam_group": null });
        assert_eq!(Value::from(fields.object), object);
    }

    #[test]
    fn every_list_has_the_same_shape_and_tells_what_it_leaves_out() {
        for (rest, line, more, next) in [
            (Rest::Nothing, None, json!(0), json!(null)),
            (Rest::Counted(0), None, json!(0), json!(null)),
            (Rest::Counted(3), Some("3"), json!(3), json!(null)),
            (
                Rest::Behind("5-lnk_1".to_owned()),
                Some("--after 5-lnk_1"),
                json!(null),
                json!("5-lnk_1"),
            ),
            (Rest::Uncounted, Some("not listed"), json!(null), json!(null)),
        ] {
            let list = Fields::list([item("one"), item("two")], rest);
            let mut lines = vec![("one", "a line"), ("two", "a line")];
            lines.extend(line.map(|line| ("more", line)));
            assert_eq!(told(&list), lines);
            let items = json!([{ "id": "one" }, { "id": "two" }]);
            assert_eq!(
                Value::from(list.object),
                json!({ "items": items, "more": more, "next": next })
            );
        }
    }
}
