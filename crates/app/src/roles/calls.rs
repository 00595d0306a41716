//! What is asked of Discord for one member.

use std::collections::BTreeSet;

use domain::platform_id::DiscordId;
use domain::roles::{Change, RoleChange, Source};
use platform::Unanswered;
use platform::discord::Rest;
use platform::discord::rest::{Asking, NotDone};

/// Discord's number for a role that is not there.
const NO_ROLE: u32 = 10_011;
/// Discord's numbers for somebody who is not there.
const NOBODY: [u32; 2] = [10_007, 10_013];

/// What became of the changes of one member.
#[derive(Default)]
pub(super) struct Called {
    pub done: Vec<RoleChange>,
    /// Refused, with a word for why.
    pub refused: Vec<(RoleChange, &'static str)>,
    /// Nobody knows whether Discord did them.
    pub unsure: BTreeSet<DiscordId>,
    /// Why the rest was not tried.
    pub stopped: Option<Unanswered>,
}

/// Carries changes out, one call for each: two lists that were read at different times never overwrite each other.
pub(super) async fn carry_out(
    bot: &Rest,
    asking: Asking<'_>,
    member: &DiscordId,
    changes: Vec<RoleChange>,
) -> Called {
    let mut called = Called::default();
    for change in changes {
        if called.stopped.is_some() {
            // Its intent is written down already.
            called.unsure.insert(change.role);
            continue;
        }
        let why = why(change.source);
        let answer = match change.change {
            Change::Add => bot.give_role(asking, member, &change.role, why).await,
            Change::Remove => bot.take_role(asking, member, &change.role, why).await,
        };
        match answer {
            Ok(()) => called.done.push(change),
            Err(not) => match refusal(not) {
                Some(word) => called.refused.push((change, word)),
                None => {
                    called.unsure.insert(change.role);
                    called.stopped = Some(not.cause);
                }
            },
        }
    }
    called
}

/// The word where somebody is not in the Discord server any more.
pub(super) const LEFT: &str = "left";
/// The word where a role was deleted.
pub(super) const GONE: &str = "gone";
/// The word where a game server does not apply what its plugin fetched.
pub(super) const NOT_SHOWN: &str = "not_shown";

/// The word for a refusal; none where Discord did not answer.
pub(super) fn refusal(not: NotDone) -> Option<&'static str> {
    let (Unanswered::Status(status) | Unanswered::Personal(status) | Unanswered::Remembered { status, .. }) =
        not.cause
    else {
        return None;
    };
    if ![403, 404].contains(&status) {
        return None;
    }
    match (status, not.code) {
        (404, Some(NO_ROLE)) => Some(GONE),
        (404, Some(code)) if NOBODY.contains(&code) => Some(LEFT),
        (_, Some(_)) => Some("forbidden"),
        (_, None) => None,
    }
}

const fn why(source: Source) -> &'static str {
    match source {
        Source::Rule => "a rule for groups and roles",
        Source::Verified => "the role of everybody who is linked",
        Source::Booster => "the role of boosters",
        Source::Grant => "given by a game server",
        Source::Nickname => "the nickname of linked members",
        Source::End => "what it was given for has ended",
    }
}
