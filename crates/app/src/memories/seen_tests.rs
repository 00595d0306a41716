use super::*;

const START: i64 = 1_700_000_000_000;

/// A moment on both clocks, which run alike unless somebody sets one.
fn at(ms: i64) -> SeenAt {
    SeenAt {
        now_ms: ms,
        steady_ms: ms,
    }
}

fn player(number: u64) -> SteamAccount {
    SteamAccount::of(&(76_561_198_000_000_000 + number).to_string()).unwrap()
}

#[test]
fn a_player_is_written_once_an_hour() {
    let seen = Seen::default();
    seen.mark(ServerNum(1), [player(1)], at(START));
    seen.mark(ServerNum(1), [player(1)], at(START + 5));
    assert_eq!(seen.drain(START + 10).len(), 1);
    seen.mark(ServerNum(1), [player(1)], at(START + 60_000));
    assert!(seen.drain(START + 60_001).is_empty());
    seen.mark(ServerNum(1), [player(1)], at(START + HOUR_MS));
    assert_eq!(seen.drain(START + HOUR_MS)[0].seen_at, at(START + HOUR_MS));
}

#[test]
fn an_hour_is_an_hour_wherever_the_wall_clock_is_set_to() {
    let seen = Seen::default();
    seen.mark(ServerNum(1), [player(1)], at(START));
    assert_eq!(seen.drain(START).len(), 1);
    let set_back = |steady_ms: i64| SeenAt {
        now_ms: steady_ms - 24 * HOUR_MS,
        steady_ms,
    };
    seen.mark(ServerNum(1), [player(1)], set_back(START + HOUR_MS - 1));
    assert!(seen.drain(START + HOUR_MS - 1).is_empty());
    seen.mark(ServerNum(1), [player(1)], set_back(START + HOUR_MS));
    assert_eq!(seen.drain(START + HOUR_MS)[0].seen_at, set_back(START + HOUR_MS));
}

#[test]
fn a_player_on_two_servers_is_two_marks() {
    let seen = Seen::default();
    seen.mark(ServerNum(1), [player(1)], at(START));
    seen.mark(ServerNum(2), [player(1)], at(START));
    assert_eq!(seen.drain(START).len(), 2);
}

#[test]
fn marks_that_were_not_written_are_handed_out_again() {
    let seen = Seen::default();
    seen.mark(ServerNum(1), [player(1), player(2)], at(START));
    // The second hour is over when they are put back: they are not in memory any more.
    let drained = seen.drain(START + HOUR_MS);
    assert_eq!(drained.len(), 2);
    seen.restore(&drained);
    let mut again = seen.drain(START + HOUR_MS);
    again.sort_by(|one, other| one.steam_id.cmp(&other.steam_id));
    assert_eq!(
        again.iter().map(|mark| mark.seen_at.now_ms).collect::<Vec<_>>(),
        [START; 2]
    );
    assert!(seen.drain(START + HOUR_MS).is_empty());
    // Somebody who came back meanwhile is written once, with the later time.
    seen.mark(ServerNum(1), [player(1)], at(START + HOUR_MS));
    seen.restore(&again);
    let last = seen.drain(START + HOUR_MS + 1);
    let times: Vec<_> = last.iter().map(|mark| mark.seen_at.now_ms).collect();
    assert_eq!((last.len(), times.iter().max()), (2, Some(&(START + HOUR_MS))));
}

#[test]
fn marks_that_are_put_back_stay_within_the_memory() {
    let seen = Seen::default();
    let many = |first: u64| (first..first + MOST as u64).map(player);
    seen.mark(ServerNum(1), many(0), at(START));
    let drained = seen.drain(START + HOUR_MS);
    seen.mark(ServerNum(1), many(MOST as u64), at(START + HOUR_MS));
    seen.restore(&drained);
    assert_eq!(seen.drain(START + HOUR_MS).len(), MOST);
}

#[test]
fn what_is_written_makes_room_for_whoever_comes() {
    let seen = Seen::default();
    let many = |first: u64| (first..first + MOST as u64).map(player);
    seen.mark(ServerNum(1), many(0), at(START));
    assert_eq!(seen.drain(START).len(), MOST);
    // Of the same part: the other parts are asked when their Servers are.
    seen.mark(ServerNum(1 + PARTS as i64), [player(1)], at(START + 1));
    assert_eq!(seen.drain(START + 1).len(), 1);
}

#[test]
fn who_names_players_without_end_leaves_room_for_others() {
    let seen = Seen::default();
    let (loud, quiet, share) = (Some(1), Some(2), MOST / 10);
    let many = |first: u64| (first..first + share as u64 + 10_000).map(player);
    for server in 1..=5 {
        seen.put(
            loud,
            ServerNum(server),
            many(server as u64 * 1_000_000),
            at(START),
        );
    }
    seen.put(quiet, ServerNum(99), [player(1), player(2)], at(START));
    let drained = seen.drain(START);
    let of_quiet = drained.iter().filter(|mark| mark.server == ServerNum(99));
    assert_eq!((drained.len(), of_quiet.count()), (share + 2, 2));
    // What is written down makes room for newcomers of the same Server, and after an hour for everybody.
    seen.put(loud, ServerNum(1), many(77_000_000), at(START + 1));
    assert_eq!(seen.drain(START + 1).len(), share);
    seen.drain(START + 2 * HOUR_MS);
    assert!(locked(&seen.shares).is_empty());
}

#[test]
fn a_storm_of_players_stays_within_its_memory() {
    let seen = Seen::default();
    for number in 0..300_000 {
        seen.mark(ServerNum(1), [player(number)], at(START));
    }
    assert_eq!(seen.drain(START).len(), MOST);
    // An hour later their room is free again.
    assert!(seen.drain(START + HOUR_MS).is_empty());
    seen.mark(ServerNum(2), [player(1)], at(START + HOUR_MS));
    assert_eq!(seen.drain(START + HOUR_MS).len(), 1);
}
