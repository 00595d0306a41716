use proptest::prelude::*;

use super::Urgency::{Background, Interactive};
use super::*;

const NOW: i64 = 3_600_000;
const SEND: &str = "POST /channels/{channel}/messages";

fn told(limit: u32, remaining: u32, reset_after_ms: i64) -> RateHeaders {
    RateHeaders {
        bucket: "abc".to_owned(),
        limit,
        remaining,
        reset_after_ms,
    }
}

fn ask_and_end(pacing: &mut Pacing, key: &str, now_ms: i64) {
    let call = pacing.ask(key, now_ms);
    pacing.end(&call);
}

#[test]
fn an_empty_bucket_is_left_alone_until_it_is_full_again() {
    let mut pacing = Pacing::new(PER_SECOND);
    pacing.hear(SEND, "1", 0, told(5, 0, 4_000), NOW);
    let key = pacing.key(SEND, "1");
    assert_eq!(pacing.wait_ms(&key, Interactive, NOW), Some(4_000));
    assert_eq!(pacing.wait_ms(&key, Interactive, NOW + 3_999), Some(1));
    assert_eq!(pacing.wait_ms(&key, Interactive, NOW + 4_000), None);
    assert_eq!(pacing.wait_ms(&pacing.key(SEND, "2"), Interactive, NOW), None);
}

#[test]
fn calls_under_way_count_before_the_service_has_told_so() {
    let mut pacing = Pacing::new(PER_SECOND);
    pacing.hear(SEND, "1", 0, told(3, 2, 4_000), NOW);
    let key = pacing.key(SEND, "1");
    let first = pacing.ask(&key, NOW);
    assert_eq!(pacing.wait_ms(&key, Interactive, NOW), None);
    pacing.ask(&key, NOW);
    assert_eq!(pacing.wait_ms(&key, Interactive, NOW), Some(4_000));
    pacing.end(&first);
    let held = pacing.wait_ms(&key, Interactive, NOW);
    assert_eq!(held, Some(4_000), "nobody knows whether it was counted");
}

#[test]
fn the_first_call_of_a_bucket_goes_alone() {
    let mut pacing = Pacing::new(PER_SECOND);
    let key = pacing.key(SEND, "1");
    assert!(!pacing.awaits_first(&key));
    let first = pacing.ask(&key, NOW);
    assert!(pacing.awaits_first(&key));
    assert_eq!(pacing.wait_ms(&key, Background, NOW), Some(FIRST_MS));
    assert_eq!(pacing.wait_ms(&pacing.key(SEND, "2"), Background, NOW), None);
    for _ in 1..FEW {
        assert_eq!(pacing.wait_ms(&key, Interactive, NOW), None, "people are few");
        pacing.ask(&key, NOW);
    }
    assert_eq!(pacing.wait_ms(&key, Interactive, NOW), Some(FIRST_MS));
    pacing.hear(SEND, "1", first.window, told(5, 4, 4_000), NOW);
    pacing.end(&first);
    let key = pacing.key(SEND, "1");
    assert!(!pacing.awaits_first(&key));
    let held = pacing.wait_ms(&key, Background, NOW);
    assert!(held.is_some(), "three that are not told of yet take all but one");
    assert_eq!(pacing.wait_ms(&key, Interactive, NOW), None);
}

#[test]
fn a_first_call_without_an_answer_is_made_again() {
    let mut pacing = Pacing::new(PER_SECOND);
    let key = pacing.key(SEND, "1");
    ask_and_end(&mut pacing, &key, NOW);
    assert_eq!(pacing.wait_ms(&key, Background, NOW), None);
    pacing.hear(SEND, "1", 0, told(2, 0, 1_000), NOW);
    let key = pacing.key(SEND, "1");
    ask_and_end(&mut pacing, &key, NOW + 1_000);
    assert_eq!(
        pacing.wait_ms(&key, Background, NOW + 1_000),
        None,
        "or a window without answers would never end"
    );
}

