//! The tracked spawner: shutdown waits for what it started, and a panic is logged.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::task::JoinSet;

/// Clones share the tasks.
#[derive(Clone, Default)]
pub struct Tasks {
    running: Arc<Mutex<JoinSet<()>>>,
}

impl Tasks {
    /// Starts a task that outlives the request; a panic in it is logged and harms nobody else.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(ended) = running.try_join_next() {
            report(ended);
        }
        running.spawn(task);
    }

    /// Runs `task` again whenever it ends by a panic, after a pause that grows.
    pub fn supervise<F: Future<Output = ()> + Send + 'static>(
        &self,
        name: &'static str,
        task: impl Fn() -> F + Send + 'static,
    ) {
        self.spawn(async move {
            let mut pause = Duration::from_millis(100);
            loop {
                let mut one = JoinSet::new();
                one.spawn(task());
                match one.join_next().await {
                    Some(Err(error)) if error.is_panic() => {
                        tracing::error!(task = name, "a background task panicked and is restarted");
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
                report(ended);
            }
        });
        if waited.await.is_err() {
            tracing::warn!(left = running.len(), "background tasks were aborted at shutdown");
        }
    }
}

fn report(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended
        && error.is_panic()
    {
        tracing::error!("a background task panicked");
    }
}
