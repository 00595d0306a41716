//! Takes off what members had from us who were erased. Who they are is known for a day at most, and sealed until then.

use domain::roles::{Change, RoleChange, Source};
use platform::Unanswered;
use platform::discord::Rest;
use platform::discord::rest::Asking;
use storage::privacy::erased_members;
use storage::tenancy::guilds;
use storage::{GuildNum, OrgScope, Tx, Work};

use super::calls;
use super::scene::Place;
use crate::erased::Leftover;
use crate::error::AppError;
use crate::state::App;

const WHY: &str = "the nickname of linked members";
/// Members in one step.
const AT_ONCE: i64 = 10;

/// Whether somebody of a Guild still has something of ours.
pub(super) async fn is_any(app: &App, guild: GuildNum) -> Result<bool, AppError> {
    let left = erased_members::list_next(&app.db, guild, 0, app.now_ms(), 1).await?;
    Ok(!left.is_empty())
}

/// Takes off what some of them have, until Discord does not do it now. Whoever it was about goes behind the others.
pub(super) async fn step(app: &App, bot: &Rest, place: &Place) -> Result<Option<Unanswered>, AppError> {
    let guild = place.guild.num;
    for left in erased_members::list_next(&app.db, guild, 0, app.now_ms(), AT_ONCE).await? {
        let taken = match Leftover::open(app, &left) {
            Some(leftover) => take_off(bot, place, &leftover).await,
            // Its master key is gone, and with it who it is about.
            None => Ok(()),
        };
        let tried = Tried {
            guild,
            num: left.num,
            is_done: taken.is_ok(),
        };
        app.db.write_for(place.scope, tried).await?;
        if let Err(cause) = taken {
            return Ok(Some(cause));
        }
    }
    Ok(None)
}

/// A refusal is an answer: what our bot may not do here stays with whoever may.
async fn take_off(bot: &Rest, place: &Place, leftover: &Leftover) -> Result<(), Unanswered> {
    let member = &leftover.discord_id;
    let asking = Asking::in_background(place.scope.num(), &place.guild.discord_guild_id).patiently();
    let there = bot.member(asking, member).await.map_err(|not| not.cause)?;
    let Some(there) = there else {
        return Ok(());
    };
    let changes = leftover.roles.iter().filter(|role| there.roles.contains(role));
    let changes = changes.map(|role| RoleChange {
        role: role.clone(),
        change: Change::Remove,
        source: Source::End,
        rule: None,
        cannot: None,
    });
    let called = calls::carry_out(bot, asking, member, changes.collect()).await;
    if let Some(cause) = called.stopped {
        return Err(cause);
    }
    if leftover.nick_set.is_none() || there.nick != leftover.nick_set {
        return Ok(());
    }
    let before = leftover.nick_before.as_deref();
    match bot.set_nickname(asking, member, before, WHY).await {
        Err(not) if calls::refusal(not).is_none() => Err(not.cause),
        Ok(()) | Err(_) => Ok(()),
    }
}

struct Tried {
    guild: GuildNum,
    num: i64,
    is_done: bool,
}

impl Work for Tried {
    type For = OrgScope;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "note_erased_member";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<(), AppError> {
        guilds::lock(tx, scope, self.guild).await?;
        if !self.is_done {
            erased_members::put_behind(tx, self.num).await?;
        }
        Ok(erased_members::delete(tx, self.num).await?)
    }
}
