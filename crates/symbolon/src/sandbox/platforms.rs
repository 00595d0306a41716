//! Steam, Discord and Stripe as the demo world knows them. They forget everything when they end, so they are told each time.

use config::{Config, Prices};
use domain::clock::SharedClock;
use domain::platform_id::SteamId;
use emulator::discord::{Application, Channel, Guild, Member, Permissions, Role, Snowflake, User, Window};
use emulator::steam::{Account, Group};
use emulator::stripe::Catalogue;
use emulator::{Discord, Purpose, Setup, Steam, Stripe};

use super::people::{FIRST_DISCORD, FIRST_STEAM, NEWCOMER, PEOPLE, nickname, picture, steam_name};
use super::world::{BOOSTER_ROLE, GuildPlan, LARGE, SMALL, STEAM_GROUP, UNCLAIMED, VERIFIED_ROLE};
use crate::output::Failure;

const BOT: Snowflake = Snowflake(600_000_000_000_000_001);
const BOT_TOKEN: &str = "sandbox-bot-token";
const CLIENT_SECRET: &str = "sandbox-client-secret";
const API_KEY: &str = "sandbox-steam-key";
const GROUP_ID: u32 = 4_242;
/// Newcomers by number: two are in the Steam group, one is not, and one hides it.
const HIDDEN: u64 = NEWCOMER + 3;
const IN_GROUP: [u64; 2] = [NEWCOMER, NEWCOMER + 1];
/// Linked players that have accounts to sign in with; all of them would not fit on a sign-in page.
const PLAYERS: [std::ops::Range<u64>; 2] = [3..21, 3_003..3_012];
/// Calls that give and take a role.
const MEMBER_ROLES: [&str; 2] = [
    "PUT /api/v10/guilds/{guild}/members/{user}/roles/{role}",
    "DELETE /api/v10/guilds/{guild}/members/{user}/roles/{role}",
];
const CALLBACKS: [&str; 5] = [
    "/auth/discord/link/callback",
    "/auth/discord/unlink/callback",
    "/auth/discord/login/callback",
    "/auth/discord/claim/callback",
    "/auth/discord/me/callback",
];

pub struct Platforms {
    pub steam: Steam,
    pub discord: Discord,
    pub stripe: Stripe,
    /// What is sold.
    pub catalogue: Catalogue,
    /// What events of Stripe are signed with.
    pub webhook_secret: String,
}

impl Platforms {
    /// Starts them and tells them of the demo world.
    pub async fn start(clock: SharedClock, public_url: &str) -> Result<Self, Failure> {
        let setup = Setup::new(clock);
        let stripe = Stripe::start(setup.clone()).await?;
        let started = Self {
            steam: Steam::start(setup.clone()).await?,
            discord: Discord::start(setup).await?,
            catalogue: stripe.seeded_catalogue(),
            webhook_secret: stripe.add_endpoint(&[public_url, "/billing/webhook"].concat()),
            stripe,
        };
        started.tell_steam()?;
        started.tell_discord(public_url)?;
        Ok(started)
    }

    /// From here on the product knows no other Steam, no other Discord and no other Stripe.
    pub fn connect(&self, config: &mut Config) {
        let steam = &mut config.steam;
        steam.api_key = Some(API_KEY.into());
        steam.api_url = self.steam.api_url();
        steam.openid_url = self.steam.openid_url();
        let discord = &mut config.discord;
        discord.client_id = Some(BOT.to_string());
        discord.client_secret = Some(CLIENT_SECRET.into());
        discord.bot_token = Some(BOT_TOKEN.into());
        discord.api_url = self.discord.api_url();
        discord.authorize_url = self.discord.authorize_url();
        discord.cdn_url = self.discord.cdn_url();
        let billing = &mut config.billing;
        billing.secret_key = Some(self.stripe.secret_key().into());
        billing.webhook_secret = Some(self.webhook_secret.as_str().into());
        billing.api_url = self.stripe.api_url();
        billing.prices = prices(&self.catalogue);
    }

    fn tell_steam(&self) -> Result<(), Failure> {
        let group = Group {
            name: "Ashfall".to_owned(),
            vanity: STEAM_GROUP.to_owned(),
        };
        self.steam.change(|state| {
            state.api_keys.insert(API_KEY.to_owned());
            state.groups.insert(GROUP_ID.to_string(), group);
        });
        for (number, purpose) in everybody() {
            let id = SteamId::parse(&(FIRST_STEAM + number).to_string())?;
            let account = Account {
                private: number == HIDDEN,
                purpose: Some(purpose),
                ..Account::named(&steam_name(number))
            };
            self.steam.set_account(&id, account);
            let is_member = number < NEWCOMER || number == HIDDEN || IN_GROUP.contains(&number);
            self.steam.set_membership(&id, GROUP_ID, is_member);
        }
        Ok(())
    }

