//! Small texts that the instance remembers about itself.

use storage::{Tx, Work, settings};

use crate::error::AppError;
use crate::state::App;

pub async fn find(app: &App, name: &str) -> Result<Option<String>, AppError> {
    Ok(settings::find(&app.db, name).await?)
}

pub async fn put(app: &App, name: &'static str, value: String) -> Result<(), AppError> {
    app.db
        .write(Put {
            name,
            value,
            now_ms: app.now_ms(),
        })
        .await
}

struct Put {
    name: &'static str,
    value: String,
    now_ms: i64,
}

impl Work for Put {
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "put_setting";

    async fn run(&self, tx: &mut Tx<'_>) -> Result<(), AppError> {
        Ok(settings::put(tx, self.name, &self.value, self.now_ms).await?)
    }
}
