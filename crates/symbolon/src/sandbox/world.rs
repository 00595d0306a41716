//! Who and what there is in the demo world. The same ids every time.

use app::identity::accounts;
use app::linking::links;
use app::linking::links::LinkRequest;
use app::tenancy::guilds::{GuildChange, NewGuildRequest};
use app::tenancy::{guilds, orgs, servers};
use app::{App, AppError, OrgScope, world_record};
use domain::audit::Actor;
use domain::flow::JoinMode;
use domain::id::GuildId;
use domain::link::{Country, UnlinkCause};
use domain::name::{DisplayName, Slug};
use domain::permission::Role;
use domain::plan::Tier;
use domain::platform_id::{DiscordId, EitherId, SteamId};
use serde::{Deserialize, Serialize};

use super::clock::SandboxClock;
use crate::output::{Failure, refused};

const RECORD: &str = "sandbox_people";
/// In the settings of every database that a sandbox was made in.
const MARK: &str = "sandbox";
const DAY_MS: i64 = 24 * 60 * 60_000;
const COUNTRIES: [&str; 6] = ["DE", "US", "BR", "PL", "SE", "JP"];
/// Discord ids of the demo world start here, Steam ids at the first valid one.
pub const FIRST_DISCORD: u64 = 700_000_000_000_000_000;
pub const FIRST_STEAM: u64 = 76_561_197_960_300_000;
/// The address name of the Steam group that the first Guild asks for.
pub const STEAM_GROUP: &str = "ashfall";
/// Added to a player's number, it is the number of their second Steam account.
const SECOND_ACCOUNT: u64 = 500_000;

/// Somebody to be, and the number that their ids are made from.
pub struct Known {
    pub name: &'static str,
    pub number: u64,
}

const fn known(name: &'static str, number: u64) -> Known {
    Known { name, number }
}

/// The first players of each Org are its team, so their ids are those of seeded links. The last four are new here.
pub const PEOPLE: &[Known] = &[
    known("Ada", 0),
    known("Bruno", 1),
    known("Chen", 2),
    known("Dara", 3_000),
    known("Elif", 3_001),
    known("Finn", 3_002),
    known("Gia", NEWCOMER),
    known("Hugo", NEWCOMER + 1),
    known("Ines", NEWCOMER + 2),
    known("Jona", NEWCOMER + 3),
];
pub const NEWCOMER: u64 = 900_000;

