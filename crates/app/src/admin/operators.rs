//! Who runs this installation, as operators change it among themselves.

use domain::audit::Actor;
use domain::id::AccountId;
use domain::name::DisplayName;
use domain::platform_id::DiscordId;
use storage::{AccountNum, OperatorScope};

use crate::error::{AppError, RequestError};
use crate::identity::accounts::{self, Operator};
use crate::state::App;

/// Those of the setting first, then those with a grant only.
pub async fn list(app: &App, _: OperatorScope) -> Result<Vec<Operator>, AppError> {
    accounts::list_operators(app).await
}

/// Makes somebody an operator, who need not have signed in yet; repeating it changes nothing.
pub async fn grant(
    app: &App,
    discord_id: DiscordId,
    name: DisplayName,
    actor: Actor,
) -> Result<AccountId, AppError> {
    let account = accounts::ensure(app, discord_id, name).await?;
    let id = account.id.clone();
    if !account.operator {
        accounts::set_operator(app, account, true, actor).await?;
    }
    Ok(id)
}

/// Takes back a grant. Nobody takes back their own, so somebody is always left.
pub async fn revoke(app: &App, by: (AccountNum, Actor), id: &AccountId) -> Result<(), AppError> {
    let (caller, actor) = by;
    let account = accounts::get(app, id).await?;
    if account.num == caller {
        return conflict("You cannot revoke your own grant. Ask another operator.");
    }
    if app.operators.contains(&account.discord_id) {
        return conflict(
            "They are an operator by the setting `operators`. Take their ID out of it and restart the service.",
        );
    }
    if !account.operator {
        return conflict("This person is not an operator.");
    }
    accounts::set_operator(app, account, false, actor).await
}

fn conflict(why: &'static str) -> Result<(), AppError> {
    Err(RequestError::Conflict(why).into())
}
