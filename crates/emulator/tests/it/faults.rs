//! Things that go wrong on demand.

use std::time::Duration;

use emulator::{Fault, FaultKind};
use serde_json::json;

use crate::support::{SteamTest, get, send, send_json, steam};

const ROUTE: &str = "GET /openid";

async fn ask(test: &SteamTest) -> std::io::Result<(u16, String)> {
    let reply = send("GET", &format!("{}/openid", test.steam.community_url()), &[], "").await?;
    Ok((reply.status, String::from_utf8_lossy(&reply.body).into_owned()))
}

#[tokio::test]
async fn refusals_have_their_status_and_end() {
    let test = steam().await;
    for (kind, status) in [("rate_limit", 429), ("error_500", 500), ("error_403", 403)] {
        let url = format!("{}/faults", test.steam.control_url());
        let fault = json!({"route": ROUTE, "fault": kind, "times": 1});
        let reply = send_json("POST", &url, &fault).await;
        assert_eq!(reply.status, 201);
        assert_eq!(reply.json(), json!([fault]));
        assert_eq!(ask(&test).await.unwrap().0, status);
        assert_eq!(ask(&test).await.unwrap().0, 200);
    }
}

#[tokio::test]
async fn a_fault_lasts_as_long_as_the_shared_clock_says() {
    let test = steam().await;
    test.steam
        .hub()
        .add_fault(Fault::new("*", FaultKind::Error500).seconds(60));
    assert_eq!(ask(&test).await.unwrap().0, 500);
    test.clock.advance_ms(60_000);
    assert_eq!(ask(&test).await.unwrap().0, 200);
}

#[tokio::test]
async fn a_dropped_connection_brings_no_answer() {
    let test = steam().await;
    test.steam
        .hub()
        .add_fault(Fault::new(ROUTE, FaultKind::Drop).times(1));
    assert!(ask(&test).await.is_err());
    assert_eq!(test.steam.hub().calls()[0].status, None);
    assert_eq!(ask(&test).await.unwrap().0, 200);
}

#[tokio::test]
async fn a_hanging_call_ends_when_faults_are_removed() {
    let test = steam().await;
    test.steam.hub().add_fault(Fault::new(ROUTE, FaultKind::Hang));
    let mut waiting = Box::pin(ask(&test));
    let arrived = async {
        while test.steam.hub().calls().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        _ = &mut waiting => panic!("it must hang"),
        () = arrived => {}
    }
    let early = tokio::time::timeout(Duration::from_millis(200), &mut waiting).await;
    assert!(early.is_err(), "it must hang");
    let url = format!("{}/faults", test.steam.control_url());
    assert_eq!(send("DELETE", &url, &[], "").await.unwrap().status, 204);
    assert!(waiting.await.is_err());
    assert_eq!(ask(&test).await.unwrap().0, 200);
}

#[tokio::test]
async fn a_slow_answer_is_the_right_one() {
    let test = steam().await;
    let right = ask(&test).await.unwrap();
    let mut fault = Fault::new(ROUTE, FaultKind::Slow).times(1);
    fault.delay_ms = Some(150);
    test.steam.hub().add_fault(fault);
    let begun = std::time::Instant::now();
    assert_eq!(ask(&test).await.unwrap(), right);
    assert!(begun.elapsed() >= Duration::from_millis(150));
}

#[tokio::test]
async fn a_slow_answer_comes_at_once_when_faults_are_removed() {
    let test = steam().await;
    let right = ask(&test).await.unwrap();
    let mut fault = Fault::new(ROUTE, FaultKind::Slow).times(1);
    fault.delay_ms = Some(600_000);
    test.steam.hub().add_fault(fault);
    let removed = async {
        while test.steam.hub().count(ROUTE) < 2 {
            tokio::task::yield_now().await;
        }
        test.steam.hub().remove_faults();
    };
    let (late, ()) = tokio::join!(ask(&test), removed);
    assert_eq!(late.unwrap(), right);
}

#[tokio::test]
async fn garbage_is_noise_or_any_answer_that_was_asked_for() {
    let test = steam().await;
    test.steam
        .hub()
        .add_fault(Fault::new(ROUTE, FaultKind::Garbage).times(1));
    let (status, noise) = ask(&test).await.unwrap();
    assert_eq!(status, 200);
    assert!(!noise.contains("XRDS"));
    test.steam
        .hub()
        .add_fault(Fault::answer(ROUTE, 302, "is_valid:true\n").header("location", "http://127.0.0.1:9/"));
    let reply = get(&format!("{}/openid", test.steam.community_url())).await;
    assert_eq!((reply.status, reply.text()), (302, "is_valid:true\n"));
    assert_eq!(reply.header("location"), Some("http://127.0.0.1:9/"));
}

#[tokio::test]
async fn a_fault_for_a_route_that_does_not_exist_is_refused_with_the_list_of_routes() {
    let test = steam().await;
    let url = format!("{}/faults", test.steam.control_url());
    let reply = send_json("POST", &url, &json!({"route": "GET /login", "fault": "drop"})).await;
    assert_eq!(reply.status, 400);
    assert!(
        reply.json()["message"]
            .as_str()
            .unwrap()
            .contains("POST /openid/login")
    );
    for wrong in [
        json!({"route": ROUTE, "fault": "explode"}),
        json!({"route": ROUTE, "fault": "drop", "time": 1}),
    ] {
        assert_eq!(send_json("POST", &url, &wrong).await.status, 400);
    }
    assert_eq!(get(&url).await.json(), json!([]));
}
