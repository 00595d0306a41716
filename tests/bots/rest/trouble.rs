//! A Discord on all kinds of bad days.

use std::sync::Arc;

use domain::clock::Clock;
use emulator::discord::Permissions as Bits;
use emulator::{Fault, FaultKind};
use futures_util::future::join_all;
use platform::Unanswered;
use platform::discord::Outgoing;
use platform::discord::rest::{Asking, NotDone};
use testkit::{bot_of, discord};

use super::stage::{POST, ROLES, Stage};

const CHANNELS: &str = "GET /api/v10/guilds/{guild}/channels";
const MINUTE_MS: i64 = 60_000;

#[tokio::test]
async fn a_limit_of_the_bot_holds_its_route_in_its_guild_and_nothing_else() {
    let stage = Stage::set().await;
    stage.fault(
        Fault::new(ROLES, FaultKind::RateLimit)
            .header("retry-after", "30")
            .times(1),
    );
    let held = Err(Unanswered::Throttled {
        retry_after_ms: 30_000,
        for_all: false,
    });
    assert_eq!(stage.roles(1).await, held);
    assert_eq!(
        stage.roles(1).await,
        Err(Unanswered::Remembered {
            status: 429,
            retry_after_ms: 30_000
        })
    );
    assert_eq!((stage.asked(ROLES), stage.refused()), (1, 1));
    assert_eq!(stage.roles(2).await, Ok(1), "another guild");
    let guild = discord(1);
    assert!(
        stage.bot.channels(Asking::in_background(1, &guild)).await.is_ok(),
        "another route"
    );
    stage.clock.advance_ms(30_000);
    assert_eq!(stage.roles(1).await, Ok(1));
}

#[tokio::test]
async fn a_global_limit_holds_everything_and_so_does_one_without_a_scope() {
    for fault in [
        Fault::new(ROLES, FaultKind::RateLimit)
            .header("x-ratelimit-scope", "global")
            .header("retry-after", "3"),
        Fault::answer(ROLES, 429, "error code: 1015").header("retry-after", "3"),
    ] {
        let stage = Stage::set().await;
        stage.fault(fault.times(1));
        let held = Unanswered::Throttled {
            retry_after_ms: 3_000,
            for_all: true,
        };
        assert_eq!(stage.roles(1).await, Err(held));
        let guild = discord(2);
        let other = stage.bot.channels(Asking::for_person(2, &guild)).await;
        let told = Unanswered::Remembered {
            status: 429,
            retry_after_ms: 3_000,
        };
        assert_eq!(other.map_err(Unanswered::from).map(|_| ()), Err(told));
        assert_eq!(stage.asked(CHANNELS), 0);
        stage.clock.advance_ms(3_000);
        assert_eq!(stage.roles(1).await, Ok(1));
    }
}

#[tokio::test]
async fn a_shared_limit_is_waited_for_and_held_against_nobody() {
    let stage = Stage::set().await;
    let shared = Fault::new(ROLES, FaultKind::RateLimit).header("x-ratelimit-scope", "shared");
    stage.fault(shared.header("retry-after", "7").times(1));
    assert_eq!(
        stage.roles(1).await,
        Err(Unanswered::Crowded {
            retry_after_ms: 7_000
        })
    );
    assert_eq!(
        stage.roles(1).await,
        Err(Unanswered::Remembered {
            status: 429,
            retry_after_ms: 7_000
        })
    );
    assert_eq!((stage.asked(ROLES), stage.refused()), (1, 0));
    stage.clock.advance_ms(7_000);
    assert_eq!(stage.roles(1).await, Ok(1));
}

#[tokio::test]
async fn a_refused_token_is_shown_once_and_never_again() {
    let stage = Stage::set().await;
    let changed = stage.discord.change(|state| {
        for application in state.applications.values_mut() {
            application.token = "another".to_owned();
        }
    });
    changed.expect("a new token");
    let all = join_all((0..20).map(|number| stage.roles(1 + number % 3))).await;
    let first = all
        .iter()
        .filter(|answer| **answer == Err(Unanswered::Refused))
        .count();
    let later = |answer: &&Result<usize, Unanswered>| {
        matches!(answer, Err(Unanswered::Remembered { status: 401, .. }))
    };
    assert_eq!((first, all.iter().filter(later).count()), (1, 19));
    for _ in 0..10 {
        stage.clock.advance_ms(24 * 60 * MINUTE_MS);
        assert!(stage.roles(1).await.is_err());
        assert!(!stage.bot.is_in(1, &discord(2)).await.unwrap_or(false));
    }
    assert_eq!(stage.discord.hub().calls().len(), 1);
    let changed = stage.discord.change(|state| {
        for application in state.applications.values_mut() {
            application.token = "MARKED-DISCORD-BOT-TOKEN".to_owned();
        }
    });
    changed.expect("the old token");
    let fresh = bot_of(&stage.discord, Arc::clone(&stage.clock) as _, &stage.outgoing);
    let guild = discord(1);
    assert!(
        fresh.roles(Asking::in_background(1, &guild)).await.is_ok(),
        "a changed token is another client"
    );
}

