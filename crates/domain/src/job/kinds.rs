//! The names of jobs and of their lanes.

use crate::words::words;

words! {
    /// What a job does, as it is stored.
    pub enum JobKind {
        LogLinked = "log.linked",
        LogUnlinked = "log.unlinked",
        LogMore = "log.more",
        EndGuild = "guild.end",
        EndServer = "server.end",
        LookAtGuild = "bot.look",
        SyncRoles = "roles.sync",
        RecheckRoles = "roles.recheck",
        FollowPeople = "people.follow",
        UnlinkPeople = "people.unlink",
        SweepPeople = "people.sweep",
        CleanUp = "people.cleanup",
        ImportLinks = "links.import",
        ReadBilling = "billing.read",
        SendWebhook = "webhook.send",
    }
}

words! {
    /// Lanes of one kind are worked off by the same workers, apart from those of another kind.
    pub enum LaneKind {
        /// Messages to the log channel of a Guild.
        Log = "log",
        /// Long work on a Guild.
        Guild = "guild",
        /// What a bot reads of a Guild on Discord.
        Bot = "bot",
        /// Members of a Guild whose roles are brought in line.
        Roles = "roles",
        /// People of an Org, for whom somebody waits.
        People = "people",
        /// Long work on an Org.
        Org = "org",
        /// What Stripe is asked about an Org.
        Billing = "billing",
        /// Messages to one receiver of an Org.
        Webhook = "webhook",
    }
}

impl LaneKind {
    /// The lane of this kind that a Guild, an Org or a receiver has.
    pub fn of(self, id: &str) -> String {
        [self.as_str(), ":", id].concat()
    }
}

impl JobKind {
    /// Whether it can be left undone without harm.
    pub const fn may_be_dropped(self) -> bool {
        match self {
            JobKind::LogLinked
            | JobKind::LogUnlinked
            | JobKind::LogMore
            | JobKind::LookAtGuild
            | JobKind::RecheckRoles
            | JobKind::SweepPeople
            | JobKind::CleanUp
            | JobKind::ReadBilling
            | JobKind::SendWebhook => true,
            // What is left of what was removed would stay, and so would roles. What the team asked for is theirs to cancel.
            JobKind::EndGuild
            | JobKind::EndServer
            | JobKind::SyncRoles
            | JobKind::FollowPeople
            | JobKind::UnlinkPeople
            | JobKind::ImportLinks => false,
        }
    }
}
