//! Who a request turned out to be from, and which Org it is about.

use std::sync::{Arc, OnceLock};

use app::OrgScope;
use app::identity::sessions::{Caller, Visit};
use domain::id::AccountId;
use http::Extensions;

/// Shared by a request and the outermost layer, and told as soon as something is known. A handler that panics or hangs
/// leaves no answer, and its failure is still written down where those look for it whom it concerns.
#[derive(Clone, Default)]
pub struct About(Arc<Facts>);

#[derive(Default)]
struct Facts {
    org: OnceLock<OrgScope>,
    account: OnceLock<AccountId>,
}

impl About {
    /// What goes with a request; on its own where nobody listens.
    pub(crate) fn of(request: &Extensions) -> Self {
        request.get().cloned().unwrap_or_default()
    }

    /// It is theirs, and about the Org of theirs that it names.
    pub(crate) fn tell(&self, caller: &Caller) {
        self.0.account.get_or_init(|| caller.account_id.clone());
        let visit = caller.visit.map(Visit::standing);
        if let Some(standing) = caller.membership.or(visit) {
            self.0.org.get_or_init(|| standing.scope);
        }
    }

    /// The Org, for who finds it in another way.
    pub(crate) fn org(&self) -> &OnceLock<OrgScope> {
        &self.0.org
    }

    pub(crate) fn account(&self) -> Option<&AccountId> {
        self.0.account.get()
    }
}
