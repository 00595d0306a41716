//! The clients of Guilds' own bots, one for each token, made when it is first needed.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::clock::SharedClock;
use domain::id::BotId;
use domain::platform_id::DiscordId;
use secrecy::SecretString;

use super::{Outgoing, Rest};
use crate::http::SetupError;

/// Discord counts refusals by the address they come from, so all share one count with the shared bot.
pub struct Clients {
    api_url: String,
    public_url: String,
    clock: SharedClock,
    outgoing: Outgoing,
    leads: AtomicBool,
    known: Mutex<HashMap<DiscordId, Known>>,
}

/// The client of a bot, and which of its tokens it has. A bot that was removed and added again counts from one anew.
struct Known {
    row: BotId,
    version: i64,
    client: Arc<Rest>,
}

impl Clients {
    pub fn new(api_url: &str, public_url: &str, clock: SharedClock, outgoing: Outgoing) -> Self {
        Self {
            api_url: api_url.to_owned(),
            public_url: public_url.to_owned(),
            clock,
            outgoing,
            leads: AtomicBool::new(true),
            known: Mutex::default(),
        }
    }

    /// A client for a token that nobody has taken yet.
    pub fn try_out(&self, token: SecretString) -> Result<Rest, SetupError> {
        let (api, public, clock) = (&self.api_url, &self.public_url, self.clock.clone());
        Rest::new(api, public, token, clock, &self.outgoing)
    }

    /// The client of a bot, if it has this version of the token that was saved with this row.
    pub fn find(&self, bot: &DiscordId, (row, version): (&BotId, i64)) -> Option<Arc<Rest>> {
        let known = self.known();
        let found = known.get(bot)?;
        (found.row == *row && found.version == version).then(|| Arc::clone(&found.client))
    }

    /// A client in the place of the one with an older token.
    pub fn make(
        &self,
        bot: &DiscordId,
        (row, version): (&BotId, i64),
        token: SecretString,
    ) -> Result<Arc<Rest>, SetupError> {
        let client = Arc::new(self.try_out(token)?);
        let new = Known {
            row: row.clone(),
            version,
            client: Arc::clone(&client),
        };
        // Whoever begins or ends to lead meanwhile finds it there.
        let mut known = self.known();
        client.lead(self.leads.load(Ordering::Relaxed));
        known.insert(bot.clone(), new);
        Ok(client)
    }

    /// Forgets a bot that is gone, with its token.
    pub fn forget(&self, bot: &DiscordId) {
        self.known().remove(bot);
    }

    /// Forgets all that are not among these, with their tokens.
    pub fn keep_only(&self, kept: &HashSet<&DiscordId>) {
        self.known().retain(|bot, _| kept.contains(bot));
    }

    /// Whether this process does the work in the background for all of them.
    pub fn lead(&self, leads: bool) {
        let known = self.known();
        self.leads.store(leads, Ordering::Relaxed);
        for found in known.values() {
            found.client.lead(leads);
        }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<DiscordId, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use domain::clock::SystemClock;
    use domain::random::SystemRandom;

    use super::*;

    fn clients() -> Clients {
        let (api, public) = ("http://127.0.0.1:1/api", "http://127.0.0.1:2");
        Clients::new(api, public, Arc::new(SystemClock), Outgoing::default())
    }

    fn row() -> BotId {
        BotId::generate(1, &SystemRandom)
    }

    #[test]
    fn a_bot_that_was_removed_and_added_again_has_no_client_with_its_former_token() {
        let (clients, former, row) = (clients(), row(), row());
        let bot = DiscordId::parse("900000000000000001").unwrap();
        let token = || SecretString::from("a token");
        clients.make(&bot, (&former, 1), token()).unwrap();
        assert!(clients.find(&bot, (&former, 1)).is_some());
        assert!(clients.find(&bot, (&former, 2)).is_none(), "a newer one");
        // The first token of another row.
        assert!(clients.find(&bot, (&row, 1)).is_none());
        clients.make(&bot, (&row, 1), token()).unwrap();
        assert!(clients.find(&bot, (&former, 1)).is_none() && clients.find(&bot, (&row, 1)).is_some());
    }

    #[test]
    fn a_client_leads_if_and_only_if_its_process_does() {
        let (clients, row) = (clients(), row());
        let bot = DiscordId::parse("900000000000000001").unwrap();
        for leads in [false, true, false] {
            clients.lead(leads);
            let made = clients
                .make(&bot, (&row, 1), SecretString::from("a token"))
                .unwrap();
            assert_eq!(made.leads(), leads);
            clients.lead(!leads);
            assert_eq!(made.leads(), !leads);
        }
    }
}
