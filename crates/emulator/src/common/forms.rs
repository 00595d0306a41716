//! Query strings and form bodies, in order and with repetitions.

/// Name and value of each field.
#[derive(Clone, Debug, Default)]
pub struct Form(Vec<(String, String)>);

impl Form {
    pub fn parse(encoded: &[u8]) -> Self {
        Self(form_urlencoded::parse(encoded).into_owned().collect())
    }

    /// The first value under this name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.fields().find(|field| field.0 == name).map(|field| field.1)
    }

    /// The value under this name, unless it is missing or repeated.
    pub fn only(&self, name: &str) -> Option<&str> {
        let mut values = self.fields().filter(|field| field.0 == name);
        let first = values.next()?.1;
        values.next().is_none().then_some(first)
    }

    pub fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// The address with more query fields.
pub fn with_query<'a>(address: &str, fields: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let (address, fragment) = match address.split_once('#') {
        Some((address, fragment)) => (address, Some(fragment)),
        None => (address, None),
    };
    let query = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(fields)
        .finish();
    let mark = if address.contains('?') { '&' } else { '?' };
    match fragment {
        Some(fragment) => format!("{address}{mark}{query}#{fragment}"),
        None => format!("{address}{mark}{query}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_field_is_not_the_only_one() {
        let form = Form::parse(b"a=1&b=2&a=3");
        assert_eq!(form.get("a"), Some("1"));
        assert_eq!(form.only("a"), None);
        assert_eq!(form.only("b"), Some("2"));
        assert_eq!(form.only("c"), None);
    }

    #[test]
    fn fields_are_added_to_a_query_that_is_there() {
        assert_eq!(with_query("http://a/b", [("c", "d e")]), "http://a/b?c=d+e");
        assert_eq!(
            with_query("http://a/b?x=1", [("c", "d&e")]),
            "http://a/b?x=1&c=d%26e"
        );
        assert_eq!(with_query("http://a/b#f", [("c", "d")]), "http://a/b?c=d#f");
    }
}
