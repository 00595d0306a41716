//! The tracked spawner: shutdown waits for what it started, and a panic is logged.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::task::JoinSet;

/// Clones share the tasks.
#[derive(Clone, Default)]
pub struct Tasks {
    running: Arc<Mutex<JoinSet<()>>>,
    /// How often tasks panicked, by their names, since somebody asked.
    panics: Arc<Mutex<BTreeMap<&'static str, u32>>>,
}

impl Tasks {
    /// Starts a task that outlives the request; a panic in it is logged and harms nobody else.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(ended) = running.try_join_next() {
            self.report(ended);
        }
        running.spawn(task);
    }

    /// Runs `task` again whenever it ends by a panic, after a pause that grows.
    pub fn supervise<F: Future<Output = ()> + Send + 'static>(
        &self,
        name: &'static str,
        task: impl Fn() -> F + Send + 'static,
    ) {
        let tasks = self.clone();
        self.spawn(async move {
            let mut pause = Duration::from_millis(100);
            loop {
                let mut one = JoinSet::new();
                one.spawn(task());
                match one.join_next().await {
                    Some(Err(error)) if error.is_panic() => {
                        tracing::error!(task = name, "a background task panicked and is restarted");
                        tasks.note_panic(name);
                        tokio::time::sleep(pause).await;
                        pause = (pause * 2).min(Duration::from_secs(2));
                    }
                    Some(_) | None => return,
                }
            }
        });
    }

    /// Waits for everything that was started, up to `limit`; what is left then is aborted.
    pub async fn finish(&self, limit: Duration) {
        let mut running = std::mem::take(&mut *self.running.lock().unwrap_or_else(PoisonError::into_inner));
        let waited = tokio::time::timeout(limit, async {
            while let Some(ended) = running.join_next().await {
                self.report(ended);
            }
        });
        if waited.await.is_err() {
            tracing::warn!(left = running.len(), "background tasks were aborted at shutdown");
        }
    }

    /// How often tasks panicked since the last time this was asked.
    pub(crate) fn drain_panics(&self) -> BTreeMap<&'static str, u32> {
        std::mem::take(&mut *self.panics.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn note_panic(&self, name: &'static str) {
        let mut panics = self.panics.lock().unwrap_or_else(PoisonError::into_inner);
        *panics.entry(name).or_default() += 1;
    }

    fn report(&self, ended: Result<(), tokio::task::JoinError>) {
        if let Err(error) = ended
            && error.is_panic()
        {
            tracing::error!("a background task panicked");
            self.note_panic("behind a request");
        }
    }
}
