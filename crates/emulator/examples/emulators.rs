//! The emulators with a small world, for programs that are not written in Rust.
//!
//! Prints one line of JSON with the addresses, then runs until its input ends.
#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a program for tests, whose output is its purpose"
)]

use std::sync::Arc;

use domain::clock::SystemClock;
use domain::platform_id::SteamId;
use emulator::discord::{Application, Channel, Guild, Member, Permissions, Role, Snowflake, User};
use emulator::steam::Account;
use emulator::{Discord, Setup, Steam, Stripe};
use serde_json::json;
use tokio::io::AsyncReadExt;

const BOT: Snowflake = Snowflake(900_000_000_000_000_001);
const ADA: Snowflake = Snowflake(700_000_000_000_000_001);
const BRUNO: Snowflake = Snowflake(700_000_000_000_000_002);
const GUILD: Snowflake = Snowflake(800_000_000_000_000_001);
const BOTS_OWN: Snowflake = Snowflake(820_000_000_000_000_002);
const HIGH: Snowflake = Snowflake(820_000_000_000_000_003);
const LOG: Snowflake = Snowflake(810_000_000_000_000_001);
const STEAM: &str = "76561197960300001";

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let setup = Setup::new(Arc::new(SystemClock));
    let steam = Steam::start(setup.clone()).await?;
    steam.set_account(&SteamId::parse(STEAM).expect("a Steam id"), Account::named("Ada"));
    let discord = Discord::start(setup.clone()).await?;
    discord
        .change(|state| {
            state.users.insert(ADA, User::named("ada"));
            state.users.insert(BRUNO, User::named("bruno"));
            state.applications.insert(BOT, application());
            state.guilds.insert(GUILD, guild());
        })
        .expect("a world that fits together");
    let stripe = Stripe::start(setup).await?;
    let sold = stripe.seeded_catalogue();
    let addresses = json!({
        "steam": {"openid": steam.openid_url(), "api": steam.api_url(), "control": steam.control_url(), "account": STEAM},
        "discord": {
            "api": discord.api_url(), "authorize": discord.authorize_url(), "gateway": discord.gateway_url(),
            "control": discord.control_url(), "bot": BOT, "token": application().token,
            "secret": application().secret, "redirect_uri": application().redirect_uris[0],
            "guild": GUILD, "channel": LOG, "owner": ADA, "member": BRUNO, "high_role": HIGH,
        },
        "stripe": {
            "api": stripe.api_url(), "control": stripe.control_url(), "key": stripe.secret_key(),
            "product": sold.standard.product, "standard": sold.standard.monthly, "pro": sold.pro.monthly,
        },
    });
    println!("{addresses}");
    // Whoever started this holds the other end.
    let mut rest = Vec::new();
    tokio::io::stdin().read_to_end(&mut rest).await.map(drop)
}

fn application() -> Application {
    Application {
        name: "Symbolon".to_owned(),
        token: "OTAwMDAwMDAwMDAwMDAwMDAx.emulated.token".to_owned(),
        secret: "emulated-secret".to_owned(),
        redirect_uris: vec!["http://127.0.0.1:8080/auth/discord/callback".to_owned()],
        privileged_intents: 1 << 1,
        ..Application::default()
    }
}

fn guild() -> Guild {
    let role = |name: &str, position, permissions| Role {
        name: name.to_owned(),
        position,
        permissions,
        ..Role::default()
    };
    let powers = Permissions::MANAGE_ROLES | Permissions::MANAGE_NICKNAMES | Permissions::MANAGE_CHANNELS;
    let member = |roles: &[Snowflake]| Member {
        roles: roles.to_vec(),
        ..Member::default()
    };
    let log = Channel {
        name: "log".to_owned(),
        ..Channel::default()
    };
    Guild {
        name: "Ashfall".to_owned(),
        owner_id: Some(ADA),
        roles: [
            (BOTS_OWN, role("Symbolon", 1, powers)),
            (HIGH, role("Admin", 2, Permissions::ADMINISTRATOR)),
        ]
        .into(),
        members: [
            (ADA, member(&[])),
            (BRUNO, member(&[])),
            (BOT, member(&[BOTS_OWN])),
        ]
        .into(),
        channels: [(LOG, log)].into(),
        ..Guild::default()
    }
}
