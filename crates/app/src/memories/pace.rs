//! Questions about people at a pace that a provider bears: one about somebody in five seconds, however many browsers
//! and buttons they have. Who comes while it is asked shares the answer; who comes too soon after it is held back and
//! then asks anew, or is told what somebody else was who asked meanwhile: nobody is held back twice. Nobody is told to
//! wait.

use std::collections::HashMap;
use std::hash::Hash;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
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
    /// Which of all questions it was.
    number: u64,
    at_ms: i64,
    answering: Answering<T>,
    acting: Weak<()>,
}

pub(crate) struct Pace<K, T> {
    people: Mutex<People<K, T>>,
}

struct People<K, T> {
    asked: HashMap<K, Asked<T>>,
    /// Questions so far.
    questions: u64,
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
            questions: 0,
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
        let came_after = self.people().questions;
        loop {
            match self.step(&person, &question, came_after, runtime.clock.steady_ms()) {
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

    fn people(&self) -> MutexGuard<'_, People<K, T>> {
        self.people.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn step(&self, person: &K, question: &Answering<T>, came_after: u64, steady_ms: i64) -> Step<T> {
        let mut people = self.people();
        if let Some(asked) = people.asked.get(person) {
            let is_fresh = (0..EVERY_MS).contains(&(steady_ms - asked.at_ms));
            match asked.answering.peek() {
                None => return Step::Share(asked.answering.clone()),
                Some(_) if asked.acting.strong_count() > 0 => return Step::Share(asked.answering.clone()),
                Some(paced) if paced.stands && is_fresh => return Step::Share(asked.answering.clone()),
                // Asked while this one was held back: as new as what they came for.
                Some(paced) if paced.holds && asked.number > came_after => {
                    return Step::Share(asked.answering.clone());
                }
                Some(paced) if paced.holds && is_fresh => {
                    return Step::Hold {
                        until_ms: asked.at_ms + EVERY_MS,
                    };
                }
                Some(_) => {}
            }
        }
        let token = Arc::new(());
        people.questions += 1;
        let asked = Asked {
            number: people.questions,
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

#[cfg(test)]
mod tests {
    use futures_util::future::ready;

    use super::*;

    const NO: Paced<bool> = Paced {
        answer: false,
        holds: true,
        stands: false,
    };

    /// Somebody's turn, with an answer that comes at once; who asked has acted on it when this returns.
    fn turn(pace: &Pace<u8, bool>, came_after: u64, steady_ms: i64) -> &'static str {
        let question = ready(NO).boxed().shared();
        match pace.step(&1, &question, came_after, steady_ms) {
            Step::Ask(answering, _acting) => {
                assert!(answering.now_or_never().is_some());
                "asked"
            }
            Step::Share(_) => "shared",
            Step::Hold { until_ms } => {
                assert!(until_ms > steady_ms && until_ms <= steady_ms + EVERY_MS);
                "held"
            }
        }
    }

    #[test]
    fn of_those_who_are_held_back_one_asks_and_nobody_is_held_back_twice() {
        let pace = Pace::default();
        assert_eq!(turn(&pace, 0, 0), "asked");
        let came_after = pace.people().questions;
        assert_eq!(
            [turn(&pace, came_after, 10), turn(&pace, came_after, 20)],
            ["held", "held"]
        );
        assert_eq!(turn(&pace, came_after, EVERY_MS), "asked");
        // The other one is a moment late: the first has asked and acted.
        assert_eq!(turn(&pace, came_after, EVERY_MS + 1), "shared");
        // Who comes only now may have done something about the answer.
        let came_later = pace.people().questions;
        assert_eq!(turn(&pace, came_later, EVERY_MS + 1), "held");
    }
}
