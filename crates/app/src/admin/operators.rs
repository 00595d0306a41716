//! Who runs this installation, as operators change it among themselves.

use domain::id::AccountId;
use domain::name::DisplayName;
use domain::platform_id::DiscordId;
use storage::OperatorScope;

use crate::by_operator::ByOperator;
use crate::error::{AppError, RequestError};
use crate::identity::accounts::{self, Operator};
use crate::identity::operator_grants;
use crate::state::App;

/// Those of the setting first, then those with a grant only.
pub async fn list(app: &App, _: OperatorScope) -> Result<Vec<Operator>, AppError> {
    accounts::list_operators(app).await
}

/// Makes somebody an operator, who need not have signed in yet; repeating it changes nothing. Whoever is one by the setting
/// gets no grant besides, which would outlive it.
pub async fn grant(
    app: &App,
    discord_id: DiscordId,
    name: &DisplayName,
    by: ByOperator,
) -> Result<AccountId, AppError> {
    if app.operators.contains(&discord_id) {
        return Err(
            RequestError::Conflict("They are an operator by the setting `operators` already.").into(),
        );
    }
    operator_grants::grant(app, discord_id, name, by).await
}

/// Takes back a grant. Nobody takes back their own, so somebody is always left.
pub async fn revoke(app: &App, id: &AccountId, by: ByOperator) -> Result<(), AppError> {
    if by.is(id) {
        return conflict("You cannot revoke your own grant. Ask another operator.");
    }
    let account = accounts::get(app, id).await?;
    if app.operators.contains(&account.discord_id) {
        return conflict(
            "They are an operator by the setting `operators`. Take their ID out of it and restart the service.",
        );
    }
    operator_grants::revoke(app, account.num, by).await
}

fn conflict(why: &'static str) -> Result<(), AppError> {
    Err(RequestError::Conflict(why).into())
}
