//! Who was seen on which Server, written down with the rest of the minute, and what follows for people.

use storage::players::player_seen::{self, Sighting};

use super::cleanup;
use crate::error::AppError;
use crate::memories::seen::{SeenMark, WriteMarks};
use crate::people;
use crate::state::App;

/// Marks in one unit of work.
const SLICE: usize = 200;

/// Writes down who was seen where.
pub async fn flush(app: &App) -> Result<(), AppError> {
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
    people::follow_newcomers(app, newcomers).await?;
    let seen: Vec<Sighting> = marks.iter().map(SeenMark::sighting).collect();
    let mut back = Vec::new();
    for some in seen.chunks(SLICE) {
        back.extend(player_seen::list_flagged(&app.db, some).await?);
    }
    cleanup::clear_seen(app, back).await
}
