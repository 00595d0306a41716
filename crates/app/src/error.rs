//! Everything that can go wrong, once. Both renderers and the error log read from here.

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
    #[error("{provider} did not answer")]
    ProviderSilent { provider: Provider },
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
    #[error("cross-site request")]
    CrossSite,
    #[error("not found")]
    NotFound,
    #[error("method not allowed")]
    MethodNotAllowed { allow: String },
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
            AppError::SignInNotConfigured { .. } => "SIGN_IN_NOT_CONFIGURED",
            AppError::RelinkTooSoon { .. } => "RELINK_TOO_SOON",
            AppError::TlsRequired => "TLS_REQUIRED",
            AppError::SignInRequired => "SIGN_IN_REQUIRED",
            AppError::MissingPermission { .. } => "MISSING_PERMISSION",
            AppError::CrossSite => "CROSS_SITE",
            AppError::NotFound => "NOT_FOUND",
            AppError::MethodNotAllowed { .. } => "METHOD_NOT_ALLOWED",
            AppError::UriTooLong => "URI_TOO_LONG",
            AppError::PayloadTooLarge { .. } => "PAYLOAD_TOO_LARGE",
            AppError::UnsupportedMediaType => "UNSUPPORTED_MEDIA_TYPE",
            AppError::InvalidJson { .. } => "INVALID_JSON",
            AppError::LimitReached { .. } => "LIMIT_REACHED",
            AppError::PlanRequired { .. } => "PLAN_REQUIRED",
            AppError::Conflict { .. } => "CONFLICT",
            AppError::Timeout => "TIMEOUT",
            AppError::Overloaded => "OVERLOADED",
            AppError::SteamNotConfigured => "STEAM_NOT_CONFIGURED",
            AppError::SteamUnavailable => "STEAM_UNAVAILABLE",
            AppError::StorageUnavailable(_) => "STORAGE_UNAVAILABLE",
            AppError::Internal(_) => "INTERNAL",
        }
    }

    pub fn status(&self) -> u16 {
        match self {
            AppError::InvalidParameter { .. }
            | AppError::UnknownAction
            | AppError::TooManyIds { .. }
            | AppError::SignInExpired
            | AppError::SignInCancelled
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
            | AppError::CrossSite => 403,
            AppError::NotFound => 404,
            AppError::MethodNotAllowed { .. } => 405,
            AppError::Timeout => 408,
            AppError::LimitReached { .. } | AppError::Conflict { .. } | AppError::RelinkTooSoon { .. } => 409,
            AppError::PayloadTooLarge { .. } => 413,
            AppError::UriTooLong => 414,
            AppError::UnsupportedMediaType => 415,
            AppError::RateLimited { .. } => 429,
            AppError::Internal(_) => 500,
            AppError::Overloaded
            | AppError::SteamNotConfigured
            | AppError::SteamUnavailable
            | AppError::ProviderSilent { .. }
            | AppError::SignInNotConfigured { .. }
            | AppError::StorageUnavailable(_) => 503,
        }
    }

    /// What the caller reads: what happened and what to do. Never anything internal.
    pub fn public_message(&self) -> String {
        match self {
            AppError::Unauthorized => {
                "The key is missing or not valid. Send it in the X-API-Key header and check its value."
                    .to_owned()
            }
            AppError::KeyRevoked => "This key was revoked. Regenerate it in the dashboard.".to_owned(),
            AppError::ServerInactive => {
                "This server is switched off. Switch it on in the dashboard.".to_owned()
            }
            AppError::QueryKeyRefused => {
                "This organisation does not take keys in the address. Send the key in the X-API-Key header."
                    .to_owned()
            }
            AppError::RateLimited { retry_after_ms } => {
                format!("Too many requests. Try again in {} s.", seconds(*retry_after_ms))
            }
            AppError::ScopeMismatch { parameter } => format!("{parameter} does not belong to this key."),
            AppError::UnknownAction => "There is no such action. See /docs/api for the list.".to_owned(),
            AppError::PermissionDenied { action } => {
                format!("This key may not call {action}. Adjust its permissions in the dashboard.")
            }
            AppError::InvalidParameter { parameter, problem } => format!("{parameter}: {problem}"),
            AppError::TooManyIds { limit } => {
                format!("Your plan allows {limit} ids per call. Send fewer at a time.")
            }
            AppError::BrowserRefused => {
                "A link or a page cannot run this action. Send the key in the X-API-Key header.".to_owned()
            }
            AppError::Blocked => BLOCKED.to_owned(),
            AppError::SignInExpired => SIGN_IN_EXPIRED.to_owned(),
            AppError::SignInCancelled => SIGN_IN_CANCELLED.to_owned(),
            AppError::ProviderSilent { provider } => silent(*provider),
            AppError::SignInNotConfigured { provider } => not_set_up(*provider),
            AppError::RelinkTooSoon { wait_ms } => relink_later(*wait_ms),
            AppError::TlsRequired => "Send keys over HTTPS only.".to_owned(),
            AppError::SignInRequired => "Sign in first.".to_owned(),
            AppError::MissingPermission { permission } => format!(
                "You need the permission {permission}. An owner or admin of the organisation can grant it."
            ),
            AppError::CrossSite => "This request came from another site and was refused.".to_owned(),
            AppError::NotFound => "There is nothing here.".to_owned(),
            AppError::MethodNotAllowed { allow } => format!("Use {allow} here."),
            AppError::UriTooLong => "The address is too long. Send long lists in the body.".to_owned(),
            AppError::PayloadTooLarge { limit_bytes } => {
                format!("The body is larger than {} KiB.", limit_bytes / 1024)
            }
            AppError::UnsupportedMediaType => "Send the body as application/json.".to_owned(),
            AppError::InvalidJson { problem } => format!("The body is not what was expected: {problem}"),
            AppError::LimitReached { dimension, ceiling } => format!(
                "The plan allows {ceiling} {}. What exists stays; remove some or upgrade to add more.",
                dimension.as_str().replace('_', " ")
            ),
            AppError::PlanRequired { what } => format!("{what} come with the Standard and Pro plans."),
            AppError::Conflict { what } => (*what).to_owned(),
            AppError::Timeout => "The request took too long. Try again.".to_owned(),
            AppError::Overloaded => "The service is busy. Try again in a moment.".to_owned(),
            AppError::SteamNotConfigured => {
                "This installation has no key for Steam's Web API. Its operator can set steam.api_key.".to_owned()
            }
            AppError::SteamUnavailable => {
                "Steam told nothing: it is not reachable, or the profiles asked for are private. Try again later."
                    .to_owned()
            }
            AppError::StorageUnavailable(_) => {
                "The change could not be stored. Try again in a moment.".to_owned()
            }
            AppError::Internal(_) => {
                "Something went wrong on our side. The request id helps us find it.".to_owned()
            }
        }
    }

    /// Seconds after which a retry makes sense, when it does.
    pub fn retry_after_s(&self) -> Option<i64> {
        match self {
            AppError::RateLimited { retry_after_ms } => Some(seconds(*retry_after_ms)),
            AppError::Overloaded | AppError::Timeout => Some(1),
            AppError::ProviderSilent { .. } => Some(30),
            AppError::RelinkTooSoon { wait_ms } => Some(seconds(*wait_ms)),
            AppError::StorageUnavailable(_) => Some(5),
            AppError::SteamUnavailable => Some(30),
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
            | AppError::SignInRequired
            | AppError::MissingPermission { .. }
            | AppError::CrossSite
            | AppError::NotFound
            | AppError::MethodNotAllowed { .. }
            | AppError::UriTooLong
            | AppError::PayloadTooLarge { .. }
            | AppError::UnsupportedMediaType
            | AppError::InvalidJson { .. }
            | AppError::LimitReached { .. }
            | AppError::PlanRequired { .. }
            | AppError::Conflict { .. }
            | AppError::SteamNotConfigured
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
                | AppError::SteamUnavailable
                | AppError::ProviderSilent { .. }
                | AppError::SignInNotConfigured { .. }
        );
        self.status() >= 500 && !of_others
    }

    /// For logs and the error log; free of secrets because keys are cut to their prefix.
    pub fn internal_detail(&self) -> String {
        domain::key::redact(&self.to_string()).into_owned()
    }
}

