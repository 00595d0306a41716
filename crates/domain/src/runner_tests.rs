use proptest::prelude::*;

use super::*;

fn at(step: Step) -> Runner {
    Runner {
        step,
        reason: None,
        token_version: 1,
        attempts: 0,
        next_at_ms: 0,
        exits: Vec::new(),
    }
}

fn process(state: BotState, failure: Option<BotFailure>) -> Option<Running> {
    Some(Running {
        token_version: 1,
        state,
        failure,
    })
}

#[test]
fn a_new_bot_takes_the_four_steps_in_their_order_and_is_online() {
    let (mut runner, mut said, mut now_ms) = (at(Step::Allocate), Vec::new(), 0);
    while let Move::Work(step) = decide(&runner, true, None, now_ms) {
        said.push(step.message());
        runner = runner.worked(now_ms);
        assert_eq!(
            decide(&runner, true, None, now_ms),
            Move::Wait,
            "a step at a time"
        );
        now_ms += STEP_MS;
    }
    assert_eq!(
        said,
        [
            "Allocating dedicated bot host",
            "Installing your bot",
            "Starting your bot"
        ]
    );
    assert_eq!(decide(&runner, true, None, now_ms), Move::Launch);
    let connecting = process(BotState::Connecting, None);
    assert_eq!(decide(&runner, true, connecting, now_ms), Move::Wait);
    let online = process(BotState::Online, None);
    assert_eq!(
        decide(&runner, true, online, now_ms),
        Move::Note(Step::Online, None)
    );
}

#[test]
fn a_bot_that_nobody_pays_for_is_paused_wherever_it_is_and_goes_on_from_there() {
    for step in Step::ALL {
        let runner = at(*step);
        assert_eq!(
            decide(&runner, false, process(BotState::Online, None), 9),
            Move::Pause
        );
        let rests = decide(&runner, false, None, 9);
        let paused = *step == Step::Paused;
        assert_eq!(
            rests,
            if paused {
                Move::Wait
            } else {
                Move::Note(Step::Paused, None)
            }
        );
    }
    assert_eq!(
        decide(&at(Step::Paused), true, None, 9),
        Move::Note(Step::Start, None)
    );
}

#[test]
fn a_newer_token_restarts_the_process_and_an_older_reading_does_not() {
    let running = process(BotState::Online, None);
    let newer = Runner {
        token_version: 2,
        ..at(Step::Online)
    };
    assert_eq!(
        decide(&newer, true, running, 9),
        Move::Again(Restart::TokenReplaced)
    );
    let older = Runner {
        token_version: 0,
        ..at(Step::Online)
    };
    assert_eq!(decide(&older, true, running, 9), Move::Wait);
}

#[test]
fn a_rejected_token_is_never_tried_again_by_itself_and_a_spent_budget_is() {
    for failure in [BotFailure::TokenRejected, BotFailure::IdentifyBudget] {
        let told = decide(
            &at(Step::Online),
            true,
            process(BotState::Stopped, Some(failure)),
            9,
        );
        let Move::Note(Step::Failed, Some(reason)) = told else {
            panic!("{told:?}")
        };
        let failed = at(Step::Online).at(Step::Failed, Some(reason), 50);
        assert_eq!(decide(&failed, true, None, 49), Move::Wait);
        let later = decide(&failed, true, None, 50);
        assert_eq!(
            later == Move::Note(Step::Start, None),
            reason.passes(),
            "{later:?}"
        );
    }
}

#[test]
fn a_rejected_token_outlasts_a_pause() {
    let rejected = at(Step::Online).at(Step::Failed, Some(Reason::TokenRejected), 0);
    for paid in [false, true] {
        assert_eq!(decide(&rejected, paid, None, 9), Move::Wait);
        assert!(rejected.rests(paid, 9));
    }
    // Discord said so, and then the subscription ended before it was written down.
    let said = process(BotState::Stopped, Some(BotFailure::TokenRejected));
    let told = decide(&at(Step::Online), false, said, 9);
    assert_eq!(told, Move::Note(Step::Failed, Some(Reason::TokenRejected)));
    let newer = Runner {
        token_version: 2,
        ..at(Step::Online)
    };
    assert_eq!(
        decide(&newer, false, said, 9),
        Move::Pause,
        "that was of another token"
    );
}

#[test]
fn only_a_bot_for_which_nothing_is_to_be_done_rests() {
    for step in Step::ALL {
        let is_over = matches!(step, Step::Paused | Step::Failed);
        assert_eq!(at(*step).rests(true, 9), *step == Step::Failed, "{step:?}");
        assert_eq!(at(*step).rests(false, 9), *step == Step::Paused, "{step:?}");
        assert!(is_over || !at(*step).rests(false, 9));
    }
    let spent = at(Step::Online).at(Step::Failed, Some(Reason::IdentifyBudget), 50);
    assert!(spent.rests(true, 49) && !spent.rests(true, 50));
}

#[test]
fn what_still_runs_of_a_bot_that_has_failed_is_ended_and_not_started_again() {
    let stopped = process(BotState::Stopped, Some(BotFailure::TokenRejected));
    for reason in Reason::ALL {
        let failed = at(Step::Online).at(Step::Failed, Some(*reason), 50);
        assert_eq!(decide(&failed, true, stopped, 9), Move::End, "{reason:?}");
        assert_eq!(decide(&failed, true, None, 9), Move::Wait, "{reason:?}");
    }
}

