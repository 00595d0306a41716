//! Parameters in Stripe's bracket notation: `line_items[0][price]=…`, `metadata[a]=b`, `lookup_keys[]=…`.

use serde_json::{Map, Value};

use super::error::ApiError;
use super::state::Metadata;

const DEEPEST: usize = 8;
const MOST_METADATA: usize = 50;
const LONGEST_KEY: usize = 40;
const LONGEST_VALUE: usize = 500;
/// Seconds since 1970 that still have a year of four digits.
pub const LAST_TIME: i64 = 253_402_300_799;

/// A tree of objects and lists whose leaves are texts. `name` is how the tree is called in refusals.
#[derive(Clone, Debug, Default)]
pub struct Params {
    name: String,
    tree: Map<String, Value>,
}

impl Params {
    /// From query and body, in this order.
    pub fn parse(parts: &[&[u8]]) -> Result<Self, ApiError> {
        let mut tree = Map::new();
        for (name, value) in parts.iter().flat_map(|part| form_urlencoded::parse(part)) {
            if !insert(&mut tree, &path(&name), &value) {
                return Err(ApiError::invalid(format!("Invalid parameter: {name}")));
            }
        }
        Ok(Self {
            name: String::new(),
            tree,
        })
    }

    pub fn tree(&self) -> &Map<String, Value> {
        &self.tree
    }

    /// The full name of a parameter: `line_items[0][price]`.
    pub fn full(&self, name: &str) -> String {
        if self.name.is_empty() {
            name.to_owned()
        } else {
            format!("{}[{name}]", self.name)
        }
    }

    /// Refuses parameters that are not among these.
    pub fn only(&self, known: &[&str]) -> Result<(), ApiError> {
        let unknown = self
            .tree
            .keys()
            .find(|name| *name != "expand" && !known.contains(&name.as_str()));
        match unknown {
            Some(name) => Err(ApiError::unknown_param(&self.full(name))),
            None => Ok(()),
        }
    }

    pub fn has(&self, name: &str) -> bool {
        self.tree.contains_key(name)
    }

    /// A text; an empty one means that there is none.
    pub fn text(&self, name: &str) -> Result<Option<String>, ApiError> {
        match self.tree.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone()).filter(|text| !text.is_empty())),
            Some(_) => Err(self.wrong(name, "Invalid string")),
        }
    }

    pub fn need(&self, name: &str) -> Result<String, ApiError> {
        self.text(name)?
            .ok_or_else(|| ApiError::missing(&self.full(name)))
    }

    pub fn integer(&self, name: &str) -> Result<Option<i64>, ApiError> {
        let Some(text) = self.text(name)? else {
            return Ok(None);
        };
        let number = text.parse::<i64>().map_err(|_| {
            let message = format!("Invalid integer: {text}");
            ApiError::param("parameter_invalid_integer", &self.full(name), message)
        })?;
        Ok(Some(number))
    }

    /// Seconds since 1970, within reason.
    pub fn time(&self, name: &str) -> Result<Option<i64>, ApiError> {
        match self.integer(name)? {
            Some(time) if !(0..=LAST_TIME).contains(&time) => Err(self.wrong(name, "Invalid timestamp")),
            time => Ok(time),
        }
    }

    pub fn boolean(&self, name: &str) -> Result<Option<bool>, ApiError> {
        match self.text(name)?.as_deref() {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(_) => Err(self.wrong(name, "Invalid boolean")),
        }
    }

    /// One of several words.
    pub fn choice(&self, name: &str, words: &[&str]) -> Result<Option<String>, ApiError> {
        let found = self.text(name)?;
        match &found {
            Some(word) if !words.contains(&word.as_str()) => {
                let message = format!("must be one of {}", words.join(", "));
                Err(self.wrong(name, &format!("Invalid {name}: {message}")))
            }
            _ => Ok(found),
        }
    }

    /// The tree under a name; empty when it is missing.
    pub fn inner(&self, name: &str) -> Result<Params, ApiError> {
        let tree = match self.tree.get(name) {
            None => Map::new(),
            Some(Value::Object(tree)) => tree.clone(),
            Some(Value::String(text)) if text.is_empty() => Map::new(),
            Some(_) => return Err(self.wrong(name, "Invalid object")),
        };
        Ok(Params {
            name: self.full(name),
            tree,
        })
    }

    /// The trees in a list.
    pub fn list(&self, name: &str) -> Result<Vec<Params>, ApiError> {
        let full = self.full(name);
        let named = |(index, value): (usize, &Value)| {
            let tree = value.as_object();
            let tree = tree.ok_or_else(|| self.wrong(name, "Invalid object"))?;
            Ok(Params {
                name: format!("{full}[{index}]"),
                tree: tree.clone(),
            })
        };
        self.values(name)?.iter().enumerate().map(named).collect()
    }

    /// The texts in a list.
    pub fn texts(&self, name: &str) -> Result<Vec<String>, ApiError> {
        let text = |value: &Value| {
            let text = value.as_str().map(str::to_owned);
            text.ok_or_else(|| self.wrong(name, "Invalid string"))
        };
        self.values(name)?.iter().map(text).collect()
    }

    /// Numbered fields are a list, whatever their numbers.
    fn values(&self, name: &str) -> Result<Vec<Value>, ApiError> {
        match self.tree.get(name) {
            None => Ok(Vec::new()),
            Some(Value::Array(list)) => Ok(list.clone()),
            Some(Value::String(text)) if text.is_empty() => Ok(Vec::new()),
            Some(Value::Object(fields)) => {
                let numbered = fields
                    .iter()
                    .map(|(name, value)| name.parse::<u32>().ok().map(|number| (number, value)));
                let mut numbered: Vec<_> = numbered
                    .collect::<Option<_>>()
                    .ok_or_else(|| self.wrong(name, "Invalid array"))?;
                numbered.sort_by_key(|(number, _)| *number);
                Ok(numbered.into_iter().map(|(_, value)| value.clone()).collect())
            }
            Some(_) => Err(self.wrong(name, "Invalid array")),
        }
    }

    /// Adds to what is there; an empty value removes its key, an empty `metadata` removes all.
    pub fn metadata(&self, name: &str, into: &mut Metadata) -> Result<(), ApiError> {
        if self.tree.get(name).is_some_and(|value| value == "") {
            into.clear();
        }
        for (key, value) in self.inner(name)?.tree {
            let Value::String(value) = value else {
                return Err(self.wrong(name, "Metadata values must be strings"));
            };
            if key.chars().count() > LONGEST_KEY || value.chars().count() > LONGEST_VALUE {
                let message = format!(
                    "Metadata keys must be under {LONGEST_KEY} characters long and values under {LONGEST_VALUE}."
                );
                return Err(self.wrong(name, &message));
            }
            if value.is_empty() {
                into.remove(&key);
            } else {
                into.insert(key, value);
            }
        }
        if into.len() > MOST_METADATA {
            return Err(self.wrong(name, "Metadata can have at most 50 keys."));
        }
        Ok(())
    }

    pub fn wrong(&self, name: &str, message: &str) -> ApiError {
        ApiError::param("parameter_invalid", &self.full(name), message)
    }
}

