//! Applications that talk to emulated platforms.

use std::sync::Arc;

use app::Platforms;
use app::platforms::Selling;
use domain::billing::{Catalogue, Interval, Offer, Product};
use domain::clock::{SharedClock, SystemClock, TestClock};
use domain::plan::Tier;
use domain::platform_id::{DiscordId, SteamId};
use emulator::discord::{Application as KnownApplication, Channel, Guild, Member, Snowflake, User};
use emulator::steam::Account;
use emulator::stripe::PlanPrices;
use emulator::{Discord, Setup, Steam, Stripe};
use platform::discord::cdn::Cdn;
use platform::discord::oauth::Application;
use platform::discord::{Clients, OAuth, Outgoing, Rest};
use platform::steam::{OpenId, WebApi};
use storage::testing::Engine;

use crate::app::{PUBLIC_URL, START_MS, TestApp};
use crate::world::{discord, steam};

/// The key that test applications send to Steam's Web API. No log, row or answer may hold it.
pub const STEAM_KEY: &str = "MARKED-STEAM-WEB-API-KEY";
/// What events of Stripe are signed with in tests.
pub const WEBHOOK_SECRET: &str = "whsec_MARKED-STRIPE-WEBHOOK-SECRET";
/// What they were signed with before.
pub const PREVIOUS_SECRET: &str = "whsec_MARKED-OLD-STRIPE-SECRET";
/// The shared bot, and the application that people sign in with.
pub const APPLICATION: &str = "600000000000000001";
const SECRET: &str = "MARKED-DISCORD-CLIENT-SECRET";
/// The token of our bot on emulated Discords.
pub const BOT_TOKEN: &str = "MARKED-DISCORD-BOT-TOKEN";
const CALLBACKS: [&str; 5] = [
    "/auth/discord/link/callback",
    "/auth/discord/unlink/callback",
    "/auth/discord/login/callback",
    "/auth/discord/claim/callback",
    "/auth/discord/me/callback",
];

impl TestApp {
    /// An application and the Steam that it asks.
    pub async fn start_with_steam(engine: Engine) -> (TestApp, Steam) {
        let setup = Setup::new(Arc::new(SystemClock));
        let steam = Steam::start(setup).await.expect("Steam starts");
        let base = steam.api_url();
        let platforms = |clock| Platforms {
            steam_api: Some(WebApi::new(&base, STEAM_KEY.into(), clock).expect("a client")),
            ..Platforms::default()
        };
        let test = TestApp::start_among(engine, |_| {}, |_| {}, platforms).await;
        (test, steam)
    }

    /// An application that sells, and the Stripe that it sells through; both live by the test's clock.
    pub async fn start_selling(engine: Engine) -> (TestApp, Stripe) {
        let clock = Arc::new(TestClock::new(START_MS));
        let stripe = Stripe::start(Setup::new(Arc::clone(&clock) as SharedClock)).await;
        let stripe = stripe.expect("Stripe starts");
        let platforms = |clock| Platforms {
            stripe: Some(selling(&stripe, clock)),
            ..Platforms::default()
        };
        let test = TestApp::start_at(engine, clock, |_| {}, |_| {}, platforms).await;
        (test, stripe)
    }

    /// What another node that sells through the same account is started with.
    pub fn selling(&self, stripe: &Stripe) -> Platforms {
        Platforms {
            stripe: Some(selling(stripe, Arc::clone(&self.clock) as SharedClock)),
            ..Platforms::default()
        }
    }

    /// An application and both platforms, all of which live by the test's clock.
    pub async fn start_with_platforms(
        engine: Engine,
        change: impl FnOnce(&mut web::Settings),
    ) -> (TestApp, Discord, Steam) {
        let clock = Arc::new(TestClock::new(START_MS));
        let setup = || Setup::new(Arc::clone(&clock) as SharedClock);
        let steam = Steam::start(setup()).await.expect("Steam starts");
        let discord = Discord::start(setup()).await.expect("Discord starts");
        introduce(&discord);
        let shared = Arc::clone(&clock) as SharedClock;
        let outgoing = Outgoing::at(u32::MAX);
        let platforms = Platforms {
            steam_api: Some(
                WebApi::new(&steam.api_url(), STEAM_KEY.into(), shared.clone()).expect("a client"),
            ),
            steam_sign_in: Some(
                OpenId::new(&steam.openid_url(), PUBLIC_URL, shared.clone()).expect("a client"),
            ),
            discord_sign_in: Some(OAuth::new(application(&discord), shared.clone()).expect("a client")),
            // The clock stands still, and a budget would never fill again.
            discord_bot: Some(bot_of(&discord, shared.clone(), &outgoing)),
            own_bots: Some(Clients::new(
                &discord.api_url(),
                PUBLIC_URL,
                shared.clone(),
                outgoing,
            )),
            discord_cdn: Some(Cdn::new(&discord.cdn_url(), shared).expect("a client")),
            alerts: None,
            blobs: None,
            geo: None,
            stripe: Some(closed_shop(Arc::clone(&clock) as SharedClock)),
            webhooks: None,
        };
        let test = TestApp::start_at(engine, clock, |_| {}, change, |_| platforms).await;
        (test, discord, steam)
    }
}

