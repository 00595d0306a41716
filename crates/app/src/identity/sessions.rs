//! Sign-in sessions.

use domain::audit::{Actor, AuditAction};
use domain::blocklist::BlockEntry;
use domain::id::OrgId;
use domain::token::SessionToken;
use serde_json::json;
use storage::identity::accounts::Account;
pub use storage::identity::sessions::{Caller, Session, Visit};
use storage::identity::{blocklist, sessions};
use storage::records::audit::Act;
use storage::{AccountNum, NoOrg, Tx, Work};

use crate::error::{AppError, IdentityError, RequestError, ServiceError};
use crate::instance;
use crate::state::App;

const DAY_MS: i64 = 24 * 60 * 60_000;
/// No session lasts longer, whatever is set: the browser's cookie is kept for so long.
pub const ABSOLUTE_MS: i64 = 90 * DAY_MS;
/// `seen_at` is written at most this often.
const TOUCH_MS: i64 = 60_000;

/// What needs a sign-in fresher than this asks for a new one.
const FRESH_MS: i64 = 15 * 60_000;

/// Starts a session and returns the only copy of its token.
pub async fn start(app: &App, account: &Account, lifetime_ms: i64) -> Result<SessionToken, AppError> {
    let token = SessionToken::generate(&*app.random);
    let act = app.act(NoOrg, Actor::Account(account.id.clone()));
    let work = Start {
        hash: token.hash(),
        account: account.clone(),
        blocks: app.discord_blocks(&account.discord_id),
        expires_at_ms: act.now_ms + lifetime_ms.clamp(1, app.retention.session_ms()),
    };
    app.db.write_for(act, work).await?;
    Ok(token)
}

struct Start {
    hash: String,
    account: Account,
    blocks: [BlockEntry; 2],
    expires_at_ms: i64,
}

impl Work for Start {
    type For = Act<NoOrg>;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "start_session";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<(), AppError> {
        if blocklist::is_any_blocked_in(tx, &self.blocks, act.now_ms).await? {
            return Err(IdentityError::Blocked.into());
        }
        sessions::insert(
            tx,
            &self.hash,
            self.account.num,
            act.now_ms,
            self.expires_at_ms,
            None,
        )
        .await?;
        Ok(act
            .note(tx, AuditAction::SessionCreated, None, &json!({}))
            .await?)
    }
}

/// Who holds this token, and what they may do in `org`. Asked of the database on every request. While the dashboard is
/// closed, nobody but an operator is let in, and everybody else is told so, signed in or not.
pub async fn authenticate(
    app: &App,
    token: Option<&SessionToken>,
    org: Option<&OrgId>,
) -> Result<Caller, AppError> {
    let found = recognise(app, token, org).await;
    let closed = match &found {
        Ok(caller) if caller.operator.is_some() => None,
        Ok(caller) => caller.maintenance.clone().filter(|message| !message.is_empty()),
        Err(AppError::Identity(IdentityError::SignInRequired)) => instance::maintenance(app).await?,
        Err(_) => None,
    };
    match closed {
        Some(message) => Err(ServiceError::Maintenance { message }.into()),
        None => found,
    }
}

/// The same for what stays open while the dashboard is closed.
pub async fn recognise(
    app: &App,
    token: Option<&SessionToken>,
    org: Option<&OrgId>,
) -> Result<Caller, AppError> {
    let token = token.ok_or(IdentityError::SignInRequired)?;
    let now_ms = app.now_ms();
    let hash = token.hash();
    let shown = (&*hash, &*app.operators);
    let found = sessions::find_caller(
        &app.db,
        shown,
        org,
        now_ms,
        now_ms - app.retention.session_idle_ms(),
    )
    .await?;
    let caller = found.ok_or(IdentityError::SignInRequired)?;
    let decision = app.memories.gate.take_account(caller.account.0);
    if !decision.allowed {
        return Err(RequestError::RateLimited {
            retry_after_ms: decision.retry_after_ms,
        }
        .into());
    }
    if caller.seen_at_ms < now_ms - TOUCH_MS {
        let touching = app.clone();
        app.tasks.spawn(async move {
            // Best effort: the next request tries again.
            drop(touching.db.write(Touch { hash, now_ms }).await);
        });
    }
    Ok(caller)
}

struct Touch {
    hash: String,
    now_ms: i64,
}

impl Work for Touch {
    type For = NoOrg;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "touch_session";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), AppError> {
        Ok(sessions::touch(tx, &self.hash, self.now_ms).await?)
    }
}

/// Refuses somebody whose sign-in is too long ago for what they are about to do.
pub fn require_fresh(app: &App, signed_in_at_ms: i64) -> Result<(), AppError> {
    if signed_in_at_ms > app.now_ms() - FRESH_MS {
        return Ok(());
    }
    Err(IdentityError::SignInAgain.into())
}

/// The sessions of a person, the one used last first.
pub async fn list(app: &App, account: AccountNum) -> Result<Vec<Session>, AppError> {
    let now_ms = app.now_ms();
    Ok(sessions::list(&app.db, account, now_ms, now_ms - app.retention.session_idle_ms()).await?)
}

/// Which sessions are to end.
enum Ending {
    /// The one of this token; an unknown one is no error.
    Token(String),
    One(AccountNum, String),
    Others(AccountNum, String),
}

/// Ends a session; an unknown one is no error.
pub async fn end(app: &App, token: &SessionToken) -> Result<(), AppError> {
    let ending = Ending::Token(token.hash());
    let act = app.act(NoOrg, Actor::System);
    app.db.write_for(act, End { ending }).await
}

/// Ends one session of the person who asks.
pub async fn end_one(app: &App, caller: &Caller, id: &str) -> Result<(), AppError> {
    end_of(app, caller, Ending::One(caller.account, id.to_owned())).await
}

/// Ends all sessions of a person but the one that asks.
pub async fn end_others(app: &App, caller: &Caller, token: &SessionToken) -> Result<(), AppError> {
    end_of(app, caller, Ending::Others(caller.account, token.hash())).await
}

async fn end_of(app: &App, caller: &Caller, ending: Ending) -> Result<(), AppError> {
    let act = app.act(NoOrg, Actor::Account(caller.account_id.clone()));
    app.db.write_for(act, End { ending }).await
}

struct End {
    ending: Ending,
}

impl Work for End {
    type For = Act<NoOrg>;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "end_session";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<(), AppError> {
        let ended = match &self.ending {
            Ending::Token(hash) => sessions::delete(tx, hash).await?,
            Ending::One(account, id) => {
                if !sessions::end_one(tx, *account, id).await? {
                    return Err(RequestError::NotFound.into());
                }
                true
            }
            Ending::Others(account, hash) => sessions::end_others(tx, *account, hash).await? > 0,
        };
        if !ended {
            return Ok(());
        }
        Ok(act.note(tx, AuditAction::SessionEnded, None, &json!({})).await?)
    }
}
