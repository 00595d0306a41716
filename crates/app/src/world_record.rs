//! Small texts that the instance remembers about itself.

use storage::{NoOrg, Tx, Work, settings};

use crate::error::AppError;
use crate::state::App;

/// None when it was never put.
pub async fn find(app: &App, name: &str) -> Result<Option<String>, AppError> {
    Ok(settings::find(&app.db, name).await?)
}

/// Replaces what was there. Nothing is audited: this is not for what people decide.
pub async fn put(app: &App, name: &'static str, value: String) -> Result<(), AppError> {
    app.db
        .write(Put {
            name,
            value,
            now_ms: app.now_ms(),
        })
        .await
}

/// Whether a database is ours to fill.
pub enum Marked {
    /// It was empty and carries the mark from now on.
    Now,
    /// It carries the mark already.
    Before,
    /// There are people in it, and no mark.
    InUse,
}

/// Puts a mark into a database in which nobody is yet.
pub async fn mark_empty(app: &App, name: &'static str) -> Result<Marked, AppError> {
    let now_ms = app.now_ms();
    app.db.write(MarkEmpty { name, now_ms }).await
}

struct MarkEmpty {
    name: &'static str,
    now_ms: i64,
}

impl Work for MarkEmpty {
    type For = NoOrg;
    type Output = Marked;
    type Error = AppError;
    const NAME: &'static str = "mark_empty";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<Marked, AppError> {
        if settings::find_in(tx, self.name).await?.is_some() {
            return Ok(Marked::Before);
        }
        if settings::has_people(tx).await? {
            return Ok(Marked::InUse);
        }
        settings::put(tx, self.name, "yes", self.now_ms).await?;
        Ok(Marked::Now)
    }
}

struct Put {
    name: &'static str,
    value: String,
    now_ms: i64,
}

impl Work for Put {
    type For = NoOrg;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "put_setting";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), AppError> {
        Ok(settings::put(tx, self.name, &self.value, self.now_ms).await?)
    }
}
