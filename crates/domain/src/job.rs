//! Work that follows from a change: what kinds there are, which of them wait for each other, and when one that failed
//! is tried again. A job names things by our own ids and nothing else.

mod kinds;

use serde::{Deserialize, Serialize};

pub use self::kinds::{JobKind, LaneKind};
pub use crate::doer::Doer;
use crate::id::{AccountId, GuildId, ImportId, LinkId, OrgId, ServerId, WebhookId};

const HOUR_MS: i64 = 60 * 60_000;
/// Log messages that could not be sent in this time are dropped.
const LOG_LIFETIME_MS: i64 = 24 * HOUR_MS;
const LOOK_LIFETIME_MS: i64 = HOUR_MS;
/// Everybody is looked at each night anyway.
const RECHECK_LIFETIME_MS: i64 = 24 * HOUR_MS;
const FIRST_PAUSE_MS: i64 = 5_000;
const LONGEST_PAUSE_MS: i64 = 10 * 60_000;
/// Whoever asks for more patience than this is tried again all the same.
const LONGEST_RETRY_AFTER_MS: i64 = 24 * HOUR_MS;

/// A piece of work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Job {
    /// Tells the log channel about a new link.
    LogLinked { guild: GuildId, link: LinkId },
    /// Tells the log channel about the end of a link, and who ended it where that is not its owner.
    LogUnlinked {
        guild: GuildId,
        link: LinkId,
        by: Option<Doer>,
    },
    /// Tells the log channel that there were more changes than could wait; how many is kept beside it.
    LogMore { guild: GuildId },
    /// Ends what a removed Guild left behind.
    EndGuild { guild: GuildId },
    /// Forgets what a deleted Server knew of players.
    EndServer { guild: GuildId, server: ServerId },
    /// Reads what a Guild is like on Discord now.
    LookAtGuild { guild: GuildId },
    /// Brings the roles of members in line who are marked for it.
    SyncRoles { guild: GuildId },
    /// Marks everybody who is linked in a Guild.
    RecheckRoles { guild: GuildId },
    /// Brings people up to date of whom game servers said something new.
    FollowPeople { org: OrgId },
    /// Ends the links that somebody of the team chose.
    UnlinkPeople { org: OrgId, by: AccountId },
    /// Goes through everybody of an Org and reckons their scores anew.
    SweepPeople { org: OrgId },
    /// Goes through the links of an Org and sees to those that are dormant.
    CleanUp { org: OrgId },
    /// Decides on the rows of a file, makes links of them, and forgets them.
    ImportLinks {
        org: OrgId,
        import: ImportId,
        by: AccountId,
    },
    /// Asks Stripe what an Org pays for.
    ReadBilling { org: OrgId },
    /// Sends the messages that wait for a receiver.
    SendWebhook { webhook: WebhookId },
}

/// What a job is about, as it is stored.
#[derive(Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Payload {
    #[serde(skip_serializing_if = "Option::is_none")]
    org: Option<OrgId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    guild: Option<GuildId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<LinkId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<ServerId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    import: Option<ImportId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    webhook: Option<WebhookId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
}

/// Why a stored job is none that this version knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    #[error("an unknown kind of job")]
    Kind,
    #[error("not what a job of this kind is made of")]
    Payload,
}

impl Job {
    pub const fn kind(&self) -> JobKind {
        match self {
            Job::LogLinked { .. } => JobKind::LogLinked,
            Job::LogUnlinked { .. } => JobKind::LogUnlinked,
            Job::LogMore { .. } => JobKind::LogMore,
            Job::EndGuild { .. } => JobKind::EndGuild,
            Job::EndServer { .. } => JobKind::EndServer,
            Job::LookAtGuild { .. } => JobKind::LookAtGuild,
            Job::SyncRoles { .. } => JobKind::SyncRoles,
            Job::RecheckRoles { .. } => JobKind::RecheckRoles,
            Job::FollowPeople { .. } => JobKind::FollowPeople,
            Job::UnlinkPeople { .. } => JobKind::UnlinkPeople,
            Job::SweepPeople { .. } => JobKind::SweepPeople,
            Job::CleanUp { .. } => JobKind::CleanUp,
            Job::ImportLinks { .. } => JobKind::ImportLinks,
            Job::ReadBilling { .. } => JobKind::ReadBilling,
            Job::SendWebhook { .. } => JobKind::SendWebhook,
        }
    }

    /// The kind of the lane it waits in.
    pub const fn lane_kind(&self) -> LaneKind {
        match self {
            Job::LogLinked { .. } | Job::LogUnlinked { .. } | Job::LogMore { .. } => LaneKind::Log,
            Job::EndGuild { .. } | Job::EndServer { .. } | Job::RecheckRoles { .. } => LaneKind::Guild,
            Job::LookAtGuild { .. } => LaneKind::Bot,
            Job::SyncRoles { .. } => LaneKind::Roles,
            Job::FollowPeople { .. } | Job::UnlinkPeople { .. } => LaneKind::People,
            Job::SweepPeople { .. } | Job::CleanUp { .. } | Job::ImportLinks { .. } => LaneKind::Org,
            Job::ReadBilling { .. } => LaneKind::Billing,
            Job::SendWebhook { .. } => LaneKind::Webhook,
        }
    }

