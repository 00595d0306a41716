//! Members of a guild: reading them, and changing their roles and nicknames.

use std::sync::Arc;
use std::time::Duration;

use domain::clock::SystemClock;
use domain::platform_id::DiscordId;
use emulator::Discord;
use emulator::discord::{Member, Permissions as Bits, Role, User, Window};
use futures_util::future::join_all;
use platform::Unanswered;
use platform::discord::Outgoing;
use platform::discord::rest::{Asking, NotDone};
use testkit::{bot_of, discord};

use super::stage::{Stage, snowflake};

const GIVE: &str = "PUT /api/v10/guilds/{guild}/members/{user}/roles/{role}";
const TAKE: &str = "DELETE /api/v10/guilds/{guild}/members/{user}/roles/{role}";
const READ: &str = "GET /api/v10/guilds/{guild}/members/{user}";

const LOW: u64 = 61;
const OWN: u64 = 62;
const HIGH: u64 = 63;
const OWNER: u64 = 70;
const FIRST: u64 = 71;

fn role(position: i64, permissions: Bits) -> Role {
    Role {
        position,
        permissions,
        ..Role::default()
    }
}

/// Guild 1 belongs to somebody else; our bot manages roles and nicknames below its own role.
fn hand_over(discord_side: &Discord, members: u64) {
    let guild_id = snowflake(&discord(1));
    let changed = discord_side.change(|state| {
        state
            .users
            .insert(snowflake(&discord(OWNER)), User::named("owner"));
        for number in FIRST..FIRST + members {
            let user = User {
                global_name: Some(format!("Member {number}")),
                ..User::named(&format!("member{number}"))
            };
            state.users.insert(snowflake(&discord(number)), user);
        }
        let guild = state.guilds.get_mut(&guild_id).unwrap();
        guild.owner_id = Some(snowflake(&discord(OWNER)));
        let powers = Bits::MANAGE_ROLES | Bits::MANAGE_NICKNAMES;
        for (number, role) in [
            (LOW, role(1, Bits(0))),
            (OWN, role(2, powers)),
            (HIGH, role(3, Bits(0))),
        ] {
            guild.roles.insert(snowflake(&discord(number)), role);
        }
        for bot in guild.members.values_mut() {
            bot.roles = vec![snowflake(&discord(OWN))];
        }
        guild
            .members
            .insert(snowflake(&discord(OWNER)), Member::default());
        for number in FIRST..FIRST + members {
            guild
                .members
                .insert(snowflake(&discord(number)), Member::default());
        }
    });
    changed.expect("a guild");
}

fn roles_of(discord_side: &Discord, person: u64) -> Vec<String> {
    let state = discord_side.state();
    let member = &state.guilds[&snowflake(&discord(1))].members[&snowflake(&discord(person))];
    member.roles.iter().map(ToString::to_string).collect()
}

async fn stage(members: u64) -> Stage {
    let stage = Stage::set().await;
    hand_over(&stage.discord, members);
    stage
}

#[tokio::test]
async fn a_member_is_read_and_changed() {
    let stage = stage(1).await;
    let (guild, person, role) = (discord(1), discord(FIRST), discord(LOW));
    let asking = Asking::in_background(1, &guild);
    let found = stage.bot.member(asking, &person).await.unwrap().unwrap();
    assert_eq!((found.name.as_str(), found.boosts), ("Member 71", false));
    assert_eq!((found.roles.len(), found.nick), (0, None));
    for absent in [discord(OWNER + 50), discord(999)] {
        assert_eq!(stage.bot.member(asking, &absent).await, Ok(None));
    }
    stage
        .bot
        .give_role(asking, &person, &role, "a rule")
        .await
        .unwrap();
    stage
        .bot
        .set_nickname(asking, &person, Some("Ada"), "a name")
        .await
        .unwrap();
    stage.change(1, |guild| {
        let member = guild.members.get_mut(&snowflake(&person)).unwrap();
        member.premium_since = Some("2026-01-01T00:00:00Z".to_owned());
    });
    let found = stage.bot.member(asking, &person).await.unwrap().unwrap();
    assert_eq!((found.roles, found.boosts), (vec![role.clone()], true));
    assert_eq!(found.nick.as_deref(), Some("Ada"));
    stage
        .bot
        .take_role(asking, &person, &role, "a rule")
        .await
        .unwrap();
    stage
        .bot
        .set_nickname(asking, &person, None, "a name")
        .await
        .unwrap();
    let found = stage.bot.member(asking, &person).await.unwrap().unwrap();
    assert_eq!((found.roles, found.nick), (Vec::new(), None));
    let reasons: Vec<String> = stage
        .discord
        .hub()
        .calls()
        .into_iter()
        .map(|call| call.reason)
        .collect();
    let reasons: Vec<&String> = reasons.iter().filter(|reason| !reason.is_empty()).collect();
    let (rule, name) = ("Symbolon: a rule", "Symbolon: a name");
    assert_eq!(reasons, [rule, name, rule, name]);
}

#[tokio::test]
async fn members_are_listed_page_by_page() {
    let stage = stage(5).await;
    let guild = discord(1);
    let asking = Asking::in_background(1, &guild);
    let (mut seen, mut after) = (Vec::new(), None::<DiscordId>);
    loop {
        let page = stage.bot.members(asking, after.as_ref(), 3).await.unwrap();
        let Some((last, _)) = page.last() else { break };
        assert!(page.len() <= 3);
        after = Some(last.clone());
        seen.extend(page.into_iter().map(|(id, _)| id));
    }
    let expected: Vec<DiscordId> = (OWNER..FIRST + 5).map(discord).collect();
    assert_eq!(seen.len(), 7, "and the bot");
    assert!(expected.iter().all(|id| seen.contains(id)), "{seen:?}");
}

