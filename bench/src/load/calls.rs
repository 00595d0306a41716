//! What is asked, and what the answer must be.

use std::sync::Arc;

use super::response::{Inbox, Parsed};
use crate::baseline;
use crate::data::{Dataset, TENANTS, discord_id, steam_id};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// The bytes of `findBySteam`, sent to the bare server.
    Baseline,
    FindBySteam,
    Count,
    /// A hundred players of one Guild at once, as a busy game server asks for them.
    SteamChecks,
    /// Ends a link.
    Remove,
    /// The page that players see, for somebody who has not begun.
    LinkPage,
}

/// Ids in one `steamChecks`.
const CHECKED: u64 = 100;
const PLACEHOLDER: &str = "76561197960265728";

impl Call {
    pub fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::FindBySteam => "findBySteam",
            Self::Count => "count",
            Self::SteamChecks => "steamChecks",
            Self::Remove => "remove",
            Self::LinkPage => "link page",
        }
    }
}

/// The requests of one kind of call, ready but for the Steam ids.
pub struct Calls {
    call: Call,
    /// One per tenant.
    requests: Vec<Vec<u8>>,
    /// Where the first Steam id goes; each further one is a comma away.
    ids_at: usize,
    ids: u64,
    links_per_guild: u64,
    count_body: Vec<u8>,
}

impl Calls {
    pub fn new(call: Call, data: &Dataset) -> Arc<Self> {
        let target = match call {
            Call::Baseline | Call::FindBySteam => "GET /api?action=findBySteam&id=",
            Call::Count => "GET /api?action=count",
            Call::SteamChecks => "GET /api?action=steamChecks&id=",
            Call::Remove => "GET /api?action=remove&id=",
            Call::LinkPage => "GET /link/guild-",
        };
        let ids = match call {
            Call::Baseline | Call::FindBySteam | Call::Remove => 1,
            Call::Count | Call::LinkPage => 0,
            Call::SteamChecks => CHECKED,
        };
        let list = vec![PLACEHOLDER; ids as usize].join(",");
        let request = |(number, key): (usize, &str)| {
            let guild = if call == Call::LinkPage {
                (number + 1).to_string()
            } else {
                String::new()
            };
            format!("{target}{list}{guild} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: {key}\r\n\r\n")
                .into_bytes()
        };
        Arc::new(Self {
            call,
            requests: data
                .tenants
                .iter()
                .map(|tenant| tenant.key.expose())
                .enumerate()
                .map(request)
                .collect(),
            ids_at: target.len(),
            ids,
            links_per_guild: data.links_per_guild,
            count_body: format!("{{\"Total\":{}}}", data.links_per_guild).into_bytes(),
        })
    }
}

/// One connection's way through the calls: the keys in turn, a random link of each key's own Guild.
pub struct Caller {
    calls: Arc<Calls>,
    tenant: u64,
    step: u64,
    link: u64,
    random: u64,
    request: Vec<u8>,
}

impl Caller {
    /// Caller number `number` of `callers`, which between them use all keys evenly.
    pub fn new(calls: &Arc<Calls>, number: u64, callers: u64) -> Self {
        Self {
            calls: Arc::clone(calls),
            tenant: number,
            step: callers,
            link: 0,
            random: (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15),
            request: Vec::new(),
        }
    }

    /// The next request.
    pub fn prepare(&mut self) -> &[u8] {
        self.tenant = (self.tenant + self.step) % TENANTS;
        let calls = &self.calls;
        self.request.clear();
        self.request
            .extend_from_slice(&calls.requests[self.tenant as usize]);
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let first = self.tenant * calls.links_per_guild;
        self.link = first + self.random % calls.links_per_guild;
        for number in 0..calls.ids {
            // Spread over the Guild, and never the same one twice.
            let step = number * calls.links_per_guild / calls.ids;
            let link = first + (self.link - first + step) % calls.links_per_guild;
            let at = calls.ids_at + number as usize * (PLACEHOLDER.len() + 1);
            write_digits(&mut self.request[at..at + PLACEHOLDER.len()], steam_id(link));
        }
        &self.request
    }

