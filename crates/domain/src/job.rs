//! Work that follows from a change: what kinds there are, which of them wait for each other, and when one that failed
//! is tried again. A job names things by our own ids and nothing else.

use serde::{Deserialize, Serialize};

use crate::id::{GuildId, LinkId, ServerId};
use crate::words::words;

const HOUR_MS: i64 = 60 * 60_000;
/// Log messages that could not be sent in this time are dropped.
const LOG_LIFETIME_MS: i64 = 24 * HOUR_MS;
const FIRST_PAUSE_MS: i64 = 5_000;
const LONGEST_PAUSE_MS: i64 = 10 * 60_000;
/// Whoever asks for more patience than this is tried again all the same.
const LONGEST_RETRY_AFTER_MS: i64 = 24 * HOUR_MS;

words! {
    /// What a job does, as it is stored.
    pub enum JobKind {
        LogLinked = "log.linked",
        LogUnlinked = "log.unlinked",
        LogMore = "log.more",
        EndGuild = "guild.end",
        EndServer = "server.end",
    }
}

words! {
    /// Lanes of one kind are worked off by the same workers, apart from those of another kind.
    pub enum LaneKind {
        /// Messages to the log channel of a Guild.
        Log = "log",
        /// Long work on a Guild.
        Guild = "guild",
    }
}

