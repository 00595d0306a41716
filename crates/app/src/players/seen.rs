//! Who was seen on which Server, written down with the rest of the minute, and what follows for people.

use std::collections::HashSet;

use storage::ServerNum;
use storage::players::player_seen::{self, Sighting};
use tokio::sync::oneshot;

use super::cleanup;
use crate::error::AppError;
use crate::memories::seen::{SeenMark, WriteElsewhere, WriteMarks};
use crate::people;
use crate::state::App;

/// Marks in one unit of work.
const SLICE: usize = 200;
/// Marks of players who may be linked nowhere, in one read.
const ASKED_SLICE: usize = 2_000;

/// Writes down who was seen where, with what follows from it.
pub async fn flush(app: &App) -> Result<(), AppError> {
    write(app).await?
}

/// Writes down who was seen where, before somebody judges who is dormant. What follows for people is another matter: it is
/// found again later.
pub(super) async fn settle(app: &App) -> Result<(), AppError> {
    if let Err(error) = write(app).await? {
        tracing::warn!(error = %error.internal_detail(), "what follows from who was seen is put off");
    }
    Ok(())
}

/// What was told of people, in a task of its own: marks that were handed out are written, whoever stops waiting for that.
/// Inside is what became of what follows.
async fn write(app: &App) -> Result<Result<(), AppError>, AppError> {
    let (tell, told) = oneshot::channel();
    let of_task = app.clone();
    app.tasks.spawn(async move {
        // One at a time: who finds no marks knows that all of them are written.
        let _turn = of_task.memories.seen.turn().await;
        let written = write_all(&of_task).await;
        let written = match written {
            Ok(written) => Ok(follow(&of_task, written).await),
            Err(error) => Err(error),
        };
        drop(tell.send(written));
    });
    told.await.map_err(AppError::internal)?
}

struct Written {
    newcomers: Vec<(ServerNum, String)>,
    seen: Vec<Sighting>,
}

async fn write_all(app: &App) -> Result<Written, AppError> {
    let mut written = write_marks(app).await?;
    written.seen.extend(write_strangers(app).await?);
    Ok(written)
}

/// Of players who are not linked in the Guild of their game server, those who are linked in another one of its Org. Most
/// are linked nowhere, so they are looked up before anything is written.
async fn write_strangers(app: &App) -> Result<Vec<Sighting>, AppError> {
    let marks = app.memories.strangers.drain(app.clock.steady_ms());
    let mut seen = Vec::new();
    for (index, slice) in marks.chunks(ASKED_SLICE).enumerate() {
        match write_linked(app, slice).await {
            Ok(some) => seen.extend(some),
            Err(error) => {
                app.memories.strangers.restore(&marks[index * ASKED_SLICE..]);
                return Err(error);
            }
        }
    }
    Ok(seen)
}

async fn write_linked(app: &App, marks: &[SeenMark]) -> Result<Vec<Sighting>, AppError> {
    let mut seen: Vec<Sighting> = marks.iter().map(SeenMark::sighting).collect();
    let linked = player_seen::list_linked(&app.db, &seen).await?;
    let linked: HashSet<(ServerNum, &str)> = linked.iter().map(|one| (one.server, &*one.steam_id)).collect();
    seen.retain(|one| linked.contains(&(one.server, &*one.steam_id)));
    for some in seen.chunks(SLICE) {
        app.db.write(WriteElsewhere(some.to_vec())).await?;
    }
    Ok(seen)
}

async fn write_marks(app: &App) -> Result<Written, AppError> {
    let marks = app.memories.seen.drain(app.clock.steady_ms());
    let mut newcomers = Vec::new();
    for (index, slice) in marks.chunks(SLICE).enumerate() {
        match app.db.write(WriteMarks(slice.to_vec())).await {
            Ok(first) => newcomers.extend(first),
            Err(error) => {
                app.memories.seen.restore(&marks[index * SLICE..]);
                return Err(error);
            }
        }
    }
    let seen = marks.iter().map(SeenMark::sighting).collect();
    Ok(Written { newcomers, seen })
}

/// Who was on a Server for the first time is found there from now on, and who is flagged is so no more.
async fn follow(app: &App, written: Written) -> Result<(), AppError> {
    let followed = people::follow_newcomers(app, written.newcomers).await;
    let mut back = Vec::new();
    for some in written.seen.chunks(SLICE) {
        back.extend(player_seen::list_flagged(&app.db, some).await?);
    }
    followed.and(cleanup::clear_seen(app, back).await)
}
