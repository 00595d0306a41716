//! A short id for every request: unique per process start, cheap to make.

use std::sync::atomic::{AtomicU64, Ordering};

use domain::random::{Random, bytes};
use http::HeaderValue;

const LENGTH: usize = 20;

/// Eight digits that name this start of the process, twelve that count.
#[derive(Debug, Clone, Copy)]
pub struct RequestId([u8; LENGTH]);

impl RequestId {
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    pub fn header(&self) -> HeaderValue {
        HeaderValue::from_bytes(&self.0).unwrap_or_else(|_| HeaderValue::from_static("0"))
    }
}

pub struct RequestIds {
    start: [u8; 4],
    next: AtomicU64,
}

impl RequestIds {
    pub fn new(random: &dyn Random) -> Self {
        Self {
            start: bytes(random),
            next: AtomicU64::new(1),
        }
    }

    pub fn next(&self) -> RequestId {
        let number = self.next.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        let mut text = [0; LENGTH];
        for (index, byte) in self.start.iter().chain(&number[2..]).enumerate() {
            text[2 * index] = digit(byte >> 4);
            text[2 * index + 1] = digit(byte & 15);
        }
        RequestId(text)
    }
}

fn digit(value: u8) -> u8 {
    b"0123456789abcdef"[usize::from(value & 15)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ_and_are_hexadecimal() {
        let ids = RequestIds::new(&domain::random::SeededRandom::new(1));
        let (one, two) = (ids.next(), ids.next());
        assert_ne!(one.as_str(), two.as_str());
        assert!(one.as_str().len() == LENGTH && one.as_str().bytes().all(|byte| byte.is_ascii_hexdigit()));
    }
}
