//! What is asked and changed as a bot. One client for each bot's token: it keeps to the limits that Discord tells, leaves
//! alone what was refused, and lets people who wait go first.

mod asking;
mod commands;
mod facts;
mod kept;
mod member_changes;
mod members;
mod messages;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use domain::clock::SharedClock;
use domain::pacing::{PER_SECOND, Urgency};
use domain::platform_id::DiscordId;
use domain::refusals::Tally;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Method, RequestBuilder};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use url::Url;

pub use asking::Asking;
pub use facts::{GUILD_ROUTE, GuildFacts, Own};
pub use members::Member;
pub use messages::CHANNEL_ROUTE;

use self::kept::Kept;
use crate::guard::{Guard, Standing};
use crate::http::{self, Answer, SetupError, Unanswered};
use crate::question::Question;

/// Five hundred channels with the exceptions of their roles, or a thousand members with dozens of them.
const ANSWER_BYTES: usize = 4 * 1024 * 1024;
/// How long a question waits for the first one of its token, and a person's for the first one of its bucket.
const FOR_THE_FIRST: Duration = Duration::from_secs(1);
const LOOKS_EVERY: Duration = Duration::from_millis(10);

/// What all bots of this process share: Discord counts refusals by the address they come from.
#[derive(Clone)]
pub struct Outgoing {
    tally: Arc<Mutex<Tally>>,
    per_second: u32,
}

impl Default for Outgoing {
    fn default() -> Self {
        Self::at(PER_SECOND)
    }
}

impl Outgoing {
    /// With so many calls of each token in a second.
    pub fn at(per_second: u32) -> Self {
        Self {
            tally: Arc::default(),
            per_second,
        }
    }

    /// How often Discord refused any of them in the ten minutes that run, by the steady clock.
    pub fn refused(&self, steady_ms: i64) -> u32 {
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.count(steady_ms)
    }
}

/// So long a patient question waits for its turn.
const PATIENCE_MS: i64 = 8_000;
/// It waits for the pace of the token, not for a bucket that one guild has emptied.
const SHORT_MS: i64 = 1_000;

/// Why Discord did not do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{cause}")]
pub struct NotDone {
    pub cause: Unanswered,
    /// Discord's own number for the reason, where it told one; also for a refusal that is remembered.
    pub code: Option<u32>,
}

impl From<NotDone> for Unanswered {
    fn from(not: NotDone) -> Self {
        not.cause
    }
}

#[derive(Deserialize)]
struct Refusal {
    code: u32,
}

/// Discord as one bot sees it. It has no `Debug`: it holds the bot's token.
pub struct Rest {
    client: Client,
    base: Url,
    token: SecretString,
    guard: Guard,
    own_id: OnceLock<DiscordId>,
    kept: Option<Kept>,
    /// Discord has taken the token at least once.
    is_proven: AtomicBool,
    first: tokio::sync::Mutex<()>,
}

impl Rest {
    /// `api_url` is such as `https://discord.com/api/v10`; `public_url` tells Discord who calls.
    pub fn new(
        api_url: &str,
        public_url: &str,
        token: SecretString,
        clock: SharedClock,
        outgoing: &Outgoing,
    ) -> Result<Self, SetupError> {
        let base = Url::parse(api_url).ok().filter(|url| !url.cannot_be_a_base());
        let version = env!("CARGO_PKG_VERSION");
        Ok(Self {
            client: http::client(&format!("DiscordBot ({public_url}, {version}) Symbolon"))?,
            base: base.ok_or_else(|| SetupError("discord.api_url is not an address".to_owned()))?,
            token,
            guard: Guard::new("Discord bot", clock)
                .with_setting("discord.bot_token")
                .that_bans()
                .sharing(Arc::clone(&outgoing.tally))
                .paced(outgoing.per_second),
            own_id: OnceLock::new(),
            kept: None,
            is_proven: AtomicBool::new(false),
            first: tokio::sync::Mutex::default(),
        })
    }

    /// How the calls went so far.
    pub fn standing(&self) -> Standing {
        self.guard.standing()
    }

    /// Whether this process does the work in the background for this bot; the others have a tenth of its budget.
    pub fn lead(&self, leads: bool) {
        self.guard.lead(leads);
    }

    /// Whether this process does that work.
    pub fn leads(&self) -> bool {
        self.guard.leads()
    }

    /// Whether Discord does not take the token any more.
    pub fn is_rejected(&self) -> bool {
        self.guard.is_rejected()
    }

    /// Forgets what a guild refused, because the bot has just come into it or may do something else there.
    pub fn forget_refusals(&self, guild: &DiscordId) {
        self.guard.forget(guild);
    }

