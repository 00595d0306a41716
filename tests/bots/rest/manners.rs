//! What a bot asks when all is well, and how fast.

use std::sync::Arc;

use domain::discord::Permissions;
use emulator::discord::{Member, Permissions as Bits, Role};
use emulator::{Fault, FaultKind};
use platform::Unanswered;
use platform::discord::rest::{Asking, NotDone};
use serde_json::{Value, json};
use testkit::{bot_of, discord, log_channel};

use super::stage::{POST, ROLES, Stage, snowflake};

#[tokio::test]
async fn an_empty_bucket_is_never_asked_and_the_last_call_is_for_people() {
    let stage = Stage::set().await;
    let changed = stage.discord.change(|state| state.limits.enforced = true);
    changed.expect("limits");
    let guild = discord(1);
    let mut sent = [0, 0];
    let asking = [Asking::in_background(1, &guild), Asking::for_person(1, &guild)];
    for (asking, sent) in asking.into_iter().zip(&mut sent) {
        while stage
            .post(asking, &guild, stage.messages(&guild).len() as i64)
            .await
            .is_ok()
        {
            *sent += 1;
        }
    }
    assert_eq!(sent, [4, 1], "of five in five seconds");
    let held = stage.post(asking[1], &guild, 99).await.map_err(Unanswered::from);
    assert_eq!(
        held,
        Err(Unanswered::Held {
            retry_after_ms: 5_000
        })
    );
    let other = discord(2);
    assert_eq!(
        stage.post(Asking::in_background(1, &other), &other, 7).await,
        Ok(()),
        "another channel"
    );
    assert_eq!(
        (stage.asked(POST), stage.refused()),
        (6, 0),
        "nothing was asked in vain"
    );
    stage.clock.advance_ms(5_000);
    assert_eq!(stage.post(asking[0], &guild, 100).await, Ok(()));
}

#[tokio::test]
async fn what_has_time_leaves_half_of_the_budget_to_messages() {
    let stage = Stage::at(30).await;
    let guild = discord(1);
    let mut done = [0, 0];
    let asking = [
        Asking::when_there_is_room(1, &guild),
        Asking::in_background(1, &guild),
    ];
    for (asking, done) in asking.into_iter().zip(&mut done) {
        while stage.bot.roles(asking).await.is_ok() {
            *done += 1;
        }
    }
    assert_eq!(done, [8, 4]);
}

#[tokio::test]
async fn a_patient_question_waits_for_its_turn() {
    let stage = Stage::at(30).await;
    let guild = discord(1);
    let asking = Asking::in_background(1, &guild);
    while stage.bot.roles(asking).await.is_ok() {}
    let (asked, ()) = tokio::join!(stage.bot.channels(asking.patiently()), async {
        stage.clock.advance_ms(1_000);
    });
    assert!(asked.is_ok(), "{:?}", asked.err());
}

#[tokio::test]
async fn the_budget_is_kept_over_all_routes_and_people_go_first() {
    let stage = Stage::at(30).await;
    let guild = discord(1);
    let mut done = [0, 0];
    let asking = [Asking::in_background(1, &guild), Asking::for_person(1, &guild)];
    for (asking, done) in asking.into_iter().zip(&mut done) {
        while stage.bot.roles(asking).await.is_ok() {
            *done += 1;
        }
    }
    assert_eq!(done, [12, 3]);
    let held = stage.bot.channels(asking[1]).await.map_err(Unanswered::from);
    assert!(
        matches!(
            held,
            Err(Unanswered::Held {
                retry_after_ms: 1..100
            })
        ),
        "{held:?}"
    );
    stage.clock.advance_ms(1_000);
    assert!(stage.bot.channels(asking[0]).await.is_ok());
}

#[tokio::test]
async fn refusals_of_all_tokens_count_together() {
    let stage = Stage::set().await;
    let second = bot_of(&stage.discord, Arc::clone(&stage.clock) as _, &stage.outgoing);
    stage.fault(Fault::new("*", FaultKind::Error403));
    let guild = discord(1);
    assert!(stage.roles(1).await.is_err());
    assert!(second.roles(Asking::in_background(2, &guild)).await.is_err());
    assert_eq!((stage.asked(ROLES), stage.refused()), (2, 2));
}

#[tokio::test]
async fn a_message_is_posted_once_and_pings_nobody() {
    let stage = Stage::set().await;
    let guild = discord(1);
    for _ in 0..3 {
        assert_eq!(
            stage.post(Asking::in_background(1, &guild), &guild, 41).await,
            Ok(())
        );
    }
    let messages = stage.messages(&guild);
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0].nonce.as_deref(), Some("41"));
    assert_eq!(messages[0].allowed_mentions, Some(json!({ "parse": [] })));
    let foreign = log_channel(&discord(2));
    let asking = Asking::in_background(1, &guild);
    assert_eq!(
        stage.bot.is_channel_of(asking, &log_channel(&guild)).await,
        Ok(true)
    );
    assert_eq!(stage.bot.is_channel_of(asking, &foreign).await, Ok(false));
    let gone = stage.bot.is_channel_of(asking, &discord(77)).await;
    assert_eq!(
        gone,
        Err(NotDone {
            cause: Unanswered::Status(404),
            code: Some(10_003)
        })
    );
}

#[tokio::test]
async fn a_guild_is_read_as_it_is() {
    let stage = Stage::set().await;
    let role = Role {
        name: "Linked".to_owned(),
        color: 0x2E_CC71,
        position: 3,
        permissions: Bits::MANAGE_ROLES,
        managed: true,
        ..Role::default()
    };
    let (guild, role_id) = (discord(1), discord(60));
    stage.change(1, |guild| {
        guild.roles.insert(snowflake(&role_id), role);
        for member in guild.members.values_mut() {
            *member = Member {
                roles: vec![snowflake(&role_id)],
                ..Member::default()
            };
        }
    });
    let asking = Asking::in_background(1, &guild);
    let facts = stage.bot.guild(asking).await.unwrap();
    let own = stage.bot.own_id(asking).await.unwrap();
    assert_eq!((facts.name.as_str(), &facts.owner), ("Guild", &own));
    let roles = stage.bot.roles(asking).await.unwrap();
    let linked = roles.iter().find(|role| role.id == role_id).unwrap();
    assert_eq!(
        (
            linked.name.as_str(),
            linked.colour,
            linked.position,
            linked.managed
        ),
        ("Linked", 0x2E_CC71, 3, true)
    );
    assert_eq!(linked.permissions, Permissions::MANAGE_ROLES);
    assert_eq!(stage.bot.own_roles(asking).await.unwrap(), [role_id]);
    let channels = stage.bot.channels(asking).await.unwrap();
    assert_eq!(
        (channels.len(), channels[0].name.as_str(), &channels[0].id),
        (1, "log", &log_channel(&guild))
    );
    let commands = json!([{ "name": "link", "description": "Link your accounts", "type": 1 }]);
    assert_eq!(stage.bot.set_commands(asking, &commands).await, Ok(()));
    let state = stage.discord.state();
    let offered = &state.applications.values().next().unwrap().guild_commands[&snowflake(&guild)];
    let names: Vec<&Value> = offered.iter().map(|command| &command["name"]).collect();
    assert_eq!(names, ["link"]);
    assert_eq!(
        stage.asked("GET /api/v10/users/@me"),
        1,
        "who it is, it asks once"
    );
}
