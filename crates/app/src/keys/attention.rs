//! What keys need somebody for.

use storage::OrgScope;
use storage::keys::{custom_keys, plugin_keys};

use crate::error::AppError;
use crate::notice::{Notice, Page, Severity};
use crate::state::App;

/// Custom keys that travel in addresses, and replaced keys that somebody still uses.
pub(crate) async fn of_org(app: &App, scope: OrgScope) -> Result<Vec<Notice>, AppError> {
    let mut found = Vec::new();
    for key in custom_keys::list(&app.db, scope).await? {
        if key.query_calls > 0 && key.revoked_at_ms.is_none() {
            let text = format!(
                "The custom key {} is sent in the URL, where logs may keep it.",
                key.name
            );
            let notice = Notice::new("query_keys", Severity::Warn, text).about(key.id.as_str());
            found.push(notice.fixed_at("View keys", Page::Keys));
        }
    }
    for key in plugin_keys::list_retired_in_use(&app.db, scope).await? {
        let text = "A replaced key is still in use somewhere.";
        let notice = Notice::new("retired_key_used", Severity::Bad, text).about(key);
        found.push(notice.fixed_at("View Servers", Page::Servers));
    }
    Ok(found)
}