/// A Stripe that nobody reaches: plans are sold, and whoever wants one is told to try again.
pub(crate) fn closed_shop(clock: SharedClock) -> Selling {
    let prices = Offer::ALL.map(|offer| (format!("price_{}", offer.name()), offer));
    Selling {
        api: platform::stripe::Stripe::new("http://127.0.0.1:9", "sk_test_closed".into(), clock)
            .expect("a client"),
        catalogue: Catalogue::new(prices),
        webhook_secrets: vec![WEBHOOK_SECRET.into(), PREVIOUS_SECRET.into()],
        portal: None,
    }
}

/// What an emulated Stripe sells for us. Its events go nowhere: tests hand them over as they like.
pub fn selling(stripe: &Stripe, clock: SharedClock) -> Selling {
    let sold = stripe.seeded_catalogue();
    let offer = |tier, interval| Offer::new(Product::Plan(tier), interval);
    let yearly = |plan: &PlanPrices| plan.yearly.clone().unwrap_or_default();
    let prices = [
        (
            sold.standard.monthly.clone(),
            offer(Tier::Standard, Interval::Month),
        ),
        (yearly(&sold.standard), offer(Tier::Standard, Interval::Year)),
        (sold.pro.monthly.clone(), offer(Tier::Pro, Interval::Month)),
        (yearly(&sold.pro), offer(Tier::Pro, Interval::Year)),
        (sold.custom_bot.monthly, Offer::new(Product::Bot, Interval::Month)),
    ];
    Selling {
        api: platform::stripe::Stripe::new(&stripe.api_url(), stripe.secret_key().into(), clock)
            .expect("a client"),
        catalogue: Catalogue::new(prices),
        webhook_secrets: vec![WEBHOOK_SECRET.into(), PREVIOUS_SECRET.into()],
        portal: None,
    }
}

