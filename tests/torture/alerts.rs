//! Storms of failures: operators are told within the caps, nothing grows, and the service goes on answering.

use app::memories::alerts::{AlertEnd, MOST_WAITING, Place};
use app::records::alerts;
use testkit::{both_databases, rounds};

use super::exports::private_kib_of;
use super::race::report;
use crate::records::alerts::{Ops, made_up, with_a_mistake};

/// Failures between two rounds of what nodes do every few seconds.
const A_FEW_SECONDS: usize = 500;

both_databases! {
    async fn a_storm_of_failures_stays_within_the_caps(engine) {
        let ops = Ops::start(engine).await;
        let page = with_a_mistake(&ops.test);
        let (equal, distinct) = (rounds(2_000, 100_000), rounds(600, 5_000));
        // What the first failure of all brings with it stays.
        assert_eq!(page.get("/docs/errors").await.status, 500);
        ops.flush().await;
        let before = private_kib_of("self");
        for number in 2..=equal {
            assert_eq!(page.get("/docs/errors").await.status, 500);
            assert!(ops.test.app.memories.alerts.len() <= 1, "equal ones are one entry");
            if number.is_multiple_of(A_FEW_SECONDS) {
                ops.flush().await;
                assert_eq!(page.get("/docs").await.text(), "fine");
            }
        }
        assert_eq!(ops.texts().len(), 1, "equal ones are told once");
        for number in 0..distinct {
            let app = if number % 2 == 0 { &ops.test.app } else { &ops.other };
            alerts::note(app, "INTERNAL", Place::Task(made_up(number)), None);
            assert!(app.memories.alerts.len() <= MOST_WAITING);
            if number.is_multiple_of(A_FEW_SECONDS) {
                ops.flush().await;
                assert_eq!(page.get("/docs").await.text(), "fine");
            }
        }
        ops.flush().await;
        let texts = ops.texts();
        let notices = texts.iter().filter(|(title, _)| title == "Too many alerts").count();
        assert_eq!((texts.len() - notices, notices), (20, 1), "{texts:?}");
        let became = |end| [&ops.test.app, &ops.other].map(|app| app.memories.alerts.counted(end)).iter().sum::<u64>();
        let (sent, repeated) = (became(AlertEnd::Sent), became(AlertEnd::Repeated));
        let (held, left_out) = (became(AlertEnd::Held), became(AlertEnd::LeftOut));
        assert_eq!((sent, became(AlertEnd::Failed)), (21, 0));
        // Each that was told stands for the first of its kind; the notice stands for none.
        assert_eq!((20 + repeated + held + left_out) as usize, equal + distinct, "every failure is accounted for");
        let taken = private_kib_of("self").saturating_sub(before);
        report(engine, &format!("alerts: {equal} equal and {distinct} distinct failures, {sent} messages, +{taken} KiB of memory"));
        ops.finish(engine).await;
    }
}
