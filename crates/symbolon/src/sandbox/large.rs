//! An Org with a great many people, for looking at the dashboard as the largest customers do. It comes in like the links
//! of another system.

use app::import::{self, Ended, ImportRow, ImportSlice, MOST_ROWS};
use app::tenancy::servers;
use app::{App, AppError, work};
use domain::link::{Country, UnlinkCause};
use domain::plan::Tier;
use domain::platform_id::SteamId;

use super::people::{FIRST_STEAM, Person, nickname, steam_name};
use super::world::{GuildPlan, OrgPlan, discord, seed_org};

const ACTIVE: u64 = 100_000;
/// Half of them are earlier links of people who are linked now, half of people who left.
const ENDED: u64 = 400_000;
/// Beyond all other players of the world.
const FIRST_PLAYER: u64 = 10_000_000;
const DAY_MS: i64 = 24 * 60 * 60_000;
const COUNTRIES: [&str; 9] = ["DE", "US", "BR", "PL", "SE", "JP", "FR", "AU", "CA"];

const PLAN: OrgPlan = OrgPlan {
    name: "Great Plains",
    tier: Tier::Pro,
    guilds: &[GuildPlan {
        name: "Great Plains",
        discord_id: 800_000_000_000_000_008,
        log_channel: None,
        servers: &["Great Plains Vanilla"],
        strict: false,
    }],
};

/// Made by the owner of the first Org.
pub async fn seed(app: &App, people: &mut [Person]) -> Result<(), AppError> {
    let org = seed_org(app, people, 0, &PLAN).await?;
    let guild = org
        .guilds
        .first()
        .ok_or_else(|| AppError::internal("a plan without a Guild"))?;
    let server = servers::list(app, org.scope).await?.into_iter().next();
    let now_ms = app.now_ms();
    let mut rows = (0..ACTIVE + ENDED).map(|index| row(index, now_ms));
    loop {
        let slice: Vec<ImportRow> = rows.by_ref().take(MOST_ROWS).collect::<Result<_, _>>()?;
        if slice.is_empty() {
            break;
        }
        let slice = ImportSlice {
            guild: guild.clone(),
            server: server.as_ref().map(|server| server.id.clone()),
            rows: slice,
            write: true,
            planned: 0,
        };
        import::run(app, org.scope, slice).await?;
    }
    work::catch_up_with_people(app).await
}

fn row(index: u64, now_ms: i64) -> Result<ImportRow, AppError> {
    let is_active = index < ACTIVE;
    let earlier = (index - ACTIVE.min(index)) / ACTIVE;
    // Two rounds of earlier links, then two of people who left.
    let person = if is_active || earlier < 2 {
        index % ACTIVE
    } else {
        index
    };
    let number = FIRST_PLAYER + person;
    let age = (person % 700) as i64 + 1;
    let linked_at_ms = now_ms - (age + 800 * i64::from(!is_active) + 3 * earlier as i64) * DAY_MS;
    let groups = match person {
        person if person.is_multiple_of(997) => Some("admin"),
        person if person.is_multiple_of(211) => Some("moderator"),
        person if person.is_multiple_of(9) => Some("vip"),
        person if person.is_multiple_of(2) => Some("default"),
        _ => None,
    };
    let country = COUNTRIES[person as usize % COUNTRIES.len()];
    Ok(ImportRow {
        discord_id: discord(number)?,
        steam_id: SteamId::parse(&(FIRST_STEAM + number).to_string()).map_err(AppError::internal)?,
        discord_name: Some(nickname(number)),
        steam_name: Some(steam_name(number)),
        country: Country::parse(country).ok(),
        booster: false,
        groups: groups.filter(|_| is_active).map(str::to_owned),
        linked_at_ms: Some(linked_at_ms),
        ended: (!is_active).then(|| Ended {
            at_ms: Some(linked_at_ms + DAY_MS),
            cause: if person.is_multiple_of(5) {
                UnlinkCause::User
            } else {
                UnlinkCause::Admin
            },
        }),
    })
}
