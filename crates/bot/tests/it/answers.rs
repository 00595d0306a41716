//! Somebody uses a command.

use std::sync::Arc;
use std::time::Duration;

use domain::clock::{Clock, SystemClock};
use emulator::discord::{CommandUse, ComponentUse, Disturbance, Interaction, Message, Snowflake, Use, What};
use serde_json::json;

use crate::world::{ADA, BOT, GUILD, LOG, World};

const PANEL: Snowflake = Snowflake(830_000_000_000_000_001);

fn link() -> What {
    What::Command(CommandUse {
        name: "link".to_owned(),
        options: Vec::new(),
    })
}

/// Ada uses something.
fn begin(world: &World, what: What) -> Interaction {
    let commands = json!([{"name": "link", "description": "Link", "id": "1", "type": 1}]);
    let prepared = world.discord.change(|state| {
        let application = state.applications.get_mut(&BOT).unwrap();
        application.commands = commands.as_array().unwrap().clone();
        let panel = Message {
            id: PANEL,
            author_id: BOT,
            components: vec![json!({"type": 1, "components": [{"type": 2, "style": 1, "label": "Verify", "custom_id": "verify"}]})],
            ..Message::default()
        };
        state.messages.insert(LOG, vec![panel]);
    });
    prepared.unwrap();
    let used = Use {
        application_id: BOT,
        guild_id: GUILD,
        channel_id: LOG,
        user_id: ADA,
        what,
    };
    world.discord.interact(&used).unwrap()
}

/// What Ada sees in the end. The emulator takes a first answer for three seconds only.
async fn answer(world: &World, what: What) -> Interaction {
    let begun = begin(world, what);
    let seen = || world.discord.interaction(begun.id).unwrap();
    let is_done = || seen().messages.iter().any(|message| !message.content.is_empty());
    world.until("an answer", is_done).await;
    seen()
}

#[tokio::test]
async fn a_command_is_answered_with_what_the_service_says() {
    let world = World::new().await;
    let _bot = world.online().await;
    let seen = answer(&world, link()).await;
    let callback = seen.callback.unwrap();
    assert_eq!(
        (&callback["type"], &callback["data"]["flags"]),
        (&json!(4), &json!(64))
    );
    assert_eq!(callback["data"]["allowed_mentions"], json!({"parse": []}));
    assert_eq!(seen.messages[0].content, "Your accounts are linked.");
    let asked = world.service.known().asked[0].clone();
    assert_eq!(asked["kind"], "command");
    assert_eq!(asked["name"], "link");
    assert_eq!(asked["user_id"], ADA.to_string());
    assert_eq!(asked["discord_guild_id"], GUILD.to_string());
    assert_eq!(asked["id"], seen.id.to_string());
    world
        .until("the guild is seen", || world.service.was_hinted(GUILD, "seen"))
        .await;
}

#[tokio::test]
async fn a_button_is_answered_like_a_command() {
    let world = World::new().await;
    let _bot = world.online().await;
    let press = What::Component(ComponentUse {
        message_id: PANEL,
        custom_id: "verify".to_owned(),
        values: Vec::new(),
    });
    assert_eq!(answer(&world, press).await.messages[0].flags & 64, 64);
    let asked = world.service.known().asked[0].clone();
    assert_eq!(
        (&asked["kind"], &asked["name"]),
        (&json!("button"), &json!("verify"))
    );
}

#[tokio::test]
async fn a_slow_service_is_waited_for_after_a_promise() {
    let world = World::new().await;
    let _bot = world.online().await;
    world.service.known().answer_after = Duration::from_secs(4);
    let seen = answer(&world, link()).await;
    let callback = seen.callback.unwrap();
    assert_eq!(
        (&callback["type"], &callback["data"]["flags"]),
        (&json!(5), &json!(64))
    );
    assert_eq!(seen.messages.len(), 1);
    assert_eq!(seen.messages[0].content, "Your accounts are linked.");
}

#[tokio::test]
async fn a_service_that_is_away_is_said_to_be() {
    let world = World::new().await;
    let _bot = world.online().await;
    for (fails, after) in [(Some(503), 0), (None, 20)] {
        {
            let mut known = world.service.known();
            (known.answer_fails, known.answer_after) = (fails, Duration::from_secs(after));
        }
        let seen = answer(&world, link()).await;
        assert!(
            seen.messages[0]
                .content
                .starts_with("Symbolon cannot answer right now"),
            "{seen:?}"
        );
    }
}

#[tokio::test]
async fn who_asked_before_the_end_is_still_answered() {
    let world = World::new().await;
    let bot = world.online().await;
    world.service.known().answer_after = Duration::from_millis(500);
    let answered = answer(&world, link());
    let stop = async {
        world
            .until("the service is asked", || !world.service.known().asked.is_empty())
            .await;
        bot.stop().await;
    };
    let (seen, ()) = tokio::join!(answered, stop);
    assert_eq!(seen.messages[0].content, "Your accounts are linked.");
}

/// Ten seconds behind.
struct Late;

impl Clock for Late {
    fn now_ms(&self) -> i64 {
        SystemClock.now_ms() - 10_000
    }

    fn steady_ms(&self) -> i64 {
        SystemClock.steady_ms()
    }

    fn ahead_ms(&self) -> Option<i64> {
        None
    }
}

/// Discord has told whoever asked that there is no answer.
#[tokio::test]
async fn what_was_asked_while_the_bot_was_away_is_not_done_later() {
    let world = World::at(Arc::new(Late)).await;
    let _bot = world.online().await;
    let answered = answer(&world, link()).await;
    world.disturb(Disturbance::Zombie);
    let missed = begin(&world, link());
    world.disturb(Disturbance::Drop);
    world.until("the session goes on", || world.resumes() == 1).await;
    let after = answer(&world, link()).await;
    let known = world.service.known();
    let asked: Vec<_> = known.asked.iter().map(|asked| asked["id"].clone()).collect();
    assert_eq!(asked, [json!(answered.id), json!(after.id)], "{}", missed.id);
}
