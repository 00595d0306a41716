//! Who was seen on which Server, written down with the rest of the minute, and what follows for people.

use std::collections::{BTreeSet, HashSet};

use storage::players::player_seen::{self, Sighting};
use storage::players::server_players;
use storage::tenancy::servers;
use storage::{NoOrg, ServerNum, Tx, Work};
use tokio::sync::oneshot;

use super::cleanup;
use crate::error::AppError;
use crate::memories::seen::SeenMark;
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
        let mut written = Written::default();
        let whole = write_all(&of_task, &mut written).await;
        // What is written is not handed out again: what follows from it follows now, whatever became of the rest.
        let followed = follow(&of_task, written).await;
        drop(tell.send(whole.map(|()| followed)));
    });
    told.await.map_err(AppError::internal)?
}

#[derive(Default)]
struct Written {
    newcomers: Vec<(ServerNum, String)>,
    seen: Vec<Sighting>,
}

async fn write_all(app: &App, written: &mut Written) -> Result<(), AppError> {
    let marks = write_marks(app, written).await;
    marks.and(write_strangers(app, written).await)
}

async fn write_marks(app: &App, written: &mut Written) -> Result<(), AppError> {
    let marks = app.memories.seen.drain(app.clock.steady_ms());
    for (index, slice) in marks.chunks(SLICE).enumerate() {
        match app.db.write(WriteMarks(slice.to_vec())).await {
            Ok(first) => written.newcomers.extend(first),
            Err(error) => {
                app.memories.seen.restore(&marks[index * SLICE..]);
                return Err(error);
            }
        }
        written.seen.extend(slice.iter().map(SeenMark::sighting));
    }
    Ok(())
}

/// Of players who are not linked in the Guild of their game server, those who are linked in another one of its Org. Most
/// are linked nowhere, so they are looked up before anything is written.
async fn write_strangers(app: &App, written: &mut Written) -> Result<(), AppError> {
    let marks = app.memories.strangers.drain(app.clock.steady_ms());
    for (index, slice) in marks.chunks(ASKED_SLICE).enumerate() {
        if let Err(error) = write_linked(app, slice, written).await {
            app.memories.strangers.restore(&marks[index * ASKED_SLICE..]);
            return Err(error);
        }
    }
    Ok(())
}

async fn write_linked(app: &App, marks: &[SeenMark], written: &mut Written) -> Result<(), AppError> {
    let mut seen: Vec<Sighting> = marks.iter().map(SeenMark::sighting).collect();
    let linked = player_seen::list_linked(&app.db, &seen).await?;
    let linked: HashSet<(ServerNum, &str)> = linked.iter().map(|one| (one.server, &*one.steam_id)).collect();
    seen.retain(|one| linked.contains(&(one.server, &*one.steam_id)));
    for some in seen.chunks(SLICE) {
        app.db.write(WriteElsewhere(some.to_vec())).await?;
        written.seen.extend_from_slice(some);
    }
    Ok(())
}

/// Writes down who was seen on Servers of Guilds in which they are linked.
struct WriteMarks(Vec<SeenMark>);

impl Work for WriteMarks {
    type For = NoOrg;
    /// Who was on a Server for the first time.
    type Output = Vec<(ServerNum, String)>;
    type Error = AppError;
    const NAME: &'static str = "write_seen";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<Self::Output, AppError> {
        let there = hold(tx, self.0.iter().map(|mark| mark.server).collect()).await?;
        let (mut first, mut seen) = (Vec::new(), Vec::new());
        for mark in self.0.iter().filter(|mark| there.contains(&mark.server)) {
            seen.push(mark.sighting());
            if server_players::mark_seen(tx, mark.server, &mark.steam_id, mark.seen_at.now_ms).await? {
                first.push((mark.server, mark.steam_id.clone()));
            }
        }
        player_seen::note(tx, &seen).await?;
        Ok(first)
    }
}

/// Writes down that players were on Servers of Guilds in which they are not linked: it counts in the whole Org.
struct WriteElsewhere(Vec<Sighting>);

impl Work for WriteElsewhere {
    type For = NoOrg;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "write_seen_elsewhere";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), AppError> {
        let there = hold(tx, self.0.iter().map(|one| one.server).collect()).await?;
        let seen = self.0.iter().filter(|one| there.contains(&one.server));
        Ok(player_seen::note(tx, &seen.cloned().collect::<Vec<_>>()).await?)
    }
}

/// Holds those of these Servers that are there, all of them before the first player: who deletes a Server or erases somebody
/// waits for us, or the next statement sees what they did.
async fn hold(tx: &mut Tx<'_>, wanted: BTreeSet<ServerNum>) -> Result<BTreeSet<ServerNum>, AppError> {
    let mut there = BTreeSet::new();
    for server in wanted {
        if servers::hold(tx, server).await? {
            there.insert(server);
        }
    }
    Ok(there)
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
