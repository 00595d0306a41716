//! Nicknames on Discord that follow a template.

use crate::name::without_zero_width;

/// Discord takes no longer ones.
pub const NICKNAME_CHARS: usize = 32;
const TEMPLATE_CHARS: usize = 64;
const STEAM: &str = "{steam}";
const DISCORD: &str = "{discord}";

/// What a nickname is made of: text in which `{steam}` and `{discord}` stand for the names of the two accounts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template(String);

/// Why a text is no template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    #[error("must have 1 to 64 characters and no line breaks")]
    Length,
    #[error("must name {{steam}} or {{discord}}, or everybody would be called the same")]
    NoName,
    #[error("knows only {{steam}} and {{discord}} in braces")]
    Unknown,
}

impl Template {
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let text = text.trim();
        let chars = text.chars().count();
        if chars == 0 || chars > TEMPLATE_CHARS || text.chars().any(char::is_control) {
            return Err(TemplateError::Length);
        }
        if !text.contains(STEAM) && !text.contains(DISCORD) {
            return Err(TemplateError::NoName);
        }
        let rest = text.replace(STEAM, "").replace(DISCORD, "");
        if rest.contains(['{', '}']) {
            return Err(TemplateError::Unknown);
        }
        Ok(Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The nickname of somebody; none where a name that it needs is not known or nothing is left of it.
    pub fn fill(&self, steam: Option<&str>, discord: Option<&str>) -> Option<String> {
        let mut filled = String::new();
        let mut rest = self.0.as_str();
        while let Some(at) = rest.find('{') {
            filled.push_str(&rest[..at]);
            let (name, token) = if rest[at..].starts_with(STEAM) {
                (steam, STEAM)
            } else {
                (discord, DISCORD)
            };
            filled.push_str(name?);
            rest = &rest[at + token.len()..];
        }
        filled.push_str(rest);
        let shown: String = without_zero_width(&filled)
            .chars()
            .filter(|letter| !letter.is_control())
            .collect();
        let cut: String = shown.trim().chars().take(NICKNAME_CHARS).collect();
        let cut = cut.trim();
        (!cut.is_empty()).then(|| cut.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_takes_the_names_of_both_accounts() {
        let template = Template::parse(" {steam} | {discord} ").unwrap();
        assert_eq!(
            template.fill(Some("Ada"), Some("ada#1")).as_deref(),
            Some("Ada | ada#1")
        );
        assert_eq!(template.fill(None, Some("ada")), None);
        let odd = Template::parse("{steam}").unwrap();
        assert_eq!(odd.fill(Some("\u{200b} \u{200b}"), None), None);
        assert_eq!(
            odd.fill(Some(&"ü".repeat(40)), None).unwrap().chars().count(),
            NICKNAME_CHARS
        );
        assert_eq!(
            odd.fill(Some("{discord}"), Some("no")).as_deref(),
            Some("{discord}")
        );
    }

    #[test]
    fn what_is_no_template_is_refused() {
        assert_eq!(Template::parse("  "), Err(TemplateError::Length));
        assert_eq!(Template::parse(&"{steam}".repeat(10)), Err(TemplateError::Length));
        assert_eq!(Template::parse("{steam}\n"), Ok(Template("{steam}".to_owned())));
        assert_eq!(Template::parse("Player"), Err(TemplateError::NoName));
        assert_eq!(Template::parse("{steam} {country}"), Err(TemplateError::Unknown));
    }
}
