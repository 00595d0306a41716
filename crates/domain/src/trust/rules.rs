//! What an Org says about the permission groups of its game servers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::groups::{GroupClass, Keyword, class_of};
use crate::words::words;

/// Keywords of an Org's own.
pub const MOST_KEYWORDS: usize = 50;
const KEYWORD_CHARS: usize = 32;

words! {
    /// The colour of a pill, by what it stands for.
    pub enum PillTone {
        Ok = "ok",
        Info = "info",
        Warn = "warn",
        Bad = "bad",
        Neutral = "neutral",
        Accent = "accent",
    }
}

impl GroupClass {
    /// The colour it has where nobody chose another.
    pub const fn tone(self) -> PillTone {
        match self {
            Self::Owner => PillTone::Accent,
            Self::Admin => PillTone::Bad,
            Self::Moderator => PillTone::Warn,
            Self::Staff => PillTone::Info,
            Self::Vip | Self::Donator => PillTone::Ok,
            Self::Custom | Self::Default => PillTone::Neutral,
        }
    }

    /// Whether it marks somebody who keeps order.
    pub const fn is_staff(self) -> bool {
        match self {
            Self::Owner | Self::Admin | Self::Moderator | Self::Staff => true,
            Self::Vip | Self::Donator | Self::Custom | Self::Default => false,
        }
    }
}

/// Why an Org's keywords cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GroupRulesError {
    #[error("at most {MOST_KEYWORDS} keywords")]
    TooMany,
    /// By its place in the list.
    #[error("a keyword has 1 to {KEYWORD_CHARS} characters, none of them invisible")]
    Text(usize),
    /// By the place of the second one.
    #[error("the same keyword twice")]
    Twice(usize),
}

/// An Org's own keywords, which come before the usual ones, and its own colours.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GroupRules {
    pub keywords: Vec<Keyword>,
    pub colours: BTreeMap<GroupClass, PillTone>,
}

impl GroupRules {
    /// Keywords in small letters, each once; colours that say nothing new are left out.
    pub fn checked(mut self) -> Result<Self, GroupRulesError> {
        if self.keywords.len() > MOST_KEYWORDS {
            return Err(GroupRulesError::TooMany);
        }
        for at in 0..self.keywords.len() {
            let text = self.keywords[at].text.trim().to_lowercase();
            let fits = (1..=KEYWORD_CHARS).contains(&text.chars().count());
            if !fits
                || text
                    .chars()
                    .any(|c| c.is_control() || crate::name::takes_no_room(c))
            {
                return Err(GroupRulesError::Text(at));
            }
            if self.keywords[..at].iter().any(|before| before.text == text) {
                return Err(GroupRulesError::Twice(at));
            }
            self.keywords[at].text = text;
        }
        self.colours.retain(|class, tone| class.tone() != *tone);
        Ok(self)
    }

    /// All keywords in the order in which they are tried. One of the Org's own stands in for a usual one with its text.
    pub fn effective(&self) -> Vec<Keyword> {
        let usual = Keyword::defaults();
        let is_replaced = |one: &Keyword| self.keywords.iter().any(|own| own.text == one.text);
        let kept = usual.into_iter().filter(|one| !is_replaced(one));
        self.keywords.iter().cloned().chain(kept).collect()
    }

    pub fn tone(&self, class: GroupClass) -> PillTone {
        self.colours.get(&class).copied().unwrap_or_else(|| class.tone())
    }
}

/// The groups of a player that one Server reported.
#[derive(Debug, Clone)]
pub struct Report {
    pub groups: Vec<String>,
    /// Groups that our own plugin gives there; they say nothing about anybody's standing.
    pub ours: [String; 3],
}

impl Report {
    /// The class of the best group, by all keywords in their order. Whoever is in none is like everybody.
    pub fn best(&self, keywords: &[Keyword]) -> GroupClass {
        let theirs = self.groups.iter().filter(|group| !self.ours.contains(group));
        theirs
            .map(|group| class_of(group, keywords))
            .max_by_key(|class| class.weight())
            .unwrap_or(GroupClass::Default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keyword(text: &str, class: GroupClass) -> Keyword {
        Keyword {
            text: text.to_owned(),
            class,
        }
    }

    fn rules(keywords: &[Keyword]) -> Result<GroupRules, GroupRulesError> {
        GroupRules {
            keywords: keywords.to_vec(),
            colours: BTreeMap::new(),
        }
        .checked()
    }

    #[test]
    fn own_keywords_come_before_the_usual_ones_and_replace_them() {
        let own = rules(&[
            keyword(" Helper ", GroupClass::Staff),
            keyword("VIP", GroupClass::Custom),
        ])
        .unwrap();
        let all = own.effective();
        assert_eq!(class_of("helpers", &all), GroupClass::Staff);
        assert_eq!(class_of("vip", &all), GroupClass::Custom);
        assert_eq!(class_of("admin", &all), GroupClass::Admin);
        assert_eq!(all.len(), GroupClass::ALL.len() + 1, "`vip` is there once");
    }

    #[test]
    fn keywords_that_cannot_be_used_are_named_by_their_place() {
        let fine = keyword("a", GroupClass::Vip);
        assert_eq!(
            rules(&[fine.clone(), keyword(" ", GroupClass::Vip)]),
            Err(GroupRulesError::Text(1))
        );
        assert_eq!(
            rules(&[keyword("\u{200b}", GroupClass::Vip)]),
            Err(GroupRulesError::Text(0))
        );
        assert_eq!(
            rules(&[keyword(&"x".repeat(33), GroupClass::Vip)]),
            Err(GroupRulesError::Text(0))
        );
        assert_eq!(
            rules(&[fine.clone(), keyword("A", GroupClass::Staff)]),
            Err(GroupRulesError::Twice(1))
        );
        let many: Vec<Keyword> = (0..51)
            .map(|n| keyword(&format!("k{n}"), GroupClass::Vip))
            .collect();
        assert_eq!(rules(&many), Err(GroupRulesError::TooMany));
        assert!(rules(&many[..50]).is_ok());
    }

    #[test]
    fn colours_are_the_usual_ones_until_somebody_chooses_others() {
        let chosen = GroupRules {
            keywords: Vec::new(),
            colours: BTreeMap::from([
                (GroupClass::Vip, PillTone::Accent),
                (GroupClass::Admin, PillTone::Bad),
            ]),
        };
        let checked = chosen.checked().unwrap();
        assert_eq!(checked.colours.len(), 1, "the other says nothing new");
        assert_eq!(checked.tone(GroupClass::Vip), PillTone::Accent);
        assert_eq!(checked.tone(GroupClass::Owner), PillTone::Accent);
        assert_eq!(checked.tone(GroupClass::Admin), PillTone::Bad);
    }

    #[test]
    fn groups_that_our_plugin_gives_say_nothing_about_anybody() {
        let ours = ["linked", "donator", "steamgroup"].map(str::to_owned);
        let all = GroupRules::default().effective();
        let best = |groups: &[&str]| {
            let groups = groups.iter().map(|group| (*group).to_owned()).collect();
            let report = Report {
                groups,
                ours: ours.clone(),
            };
            report.best(&all)
        };
        assert_eq!(best(&["linked", "donator"]), GroupClass::Default);
        assert_eq!(best(&["linked", "vip", "default"]), GroupClass::Vip);
        assert_eq!(best(&[]), GroupClass::Default);
    }
}
