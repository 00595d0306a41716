//! Who there is in the demo world, by the numbers that their ids are made from.

use domain::permission::Role;
use serde::{Deserialize, Serialize};

/// Discord ids of the demo world start here, Steam ids at the first valid one.
pub const FIRST_DISCORD: u64 = 700_000_000_000_000_000;
pub const FIRST_STEAM: u64 = 76_561_197_960_300_000;

/// Somebody to be, the number that their ids are made from, and what the sign-in pages say they are for.
pub struct DemoPerson {
    pub name: &'static str,
    pub number: u64,
    pub group: &'static str,
    pub about: &'static str,
}

const fn runs(name: &'static str, number: u64, about: &'static str) -> DemoPerson {
    let group = "Run a community";
    DemoPerson {
        name,
        number,
        group,
        about,
    }
}

const fn is_new(name: &'static str, offset: u64, about: &'static str) -> DemoPerson {
    DemoPerson {
        name,
        number: NEWCOMER + offset,
        group: "Start from scratch",
        about,
    }
}

/// The first players of each Org are its team, so their ids are those of seeded links. The last four are new here.
pub const PEOPLE: &[DemoPerson] = &[
    runs(
        "Ada",
        0,
        "Owns Ashfall Network, where everything is set up, and Quiet Harbour, where nothing is. Operator.",
    ),
    runs("Bruno", 1, "Admin of Ashfall Network."),
    runs("Chen", 2, "Staff at Ashfall Network, with few permissions."),
    runs("Dara", 3_000, "Owns Tiny Camp, on the Free plan."),
    runs("Elif", 3_001, "Admin of Tiny Camp."),
    runs("Finn", 3_002, "Staff of Tiny Camp."),
    is_new(
        "Gia",
        0,
        "Has two Discord servers to claim, one without our bot. Can link everywhere.",
    ),
    is_new("Hugo", 1, "Can link everywhere."),
    is_new("Ines", 2, "Not in the Steam group that Ashfall Rust requires."),
    is_new(
        "Jona",
        3,
        "Has a private Steam profile, so the group cannot be checked.",
    ),
];
pub const NEWCOMER: u64 = 900_000;

impl DemoPerson {
    pub fn as_person(&self) -> Person {
        Person {
            name: self.name.to_owned(),
            discord_id: (FIRST_DISCORD + self.number).to_string(),
            steam_id: (FIRST_STEAM + self.number).to_string(),
            operator: false,
            memberships: Vec::new(),
        }
    }
}

/// A person of the demo world.
#[derive(Clone, Serialize, Deserialize)]
pub struct Person {
    pub name: String,
    pub discord_id: String,
    pub steam_id: String,
    pub operator: bool,
    pub memberships: Vec<MembershipOf>,
}

#[derive(Clone, Serialize, Deserialize)]
pub struct MembershipOf {
    pub org_id: String,
    pub role: Role,
}

/// A name that follows from the number; the people of the demo keep theirs.
pub fn nickname(number: u64) -> String {
    const FIRST: [&str; 12] = [
        "ash", "frost", "iron", "moss", "night", "pine", "quartz", "river", "salt", "storm", "tin", "wolf",
    ];
    const SECOND: [&str; 10] = [
        "bear", "crow", "digger", "fox", "hawk", "lynx", "owl", "rook", "smith", "walker",
    ];
    if let Some(known) = PEOPLE.iter().find(|known| known.number == number) {
        return known.name.to_owned();
    }
    let (first, second) = (
        number as usize % FIRST.len(),
        number as usize / FIRST.len() % SECOND.len(),
    );
    format!("{}{}{}", FIRST[first], SECOND[second], number % 100)
}

/// Discord's name for the picture of a person or a server, which follows from the id. One in four has none.
pub fn picture(discord_id: u64) -> Option<String> {
    (discord_id % 4 != 3).then(|| format!("{discord_id:032x}"))
}

/// Players call themselves differently on Steam.
pub fn steam_name(number: u64) -> String {
    if PEOPLE.iter().any(|known| known.number == number) {
        return nickname(number);
    }
    nickname(number + 437)
}
