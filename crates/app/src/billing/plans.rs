//! How plans come to Orgs here, written down for whoever looks at the database without our settings.

use storage::{NoOrg, Tx, Work, settings};

use crate::error::AppError;
use crate::state::App;

const SOLD: &str = "plans.sold";
const DEFAULT_TIER: &str = "plans.default_tier";

/// At the start of whatever serves; tools that look in leave it alone. Tiers that do not fit to it any more are put right by
/// housekeeping.
pub async fn note(app: &App) -> Result<(), AppError> {
    let sold = if app.plans.sold { "yes" } else { "no" };
    let default_tier = app.plans.default_tier.as_str();
    let known = (
        settings::find(&app.db, SOLD).await?,
        settings::find(&app.db, DEFAULT_TIER).await?,
    );
    if known == (Some(sold.to_owned()), Some(default_tier.to_owned())) {
        return Ok(());
    }
    let work = Note {
        values: [(SOLD, sold), (DEFAULT_TIER, default_tier)],
        now_ms: app.now_ms(),
    };
    app.db.write(work).await
}

struct Note {
    values: [(&'static str, &'static str); 2],
    now_ms: i64,
}

impl Work for Note {
    type For = NoOrg;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "note_plans";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), AppError> {
        for (name, value) in self.values {
            settings::put(tx, name, value, self.now_ms).await?;
        }
        Ok(())
    }
}
