//! The bounded way to the writer thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread::JoinHandle;
use std::time::Duration;

use prometheus_client::metrics::histogram::Histogram;
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::readers::Readers;
use super::writer::{self, Unit, Verdict};
use crate::db::share::{Place, Shares};
use crate::db::{DbError, OpenOptions, SLOW, Tx, Work, Writing, commit_seconds};
use crate::scope::Whose;

pub(super) struct Queue {
    sender: Mutex<Option<SyncSender<Box<dyn Unit>>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    shares: Shares,
    commits: Histogram,
    failed: Arc<AtomicBool>,
    /// Somebody wants the log emptied.
    erased: Arc<AtomicBool>,
    deadline: Duration,
}

impl Queue {
    pub(super) fn start(
        path: PathBuf,
        connection: Connection,
        readers: Arc<Readers>,
        options: &OpenOptions,
    ) -> Result<Self, DbError> {
        let (sender, receiver) = sync_channel(options.write_queue.max(1));
        let failed = Arc::new(AtomicBool::new(false));
        let erased = Arc::new(AtomicBool::new(false));
        let flags = (Arc::clone(&failed), Arc::clone(&erased));
        let commits = commit_seconds();
        let timed = commits.clone();
        let thread = std::thread::Builder::new()
            .name("symbolon-writer".to_owned())
            .spawn(move || {
                writer::run(
                    &path,
                    connection,
                    &receiver,
                    &readers,
                    (&flags.0, &flags.1),
                    &timed,
                )
            })
            .map_err(|error| DbError::Unavailable(error.to_string()))?;
        Ok(Self {
            sender: Mutex::new(Some(sender)),
            thread: Mutex::new(Some(thread)),
            shares: Shares::of(options.write_queue),
            commits,
            failed,
            erased,
            deadline: options.work_deadline,
        })
    }

    /// A queue that refuses everything.
    pub(super) fn closed() -> Self {
        Self {
            sender: Mutex::new(None),
            thread: Mutex::new(None),
            shares: Shares::of(1),
            commits: commit_seconds(),
            failed: Arc::new(AtomicBool::new(false)),
            erased: Arc::new(AtomicBool::new(false)),
            deadline: Duration::ZERO,
        }
    }

    pub(super) async fn submit<W: Work>(&self, whose: W::For, work: W) -> Result<W::Output, W::Error> {
        let place = self.shares.take(whose.org())?;
        let sender = lock(&self.sender).clone().ok_or_else(closed)?;
        let (reply, answer) = oneshot::channel();
        let claimed = Arc::new(AtomicBool::new(false));
        let unit = UnitOf {
            whose,
            work,
            claimed: Arc::clone(&claimed),
            outcome: None,
            reply,
            place,
        };
        sender.try_send(Box::new(unit)).map_err(|error| match error {
            TrySendError::Full(_) => DbError::Overloaded,
            TrySendError::Disconnected(_) => closed(),
        })?;
        drop(sender);
        let Ok(answer) = tokio::time::timeout(self.deadline, answer).await else {
            return Err(given_up(&claimed).into());
        };
        match answer {
            Ok(Err(Refusal::Waited(name))) => {
                debug_assert!(
                    false,
                    "the unit of work {name} waited for something other than the database"
                );
                Err(DbError::Waited(name).into())
            }
            Ok(Err(Refusal::Storage(error))) => Err(error.into()),
            Ok(Ok(result)) => result,
            // The writer broke down with it.
            Err(_) => Err(given_up(&claimed).into()),
        }
    }

    /// Has the log emptied after the next batch, or as soon as no reader needs it any more.
    pub(super) fn empty_log(&self) {
        self.erased.store(true, Ordering::Relaxed);
    }

    pub(super) fn last_write_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    pub(super) fn writing(&self) -> Writing {
        let wait = self.shares.longest_wait();
        if wait >= SLOW {
            Writing::Stuck(wait)
        } else if self.last_write_failed() {
            Writing::Doubtful
        } else {
            Writing::Fine
        }
    }