    /// The Guild, Org or receiver that it waits for.
    fn whose(&self) -> &str {
        match self {
            Job::LogLinked { guild, .. }
            | Job::LogUnlinked { guild, .. }
            | Job::LogMore { guild }
            | Job::EndGuild { guild }
            | Job::EndServer { guild, .. }
            | Job::LookAtGuild { guild }
            | Job::SyncRoles { guild }
            | Job::RecheckRoles { guild } => guild.as_str(),
            Job::FollowPeople { org }
            | Job::UnlinkPeople { org, .. }
            | Job::SweepPeople { org }
            | Job::CleanUp { org }
            | Job::ImportLinks { org, .. }
            | Job::ReadBilling { org } => org.as_str(),
            Job::SendWebhook { webhook } => webhook.as_str(),
        }
    }

    /// Jobs of one lane are done one after the other, in the order in which they came.
    pub fn lane(&self) -> String {
        let whose = match self {
            // A long file, or one that cannot be taken over, is in the way of nothing else of its Org.
            Job::ImportLinks { import, .. } => import.as_str(),
            Job::LogLinked { .. }
            | Job::LogUnlinked { .. }
            | Job::LogMore { .. }
            | Job::EndGuild { .. }
            | Job::EndServer { .. }
            | Job::LookAtGuild { .. }
            | Job::SyncRoles { .. }
            | Job::RecheckRoles { .. }
            | Job::FollowPeople { .. }
            | Job::UnlinkPeople { .. }
            | Job::SweepPeople { .. }
            | Job::CleanUp { .. }
            | Job::ReadBilling { .. }
            | Job::SendWebhook { .. } => self.whose(),
        };
        self.lane_kind().of(whose)
    }

    /// While a job waits, another one with the same text is the same job.
    pub fn dedupe(&self) -> String {
        let about = match self {
            Job::LogLinked { link, .. } | Job::LogUnlinked { link, .. } => link.as_str(),
            Job::EndServer { server, .. } => server.as_str(),
            Job::ImportLinks { import, .. } => import.as_str(),
            Job::LogMore { .. }
            | Job::EndGuild { .. }
            | Job::LookAtGuild { .. }
            | Job::SyncRoles { .. }
            | Job::RecheckRoles { .. }
            | Job::FollowPeople { .. }
            | Job::UnlinkPeople { .. }
            | Job::SweepPeople { .. }
            | Job::CleanUp { .. }
            | Job::ReadBilling { .. }
            | Job::SendWebhook { .. } => self.whose(),
        };
        [self.kind().as_str(), ":", about].concat()
    }

    /// What it is about, as JSON.
    pub fn payload(&self) -> String {
        serde_json::to_string(&self.parts()).unwrap_or_default()
    }

    fn parts(&self) -> Payload {
        let (mut parts, none) = (Payload::default(), Payload::default());
        match self.clone() {
            Job::LogLinked { guild, link } => Payload {
                guild: Some(guild),
                link: Some(link),
                ..none
            },
            Job::LogUnlinked { guild, link, by } => {
                parts.by = by.map(|by| by.as_str().to_owned());
                Payload {
                    guild: Some(guild),
                    link: Some(link),
                    ..parts
                }
            }
            Job::EndServer { guild, server } => Payload {
                guild: Some(guild),
                server: Some(server),
                ..none
            },
            Job::LogMore { guild }
            | Job::EndGuild { guild }
            | Job::LookAtGuild { guild }
            | Job::SyncRoles { guild }
            | Job::RecheckRoles { guild } => Payload {
                guild: Some(guild),
                ..none
            },
            Job::UnlinkPeople { org, by } => {
                parts.by = Some(by.as_str().to_owned());
                Payload {
                    org: Some(org),
                    ..parts
                }
            }
            Job::ImportLinks { org, import, by } => {
                parts.by = Some(by.as_str().to_owned());
                Payload {
                    org: Some(org),
                    import: Some(import),
                    ..parts
                }
            }
            Job::FollowPeople { org }
            | Job::SweepPeople { org }
            | Job::CleanUp { org }
            | Job::ReadBilling { org } => Payload {
                org: Some(org),
                ..none
            },
            Job::SendWebhook { webhook } => Payload {
                webhook: Some(webhook),
                ..none
            },
        }
    }

