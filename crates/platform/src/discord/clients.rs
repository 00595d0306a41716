//! The clients of Guilds' own bots, one for each token, made when it is first needed.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::clock::SharedClock;
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
    known: Mutex<HashMap<DiscordId, (i64, Arc<Rest>)>>,
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

    /// The client of a bot, if it has this version of the token.
    pub fn find(&self, bot: &DiscordId, version: i64) -> Option<Arc<Rest>> {
        let known = self.known();
        let (own, client) = known.get(bot)?;
        (*own == version).then(|| Arc::clone(client))
    }

    /// A client in the place of the one with an older token.
    pub fn make(&self, bot: &DiscordId, version: i64, token: SecretString) -> Result<Arc<Rest>, SetupError> {
        let client = Arc::new(self.try_out(token)?);
        client.lead(self.leads.load(Ordering::Relaxed));
        self.known().insert(bot.clone(), (version, Arc::clone(&client)));
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
        self.leads.store(leads, Ordering::Relaxed);
        for (_, client) in self.known().values() {
            client.lead(leads);
        }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<DiscordId, (i64, Arc<Rest>)>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
