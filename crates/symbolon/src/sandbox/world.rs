//! Who and what there is in the demo world. The same ids every time.

use app::identity::accounts;
use app::linking::links;
use app::linking::links::LinkRequest;
use app::pictures::{self, Owner};
use app::tenancy::guild_changes::{self, GuildChange};
use app::tenancy::guilds::NewGuildRequest;
use app::tenancy::navigation::TypedLink;
use app::tenancy::{guilds, navigation, orgs, servers};
use app::{App, AppError, OrgScope, work, world_record};
use domain::audit::Actor;
use domain::face::Accent;
use domain::flow::JoinMode;
use domain::id::GuildId;
use domain::link::{Country, UnlinkCause};
use domain::name::{DisplayName, Slug};
use domain::permission::Role;
use domain::plan::Tier;
use domain::platform_id::{DiscordId, EitherId, SteamId};

use super::clock::SandboxClock;
use super::large;
use super::people::{
    FIRST_DISCORD, FIRST_STEAM, MembershipOf, NEWCOMER, PEOPLE, Person, nickname, picture, steam_name,
};
use crate::output::{Failure, refused};

const RECORD: &str = "sandbox_people";
/// In the settings of every database that a sandbox was made in.
const MARK: &str = "sandbox";
const DAY_MS: i64 = 24 * 60 * 60_000;
const COUNTRIES: [&str; 6] = ["DE", "US", "BR", "PL", "SE", "JP"];
/// The address name of the Steam group that the first Guild asks for.
pub const STEAM_GROUP: &str = "ashfall";
/// Added to the id of a Discord server, they are the ids of its roles.
pub const VERIFIED_ROLE: u64 = 21_000_000_000_000_000;
pub const BOOSTER_ROLE: u64 = 22_000_000_000_000_000;
/// The Org in which nothing is set up.
const EMPTY: &str = "Quiet Harbour";
/// Added to a player's number, it is the number of their second Steam account.
const SECOND_ACCOUNT: u64 = 500_000;

/// The world as it was seeded, made now if the database is empty. Somebody's real database is left alone.
pub async fn ensure(app: &App, clock: &SandboxClock, is_large: bool) -> Result<Vec<Person>, Failure> {
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
                "the demo world in this database is incomplete: start the sandbox with an empty database"
                    .into(),
            );
        }
        world_record::Marked::InUse => {
            return Err(
                "this database is in use and not a sandbox: --sandbox would mix its demo world into it. \
                        Give it a directory or a database of its own"
                    .into(),
            );
        }
    }
    make(app, clock, is_large).await.map_err(|error| refused(&error))
}

async fn make(app: &App, clock: &SandboxClock, is_large: bool) -> Result<Vec<Person>, AppError> {
    clock.set_offset_ms(-120 * DAY_MS);
    let seeded = seed(app, clock).await;
    clock.set_offset_ms(0);
    let mut people = seeded?;
    if is_large {
        large::seed(app, &mut people).await?;
    }
    let text = serde_json::to_string(&people).map_err(AppError::internal)?;
    world_record::put(app, RECORD, text).await?;
    Ok(people)
}

async fn seed(app: &App, clock: &SandboxClock) -> Result<Vec<Person>, AppError> {
    let mut people: Vec<Person> = PEOPLE.iter().map(|known| known.as_person()).collect();
    let large = seed_org(app, &mut people, 0, &LARGE).await?;
    let small = seed_org(app, &mut people, 3, &SMALL).await?;
    dress(app, &large).await?;
    seed_empty_org(app, &mut people[0]).await?;
    let operator = accounts::get_by_discord(app, &discord(0)?).await?;
    accounts::grant_operator(app, operator).await?;
    people[0].operator = true;
    seed_links(app, clock, &large, 260).await?;
    seed_links(app, clock, &small, 45).await?;
    // Scores have a history, too.
    for days in [60, 30, 0] {
        clock.set_offset_ms(-days * DAY_MS);
        work::catch_up_with_people(app).await?;
    }
    Ok(people)
}

