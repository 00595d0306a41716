//! On whose behalf, and how soon.

use domain::pacing::Urgency;
use domain::platform_id::DiscordId;

use crate::question::Question;

/// On whose behalf something is asked about a guild, and how much it matters when.
#[derive(Clone, Copy)]
pub struct Asking<'a> {
    org_num: i64,
    pub(super) guild: &'a DiscordId,
    urgency: Urgency,
    by_hand: bool,
    patient: bool,
}

impl<'a> Asking<'a> {
    /// Somebody waits for it.
    pub fn for_person(org_num: i64, guild: &'a DiscordId) -> Self {
        Self {
            org_num,
            guild,
            urgency: Urgency::Interactive,
            by_hand: false,
            patient: false,
        }
    }

    /// Nobody waits for it: it is done when there is room.
    pub fn in_background(org_num: i64, guild: &'a DiscordId) -> Self {
        Self {
            urgency: Urgency::Background,
            ..Self::for_person(org_num, guild)
        }
    }

    /// The same, after everything else that is done in the background.
    pub fn when_there_is_room(org_num: i64, guild: &'a DiscordId) -> Self {
        Self {
            urgency: Urgency::Spare,
            ..Self::for_person(org_num, guild)
        }
    }

    /// Asks also what the guild refused a short while ago, for somebody who may have put it right.
    #[must_use]
    pub fn again(self) -> Self {
        Self {
            by_hand: true,
            ..self
        }
    }

    /// Waits a while where others are first: one of several questions that are worth something only together.
    #[must_use]
    pub fn patiently(self) -> Self {
        Self {
            patient: true,
            ..self
        }
    }

    pub(super) fn on(self, route: &'static str) -> Question<'a> {
        let question = Question::on(route)
            .about(self.org_num, self.guild, None)
            .as_urgent_as(self.urgency);
        Question {
            by_hand: self.by_hand,
            patient: self.patient,
            ..question
        }
    }
}
