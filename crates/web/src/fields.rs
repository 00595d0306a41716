//! Fields that bodies and answers of several dashboard routes share.

use app::{App, AppError, OrgScope};
use domain::name::DisplayName;
use domain::permission::{Permission, PermissionSet};

/// The field `name` of a body.
pub(crate) fn display_name(text: &str) -> Result<DisplayName, AppError> {
    DisplayName::parse(text).map_err(|error| AppError::invalid("name", error))
}

pub(crate) fn permission_names(set: PermissionSet) -> Vec<&'static str> {
    set.iter().map(Permission::as_str).collect()
}

/// The field `permissions` of a body.
pub(crate) fn permission_set(names: &[String]) -> Result<PermissionSet, AppError> {
    let parse = |name: &String| {
        Permission::parse(name)
            .ok_or_else(|| AppError::invalid("permissions", "one of these permissions does not exist"))
    };
    names.iter().map(parse).collect()
}

/// What cannot be undone is confirmed by typing the Org's short name.
pub(crate) async fn confirmed(app: &App, scope: OrgScope, typed: &str) -> Result<(), AppError> {
    let org = app::tenancy::orgs::get_own(app, scope).await?;
    if typed.trim() == org.slug {
        return Ok(());
    }
    Err(AppError::invalid(
        "confirm",
        "type the short name of the organisation",
    ))
}