pub struct OrgPlan {
    pub name: &'static str,
    pub tier: Tier,
    pub guilds: &'static [GuildPlan],
}

pub struct GuildPlan {
    pub name: &'static str,
    pub discord_id: u64,
    pub log_channel: Option<u64>,
    pub servers: &'static [&'static str],
    /// Players are added to the Discord server and have to be in the Steam group.
    pub strict: bool,
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
            log_channel: Some(810_000_000_000_000_002),
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
    (unclaimed("Harbour Lights", 800_000_000_000_000_007), 0, false),
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

/// What players see on the link pages of the large Org.
async fn dress(app: &App, org: &SeededOrg) -> Result<(), AppError> {
    let button = |label: &str, url: &str, icon: &str| TypedLink {
        label: label.to_owned(),
        url: url.to_owned(),
        icon: icon.to_owned(),
        new_tab: true,
    };
    let buttons = [
        button("Shop", "https://shop.ashfall.example/", "shop"),
        button("Rules", "https://ashfall.example/rules", "news"),
    ];
    let accents = org
        .guilds
        .iter()
        .cloned()
        .zip([Accent::Violet, Accent::Teal])
        .collect();
    navigation::replace(app, org.scope, &buttons, accents, None, Actor::System)
        .await
        .map(drop)
}

/// An Org as it is right after it was made.
async fn seed_empty_org(app: &App, owner: &mut Person) -> Result<(), AppError> {
    let id = DiscordId::parse(&owner.discord_id).map_err(AppError::internal)?;
    let account = accounts::get_by_discord(app, &id).await?;
    let (org_id, _) = orgs::create(app, &account, name(EMPTY)?, slug(EMPTY)?, Actor::System).await?;
    owner.memberships.push(MembershipOf {
        org_id: org_id.as_str().to_owned(),
        role: Role::Owner,
    });
    Ok(())
}

pub(super) struct SeededOrg {
    pub scope: OrgScope,
    pub guilds: Vec<GuildId>,
    /// Keeps the players of one Org apart from another's.
    first_player: u64,
}

/// Three people per Org: its owner, an admin and a staff member.
pub(super) async fn seed_org(
    app: &App,
    people: &mut [Person],
    first: usize,
    plan: &OrgPlan,
) -> Result<SeededOrg, AppError> {
    let mut team = Vec::new();
    for person in &people[first..first + 3] {
        let id = DiscordId::parse(&person.discord_id).map_err(AppError::internal)?;
        let account = accounts::ensure(app, id, name(&person.name)?).await?;
        // As if they had signed in once.
        let source = picture(person.discord_id.parse().map_err(AppError::internal)?);
        pictures::keep(app, &Owner::Account(account.clone()), source.as_deref()).await?;
        team.push(account);
    }
    let (org_id, scope) =
        orgs::create(app, &team[0], name(plan.name)?, slug(plan.name)?, Actor::System).await?;
    app::billing::grants::set_tier(app, scope, plan.tier, domain::audit::Actor::System).await?;
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
        let mut change = GuildChange {
            verified_roles: Some(vec![platform(guild.discord_id + VERIFIED_ROLE)?]),
            booster_roles: Some(vec![platform(guild.discord_id + BOOSTER_ROLE)?]),
            ..GuildChange::default()
        };
        if guild.strict {
            change.join_mode = Some(JoinMode::Auto);
            change.steam_group = Some(Some(format!("https://steamcommunity.com/groups/{STEAM_GROUP}")));
        }
        guild_changes::change(app, scope, guild_id.clone(), change, Actor::System).await?;
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
    let (chat, game) = (nickname(discord_number), steam_name(steam_number));
    links::link_named(app, org.scope, request, chat, game, Actor::System)
        .await
        .map(drop)
}

pub(super) fn discord(number: u64) -> Result<DiscordId, AppError> {
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
