//! The line to Discord's gateway: one shard, which connects again by itself and resumes.

mod keeping;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use domain::clock::{Clock, SystemClock};
use futures_util::StreamExt;
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, Interval, MissedTickBehavior};
use twilight_gateway::error::{ReceiveMessageError, ReceiveMessageErrorType};
use twilight_gateway::{Message, Session, ShardState};

use crate::answering::Answers;
use crate::backoff::Backoff;
use crate::connection::{Connection, Opening};
use crate::gate::Gate;
use crate::heard::{self, Heard, Interaction, MemberHeard};
use crate::hints::What;
use crate::intent::Intent;
use crate::missing;
use crate::presence::Presence;
use crate::reach;
use crate::refusal::{End, ends_session, refused, rejected};
use crate::resume::ResumeFile;
use crate::run::Core;
use crate::session::{Standing, Word};
use crate::settings::{Settings, Stop};
use crate::status::State;

/// How often the session is written down and the presence looked at.
const TICK: Duration = Duration::from_secs(1);
/// A connection that was online for so long is made again at once.
const STABLE: Duration = Duration::from_secs(30);
/// A session that was online for so long was worth its IDENTIFY.
const LIVED: Duration = Duration::from_secs(60);
const FIRST_REST: Duration = Duration::from_millis(250);
const LONGEST_REST: Duration = Duration::from_secs(60);
/// How old an interaction may be: Discord takes an answer for three seconds, and clocks differ.
const ANSWERABLE_MS: i64 = 4_000;

enum Turn {
    LetGo,
    /// Discord does not know the token.
    Rejected,
    Shard(Option<Result<Message, ReceiveMessageError>>),
    Tick,
}

pub struct Line {
    core: Arc<Core>,
    token: SecretString,
    intent: Intent,
    /// What the session asked for.
    hears_members: bool,
    home: Option<u64>,
    gate: Gate,
    rejections: mpsc::Receiver<()>,
    /// Also what the next connection goes on with.
    file: ResumeFile,
    guilds: BTreeSet<u64>,
    presence: Presence,
    answers: Answers,
    /// Finds the Guilds that the bot was thrown out of.
    missing: JoinSet<()>,
    connection: Option<Connection>,
    backoff: Backoff,
    rests_until: Instant,
    /// The session's own address did not answer: it is gone on with where new ones begin.
    avoids_own_address: bool,
}

impl Line {
    pub fn new(
        core: Arc<Core>,
        settings: &Settings,
        file: ResumeFile,
        (gate, rejections): (Gate, mpsc::Receiver<()>),
    ) -> Self {
        let guilds = file.saved().map(|saved| saved.guilds.iter().copied().collect());
        let bot_user_id = file.saved().and_then(|saved| saved.bot_user_id.clone());
        core.update(|status| status.bot_user_id = bot_user_id);
        Self {
            core,
            token: settings.token.clone(),
            intent: Intent::new(settings.members_intent),
            hears_members: false,
            home: settings.home,
            gate,
            rejections,
            file,
            guilds: guilds.unwrap_or_default(),
            presence: Presence::default(),
            answers: Answers::default(),
            missing: JoinSet::new(),
            connection: None,
            backoff: Backoff::new(FIRST_REST, LONGEST_REST),
            rests_until: Instant::now(),
            avoids_own_address: false,
        }
    }

    /// Connects and stays connected.
    pub async fn hold(&mut self, word: &mut watch::Receiver<Word>) -> End {
        loop {
            let linked = word.borrow().linked;
            let opened = tokio::select! {
                opened = self.open(linked) => opened,
                () = let_go(word) => return End::LetGo,
            };
            if !opened {
                return rejected();
            }
            let end = self.listen(word).await;
            self.hang_up();
            if let Some(end) = end {
                return end;
            }
            self.core.update(|status| status.state = State::Connecting);
        }
    }

    pub fn forgo_members(&mut self) {
        self.intent.refused();
    }

    /// Ends for this process; the session waits for the next one. What somebody asked is still answered.
    pub async fn leave(&mut self, stop: Stop, within: Duration) {
        match stop {
            Stop::Leave => self.hang_up(),
            Stop::Pause => self.sign_off(),
        }
        self.answers.finish(within).await;
    }

