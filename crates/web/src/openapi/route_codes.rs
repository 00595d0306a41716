//! Which codes a route can answer with.

use http::Method;

use crate::layers::Surface;
use crate::routes::{Access, RouteAnswer, RouteSpec};

/// What can go wrong on the way through the link pages.
const SIGN_IN_CODES: [&str; 19] = [
    "SIGN_IN_REQUIRED",
    "SIGN_IN_CANCELLED",
    "OTHER_ACCOUNT",
    "SIGN_IN_EXPIRED",
    "SIGN_IN_NOT_CONFIGURED",
    "PROVIDER_SILENT",
    "PROVIDER_MISCONFIGURED",
    "BLOCKED",
    "BLOCKED_PERSON",
    "CROSS_SITE",
    "LIMIT_REACHED",
    "RELINK_TOO_SOON",
    "RATE_LIMITED",
    "UNSUPPORTED_MEDIA_TYPE",
    "PAYLOAD_TOO_LARGE",
    "TIMEOUT",
    "OVERLOADED",
    "STORAGE_UNAVAILABLE",
    "OUTCOME_UNKNOWN",
];

/// The codes that a route can answer with, by what it is.
pub fn route_codes(route: &RouteSpec) -> Vec<&'static str> {
    let mut codes = vec!["URI_TOO_LONG", "INTERNAL"];
    match route.access {
        Access::Public | Access::PluginKey => {
            add_public(&mut codes, route);
            return codes;
        }
        Access::Owner(_) => codes.extend(["OWNER_ONLY", "SIGN_IN_AGAIN", "MISSING_PERMISSION"]),
        Access::Permission(_) => codes.push("MISSING_PERMISSION"),
        Access::SignedIn | Access::Member => {
            codes.push("OWNER_STAYS");
            if (route.method.as_str(), route.path) == ("DELETE", "/account") {
                codes.extend(["OWNS_ORGS", "SIGN_IN_AGAIN"]);
            }
        }
        Access::Operator => {
            if route.fresh {
                codes.push("SIGN_IN_AGAIN");
            }
        }
        Access::Bot => {
            add_of_bots(&mut codes, route);
            return codes;
        }
        Access::Sender => {
            codes.extend(["INVALID_PARAMETER", "PAYLOAD_TOO_LARGE", "TIMEOUT"]);
            codes.extend(["RATE_LIMITED", "OVERLOADED", "STORAGE_UNAVAILABLE"]);
            return codes;
        }
    }
    if route.surface.closes_for_maintenance() {
        codes.push("MAINTENANCE");
    }
    codes.extend([
        "SIGN_IN_REQUIRED",
        "NOT_FOUND",
        "TIMEOUT",
        "RATE_LIMITED",
        "STORAGE_UNAVAILABLE",
    ]);
    if route.method != Method::GET {
        codes.extend(["CROSS_SITE", "UNSUPPORTED_MEDIA_TYPE", "CONFLICT", "OVERLOADED"]);
        codes.push("OUTCOME_UNKNOWN");
    }
    add_of_input(&mut codes, route);
    codes
}

/// At what bots call.
fn add_of_bots(codes: &mut Vec<&'static str>, route: &RouteSpec) {
    codes.extend([
        "UNAUTHORIZED",
        "INVALID_PARAMETER",
        "TLS_REQUIRED",
        "RATE_LIMITED",
    ]);
    codes.extend([
        "BOT_MISMATCH",
        "STORAGE_UNAVAILABLE",
        "OVERLOADED",
        "OUTCOME_UNKNOWN",
    ]);
    if route.takes.is_some() {
        codes.extend([
            "INVALID_JSON",
            "UNSUPPORTED_MEDIA_TYPE",
            "PAYLOAD_TOO_LARGE",
            "TIMEOUT",
        ]);
    }
    if matches!(route.path, "/bot/session" | "/bot/identify") {
        codes.push("BOT_RUNS_TWICE");
    }
    if route.path == "/bot/identify" {
        codes.push("IDENTIFY_BUDGET");
    }
}

/// At what anyone may open.
fn add_public(codes: &mut Vec<&'static str>, route: &RouteSpec) {
    if route.path.starts_with("/download/") {
        codes.extend(["NOT_FOUND", "OVERLOADED", "RANGE_NOT_SATISFIABLE"]);
    }
    if route.path == "/readyz" {
        codes.push("STORAGE_UNAVAILABLE");
    }
    if route.path.contains('{') || matches!(route.answer, RouteAnswer::SeeOther | RouteAnswer::Asset) {
        codes.push("NOT_FOUND");
    }
    if matches!(route.answer, RouteAnswer::SeeOther) {
        codes.extend(SIGN_IN_CODES);
    }
    if matches!(route.surface, Surface::DashboardPage | Surface::AdminPage) {
        codes.extend(["DASHBOARD_NOT_BUILT", "RATE_LIMITED", "STORAGE_UNAVAILABLE"]);
    }
    if route.surface.closes_for_maintenance() {
        codes.push("MAINTENANCE");
    }
}

