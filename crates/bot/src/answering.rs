//! Somebody used a command or a button and has to hear something within three seconds.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::task::JoinSet;

use crate::heard::Interaction;
use crate::run::Core;

/// When the service takes longer, an answer is promised. Discord allows three seconds, and the promise travels too.
const PROMPT: Duration = Duration::from_millis(1_500);
/// Answers that are under way at once. Beyond that nobody would hear one in time.
const MOST: usize = 200;
const AWAY: &str = "Symbolon cannot answer right now. Try again in a minute.";

/// Answers that are under way.
#[derive(Default)]
pub struct Answers(JoinSet<()>);

impl Answers {
    pub fn begin(&mut self, core: &Arc<Core>, interaction: Interaction) {
        while self.0.try_join_next().is_some() {}
        if self.0.len() >= MOST {
            tracing::warn!("somebody was not answered: too many ask at once");
            return;
        }
        self.0.spawn(answer(Arc::clone(core), interaction));
    }

    /// Lets those finish that have begun, within this time.
    pub async fn finish(&mut self, within: Duration) {
        let all = async { while self.0.join_next().await.is_some() {} };
        drop(tokio::time::timeout(within, all).await);
    }
}

async fn answer(core: Arc<Core>, interaction: Interaction) {
    let mut asked = std::pin::pin!(core.service.ask(&interaction.asked));
    match tokio::time::timeout(PROMPT, &mut asked).await {
        Ok(answered) => {
            core.discord
                .reply(&interaction, answered.unwrap_or_else(|_| away()))
                .await
        }
        Err(_) => {
            // The question goes on while the promise travels.
            let ((), answered) = tokio::join!(core.discord.defer(&interaction), asked);
            let message = answered.unwrap_or_else(|_| away());
            core.discord.complete(&interaction, message).await;
        }
    }
}

fn away() -> Map<String, Value> {
    Map::from_iter([("content".to_owned(), AWAY.into())])
}