    /// Whether this answers the request prepared last.
    pub fn accepts(&self, answer: &Parsed, inbox: &Inbox) -> bool {
        let body = inbox.body(answer);
        answer.status == 200
            && match self.calls.call {
                Call::Baseline => body == baseline::BODY.as_bytes(),
                Call::Count => body == self.calls.count_body,
                Call::Remove => body == b"\"User Removed\"",
                Call::FindBySteam => is_quoted_number(body, discord_id(self.link)),
                Call::SteamChecks => is_all_true(body, steam_id(self.link)),
                Call::LinkPage => {
                    body.starts_with(b"<!doctype html>") && body.trim_ascii_end().ends_with(b"</html>")
                }
            }
    }
}

fn write_digits(place: &mut [u8], number: u64) {
    let mut rest = number;
    for digit in place.iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
}

/// `{"<id>":true,…}` for as many ids as were asked for, beginning with the first of them.
fn is_all_true(body: &[u8], first: u64) -> bool {
    let begins = body.starts_with(format!("{{\"{first}\":true").as_bytes());
    let entry = "\"76561197960265728\":true".len();
    begins && body.len() == 2 + CHECKED as usize * (entry + 1) - 1
}

fn is_quoted_number(body: &[u8], number: u64) -> bool {
    let inside = body.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
    let digits = |found: &[u8]| {
        found.iter().try_fold(0_u64, |value, byte| {
            byte.is_ascii_digit().then(|| value * 10 + u64::from(byte - b'0'))
        })
    };
    inside.is_some_and(|found| found.len() == 18 && digits(found) == Some(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_asks_for_a_link_of_its_own_guild() {
        let data = Dataset::new(10_000);
        let calls = Calls::new(Call::FindBySteam, &data);
        let mut caller = Caller::new(&calls, 3, 64);
        for turn in 1..=200 {
            let text = String::from_utf8(caller.prepare().to_vec()).unwrap();
            let tenant = (3 + 64 * turn) % TENANTS;
            assert_eq!(caller.link / data.links_per_guild, tenant);
            assert!(text.contains(data.tenants[tenant as usize].key.expose()));
            assert!(text.starts_with(&format!(
                "GET /api?action=findBySteam&id={} HTTP/1.1\r\n",
                steam_id(caller.link)
            )));
        }
    }

    #[test]
    fn a_hundred_checks_are_a_hundred_links_of_one_guild() {
        let data = Dataset::new(1_000_000);
        let calls = Calls::new(Call::SteamChecks, &data);
        let text = String::from_utf8(Caller::new(&calls, 0, 64).prepare().to_vec()).unwrap();
        let list = text.split("id=").nth(1).unwrap().split(' ').next().unwrap();
        let guild = 64 * data.links_per_guild;
        let known: Vec<String> = (guild..guild + data.links_per_guild)
            .map(|link| steam_id(link).to_string())
            .collect();
        let asked: std::collections::HashSet<&str> = list.split(',').collect();
        assert_eq!(asked.len(), 100);
        assert!(asked.iter().all(|id| known.iter().any(|link| link == id)));
    }

    #[test]
    fn one_false_among_the_checks_is_not_accepted() {
        let entry = |id: u64, linked: bool| format!("\"{}\":{linked}", 76_561_197_960_265_728 + id);
        let body = |last: bool| {
            let entries: Vec<String> = (0..100).map(|id| entry(id, id < 99 || last)).collect();
            format!("{{{}}}", entries.join(","))
        };
        assert!(is_all_true(body(true).as_bytes(), 76_561_197_960_265_728));
        assert!(!is_all_true(body(false).as_bytes(), 76_561_197_960_265_728));
        assert!(!is_all_true(body(true).as_bytes(), 76_561_197_960_265_729));
    }

    #[test]
    fn all_keys_are_used_evenly() {
        let data = Dataset::new(10_000);
        let calls = Calls::new(Call::Count, &data);
        let mut uses = vec![0; TENANTS as usize];
        for number in 0..64 {
            let mut caller = Caller::new(&calls, number, 64);
            for _ in 0..TENANTS {
                caller.prepare();
                uses[caller.tenant as usize] += 1;
            }
        }
        assert!(uses.iter().all(|count| (48..=80).contains(count)), "{uses:?}");
    }

    #[test]
    fn only_the_linked_id_is_accepted() {
        let number = discord_id(5);
        assert!(is_quoted_number(format!("\"{number}\"").as_bytes(), number));
        for wrong in [
            format!("\"{}\"", number + 1),
            number.to_string(),
            format!("\"0{number}\""),
        ] {
            assert!(!is_quoted_number(wrong.as_bytes(), number), "{wrong}");
        }
    }
}
