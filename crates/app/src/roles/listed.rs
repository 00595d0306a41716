//! Members as Discord lists them: one call for a thousand, where a look at each would be one call for each.

use std::collections::BTreeMap;

use domain::platform_id::DiscordId;
use platform::Unanswered;
use platform::discord::Rest;
use platform::discord::rest::{Asking, Member};
use storage::roles::marks::Mark;

use super::scene::Place;

/// Fewer than these are asked for one by one.
const WORTH_A_LIST: usize = 20;
/// What Discord lists in one call.
const PAGE: u16 = 1_000;

/// A part of the members of a Discord server, without gaps.
pub(super) struct Listed {
    people: BTreeMap<u64, Member>,
    from: u64,
    to: u64,
}

impl Listed {
    /// The part that begins with the first of these, if they are many for whom nobody waits. None where Discord does not
    /// list its members to us.
    pub async fn read(bot: &Rest, place: &Place, marks: &[Mark]) -> Result<Option<Self>, Unanswered> {
        let bulk = marks.iter().take_while(|mark| mark.is_bulk).count();
        let Some(from) = marks.first().map(|mark| number(&mark.discord_id)) else {
            return Ok(None);
        };
        if bulk < WORTH_A_LIST {
            return Ok(None);
        }
        let after = DiscordId::parse(&from.saturating_sub(1).to_string()).ok();
        let asking = Asking::in_background(place.scope.num(), &place.guild.discord_guild_id).patiently();
        match bot.members(asking, after.as_ref(), PAGE).await {
            Ok(found) => Ok(Some(Self::of(from, found))),
            Err(not)
                if matches!(
                    not.cause,
                    Unanswered::Status(403 | 404) | Unanswered::Remembered { .. }
                ) =>
            {
                Ok(None)
            }
            Err(not) => Err(not.cause),
        }
    }

    fn of(from: u64, found: Vec<(DiscordId, Member)>) -> Self {
        let is_last = found.len() < usize::from(PAGE);
        let people: BTreeMap<u64, Member> = found
            .into_iter()
            .map(|(id, member)| (number(&id), member))
            .collect();
        let last = people.last_key_value().map_or(from, |(id, _)| *id);
        Self {
            people,
            from,
            to: if is_last { u64::MAX } else { last },
        }
    }

    /// What it says of somebody: who they are there, or that they are not. None of whom it says nothing.
    pub fn find(&self, id: &DiscordId) -> Option<Option<&Member>> {
        let id = number(id);
        (self.from..=self.to).contains(&id).then(|| self.people.get(&id))
    }
}

fn number(id: &DiscordId) -> u64 {
    id.as_str().parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u64) -> DiscordId {
        DiscordId::parse(&number.to_string()).unwrap()
    }

    fn member() -> Member {
        Member {
            roles: Vec::new(),
            nick: None,
            boosts: false,
            name: String::new(),
        }
    }

    const FIRST: u64 = 100_000_000_000_000_000;

    #[test]
    fn a_full_list_says_nothing_of_those_behind_it() {
        let people = (0..u64::from(PAGE)).map(|number| (id(FIRST + 2 * number), member()));
        let listed = Listed::of(FIRST, people.collect());
        assert_eq!(listed.find(&id(FIRST)), Some(Some(&member())));
        assert_eq!(listed.find(&id(FIRST + 1)), Some(None), "somebody who left");
        assert_eq!(listed.find(&id(FIRST + 1_998)), Some(Some(&member())));
        assert_eq!(listed.find(&id(FIRST + 1_999)), None);
        assert_eq!(listed.find(&id(FIRST - 1)), None);
    }

    #[test]
    fn the_last_list_tells_of_everybody_behind_it() {
        let listed = Listed::of(FIRST, vec![(id(FIRST + 5), member())]);
        assert_eq!(listed.find(&id(FIRST)), Some(None));
        assert_eq!(listed.find(&id(FIRST + 5)), Some(Some(&member())));
        assert_eq!(listed.find(&id(FIRST + 1_000)), Some(None));
        let nobody = Listed::of(FIRST, Vec::new());
        assert_eq!(
            (nobody.find(&id(FIRST)), nobody.find(&id(FIRST + 1))),
            (Some(None), Some(None))
        );
    }
}
