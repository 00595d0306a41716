//! The bodies of the Web API's answers.

use std::borrow::Cow;

use domain::platform_id::SteamId;
use domain::steam_group::{GroupId, Groups};
use serde::Deserialize;

use crate::http::{Answer, Unanswered};
use crate::text::shown_name;

/// What is known about a player in public.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerSummary {
    pub steam_id: SteamId,
    /// Never empty and without control characters.
    pub name: String,
    /// Whether everybody may see the profile.
    pub public: bool,
}

#[derive(Deserialize)]
struct Wrapped<T> {
    response: T,
}

#[derive(Deserialize)]
struct GroupList<'a> {
    success: bool,
    #[serde(default, borrow)]
    groups: Vec<ListedGroup<'a>>,
}

#[derive(Deserialize)]
struct ListedGroup<'a> {
    #[serde(borrow)]
    gid: Cow<'a, str>,
}

/// The groups of one player. Steam says `success: false` for a profile that is private and for an id it cannot place,
/// with status 200, 401 or 403; without that word the two mean that our key was refused.
pub(super) fn groups(answer: &Answer) -> Result<Groups, Unanswered> {
    let status = answer.status.as_u16();
    let read = answer.json::<Wrapped<GroupList<'_>>>();
    match (status, read) {
        (200 | 401 | 403, Ok(Wrapped { response })) if !response.success => Ok(Groups::Hidden),
        (200, Ok(Wrapped { response })) => {
            let groups: Option<Vec<GroupId>> = response
                .groups
                .iter()
                .map(|group| GroupId::parse(&group.gid))
                .collect();
            groups.map(Groups::listed).ok_or(Unanswered::Unreadable)
        }
        (200, Err(unreadable)) => Err(unreadable),
        (_, _) => Err(refused(answer)),
    }
}

/// Steam refuses a key with either of two statuses.
fn refused(answer: &Answer) -> Unanswered {
    match answer.status.as_u16() {
        401 | 403 => Unanswered::Refused,
        _ => answer.unanswered(),
    }
}

#[derive(Deserialize)]
struct Summaries {
    players: Vec<Summary>,
}

#[derive(Deserialize)]
struct Summary {
    steamid: String,
    #[serde(default)]
    personaname: String,
    /// 3 is visible to everybody.
    #[serde(default)]
    communityvisibilitystate: u8,
}

/// Summaries of the players that were asked for and that Steam knows.
pub(super) fn summaries(answer: &Answer, asked: &[SteamId]) -> Result<Vec<PlayerSummary>, Unanswered> {
    if !answer.is_ok() {
        return Err(refused(answer));
    }
    let Wrapped { response } = answer.json::<Wrapped<Summaries>>()?;
    let summary = |found: Summary| {
        let steam_id = SteamId::parse(&found.steamid).ok()?;
        asked.contains(&steam_id).then(|| PlayerSummary {
            name: shown_name(&found.personaname, steam_id.as_str()),
            steam_id,
            public: found.communityvisibilitystate == 3,
        })
    };
    Ok(response.players.into_iter().filter_map(summary).collect())
}

#[derive(Deserialize)]
struct Vanity {
    success: i64,
    #[serde(default)]
    steamid: String,
}

/// The group that a name in an address stands for; nothing when there is none.
pub(super) fn vanity_group(answer: &Answer) -> Result<Option<GroupId>, Unanswered> {
    if !answer.is_ok() {
        return Err(refused(answer));
    }
    let Wrapped { response } = answer.json::<Wrapped<Vanity>>()?;
    match response.success {
        1 => GroupId::parse(&response.steamid)
            .map(Some)
            .ok_or(Unanswered::Unreadable),
        // Steam's word for "no match".
        42 => Ok(None),
        _ => Err(Unanswered::Unreadable),
    }
}
