//! Requests that may be sent again: a second press of the same button makes nothing new.

use domain::id::IdError;
use domain::idempotency::{IdempotencyKey, request_hash};
use storage::records::idempotency::{self, MadeBefore, Named};
use storage::{AccountNum, Tx, Work};

use crate::error::{AppError, RequestError};
use crate::state::App;

/// How long a request is remembered.
const KEPT_MS: i64 = 24 * 60 * 60_000;

/// One press of a button, as the request tells it. Without a key every press is a new one.
#[derive(Debug, Clone)]
pub struct Press(Option<NamedPress>);

#[derive(Debug, Clone)]
struct NamedPress {
    route: &'static str,
    key_hash: String,
    request_hash: String,
}

impl Press {
    /// `path` and `body` tell a repetition from another request under the same key.
    pub fn of(route: &'static str, key: Option<&IdempotencyKey>, path: &str, body: &[u8]) -> Self {
        Self(key.map(|key| NamedPress {
            route,
            key_hash: key.hash().to_owned(),
            request_hash: request_hash(path, body),
        }))
    }

    /// Keys of different accounts do not meet.
    pub fn by(self, account: AccountNum) -> PressBy {
        PressBy { press: self, account }
    }
}

/// A press, and who pressed.
#[derive(Debug, Clone)]
pub struct PressBy {
    press: Press,
    account: AccountNum,
}

/// What a press led to.
#[derive(Debug)]
pub enum Outcome<T, I> {
    /// This press made it, and its answer shows the secrets.
    Made(T),
    /// An earlier press made this; it is to be shown as it is now, without secrets.
    MadeBefore(I),
}

impl<T, I> Outcome<T, I> {
    pub(crate) fn map<U>(self, made: impl FnOnce(T) -> U) -> Outcome<U, I> {
        match self {
            Self::Made(output) => Outcome::Made(made(output)),
            Self::MadeBefore(id) => Outcome::MadeBefore(id),
        }
    }

    /// The id of what there is now, given the one of what would be made.
    pub(crate) fn id_or(self, made: I) -> I {
        match self {
            Self::Made(_) => made,
            Self::MadeBefore(id) => id,
        }
    }
}

impl PressBy {
    fn named(&self) -> Option<(Named<'_>, &NamedPress)> {
        let press = self.press.0.as_ref()?;
        let named = Named {
            account: self.account,
            route: press.route,
            key_hash: &press.key_hash,
        };
        Some((named, press))
    }

    /// What an earlier press made, for a use case that asks others before it writes.
    pub(crate) async fn find<I>(
        &self,
        app: &App,
        parse: fn(&str) -> Result<I, IdError>,
    ) -> Result<Option<I>, AppError> {
        let Some((named, press)) = self.named() else {
            return Ok(None);
        };
        match idempotency::find(&app.db, named, app.now_ms()).await? {
            Some(before) => id_of(press, &before, parse).map(Some),
            None => Ok(None),
        }
    }

    /// Runs a unit of work that makes `id`, unless an earlier press was this one.
    pub(crate) async fn write_for<W: Work<Error = AppError>, I>(
        self,
        app: &App,
        id: &str,
        parse: fn(&str) -> Result<I, IdError>,
        whose: W::For,
        work: W,
    ) -> Result<Outcome<W::Output, I>, AppError> {
        let now_ms = app.now_ms();
        let press = self.press.0.clone();
        let once = Once {
            by: self,
            made: id.to_owned(),
            now_ms,
            work,
        };
        match (app.db.write_for(whose, once).await?, press) {
            (Ok(output), _) => Ok(Outcome::Made(output)),
            (Err(before), Some(press)) => id_of(&press, &before, parse).map(Outcome::MadeBefore),
            (Err(_), None) => Err(AppError::internal("a press without a key was repeated")),
        }
    }
}

fn id_of<I>(
    press: &NamedPress,
    before: &MadeBefore,
    parse: fn(&str) -> Result<I, IdError>,
) -> Result<I, AppError> {
    if before.request_hash != press.request_hash {
        return Err(RequestError::IdempotencyKeyReused.into());
    }
    parse(&before.made).map_err(AppError::internal)
}

/// A unit of work that is done once for each press.
struct Once<W> {
    by: PressBy,
    made: String,
    now_ms: i64,
    work: W,
}

impl<W: Work<Error = AppError>> Work for Once<W> {
    type For = W::For;
    type Output = Result<W::Output, MadeBefore>;
    type Error = AppError;
    const NAME: &'static str = W::NAME;

    async fn run(&self, tx: &mut Tx<'_>, whose: &W::For) -> Result<Self::Output, AppError> {
        if let Some((named, press)) = self.by.named() {
            let new = MadeBefore {
                request_hash: press.request_hash.clone(),
                made: self.made.clone(),
            };
            if !idempotency::claim(tx, named, &new, self.now_ms, self.now_ms + KEPT_MS).await? {
                let before = idempotency::find_in(tx, named, self.now_ms).await?;
                return before.map(Err).ok_or_else(vanished);
            }
        }
        self.work.run(tx, whose).await.map(Ok)
    }
}

/// A row that refuses a claim has not run out, so it can be read.
fn vanished() -> AppError {
    AppError::internal("a claimed idempotency key was not found")
}
