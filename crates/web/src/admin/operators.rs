//! Who runs this installation.

use app::admin::operators;
use app::identity::accounts;
use app::{App, AppError};
use domain::id::AccountId;
use domain::platform_id::DiscordId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{FreshOperator, JsonBody, Operator, Segments};
use crate::fields::display_name;
use crate::routes::{Answer, Created, Done, Found};

#[derive(Serialize, ToSchema)]
pub struct OperatorList {
    operators: Vec<OperatorView>,
}

/// Somebody who runs this installation, and why.
#[derive(Serialize, ToSchema)]
pub struct OperatorView {
    #[schema(value_type = String)]
    discord_id: DiscordId,
    /// Nothing for somebody who never signed in.
    account_id: Option<String>,
    name: Option<String>,
    /// By the setting `operators`, which only a restart changes.
    in_setting: bool,
    granted: bool,
    you: bool,
}

impl OperatorView {
    fn of(one: accounts::Operator, you: &AccountId) -> Self {
        let account = one.account;
        Self {
            discord_id: one.discord_id,
            in_setting: one.in_setting,
            granted: account.as_ref().is_some_and(|account| account.operator),
            you: account.as_ref().is_some_and(|account| account.id == *you),
            account_id: account.as_ref().map(|account| account.id.to_string()),
            name: account.map(|account| account.name),
        }
    }
}

pub async fn list(app: App, operator: Operator, (): ()) -> Answer<Found<OperatorList>> {
    let found = operators::list(&app, operator.scope).await?;
    Ok(Found(OperatorList {
        operators: found
            .into_iter()
            .map(|one| OperatorView::of(one, &operator.account_id))
            .collect(),
    }))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewOperator {
    discord_id: String,
}

#[derive(Serialize, ToSchema)]
pub struct MadeOperator {
    #[schema(value_type = String)]
    account_id: AccountId,
}

pub async fn grant(
    app: App,
    operator: FreshOperator,
    JsonBody(new): JsonBody<NewOperator>,
) -> Answer<Created<MadeOperator>> {
    let id =
        DiscordId::parse(new.discord_id.trim()).map_err(|error| AppError::invalid("discord_id", error))?;
    // Until they sign in for the first time.
    let name = display_name("Operator")?;
    let account_id = operators::grant(&app, id, &name, operator.by()).await?;
    Ok(Created(MadeOperator { account_id }))
}

pub async fn revoke(app: App, operator: FreshOperator, Segments(id): Segments<AccountId>) -> Answer<Done> {
    operators::revoke(&app, &id, operator.by()).await?;
    Ok(Done)
}