/// A piece of work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Job {
    /// Tells the log channel about a new link.
    LogLinked { guild: GuildId, link: LinkId },
    /// Tells the log channel about the end of a link.
    LogUnlinked { guild: GuildId, link: LinkId },
    /// Tells the log channel that there were more changes than could wait; how many is kept beside it.
    LogMore { guild: GuildId },
    /// Ends what a removed Guild left behind.
    EndGuild { guild: GuildId },
    /// Forgets what a deleted Server knew of players.
    EndServer { guild: GuildId, server: ServerId },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OfLink {
    guild: GuildId,
    link: LinkId,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OfGuild {
    guild: GuildId,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OfServer {
    guild: GuildId,
    server: ServerId,
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
        }
    }

    /// The kind of the lane it waits in.
    pub const fn lane_kind(&self) -> LaneKind {
        match self {
            Job::LogLinked { .. } | Job::LogUnlinked { .. } | Job::LogMore { .. } => LaneKind::Log,
            Job::EndGuild { .. } | Job::EndServer { .. } => LaneKind::Guild,
        }
    }

    const fn guild(&self) -> &GuildId {
        match self {
            Job::LogLinked { guild, .. }
            | Job::LogUnlinked { guild, .. }
            | Job::LogMore { guild }
            | Job::EndGuild { guild }
            | Job::EndServer { guild, .. } => guild,
        }
    }

    /// Jobs of one lane are done one after the other, in the order in which they came.
    pub fn lane(&self) -> String {
        self.lane_kind().of(self.guild())
    }

    /// While a job waits, another one with the same text is the same job.
    pub fn dedupe(&self) -> String {
        let about = match self {
            Job::LogLinked { link, .. } | Job::LogUnlinked { link, .. } => link.as_str(),
            Job::LogMore { guild } | Job::EndGuild { guild } => guild.as_str(),
            Job::EndServer { server, .. } => server.as_str(),
        };
        [self.kind().as_str(), ":", about].concat()
    }

    /// What it is about, as JSON.
    pub fn payload(&self) -> String {
        match self {
            Job::LogLinked { guild, link } | Job::LogUnlinked { guild, link } => {
                of_two(guild, "link", link.as_str())
            }
            Job::EndServer { guild, server } => of_two(guild, "server", server.as_str()),
            Job::LogMore { guild } | Job::EndGuild { guild } => {
                [r#"{"guild":""#, guild.as_str(), r#""}"#].concat()
            }
        }
    }

    /// The job that was stored as this.
    pub fn parse(kind: &str, payload: &str) -> Result<Job, JobError> {
        let of_link = || serde_json::from_str::<OfLink>(payload).map_err(|_| JobError::Payload);
        let of_guild = || serde_json::from_str::<OfGuild>(payload).map_err(|_| JobError::Payload);
        Ok(match JobKind::parse(kind).ok_or(JobError::Kind)? {
            JobKind::LogLinked => {
                let OfLink { guild, link } = of_link()?;
                Job::LogLinked { guild, link }
            }
            JobKind::LogUnlinked => {
                let OfLink { guild, link } = of_link()?;
                Job::LogUnlinked { guild, link }
            }
            JobKind::LogMore => Job::LogMore {
                guild: of_guild()?.guild,
            },
            JobKind::EndGuild => Job::EndGuild {
                guild: of_guild()?.guild,
            },
            JobKind::EndServer => {
                let found = serde_json::from_str(payload).map_err(|_| JobError::Payload)?;
                let OfServer { guild, server } = found;
                Job::EndServer { guild, server }
            }
        })
    }

    /// How long it is worth doing; `None` for what has to be done, however late.
    pub const fn lifetime_ms(&self) -> Option<i64> {
        match self.kind() {
            JobKind::LogLinked | JobKind::LogUnlinked | JobKind::LogMore => Some(LOG_LIFETIME_MS),
            JobKind::EndGuild | JobKind::EndServer => None,
        }
    }

    /// The one job that stands for all that come after a full lane; `None` where nothing may be left out.
    pub fn collapsed(&self) -> Option<Job> {
        match self {
            Job::LogLinked { guild, .. } | Job::LogUnlinked { guild, .. } | Job::LogMore { guild } => {
                Some(Job::LogMore { guild: guild.clone() })
            }
            Job::EndGuild { .. } | Job::EndServer { .. } => None,
        }
    }
}

/// Ids need no escaping.
fn of_two(guild: &GuildId, name: &str, id: &str) -> String {
    [
        r#"{"guild":""#,
        guild.as_str(),
        r#"",""#,
        name,
        r#"":""#,
        id,
        r#""}"#,
    ]
    .concat()
}

impl LaneKind {
    /// The lane of this kind that a Guild has.
    pub fn of(self, guild: &GuildId) -> String {
        [self.as_str(), ":", guild.as_str()].concat()
    }
}

impl JobKind {
    /// Whether it can be left undone without harm.
    pub const fn may_be_dropped(self) -> bool {
        match self {
            JobKind::LogLinked | JobKind::LogUnlinked | JobKind::LogMore => true,
            // What is left of a removed Guild or Server would stay for ever.
            JobKind::EndGuild | JobKind::EndServer => false,
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
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::random::SeededRandom;

    fn jobs(seed: u64, now_ms: i64) -> [Job; 5] {
        let random = SeededRandom::new(seed);
        let guild = GuildId::generate(now_ms, &random);
        let server = ServerId::generate(now_ms, &random);
        let link = LinkId::generate(now_ms, &random);
        [
            Job::LogLinked {
                guild: guild.clone(),
                link: link.clone(),
            },
            Job::LogUnlinked {
                guild: guild.clone(),
                link,
            },
            Job::LogMore { guild: guild.clone() },
            Job::EndGuild { guild: guild.clone() },
            Job::EndServer { guild, server },
        ]
    }

    #[test]
    fn every_kind_has_a_job() {
        let kinds = jobs(1, 1).map(|job| job.kind());
        assert_eq!(kinds.as_slice(), JobKind::ALL);
    }

    #[test]
    fn only_what_may_be_late_or_left_out_ends_by_itself() {
        for job in jobs(1, 1) {
            assert_eq!(job.lifetime_ms().is_some(), job.kind().may_be_dropped());
            assert_eq!(job.collapsed().is_some(), job.kind().may_be_dropped());
        }
    }

    #[test]
    fn what_is_no_job_is_refused() {
        let guild = jobs(1, 1)[3].guild().clone();
        let refused = [
            (
                "guild.explode",
                format!(r#"{{"guild":"{guild}"}}"#),
                JobError::Kind,
            ),
            ("guild.end", "{}".to_owned(), JobError::Payload),
            (
                "guild.end",
                r#"{"guild":"123456789012345678"}"#.to_owned(),
                JobError::Payload,
            ),
            (
                "guild.end",
                format!(r#"{{"guild":"{guild}","name":"x"}}"#),
                JobError::Payload,
            ),
            (
                "log.linked",
                format!(r#"{{"guild":"{guild}"}}"#),
                JobError::Payload,
            ),
        ];
        for (kind, payload, error) in refused {
            assert_eq!(Job::parse(kind, &payload), Err(error), "{kind} {payload}");
        }
    }

    #[test]
    fn pauses_double_up_to_ten_minutes() {
        let middle = |attempts| backoff_ms(attempts, 127, None) / 1_000;
        assert_eq!((0..4).map(middle).collect::<Vec<_>>(), [4, 9, 19, 39]);
        assert_eq!(backoff_ms(0, 0, None), 4_000);
        assert_eq!(backoff_ms(0, 255, None), 6_000);
        assert_eq!(backoff_ms(30, 255, None), LONGEST_PAUSE_MS);
    }

    proptest! {
        #[test]
        fn every_job_reads_back_as_itself(seed: u64, now_ms in 0..1_i64 << 47) {
            for job in jobs(seed, now_ms) {
                prop_assert_eq!(Job::parse(job.kind().as_str(), &job.payload()), Ok(job.clone()));
                prop_assert!(job.lane().starts_with(job.lane_kind().as_str()));
                prop_assert!(job.dedupe().starts_with(job.kind().as_str()));
            }
        }

        #[test]
        fn jobs_about_different_things_are_different(one: u64, other: u64) {
            prop_assume!(one != other);
            for (one, other) in jobs(one, 5).iter().zip(jobs(other, 5)) {
                prop_assert_ne!(one.dedupe(), other.dedupe());
                prop_assert_ne!(one.lane(), other.lane());
            }
        }

        #[test]
        fn a_pause_is_bounded_and_honours_what_was_asked_for(
            attempts: i64,
            dice: u8,
            asked in proptest::option::of(any::<i64>()),
        ) {
            let pause = backoff_ms(attempts, dice, asked);
            prop_assert!(pause >= 4_000);
            prop_assert!(pause >= asked.unwrap_or(0).min(LONGEST_RETRY_AFTER_MS));
            prop_assert!(pause <= LONGEST_PAUSE_MS.max(asked.unwrap_or(0)));
        }
    }
}
