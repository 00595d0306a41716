//! Answers that are given again to whoever repeats a request under the same key.

use std::collections::{HashMap, VecDeque};

use axum::body::Bytes;
use http::StatusCode;

const KEPT_MS: i64 = 24 * 60 * 60_000;
const MOST: usize = 50_000;

/// An answer that was given.
#[derive(Clone)]
pub struct Saved {
    pub status: StatusCode,
    pub body: Bytes,
    pub request: String,
}

#[derive(Default)]
pub struct Idempotency {
    answers: HashMap<String, (String, Saved)>,
    ages: VecDeque<(i64, String)>,
}

/// What is known of a key.
pub enum Known {
    No,
    Same(Saved),
    /// It was used with other parameters.
    Other,
}

impl Idempotency {
    /// `asked` is everything that must be the same the second time.
    pub fn find(&mut self, key: &str, asked: &str, now_ms: i64) -> Known {
        while let Some((at_ms, _)) = self.ages.front()
            && (now_ms - at_ms >= KEPT_MS || self.ages.len() > MOST)
        {
            if let Some((_, old)) = self.ages.pop_front() {
                self.answers.remove(&old);
            }
        }
        match self.answers.get(key) {
            None => Known::No,
            Some((before, saved)) if before == asked => Known::Same(saved.clone()),
            Some(_) => Known::Other,
        }
    }

    /// Requests that were refused before anything was done can be mended and sent again under the same key.
    pub fn save(&mut self, key: &str, asked: String, saved: Saved, now_ms: i64) {
        if saved.status.is_success() || saved.status == StatusCode::PAYMENT_REQUIRED {
            self.answers.insert(key.to_owned(), (asked, saved));
            self.ages.push_back((now_ms, key.to_owned()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_kept_for_a_day() {
        let mut known = Idempotency::default();
        let saved = |status| Saved {
            status,
            body: Bytes::new(),
            request: "req_1".to_owned(),
        };
        known.save("k", "a".to_owned(), saved(StatusCode::OK), 0);
        known.save("refused", "a".to_owned(), saved(StatusCode::BAD_REQUEST), 0);
        assert!(matches!(known.find("k", "a", KEPT_MS - 1), Known::Same(_)));
        assert!(matches!(known.find("k", "b", KEPT_MS - 1), Known::Other));
        assert!(matches!(known.find("refused", "a", 0), Known::No));
        assert!(matches!(known.find("k", "a", KEPT_MS), Known::No));
    }
}
