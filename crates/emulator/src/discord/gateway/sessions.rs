//! Sessions outlive connections: a bot that comes back in time gets what it missed.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::discord::snowflake::Snowflake;

/// How much a bot may miss and still resume.
const BACKLOG: usize = 1_000;
const RESUMABLE_MS: i64 = 3 * 60_000;
const DAY_MS: i64 = 24 * 60 * 60_000;
/// What a connection may have outstanding before it is considered stuck.
pub const QUEUE: usize = 2_048;

/// What is written to a connection.
#[derive(Debug)]
pub enum Outgoing {
    Text(String),
    Close(u16, &'static str),
    /// The line goes dead without a word.
    Cut,
}

/// The way to one connection.
#[derive(Clone)]
pub struct Line {
    pub connection: u64,
    pub sender: mpsc::Sender<Outgoing>,
}

pub struct Session {
    pub application: Snowflake,
    pub shard: (u64, u64),
    pub intents: u64,
    pub presence: Value,
    /// Heartbeats go unanswered and nothing is delivered, although the line stands.
    pub zombie: bool,
    seq: u64,
    backlog: VecDeque<(u64, String)>,
    line: Option<Line>,
    lost_ms: Option<i64>,
}

impl Session {
    /// Sends an event, or keeps it for when the bot is back.
    pub fn dispatch(&mut self, name: &str, data: &Value) {
        self.seq += 1;
        let text = json!({"op": 0, "s": self.seq, "t": name, "d": data}).to_string();
        if self.backlog.len() == BACKLOG {
            self.backlog.pop_front();
        }
        self.backlog.push_back((self.seq, text.clone()));
        self.send(Outgoing::Text(text));
    }

    /// Sends something that is not an event. A line that is full is let go, which closes it.
    pub fn send(&mut self, outgoing: Outgoing) {
        let Some(line) = self.line.as_ref().filter(|_| !self.zombie) else {
            return;
        };
        if line.sender.try_send(outgoing).is_err() {
            self.line = None;
        }
    }

    /// Reaches the connection even of a zombie.
    pub fn end(&mut self, outgoing: Outgoing) {
        self.zombie = false;
        self.send(outgoing);
    }

    pub fn is_connected(&self) -> bool {
        self.line.is_some()
    }

    fn serves(&self, guild: Snowflake) -> bool {
        (guild.0 >> 22) % self.shard.1 == self.shard.0
    }

    fn same_bot(&self, other: (Snowflake, (u64, u64))) -> bool {
        (self.application, self.shard) == other
    }
}

/// Two connected sessions of one bot and shard: in real life every event would be handled twice.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Overlap {
    pub application_id: Snowflake,
    pub shard: (u64, u64),
    pub began_ms: i64,
    pub ended_ms: Option<i64>,
}

/// As many tokens as are told apart; nobody tries more of them.
const TOKENS: usize = 1_000;

#[derive(Default)]
pub struct Sessions {
    all: BTreeMap<String, Session>,
    identifies: BTreeMap<Snowflake, Vec<i64>>,
    resumes: BTreeMap<Snowflake, u64>,
    /// How often each token was brought to begin a session, also in vain.
    attempts: BTreeMap<String, u64>,
    overlaps: Vec<Overlap>,
    connections: u64,
}

/// Whether a session goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resumed {
    Yes,
    /// There is none, or it lies too far back.
    No,
    /// The bot says that it heard more than there was.
    Ahead,
}

/// Who a new session belongs to and what it wants to hear.
pub struct Opening {
    pub application: Snowflake,
    pub shard: (u64, u64),
    pub intents: u64,
    pub presence: Value,
    pub line: Line,
}

impl Sessions {
    pub fn next_connection(&mut self) -> u64 {
        self.connections += 1;
        self.connections
    }

    pub fn get_mut(&mut self, id: &str) -> Option<&mut Session> {
        self.all.get_mut(id)
    }

    /// Somebody sent IDENTIFY with this token, whatever becomes of it.
    pub fn tried(&mut self, token: &str) {
        if self.attempts.len() < TOKENS || self.attempts.contains_key(token) {
            *self.attempts.entry(token.to_owned()).or_default() += 1;
        }
    }

    /// Sessions whose shard has this guild.
    pub fn of_guild(&mut self, guild: Snowflake) -> impl Iterator<Item = &mut Session> {
        self.all.values_mut().filter(move |session| session.serves(guild))
    }

    pub fn of_application(&mut self, application: Snowflake) -> impl Iterator<Item = &mut Session> {
        self.all
            .values_mut()
            .filter(move |session| session.application == application)
    }

