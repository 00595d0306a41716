//! Taking links over from another system: what becomes of one row, given what its Guild already holds.

use crate::platform_id::{DiscordId, SteamId};
use crate::words::words;

words! {
    /// What is in a file of an older system.
    pub enum ImportKind {
        /// A MySQL dump with one or both tables.
        Dump = "dump",
        /// Who is linked, as CSV.
        Users = "users",
        /// Who was, as CSV.
        Removed = "removed",
    }
}

words! {
    /// How far the import of a file is.
    pub enum ImportState {
        /// Its rows are being stored.
        Reading = "reading",
        /// The dry run is under way.
        Checking = "checking",
        /// Somebody has to say whether it goes on.
        Checked = "checked",
        /// Links are being made.
        Importing = "importing",
        Done = "done",
        /// By somebody of the team; what was imported stays.
        Cancelled = "cancelled",
        /// It cannot go on; what was imported stays.
        Stopped = "stopped",
    }
}

words! {
    /// Why an import cannot go on.
    pub enum ImportStop {
        GuildRemoved = "guild_removed",
        ServerDeleted = "server_deleted",
        TooManyBoosters = "too_many_boosters",
        /// The service ended while it stored the rows.
        Interrupted = "interrupted",
        /// Nobody said for days that it goes on.
        Expired = "expired",
    }
}

impl ImportState {
    /// Whether there is nothing more to come.
    pub const fn is_over(self) -> bool {
        match self {
            Self::Reading | Self::Checking | Self::Checked | Self::Importing => false,
            Self::Done | Self::Cancelled | Self::Stopped => true,
        }
    }
}

/// What a Guild knows about the two ids of a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// The Steam id that the row's Discord id is linked to.
    pub discord_linked_to: Option<SteamId>,
    /// The Discord id that the row's Steam id is linked to.
    pub steam_linked_to: Option<DiscordId>,
    /// When earlier links of exactly this pair ended.
    pub ended_at_ms: Vec<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportDecision {
    Add,
    /// It is here already, so a second run adds nothing.
    Known,
    Refuse(ImportRefusal),
}

/// Why a row is not taken over. The texts name neither id: a report may be passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportRefusal {
    #[error("its Discord ID is linked to another Steam ID in this Guild")]
    DiscordTaken,
    #[error("its Steam ID is linked to another Discord ID in this Guild")]
    SteamTaken,
    #[error("this pair was unlinked in this Guild after the time of the row; people link again themselves")]
    UnlinkedSince,
    #[error("this person had their data erased here; people link again themselves")]
    Erased,
    #[error("the plan allows {ceiling} links")]
    Full { ceiling: i64 },
    #[error("its time is in the future; if it is local time, the UTC offset has to be given")]
    Future,
    #[error("it ended before it began")]
    EndedBeforeItBegan,
}

/// When a link began, and for history when it ended, as far as the row tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    pub linked_at_ms: Option<i64>,
    pub ended_at_ms: Option<i64>,
}

impl Times {
    /// Refuses what cannot be.
    pub fn check(self, now_ms: i64) -> Result<(), ImportRefusal> {
        let future = |time: Option<i64>| time.is_some_and(|time| time > now_ms);
        if future(self.linked_at_ms) || future(self.ended_at_ms) {
            return Err(ImportRefusal::Future);
        }
        match (self.linked_at_ms, self.ended_at_ms) {
            (Some(linked), Some(ended)) if ended < linked => Err(ImportRefusal::EndedBeforeItBegan),
            (Some(_) | None, Some(_) | None) => Ok(()),
        }
    }

    /// When the link ended: what the row does not tell is now.
    pub fn ended_or(self, now_ms: i64) -> i64 {
        self.ended_at_ms.unwrap_or(now_ms)
    }

    /// When the link began; a row that tells only the end is a link of no length.
    pub fn linked_or(self, now_ms: i64) -> i64 {
        self.linked_at_ms.unwrap_or(self.ended_or(now_ms))
    }
}

/// Decides on a row that is to become an active link. `room` is how many links the plan still allows.
pub fn decide_active(
    (discord, steam): (&DiscordId, &SteamId),
    linked_at_ms: Option<i64>,
    standing: &Standing,
    (room, ceiling): (i64, i64),
) -> ImportDecision {
    if let Some(other) = &standing.discord_linked_to {
        return if other == steam {
            ImportDecision::Known
        } else {
            ImportDecision::Refuse(ImportRefusal::DiscordTaken)
        };
    }
    if standing
        .steam_linked_to
        .as_ref()
        .is_some_and(|other| other != discord)
    {
        return ImportDecision::Refuse(ImportRefusal::SteamTaken);
    }
    // Without a time of its own the row may be older than anything that happened here.
    let since = linked_at_ms.unwrap_or(i64::MIN);
    if standing.ended_at_ms.iter().any(|ended| *ended >= since) {
        return ImportDecision::Refuse(ImportRefusal::UnlinkedSince);
    }
    if room <= 0 {
        return ImportDecision::Refuse(ImportRefusal::Full { ceiling });
    }
    ImportDecision::Add
}

