//! When operators are told of a failure, and what they read.

use serde_json::{Value, json};

use crate::log_message::{escaped_up_to, utc};

/// A failure of one code at one place is told once in this time.
pub const QUIET_MS: i64 = 10 * 60_000;
/// So many alerts in an hour, whatever they are about.
pub const MOST_IN_AN_HOUR: usize = 20;
/// An alert that could not be sent for so long is given up. The error log has what it was about.
pub const WORTH_MS: i64 = HOUR_MS;
/// How long all are held back once there were too many.
pub const HOUR_MS: i64 = 60 * 60_000;
const RED: u32 = 0xE7_4C3C;
const AMBER: u32 = 0xF3_9C12;
/// Templates of routes are shorter.
const PLACE_CHARACTERS: usize = 200;

/// Whether a failure was told so lately that it is only counted. A clock that was set wrong silences nothing for longer.
pub fn is_quiet(told_ms: i64, now_ms: i64) -> bool {
    now_ms.abs_diff(told_ms) < QUIET_MS.unsigned_abs()
}

/// The alerts of the last hour, and whether they were too many.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    told_ms: Vec<i64>,
    open_until_ms: i64,
}

/// What becomes of a failure that is news.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is told.
    Tell,
    /// It is one too many: all are held back from now on, and that is told instead.
    Open { until_ms: i64 },
    /// It is counted.
    Hold,
}

impl Budget {
    /// From what was written down. What makes no sense there is left out.
    pub fn restore(told: &str, open_until_ms: i64) -> Self {
        let told_ms = told.split(',').filter_map(|time| time.parse().ok());
        Self {
            told_ms: told_ms.take(MOST_IN_AN_HOUR).collect(),
            open_until_ms,
        }
    }

    /// When the alerts of the last hour were told, to be written down.
    pub fn told(&self) -> String {
        let times: Vec<String> = self.told_ms.iter().map(i64::to_string).collect();
        times.join(",")
    }

    pub fn open_until_ms(&self) -> i64 {
        self.open_until_ms
    }

    /// Asks for one alert, and counts it if it may be told.
    pub fn ask(&mut self, now_ms: i64) -> Verdict {
        // Never held for longer than an hour, whatever a clock says.
        if (1..=HOUR_MS).contains(&(self.open_until_ms - now_ms)) {
            return Verdict::Hold;
        }
        self.told_ms
            .retain(|told_ms| now_ms.abs_diff(*told_ms) < HOUR_MS.unsigned_abs());
        if self.told_ms.len() < MOST_IN_AN_HOUR {
            self.told_ms.push(now_ms);
            return Verdict::Tell;
        }
        self.open_until_ms = now_ms + HOUR_MS;
        Verdict::Open {
            until_ms: self.open_until_ms,
        }
    }
}

/// Failures that are told in one message. It holds nothing that a caller sent, and nobody's data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told<'a> {
    /// The stable code of the failure.
    pub code: &'a str,
    /// The template of a route, or the name of a job or task.
    pub place: &'a str,
    /// How many there were since the last message about them.
    pub count: i64,
    /// The newest of them, for the error log.
    pub request_id: Option<&'a str>,
    /// When that was decided.
    pub at_ms: i64,
    /// The running release.
    pub version: &'a str,
    /// Where the error log is.
    pub log_url: &'a str,
}

impl Told<'_> {
    /// The message for Discord.
    pub fn message(&self) -> Value {
        let times = if self.count == 1 { "once" } else { "times" };
        let how_often = match self.count {
            1 => times.to_owned(),
            count => format!("{count} {times}"),
        };
        let place = escaped_up_to(self.place, PLACE_CHARACTERS);
        let mut lines = vec![format!("At {place}, {how_often}.")];
        if let Some(id) = self.request_id {
            lines.push(format!("Last request: {}", escaped_up_to(id, PLACE_CHARACTERS)));
        }
        lines.push(format!("[Error log]({})", self.log_url));
        let title = escaped_up_to(self.code, PLACE_CHARACTERS);
        message(&title, &lines.join("\n"), (RED, self.at_ms, self.version))
    }
}

