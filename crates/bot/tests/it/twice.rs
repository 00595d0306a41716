//! Two processes of one bot.

use serde_json::Value;

use crate::world::{Running, World};

fn refused(world: &World) -> usize {
    let known = world.service.known();
    known
        .reports
        .iter()
        .filter(|report| report["refused"].is_string())
        .count()
}

#[tokio::test]
async fn a_second_process_waits_until_the_first_is_gone() {
    let world = World::new().await;
    let first = world.online().await;
    let mut settings = world.settings();
    settings.state_dir.push("second");
    let _second = Running::start(settings);
    world.until("it is refused twice", || refused(&world) >= 2).await;
    assert_eq!((world.connected().len(), world.identifies()), (1, 1));
    first.stop().await;
    world
        .until("the second is the bot", || world.identifies() == 2)
        .await;
    assert_eq!(world.discord.gateway()["overlaps"], Value::Array(Vec::new()));
}