#[test]
fn a_bot_that_is_paid_for_before_its_process_has_ended_goes_on_with_it() {
    let online = process(BotState::Online, None);
    assert_eq!(decide(&at(Step::Paused), false, online, 9), Move::Pause);
    assert_eq!(
        decide(&at(Step::Paused), true, online, 9),
        Move::Note(Step::Start, None)
    );
    assert_eq!(
        decide(&at(Step::Start), true, online, 9),
        Move::Note(Step::Online, None)
    );
}

#[test]
fn a_bot_that_discord_keeps_waiting_is_not_called_online() {
    let unreachable = process(BotState::Connecting, Some(BotFailure::Unreachable));
    assert_eq!(
        decide(&at(Step::Online), true, unreachable, 9),
        Move::Note(Step::Start, None)
    );
    assert_eq!(decide(&at(Step::Start), true, unreachable, 9), Move::Wait);
    let spent = process(BotState::Connecting, Some(BotFailure::IdentifyBudget));
    for step in [Step::Start, Step::Online] {
        let told = decide(&at(step), true, spent, 9);
        assert_eq!(told, Move::Note(Step::Failed, Some(Reason::IdentifyBudget)));
    }
}

#[test]
fn a_host_out_of_reach_is_tried_again_for_ever_and_counts_as_no_crash() {
    let mut runner = at(Step::Online);
    for _ in 1..MOST_ATTEMPTS {
        runner = runner.missed(0);
        assert_eq!((runner.step, runner.exits.len()), (Step::Start, 0));
    }
    let failed = runner.missed(0);
    assert_eq!(failed.reason, Some(Reason::InstallError));
    assert_eq!(decide(&failed, true, None, failed.next_at_ms - 1), Move::Wait);
    let later = decide(&failed, true, None, failed.next_at_ms);
    assert_eq!(later, Move::Note(Step::Start, None));
}

#[test]
fn a_bot_outside_its_discord_server_waits_and_goes_on_by_itself() {
    let outside = process(BotState::Online, Some(BotFailure::NotInGuild));
    assert_eq!(decide(&at(Step::Start), true, outside, 9), Move::Wait);
    assert_eq!(
        decide(&at(Step::Online), true, outside, 9),
        Move::Note(Step::Start, None)
    );
}

#[test]
fn every_reason_and_every_failure_can_be_shown() {
    for reason in Reason::ALL {
        let failed = at(Step::Online).at(Step::Failed, Some(*reason), 9);
        assert_eq!(
            Trouble::of(&failed, None).map(Trouble::as_str),
            Some(reason.as_str())
        );
    }
    for failure in BotFailure::ALL {
        let told = Trouble::of(&at(Step::Start), Some(*failure));
        assert_eq!(told.map(Trouble::as_str), Some(failure.as_str()));
        assert_eq!(
            Trouble::of(&at(Step::Paused), Some(*failure)),
            None,
            "nothing runs"
        );
    }
}

#[test]
fn an_end_changes_nothing_about_a_bot_that_rests() {
    let rejected = at(Step::Online).at(Step::Failed, Some(Reason::TokenRejected), 0);
    for resting in [rejected, at(Step::Paused)] {
        assert_eq!(resting.exited(60_000), resting);
        assert_eq!(resting.missed(60_000), resting);
    }
}

#[test]
fn the_fifth_end_in_ten_minutes_is_the_last() {
    let mut runner = at(Step::Online);
    for minute in 0..4 {
        runner = runner.exited(minute * 60_000);
        assert_eq!(runner.step, Step::Start, "{minute}");
    }
    let failed = runner.exited(5 * 60_000);
    assert_eq!(
        (failed.step, failed.reason),
        (Step::Failed, Some(Reason::CrashLoop))
    );
    assert_eq!(
        runner.exited(11 * 60_000).step,
        Step::Start,
        "older ends are forgotten"
    );
    assert!(failed.retried(9).exits.is_empty());
}

#[test]
fn a_step_that_fails_is_tried_eight_times() {
    let (mut runner, mut tries) = (at(Step::Install), 0);
    while runner.step == Step::Install {
        tries += 1;
        runner = runner.missed(0);
    }
    assert_eq!((tries, runner.reason), (8, Some(Reason::InstallError)));
}

fn steps() -> impl Strategy<Value = Step> {
    proptest::sample::select(Step::ALL)
}

proptest! {
    #[test]
    fn whatever_is_written_down_a_paid_bot_that_can_run_ends_up_online(
        step in steps(), exits in proptest::collection::vec(0_i64..1_000, 0..4),
    ) {
        let mut runner = Runner { exits, ..at(step) };
        prop_assume!(step != Step::Failed);
        let (mut running, mut now_ms) = (None, 1_000);
        for _ in 0..20 {
            match decide(&runner, true, running, now_ms) {
                Move::Work(_) => runner = runner.worked(now_ms),
                Move::Note(step, reason) => runner = runner.at(step, reason, now_ms),
                Move::Launch => running = process(BotState::Online, None),
                Move::Wait | Move::Pause | Move::End | Move::Again(_) => {}
            }
            now_ms += STEP_MS;
        }
        prop_assert_eq!(runner.step, Step::Online);
        prop_assert!(running.is_some());
    }
}
