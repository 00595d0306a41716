//! Asking Discord where its gateway is, for as long as it takes.

use std::time::Duration;

use crate::backoff::Backoff;
use crate::discord::{Gateway, GatewayFacts};
use crate::http::Silence;
use crate::run::Core;

const FIRST: Duration = Duration::from_secs(5);
const LONGEST: Duration = Duration::from_secs(60);
/// After an answer that counts against this address: who collects those is shut out.
const SHUT_OUT: Duration = Duration::from_secs(10 * 60);

/// Asks until Discord answers; None when it does not know the token.
pub async fn gateway(core: &Core) -> Option<GatewayFacts> {
    let mut backoff = Backoff::new(FIRST, LONGEST);
    loop {
        let wait = match core.discord.gateway().await {
            Ok(Gateway::Open(facts)) => return Some(facts),
            Ok(Gateway::Rejected) => return None,
            Ok(Gateway::Later(wait)) => {
                core.unreachable(&Silence::Refused(429));
                wait.clamp(FIRST, SHUT_OUT)
            }
            Err(silence @ Silence::Refused(400..500)) => {
                core.unreachable(&silence);
                SHUT_OUT
            }
            Err(silence) => {
                core.unreachable(&silence);
                backoff.next()
            }
        };
        tokio::time::sleep(wait).await;
    }
}