#[test]
fn answers_that_come_late_do_not_fill_a_bucket() {
    let mut pacing = Pacing::new(PER_SECOND);
    pacing.hear(SEND, "1", 0, told(3, 3, 0), NOW);
    let key = pacing.key(SEND, "1");
    let calls = [0; 3].map(|_| pacing.ask(&key, NOW));
    for (call, remaining) in calls.iter().zip([0, 1, 2]) {
        pacing.hear(SEND, "1", call.window, told(3, remaining, 4_000), NOW);
        pacing.end(call);
    }
    assert_eq!(pacing.wait_ms(&key, Interactive, NOW), Some(4_000));
    let next = pacing.ask(&key, NOW + 4_000);
    pacing.hear(SEND, "1", calls[0].window, told(3, 0, 1), NOW + 4_000);
    assert_eq!(
        pacing.wait_ms(&key, Interactive, NOW + 4_000),
        None,
        "of the window before"
    );
    pacing.end(&next);
}

#[test]
fn a_call_under_way_is_counted_where_its_bucket_has_its_name() {
    let mut pacing = Pacing::new(PER_SECOND);
    let (one, two) = (pacing.key(SEND, "1"), pacing.key(SEND, "2"));
    let (first, second) = (pacing.ask(&one, NOW), pacing.ask(&two, NOW));
    pacing.hear(SEND, "1", first.window, told(5, 4, 4_000), NOW);
    let named = pacing.key(SEND, "2");
    assert_ne!(named, two);
    assert_eq!(pacing.wait_ms(&named, Background, NOW), Some(FIRST_MS));
    pacing.end(&second);
    assert_eq!(pacing.wait_ms(&named, Background, NOW), None);
}

#[test]
fn the_background_leaves_one_call_of_a_bucket_to_people() {
    let mut pacing = Pacing::new(PER_SECOND);
    pacing.hear(SEND, "1", 0, told(5, 1, 4_000), NOW);
    let key = pacing.key(SEND, "1");
    assert_eq!(pacing.wait_ms(&key, Background, NOW), Some(4_000));
    assert_eq!(pacing.wait_ms(&key, Interactive, NOW), None);
    pacing.hear(SEND, "1", 0, told(1, 1, 4_000), NOW);
    assert_eq!(
        pacing.wait_ms(&key, Background, NOW),
        None,
        "or nothing would ever be sent"
    );
}

#[test]
fn routes_of_one_bucket_share_it() {
    let mut pacing = Pacing::new(PER_SECOND);
    pacing.hear("PUT /a", "1", 0, told(5, 3, 4_000), NOW);
    pacing.hear("DELETE /a", "1", 0, told(5, 0, 4_000), NOW);
    let key = pacing.key("PUT /a", "1");
    assert_eq!(pacing.wait_ms(&key, Interactive, NOW), Some(4_000));
}

#[test]
fn the_background_leaves_a_tenth_of_the_budget_to_people() {
    let mut pacing = Pacing::new(PER_SECOND);
    let mut made = [0, 0];
    for (urgency, made) in [Background, Interactive].into_iter().zip(&mut made) {
        while pacing.wait_ms("a", urgency, NOW).is_none() {
            ask_and_end(&mut pacing, "a", NOW);
            *made += 1;
        }
    }
    assert_eq!(made, [12, 3]);
    assert_eq!(pacing.wait_ms("a", Interactive, NOW), Some(34));
    assert_eq!(pacing.wait_ms("a", Interactive, NOW + 34), None);
    assert_eq!(pacing.wait_ms("a", Background, NOW + 1_000), None);
}

#[test]
fn a_process_without_the_background_has_a_tenth() {
    let mut pacing = Pacing::new(PER_SECOND);
    pacing.lead(false);
    let mut made = 0;
    for ms in 0..10_000 {
        while pacing.wait_ms("a", Interactive, NOW + ms).is_none() {
            ask_and_end(&mut pacing, "a", NOW + ms);
            made += 1;
        }
    }
    assert_eq!(made, 15 + 29);
}