impl Known {
    fn as_person(&self) -> Person {
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

/// The world as it was seeded, made now if the database is empty. Somebody's real database is left alone.
pub async fn ensure(app: &App, clock: &SandboxClock) -> Result<Vec<Person>, Failure> {
    let seeded = world_record::find(app, RECORD).await;
    if let Some(text) = seeded.map_err(|error| refused(&error))? {
        return Ok(serde_json::from_str(&text)?);
    }
    match world_record::mark_empty(app, MARK)
        .await
        .map_err(|error| refused(&error))?
    {
        world_record::Marked::Now => {}
        world_record::Marked::Before => {
            return Err(
                "the demo world in this database was not finished: give the sandbox an empty one".into(),
            );
        }
        world_record::Marked::InUse => {
            return Err(
                "this database is not empty and no sandbox: --sandbox would mix its demo world into it. \
                        Give it a directory or a database of its own"
                    .into(),
            );
        }
    }
    make(app, clock).await.map_err(|error| refused(&error))
}

async fn make(app: &App, clock: &SandboxClock) -> Result<Vec<Person>, AppError> {
    clock.set_offset_ms(-120 * DAY_MS);
    let seeded = seed(app, clock).await;
    clock.set_offset_ms(0);
    let people = seeded?;
    let text = serde_json::to_string(&people).map_err(AppError::internal)?;
    world_record::put(app, RECORD, text).await?;
    Ok(people)
}

async fn seed(app: &App, clock: &SandboxClock) -> Result<Vec<Person>, AppError> {
    let mut people: Vec<Person> = PEOPLE.iter().map(|known| known.as_person()).collect();
    let large = seed_org(app, &mut people, 0, &LARGE).await?;
    let small = seed_org(app, &mut people, 3, &SMALL).await?;
    let operator = accounts::get_by_discord(app, &discord(0)?).await?;
    accounts::grant_operator(app, operator).await?;
    people[0].operator = true;
    seed_links(app, clock, &large, 260).await?;
    seed_links(app, clock, &small, 45).await?;
    Ok(people)
}

pub struct OrgPlan {
    name: &'static str,
    tier: Tier,
    pub guilds: &'static [GuildPlan],
}

pub struct GuildPlan {
    pub name: &'static str,
    pub discord_id: u64,
    pub log_channel: Option<u64>,
    servers: &'static [&'static str],
    /// Players are added to the Discord server and have to be in the Steam group.
    strict: bool,
}

pub const LARGE: OrgPlan = OrgPlan {
    name: "Ashfall Network",
    tier: Tier::Pro,
    guilds: &[
        GuildPlan {
            name: "Ashfall Rust",
            discord_id: 800_000_000_000_000_001,
            log_channel: Some(810_000_000_000_000_001),
            servers: &["Ashfall EU Main", "Ashfall US Solo"],
            strict: true,
        },
        GuildPlan {
            name: "Ashfall Creative",
            discord_id: 800_000_000_000_000_002,
            log_channel: None,
            servers: &["Ashfall Build"],
            strict: false,
        },
    ],
};

pub const SMALL: OrgPlan = OrgPlan {
    name: "Tiny Camp",
    tier: Tier::Free,
    guilds: &[GuildPlan {
        name: "Tiny Camp",
        discord_id: 800_000_000_000_000_003,
        log_channel: Some(810_000_000_000_000_003),
        servers: &["Tiny Camp Weekly"],
        strict: false,
    }],
};

/// Discord servers that no Org has yet: who owns them by number, and whether our bot is there.
pub const UNCLAIMED: &[(GuildPlan, u64, bool)] = &[
    (unclaimed("Ashfall Events", 800_000_000_000_000_004), 0, true),
    (
        unclaimed("Gia's Outpost", 800_000_000_000_000_005),
        NEWCOMER,
        true,
    ),
    (
        unclaimed("Gia's Hideout", 800_000_000_000_000_006),
        NEWCOMER,
        false,
    ),
];

const fn unclaimed(name: &'static str, discord_id: u64) -> GuildPlan {
    GuildPlan {
        name,
        discord_id,
        log_channel: None,
        servers: &[],
        strict: false,
    }
}

struct SeededOrg {
    scope: OrgScope,
    guilds: Vec<GuildId>,
    /// Keeps the players of one Org apart from another's.
    first_player: u64,
}

/// Three people per Org: its owner, an admin and a staff member.
async fn seed_org(
    app: &App,
    people: &mut [Person],
    first: usize,
    plan: &OrgPlan,
) -> Result<SeededOrg, AppError> {
    let mut team = Vec::new();
    for person in &people[first..first + 3] {
        let id = DiscordId::parse(&person.discord_id).map_err(AppError::internal)?;
        team.push(accounts::ensure(app, id, name(&person.name)?).await?);
    }
    let (org_id, scope) =
        orgs::create(app, &team[0], name(plan.name)?, slug(plan.name)?, Actor::System).await?;
    orgs::set_tier(app, scope, plan.tier, domain::audit::Actor::System).await?;
    for (offset, role) in [(0, Role::Owner), (1, Role::Admin), (2, Role::Staff)] {
        if role != Role::Owner {
            orgs::add_member(app, scope, &team[offset], role).await?;
        }
        people[first + offset].memberships.push(MembershipOf {
            org_id: org_id.as_str().to_owned(),
            role,
        });
    }
    let mut guild_ids = Vec::new();
    for guild in plan.guilds {
        let request = NewGuildRequest {
            discord_guild_id: platform(guild.discord_id)?,
            name: name(guild.name)?,
            slug: slug(guild.name)?,
            log_channel_id: guild.log_channel.map(platform).transpose()?,
        };
        let (guild_id, _) = guilds::create(app, scope, request, Actor::System).await?;
        for server in guild.servers {
            servers::create(app, scope, guild_id.clone(), name(server)?, Actor::System).await?;
        }
        if guild.strict {
            let change = GuildChange {
                join_mode: Some(JoinMode::Auto),
                steam_group: Some(Some(format!("https://steamcommunity.com/groups/{STEAM_GROUP}"))),
                ..GuildChange::default()
            };
            guilds::change(app, scope, guild_id.clone(), change, Actor::System).await?;
        }
        guild_ids.push(guild_id);
    }
    Ok(SeededOrg {
        scope,
        guilds: guild_ids,
        first_player: first as u64 * 1_000,
    })
}

/// Players join day by day; some come back with another Steam account, some leave.
async fn seed_links(app: &App, clock: &SandboxClock, org: &SeededOrg, count: u64) -> Result<(), AppError> {
    for index in 0..count {
        clock.set_offset_ms(-120 * DAY_MS + (index as i64 + 1) * 119 * DAY_MS / count as i64);
        let guild = &org.guilds[index as usize % org.guilds.len()];
        let player = org.first_player + index;
        link(
            app,
            org,
            guild,
            player,
            player,
            COUNTRIES[index as usize % COUNTRIES.len()],
        )
        .await?;
        if index % 12 == 11 {
            link(app, org, guild, player, player + SECOND_ACCOUNT, "US").await?;
        }
        if index % 15 == 14 {
            let either = EitherId::Discord(discord(player)?);
            links::unlink(
                app,
                org.scope,
                guild.clone(),
                either,
                UnlinkCause::User,
                Actor::System,
            )
            .await?;
        }
    }
    Ok(())
}

async fn link(
    app: &App,
    org: &SeededOrg,
    guild: &GuildId,
    discord_number: u64,
    steam_number: u64,
    country: &str,
) -> Result<(), AppError> {
    let request = LinkRequest {
        guild: guild.clone(),
        discord_id: discord(discord_number)?,
        steam_id: SteamId::parse(&(FIRST_STEAM + steam_number).to_string()).map_err(AppError::internal)?,
        country: Country::parse(country).ok(),
    };
    let (chat, game) = (nickname(discord_number), nickname(steam_number + 437));
    links::link_named(app, org.scope, request, chat, game, Actor::System)
        .await
        .map(drop)
}

/// A name that follows from the number; the people of the demo keep theirs.
fn nickname(number: u64) -> String {
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

fn discord(number: u64) -> Result<DiscordId, AppError> {
    platform(FIRST_DISCORD + number)
}

fn platform(number: u64) -> Result<DiscordId, AppError> {
    DiscordId::parse(&number.to_string()).map_err(AppError::internal)
}

fn name(text: &str) -> Result<DisplayName, AppError> {
    DisplayName::parse(text).map_err(AppError::internal)
}

fn slug(text: &str) -> Result<Slug, AppError> {
    Slug::from_name(text).ok_or_else(|| AppError::internal(format!("no slug from {text}")))
}
