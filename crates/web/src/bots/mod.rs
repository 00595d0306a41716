//! What bots of the platform call, and what the dashboard shows and does about them.

mod discord;
mod guilds;
mod interactions;
mod log;
mod members;
mod own;
mod sessions;

use app::bots::register::{self, HeldBot};
use app::error::BotsError;
use app::{App, AppError};
use domain::bot::BotSecretHash;
use domain::platform_id::DiscordId;
use http::Method;

use crate::extract::{Bot, BotRegister};
use crate::routes::Routes;

/// The bots that the service has made.
pub struct Registered;

/// A bot that showed its secret.
type Caller = Bot<Registered>;

impl BotRegister for Registered {
    type Record = HeldBot;

    async fn holder(app: &App, secret: &BotSecretHash) -> Result<Option<HeldBot>, AppError> {
        register::find_holder(app, secret).await
    }

    fn mismatch() -> AppError {
        BotsError::Mismatch.into()
    }
}

pub(crate) fn routes(routes: Routes) -> Routes {
    dashboard_routes(bot_routes(routes))
}

fn dashboard_routes(routes: Routes) -> Routes {
    const DISCORD: &str = "/orgs/{org}/guilds/{guild}/discord";
    const BOT: &str = "/orgs/{org}/guilds/{guild}/bot";
    routes
        .dashboard(
            Method::POST,
            "/orgs/{org}/guilds/{guild}/log-test",
            "Send a test message to the log channel",
            log::test,
        )
        .dashboard(
            Method::GET,
            DISCORD,
            "Look at a Guild's bot, roles and channels",
            discord::get,
        )
        .dashboard(
            Method::POST,
            DISCORD,
            "Read a Guild's bot, roles and channels anew",
            discord::look,
        )
        .dashboard(Method::GET, BOT, "Look at a Guild's Custom Bot", own::get)
        .dashboard(
            Method::POST,
            "/orgs/{org}/guilds/{guild}/bot/token",
            "Give a Guild's Custom Bot a token",
            own::save,
        )
        .dashboard(
            Method::POST,
            "/orgs/{org}/guilds/{guild}/bot/retry",
            "Start a Custom Bot again that failed",
            own::retry,
        )
        .dashboard(Method::DELETE, BOT, "Remove a Guild's Custom Bot", own::remove)
}

fn bot_routes(routes: Routes) -> Routes {
    routes
        .bot(
            Method::GET,
            "/bot/guilds",
            "Guilds that a bot serves, with the keys of their Servers",
            guilds::list,
        )
        .bot(
            Method::POST,
            "/bot/session",
            "Tell how a bot's process is",
            sessions::report,
        )
        .bot(
            Method::POST,
            "/bot/identify",
            "Ask for a new session on Discord's gateway",
            sessions::identify,
        )
        .bot(
            Method::POST,
            "/bot/events",
            "Tell what a bot heard of Guilds",
            sessions::events,
        )
        .bot(
            Method::POST,
            "/bot/members",
            "Tell which members came, went or were changed",
            members::tell,
        )
        .bot(
            Method::POST,
            "/bot/interactions",
            "Answer somebody who used a command or a button",
            interactions::answer,
        )
}

fn discord_id(parameter: &'static str, text: &str) -> Result<DiscordId, AppError> {
    DiscordId::parse(text).map_err(|error| AppError::invalid(parameter, error))
}