#[test]
fn what_is_over_is_forgotten() {
    let mut pacing = Pacing::new(u32::MAX);
    for number in 0..2 * MANY {
        pacing.hear(SEND, &number.to_string(), 0, told(5, 0, 1_000), NOW);
    }
    ask_and_end(&mut pacing, "a", NOW + 1_000);
    assert_eq!(pacing.buckets.len(), 1);
}

proptest! {
    #[test]
    fn no_second_has_as_many_calls_as_discord_counts(
        steps in prop::collection::vec((0..30_i64, any::<bool>()), 1..500),
    ) {
        let mut pacing = Pacing::new(PER_SECOND);
        let (mut now_ms, mut made) = (NOW, Vec::new());
        for (step, is_person) in steps {
            now_ms += step;
            let urgency = if is_person { Interactive } else { Background };
            match pacing.wait_ms("a", urgency, now_ms) {
                None => {
                    ask_and_end(&mut pacing, "a", now_ms);
                    made.push(now_ms);
                }
                Some(wait_ms) => prop_assert_eq!(pacing.wait_ms("a", urgency, now_ms + wait_ms), None),
            }
        }
        for from in &made {
            let within = made.iter().filter(|at| (*from..*from + 1_000).contains(*at)).count();
            prop_assert!(within < 50, "{within}");
        }
    }

    /// A service that counts in windows, reached over lines of which each is as slow as it likes.
    #[test]
    fn whatever_the_order_of_answers_no_bucket_is_asked_in_vain(
        limit in 1..12_u32,
        window_ms in 100..3_000_i64,
        delays in prop::collection::vec((0..400_i64, 0..400_i64), 50..100),
    ) {
        let mut pacing = Pacing::new(u32::MAX);
        let (mut service, mut delays) = (Service::new(limit, window_ms), delays.into_iter());
        let mut under_way: Vec<UnderWay> = Vec::new();
        let mut now_ms = NOW;
        while now_ms < NOW + 3_600_000 {
            for one in under_way.iter_mut().filter(|one| one.arrives_ms == now_ms) {
                one.told = service.count(now_ms);
                prop_assert!(one.told.is_some(), "asked in vain, {} calls before the end", delays.len());
            }
            for one in under_way.extract_if(.., |one| one.answered_ms == now_ms) {
                pacing.hear(SEND, "1", one.call.window, one.told.unwrap(), now_ms);
                pacing.end(&one.call);
            }
            let wait_ms = loop {
                let key = pacing.key(SEND, "1");
                match pacing.wait_ms(&key, Background, now_ms) {
                    Some(wait_ms) => break wait_ms,
                    None => {
                        let Some((there, back)) = delays.next() else { break i64::MAX - now_ms };
                        let (call, arrives_ms) = (pacing.ask(&key, now_ms), now_ms + 1 + there);
                        let answered_ms = arrives_ms + 1 + back;
                        under_way.push(UnderWay { call, arrives_ms, answered_ms, told: None });
                    }
                }
            };
            let times = under_way.iter().flat_map(|one| [one.arrives_ms, one.answered_ms]);
            let next = times.filter(|at_ms| *at_ms > now_ms).min();
            now_ms = next.unwrap_or(i64::MAX).min(now_ms + wait_ms);
        }
        prop_assert_eq!(delays.len(), 0, "it stood still");
    }
}

struct UnderWay {
    call: Call,
    arrives_ms: i64,
    answered_ms: i64,
    told: Option<RateHeaders>,
}

/// Counts as Discord does: a window begins with its first call.
struct Service {
    limit: u32,
    window_ms: i64,
    used: u32,
    resets_ms: i64,
}

impl Service {
    fn new(limit: u32, window_ms: i64) -> Self {
        Self {
            limit,
            window_ms,
            used: 0,
            resets_ms: 0,
        }
    }

    /// What the answer tells; none when it was one too many.
    fn count(&mut self, now_ms: i64) -> Option<RateHeaders> {
        if now_ms >= self.resets_ms {
            (self.used, self.resets_ms) = (0, now_ms + self.window_ms);
        }
        self.used += 1;
        let remaining = self.limit.checked_sub(self.used)?;
        Some(told(self.limit, remaining, self.resets_ms - now_ms))
    }
}
