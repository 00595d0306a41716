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
    /// Discord changed it now.
    pub is_changed: bool,
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
            is_changed: false,
        }
    }

    fn forgotten() -> Self {
        Self::as_it_was(&RoleMember::default(), false)
    }
}

/// What is to be done about somebody's nickname.
pub(super) enum Plan {
    /// Nothing; this is what is remembered.
    Leave(Followed),
    /// It is set to this.
    Set(String, Followed),
    /// The one from before comes back.
    GiveBack(Followed),
}

/// Decides about the nickname of somebody who is in the Discord server: whoever is linked gets ours, and at the end the
/// old one comes back, where it is still ours.
pub(super) fn plan(place: &Place, known: &Known, mark: &Mark, there: &Member) -> Plan {
    let followed = Followed::as_it_was(&known.row, true);
    let template = place.settings.nickname_template.as_ref();
    let (steam, discord) = (known.subject.steam_name.as_deref(), Some(there.name.as_str()));
    let filled = template.and_then(|template| template.fill(steam, discord));
    let nick = there.nick.as_deref();
    // Owners and people above the bot stay out of reach until something is changed.
    let is_asked_anew = matches!(mark.cause, Cause::Settings | Cause::Recheck | Cause::Link);
    let is_out_of_reach = followed.problem.is_some() && !is_asked_anew;
    if known.is_linked && template.is_some() {
        return match filled {
            // An answer of Discord's may have been lost.
            Some(wanted) if nick == Some(wanted.as_str()) => Plan::Leave(Followed {
                set: followed.set.as_ref().map(|_| wanted),
                ..followed
            }),
            Some(wanted) if !is_out_of_reach => Plan::Set(wanted, followed),
            // A name that is not known yet is no reason to give the old one back.
            Some(_) | None => Plan::Leave(followed),
        };
    }
    let is_ours = followed.set.is_some() && (nick == followed.set.as_deref() || nick == filled.as_deref());
    match (is_ours, is_out_of_reach) {
        (true, false) => Plan::GiveBack(followed),
        (true, true) => Plan::Leave(followed),
        (false, _) => Plan::Leave(Followed::forgotten()),
    }
}

impl Plan {
    /// What is to be remembered before Discord is asked for the first one: ours, and the one from before.
    pub fn intent(&self, there: &Member) -> Option<(String, Option<String>)> {
        match self {
            Plan::Set(wanted, followed) if followed.set.is_none() => {
                Some((wanted.clone(), there.nick.clone()))
            }
            Plan::Set(..) | Plan::Leave(_) | Plan::GiveBack(_) => None,
        }
    }

    /// Has Discord do it.
    pub async fn carry_out(self, bot: &Rest, asking: Asking<'_>, mark: &Mark, there: &Member) -> Followed {
        let (next, mut followed) = match self {
            Plan::Leave(followed) => return followed,
            Plan::Set(wanted, followed) => (Some(wanted), followed),
            Plan::GiveBack(followed) => (None, followed),
        };
        let asked_for = match &next {
            Some(wanted) => Some(wanted.as_str()),
            None => followed.before.as_deref(),
        };
        let answer = bot.set_nickname(asking, &mark.discord_id, asked_for, WHY).await;
        let refused = match answer {
            Ok(()) => None,
            Err(not) => match calls::refusal(not) {
                Some(word) => Some(word.to_owned()),
                None => {
                    followed.stopped = Some(not.cause);
                    None
                }
            },
        };
        if refused.is_some() {
            followed.problem = refused;
            return followed;
        }
        match next {
            // Also where nobody knows whether it was done: then it is ours.
            Some(wanted) => {
                if followed.set.is_none() {
                    followed.before = there.nick.clone();
                }
                followed.set = Some(wanted);
            }
            None if followed.stopped.is_none() => followed = Followed::forgotten(),
            None => {}
        }
        if followed.stopped.is_none() {
            (followed.is_changed, followed.problem) = (true, None);
        }
        followed
    }
}
