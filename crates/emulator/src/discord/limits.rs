//! Rate limits: a bucket per token, route and major id, and one for all calls of a token.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{MatchedPath, RawPathParams, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{AUTHORIZATION, RETRY_AFTER};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::Inner;
use super::state::{Limits, Window};

const SECOND: i64 = 1_000;
/// When there are more buckets than this, those whose time is over are thrown away.
const MANY: usize = 4_096;
/// Answers to interactions are not held up by other calls.
const OUTSIDE_GLOBAL: [&str; 2] = ["/api/v10/interactions/", "/api/v10/webhooks/"];

#[derive(Default)]
pub struct Buckets(HashMap<String, Bucket>);

#[derive(Clone, Copy)]
struct Bucket {
    used: u32,
    resets_ms: i64,
}

/// Where a bucket stands after a call.
#[derive(Debug, PartialEq)]
struct Standing {
    limit: u32,
    remaining: u32,
    resets_ms: i64,
    passed: bool,
}

impl Buckets {
    fn take(&mut self, name: &str, window: Window, now_ms: i64) -> Standing {
        if self.0.len() > MANY {
            self.0.retain(|_, bucket| bucket.resets_ms > now_ms);
        }
        let fresh = Bucket {
            used: 0,
            resets_ms: now_ms + window.window_ms,
        };
        let bucket = self.0.entry(name.to_owned()).or_insert(fresh);
        if bucket.resets_ms <= now_ms {
            *bucket = fresh;
        }
        let passed = bucket.used < window.limit;
        if passed {
            bucket.used += 1;
        }
        Standing {
            limit: window.limit,
            remaining: window.limit.saturating_sub(bucket.used),
            resets_ms: bucket.resets_ms,
            passed,
        }
    }
}

/// What Discord lets through on the routes that matter; the others are bounded by the global limit only.
fn usual(route: &str) -> Window {
    let window = |limit, window_ms| Window { limit, window_ms };
    match route {
        "POST /api/v10/channels/{channel}/messages" => window(5, 5 * SECOND),
        "PUT /api/v10/guilds/{guild}/members/{user}/roles/{role}"
        | "DELETE /api/v10/guilds/{guild}/members/{user}/roles/{role}"
        | "PATCH /api/v10/guilds/{guild}/members/{user}"
        | "PUT /api/v10/guilds/{guild}/members/{user}" => window(10, 10 * SECOND),
        "PUT /api/v10/applications/{application}/guilds/{guild}/commands"
        | "PUT /api/v10/applications/{application}/commands" => window(5, 20 * SECOND),
        "GET /api/v10/users/@me/guilds" => window(1, SECOND),
        _ => window(50, SECOND),
    }
}

fn window(limits: &Limits, route: &str) -> Window {
    limits.routes.get(route).copied().unwrap_or_else(|| usual(route))
}

pub async fn pass(
    State(inner): State<Arc<Inner>>,
    path: MatchedPath,
    ids: RawPathParams,
    request: Request,
    next: Next,
) -> Response {
    let route = format!("{} {}", request.method(), path.as_str());
    let token = request
        .headers()
        .get(AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let major = ids
        .iter()
        .find(|(name, _)| matches!(*name, "guild" | "channel" | "application" | "id"));
    let name = format!("{route} {} {token}", major.map_or("", |(_, id)| id));
    let now_ms = inner.hub.now_ms();
    let (standing, global) = {
        let mut world = inner.world();
        let world = &mut *world;
        let limits = &world.state.limits;
        if !limits.enforced {
            let unlimited = Window {
                limit: u32::MAX,
                window_ms: SECOND,
            };
            (Buckets::default().take(&name, unlimited, now_ms), None)
        } else {
            let all = Window {
                limit: limits.global_per_second,
                window_ms: SECOND,
            };
            let counted = !OUTSIDE_GLOBAL
                .iter()
                .any(|prefix| path.as_str().starts_with(prefix));
            let global = counted.then(|| world.buckets.take(&format!("* {token}"), all, now_ms));
            let own = window(limits, &route);
            (
                world.buckets.take(&name, own, now_ms),
                global.filter(|global| !global.passed),
            )
        }
    };
    let bucket = bucket_id(&route);
    if let Some(global) = global {
        return exceeded(&global, &bucket, now_ms, true);
    }
    if !standing.passed {
        return exceeded(&standing, &bucket, now_ms, false);
    }
    let mut response = next.run(request).await;
    describe(response.headers_mut(), &standing, &bucket, now_ms);
    response
}

/// A name for the bucket that says nothing, like Discord's.
fn bucket_id(route: &str) -> String {
    Sha256::digest(route.as_bytes())
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn exceeded(standing: &Standing, bucket: &str, now_ms: i64, global: bool) -> Response {
    let wait_ms = (standing.resets_ms - now_ms).max(1);
    let mut response = refusal(seconds(wait_ms), wait_ms, global);
    if global {
        response
            .headers_mut()
            .insert("x-ratelimit-global", HeaderValue::from_static("true"));
    } else {
        describe(response.headers_mut(), standing, bucket, now_ms);
    }
    response
}

fn seconds(ms: i64) -> f64 {
    // Milliseconds of a wait are few enough for a float to hold.
    ms as f64 / 1_000.0
}

/// What a caller reads who asked too often.
pub fn refusal(retry_after: f64, wait_ms: i64, global: bool) -> Response {
    let body =
        json!({"message": "You are being rate limited.", "retry_after": retry_after, "global": global});
    let scope = if global { "global" } else { "user" };
    let headers = [
        (RETRY_AFTER, ((wait_ms + SECOND - 1) / SECOND).to_string()),
        (HeaderName::from_static("x-ratelimit-scope"), scope.to_owned()),
    ];
    (StatusCode::TOO_MANY_REQUESTS, headers, Json(body)).into_response()
}

fn describe(headers: &mut HeaderMap, standing: &Standing, bucket: &str, now_ms: i64) {
    let after = seconds((standing.resets_ms - now_ms).max(0));
    for (name, value) in [
        ("x-ratelimit-limit", standing.limit.to_string()),
        ("x-ratelimit-remaining", standing.remaining.to_string()),
        ("x-ratelimit-reset", format!("{:.3}", seconds(standing.resets_ms))),
        ("x-ratelimit-reset-after", format!("{after:.3}")),
        ("x-ratelimit-bucket", bucket.to_owned()),
    ] {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_full_until_its_time_is_over() {
        let mut buckets = Buckets::default();
        let window = Window {
            limit: 2,
            window_ms: 100,
        };
        let mut passed = |name: &str, now_ms| buckets.take(name, window, now_ms).passed;
        assert_eq!(
            [passed("a", 0), passed("a", 50), passed("a", 99)],
            [true, true, false]
        );
        assert!(passed("b", 99));
        assert_eq!(
            [passed("a", 100), passed("a", 100), passed("a", 100)],
            [true, true, false]
        );
    }
}
