//! What a Guild asks for besides both accounts, as steps of the link page.

use app::linking::Shown;
use domain::flow::{Finding, JoinMode, StepState};

use crate::public::texts::Texts;

/// Where Steam's own people change who sees their groups; it leads everybody to their own page.
const STEAM_PRIVACY: &str = "https://steamcommunity.com/my/edit/settings";

/// A step that is looked up.
pub(super) struct Check {
    pub class: &'static str,
    pub done: bool,
    pub number: u8,
    pub title: &'static str,
    pub text: &'static str,
    /// A place elsewhere where it is put right, and what its button says.
    pub way: Option<(String, &'static str)>,
    pub is_steam: bool,
    pub offers_join: bool,
}

pub(super) fn checks(shown: &Shown, texts: &Texts) -> Vec<Check> {
    let mut checks = Vec::new();
    checks.extend(member_check(shown, texts));
    checks.extend(group_check(shown, texts));
    for (number, check) in (3..).zip(&mut checks) {
        check.number = number;
    }
    checks
}

/// The headings of what is not done yet.
pub(super) fn open_steps(shown: &Shown, texts: &Texts) -> Vec<&'static str> {
    let steps = &shown.steps;
    let named = [
        (Some(steps.discord), texts.discord_step),
        (Some(steps.steam), texts.steam_step),
        (steps.member, texts.member_step),
        (steps.group, texts.group_step),
    ];
    let open = named
        .into_iter()
        .filter(|(state, _)| state.is_some_and(|state| state != StepState::Done));
    open.map(|(_, name)| name).collect()
}

fn member_check(shown: &Shown, texts: &Texts) -> Option<Check> {
    let state = shown.steps.member?;
    let is_auto = shown.page.join_mode == JoinMode::Auto;
    let text = match state {
        StepState::Later => texts.member_later,
        StepState::Now if is_auto => texts.member_auto,
        StepState::Now => texts.member_ask,
        StepState::Done => texts.member_yes,
        StepState::Open(Finding::No | Finding::Yes) => texts.member_no,
        StepState::Open(Finding::Hidden | Finding::Unknown) => texts.member_unknown,
    };
    let is_open = matches!(state, StepState::Now | StepState::Open(_));
    let invite = shown.page.invite_url.clone().filter(|_| is_open && !is_auto);
    Some(Check {
        class: class_of(state),
        done: state == StepState::Done,
        number: 0,
        title: texts.member_step,
        text,
        way: invite.map(|url| (url, texts.member_invite)),
        is_steam: false,
        offers_join: is_open && is_auto,
    })
}

fn group_check(shown: &Shown, texts: &Texts) -> Option<Check> {
    let state = shown.steps.group?;
    let (_, group) = shown.page.steam_group.as_ref()?;
    let text = match state {
        StepState::Later | StepState::Now => texts.group_ask,
        StepState::Done => texts.group_yes,
        StepState::Open(Finding::No | Finding::Yes) => texts.group_no,
        StepState::Open(Finding::Hidden) => texts.group_hidden,
        StepState::Open(Finding::Unknown) => texts.group_unknown,
    };
    let way = if state == StepState::Open(Finding::Hidden) {
        (STEAM_PRIVACY.to_owned(), texts.group_privacy)
    } else {
        let group = format!("https://steamcommunity.com/gid/{}", group.long());
        (group, texts.group_open)
    };
    Some(Check {
        class: class_of(state),
        done: state == StepState::Done,
        number: 0,
        title: texts.group_step,
        text,
        way: Some(way),
        is_steam: true,
        offers_join: false,
    })
}

fn class_of(state: StepState) -> &'static str {
    match state {
        StepState::Later => "later",
        StepState::Done => "done",
        StepState::Now | StepState::Open(_) => "",
    }
}