    /// The job that was stored as this.
    pub fn parse(kind: &str, payload: &str) -> Result<Job, JobError> {
        let kind = JobKind::parse(kind).ok_or(JobError::Kind)?;
        let parts: Payload = serde_json::from_str(payload).map_err(|_| JobError::Payload)?;
        let guild = || parts.guild.clone().ok_or(JobError::Payload);
        let org = || parts.org.clone().ok_or(JobError::Payload);
        let link = || parts.link.clone().ok_or(JobError::Payload);
        let doer = |text| Doer::parse(text).ok_or(JobError::Payload);
        let account = || {
            let by = parts.by.as_deref().map(AccountId::parse);
            by.and_then(Result::ok).ok_or(JobError::Payload)
        };
        let job = match kind {
            JobKind::LogLinked => Job::LogLinked {
                guild: guild()?,
                link: link()?,
            },
            JobKind::LogUnlinked => Job::LogUnlinked {
                guild: guild()?,
                link: link()?,
                by: parts.by.as_deref().map(doer).transpose()?,
            },
            JobKind::LogMore => Job::LogMore { guild: guild()? },
            JobKind::EndGuild => Job::EndGuild { guild: guild()? },
            JobKind::EndServer => Job::EndServer {
                guild: guild()?,
                server: parts.server.clone().ok_or(JobError::Payload)?,
            },
            JobKind::LookAtGuild => Job::LookAtGuild { guild: guild()? },
            JobKind::SyncRoles => Job::SyncRoles { guild: guild()? },
            JobKind::RecheckRoles => Job::RecheckRoles { guild: guild()? },
            JobKind::FollowPeople => Job::FollowPeople { org: org()? },
            JobKind::UnlinkPeople => Job::UnlinkPeople {
                org: org()?,
                by: account()?,
            },
            JobKind::SweepPeople => Job::SweepPeople { org: org()? },
            JobKind::CleanUp => Job::CleanUp { org: org()? },
            JobKind::ReadBilling => Job::ReadBilling { org: org()? },
            JobKind::SendWebhook => Job::SendWebhook {
                webhook: parts.webhook.clone().ok_or(JobError::Payload)?,
            },
            JobKind::ImportLinks => Job::ImportLinks {
                org: org()?,
                import: parts.import.clone().ok_or(JobError::Payload)?,
                by: account()?,
            },
        };
        // A part that is not this kind's is no more known than one that no kind has.
        if job.parts() == parts {
            Ok(job)
        } else {
            Err(JobError::Payload)
        }
    }

    /// How long it is worth doing; `None` for what has to be done, however late.
    pub const fn lifetime_ms(&self) -> Option<i64> {
        match self.kind() {
            JobKind::LogLinked | JobKind::LogUnlinked | JobKind::LogMore => Some(LOG_LIFETIME_MS),
            JobKind::RecheckRoles
            | JobKind::SweepPeople
            | JobKind::CleanUp
            | JobKind::ReadBilling
            | JobKind::SendWebhook => Some(RECHECK_LIFETIME_MS),
            JobKind::LookAtGuild => Some(LOOK_LIFETIME_MS),
            JobKind::EndGuild
            | JobKind::EndServer
            | JobKind::SyncRoles
            | JobKind::FollowPeople
            | JobKind::UnlinkPeople
            | JobKind::ImportLinks => None,
        }
    }

    /// The one job that stands for all that come after a full lane; `None` where nothing may be left out.
    pub fn collapsed(&self) -> Option<Job> {
        match self {
            Job::LogLinked { guild, .. } | Job::LogUnlinked { guild, .. } | Job::LogMore { guild } => {
                Some(Job::LogMore { guild: guild.clone() })
            }
            Job::EndGuild { .. }
            | Job::EndServer { .. }
            | Job::LookAtGuild { .. }
            | Job::SyncRoles { .. }
            | Job::RecheckRoles { .. }
            | Job::FollowPeople { .. }
            | Job::UnlinkPeople { .. }
            | Job::SweepPeople { .. }
            | Job::CleanUp { .. }
            | Job::ImportLinks { .. }
            | Job::ReadBilling { .. }
            | Job::SendWebhook { .. } => None,
        }
    }
}

/// How long a job waits that has failed `attempts` times before: 5 seconds, doubled each time up to 10 minutes, a fifth
/// more or less as the dice fall, and never less than the other side asked for.
pub fn backoff_ms(attempts: i64, dice: u8, retry_after_ms: Option<i64>) -> i64 {
    let doublings = u32::try_from(attempts.clamp(0, 20)).unwrap_or(0);
    let pause = (FIRST_PAUSE_MS << doublings).min(LONGEST_PAUSE_MS);
    // From -20 % to +20 % in 256 steps.
    let swayed = pause - pause / 5 + pause * 2 / 5 * i64::from(dice) / 255;
    let asked = retry_after_ms.unwrap_or(0).clamp(0, LONGEST_RETRY_AFTER_MS);
    swayed.min(LONGEST_PAUSE_MS).max(asked)
}

#[cfg(test)]
#[path = "job_tests.rs"]
mod tests;
