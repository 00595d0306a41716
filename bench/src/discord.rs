//! Unlinks while Discord answers, and while it does not; and what the bot costs to keep running.

use std::sync::Arc;
use std::time::Duration;

use app::tenancy::guild_changes::{self, GuildChange};
use app::tenancy::guilds;
use domain::audit::Actor;
use domain::clock::SystemClock;
use domain::platform_id::DiscordId;
use emulator::discord::{Application, Channel, Guild, Member, Snowflake};
use emulator::{Discord, Fault, FaultKind, Setup};

use crate::Fallible;
use crate::data::{Dataset, discord_guild_id};
use crate::load::Call;
use crate::phase::{COLUMNS, Mistakes, open_phase};
use crate::process::{Server, children, private_bytes};
use crate::report::{Target, heading, line, mebibytes};
use crate::store::{Binaries, Store};

const PER_SECOND: u64 = 100;
const BOT: Snowflake = Snowflake(600_000_000_000_000_001);
const TOKEN: &str = "the-token-of-the-bench";
/// Guilds that the bot is in when its memory is read.
const GUILDS: usize = 100;
/// Time for it to come to rest.
const SETTLE: Duration = Duration::from_secs(10);
/// The bot of a server that was killed is another's only when its lease is over.
const PATIENCE: Duration = Duration::from_secs(60);

/// What was found, over all databases.
#[derive(Default)]
pub struct Found {
    /// The median while Discord hangs, of that while it answers.
    pub median_ratio: f64,
    /// The share of what is allowed for the slowest hundredth while Discord hangs.
    pub p99_share: f64,
    pub bot_mib: f64,
}

impl Found {
    pub fn targets(&self) -> [Target; 3] {
        let most = |what, goal, unit, figure| Target {
            what,
            goal,
            at_least: false,
            unit,
            figure: Some(figure),
        };
        [
            most(
                "remove with Discord hanging, median of healthy",
                1.2,
                "",
                self.median_ratio,
            ),
            most(
                "remove with Discord hanging, p99 of allowed",
                1.0,
                "",
                self.p99_share,
            ),
            most("private memory of the bot, idle", 8.0, " MiB", self.bot_mib),
        ]
    }
}

/// Measures both on every database.
pub async fn with_discord(
    length: Duration,
    stores: &[Store],
    binaries: &Binaries,
    data: &Dataset,
    mistakes: &mut Mistakes,
) -> Fallible<Found> {
    heading(&format!(
        "remove at {PER_SECOND} requests a second, each with a message to Discord"
    ));
    line(COLUMNS);
    let mut found = Found::default();
    for store in stores {
        choose_channels(store, data).await?;
        let discord = emulate(data, data.tenants.len()).await?;
        let server = serve(store, binaries, &discord).await?;
        let healthy = open_phase(&server, Call::Remove, data, length, PER_SECOND, mistakes).await?;
        healthy.print(1, &format!("{} healthy", store.name), None);
        let told: usize = discord.state().messages.values().map(Vec::len).sum();
        if told == 0 {
            return Err("nothing was posted on Discord".into());
        }
        discord.hub().add_fault(Fault::new("*", FaultKind::Hang));
        let hanging = open_phase(&server, Call::Remove, data, length, PER_SECOND, mistakes).await?;
        hanging.print(1, &format!("{} hanging", store.name), None);
        let ratio = hanging.p50_micros as f64 / healthy.p50_micros.max(1) as f64;
        found.median_ratio = found.median_ratio.max(ratio);
        let share = hanging.p99_micros as f64 / 1000.0 / store.allowed_remove_ms();
        found.p99_share = found.p99_share.max(share);
        drop(server);
        found.bot_mib = found.bot_mib.max(bot_memory(store, binaries, data).await?);
    }
    Ok(found)
}

/// What the bot's process uses when it does nothing.
async fn bot_memory(store: &Store, binaries: &Binaries, data: &Dataset) -> Fallible<f64> {
    let discord = emulate(data, GUILDS).await?;
    let server = serve(store, binaries, &discord).await?;
    tokio::time::sleep(SETTLE).await;
    let [bot] = children(server.id())?[..] else {
        return Err("the server runs no bot".into());
    };
    let bytes = private_bytes(bot)?;
    line(&format!(
        "{:<10} bot in {GUILDS} Guilds: {}",
        store.name,
        mebibytes(bytes)
    ));
    Ok(bytes as f64 / (1024.0 * 1024.0))
}

async fn serve(store: &Store, binaries: &Binaries, discord: &Discord) -> Fallible<Server> {
    let api = discord.api_url();
    let settings = [
        ("SYMBOLON_DISCORD_API_URL", api.as_str()),
        ("SYMBOLON_DISCORD_BOT_TOKEN", TOKEN),
    ];
    let server = store.serve_ready_with(binaries, &settings).await?;
    let begun = tokio::time::Instant::now();
    while discord.gateway()["sessions"].as_array().is_none_or(Vec::is_empty) {
        if begun.elapsed() > PATIENCE {
            return Err("the bot did not come online".into());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(server)
}

fn channel_id(tenant: u64) -> u64 {
    discord_guild_id(tenant) + 1_000_000
}

/// Every Guild gets a channel for its messages.
async fn choose_channels(store: &Store, data: &Dataset) -> Fallible<()> {
    let app = store.open().await?;
    for (number, tenant) in (1..).zip(&data.tenants) {
        let scope = guilds::find_org(&app, &tenant.guild).await;
        let scope = scope.map_err(|error| error.internal_detail())?;
        let channel = DiscordId::parse(&channel_id(number).to_string()).map_err(|_| "an id")?;
        let change = GuildChange {
            log_channel_id: Some(Some(channel)),
            ..GuildChange::default()
        };
        let changed = guild_changes::change(&app, scope, tenant.guild.clone(), change, Actor::System).await;
        changed.map_err(|error| error.internal_detail())?;
    }
    app.db.close().await;
    Ok(())
}

/// A Discord whose first servers have our bot, which may do everything there.
async fn emulate(data: &Dataset, guilds: usize) -> Fallible<Discord> {
    let discord = Discord::start(Setup::new(Arc::new(SystemClock))).await?;
    let application = Application {
        name: "Symbolon".to_owned(),
        token: TOKEN.to_owned(),
        ..Application::default()
    };
    discord.change(|state| {
        state.applications.insert(BOT, application);
        for number in 1..=data.tenants.len().min(guilds) as u64 {
            let channel = Channel {
                name: "log".to_owned(),
                ..Channel::default()
            };
            let guild = Guild {
                name: format!("Guild {number}"),
                owner_id: Some(BOT),
                members: [(BOT, Member::default())].into(),
                channels: [(Snowflake(channel_id(number)), channel)].into(),
                ..Guild::default()
            };
            state.guilds.insert(Snowflake(discord_guild_id(number)), guild);
        }
    })?;
    Ok(discord)
}
