//! "Watching 214 linked accounts".

use std::time::Duration;

use tokio::time::Instant;
use twilight_model::gateway::payload::outgoing::UpdatePresence;
use twilight_model::gateway::payload::outgoing::update_presence::UpdatePresencePayload;
use twilight_model::gateway::presence::{ActivityType, MinimalActivity, Status};

/// Discord counts what a bot sends, and nobody reads so fast.
const EVERY: Duration = Duration::from_secs(30);

/// What Discord shows now.
#[derive(Default)]
pub struct Presence {
    shown: Option<u64>,
    at: Option<Instant>,
}

impl Presence {
    /// A session began that shows this number from the start.
    pub fn begun(&mut self, linked: Option<u64>) {
        self.shown = linked;
    }

    /// What to send, if another number is to be shown and the last change is long enough ago.
    pub fn due(&mut self, linked: u64, now: Instant) -> Option<UpdatePresence> {
        let is_early = self.at.is_some_and(|at| now.duration_since(at) < EVERY);
        if is_early || self.shown == Some(linked) {
            return None;
        }
        self.shown = Some(linked);
        self.at = Some(now);
        let payload = payload(linked)?;
        UpdatePresence::new(payload.activities, payload.afk, payload.since, payload.status).ok()
    }
}

pub fn payload(linked: u64) -> Option<UpdatePresencePayload> {
    let accounts = if linked == 1 { "account" } else { "accounts" };
    let activity = MinimalActivity {
        kind: ActivityType::Watching,
        name: format!("{linked} linked {accounts}"),
        url: None,
    };
    UpdatePresencePayload::new([activity.into()], false, None, Status::Online).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(update: Option<UpdatePresence>) -> Option<String> {
        update.map(|update| update.d.activities[0].name.clone())
    }

    #[test]
    fn the_number_is_told_when_it_changes_and_every_half_minute_at_most() {
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let mut presence = Presence::default();
        presence.begun(Some(3));
        assert_eq!(name(presence.due(3, start)), None);
        assert_eq!(name(presence.due(4, start)).as_deref(), Some("4 linked accounts"));
        assert_eq!(name(presence.due(1, after(29))), None);
        assert_eq!(
            name(presence.due(1, after(30))).as_deref(),
            Some("1 linked account")
        );
        assert_eq!(name(presence.due(1, after(90))), None);
    }
}
