//! Who was seen on which Server, written down with the rest of the minute, and what follows for people.

use storage::ServerNum;
use storage::players::player_seen::{self, Sighting};
use tokio::sync::oneshot;

use super::cleanup;
use crate::error::AppError;
use crate::memories::seen::{SeenMark, WriteMarks};
use crate::people;
use crate::state::App;

/// Marks in one unit of work.
const SLICE: usize = 200;

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
        let written = match write_marks(&of_task).await {
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
