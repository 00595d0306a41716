//! One Guild's own bot is started, or gone on with.

use std::fs::File;
use std::time::Duration;

use app::bots::fleet::{self, Change, Credentials, Seen};
use bot::{Parent, Settings};
use config::{LogFormat, abort_point};
use domain::bot::BotState;
use domain::random;
use domain::runner::{Reason, Step};
use tokio::time::Instant;

use super::Handed;
use super::host::{Host, LEAVE_AFTER_MS, Order};
use super::silence::Silence;
use super::slot::{Child, Slot, moved};
use crate::output::Failure;

/// A child that its node does not answer leaves after this.
const GIVE_UP_AFTER_MS: u64 = 12_000;
/// Then it has, counted from when its node last wrote down what it said.
const SURELY_GONE_MS: i64 = 13_000;
/// A host that takes longer does not answer.
const HOST_WITHIN: Duration = Duration::from_secs(120);

impl<H: Host> Slot<H> {
    pub async fn launch(&mut self, bot: &Seen) {
        if std::mem::take(&mut self.is_new) {
            if self.go_on(bot).await {
                return;
            }
            // Discord told a process that has gone since, and nobody wrote it down.
            if bot.was_rejected() {
                return self.arrive(bot, Step::Failed, Some(Reason::TokenRejected)).await;
            }
        }
        if self.may_run_elsewhere(bot).await || !self.fleet.take_turn().await {
            return;
        }
        abort_point("launch.before");
        let credentials = match fleet::credentials(&self.fleet.app, &bot.bot_user_id).await {
            Ok(credentials) => credentials,
            Err(error) => return self.missed(bot, &error.internal_detail()).await,
        };
        let instance = self.instance();
        let begins = Change {
            begins: Some(instance.clone()),
            restart: self.restart,
            ..Change::default()
        };
        if self.note(begins).await != Some(true) {
            return;
        }
        abort_point("launch.noted");
        if self.fleet.is_stopping() {
            return;
        }
        match self.begin(bot, credentials, instance).await {
            Ok(child) => {
                abort_point("launch.begun");
                self.restart = None;
                self.child = Some(child);
            }
            Err(failure) => self.missed(bot, failure.text()).await,
        }
    }

    async fn missed(&mut self, bot: &Seen, error: &str) {
        tracing::warn!(bot = bot.id.as_str(), error, "a Custom Bot could not be started");
        let after = bot.runner.missed(self.now_ms().await);
        self.note(moved(bot, after)).await;
    }

    /// Whether the process of another node may still be there. It leaves when nobody answers it; until then Discord would
    /// see two.
    async fn may_run_elsewhere(&self, bot: &Seen) -> bool {
        let Some((instance, state, _)) = &bot.said else {
            return false;
        };
        let is_another = bot.has_process() && *instance != self.lease.owner && *state != BotState::Stopped;
        let heard_at_ms = bot.heard_at_ms.unwrap_or(0);
        !H::OUTLIVES
            && is_another
            && self.fleet.has_others()
            && self.now_ms().await < heard_at_ms + SURELY_GONE_MS
    }

    /// Goes on with what runs already; false when nothing does.
    async fn go_on(&mut self, bot: &Seen) -> bool {
        let token_version = bot.runner.token_version;
        match asked(self.fleet.host.find(bot.id.as_str(), token_version)).await {
            Ok(Some((running, instance))) => {
                self.child = Some(Child {
                    running,
                    token_version,
                    instance,
                    silence: Silence::begin(bot.heard_at_ms, Instant::now()),
                });
                self.restart = None;
                true
            }
            Ok(None) => false,
            Err(failure) => {
                self.is_new = true;
                self.missed(bot, failure.text()).await;
                true
            }
        }
    }

    /// Under which name the next process reports: that of its node, or one of its own, so that whatever ran before under
    /// the same token is let in no more.
    fn instance(&self) -> String {
        if !H::OUTLIVES {
            return self.lease.owner.clone();
        }
        let own = random::bytes::<8>(&*self.fleet.app.random);
        own.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    async fn begin(
        &self,
        bot: &Seen,
        credentials: Credentials,
        instance: String,
    ) -> Result<Child<H::Running>, Failure> {
        let (fleet, id) = (&self.fleet, bot.id.as_str());
        let Credentials {
            secret,
            token,
            token_version,
        } = credentials;
        let leave_after_ms = match (H::OUTLIVES, fleet.has_others()) {
            (true, _) => Some(LEAVE_AFTER_MS),
            (false, true) => Some(GIVE_UP_AFTER_MS),
            (false, false) => None,
        };
        let config = &fleet.config;
        let handed = Handed {
            log_level: config.log.level.clone(),
            log_as_text: config.log.format == LogFormat::Text,
            // The host knows both.
            run_as: None,
            most_data_bytes: None,
            settings: Settings {
                service_url: fleet.host.service_url().to_owned(),
                bot_id: bot.bot_user_id.as_str().to_owned(),
                secret,
                token,
                api_url: config.discord.api_url.clone(),
                state_dir: fleet.host.state_dir(id),
                members_intent: config.discord.members_intent,
                home: bot.discord_guild_id.as_str().parse().ok(),
                parent: Some(Parent {
                    instance: instance.clone(),
                    leave_after_ms,
                }),
            },
        };
        let order = Order {
            bot: id.to_owned(),
            handed,
            token_version,
            log: fleet.log.as_ref().map(File::try_clone).transpose()?,
        };
        Ok(Child {
            running: asked(fleet.host.start(order)).await?,
            token_version,
            instance,
            silence: Silence::begin(None, Instant::now()),
        })
    }
}

/// What a host answers, if it does.
pub async fn asked<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let answer = tokio::time::timeout(HOST_WITHIN, work).await;
    answer.unwrap_or_else(|_| Err("the host of Custom Bots does not answer".into()))
}
