//! The clients for other people's systems, as far as this installation is set up for them.

use config::Config;
use domain::billing::{Catalogue, Interval, Offer, Product};
use domain::clock::SharedClock;
use domain::flow::Provider;
use domain::job::LaneKind;
use domain::plan::Tier;
use domain::platform_id::DiscordId;
pub use platform::blobs::Blobs;
use platform::blobs::Bucket;
use platform::discord::cdn::Cdn;
use platform::discord::oauth::Application;
use platform::discord::{AlertSink, Clients, OAuth, Outgoing, Rest, Webhook};
use platform::geo::Geo;
use platform::steam::{OpenId, WebApi};
use platform::stripe::Stripe;
use platform::webhooks::Webhooks;
use platform::{SetupError, Standing};
use secrecy::SecretString;

use crate::error::{AppError, IdentityError, PlayersError};

/// What is missing here is answered with a code that says which setting it needs.
#[derive(Default)]
pub struct Platforms {
    /// Names and groups of players; needs `steam.api_key`.
    pub steam_api: Option<WebApi>,
    /// Needs nothing but a public address over https.
    pub steam_sign_in: Option<OpenId>,
    /// Needs `discord.client_id` and its secret.
    pub discord_sign_in: Option<OAuth>,
    /// What our shared bot can see and do; needs `discord.bot_token`.
    pub discord_bot: Option<Rest>,
    /// What Guilds' own bots can see and do. Only where there is a shared bot, which works while they do not.
    pub own_bots: Option<Clients>,
    /// Pictures of Discord servers and of people.
    pub discord_cdn: Option<Cdn>,
    /// Where operators are told of failures; needs `alerts.discord_webhook` or `alerts.channel_id`.
    pub alerts: Option<AlertSink>,
    /// Files that are too large for the database.
    pub blobs: Option<Blobs>,
    /// The country of an address; needs `geo.database`.
    pub geo: Option<Geo>,
    /// What plans are sold through; needs `billing.secret_key`.
    pub stripe: Option<Selling>,
    /// Where operators have changes of links sent.
    pub webhooks: Option<Webhooks>,
}

/// The account that plans are sold through, and what is sold.
pub struct Selling {
    /// The client.
    pub api: Stripe,
    /// Which price buys what.
    pub catalogue: Catalogue,
    /// Two while the secret is being replaced.
    pub webhook_secrets: Vec<SecretString>,
    /// The portal that customers are sent to; none for the account's own.
    pub portal: Option<String>,
}

impl Platforms {
    /// Asks nobody anything yet. What is not set up stays empty; what is set up and cannot work is refused.
    pub fn from_config(config: &Config, clock: &SharedClock) -> Result<Self, SetupError> {
        let (steam, public_url) = (&config.steam, &config.server.public_url);
        let outgoing = Outgoing::default();
        let steam_api = steam.api_key.clone();
        let steam_api = steam_api.map(|key| WebApi::new(&steam.api_url, key, clock.clone()));
        Ok(Self {
            steam_api: steam_api.transpose()?,
            // Plain http on a public address is warned about at start; people cannot sign in over it.
            steam_sign_in: OpenId::new(&steam.openid_url, public_url, clock.clone()).ok(),
            discord_sign_in: application(config)
                .map(|application| OAuth::new(application, clock.clone()))
                .transpose()?,
            discord_bot: discord_bot(config, clock, &outgoing)?,
            own_bots: own_bots(config, clock, outgoing),
            discord_cdn: Some(Cdn::new(&config.discord.cdn_url, clock.clone())?),
            alerts: alerts(config, clock)?,
            blobs: Some(blobs(config)?),
            geo: config.geo.database.as_deref().map(Geo::open).transpose()?,
            stripe: selling(config, clock)?,
            webhooks: Some(Webhooks::new(config.webhooks.allow_private)?),
        })
    }

