//! JSON for the dashboard. A handler reads its input, calls one use case and shapes the answer.

pub mod audit;
pub mod guilds;
pub mod keys;
pub mod orgs;
pub mod servers;

use app::AppError;
use domain::name::DisplayName;

/// The field `name` of a body.
fn display_name(text: &str) -> Result<DisplayName, AppError> {
    DisplayName::parse(text).map_err(|error| AppError::invalid("name", error))
}