#[tokio::test]
async fn a_refusal_is_remembered_for_ten_minutes_unless_somebody_asks_by_hand() {
    let stage = Stage::set().await;
    let guild = discord(1);
    let background = Asking::in_background(1, &guild);
    stage.change(1, |guild| {
        guild.owner_id = None;
        guild
            .roles
            .values_mut()
            .for_each(|role| role.permissions = Bits::VIEW_CHANNEL);
    });
    let missing = NotDone {
        cause: Unanswered::Status(403),
        code: Some(50_013),
    };
    assert_eq!(stage.post(background, &guild, 1).await, Err(missing));
    for minute in 0..10 {
        let told = stage.post(background, &guild, 1).await.map_err(Unanswered::from);
        let retry_after_ms = (10 - minute) * MINUTE_MS;
        assert_eq!(
            told,
            Err(Unanswered::Remembered {
                status: 403,
                retry_after_ms
            })
        );
        stage.clock.advance_ms(MINUTE_MS);
    }
    assert_eq!(stage.asked(POST), 1);
    assert_eq!(
        stage.post(background, &guild, 1).await,
        Err(missing),
        "after ten minutes"
    );
    stage.change(1, |guild| {
        guild
            .roles
            .values_mut()
            .for_each(|role| role.permissions = Bits::ALL);
    });
    assert!(stage.post(background, &guild, 1).await.is_err());
    let by_hand = Asking::for_person(1, &guild).again();
    assert_eq!(stage.post(by_hand, &guild, 2).await, Ok(()));
    assert_eq!(
        stage.post(background, &guild, 3).await,
        Ok(()),
        "what was answered is not refused any more"
    );
    assert_eq!(stage.refused(), 1, "in the ten minutes that run");
}

#[tokio::test]
async fn a_failing_discord_is_asked_only_now_and_then() {
    for (kind, cause) in [
        (FaultKind::Error500, Unanswered::Status(500)),
        (FaultKind::Drop, Unanswered::Unreachable),
        (FaultKind::Hang, Unanswered::Timeout),
    ] {
        let stage = Stage::set().await;
        assert_eq!(stage.roles(1).await, Ok(1));
        stage.fault(Fault::new("*", kind));
        // The first call of a guild goes alone.
        let guilds = [1, 2, 3, 1, 1];
        assert_eq!(
            join_all(guilds.map(|guild| stage.roles(guild))).await,
            [Err(cause); 5]
        );
        assert_eq!(
            stage.roles(3).await,
            Err(Unanswered::Paused {
                retry_after_ms: 5_000
            })
        );
        assert_eq!((stage.asked(ROLES), stage.refused()), (6, 0), "{kind:?}");
        stage.discord.hub().remove_faults();
        stage.clock.advance_ms(5_000);
        assert_eq!(
            (stage.roles(1).await, stage.roles(2).await),
            (Ok(1), Ok(1)),
            "{kind:?}"
        );
    }
}

#[tokio::test]
async fn an_answer_that_is_none_changes_nothing() {
    let stage = Stage::set().await;
    for body in [
        "<html>",
        "{}",
        r#"[{"id":"x","permissions":"0"}]"#,
        r#"[{"id":"1"}]"#,
    ] {
        stage.fault(Fault::answer(ROLES, 200, body));
        assert_eq!(stage.roles(1).await, Err(Unanswered::Unreadable), "{body}");
    }
    stage.fault(Fault::answer(ROLES, 200, &" ".repeat(5 << 20)));
    assert_eq!(stage.roles(1).await, Err(Unanswered::TooLong));
    assert_eq!(stage.roles(1).await, Ok(1));
}

#[tokio::test]
async fn a_service_that_is_started_again_goes_on_counting() {
    let stage = Stage::set().await;
    let path = std::env::temp_dir().join(format!("symbolon-refusals-{}.json", std::process::id()));
    let started = || {
        let outgoing = Outgoing::at(u32::MAX);
        let bot = bot_of(&stage.discord, Arc::clone(&stage.clock) as _, &outgoing).kept_in(path.clone());
        (bot, outgoing)
    };
    let count = |outgoing: &Outgoing| outgoing.refused(stage.clock.steady_ms());
    let (bot, outgoing) = started();
    stage.fault(Fault::new(ROLES, FaultKind::Error403));
    for number in 1..=3 {
        let guild = discord(number);
        assert!(bot.roles(Asking::in_background(1, &guild)).await.is_err());
    }
    assert_eq!(count(&outgoing), 3);
    bot.keep().await.expect("a file");
    let (_, outgoing) = started();
    assert_eq!(count(&outgoing), 3);
    stage.clock.advance_ms(10 * MINUTE_MS);
    let (bot, outgoing) = started();
    assert_eq!(count(&outgoing), 0, "Discord has forgotten them too");
    // A token that was rejected is not shown again by any process.
    let changed = stage.discord.change(|state| {
        state
            .applications
            .values_mut()
            .for_each(|one| one.token = "another".to_owned());
    });
    changed.expect("a new token");
    let guild = discord(1);
    assert!(bot.channels(Asking::in_background(1, &guild)).await.is_err());
    bot.keep().await.expect("a file");
    let before = stage.discord.hub().calls().len();
    let (bot, _) = started();
    let told = bot
        .channels(Asking::in_background(1, &guild))
        .await
        .map_err(Unanswered::from);
    assert!(
        matches!(told, Err(Unanswered::Remembered { status: 401, .. })),
        "{told:?}"
    );
    assert_eq!(stage.discord.hub().calls().len(), before);
    let kept = std::fs::read_to_string(&path).expect("a file");
    assert!(!kept.contains(testkit::BOT_TOKEN), "{kept}");
    std::fs::remove_file(&path).expect("it was there");
}