    /// How the calls to each went so far.
    pub(crate) fn standings(&self) -> impl Iterator<Item = Standing> {
        [
            self.steam_api.as_ref().map(WebApi::standing),
            self.steam_sign_in.as_ref().map(OpenId::standing),
            self.discord_sign_in.as_ref().map(OAuth::standing),
            self.discord_bot.as_ref().map(Rest::standing),
            self.discord_cdn.as_ref().map(Cdn::standing),
            self.stripe.as_ref().map(|selling| selling.api.standing()),
            self.alerts.as_ref().and_then(AlertSink::standing),
        ]
        .into_iter()
        .flatten()
    }

    /// How far this node's clock is ahead of other people's, by their last answers. Ours is wrong where it differs from all of
    /// them: somebody who is alone in that is wrong by themselves.
    pub(crate) fn clock_ahead_ms(&self) -> Option<i64> {
        let told = self.standings().filter_map(|standing| standing.ahead_ms);
        told.min_by_key(|ahead_ms| ahead_ms.unsigned_abs())
    }

    /// Whether this process works off such lanes now. What the bot does in the background is done by one node.
    pub(crate) fn work_off(&self, lanes: LaneKind) -> bool {
        match lanes {
            LaneKind::Guild | LaneKind::People | LaneKind::Org | LaneKind::Billing | LaneKind::Webhook => {
                true
            }
            LaneKind::Log | LaneKind::Bot | LaneKind::Roles => {
                self.discord_bot.as_ref().is_none_or(Rest::leads)
            }
        }
    }

    /// Whether this process does what bots do in the background, the shared one and the others.
    pub fn lead_bots(&self, leads: bool) {
        if let Some(bot) = &self.discord_bot {
            bot.lead(leads);
        }
        if let Some(own) = &self.own_bots {
            own.lead(leads);
        }
    }

    /// Writes down what a process after this one has to know of them.
    pub(crate) async fn keep(&self) -> Result<(), AppError> {
        match &self.discord_bot {
            Some(bot) => bot.keep().await.map_err(AppError::internal),
            None => Ok(()),
        }
    }

    /// Discord's sign-in, or the answer for whoever needs it where it is not set up.
    pub fn discord_sign_in(&self) -> Result<&OAuth, AppError> {
        let not_set_up = IdentityError::SignInNotConfigured {
            provider: Provider::Discord,
        };
        self.discord_sign_in.as_ref().ok_or(not_set_up.into())
    }

    /// The same for Steam's.
    pub fn steam_sign_in(&self) -> Result<&OpenId, AppError> {
        let not_set_up = IdentityError::SignInNotConfigured {
            provider: Provider::Steam,
        };
        self.steam_sign_in.as_ref().ok_or(not_set_up.into())
    }

    /// Steam's Web API, or the answer for whoever needs it where there is no key.
    pub fn steam_api(&self) -> Result<&WebApi, AppError> {
        self.steam_api
            .as_ref()
            .ok_or(PlayersError::SteamNotConfigured.into())
    }
}

/// Nothing is sold without a key. With one, all that is sold has to have a price.
fn selling(config: &Config, clock: &SharedClock) -> Result<Option<Selling>, SetupError> {
    let billing = &config.billing;
    let Some(key) = billing.secret_key.clone() else {
        return Ok(None);
    };
    let catalogue = catalogue(&billing.prices);
    if let Some(missing) = Offer::ALL
        .into_iter()
        .find(|offer| catalogue.price_of(*offer).is_none())
    {
        return Err(SetupError::new(format!(
            "billing.secret_key is set, but billing.prices.{} is not: run symbolon billing setup",
            missing.name()
        )));
    }
    let named = Offer::ALL
        .iter()
        .flat_map(|offer| prices_of(&billing.prices, *offer));
    if named
        .clone()
        .any(|price| named.clone().filter(|other| *other == price).count() > 1)
    {
        return Err(SetupError::new(
            "billing.prices names one price twice: it can buy only one thing",
        ));
    }
    let webhook_secrets: Vec<SecretString> = [&billing.webhook_secret, &billing.previous_webhook_secret]
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    if webhook_secrets.is_empty() {
        let text = "billing.secret_key is set, but billing.webhook_secret is not: run symbolon billing setup";
        return Err(SetupError::new(text));
    }
    Ok(Some(Selling {
        api: Stripe::new(&billing.api_url, key, clock.clone())?,
        catalogue,
        webhook_secrets,
        portal: billing.portal_configuration.clone(),
    }))
}