    fn tell_discord(&self, public_url: &str) -> Result<(), Failure> {
        let application = Application {
            name: "Symbolon".to_owned(),
            token: BOT_TOKEN.to_owned(),
            secret: CLIENT_SECRET.to_owned(),
            redirect_uris: CALLBACKS.map(|path| format!("{public_url}{path}")).to_vec(),
            privileged_intents: 1 << 1,
            ..Application::default()
        };
        self.discord.change(|state| {
            // Whoever was linked before the sandbox began gets their roles in its first seconds.
            for route in MEMBER_ROLES {
                let often = Window {
                    limit: 50,
                    window_ms: 1_000,
                };
                state.limits.routes.insert(route.to_owned(), often);
            }
            state.applications.insert(BOT, application);
            for (number, purpose) in everybody() {
                let name = nickname(number);
                let user = User {
                    username: name.to_lowercase(),
                    global_name: Some(name),
                    avatar: picture(FIRST_DISCORD + number),
                    purpose: Some(purpose),
                    ..User::default()
                };
                state.users.insert(Snowflake(FIRST_DISCORD + number), user);
            }
            for plan in LARGE.guilds {
                state
                    .guilds
                    .insert(Snowflake(plan.discord_id), guild(plan, 0..1_000));
            }
            for plan in SMALL.guilds {
                state
                    .guilds
                    .insert(Snowflake(plan.discord_id), guild(plan, 3_000..4_000));
            }
            for (plan, owner, has_bot) in UNCLAIMED {
                let mut made = guild(plan, *owner..owner + 1);
                if !has_bot {
                    made.members.remove(&BOT);
                }
                state.guilds.insert(Snowflake(plan.discord_id), made);
            }
        })?;
        Ok(())
    }
}

fn prices(catalogue: &Catalogue) -> Prices {
    let (standard, pro) = (&catalogue.standard, &catalogue.pro);
    Prices {
        standard_month: vec![standard.monthly.clone()],
        standard_year: standard.yearly.iter().cloned().collect(),
        pro_month: vec![pro.monthly.clone()],
        pro_year: pro.yearly.iter().cloned().collect(),
        bot_month: vec![catalogue.custom_bot.monthly.clone()],
    }
}

/// Everybody who can sign in: their number and what they are for.
fn everybody() -> impl Iterator<Item = (u64, Purpose)> {
    let purpose = |group: &str, about: &str| Purpose {
        group: group.to_owned(),
        about: about.to_owned(),
    };
    let people = PEOPLE
        .iter()
        .map(move |known| (known.number, purpose(known.group, known.about)));
    let players = PLAYERS.into_iter().zip(["Ashfall", "Tiny Camp"]);
    let players = players.flat_map(move |(numbers, where_to)| {
        numbers.map(move |number| (number, purpose("Be a player", &format!("Plays at {where_to}."))))
    });
    people.chain(players)
}

/// A Discord server with everybody whose number is in the range. Our bot stands above the roles it gives.
fn guild(plan: &GuildPlan, numbers: std::ops::Range<u64>) -> Guild {
    let role = |name: &str, position, permissions| Role {
        name: name.to_owned(),
        position,
        permissions,
        ..Role::default()
    };
    let channel = |name: &str| Channel {
        name: name.to_owned(),
        ..Channel::default()
    };
    // Ids of roles and channels follow from the server's, so that they are the same each time.
    let part = |offset: u64| Snowflake(plan.discord_id + offset);
    let (bots_own, verified, booster, vip) = (
        part(20_000_000_000_000_000),
        part(VERIFIED_ROLE),
        part(BOOSTER_ROLE),
        part(23_000_000_000_000_000),
    );
    let bot = Member {
        roles: vec![bots_own],
        ..Member::default()
    };
    let members = everybody().filter(|(number, _)| numbers.contains(number));
    let members = members.map(|(number, _)| (Snowflake(FIRST_DISCORD + number), Member::default()));
    let mut channels = vec![(part(11_000_000_000_000_000), channel("general"))];
    channels.extend(plan.log_channel.map(|id| (Snowflake(id), channel("link-log"))));
    Guild {
        name: plan.name.to_owned(),
        icon: picture(plan.discord_id),
        owner_id: Some(Snowflake(FIRST_DISCORD + numbers.start)),
        roles: [
            (bots_own, role("Symbolon", 4, powers())),
            (vip, role("VIP", 3, Permissions::default())),
            (booster, role("Booster", 2, Permissions::default())),
            (verified, role("Linked", 1, Permissions::default())),
        ]
        .into(),
        members: members.chain([(BOT, bot)]).collect(),
        channels: channels.into_iter().collect(),
        ..Guild::default()
    }
}

/// What people are asked to give the bot when they add it.
fn powers() -> Permissions {
    Permissions::CREATE_INSTANT_INVITE
        | Permissions::MANAGE_ROLES
        | Permissions::MANAGE_NICKNAMES
        | Permissions::MANAGE_CHANNELS
        | Permissions::VIEW_CHANNEL
        | Permissions::SEND_MESSAGES
        | Permissions::EMBED_LINKS
        | Permissions::READ_MESSAGE_HISTORY
        | Permissions::USE_APPLICATION_COMMANDS
}
