//! Rate limits and their headers.

use emulator::{Fault, FaultKind};
use serde_json::{Value, json};

use super::world::{DiscordTest, LOG, discord};
use crate::support::Reply;

async fn enforced() -> DiscordTest {
    let test = discord().await;
    test.discord.change(|state| state.limits.enforced = true).unwrap();
    test
}

async fn say(test: &DiscordTest) -> Reply {
    test.bot(
        "POST",
        &format!("/channels/{LOG}/messages"),
        &json!({"content": "a"}),
    )
    .await
}

#[tokio::test]
async fn a_bucket_counts_down_refuses_and_fills_again() {
    let test = enforced().await;
    for remaining in ["4", "3", "2", "1", "0"] {
        let reply = say(&test).await;
        assert_eq!(reply.status, 200);
        assert_eq!(reply.header("x-ratelimit-remaining"), Some(remaining));
        assert_eq!(reply.header("x-ratelimit-limit"), Some("5"));
        assert_eq!(reply.header("x-ratelimit-reset-after"), Some("5.000"));
        assert_eq!(reply.header("x-ratelimit-bucket").map(str::len), Some(32));
    }
    test.clock.advance_ms(3_500);
    let refused = say(&test).await;
    assert_eq!(refused.status, 429);
    assert_eq!(refused.header("retry-after"), Some("2"));
    assert_eq!(refused.header("x-ratelimit-scope"), Some("user"));
    assert_eq!(refused.json()["retry_after"], 1.5);
    assert_eq!(refused.json()["global"], false);
    assert_eq!(test.discord.state().messages[&LOG].len(), 5);
    test.clock.advance_ms(1_500);
    assert_eq!(say(&test).await.status, 200);
}

#[tokio::test]
async fn all_calls_of_a_token_share_a_limit() {
    let test = enforced().await;
    test.discord
        .change(|state| state.limits.global_per_second = 3)
        .unwrap();
    for status in [200, 200, 200, 429] {
        assert_eq!(test.bot("GET", "/users/@me", &Value::Null).await.status, status);
    }
    let refused = say(&test).await;
    assert_eq!(refused.status, 429);
    assert_eq!(refused.header("x-ratelimit-global"), Some("true"));
    assert_eq!(refused.header("x-ratelimit-scope"), Some("global"));
    assert_eq!(refused.json()["global"], true);
}

#[tokio::test]
async fn a_refusal_on_demand_looks_like_a_real_one() {
    let test = discord().await;
    let route = "POST /api/v10/channels/{channel}/messages";
    test.discord
        .hub()
        .add_fault(Fault::new(route, FaultKind::RateLimit).times(1));
    let refused = say(&test).await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("1")));
    assert_eq!(refused.json()["retry_after"], 1.0);
    test.discord
        .hub()
        .add_fault(Fault::new(route, FaultKind::Error403).times(1));
    assert_eq!(say(&test).await.json()["code"], 50_001);
    assert_eq!(test.discord.hub().count(route), 2);
    assert!(test.discord.state().messages.is_empty());
}