/// Says once that further alerts are held back.
pub fn held_back(until_ms: i64, at_ms: i64, version: &str, log_url: &str) -> Value {
    let text = format!(
        "More than {MOST_IN_AN_HOUR} in an hour. Until <t:{}:t> nothing more is posted here. Everything is in the [error log]({log_url}).",
        until_ms.div_euclid(1_000)
    );
    message("Too many alerts", &text, (AMBER, at_ms, version))
}

fn message(title: &str, text: &str, (colour, at_ms, version): (u32, i64, &str)) -> Value {
    let footer = ["Symbolon ", version].concat();
    json!({
        "embeds": [{
            "title": title,
            "description": text,
            "color": colour,
            "timestamp": utc(at_ms),
            "footer": { "text": footer },
        }],
        "allowed_mentions": { "parse": [] },
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: i64 = 1_767_225_600_000;

    #[test]
    fn the_twenty_first_in_an_hour_opens_the_breaker_once_and_the_rest_is_held() {
        let mut budget = Budget::default();
        for number in 0..20 {
            assert_eq!(budget.ask(NOW + number), Verdict::Tell);
        }
        let until_ms = NOW + 20 + HOUR_MS;
        assert_eq!(budget.ask(NOW + 20), Verdict::Open { until_ms });
        for later in [21, 1_000, HOUR_MS - 1, HOUR_MS + 19] {
            assert_eq!(budget.ask(NOW + later), Verdict::Hold);
        }
        assert_eq!(budget.ask(until_ms), Verdict::Tell, "it closes by itself");
    }

    #[test]
    fn what_is_written_down_goes_on_where_it_was() {
        let mut budget = Budget::default();
        for number in 0..7 {
            budget.ask(NOW + number);
        }
        let restored = Budget::restore(&budget.told(), budget.open_until_ms());
        assert_eq!(restored, budget);
        assert_eq!(Budget::restore("", 0), Budget::default());
        assert_eq!(Budget::restore("x,,9e9", 0), Budget::default());
    }

    #[test]
    fn one_failure_is_told_once_in_ten_minutes() {
        assert!(is_quiet(NOW, NOW) && is_quiet(NOW, NOW + QUIET_MS - 1));
        assert!(!is_quiet(NOW, NOW + QUIET_MS) && !is_quiet(0, NOW));
        assert!(
            !is_quiet(NOW + HOUR_MS, NOW),
            "a clock that was ahead silences nothing"
        );
    }

    #[test]
    fn nothing_in_a_message_formats_mentions_or_links_but_our_own_link() {
        let told = Told {
            code: "IN_TERNAL",
            place: "@everyone [x](http://evil) `/orgs/{org}`",
            count: 3,
            request_id: Some("req_1"),
            at_ms: NOW,
            version: "v3.24.0",
            log_url: "https://x.example/app/admin/errors",
        };
        let message = told.message();
        let text = message["embeds"][0]["description"].as_str().unwrap();
        assert!(text.contains("\\@everyone \\[x\\]\\(http"), "{text}");
        assert!(text.contains("3 times") && text.contains("req\\_1"), "{text}");
        assert_eq!(message["embeds"][0]["title"], "IN\\_TERNAL");
        assert_eq!(message["allowed_mentions"]["parse"], json!([]));
        let once = Told { count: 1, ..told }.message();
        assert!(
            once["embeds"][0]["description"]
                .as_str()
                .unwrap()
                .contains(", once.")
        );
    }

    proptest! {
        #[test]
        fn no_hour_has_more_than_twenty(pauses in prop::collection::vec(0..400_000_i64, 1..400)) {
            let (mut budget, mut now_ms, mut told) = (Budget::default(), NOW, Vec::new());
            for pause in pauses {
                now_ms += pause;
                if budget.ask(now_ms) == Verdict::Tell {
                    told.push(now_ms);
                }
                budget = Budget::restore(&budget.told(), budget.open_until_ms());
            }
            for window in told.windows(MOST_IN_AN_HOUR + 1) {
                prop_assert!(window[MOST_IN_AN_HOUR] - window[0] >= HOUR_MS);
            }
        }
    }
}
