//! Nicknames of linked members, where a Guild wants them.

use domain::roles::Cause;
use platform::Unanswered;
use platform::discord::Rest;
use platform::discord::rest::{Asking, Member};
use storage::roles::marks::Mark;
use storage::roles::members::RoleMember;

use super::calls;
use super::scene::{Known, Place};

const WHY: &str = "the nickname of linked members";

/// What is remembered of a nickname after a look.
#[derive(Clone)]
pub(super) struct Followed {
    pub set: Option<String>,
    pub before: Option<String>,
    pub problem: Option<String>,
    pub stopped: Option<Unanswered>,
}

impl Followed {
    /// Nothing was tried. Discord forgets the nickname of whoever leaves.
    pub fn as_it_was(row: &RoleMember, is_there: bool) -> Self {
        let kept = Some(row).filter(|_| is_there);
        Self {
            set: kept.and_then(|row| row.nick_set.clone()),
            before: kept.and_then(|row| row.nick_before.clone()),
            problem: kept.and_then(|row| row.nick_problem.clone()),
            stopped: None,
        }
    }
}

/// Sets the nickname of somebody who is linked, and gives the old one back at the end, where it is still ours.
pub(super) async fn follow(
    bot: &Rest,
    asking: Asking<'_>,
    place: &Place,
    known: &Known,
    mark: &Mark,
    there: &Member,
) -> Followed {
    let mut followed = Followed::as_it_was(&known.row, true);
    let template = place
        .settings
        .nickname_template
        .as_ref()
        .filter(|_| known.is_linked);
    let (steam, discord) = (known.subject.steam_name.as_deref(), Some(there.name.as_str()));
    let wanted = template.and_then(|template| template.fill(steam, discord));
    let next = match (&wanted, &followed.set) {
        (Some(wanted), _) if there.nick.as_deref() == Some(wanted.as_str()) => return followed,
        (Some(wanted), _) => Some(wanted.clone()),
        // A name that is not known yet is no reason to give the old one back.
        (None, _) if template.is_some() => return followed,
        (None, Some(ours)) if there.nick.as_deref() == Some(ours.as_str()) => followed.before.clone(),
        (None, _) => {
            return Followed {
                set: None,
                before: None,
                problem: None,
                stopped: None,
            };
        }
    };
    // Owners and people above the bot stay out of reach until something is changed.
    let is_asked_anew = matches!(mark.cause, Cause::Settings | Cause::Recheck | Cause::Link);
    if followed.problem.is_some() && !is_asked_anew {
        return followed;
    }
    match bot
        .set_nickname(asking, &mark.discord_id, next.as_deref(), WHY)
        .await
    {
        Ok(()) if wanted.is_some() => {
            if followed.set.is_none() {
                followed.before = there.nick.clone();
            }
            followed.set = next;
            followed.problem = None;
        }
        Ok(()) => (followed.set, followed.before, followed.problem) = (None, None, None),
        Err(not) => match calls::refusal(not) {
            Some(word) => followed.problem = Some(word.to_owned()),
            None => followed.stopped = Some(not.cause),
        },
    }
    followed
}