/// The prices that the settings name for something that is sold, the one that is sold now first.
pub fn prices_of(prices: &config::Prices, offer: Offer) -> &[String] {
    match (offer.product, offer.interval) {
        (Product::Plan(Tier::Standard), Interval::Month) => &prices.standard_month,
        (Product::Plan(Tier::Standard), Interval::Year) => &prices.standard_year,
        (Product::Plan(Tier::Pro), Interval::Month) => &prices.pro_month,
        (Product::Plan(Tier::Pro), Interval::Year) => &prices.pro_year,
        (Product::Bot, Interval::Month) => &prices.bot_month,
        (Product::Plan(Tier::Free), _) | (Product::Bot, Interval::Year) => &[],
    }
}

fn catalogue(prices: &config::Prices) -> Catalogue {
    let named = |offer: Offer| {
        prices_of(prices, offer)
            .iter()
            .map(move |price| (price.clone(), offer))
    };
    Catalogue::new(Offer::ALL.into_iter().flat_map(named))
}

fn own_bots(config: &Config, clock: &SharedClock, outgoing: Outgoing) -> Option<Clients> {
    let (discord, public_url) = (&config.discord, &config.server.public_url);
    discord.bot_token.as_ref()?;
    Some(Clients::new(
        &discord.api_url,
        public_url,
        clock.clone(),
        outgoing,
    ))
}

fn discord_bot(
    config: &Config,
    clock: &SharedClock,
    outgoing: &Outgoing,
) -> Result<Option<Rest>, SetupError> {
    let (discord, public_url) = (&config.discord, &config.server.public_url);
    let Some(token) = discord.bot_token.clone() else {
        return Ok(None);
    };
    Rest::new(&discord.api_url, public_url, token, clock.clone(), outgoing)
        .map(|bot| Some(bot.kept_in(config.data_dir.join("discord-refusals.json"))))
}

/// One place, so that nobody reads an alert twice.
fn alerts(config: &Config, clock: &SharedClock) -> Result<Option<AlertSink>, SetupError> {
    let (alerts, discord) = (&config.alerts, &config.discord);
    match (&alerts.discord_webhook, &alerts.channel_id) {
        (Some(_), Some(_)) => Err(SetupError::new(
            "alerts.discord_webhook and alerts.channel_id are both set: alerts go to one of them",
        )),
        (Some(url), None) => Webhook::new(&discord.api_url, url, clock.clone())
            .map(|webhook| Some(AlertSink::Webhook(Box::new(webhook)))),
        (None, Some(_)) if discord.bot_token.is_none() => Err(SetupError::new(
            "alerts.channel_id is set, but discord.bot_token is not: the shared bot posts there",
        )),
        (None, Some(channel)) => {
            let channel = DiscordId::parse(channel)
                .map_err(|_| SetupError::new("alerts.channel_id is not an ID of Discord's"))?;
            Ok(Some(AlertSink::Channel(channel)))
        }
        (None, None) => Ok(None),
    }
}

/// Where files are kept: in a bucket, or in a folder of the data directory.
pub fn blobs(config: &Config) -> Result<Blobs, SetupError> {
    let settings = &config.blobs;
    let Some(name) = settings.bucket.clone() else {
        return Ok(Blobs::folder(config.data_dir.join("blobs")));
    };
    Blobs::bucket(&Bucket {
        name,
        endpoint: settings.endpoint.clone(),
        region: settings.region.clone(),
        access_key_id: settings.access_key_id.clone(),
        secret_access_key: settings.secret_access_key.clone().unwrap_or_default(),
    })
}

fn application(config: &Config) -> Option<Application> {
    let discord = &config.discord;
    Some(Application {
        client_id: DiscordId::parse(discord.client_id.as_deref()?).ok()?,
        client_secret: discord.client_secret.clone()?,
        api_url: discord.api_url.clone(),
        authorize_url: discord.authorize_url.clone(),
        public_url: config.server.public_url.clone(),
    })
}
