//! When something was last done for each Guild, for what a person may do only now and then.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use storage::GuildNum;

/// When there are more Guilds than this, those whose time is over are forgotten.
const MANY: usize = 1_000;

/// Times are those of the steady clock.
#[derive(Default)]
pub struct Lately {
    at_ms: Mutex<HashMap<GuildNum, i64>>,
}

impl Lately {
    /// Notes that it is done now, or tells how long to wait until it may be.
    pub fn take(&self, guild: GuildNum, every_ms: i64, steady_ms: i64) -> Result<(), i64> {
        let mut at_ms = self.at_ms.lock().unwrap_or_else(PoisonError::into_inner);
        if at_ms.len() >= MANY {
            at_ms.retain(|_, at_ms| steady_ms - *at_ms < every_ms);
        }
        match at_ms.get(&guild) {
            Some(last_ms) if steady_ms - last_ms < every_ms => Err(every_ms - (steady_ms - last_ms)),
            Some(_) | None => {
                at_ms.insert(guild, steady_ms);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_guild_has_its_turn_now_and_then() {
        let lately = Lately::default();
        let (one, other) = (GuildNum(1), GuildNum(2));
        assert_eq!(lately.take(one, 10, 100), Ok(()));
        assert_eq!(lately.take(one, 10, 104), Err(6));
        assert_eq!(lately.take(other, 10, 104), Ok(()));
        assert_eq!(lately.take(one, 10, 110), Ok(()));
    }

    #[test]
    fn what_is_over_is_forgotten() {
        let lately = Lately::default();
        for number in 0..2 * MANY as i64 {
            assert_eq!(lately.take(GuildNum(number), 1, number), Ok(()));
        }
        assert!(lately.at_ms.lock().unwrap().len() <= MANY);
    }
}
