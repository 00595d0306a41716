//! What a caller reads about a failure.

use domain::flow::Provider;

use super::AppError;

impl AppError {
    /// What the caller reads: what happened and what to do. Never anything internal.
    pub fn public_message(&self) -> String {
        match self {
            AppError::Unauthorized => UNAUTHORIZED.to_owned(),
            AppError::KeyRevoked => "This key was revoked. Regenerate it in the dashboard.".to_owned(),
            AppError::ServerInactive => SERVER_INACTIVE.to_owned(),
            AppError::QueryKeyRefused => QUERY_KEY_REFUSED.to_owned(),
            AppError::RateLimited { retry_after_ms } => too_often(*retry_after_ms),
            AppError::ScopeMismatch { parameter } => format!("{parameter} does not belong to this key."),
            AppError::UnknownAction => "There is no such action. See /docs/api for the list.".to_owned(),
            AppError::PermissionDenied { action } => not_allowed(action),
            AppError::InvalidParameter { .. } => self.wrong_input(),
            AppError::TooManyIds { limit } => too_many_ids(*limit),
            AppError::BrowserRefused => BROWSER_REFUSED.to_owned(),
            AppError::Blocked => BLOCKED.to_owned(),
            AppError::SignInExpired => SIGN_IN_EXPIRED.to_owned(),
            AppError::SignInCancelled => SIGN_IN_CANCELLED.to_owned(),
            AppError::ProviderSilent { provider, .. } => silent(*provider),
            AppError::ProviderMisconfigured { provider, .. } => misconfigured(*provider),
            AppError::SignInNotConfigured { provider } => not_set_up(*provider),
            AppError::RelinkTooSoon { wait_ms } => relink_later(*wait_ms),
            AppError::TlsRequired => "Send keys over HTTPS only.".to_owned(),
            AppError::SignInRequired => "Sign in first.".to_owned(),
            AppError::MissingPermission { permission } => needed(permission),
            AppError::SignInAgain => SIGN_IN_AGAIN.to_owned(),
            AppError::OtherAccount => OTHER_ACCOUNT.to_owned(),
            AppError::OwnerOnly => "Only the owner of the organisation can do this.".to_owned(),
            AppError::OwnerStays => OWNER_STAYS.to_owned(),
            AppError::RegistrationClosed => REGISTRATION_CLOSED.to_owned(),
            AppError::NotYourGuild => NOT_YOUR_GUILD.to_owned(),
            AppError::BotAbsent { .. } => BOT_ABSENT.to_owned(),
            AppError::CannotGrant { permission } => not_held(permission),
            AppError::RankTooLow => RANK_TOO_LOW.to_owned(),
            AppError::InvalidRow { row, .. } => format!("Row {}, {}", row + 1, self.wrong_input()),
            AppError::DashboardNotBuilt => DASHBOARD_NOT_BUILT.to_owned(),
            AppError::Maintenance { message } => message.clone(),
            AppError::CrossSite => "This request came from another site and was refused.".to_owned(),
            AppError::NotFound => "There is nothing here.".to_owned(),
            AppError::MethodNotAllowed { allow } => format!("Use {allow} here."),
            AppError::BadRequest => BAD_REQUEST.to_owned(),
            AppError::HeadTooLarge => HEAD_TOO_LARGE.to_owned(),
            AppError::UriTooLong => "The address is too long. Send long lists in the body.".to_owned(),
            AppError::PayloadTooLarge { limit_bytes } => too_large(*limit_bytes),
            AppError::UnsupportedMediaType => "Send the body as application/json.".to_owned(),
            AppError::InvalidJson { problem } => format!("The body is not what was expected: {problem}"),
            AppError::LimitReached { dimension, ceiling } => over_plan(dimension.as_str(), *ceiling),
            AppError::PlanRequired { what } => format!("{what} come with the Standard and Pro plans."),
            AppError::Conflict { what } => (*what).to_owned(),
            AppError::IdempotencyKeyReused => IDEMPOTENCY_KEY_REUSED.to_owned(),
            AppError::ExportsRunning => EXPORTS_RUNNING.to_owned(),
            AppError::Timeout => "The request took too long. Try again.".to_owned(),
            AppError::Overloaded => "The service is busy. Try again in a moment.".to_owned(),
            AppError::SteamNotConfigured => STEAM_NOT_CONFIGURED.to_owned(),
            AppError::SteamUnavailable => STEAM_UNAVAILABLE.to_owned(),
            AppError::StorageUnavailable(_) => STORAGE_UNAVAILABLE.to_owned(),
            AppError::OutcomeUnknown(_) => OUTCOME_UNKNOWN.to_owned(),
            AppError::Internal(_) => INTERNAL.to_owned(),
        }
    }