    /// How many units wait, and how long the first of them.
    pub(super) fn waiting(&self) -> (usize, Duration) {
        (self.shares.count(), self.shares.longest_wait())
    }

    pub(super) fn commit_seconds(&self) -> &Histogram {
        &self.commits
    }

    pub(super) async fn close(&self) {
        drop(lock(&self.sender).take());
        let thread = lock(&self.thread).take();
        if let Some(thread) = thread {
            // The thread ends after the units that were accepted before.
            let joined = tokio::task::spawn_blocking(move || thread.join()).await;
            if !matches!(joined, Ok(Ok(()))) {
                tracing::error!("the writer thread did not end cleanly");
            }
        }
    }
}

fn closed() -> DbError {
    DbError::Unavailable("the store is closed".to_owned())
}

/// Takes a unit back whose caller has waited long enough, unless the writer has it already.
fn given_up(claimed: &AtomicBool) -> DbError {
    let text = "the writer did not answer".to_owned();
    if claimed.swap(true, Ordering::AcqRel) {
        DbError::InDoubt(text)
    } else {
        DbError::Unavailable(text)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

enum Refusal {
    Storage(DbError),
    Waited(&'static str),
}

type Answer<W> = Result<Result<<W as Work>::Output, <W as Work>::Error>, Refusal>;

struct UnitOf<W: Work> {
    whose: W::For,
    work: W,
    /// Set by whoever comes first: the writer that runs it, or the caller who no longer wants it.
    claimed: Arc<AtomicBool>,
    outcome: Option<Answer<W>>,
    reply: oneshot::Sender<Answer<W>>,
    place: Place,
}

impl<W: Work> Unit for UnitOf<W> {
    fn run(&mut self, connection: &mut Connection) -> Verdict {
        if self.claimed.swap(true, Ordering::AcqRel) {
            return Verdict::Undo;
        }
        let mut tx = Tx::sqlite(connection);
        let polled = catch_unwind(AssertUnwindSafe(|| {
            let mut future = pin!(self.work.run(&mut tx, &self.whose));
            future.as_mut().poll(&mut Context::from_waker(Waker::noop()))
        }));
        let fatal = tx.failure().is_some_and(DbError::is_fatal);
        let (outcome, kept) = match polled {
            // A unit that swallowed a failed statement must not be committed half-done.
            Ok(Poll::Ready(Ok(_))) if tx.failure().is_some() => {
                (Err(Refusal::Storage(swallowed(&tx))), false)
            }
            Ok(Poll::Ready(Ok(value))) => (Ok(Ok(value)), true),
            Ok(Poll::Ready(Err(error))) => (Ok(Err(error)), false),
            Ok(Poll::Pending) => (Err(Refusal::Waited(W::NAME)), false),
            Err(_) => (Err(Refusal::Storage(DbError::Panicked(W::NAME))), false),
        };
        self.outcome = Some(outcome);
        match (fatal, kept) {
            (true, _) => Verdict::Broken(tx.failure().map(ToString::to_string).unwrap_or_default()),
            (false, true) => Verdict::Keep,
            (false, false) => Verdict::Undo,
        }
    }

    fn answer(self: Box<Self>, batch_failure: Option<&DbError>) {
        let Self {
            outcome,
            reply,
            place,
            ..
        } = *self;
        let answer = match (batch_failure, outcome) {
            (Some(error), _) => Err(Refusal::Storage(error.clone())),
            (None, Some(outcome)) => outcome,
            (None, None) => Err(Refusal::Storage(DbError::Unavailable(
                "the unit was not run".to_owned(),
            ))),
        };
        // Before the answer: whoever gets it may write again at once.
        drop(place);
        // The caller may have gone away; the work is done all the same.
        drop(reply.send(answer));
    }

    fn name(&self) -> &'static str {
        W::NAME
    }
}

fn swallowed(tx: &Tx<'_>) -> DbError {
    DbError::Bug(format!(
        "the unit swallowed a failure: {}",
        tx.failure().map(ToString::to_string).unwrap_or_default()
    ))
}
