//! Which node runs a bot. A lease lasts 15 seconds by the database's time and is renewed every five; who lost it finds
//! another fence.

use domain::bot::BotId;
use storage::bots::leases;
pub use storage::bots::leases::Lease;
use storage::jobs::Moment;
use storage::{NoOrg, Tx, Work};

use crate::error::AppError;
use crate::state::App;

/// Takes a bot that no node runs. The name of the owner, 16 hex characters, has to be new for each process of the
/// service; its bot reports under it.
pub async fn take(app: &App, bot: BotId, owner: String) -> Result<Option<Lease>, AppError> {
    let moment = app.moment();
    app.db.write(Take { bot, owner, moment }).await
}

/// Keeps a bot for another while; false when another node has it.
pub async fn renew(app: &App, lease: &Lease) -> Result<bool, AppError> {
    change(app, lease, Change::Renew).await
}

/// Gives a bot back, when its process has ended.
pub async fn release(app: &App, lease: &Lease) -> Result<bool, AppError> {
    change(app, lease, Change::Release).await
}

/// The process that this node has started for the bot has ended: another node need not wait until it is missed.
pub async fn note_end(app: &App, lease: &Lease) -> Result<bool, AppError> {
    change(app, lease, Change::NoteEnd).await
}

/// Frees what a process before this one held. Only for an embedded database, which nobody else can have open.
pub async fn free_left(app: &App, bot: BotId) -> Result<(), AppError> {
    match app.db_engine() {
        "sqlite" => app.db.write(FreeLeft(bot)).await,
        _ => Ok(()),
    }
}

async fn change(app: &App, lease: &Lease, change: Change) -> Result<bool, AppError> {
    let work = ChangeLease {
        lease: lease.clone(),
        change,
        moment: app.moment(),
    };
    app.db.write(work).await
}

struct Take {
    bot: BotId,
    owner: String,
    moment: Moment,
}

impl Work for Take {
    type For = NoOrg;
    type Output = Option<Lease>;
    type Error = AppError;
    const NAME: &'static str = "take_bot";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<Option<Lease>, AppError> {
        Ok(leases::take(tx, &self.bot, &self.owner, self.moment).await?)
    }
}

#[derive(Clone, Copy)]
enum Change {
    Renew,
    Release,
    NoteEnd,
}

struct ChangeLease {
    lease: Lease,
    change: Change,
    moment: Moment,
}

impl Work for ChangeLease {
    type For = NoOrg;
    type Output = bool;
    type Error = AppError;
    const NAME: &'static str = "change_bot_lease";

    /// False when the lease is lost.
    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<bool, AppError> {
        Ok(match self.change {
            Change::Renew => leases::renew(tx, &self.lease, self.moment).await?,
            Change::Release => leases::release(tx, &self.lease).await?,
            Change::NoteEnd => leases::note_end(tx, &self.lease).await?,
        })
    }
}

struct FreeLeft(BotId);

impl Work for FreeLeft {
    type For = NoOrg;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "free_left_bot";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), AppError> {
        leases::free_left(tx, &self.0).await?;
        Ok(())
    }
}