#[tokio::test]
async fn a_refusal_about_one_role_or_member_is_theirs_alone() {
    let stage = stage(2).await;
    let (guild, one, two) = (discord(1), discord(FIRST), discord(FIRST + 1));
    let asking = Asking::in_background(1, &guild);
    let not = |status, code| {
        Err(NotDone {
            cause: Unanswered::Personal(status),
            code: Some(code),
        })
    };
    let remembered = |status, code| {
        Err(NotDone {
            cause: Unanswered::Remembered {
                status,
                retry_after_ms: 60_000,
            },
            code: Some(code),
        })
    };
    let give = |person, role| stage.bot.give_role(asking, person, role, "a rule");
    let (low, high, gone) = (discord(LOW), discord(HIGH), discord(69));
    assert_eq!(give(&one, &high).await, not(403, 50_013));
    assert_eq!(give(&one, &gone).await, not(404, 10_011));
    assert_eq!(
        give(&two, &high).await,
        remembered(403, 50_013),
        "it is the role's"
    );
    assert_eq!(give(&two, &gone).await, remembered(404, 10_011));
    let left = Err(NotDone {
        cause: Unanswered::Status(404),
        code: Some(10_007),
    });
    let absent = discord(OWNER + 50);
    stage
        .discord
        .change(|state| state.users.insert(snowflake(&absent), User::named("absent")))
        .unwrap();
    assert_eq!(give(&absent, &low).await, left, "no refusal of the role");
    assert_eq!(give(&one, &low).await, Ok(()));
    assert_eq!(give(&two, &low).await, Ok(()));
    let name = |person| stage.bot.set_nickname(asking, person, Some("A"), "a name");
    let owner = discord(OWNER);
    assert_eq!(name(&owner).await, not(403, 50_013));
    assert_eq!(name(&owner).await, remembered(403, 50_013));
    assert_eq!(name(&one).await, Ok(()));
    assert_eq!((stage.asked(GIVE), stage.refused()), (5, 2));
    stage.bot.forget_refusals(&guild);
    stage.change(1, |guild| {
        guild.roles.get_mut(&snowflake(&high)).unwrap().position = 1;
    });
    assert_eq!(give(&two, &high).await, Ok(()), "somebody put it right");
}

#[tokio::test]
async fn a_guild_that_keeps_the_bot_out_is_left_alone() {
    let stage = stage(2).await;
    let guild = discord(1);
    stage.change(1, |guild| {
        let owner = snowflake(&discord(OWNER));
        guild.members.retain(|id, _| *id == owner);
    });
    let asking = Asking::in_background(1, &guild);
    for number in 0..3 {
        let given = stage
            .bot
            .give_role(asking, &discord(FIRST + number), &discord(LOW), "a rule")
            .await;
        assert_eq!(given.map_err(|not| not.code), Err(Some(50_001)));
    }
    assert_eq!(stage.asked(GIVE), 1);
}

/// Asks until it is its turn.
async fn patiently<T>(ask: impl AsyncFn() -> Result<T, NotDone>) -> T {
    loop {
        match ask().await.map_err(Unanswered::from) {
            Ok(answer) => return answer,
            Err(Unanswered::Held { .. } | Unanswered::OverShare { .. }) => {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            Err(cause) => panic!("{cause}"),
        }
    }
}

/// Discord's limits by the real clock; windows are short so that there are many of them.
#[tokio::test]
async fn hundreds_of_calls_at_once_are_never_too_many() {
    const MEMBERS: u64 = 150;
    let clock = Arc::new(SystemClock);
    let (discord_side, _, _) = testkit::start_platforms().await;
    testkit::add_guild(&discord_side, &discord(1), "Guild");
    hand_over(&discord_side, MEMBERS);
    let changed = discord_side.change(|state| {
        state.limits.global_per_second = 100_000;
        let window = |limit, window_ms| Window { limit, window_ms };
        for (route, limit) in [(GIVE, 10), (TAKE, 3), (READ, 25)] {
            state.limits.routes.insert(route.to_owned(), window(limit, 60));
        }
    });
    changed.expect("limits");
    let bot = bot_of(&discord_side, clock, &Outgoing::at(10_000));
    let (guild, role) = (discord(1), discord(LOW));
    let (bot, guild, role) = (&bot, &guild, &role);
    let one = |number: u64| async move {
        let (asking, person) = (Asking::in_background(1, guild), &discord(FIRST + number));
        patiently(async || bot.give_role(asking, person, role, "a rule").await).await;
        let member = patiently(async || bot.member(asking, person).await).await;
        assert_eq!(member.unwrap().roles, std::slice::from_ref(role));
        patiently(async || bot.take_role(asking, person, role, "a rule").await).await;
    };
    join_all((0..MEMBERS).map(one)).await;
    assert!((0..MEMBERS).all(|number| roles_of(&discord_side, FIRST + number).is_empty()));
    let statuses: Vec<u16> = discord_side
        .hub()
        .calls()
        .iter()
        .filter_map(|call| call.status)
        .collect();
    assert_eq!(statuses.len() as u64, 3 * MEMBERS);
    assert!(statuses.iter().all(|status| *status < 300), "{statuses:?}");
}