/// Decides on a row that is history: a link that ended in the other system.
pub fn decide_ended(ended_at_ms: Option<i64>, standing: &Standing) -> ImportDecision {
    let known = match ended_at_ms {
        Some(ended) => standing.ended_at_ms.contains(&ended),
        None => !standing.ended_at_ms.is_empty(),
    };
    if known {
        ImportDecision::Known
    } else {
        ImportDecision::Add
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ROOM: (i64, i64) = (1, 500);

    fn discord(n: u64) -> DiscordId {
        DiscordId::parse(&(100_000_000_000_000_000 + n).to_string()).unwrap()
    }

    fn steam(n: u64) -> SteamId {
        SteamId::parse(&(76_561_198_000_000_000 + n).to_string()).unwrap()
    }

    fn decide(standing: &Standing, linked_at_ms: Option<i64>) -> ImportDecision {
        decide_active((&discord(1), &steam(1)), linked_at_ms, standing, ROOM)
    }

    #[test]
    fn a_pair_that_is_linked_already_is_known_even_when_the_plan_is_full() {
        let standing = Standing {
            discord_linked_to: Some(steam(1)),
            steam_linked_to: Some(discord(1)),
            ended_at_ms: vec![5],
        };
        let decision = decide_active((&discord(1), &steam(1)), None, &standing, (0, 500));
        assert_eq!(decision, ImportDecision::Known);
    }

    #[test]
    fn ids_that_belong_to_someone_else_are_refused() {
        let taken = Standing {
            discord_linked_to: Some(steam(2)),
            ..Standing::default()
        };
        assert_eq!(
            decide(&taken, None),
            ImportDecision::Refuse(ImportRefusal::DiscordTaken)
        );
        let taken = Standing {
            steam_linked_to: Some(discord(2)),
            ..Standing::default()
        };
        assert_eq!(
            decide(&taken, None),
            ImportDecision::Refuse(ImportRefusal::SteamTaken)
        );
    }

    #[test]
    fn who_unlinked_here_is_not_linked_again_by_an_old_row() {
        let standing = Standing {
            ended_at_ms: vec![100],
            ..Standing::default()
        };
        let refused = ImportDecision::Refuse(ImportRefusal::UnlinkedSince);
        assert_eq!(decide(&standing, Some(99)), refused);
        assert_eq!(decide(&standing, Some(100)), refused);
        assert_eq!(decide(&standing, None), refused);
        assert_eq!(decide(&standing, Some(101)), ImportDecision::Add);
    }

    #[test]
    fn a_full_plan_takes_nothing_more() {
        let decision = decide_active((&discord(1), &steam(1)), None, &Standing::default(), (0, 500));
        assert_eq!(
            decision,
            ImportDecision::Refuse(ImportRefusal::Full { ceiling: 500 })
        );
        assert_eq!(decide(&Standing::default(), None), ImportDecision::Add);
    }

    #[test]
    fn times_that_cannot_be_are_refused() {
        let check = |linked_at_ms, ended_at_ms| {
            Times {
                linked_at_ms,
                ended_at_ms,
            }
            .check(100)
        };
        assert_eq!(check(Some(10), Some(9)), Err(ImportRefusal::EndedBeforeItBegan));
        assert_eq!(check(Some(101), None), Err(ImportRefusal::Future));
        assert_eq!(check(None, Some(101)), Err(ImportRefusal::Future));
        for (linked, ended) in [
            (None, None),
            (Some(100), Some(100)),
            (None, Some(3)),
            (Some(3), None),
        ] {
            assert_eq!(check(linked, ended), Ok(()));
        }
    }

    proptest! {
        /// What a run adds is known to the next one, whatever else there is.
        #[test]
        fn history_that_was_added_is_known(
            ended in prop::option::of(100..200_i64),
            mut others in prop::collection::vec(0..200_i64, 0..4),
            now in 200..300_i64,
        ) {
            let times = Times { linked_at_ms: None, ended_at_ms: ended };
            let before = Standing { ended_at_ms: others.clone(), ..Standing::default() };
            if decide_ended(ended, &before) == ImportDecision::Add {
                others.push(times.ended_or(now));
                let after = Standing { ended_at_ms: others, ..Standing::default() };
                prop_assert_eq!(decide_ended(ended, &after), ImportDecision::Known);
            }
        }

        #[test]
        fn a_link_never_ends_before_it_began(
            linked_at_ms in prop::option::of(-100..300_i64),
            ended_at_ms in prop::option::of(-100..300_i64),
        ) {
            let times = Times { linked_at_ms, ended_at_ms };
            if times.check(200).is_ok() {
                prop_assert!(times.linked_or(200) <= times.ended_or(200));
            }
        }
    }
}
