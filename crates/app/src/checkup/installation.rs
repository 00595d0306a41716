//! What a Guild needs of Steam, and of the clock of the node that answers.

use domain::log_message::how_long;
use platform::Standing;

use super::{Check, State, Topic};
use crate::notice::Page;
use crate::state::App;
use crate::tenancy::guilds::{Guild, GuildSettings};

/// Dates have whole seconds, and answers take a few.
const SAME_CLOCK_MS: u64 = 60_000;
/// Sign-ins with Steam are refused from five minutes on, and take a while to come back.
const OTHER_CLOCK_MS: u64 = 240_000;

/// Whether it can be found out who is in the Guild's Steam group.
pub(super) fn steam_group(app: &App, guild: &Guild, settings: &GuildSettings) -> Check {
    let check = |state, text: String| Check::new(Topic::SteamGroup, state, text);
    let Some(group) = &settings.steam_group else {
        let text = "No Steam group is set, so players don’t have to be in one.";
        return check(State::Ok, text.to_owned());
    };
    let group = &group.pasted;
    let Some(steam) = &app.platforms.steam_api else {
        let text = format!(
            "Players have to be in the Steam group {group}, but this installation has no key for Steam, so nobody can link. Tell \
             whoever runs it, or take the group away."
        );
        return check(State::Bad, text).fixed_at("Change the group", Page::Guild(guild.id.clone()));
    };
    let (state, how) = how_steam_is(&steam.standing());
    let text = format!("Players have to be in the Steam group {group}. {how}");
    check(state, text)
}

fn how_steam_is(standing: &Standing) -> (State, &'static str) {
    let answered = standing.calls.iter().any(|(outcome, _)| *outcome == "answered");
    if standing.is_paused {
        let text =
            "Steam isn’t answering at the moment, so nobody can be checked. It’s asked again by itself.";
        (State::Warn, text)
    } else if standing.today.is_some_and(|(used, most)| used >= most) {
        let text = "Today’s calls to Steam are used up, so nobody can be checked before midnight UTC.";
        (State::Warn, text)
    } else if answered {
        (State::Ok, "Steam answers.")
    } else {
        (
            State::Unknown,
            "Steam hasn’t been asked since the service was started.",
        )
    }
}

/// Whether this node's clock is right, as far as it is known how far it is ahead.
pub(super) fn clock(ahead_ms: Option<i64>) -> Check {
    let check = |state, text: String| Check::new(Topic::Clock, state, text);
    let Some(ahead_ms) = ahead_ms else {
        let text = "Neither Discord nor Steam has been asked since the service was started, so the clock can’t be compared.";
        return check(State::Unknown, text.to_owned());
    };
    let off_ms = ahead_ms.unsigned_abs();
    if off_ms <= SAME_CLOCK_MS {
        let text = "The installation’s clock agrees with Discord’s and Steam’s.";
        return check(State::Ok, text.to_owned());
    }
    let side = if ahead_ms > 0 { "ahead" } else { "behind" };
    let off = how_long(i64::try_from(off_ms).unwrap_or(i64::MAX));
    let (state, effect) = if off_ms > OTHER_CLOCK_MS {
        (State::Bad, "Sign-ins with Steam fail, so nobody can link.")
    } else {
        (State::Warn, "If it gets worse, sign-ins with Steam fail.")
    };
    let text = format!(
        "The installation’s clock is {side} of Discord’s and Steam’s by {off}. {effect} Only whoever runs this installation can \
         set it right: tell them."
    );
    check(state, text)
}
