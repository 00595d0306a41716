//! Everything that can go wrong, in one type: a small enum for each area, and in it one row for each failure.
//!
//! Both renderers and the error log read from the rows. A new failure is a variant with its row in the file of its
//! area, and a line in `docs/api-errors.md`.

mod answer;
mod billing;
mod bots;
mod http;
mod identity;
mod keys;
mod linking;
mod players;
mod plugin;
mod records;
mod request;
mod roles;
mod service;
mod tenancy;

use storage::DbError;

pub use answer::{ErrorAnswer, Fault};
pub use billing::BillingError;
pub use bots::BotsError;
pub use http::HttpError;
pub use identity::IdentityError;
pub use keys::KeysError;
pub use linking::LinkingError;
pub use players::PlayersError;
pub use plugin::PluginError;
pub use records::RecordsError;
pub use request::RequestError;
pub use roles::RolesError;
pub use service::ServiceError;
pub use tenancy::TenancyError;

/// A failure with two texts: its row's message for the caller, `internal_detail` for the person on duty.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub enum AppError {
    /// Who somebody is.
    Identity(#[from] IdentityError),
    /// What somebody may do in an Org, and what the Org may have.
    Tenancy(#[from] TenancyError),
    /// The key that a caller holds.
    Keys(#[from] KeysError),
    /// A link.
    Linking(#[from] LinkingError),
    /// A call of the plugin API with a good key.
    Plugin(#[from] PluginError),
    /// What Steam is asked about players.
    Players(#[from] PlayersError),
    /// The audit log and the error log.
    Records(#[from] RecordsError),
    /// What was asked for, in whichever area.
    Request(#[from] RequestError),
    /// The form of the request.
    Http(#[from] HttpError),
    /// Rules between groups and roles.
    Roles(#[from] RolesError),
    /// A bot of the platform.
    Bots(#[from] BotsError),
    /// Buying.
    Billing(#[from] BillingError),
    /// The service itself.
    Service(#[from] ServiceError),
}

impl AppError {
    /// A refused value, with what is wrong in words for a person.
    pub fn invalid(parameter: &'static str, problem: impl ToString) -> Self {
        let problem = problem.to_string();
        RequestError::InvalidParameter { parameter, problem }.into()
    }

    /// A text with the one character that PostgreSQL cannot hold.
    pub fn nul(parameter: &'static str) -> Self {
        Self::invalid(parameter, "it cannot contain a NUL character")
    }

    /// What cannot happen, and did: the cause goes to the log, never to the caller.
    pub fn internal(cause: impl ToString) -> Self {
        ServiceError::Internal(cause.to_string()).into()
    }

    /// Turns a broken uniqueness into a conflict the caller can put right.
    pub(crate) fn taken(error: DbError, what: &'static str) -> Self {
        if error.is_unique() {
            RequestError::Conflict(what).into()
        } else {
            error.into()
        }
    }

    /// The failure's row in the table of its area.
    pub fn answer(&self) -> ErrorAnswer<'_> {
        match self {
            Self::Identity(error) => error.answer(),
            Self::Tenancy(error) => error.answer(),
            Self::Roles(error) => error.answer(),
            Self::Keys(error) => error.answer(),
            Self::Linking(error) => error.answer(),
            Self::Plugin(error) => error.answer(),
            Self::Players(error) => error.answer(),
            Self::Records(error) => error.answer(),
            Self::Request(error) => error.answer(),
            Self::Http(error) => error.answer(),
            Self::Bots(error) => error.answer(),
            Self::Billing(error) => error.answer(),
            Self::Service(error) => error.answer(),
        }
    }

    /// The stable word programs compare.
    pub fn code(&self) -> &'static str {
        self.answer().code
    }

    /// HTTP's status.
    pub fn status(&self) -> u16 {
        self.answer().status
    }

    /// What the caller reads: what happened and what to do. Never anything internal.
    pub fn public_message(&self) -> String {
        self.answer().message.into_owned()
    }

    /// Ours to repair, as opposed to the caller's. A Steam that does not answer is neither; its client has logged it.
    pub fn is_ours(&self) -> bool {
        self.answer().fault == Fault::Ours
    }

    /// Whether its detail helps the person on duty: what is ours to repair, and what a provider did.
    pub(crate) fn tells_detail(&self) -> bool {
        matches!(self.answer().fault, Fault::Ours | Fault::Provider)
    }

    /// The same where it came after the commit of what the caller asked for: it was stored, though it cannot be shown.
    pub fn after_write(self) -> Self {
        if let Self::Service(ServiceError::StorageUnavailable(text)) = self {
            ServiceError::OutcomeUnknown(text).into()
        } else {
            self
        }
    }

    /// For logs and the error log; free of secrets because keys are cut to their prefix.
    pub fn internal_detail(&self) -> String {
        domain::key::redact(&self.to_string()).into_owned()
    }
}

impl From<DbError> for AppError {
    fn from(error: DbError) -> Self {
        match error {
            DbError::Overloaded => ServiceError::Overloaded.into(),
            DbError::Gone => RequestError::NotFound.into(),
            DbError::Stale => RequestError::ChangedMeanwhile.into(),
            DbError::Unavailable(text) | DbError::Repeat(text) => {
                ServiceError::StorageUnavailable(text).into()
            }
            // The edge refuses what a caller sends; this is for a text that came another way.
            DbError::Nul => AppError::nul("text"),
            DbError::InDoubt(text) => ServiceError::OutcomeUnknown(text).into(),
            DbError::Constraint(..) | DbError::Panicked(_) | DbError::Waited(_) | DbError::Bug(_) => {
                AppError::internal(error)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_no_larger_than_its_largest_text_and_name() {
        assert!(size_of::<AppError>() <= 48, "{}", size_of::<AppError>());
    }

    #[test]
    fn a_provider_that_fails_is_not_our_fault_and_its_detail_is_kept() {
        let silent = AppError::from(IdentityError::ProviderSilent {
            provider: domain::flow::Provider::Steam,
            detail: "no answer in time".to_owned(),
        });
        assert!(!silent.is_ours() && silent.tells_detail());
        let known = AppError::from(PlayersError::SteamUnavailable);
        assert!(!known.is_ours() && !known.tells_detail());
        let ours = AppError::from(ServiceError::Overloaded);
        assert!(ours.is_ours() && ours.tells_detail());
        assert!(!AppError::from(RequestError::NotFound).tells_detail());
    }
}
