//! A look at one member: what is known, what Discord says, what follows, what was done.

use domain::platform_id::DiscordId;
use domain::roles::{Change, RoleChange, plan_roles};
use platform::Unanswered;
use platform::discord::Rest;
use platform::discord::rest::{Asking, Member};
use storage::jobs::{self, Grip, Held};
use storage::linking::links;
use storage::roles::marks::{self, Mark};
use storage::roles::members;
use storage::tenancy::guilds;
use storage::{GuildNum, OrgScope, Tx, Work};

use super::calls;
use super::nicknames;
use super::scene::{Known, Place};
use super::settle::Settle;
use crate::error::AppError;
use crate::state::App;

/// How a look ended.
pub(super) enum Looked {
    /// The member is in line, or will be as far as we can see to it.
    InLine,
    /// Something changed meanwhile; the mark is still there.
    Moved,
    /// Discord did not answer, or it is not our turn.
    NotNow(Unanswered),
}

/// Brings one member in line. `read` is what Discord has just said of them in a list.
pub(super) async fn look(
    app: &App,
    bot: &Rest,
    place: &Place,
    mark: &Mark,
    read: Option<Option<&Member>>,
    held: &Held,
) -> Result<Looked, AppError> {
    let member = &mark.discord_id;
    let Some(known) = Known::read(app, place, member).await? else {
        let forget = Forget {
            guild: place.guild.num,
            mark: mark.clone(),
        };
        app.db.write_for(place.scope, forget).await?;
        return Ok(Looked::InLine);
    };
    let asking = Asking::in_background(place.scope.num(), &place.guild.discord_guild_id).patiently();
    let there = match read {
        Some(there) => there.cloned(),
        None => match bot.member(asking, member).await {
            Ok(there) => there,
            Err(not) => return Ok(Looked::NotNow(not.cause)),
        },
    };
    let scene = known.scene(place, there.as_ref(), app.now_ms());
    let plan = plan_roles(&scene);
    let (barred, open): (Vec<RoleChange>, Vec<RoleChange>) =
        plan.into_iter().partition(|change| change.cannot.is_some());
    let adds = open.iter().filter(|change| change.change == Change::Add);
    let adds: Vec<DiscordId> = adds.map(|change| change.role.clone()).collect();
    let nick = there
        .as_ref()
        .map(|there| (nicknames::plan(place, &known, mark, there), there));
    let nick_set = nick.as_ref().and_then(|(plan, there)| plan.intent(there));
    if !adds.is_empty() || nick_set.is_some() {
        let intend = Intend {
            nick_set,
            guild: place.guild.num,
            member: member.clone(),
            link_num: known.subject.link_num,
            adds,
            held: held.clone(),
        };
        if !app.db.write_for(place.scope, intend).await? {
            return Ok(Looked::Moved);
        }
    }
    let called = calls::carry_out(bot, asking, member, open).await;
    let nick = match (&called.stopped, nick) {
        (None, Some((plan, there))) => plan.carry_out(bot, asking, mark, there).await,
        (_, nick) => nicknames::Followed::as_it_was(&known.row, nick.is_some()),
    };
    let (stopped, now_ms) = (called.stopped.or(nick.stopped), app.now_ms());
    let work = Settle::new(place, mark, held, known, scene, barred, called, nick, now_ms);
    app.db.write_for(place.scope, work).await?;
    Ok(stopped.map_or(Looked::InLine, Looked::NotNow))
}

/// Nobody we know.
struct Forget {
    guild: GuildNum,
    mark: Mark,
}

impl Work for Forget {
    type For = OrgScope;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "forget_mark";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<(), AppError> {
        guilds::lock(tx, scope, self.guild).await?;
        marks::done(tx, self.guild, &self.mark).await?;
        Ok(())
    }
}

/// What is about to be given is ours from here on: a crash after the call leaves nothing that nobody takes back.
struct Intend {
    guild: GuildNum,
    member: DiscordId,
    link_num: i64,
    adds: Vec<DiscordId>,
    /// The nickname that is about to be set, and the one from before.
    nick_set: Option<(String, Option<String>)>,
    held: Held,
}

impl Work for Intend {
    type For = OrgScope;
    /// False where the link is another one by now, or somebody else does this work.
    type Output = bool;
    type Error = AppError;
    const NAME: &'static str = "intend_roles";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<bool, AppError> {
        guilds::lock(tx, scope, self.guild).await?;
        if jobs::hold(tx, &self.held).await? == Grip::Lost {
            return Ok(false);
        }
        let link = links::find_by_discord(tx, self.guild, &self.member).await?;
        if link.is_none_or(|link| link.num != self.link_num) {
            return Ok(false);
        }
        let found = members::find_in(tx, self.guild, &self.member).await?;
        let mut row = found.unwrap_or_default();
        row.kept.given.extend(self.adds.iter().cloned());
        if let Some((set, before)) = &self.nick_set {
            (row.nick_set, row.nick_before) = (Some(set.clone()), before.clone());
        }
        members::save(tx, scope, self.guild, &self.member, &row).await?;
        Ok(true)
    }
}