    /// Asks, learns what the answer tells of limits, and reads it.
    async fn ask<T>(
        &self,
        question: Question<'_>,
        request: Result<RequestBuilder, Unanswered>,
        read: impl Fn(&Answer) -> Result<T, Unanswered>,
    ) -> Result<T, NotDone> {
        let mut waited_ms = 0;
        loop {
            let again = match &request {
                Ok(request) => request.try_clone().ok_or(Unanswered::Unreadable),
                Err(cause) => Err(*cause),
            };
            match self.ask_now(question, again, &read).await {
                Err(NotDone {
                    cause: Unanswered::Held { retry_after_ms },
                    ..
                }) if question.patient && retry_after_ms <= SHORT_MS && waited_ms < PATIENCE_MS => {
                    waited_ms += retry_after_ms.max(1);
                    tokio::time::sleep(Duration::from_millis(retry_after_ms.max(1).unsigned_abs())).await;
                }
                outcome => return outcome,
            }
        }
    }

    async fn ask_now<T>(
        &self,
        question: Question<'_>,
        request: Result<RequestBuilder, Unanswered>,
        read: &impl Fn(&Answer) -> Result<T, Unanswered>,
    ) -> Result<T, NotDone> {
        let _first = self.first_alone().await;
        self.after_first_of_bucket(&question).await;
        let mut code = None;
        let noted = &mut code;
        let call = |window| async move {
            let answer = self.guard.send(request?, ANSWER_BYTES).await?;
            if let Some(told) = answer.told.clone() {
                self.guard.hear(&question, window, told);
            }
            // Whatever it is, Discord knows the token.
            if answer.status.as_u16() != 401 {
                self.is_proven.store(true, Ordering::Relaxed);
            }
            if answer.status.is_client_error() {
                *noted = code_of(&answer);
            }
            read(&answer)
        };
        let outcome = self.guard.call_in(question, call).await;
        outcome.map_err(|cause| {
            let code = self.guard.code_of(&question, cause, code);
            NotDone { cause, code }
        })
    }

    /// While nobody knows whether Discord takes the token, questions go one after the other, so that one that is refused
    /// is shown once.
    async fn first_alone(&self) -> Option<tokio::sync::MutexGuard<'_, ()>> {
        if self.is_proven.load(Ordering::Relaxed) {
            return None;
        }
        tokio::time::timeout(FOR_THE_FIRST, self.first.lock()).await.ok()
    }

    /// The first call of a bucket goes alone, because its answer tells how many more there may be. Whoever waits is not
    /// refused for that.
    async fn after_first_of_bucket(&self, question: &Question<'_>) {
        if question.urgency != Urgency::Interactive {
            return;
        }
        let answered = async {
            while self.guard.awaits_first(question) {
                tokio::time::sleep(LOOKS_EVERY).await;
            }
        };
        drop(tokio::time::timeout(FOR_THE_FIRST, answered).await);
    }

    fn at(&self, method: Method, segments: &[&str]) -> Result<RequestBuilder, Unanswered> {
        self.at_with(method, segments, &[])
    }

    fn at_with(
        &self,
        method: Method,
        segments: &[&str],
        query: &[(&str, &str)],
    ) -> Result<RequestBuilder, Unanswered> {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        let value = HeaderValue::from_str(&["Bot ", self.token.expose_secret()].concat());
        let mut value = value.map_err(|_| Unanswered::Refused)?;
        value.set_sensitive(true);
        Ok(self.client.request(method, url).header(AUTHORIZATION, value))
    }

    fn sending(&self, method: Method, segments: &[&str], body: String) -> Result<RequestBuilder, Unanswered> {
        let json = HeaderValue::from_static("application/json");
        Ok(self.at(method, segments)?.header(CONTENT_TYPE, json).body(body))
    }
}

/// Discord's own number for why it refused.
fn code_of(answer: &Answer) -> Option<u32> {
    answer.json::<Refusal>().ok().map(|refusal| refusal.code)
}

/// What a refusal means that a call has no other use for.
fn unanswered(answer: &Answer) -> Unanswered {
    match (answer.status.as_u16(), answer.scope.as_deref()) {
        (429, Some("shared")) => Unanswered::Crowded {
            retry_after_ms: answer.retry_after_ms(),
        },
        // What stands before Discord shuts an address out for everything, and names no scope.
        (429, None) => Unanswered::Throttled {
            retry_after_ms: answer.retry_after_ms(),
            for_all: true,
        },
        _ => answer.unanswered_to_us(),
    }
}

fn found<T: DeserializeOwned>(answer: &Answer) -> Result<T, Unanswered> {
    if answer.is_ok() {
        return answer.json();
    }
    Err(unanswered(answer))
}
