use std::sync::Arc;

use domain::clock::{Clock, TestClock};
use domain::quota::Purpose;

use super::*;
use crate::question::FORBIDDEN_MS;

const ASKED: Question<'_> = Question {
    route: "GET /test",
    about: None,
    purpose: Some(Purpose::Verify { org_num: 1 }),
    urgency: Urgency::Interactive,
    by_hand: false,
    patient: false,
};

#[test]
fn a_refused_call_spends_nothing_and_is_not_made() {
    let clock = Arc::new(TestClock::new(1_800_000_000_000));
    let guard = Guard::new("test", Arc::clone(&clock) as SharedClock).with_calls_per_day(40);
    for _ in 0..5 {
        drop(guard.admit(&ASKED).unwrap());
        guard.learn(&ASKED, Some(Unanswered::Timeout));
    }
    for _ in 0..100 {
        assert!(matches!(guard.admit(&ASKED), Err(Unanswered::Paused { .. })));
    }
    guard.learn(&ASKED, None);
    for _ in 0..5 {
        drop(guard.admit(&ASKED).unwrap());
    }
    let refused = guard.admit(&ASKED);
    assert!(matches!(refused, Err(Unanswered::OverQuota { retry_after_ms }) if retry_after_ms > 0));
}

#[tokio::test]
async fn every_call_is_counted_by_what_became_of_it() {
    let guard = Guard::new("test", Arc::new(TestClock::new(1_800_000_000_000))).with_calls_per_day(40);
    for outcome in [Ok(()), Ok(()), Err(Unanswered::Status(404))] {
        assert_eq!(guard.call(ASKED, async move { outcome }).await, outcome);
    }
    assert_eq!(
        (guard.standing().is_paused, guard.standing().today),
        (false, Some((3, 40)))
    );
    for _ in 0..6 {
        let silent = async { Err::<(), _>(Unanswered::Timeout) };
        assert!(guard.call(ASKED, silent).await.is_err());
    }
    let standing = guard.standing();
    let counted = [("answered", 2), ("paused", 1), ("status", 1), ("timeout", 5)];
    assert_eq!(
        (standing.calls, standing.is_paused, standing.today),
        (counted.to_vec(), true, Some((8, 40)))
    );
}

#[test]
fn without_a_daily_number_there_is_no_end() {
    let guard = Guard::new("test", Arc::new(TestClock::new(0)));
    for _ in 0..200_000 {
        drop(guard.admit(&ASKED).unwrap());
    }
}

#[test]
fn only_a_provider_that_fails_by_itself_opens_the_breaker() {
    let is_open = |cause: Unanswered| {
        let clock = Arc::new(TestClock::new(1_800_000_000_000));
        let guard = Guard::new("test", Arc::clone(&clock) as SharedClock);
        for _ in 0..20 {
            guard.learn(&ASKED, Some(cause));
        }
        let guild = DiscordId::parse("800000000000000001").unwrap();
        let other = Question::on("GET /other").about(2, &guild, None);
        matches!(guard.admit(&other), Err(Unanswered::Paused { .. }))
    };
    for cause in [
        Unanswered::Timeout,
        Unanswered::Unreachable,
        Unanswered::Status(500),
        Unanswered::Status(503),
    ] {
        assert!(is_open(cause), "{cause:?}");
    }
    let throttled = Unanswered::Throttled {
        retry_after_ms: 1_000,
        for_all: false,
    };
    let refusals = [400, 403, 404].map(Unanswered::Status);
    for cause in refusals.into_iter().chain([
        Unanswered::Refused,
        throttled,
        Unanswered::Personal(403),
        Unanswered::Unreadable,
    ]) {
        assert!(!is_open(cause), "{cause:?}");
    }
}

#[test]
fn setting_the_wall_clock_neither_opens_nor_shuts_anything() {
    let clock = Arc::new(TestClock::new(1_800_000_000_000));
    let guard = Guard::new("test", Arc::clone(&clock) as SharedClock);
    for _ in 0..5 {
        guard.learn(&ASKED, Some(Unanswered::Timeout));
    }
    let guild = DiscordId::parse("800000000000000001").unwrap();
    let refused = Question::on("GET /guild").about(2, &guild, None);
    guard.remember(&refused, Unanswered::Status(403), clock.steady_ms());
    let waits = || match (guard.admit(&ASKED), guard.admit(&refused)) {
        (
            Err(Unanswered::Paused {
                retry_after_ms: paused,
            }),
            Err(Unanswered::Remembered { retry_after_ms, .. }),
        ) => (paused, retry_after_ms),
        other => panic!("{:?} {:?}", other.0.err(), other.1.err()),
    };
    for set_by_ms in [-600_000, -3_000, 86_400_000] {
        clock.set_ms(clock.now_ms() + set_by_ms);
        assert_eq!(waits(), (PROBE_EVERY_MS, FORBIDDEN_MS));
    }
    clock.advance_ms(PROBE_EVERY_MS - 1);
    assert_eq!(waits(), (1, FORBIDDEN_MS - PROBE_EVERY_MS + 1));
    clock.set_ms(0);
    clock.advance_ms(1);
    assert!(guard.admit(&ASKED).is_ok());
}

#[test]
fn a_failure_is_told_once_in_ten_seconds_with_the_number_of_the_others() {
    let clock = Arc::new(TestClock::new(1_800_000_000_000));
    let guard = Guard::new("test", Arc::clone(&clock) as SharedClock);
    let told = || guard.turn_to_say("GET /test", Unanswered::Timeout);
    assert_eq!(told(), Some(0));
    assert_eq!((told(), told()), (None, None));
    assert_eq!(guard.turn_to_say("GET /other", Unanswered::Timeout), Some(0));
    clock.advance_ms(10_000);
    assert_eq!((told(), told()), (Some(2), None));
}

#[test]
fn our_clock_is_held_against_the_last_date_for_as_long_as_it_stands_wrong() {
    let clock = Arc::new(TestClock::new(1_800_000_000_000));
    let guard = Guard::new("test", Arc::clone(&clock) as SharedClock);
    let ahead_ms = || guard.standing().ahead_ms;
    assert_eq!(ahead_ms(), None, "nobody has answered");
    guard.state().date = Some((1_800_000_000_000, clock.steady_ms()));
    clock.advance_ms(3_600_000);
    assert_eq!(ahead_ms(), Some(0), "an hour passed for both");
    clock.set_ms(clock.now_ms() - 90_000);
    assert_eq!(ahead_ms(), Some(-90_000));
    clock.set_ms(clock.now_ms() + 390_000);
    assert_eq!(ahead_ms(), Some(300_000));
}