/// By what is read, and what comes of it.
fn add_of_input(codes: &mut Vec<&'static str>, route: &RouteSpec) {
    if route.takes.is_some() {
        codes.extend(["INVALID_JSON", "INVALID_PARAMETER", "PAYLOAD_TOO_LARGE"]);
    }
    if route.takes.is_some() || matches!(route.answer, RouteAnswer::Json(201, _)) {
        codes.extend(["LIMIT_REACHED", "PLAN_REQUIRED", "REGISTRATION_CLOSED"]);
        codes.extend(["NOT_YOUR_GUILD", "BOT_ABSENT", "CANNOT_GRANT", "RANK_TOO_LOW"]);
        codes.extend([
            "PROVIDER_SILENT",
            "PROVIDER_MISCONFIGURED",
            "SIGN_IN_NOT_CONFIGURED",
            "STEAM_UNAVAILABLE",
            "STEAM_NOT_CONFIGURED",
        ]);
    }
    if route.path.contains("{server}/roles") && route.takes.is_some() {
        codes.extend([
            "MAPPING_TWICE",
            "MAPPING_RING",
            "ROLE_TOO_POWERFUL",
            "RULE_LEADS_TO_POWER",
            "DRY_RUNS_RUNNING",
        ]);
    }
    if route.path.ends_with("/users/unlink") && route.takes.is_some() {
        codes.extend(["TOO_MANY_USERS", "UNLINK_RUNNING"]);
    }
    add_of_files(codes, route);
    add_of_billing(codes, route);
    if route.path.ends_with("/cleanup/run") {
        codes.push("CLEANUP_OFF");
    }
    if route.path.ends_with("/trust/simulate") || route.path.ends_with("/cleanup/preview") {
        codes.push("SIMULATIONS_RUNNING");
    }
    if [Method::PUT, Method::PATCH].contains(&route.method) {
        codes.push("CHANGED_MEANWHILE");
    }
    if !route.asks.is_empty() {
        codes.push("INVALID_PARAMETER");
    }
    if route.repeatable {
        codes.push("IDEMPOTENCY_KEY_REUSED");
    }
    if matches!(route.answer, RouteAnswer::File) {
        codes.push("EXPORTS_RUNNING");
    }
    if route.path.contains("{account}") {
        codes.push("RANK_TOO_LOW");
    }
}

/// Of files that are sent, and what becomes of them.
fn add_of_files(codes: &mut Vec<&'static str>, route: &RouteSpec) {
    if route.takes_file && route.access == Access::Operator {
        codes.extend(["PAYLOAD_TOO_LARGE", "INVALID_JSON"]);
    } else if route.takes_file {
        codes.extend(["FILE_TOO_LARGE", "FILE_UNREADABLE", "FEATURE_OFF"]);
        codes.extend(["IMPORT_RUNNING", "UPLOADS_RUNNING", "INVALID_JSON"]);
    }
    if route.path == "/orgs/{org}/imports/{import}/start" {
        codes.push("FEATURE_OFF");
    }
}

/// Of what is bought, and of what cannot go while it is.
fn add_of_billing(codes: &mut Vec<&'static str>, route: &RouteSpec) {
    if route.path.ends_with("/bot/token") {
        codes.extend([
            "BOT_NOT_SUBSCRIBED",
            "BOTS_NOT_SET_UP",
            "BOT_TOKEN_REJECTED",
            "BOT_IN_USE",
        ]);
        codes.extend(["BOT_OTHER_IDENTITY", "CHANGED_MEANWHILE", "SIGN_IN_AGAIN"]);
    }
    if route.path.ends_with("/bot") && route.method == Method::DELETE {
        codes.push("SIGN_IN_AGAIN");
    }
    if route.path.contains("/billing/") {
        codes.push("BILLING_OFF");
        if route.path.ends_with("/checkout") || route.path.ends_with("/portal") {
            codes.extend([
                "USE_PORTAL",
                "NOTHING_BOUGHT",
                "BILLING_UNAVAILABLE",
                "BILLING_REFUSED",
            ]);
        }
    }
    let removes =
        route.method == Method::DELETE && matches!(route.path, "/orgs/{org}" | "/orgs/{org}/guilds/{guild}");
    if removes {
        codes.extend([
            "ACTIVE_SUBSCRIPTION",
            "BILLING_UNSETTLED",
            "BILLING_UNAVAILABLE",
            "BILLING_REFUSED",
        ]);
    }
}
