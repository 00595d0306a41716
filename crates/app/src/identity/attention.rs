//! Who can run this installation although its configuration does not name them.

use crate::error::AppError;
use crate::identity::accounts;
use crate::notice::{Notice, Severity};
use crate::state::App;

/// Operators by a grant alone.
pub(crate) async fn operators(app: &App) -> Result<Vec<Notice>, AppError> {
    let listed = accounts::list_operators(app).await?;
    let granted = listed.iter().filter(|operator| !operator.in_setting).count();
    let who = match granted {
        0 => return Ok(Vec::new()),
        1 => "1 person is an operator".to_owned(),
        _ => format!("{granted} people are operators"),
    };
    let text = format!("{who} by a grant, not by the operators setting. The page Operators says who.");
    Ok(vec![Notice::new("granted_operators", Severity::Info, text)])
}
