//! Carries rings of the bell from node to node, where several share a database. While that does not work, nodes find the
//! work of others at their next look.

use std::time::Duration;

use storage::DbError;
use tokio::sync::watch;

use crate::state::App;

const TRY_AGAIN: Duration = Duration::from_secs(1);

/// Runs until it is stopped; ends at once on an embedded database.
pub async fn carry(app: App, mut stop: watch::Receiver<bool>) {
    let mut works = true;
    loop {
        let lost = tokio::select! {
            _ = stop.wait_for(|stopped| *stopped) => return,
            lost = until_lost(&app, &mut works) => lost,
        };
        let Err(error) = lost else { return };
        // Once: the next looks do the same, only later.
        if std::mem::take(&mut works) {
            tracing::warn!(%error, "nodes cannot wake each other right now and find work within a second instead");
        }
        tokio::select! {
            _ = stop.wait_for(|stopped| *stopped) => return,
            () = tokio::time::sleep(TRY_AGAIN) => {}
        }
    }
}

async fn until_lost(app: &App, works: &mut bool) -> Result<(), DbError> {
    let mut rung = app.bell.listen_here();
    let Some(mut chime) = app.db.chime().await? else {
        return Ok(());
    };
    *works = true;
    loop {
        tokio::select! {
            heard = chime.heard() => {
                heard?;
                app.bell.ring_from_afar();
            }
            Ok(()) = rung.changed() => chime.ring().await?,
        }
    }
}