const BLOCKED: &str = "This account or network cannot sign in here. Ask the staff of the community if you think that is a mistake.";
const SIGN_IN_EXPIRED: &str =
    "This sign-in is over, or belongs to another browser. Open the page again and start anew.";
const SIGN_IN_CANCELLED: &str = "You did not finish signing in. Open the page again when you want to.";

fn silent(provider: Provider) -> String {
    let name = titled(provider);
    format!("{name} does not answer right now. Nothing was changed; try again in a minute.")
}

fn not_set_up(provider: Provider) -> String {
    format!(
        "Signing in with {} is not set up on this instance.",
        titled(provider)
    )
}

fn relink_later(wait_ms: i64) -> String {
    let wait = waiting_time(wait_ms);
    format!("You changed your linked account a short while ago. You can do so again in {wait}.")
}

fn titled(provider: Provider) -> &'static str {
    match provider {
        Provider::Discord => "Discord",
        Provider::Steam => "Steam",
    }
}

/// Rounded up to what a person would say.
fn waiting_time(ms: i64) -> String {
    let minutes = (ms + 59_999).div_euclid(60_000).max(1);
    match minutes {
        1 => "a minute".to_owned(),
        2..=119 => format!("{minutes} minutes"),
        120..=2879 => format!("{} hours", (minutes + 59) / 60),
        _ => format!("{} days", (minutes + 1439) / 1440),
    }
}

fn seconds(ms: i64) -> i64 {
    (ms + 999).div_euclid(1000).max(1)
}

impl From<DbError> for AppError {
    fn from(error: DbError) -> Self {
        match error {
            DbError::Overloaded => AppError::Overloaded,
            DbError::Unavailable(text) | DbError::Repeat(text) => AppError::StorageUnavailable(text),
            DbError::Constraint(..) | DbError::Panicked(_) | DbError::Waited(_) | DbError::Bug(_) => {
                AppError::Internal(error.to_string())
            }
        }
    }
}