    /// Which input is wrong, and how.
    fn wrong_input(&self) -> String {
        if let AppError::InvalidParameter { parameter, problem }
        | AppError::InvalidRow {
            parameter, problem, ..
        } = self
        {
            return format!("{parameter}: {problem}");
        }
        String::new()
    }
}

const UNAUTHORIZED: &str =
    "The key is missing or not valid. Send it in the X-API-Key header and check its value.";
const SERVER_INACTIVE: &str = "This server is switched off. Switch it on in the dashboard.";
const QUERY_KEY_REFUSED: &str =
    "This organisation does not take keys in the address. Send the key in the X-API-Key header.";
const BAD_REQUEST: &str =
    "The request could not be read as HTTP. A space or another sign in the address may need encoding.";
const HEAD_TOO_LARGE: &str =
    "Address and headers together are larger than 64 KiB, or there are too many headers.";
const BROWSER_REFUSED: &str =
    "A link or a page cannot run this action. Send the key in the X-API-Key header.";
const SIGN_IN_AGAIN: &str =
    "For this you need to have signed in within the last 15 minutes. Sign in again and repeat it.";
const OTHER_ACCOUNT: &str =
    "You are signed in to Discord as somebody else than here. Switch the account there and try again.";
const OWNER_STAYS: &str = "The owner cannot leave. Hand the organisation over to another member first.";
const REGISTRATION_CLOSED: &str =
    "New organisations need a registration code at the moment. Check the code, or ask the operator for one.";
const NOT_YOUR_GUILD: &str = "Discord did not show that you may manage this server. Look your servers up again, signed in as somebody with Manage Server.";
const BOT_ABSENT: &str = "Our bot is not in this Discord server. Add it, then try again.";
const RANK_TOO_LOW: &str = "This takes a higher role than yours. Ask the owner of the organisation.";
const DASHBOARD_NOT_BUILT: &str =
    "The dashboard is not built. Run `make ui` and start again. Link pages and the API work without it.";
const IDEMPOTENCY_KEY_REUSED: &str = "This Idempotency-Key was sent with another request within the last 24 hours. Send a new one with each new request.";
const EXPORTS_RUNNING: &str =
    "Two exports of this organisation are under way. Wait until one of them is finished, then try again.";
const STEAM_NOT_CONFIGURED: &str =
    "This installation has no key for Steam's Web API. Its operator can set steam.api_key.";
const STEAM_UNAVAILABLE: &str =
    "Steam told nothing: it is not reachable, or the profiles asked for are private. Try again later.";
const STORAGE_UNAVAILABLE: &str = "The change could not be stored. Try again in a moment.";
const OUTCOME_UNKNOWN: &str =
    "The database did not confirm the change. It may have been stored: look before you repeat it.";
const INTERNAL: &str = "Something went wrong on our side. The request id helps us find it.";
const BLOCKED: &str = "This account or network cannot sign in here. Ask the staff of the community if you think that is a mistake.";
const SIGN_IN_EXPIRED: &str =
    "This sign-in is over, or belongs to another browser. Open the page again and start anew.";
const SIGN_IN_CANCELLED: &str = "You did not finish signing in. Open the page again when you want to.";

fn too_many_ids(limit: u32) -> String {
    format!("Your plan allows {limit} ids per call. Send fewer at a time.")
}

fn too_often(retry_after_ms: i64) -> String {
    format!("Too many requests. Try again in {} s.", seconds(retry_after_ms))
}

fn not_allowed(action: &str) -> String {
    format!("This key may not call {action}. Adjust its permissions in the dashboard.")
}

fn needed(permission: &str) -> String {
    format!("You need the permission {permission}. An owner or admin of the organisation can grant it.")
}

fn too_large(limit_bytes: usize) -> String {
    format!("The body is larger than {} KiB.", limit_bytes / 1024)
}

fn over_plan(dimension: &str, ceiling: i64) -> String {
    let what = dimension.replace('_', " ");
    format!("The plan allows {ceiling} {what}. What exists stays; remove some or upgrade to add more.")
}

fn silent(provider: Provider) -> String {
    let name = titled(provider);
    format!("{name} does not answer right now. Nothing was changed; try again in a minute.")
}

fn misconfigured(provider: Provider) -> String {
    let name = titled(provider);
    format!(
        "{name} does not accept the credentials of this instance. Nothing was changed; its operator has to correct them."
    )
}

fn not_held(permission: &str) -> String {
    format!(
        "You do not hold {permission} yourself, so you cannot give it to others or change an invite that does."
    )
}

fn not_set_up(provider: Provider) -> String {
    format!(
        "Signing in with {} is not set up on this instance.",
        titled(provider)
    )
}

fn relink_later(wait_ms: i64) -> String {
    let wait = waiting_time(wait_ms);
    format!("You ended or changed your link a short while ago. You can link another account in {wait}.")
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

pub(super) fn seconds(ms: i64) -> i64 {
    (ms + 999).div_euclid(1000).max(1)
}
