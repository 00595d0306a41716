//! What is kept of a session, shown in it, and how it ends.

use tokio::time::Instant;
use twilight_gateway::ShardState;

use super::Line;
use crate::connection::Connection;
use crate::resume::Resume;

impl Line {
    pub(super) fn show(&mut self, linked: Option<u64>) {
        let shard = self.connection.as_ref().map(|connection| &connection.shard);
        let active = shard.filter(|shard| shard.state() == ShardState::Active);
        if let (Some(shard), Some(linked)) = (active, linked)
            && let Some(update) = self.presence.due(linked, Instant::now())
        {
            shard.command(&update);
        }
    }

    /// Writes the session down as it stands, for the next process. While the service has not heard of all members, the
    /// next process begins where it had: Discord tells the rest again.
    pub(super) fn save(&mut self) {
        let Some(Connection { shard, .. }) = &self.connection else {
            return;
        };
        let known_url = self.file.saved().map(|saved| saved.resume_url.as_str());
        let untold = self.core.members.untold();
        let resume = shard.session().and_then(|session| {
            Some(Resume {
                session_id: session.id().to_owned(),
                sequence: untold.map_or(session.sequence(), |first| first.saturating_sub(1)),
                resume_url: shard.resume_url().or(known_url)?.to_owned(),
                bot_user_id: self.core.status.borrow().bot_user_id.clone(),
                guilds: self.guilds.iter().copied().collect(),
                members: self.hears_members,
            })
        });
        self.file.save(resume);
    }

    /// The session ends, and the bot is seen to be offline.
    pub(super) fn sign_off(&mut self) {
        if let Some(connection) = self.connection.take() {
            connection.sign_off();
        }
        self.file.save(None);
    }

    pub(super) fn hang_up(&mut self) {
        self.save();
        if let Some(connection) = self.connection.take() {
            connection.hang_up();
        }
    }
}
