//! What is asked of a provider, as far as others have to know it.

use domain::breaker::PROBE_EVERY_MS;
use domain::pacing::Urgency;
use domain::platform_id::DiscordId;
use domain::quota::Purpose;

/// How long a guild's 403 counts for its route. Providers shut out who goes on asking.
pub(crate) const FORBIDDEN_MS: i64 = 10 * 60_000;

/// What is asked, for the memory of refusals and for the log.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    /// Method and template of the path; never what stands in it.
    pub(crate) route: &'static str,
    pub(crate) about: Option<About<'a>>,
    pub(crate) purpose: Option<Purpose>,
    /// Whether somebody waits for the answer.
    pub(crate) urgency: Urgency,
    /// Somebody asks who may have put right what was refused.
    pub(crate) by_hand: bool,
    /// It waits for its turn, because it is one of several that are worth something only together.
    pub(crate) patient: bool,
}

/// Which guild, which of its people or roles, and on behalf of which Org.
#[derive(Clone, Copy)]
pub(crate) struct About<'a> {
    guild: &'a DiscordId,
    channel: Option<&'a DiscordId>,
    one: Option<&'a DiscordId>,
    pub(crate) org_num: i64,
    /// How long a refusal of the guild counts.
    pub(crate) refused_ms: i64,
}

impl<'a> Question<'a> {
    pub(crate) fn on(route: &'static str) -> Self {
        Self {
            route,
            about: None,
            purpose: None,
            urgency: Urgency::Interactive,
            by_hand: false,
            patient: false,
        }
    }

    /// Counts as one of the day's calls.
    pub(crate) fn counted(self, purpose: Purpose) -> Self {
        Self {
            purpose: Some(purpose),
            ..self
        }
    }

    pub(crate) fn about(self, org_num: i64, guild: &'a DiscordId, one: Option<&'a DiscordId>) -> Self {
        let about = About {
            guild,
            channel: None,
            one,
            org_num,
            refused_ms: FORBIDDEN_MS,
        };
        Self {
            about: Some(about),
            ..self
        }
    }

    /// In one channel of the guild: its refusals are no other channel's.
    pub(crate) fn within(mut self, channel: &'a DiscordId) -> Self {
        if let Some(about) = &mut self.about {
            about.channel = Some(channel);
        }
        self
    }

    pub(crate) fn as_urgent_as(self, urgency: Urgency) -> Self {
        Self { urgency, ..self }
    }

    /// For a guild that somebody is about to let us into: a refusal is over soon.
    pub(crate) fn soon_again(mut self) -> Self {
        if let Some(about) = &mut self.about {
            about.refused_ms = PROBE_EVERY_MS;
        }
        self
    }

    /// Where a refusal is remembered.
    pub(crate) fn place(&self) -> String {
        match self.about {
            Some(about) => {
                let place = [self.route, " ", about.guild.as_str()].concat();
                match about.channel {
                    Some(channel) => [&place, " ", channel.as_str()].concat(),
                    None => place,
                }
            }
            None => self.route.to_owned(),
        }
    }

    /// What the buckets of its route are told apart by.
    pub(crate) fn major(&self) -> &'a str {
        self.about
            .map_or("", |about| about.channel.unwrap_or(about.guild).as_str())
    }

    /// About one person or one role of the guild: a refusal may be theirs alone.
    pub(crate) fn of(mut self, one: &'a DiscordId) -> Self {
        if let Some(about) = &mut self.about {
            about.one = Some(one);
        }
        self
    }

    /// The same for a refusal that is about the one person or role alone.
    pub(crate) fn place_of_one(&self) -> Option<String> {
        let one = self.about?.one?;
        Some([&self.place(), " ", one.as_str()].concat())
    }
}
