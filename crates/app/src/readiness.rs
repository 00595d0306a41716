//! Whether the service should be given requests: its database answers, and takes writes.

use std::sync::Arc;
use std::time::Duration;

use storage::{NoOrg, Tx, Work, Writing, settings};
use tokio::sync::oneshot;

use crate::error::{AppError, ServiceError};
use crate::state::App;

/// Who asks expects an answer within two seconds, also from a database that gives none.
const WITHIN: Duration = Duration::from_millis(1500);
const PROBE: &str = "write_probe";

/// Fails unless the database answers and, as far as is known, takes writes. After a failed one it takes a real write to
/// be believed again.
pub async fn check(app: &App) -> Result<(), AppError> {
    if let Writing::Stuck(wait) = app.db.writing() {
        return Err(ServiceError::StorageUnavailable(format!(
            "a write has waited for {} ms",
            wait.as_millis()
        ))
        .into());
    }
    match tokio::time::timeout(WITHIN, in_turn(app)).await {
        Ok(result) => result,
        Err(_) => {
            Err(ServiceError::StorageUnavailable("the database did not answer in time".to_owned()).into())
        }
    }
}

async fn in_turn(app: &App) -> Result<(), AppError> {
    let turn = Arc::clone(&app.memories.probing).lock_owned().await;
    let (tell, told) = oneshot::channel();
    let asking = app.clone();
    // A task of its own: the store's deadlines, at which it gives a hung connection up, are longer than ours.
    app.tasks.spawn(async move {
        drop(tell.send(ask(&asking).await));
        drop(turn);
    });
    told.await
        .unwrap_or_else(|_| Err(AppError::internal("the probe was lost")))
}

async fn ask(app: &App) -> Result<(), AppError> {
    settings::find_aside(&app.db, PROBE).await?;
    if app.db.writing() != Writing::Fine {
        app.db.write(Probe { now_ms: app.now_ms() }).await?;
    }
    Ok(())
}

struct Probe {
    now_ms: i64,
}

impl Work for Probe {
    type For = NoOrg;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "probe";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), AppError> {
        Ok(settings::put(tx, PROBE, "ok", self.now_ms).await?)
    }
}