    /// How many sessions the bot started in the last 24 hours, and in how many milliseconds the first of them no longer
    /// counts.
    pub fn started(&self, application: Snowflake, now_ms: i64) -> (usize, i64) {
        let all = self.identifies.get(&application).into_iter().flatten();
        let today: Vec<i64> = all.copied().filter(|at_ms| now_ms - at_ms < DAY_MS).collect();
        let first = today.first().map_or(0, |first| first + DAY_MS - now_ms);
        (today.len(), first)
    }

    pub fn open(&mut self, id: &str, opening: Opening, now_ms: i64) {
        self.purge(now_ms);
        self.identifies
            .entry(opening.application)
            .or_default()
            .push(now_ms);
        let bot = (opening.application, opening.shard);
        if self.live(bot) > 0 {
            self.overlaps.push(Overlap {
                application_id: bot.0,
                shard: bot.1,
                began_ms: now_ms,
                ended_ms: None,
            });
        }
        let session = Session {
            application: opening.application,
            shard: opening.shard,
            intents: opening.intents,
            presence: opening.presence,
            zombie: false,
            seq: 0,
            backlog: VecDeque::new(),
            line: Some(opening.line),
            lost_ms: None,
        };
        self.all.insert(id.to_owned(), session);
    }

    /// Continues a session on another connection.
    pub fn resume(&mut self, id: &str, application: Snowflake, seq: u64, line: Line, now_ms: i64) -> Resumed {
        self.purge(now_ms);
        let Some(session) = self
            .all
            .get_mut(id)
            .filter(|session| session.application == application)
        else {
            return Resumed::No;
        };
        let oldest = session.backlog.front().map_or(session.seq + 1, |(seq, _)| *seq);
        let is_ahead = seq > session.seq;
        if is_ahead || seq + 1 < oldest {
            self.all.remove(id);
            return if is_ahead { Resumed::Ahead } else { Resumed::No };
        }
        session.end(Outgoing::Close(4_000, "Resumed elsewhere"));
        session.line = Some(line);
        session.lost_ms = None;
        let missed: Vec<String> = session
            .backlog
            .iter()
            .filter(|(own, _)| *own > seq)
            .map(|(_, text)| text.clone())
            .collect();
        for text in missed {
            session.send(Outgoing::Text(text));
        }
        session.dispatch("RESUMED", &json!({"_trace": []}));
        *self.resumes.entry(application).or_default() += 1;
        Resumed::Yes
    }

    /// A connection ended. After a farewell its session is over; otherwise it waits to be resumed.
    pub fn lost(&mut self, connection: u64, farewell: bool, now_ms: i64) {
        let own = |session: &Session| {
            session
                .line
                .as_ref()
                .is_some_and(|line| line.connection == connection)
        };
        let Some((id, session)) = self.all.iter_mut().find(|(_, session)| own(session)) else {
            return;
        };
        session.line = None;
        session.lost_ms = Some(now_ms);
        let bot = (session.application, session.shard);
        let id = id.clone();
        if farewell {
            self.all.remove(&id);
        }
        if self.live(bot) <= 1 {
            let open = self
                .overlaps
                .iter_mut()
                .filter(|overlap| overlap.ended_ms.is_none());
            for overlap in open.filter(|overlap| (overlap.application_id, overlap.shard) == bot) {
                overlap.ended_ms = Some(now_ms);
            }
        }
    }

    /// All sessions of this bot end, because nobody may speak for it any more.
    pub fn expel(&mut self, application: Snowflake, (code, reason): (u16, &'static str)) {
        for session in self.of_application(application) {
            session.end(Outgoing::Close(code, reason));
        }
        self.all.retain(|_, session| session.application != application);
    }

    /// Sessions of this bot that run now cannot be resumed later.
    pub fn forget_connected(&mut self, application: Snowflake) {
        self.all
            .retain(|_, session| session.application != application || session.line.is_none());
    }

    fn live(&self, bot: (Snowflake, (u64, u64))) -> usize {
        self.all
            .values()
            .filter(|session| session.line.is_some() && session.same_bot(bot))
            .count()
    }

    fn purge(&mut self, now_ms: i64) {
        self.all.retain(|_, session| {
            session
                .lost_ms
                .is_none_or(|lost_ms| now_ms - lost_ms <= RESUMABLE_MS)
        });
    }

    /// For people and tests.
    pub fn describe(&self) -> Value {
        let sessions = self.all.iter().map(|(id, session)| {
            json!({
                "id": id,
                "application_id": session.application,
                "connected": session.line.is_some(),
                "shard": session.shard,
                "intents": session.intents,
                "presence": session.presence,
                "seq": session.seq,
            })
        });
        let identifies: BTreeMap<_, _> = self
            .identifies
            .iter()
            .map(|(id, times)| (id, times.len()))
            .collect();
        json!({
            "sessions": sessions.collect::<Vec<_>>(),
            "identifies": identifies,
            "resumes": self.resumes,
            "attempts": self.attempts,
            "overlaps": self.overlaps,
            "connections": self.connections,
        })
    }
}