/// Both platforms by the real clock, and the settings of a real node that asks them.
pub async fn start_platforms() -> (Discord, Steam, Vec<(&'static str, String)>) {
    let setup = || Setup::new(Arc::new(SystemClock));
    let steam = Steam::start(setup()).await.expect("Steam starts");
    let discord = Discord::start(setup()).await.expect("Discord starts");
    introduce(&discord);
    let settings = vec![
        // Fixed, so that the next process may go on with what the last one began.
        ("SYMBOLON_SERVER_PUBLIC_URL", PUBLIC_URL.to_owned()),
        ("SYMBOLON_DISCORD_CLIENT_ID", APPLICATION.to_owned()),
        ("SYMBOLON_DISCORD_CLIENT_SECRET", SECRET.to_owned()),
        ("SYMBOLON_DISCORD_API_URL", discord.api_url()),
        ("SYMBOLON_DISCORD_AUTHORIZE_URL", discord.authorize_url()),
        ("SYMBOLON_DISCORD_CDN_URL", discord.cdn_url()),
        ("SYMBOLON_STEAM_API_KEY", STEAM_KEY.to_owned()),
        ("SYMBOLON_STEAM_API_URL", steam.api_url()),
        ("SYMBOLON_STEAM_OPENID_URL", steam.openid_url()),
    ];
    (discord, steam, settings)
}

/// Our bot as a client of an emulated Discord that knows it.
pub fn bot_of(discord: &Discord, clock: SharedClock, outgoing: &Outgoing) -> Rest {
    Rest::new(&discord.api_url(), PUBLIC_URL, BOT_TOKEN.into(), clock, outgoing).expect("a client")
}

/// A Discord that knows our bot, by a clock that stands still.
pub async fn start_discord() -> (Discord, Arc<TestClock>) {
    let clock = Arc::new(TestClock::new(START_MS));
    let setup = Setup::new(Arc::clone(&clock) as SharedClock);
    let discord = Discord::start(setup).await.expect("Discord starts");
    introduce(&discord);
    (discord, clock)
}

fn application(discord: &Discord) -> Application {
    Application {
        client_id: DiscordId::parse(APPLICATION).expect("an id"),
        client_secret: SECRET.into(),
        api_url: discord.api_url(),
        authorize_url: discord.authorize_url(),
        public_url: PUBLIC_URL.to_owned(),
    }
}

/// Makes our application known to Discord.
fn introduce(discord: &Discord) {
    let application = KnownApplication {
        name: "Symbolon".to_owned(),
        token: BOT_TOKEN.to_owned(),
        secret: SECRET.to_owned(),
        redirect_uris: CALLBACKS.map(|path| format!("{PUBLIC_URL}{path}")).to_vec(),
        privileged_intents: 1 << 1,
        ..KnownApplication::default()
    };
    let bot = User {
        username: "symbolon".to_owned(),
        bot: true,
        ..User::default()
    };
    let changed = discord.change(|state| {
        state.users.insert(snowflake(APPLICATION), bot);
        state.applications.insert(snowflake(APPLICATION), application);
        // The clock stands still unless a test moves it, and buckets would never fill again.
        state.limits.enforced = false;
    });
    changed.expect("an application");
}

fn snowflake(text: &str) -> Snowflake {
    text.parse().expect("an id")
}

/// A person with an account on both platforms, called "Player" and the number.
pub fn add_player(discord_side: &Discord, steam_side: &Steam, number: u64) {
    rename_player(discord_side, steam_side, number, &format!("Player {number}"));
}

pub fn rename_player(discord_side: &Discord, steam_side: &Steam, number: u64, name: &str) {
    let user = User {
        username: format!("player{number}"),
        global_name: Some(name.to_owned()),
        ..User::default()
    };
    let id = snowflake(discord(number).as_str());
    let changed = discord_side.change(|state| state.users.insert(id, user));
    changed.expect("a person");
    let account = Account {
        name: name.to_owned(),
        ..Account::default()
    };
    steam_side.set_account(&steam(number), account);
}

pub fn add_steam_account(steam_side: &Steam, id: &SteamId) {
    let account = Account {
        name: "Shared".to_owned(),
        ..Account::default()
    };
    steam_side.set_account(id, account);
}

/// Whether Steam shows a player's groups to us.
pub fn hide_groups(steam_side: &Steam, number: u64, hidden: bool) {
    steam_side.change(|state| {
        state.accounts.entry(steam(number)).or_default().private = hidden;
    });
}

/// The channel for messages of a Discord server that a tenant has, or that `add_guild` made.
pub fn log_channel(guild: &DiscordId) -> DiscordId {
    let number: u64 = guild.as_str().parse().expect("a number");
    DiscordId::parse(&(number + 10_000_000).to_string()).expect("a Discord id")
}

/// Gives a Discord server another picture.
pub fn set_icon(discord_side: &Discord, guild: &DiscordId, icon: &str) {
    let changed = discord_side.change(|state| {
        state.guilds.entry(snowflake(guild.as_str())).or_default().icon = Some(icon.to_owned());
    });
    changed.expect("the picture is changed");
}

/// Gives a person another picture.
pub fn set_avatar(discord_side: &Discord, person: &DiscordId, avatar: &str) {
    let changed = discord_side.change(|state| {
        state.users.entry(snowflake(person.as_str())).or_default().avatar = Some(avatar.to_owned());
    });
    changed.expect("the picture is changed");
}

/// A Discord server of our bot, which may do everything there, with a channel for messages.
pub fn add_guild(discord_side: &Discord, guild: &DiscordId, name: &str) {
    let bot = snowflake(APPLICATION);
    let channel = Channel {
        name: "log".to_owned(),
        ..Channel::default()
    };
    let made = Guild {
        name: name.to_owned(),
        owner_id: Some(bot),
        members: [(bot, Member::default())].into(),
        channels: [(snowflake(log_channel(guild).as_str()), channel)].into(),
        ..Guild::default()
    };
    let id = snowflake(guild.as_str());
    let changed = discord_side.change(|state| state.guilds.insert(id, made));
    changed.expect("a guild");
}

pub fn add_member(discord_side: &Discord, guild: &DiscordId, person: &DiscordId) {
    let (guild, person) = (snowflake(guild.as_str()), snowflake(person.as_str()));
    let changed = discord_side.change(|state| {
        if let Some(guild) = state.guilds.get_mut(&guild) {
            guild.members.insert(person, Member::default());
        }
    });
    changed.expect("a member");
}

pub fn is_member(discord_side: &Discord, guild: &DiscordId, person: &DiscordId) -> bool {
    let (guild, person) = (snowflake(guild.as_str()), snowflake(person.as_str()));
    let state = discord_side.state();
    state
        .guilds
        .get(&guild)
        .is_some_and(|guild| guild.members.contains_key(&person))
}
