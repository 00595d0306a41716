//! One connection to the gateway. The client would make the next one by itself, and at once; it is not let.

use std::time::Duration;

use futures_util::{FutureExt, StreamExt};
use tokio::time::Instant;
use twilight_gateway::{CloseFrame, ConfigBuilder, Intents, Session, Shard, ShardId, ShardState};
use twilight_model::gateway::payload::outgoing::identify::IdentifyProperties;

use crate::gate::Gate;
use crate::presence;

/// How long Discord may take to greet.
const GREETING: Duration = Duration::from_secs(20);
const NAME: &str = "Symbolon";

/// How a connection begins.
pub struct Opening {
    pub token: String,
    /// Whether it wants to hear of members.
    pub members: bool,
    pub url: String,
    /// What goes on; otherwise a new session begins.
    pub session: Option<Session>,
    /// The number that a new session shows from the start.
    pub linked: Option<u64>,
}

pub struct Connection {
    pub shard: Shard<Gate>,
    pub is_greeted: bool,
    pub linked: Option<u64>,
    opened_at: Instant,
    online_at: Option<Instant>,
}

impl Connection {
    /// Nothing happens before it is listened to.
    pub fn new(gate: Gate, opening: Opening) -> Self {
        let mut intents = Intents::GUILDS;
        if opening.members {
            intents |= Intents::GUILD_MEMBERS;
        }
        let mut config = ConfigBuilder::new(opening.token, intents)
            .queue(gate)
            .identify_properties(IdentifyProperties::new(NAME, NAME, std::env::consts::OS))
            .proxy_url(opening.url);
        if let Some(presence) = opening.linked.and_then(presence::payload) {
            config = config.presence(presence);
        }
        if let Some(session) = opening.session {
            config = config.session(session);
        }
        Self {
            shard: Shard::with_config(ShardId::ONE, config.build()),
            is_greeted: false,
            linked: opening.linked,
            opened_at: Instant::now(),
            online_at: None,
        }
    }

    /// The session is there.
    pub fn online(&mut self) {
        self.online_at = Some(Instant::now());
    }

    pub fn was_online_for(&self, time: Duration) -> bool {
        self.online_at.is_some_and(|at| at.elapsed() >= time)
    }

    /// Discord should have said something by now.
    pub fn is_mute(&self) -> bool {
        !self.is_greeted && self.opened_at.elapsed() >= GREETING
    }

    /// Closes in a way that lets the session go on. The frame is sent by looking at the shard once.
    pub fn hang_up(self) {
        self.close(CloseFrame::RESUME);
    }

    /// Closes in a way that ends the session.
    pub fn sign_off(self) {
        self.close(CloseFrame::NORMAL);
    }

    fn close(mut self, frame: CloseFrame<'static>) {
        match self.shard.state() {
            ShardState::Active | ShardState::Identifying | ShardState::Resuming => {
                self.shard.close(frame);
                drop(self.shard.next().now_or_never());
            }
            ShardState::Disconnected { .. } | ShardState::FatallyClosed => {}
        }
    }
}
