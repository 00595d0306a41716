//! Failures of accounts, sessions and sign-ins, and of the providers that vouch for people.

use domain::flow::Provider;

use super::answer::{ErrorAnswer, Fault, titled};

/// Why somebody is not let in, or not taken for who they say they are.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// No session cookie, or its session has ended.
    #[error("not signed in")]
    SignInRequired,
    /// What cannot be undone takes a sign-in of the last 15 minutes.
    #[error("a sign-in that is too old for this")]
    SignInAgain,
    /// A way to a provider and back that cannot be finished; the four reasons are told apart nowhere.
    #[error("a sign-in that is unknown, used, too old or another browser's")]
    SignInExpired,
    /// The person said no to the provider, or did not agree to all that was asked.
    #[error("a sign-in that its person ended")]
    SignInCancelled,
    /// The instance lacks an application, or an address, for this provider.
    #[error("sign-in with {provider} is not set up")]
    SignInNotConfigured {
        /// Whom nobody can sign in with.
        provider: Provider,
    },
    /// Discord vouched for another person than the session's.
    #[error("signed in to Discord as somebody else")]
    OtherAccount,
    /// On the blocklist, by account, Steam id or network.
    #[error("a blocked account or network")]
    Blocked,
    /// Somebody on the blocklist who asks for what is held about them.
    #[error("a blocked person asks to be erased")]
    BlockedPerson,
    /// An account that owns Orgs is to be deleted.
    #[error("the account owns Orgs")]
    OwnsOrgs,
    /// No answer in time, or one that makes no sense. Nothing was changed.
    #[error("{provider} did not answer: {detail}")]
    ProviderSilent {
        /// Who was asked.
        provider: Provider,
        /// The kind of silence, for the person on duty.
        detail: String,
    },
    /// The provider does not take our credentials; asking again does not help.
    #[error("{provider} refused our credentials: {setting} is wrong")]
    ProviderMisconfigured {
        /// Who was asked.
        provider: Provider,
        /// The name of the setting that the operator has to correct.
        setting: &'static str,
    },
}

impl IdentityError {
    pub(super) fn answer(&self) -> ErrorAnswer<'_> {
        match self {
            Self::SignInRequired => ErrorAnswer::new(401, "SIGN_IN_REQUIRED", "Sign in first."),
            Self::SignInAgain => ErrorAnswer::new(
                403,
                "SIGN_IN_AGAIN",
                "This needs a sign-in from the last 15 minutes. Sign in again and retry.",
            ),
            Self::SignInExpired => ErrorAnswer::new(
                400,
                "SIGN_IN_EXPIRED",
                "This sign-in has expired or belongs to another browser. Open the page again and start over.",
            ),
            Self::SignInCancelled => ErrorAnswer::new(
                400,
                "SIGN_IN_CANCELLED",
                "You did not finish signing in. Open the page again to retry.",
            ),
            Self::SignInNotConfigured { provider } => ErrorAnswer::new(
                503,
                "SIGN_IN_NOT_CONFIGURED",
                format!("Signing in with {} is not set up on this installation.", titled(*provider)),
            )
            .fault(Fault::Known),
            Self::OtherAccount => ErrorAnswer::new(
                403,
                "OTHER_ACCOUNT",
                "You are using a different Discord account than the one you signed in with here. Switch accounts on Discord and try again.",
            ),
            Self::Blocked => ErrorAnswer::new(
                403,
                "BLOCKED",
                "This account or network cannot sign in here. If you think that is a mistake, ask the community's team.",
            ),
            Self::BlockedPerson => ErrorAnswer::new(
                403,
                "BLOCKED_PERSON",
                "This account is blocked, so this page cannot show or erase its data. Write to the operator of this site.",
            ),
            Self::OwnsOrgs => ErrorAnswer::new(
                409,
                "OWNS_ORGS",
                "You own an organisation. Transfer it to another member or delete it, then delete your account.",
            ),
            Self::ProviderSilent { provider, .. } => ErrorAnswer::new(
                503,
                "PROVIDER_SILENT",
                format!("{} is not responding. Nothing was changed; try again in a minute.", titled(*provider)),
            )
            .retry_after_s(30)
            .fault(Fault::Provider),
            Self::ProviderMisconfigured { provider, .. } => ErrorAnswer::new(
                503,
                "PROVIDER_MISCONFIGURED",
                format!("{} does not accept this installation's credentials. Nothing was changed; the operator has to correct them.", titled(*provider)),
            )
            .fault(Fault::Provider),
        }
    }
}
