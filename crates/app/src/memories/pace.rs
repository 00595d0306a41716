//! Questions about people at a pace that a provider bears: one about somebody in five seconds, however many browsers
//! and buttons they have. Who comes while it is asked shares the answer; who comes too soon after it is held back and
//! then asks anew. Nobody is told to wait.

use std::collections::HashMap;
use std::hash::Hash;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};

use crate::runtime::Runtime;

const EVERY_MS: i64 = 5_000;
/// The clock is looked at this often while somebody is held back; it may be moved meanwhile.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// From so many on, people whose time has passed are forgotten when somebody new comes.
const MANY: usize = 1_024;

/// An answer, and what it means for who asks next.
#[derive(Clone)]
pub(crate) struct Paced<T> {
    pub answer: T,
    /// Asking again at once would be too soon. Not so when nobody was asked, or when the answer would be the same anyway.
    pub holds: bool,
    /// Good enough for whoever comes within the five seconds.
    pub stands: bool,
}

type Answering<T> = Shared<BoxFuture<'static, Paced<T>>>;

/// Held by whoever asked until they have acted on the answer; until then others share it.
pub(crate) struct Acting {
    _token: Option<Arc<()>>,
}

struct Asked<T> {
    at_ms: i64,
    answering: Answering<T>,
    acting: Weak<()>,
}

pub(crate) struct Pace<K, T> {
    people: Mutex<People<K, T>>,
}

struct People<K, T> {
    asked: HashMap<K, Asked<T>>,
    sweep_at: usize,
}

enum Step<T> {
    Share(Answering<T>),
    Ask(Answering<T>, Acting),
    Hold { until_ms: i64 },
}

impl<K, T> Default for Pace<K, T> {
    fn default() -> Self {
        let people = People {
            asked: HashMap::new(),
            sweep_at: MANY,
        };
        Self {
            people: Mutex::new(people),
        }
    }
}

impl<K: Hash + Eq + Clone, T: Clone + Send + Sync + 'static> Pace<K, T> {
    /// The answer about `person`, from `question` or from somebody who asks the same at this moment.
    pub(crate) async fn ask(
        &self,
        runtime: &Runtime,
        person: K,
        question: impl Future<Output = Paced<T>> + Send + 'static,
        otherwise: T,
    ) -> (T, Acting) {
        // A question that panics is answered with `otherwise`: nobody could share or even look at it any more.
        let failed = Paced {
            answer: otherwise,
            holds: false,
            stands: false,
        };
        let question = AssertUnwindSafe(question).catch_unwind();
        let question = question.map(|paced| paced.unwrap_or(failed)).boxed().shared();
        loop {
            match self.step(&person, &question, runtime.clock.steady_ms()) {
                Step::Share(answering) => return (answering.await.answer, Acting { _token: None }),
                Step::Ask(answering, acting) => {
                    // Goes on when its asker hangs up: others may wait for it.
                    runtime.tasks.spawn(answering.clone().map(drop));
                    return (answering.await.answer, acting);
                }
                Step::Hold { until_ms } => hold(runtime, until_ms).await,
            }
        }
    }

    fn step(&self, person: &K, question: &Answering<T>, steady_ms: i64) -> Step<T> {
        let mut people = self.people.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(asked) = people.asked.get(person) {
            let is_fresh = (0..EVERY_MS).contains(&(steady_ms - asked.at_ms));
            match asked.answering.peek() {
                None => return Step::Share(asked.answering.clone()),
                Some(_) if asked.acting.strong_count() > 0 => return Step::Share(asked.answering.clone()),
                Some(paced) if paced.stands && is_fresh => return Step::Share(asked.answering.clone()),
                Some(paced) if paced.holds && is_fresh => {
                    return Step::Hold {
                        until_ms: asked.at_ms + EVERY_MS,
                    };
                }
                Some(_) => {}
            }
        }
        let token = Arc::new(());
        let asked = Asked {
            at_ms: steady_ms,
            answering: question.clone(),
            acting: Arc::downgrade(&token),
        };
        people.asked.insert(person.clone(), asked);
        people.sweep(steady_ms);
        Step::Ask(question.clone(), Acting { _token: Some(token) })
    }
}

impl<K: Hash + Eq, T: Clone> People<K, T> {
    fn sweep(&mut self, steady_ms: i64) {
        if self.asked.len() < self.sweep_at {
            return;
        }
        let is_needed = |asked: &Asked<T>| {
            asked.answering.peek().is_none() || (0..EVERY_MS).contains(&(steady_ms - asked.at_ms))
        };
        self.asked.retain(|_, asked| is_needed(asked));
        self.sweep_at = MANY.max(2 * self.asked.len());
    }
}

async fn hold(runtime: &Runtime, until_ms: i64) {
    loop {
        let left_ms = until_ms - runtime.clock.steady_ms();
        if !(1..=EVERY_MS).contains(&left_ms) {
            return;
        }
        let left = Duration::from_millis(left_ms.unsigned_abs());
        tokio::time::sleep(left.min(LOOK_EVERY)).await;
    }
}