/// `a[b][0]` as `a`, `b`, `0`.
fn path(name: &str) -> Vec<&str> {
    let (first, rest) = match name.split_once('[') {
        Some((first, rest)) => (first, rest.strip_suffix(']').unwrap_or(rest)),
        None => return vec![name],
    };
    std::iter::once(first).chain(rest.split("][")).collect()
}

/// False when a name is used as two kinds of thing.
fn insert(tree: &mut Map<String, Value>, path: &[&str], value: &str) -> bool {
    let [name, rest @ ..] = path else { return false };
    if path.len() > DEEPEST {
        return false;
    }
    match rest {
        [] => {
            tree.insert((*name).to_owned(), value.into());
            true
        }
        [""] => {
            let list = tree.entry(*name).or_insert_with(|| Value::Array(Vec::new()));
            let Value::Array(list) = list else { return false };
            list.push(value.into());
            true
        }
        _ => {
            let inner = tree.entry(*name).or_insert_with(|| Value::Object(Map::new()));
            let Value::Object(inner) = inner else { return false };
            insert(inner, rest, value)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parsed(text: &str) -> Params {
        Params::parse(&[text.as_bytes()]).expect("parameters")
    }

    #[test]
    fn brackets_make_a_tree() {
        let params = parsed("a=1&b[c]=2&d[0][e]=3&d[1][e]=4&f[]=5&f[]=6");
        let tree =
            json!({"a": "1", "b": {"c": "2"}, "d": {"0": {"e": "3"}, "1": {"e": "4"}}, "f": ["5", "6"]});
        assert_eq!(Value::Object(params.tree().clone()), tree);
        let list = params.list("d").expect("a list");
        assert_eq!(list[1].need("e").expect("a text"), "4");
        assert_eq!(list[1].full("e"), "d[1][e]");
        assert_eq!(params.texts("f").expect("texts"), ["5", "6"]);
    }

    #[test]
    fn a_name_is_one_kind_of_thing() {
        assert!(Params::parse(&[b"a=1&a[b]=2"]).is_err());
        assert!(Params::parse(&[b"a[]=1&a[b]=2"]).is_err());
        assert!(Params::parse(&[b"a[b][c][d][e][f][g][h][i]=1"]).is_err());
    }

    #[test]
    fn metadata_is_added_to_and_emptied() {
        let mut metadata =
            Metadata::from([("a".to_owned(), "1".to_owned()), ("b".to_owned(), "2".to_owned())]);
        let change = |text: &str, metadata: &mut Metadata| parsed(text).metadata("metadata", metadata);
        change("metadata[a]=&metadata[c]=3", &mut metadata).expect("metadata");
        assert_eq!(metadata.keys().collect::<Vec<_>>(), ["b", "c"]);
        change("metadata=", &mut metadata).expect("metadata");
        assert!(metadata.is_empty());
        let long = format!("metadata[{}]=1", "k".repeat(41));
        assert!(change(&long, &mut metadata).is_err());
    }
}
