//! Everything that can go wrong, once. Both renderers and the error log read from here.

mod message;

use domain::flow::Provider;
use domain::plan::Dimension;
use storage::DbError;

/// A failure with two texts: `public_message` for the caller, `internal_detail` for the person on duty.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    #[error("missing, malformed or unknown key")]
    Unauthorized,
    #[error("key revoked")]
    KeyRevoked,
    #[error("server inactive")]
    ServerInactive,
    #[error("key in the query of an Org that refuses that")]
    QueryKeyRefused,
    #[error("rate limited for {retry_after_ms} ms")]
    RateLimited { retry_after_ms: i64 },
    #[error("scope mismatch on {parameter}")]
    ScopeMismatch { parameter: &'static str },
    #[error("unknown action")]
    UnknownAction,
    #[error("action {action} outside the allow-list")]
    PermissionDenied { action: &'static str },
    #[error("invalid parameter {parameter}: {problem}")]
    InvalidParameter {
        parameter: &'static str,
        problem: String,
    },
    #[error("more than {limit} ids")]
    TooManyIds { limit: u32 },
    #[error("a page navigation tried a mutating action")]
    BrowserRefused,
    #[error("a blocked account or network")]
    Blocked,
    #[error("a sign-in that is unknown, used, too old or another browser's")]
    SignInExpired,
    #[error("a sign-in that its person ended")]
    SignInCancelled,
    #[error("{provider} did not answer: {detail}")]
    ProviderSilent { provider: Provider, detail: String },
    #[error("{provider} refused our credentials: {setting} is wrong")]
    ProviderMisconfigured {
        provider: Provider,
        setting: &'static str,
    },
    #[error("sign-in with {provider} is not set up")]
    SignInNotConfigured { provider: Provider },
    #[error("relinked again after {wait_ms} ms too few")]
    RelinkTooSoon { wait_ms: i64 },
    #[error("a key was sent over plain HTTP")]
    TlsRequired,
    #[error("not signed in")]
    SignInRequired,
    #[error("missing permission {permission}")]
    MissingPermission { permission: &'static str },
    #[error("a sign-in that is too old for this")]
    SignInAgain,
    #[error("signed in to Discord as somebody else")]
    OtherAccount,
    #[error("only the owner may do this")]
    OwnerOnly,
    #[error("the owner cannot leave")]
    OwnerStays,
    #[error("registration needs a code")]
    RegistrationClosed,
    #[error("a Discord server that the caller was not seen to manage")]
    NotYourGuild,
    #[error("the bot is not in the Discord server")]
    BotAbsent { invite_url: String },
    #[error("{permission} is not the caller's to give")]
    CannotGrant { permission: &'static str },
    #[error("a member of the same or a higher rank")]
    RankTooLow,
    #[error("invalid {parameter} in row {row}: {problem}")]
    InvalidRow {
        row: usize,
        parameter: &'static str,
        problem: String,
    },
    #[error("the dashboard's files are not there")]
    DashboardNotBuilt,
    #[error("maintenance")]
    Maintenance { message: String },
    #[error("cross-site request")]
    CrossSite,
    #[error("not found")]
    NotFound,
    #[error("method not allowed")]
    MethodNotAllowed { allow: String },
    #[error("not HTTP")]
    BadRequest,
    #[error("head too large")]
    HeadTooLarge,
    #[error("address too long")]
    UriTooLong,
    #[error("body too large")]
    PayloadTooLarge { limit_bytes: usize },
    #[error("unsupported media type")]
    UnsupportedMediaType,
    #[error("invalid JSON: {problem}")]
    InvalidJson { problem: String },
    #[error("limit of {} {} reached", ceiling, dimension.as_str())]
    LimitReached { dimension: Dimension, ceiling: i64 },
    #[error("{what} need a paid plan")]
    PlanRequired { what: &'static str },
    #[error("conflict: {what}")]
    Conflict { what: &'static str },
    #[error("an idempotency key of another request")]
    IdempotencyKeyReused,
    #[error("the Org has as many exports under way as it may have")]
    ExportsRunning,
    #[error("the request took too long")]
    Timeout,
    #[error("overloaded")]
    Overloaded,
    #[error("no key for Steam's Web API")]
    SteamNotConfigured,
    #[error("Steam gave no answer")]
    SteamUnavailable,
    #[error("storage unavailable: {0}")]
    StorageUnavailable(String),
    #[error("outcome unknown: {0}")]
    OutcomeUnknown(String),
    #[error("internal error: {0}")]
    Internal(String),
}

impl AppError {
    /// A refused value, with what is wrong in words for a person.
    pub fn invalid(parameter: &'static str, problem: impl ToString) -> Self {
        AppError::InvalidParameter {
            parameter,
            problem: problem.to_string(),
        }
    }

    /// A text with the one character that PostgreSQL cannot hold.
    pub fn nul(parameter: &'static str) -> Self {
        Self::invalid(parameter, "a NUL character cannot be part of it")
    }

    /// Turns a broken uniqueness into a conflict the caller can put right.
    pub(crate) fn taken(error: DbError, what: &'static str) -> Self {
        if error.is_unique() {
            AppError::Conflict { what }
        } else {
            error.into()
        }
    }

    /// The stable word programs compare.
    pub fn code(&self) -> &'static str {
        match self {
            AppError::Unauthorized => "UNAUTHORIZED",
            AppError::KeyRevoked => "KEY_REVOKED",
            AppError::ServerInactive => "SERVER_INACTIVE",
            AppError::QueryKeyRefused => "QUERY_KEY_REFUSED",
            AppError::RateLimited { .. } => "RATE_LIMITED",
            AppError::ScopeMismatch { .. } => "SCOPE_MISMATCH",
            AppError::UnknownAction => "UNKNOWN_ACTION",
            AppError::PermissionDenied { .. } => "PERMISSION_DENIED",
            AppError::InvalidParameter { .. } => "INVALID_PARAMETER",
            AppError::TooManyIds { .. } => "TOO_MANY_IDS",
            AppError::BrowserRefused => "BROWSER_REFUSED",
            AppError::Blocked => "BLOCKED",
            AppError::SignInExpired => "SIGN_IN_EXPIRED",
            AppError::SignInCancelled => "SIGN_IN_CANCELLED",
            AppError::ProviderSilent { .. } => "PROVIDER_SILENT",
            AppError::ProviderMisconfigured { .. } => "PROVIDER_MISCONFIGURED",
            AppError::SignInNotConfigured { .. } => "SIGN_IN_NOT_CONFIGURED",
            AppError::RelinkTooSoon { .. } => "RELINK_TOO_SOON",
            AppError::TlsRequired => "TLS_REQUIRED",
            AppError::SignInRequired => "SIGN_IN_REQUIRED",
            AppError::MissingPermission { .. } => "MISSING_PERMISSION",
            AppError::CrossSite => "CROSS_SITE",
            AppError::SignInAgain => "SIGN_IN_AGAIN",
            AppError::OtherAccount => "OTHER_ACCOUNT",
            AppError::OwnerOnly => "OWNER_ONLY",
            AppError::OwnerStays => "OWNER_STAYS",
            AppError::RegistrationClosed => "REGISTRATION_CLOSED",
            AppError::NotYourGuild => "NOT_YOUR_GUILD",
            AppError::BotAbsent { .. } => "BOT_ABSENT",
            AppError::CannotGrant { .. } => "CANNOT_GRANT",
            AppError::RankTooLow => "RANK_TOO_LOW",
            AppError::InvalidRow { .. } => "INVALID_PARAMETER",
            AppError::DashboardNotBuilt => "DASHBOARD_NOT_BUILT",
            AppError::Maintenance { .. } => "MAINTENANCE",
            AppError::NotFound => "NOT_FOUND",
            AppError::MethodNotAllowed { .. } => "METHOD_NOT_ALLOWED",
            AppError::BadRequest => "BAD_REQUEST",
            AppError::HeadTooLarge => "HEAD_TOO_LARGE",
            AppError::UriTooLong => "URI_TOO_LONG",
            AppError::PayloadTooLarge { .. } => "PAYLOAD_TOO_LARGE",
            AppError::UnsupportedMediaType => "UNSUPPORTED_MEDIA_TYPE",
            AppError::InvalidJson { .. } => "INVALID_JSON",
            AppError::LimitReached { .. } => "LIMIT_REACHED",
            AppError::PlanRequired { .. } => "PLAN_REQUIRED",
            AppError::Conflict { .. } => "CONFLICT",
            AppError::IdempotencyKeyReused => "IDEMPOTENCY_KEY_REUSED",
            AppError::ExportsRunning => "EXPORTS_RUNNING",
            AppError::Timeout => "TIMEOUT",
            AppError::Overloaded => "OVERLOADED",
            AppError::SteamNotConfigured => "STEAM_NOT_CONFIGURED",
            AppError::SteamUnavailable => "STEAM_UNAVAILABLE",
            AppError::StorageUnavailable(_) => "STORAGE_UNAVAILABLE",
            AppError::OutcomeUnknown(_) => "OUTCOME_UNKNOWN",
            AppError::Internal(_) => "INTERNAL",
        }
    }

    pub fn status(&self) -> u16 {
        match self {
            AppError::InvalidParameter { .. }
            | AppError::InvalidRow { .. }
            | AppError::UnknownAction
            | AppError::TooManyIds { .. }
            | AppError::SignInExpired
            | AppError::SignInCancelled
            | AppError::BadRequest
            | AppError::InvalidJson { .. } => 400,
            AppError::Unauthorized | AppError::SignInRequired => 401,
            AppError::KeyRevoked
            | AppError::ServerInactive
            | AppError::QueryKeyRefused
            | AppError::ScopeMismatch { .. }
            | AppError::PermissionDenied { .. }
            | AppError::BrowserRefused
            | AppError::TlsRequired
            | AppError::Blocked
            | AppError::MissingPermission { .. }
            | AppError::PlanRequired { .. }
            | AppError::SignInAgain
            | AppError::OtherAccount
            | AppError::OwnerOnly
            | AppError::RegistrationClosed
            | AppError::NotYourGuild
            | AppError::CannotGrant { .. }
            | AppError::RankTooLow
            | AppError::CrossSite => 403,
            AppError::NotFound => 404,
            AppError::MethodNotAllowed { .. } => 405,
            AppError::Timeout => 408,
            AppError::LimitReached { .. }
            | AppError::Conflict { .. }
            | AppError::OwnerStays
            | AppError::BotAbsent { .. }
            | AppError::RelinkTooSoon { .. } => 409,
            AppError::PayloadTooLarge { .. } => 413,
            AppError::UriTooLong => 414,
            AppError::UnsupportedMediaType => 415,
            AppError::IdempotencyKeyReused => 422,
            AppError::RateLimited { .. } | AppError::ExportsRunning => 429,
            AppError::HeadTooLarge => 431,
            AppError::Internal(_) => 500,
            AppError::Overloaded
            | AppError::DashboardNotBuilt
            | AppError::Maintenance { .. }
            | AppError::SteamNotConfigured
            | AppError::SteamUnavailable
            | AppError::ProviderSilent { .. }
            | AppError::ProviderMisconfigured { .. }
            | AppError::SignInNotConfigured { .. }
            | AppError::StorageUnavailable(_)
            | AppError::OutcomeUnknown(_) => 503,
        }
    }

    /// Seconds after which a retry makes sense, when it does.
    pub fn retry_after_s(&self) -> Option<i64> {
        match self {
            AppError::RateLimited { retry_after_ms } => Some(message::seconds(*retry_after_ms)),
            AppError::Overloaded | AppError::Timeout => Some(1),
            AppError::ExportsRunning => Some(10),
            AppError::ProviderSilent { .. } => Some(30),
            AppError::RelinkTooSoon { wait_ms } => Some(message::seconds(*wait_ms)),
            AppError::StorageUnavailable(_) => Some(5),
            AppError::SteamUnavailable => Some(30),
            AppError::Maintenance { .. } => Some(120),
            AppError::Unauthorized
            | AppError::KeyRevoked
            | AppError::ServerInactive
            | AppError::QueryKeyRefused
            | AppError::ScopeMismatch { .. }
            | AppError::UnknownAction
            | AppError::PermissionDenied { .. }
            | AppError::InvalidParameter { .. }
            | AppError::TooManyIds { .. }
            | AppError::BrowserRefused
            | AppError::TlsRequired
            | AppError::Blocked
            | AppError::SignInExpired
            | AppError::SignInCancelled
            | AppError::SignInNotConfigured { .. }
            | AppError::ProviderMisconfigured { .. }
            | AppError::SignInRequired
            | AppError::MissingPermission { .. }
            | AppError::SignInAgain
            | AppError::OtherAccount
            | AppError::OwnerOnly
            | AppError::OwnerStays
            | AppError::RegistrationClosed
            | AppError::NotYourGuild
            | AppError::BotAbsent { .. }
            | AppError::CannotGrant { .. }
            | AppError::RankTooLow
            | AppError::InvalidRow { .. }
            | AppError::DashboardNotBuilt
            | AppError::CrossSite
            | AppError::NotFound
            | AppError::MethodNotAllowed { .. }
            | AppError::BadRequest
            | AppError::HeadTooLarge
            | AppError::UriTooLong
            | AppError::PayloadTooLarge { .. }
            | AppError::UnsupportedMediaType
            | AppError::InvalidJson { .. }
            | AppError::LimitReached { .. }
            | AppError::PlanRequired { .. }
            | AppError::Conflict { .. }
            | AppError::IdempotencyKeyReused
            | AppError::SteamNotConfigured
            | AppError::OutcomeUnknown(_)
            | AppError::Internal(_) => None,
        }
    }

    /// True when the same request may succeed later without a change.
    pub fn retryable(&self) -> bool {
        self.retry_after_s().is_some()
    }

    /// Ours to repair, as opposed to the caller's. A Steam that does not answer is neither; its client has logged it.
    pub fn is_ours(&self) -> bool {
        let of_others = matches!(
            self,
            AppError::SteamNotConfigured
                | AppError::DashboardNotBuilt
                | AppError::Maintenance { .. }
                | AppError::SteamUnavailable
                | AppError::ProviderSilent { .. }
                | AppError::ProviderMisconfigured { .. }
                | AppError::SignInNotConfigured { .. }
        );
        self.status() >= 500 && !of_others
    }

    /// Whether its detail helps the person on duty: what is ours to repair, and what a provider did.
    pub fn tells_detail(&self) -> bool {
        let of_provider = matches!(
            self,
            AppError::ProviderSilent { .. } | AppError::ProviderMisconfigured { .. }
        );
        of_provider || self.is_ours()
    }

    /// The same where it came after the commit of what the caller asked for: it was stored, though it cannot be shown.
    pub fn after_write(self) -> Self {
        if let AppError::StorageUnavailable(text) = self {
            AppError::OutcomeUnknown(text)
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
            DbError::Overloaded => AppError::Overloaded,
            DbError::Gone => AppError::NotFound,
            DbError::Unavailable(text) | DbError::Repeat(text) => AppError::StorageUnavailable(text),
            // The edge refuses what a caller sends; this is for a text that came another way.
            DbError::Nul => AppError::nul("text"),
            DbError::InDoubt(text) => AppError::OutcomeUnknown(text),
            DbError::Constraint(..) | DbError::Panicked(_) | DbError::Waited(_) | DbError::Bug(_) => {
                AppError::Internal(error.to_string())
            }
        }
    }
}