    /// Makes ready for a connection; false when Discord does not know the token.
    async fn open(&mut self, linked: Option<u64>) -> bool {
        tokio::time::sleep_until(self.rests_until).await;
        if !self.intent.ask_once(&self.core).await {
            return false;
        }
        let heard = self.file.saved().map(|saved| saved.members);
        self.hears_members = self.intent.asks(heard);
        let lacks_members = self.intent.is_wanted() && !self.hears_members;
        self.core.update(|status| status.lacks_members = lacks_members);
        if heard.is_some_and(|heard| heard != self.hears_members) {
            // What a session hears of is for as long as it lasts.
            self.file.save(None);
        }
        let saved = self.file.saved();
        let session = saved.map(|saved| Session::new(saved.sequence, saved.session_id.clone()));
        let own = saved.map(|saved| saved.resume_url.clone());
        let url = match own.filter(|_| !self.avoids_own_address) {
            Some(own) => own,
            None => match reach::gateway(&self.core).await {
                Some(facts) => facts.url,
                None => return false,
            },
        };
        let opening = Opening {
            token: self.token.expose_secret().to_owned(),
            members: self.hears_members,
            url,
            session,
            linked,
        };
        self.connection = Some(Connection::new(self.gate.clone(), opening));
        true
    }

    /// Until the connection is gone; None when another is to be made.
    async fn listen(&mut self, word: &mut watch::Receiver<Word>) -> Option<End> {
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let goes_on = match self.turn(&mut ticks, word).await {
                Turn::LetGo => return Some(End::LetGo),
                Turn::Rejected => return Some(rejected()),
                Turn::Tick => self.look_after(word.borrow().linked),
                Turn::Shard(Some(Ok(Message::Text(text)))) => self.take(&text),
                Turn::Shard(Some(Ok(Message::Close(frame)))) => {
                    return self.closed(frame.map(|frame| frame.code));
                }
                Turn::Shard(Some(Err(error))) => self.failed(error),
                Turn::Shard(None) => return self.closed(None),
            };
            if !goes_on {
                self.save();
                self.rest();
                // Without a word: what the client would still send is not wanted.
                self.connection = None;
                return None;
            }
        }
    }

    /// What happens next. Nothing is lost when it is not waited for.
    async fn turn(&mut self, ticks: &mut Interval, word: &mut watch::Receiver<Word>) -> Turn {
        let Some(connection) = &mut self.connection else {
            return Turn::LetGo;
        };
        tokio::select! {
            () = let_go(word) => Turn::LetGo,
            Some(()) = self.rejections.recv() => Turn::Rejected,
            message = connection.shard.next() => Turn::Shard(message),
            _ = ticks.tick() => Turn::Tick,
        }
    }

    /// False when the connection is of no use.
    fn look_after(&mut self, linked: Option<u64>) -> bool {
        self.save();
        self.show(linked);
        let Some(connection) = &self.connection else {
            return false;
        };
        if connection.was_online_for(LIVED) {
            self.gate.lived();
        }
        if connection.is_mute() {
            self.core.unreachable(&"the gateway says nothing");
            return false;
        }
        if self.intent.is_granted_now(&self.core) {
            tracing::info!("Discord grants the Server Members Intent now: another session begins");
            self.hang_up();
            return false;
        }
        true
    }

    /// Discord, or the way to it, closed the connection.
    fn closed(&mut self, code: Option<u16>) -> Option<End> {
        tracing::info!(code, "the connection to Discord's gateway was closed");
        self.save();
        let state = self
            .connection
            .as_ref()
            .map(|connection| connection.shard.state());
        if state == Some(ShardState::FatallyClosed) {
            return Some(refused(code, self.hears_members));
        }
        self.rest();
        if ends_session(code) {
            self.connection = None;
            self.file.save(None);
        }
        None
    }

    /// False when there is no connection. The event that could not be read may hold secrets and is not logged.
    fn failed(&mut self, error: ReceiveMessageError) -> bool {
        match error.kind() {
            ReceiveMessageErrorType::Reconnect => {
                // Where the session was is not where it has to be.
                self.avoids_own_address = !self.avoids_own_address;
                let cause = error.into_source().map(|source| source.to_string());
                self.core
                    .unreachable(&cause.unwrap_or_else(|| "no connection".to_owned()));
                false
            }
            ReceiveMessageErrorType::Deserializing { .. } => {
                tracing::warn!("a message of Discord's gateway could not be read");
                true
            }
            _ => {
                tracing::warn!("a message of Discord's gateway could not be unpacked");
                true
            }
        }
    }

    /// What is to be waited for before the next connection.
    fn rest(&mut self) {
        let connection = self.connection.as_ref();
        self.rests_until = Instant::now();
        if connection.is_some_and(|connection| connection.was_online_for(STABLE)) {
            self.backoff.reset();
        } else {
            self.rests_until += self.backoff.next();
        }
    }

    /// False when the client has made a new connection by itself.
    fn take(&mut self, text: &str) -> bool {
        let hint = |guild, what| self.core.hints.add(guild, what);
        match heard::read(text) {
            None => {}
            Some(Heard::Hello) => {
                let Some(connection) = self.connection.as_mut().filter(|own| !own.is_greeted) else {
                    return false;
                };
                connection.is_greeted = true;
                self.avoids_own_address = false;
            }
            Some(Heard::Ready { bot_user_id, guilds }) => {
                self.guilds = guilds.into_iter().collect();
                self.core.members.begin_session();
                self.core.update(|status| status.bot_user_id = Some(bot_user_id));
                self.presence
                    .begun(self.connection.as_ref().and_then(|own| own.linked));
                self.missing.abort_all();
                let missing = missing::point_at(Arc::clone(&self.core), self.guilds.clone());
                self.missing.spawn(missing);
                self.online("a session began on Discord's gateway");
            }
            Some(Heard::Resumed) => self.online("the session on Discord's gateway goes on"),
            Some(Heard::GuildHere(guild)) => {
                self.guilds.insert(guild);
                hint(guild, What::GuildHere);
            }
            Some(Heard::GuildGone(guild)) => {
                self.guilds.remove(&guild);
                hint(guild, What::GuildGone);
            }
            Some(Heard::GuildChanged(guild)) => hint(guild, What::GuildChanged),
            Some(Heard::Member(heard)) => self.point_at_member(&heard),
            Some(Heard::Interaction(interaction)) => {
                hint(interaction.guild, What::Seen);
                self.answer(*interaction);
            }
        }
        let guilds = self.guilds.len();
        self.core.update(|status| status.guilds = guilds);
        self.core.at_home(self.home, &self.guilds);
        true
    }

    /// Bots have no roles of ours, but what the bot itself may do is for its guild to know.
    fn point_at_member(&self, heard: &MemberHeard) {
        let own = self.core.status.borrow().bot_user_id.clone();
        let is_own = own.is_some_and(|own| own == heard.user.to_string());
        let what = if is_own { What::GuildChanged } else { What::Seen };
        self.core.hints.add(heard.guild, what);
        if !heard.is_bot && !is_own && self.guilds.contains(&heard.guild) {
            let session = self.connection.as_ref().and_then(|own| own.shard.session());
            let sequence = session.map(Session::sequence);
            self.core
                .members
                .add((heard.guild, heard.user), heard.change, sequence);
        }
    }

    /// What was asked while nobody heard it comes with the session that goes on. Whoever asked was told that there is no
    /// answer, so nothing is done any more.
    fn answer(&mut self, interaction: Interaction) {
        let connection = self.connection.as_ref();
        let state = connection.map(|connection| connection.shard.state());
        let is_late = |asked_ms| SystemClock.now_ms() - asked_ms > ANSWERABLE_MS;
        if state == Some(ShardState::Resuming) && interaction.asked_ms().is_none_or(is_late) {
            tracing::info!("somebody was not answered: the bot was away when they asked");
            return;
        }
        self.answers.begin(&self.core, interaction);
    }

    fn online(&mut self, how: &str) {
        tracing::info!(guilds = self.guilds.len(), "{how}");
        if let Some(connection) = &mut self.connection {
            connection.online();
        }
        if self.hears_members {
            self.intent.granted();
        }
        self.core.online(self.home, &self.guilds);
        self.save();
    }
}

/// Returns when this process must not be the bot any more.
async fn let_go(word: &mut watch::Receiver<Word>) {
    // Who tells it lives as long as the process.
    drop(word.wait_for(|word| word.standing != Standing::Ours).await);
}
