//! The check-up of a Guild: what linking, roles and messages stand on, and how each of it is. What is wrong is told in the
//! words that areas have for it elsewhere, with the page where it is put right; here what is in order is told too. What a
//! permission shows elsewhere is shown here to those who hold it: nobody learns more here than there. However many
//! Servers there are, it takes the same few questions to the database.

mod discord;
mod installation;
mod roles;
mod servers;

use domain::id::{GuildId, OrgId, ServerId};
use domain::permission::{Permission, PermissionSet};
use storage::OrgScope;
use storage::tenancy::{guild_settings, guilds};

use crate::bots::facts;
use crate::error::{AppError, RequestError};
use crate::notice::{Notice, Page, Severity};
use crate::state::App;
use crate::tenancy;
use crate::tenancy::servers::Server;

/// How something is. The worst stand first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// It does not work.
    Bad,
    /// It should be looked at.
    Warn,
    /// Nobody can tell at the moment.
    Unknown,
    /// It is in order.
    Ok,
}

impl State {
    /// The worst first.
    pub const ALL: [Self; 4] = [Self::Bad, Self::Warn, Self::Unknown, Self::Ok];

    /// Its name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bad => "bad",
            Self::Warn => "warn",
            Self::Unknown => "unknown",
            Self::Ok => "ok",
        }
    }
}

/// What is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// Whether the bot is there and online.
    Bot,
    /// What the bot may do.
    Permissions,
    /// Whether log messages arrive.
    LogChannel,
    /// Whether roles can be given and rules carried out.
    Roles,
    /// Whether a Server is there and calls.
    Server,
    /// The plugin that a Server runs.
    Plugin,
    /// The file that the plugin has.
    Configuration,
    /// A Server's key, and what it was refused.
    Key,
    /// The group that players have to be in.
    SteamGroup,
    /// This node's clock.
    Clock,
}

impl Topic {
    /// In the order in which they are told.
    pub const ALL: [Self; 10] = [
        Self::Bot,
        Self::Permissions,
        Self::LogChannel,
        Self::Roles,
        Self::Server,
        Self::Plugin,
        Self::Configuration,
        Self::Key,
        Self::SteamGroup,
        Self::Clock,
    ];

    /// Its name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bot => "bot",
            Self::Permissions => "permissions",
            Self::LogChannel => "log_channel",
            Self::Roles => "roles",
            Self::Server => "server",
            Self::Plugin => "plugin",
            Self::Configuration => "configuration",
            Self::Key => "key",
            Self::SteamGroup => "steam_group",
            Self::Clock => "clock",
        }
    }
}

/// One thing that was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What.
    pub topic: Topic,
    /// How it is.
    pub state: State,
    /// A sentence for people.
    pub text: String,
    /// The Server that it is about, with its name.
    pub server: Option<(ServerId, String)>,
    /// What the link to the page says, and the page; none where no page helps.
    pub fix: Option<(&'static str, Page)>,
}

impl Check {
    fn new(topic: Topic, state: State, text: impl Into<String>) -> Self {
        Self {
            topic,
            state,
            text: text.into(),
            server: None,
            fix: None,
        }
    }

    /// What an area tells. What is left to do is no reason to call something in order.
    fn told(topic: Topic, notice: Notice) -> Self {
        let state = match notice.severity {
            Severity::Bad => State::Bad,
            Severity::Warn | Severity::Info => State::Warn,
        };
        Self {
            fix: notice.fix,
            ..Self::new(topic, state, notice.text)
        }
    }

    fn fixed_at(mut self, label: &'static str, page: Page) -> Self {
        self.fix = Some((label, page));
        self
    }

    fn of(mut self, server: &Server) -> Self {
        self.server = Some((server.id.clone(), server.name.clone()));
        self
    }
}

/// How a Guild is.
pub struct Checkup {
    /// Where its pages are.
    pub org: OrgId,
    /// Which.
    pub guild: GuildId,
    /// As people call it.
    pub name: String,
    /// What its reader may see of it, in the order of topics; of Servers, Server by Server.
    pub checks: Vec<Check>,
    /// When the Discord server was last read; none for a reader to whom nothing of it is told.
    pub checked_at_ms: Option<i64>,
    /// That is being read anew.
    pub is_looking: bool,
}

impl Checkup {
    /// The worst of all.
    pub fn state(&self) -> State {
        let states = self.checks.iter().map(|check| check.state);
        states.min().unwrap_or(State::Ok)
    }
}

/// How a Guild is, as far as whoever holds these permissions may see it.
pub async fn of_guild(
    app: &App,
    scope: OrgScope,
    id: &GuildId,
    held: PermissionSet,
) -> Result<Checkup, AppError> {
    let guild = guilds::find(&app.db, scope, id)
        .await?
        .ok_or(RequestError::NotFound)?;
    let servers = servers::list(app, scope, &guild).await?;
    let sees_settings = held.contains(Permission::OrgSettings);
    let sees_rules = held.contains(Permission::ServersRoles);
    let mut checks = Vec::new();
    let (mut checked_at_ms, mut is_looking) = (None, false);
    let mut settings = None;
    if sees_settings {
        settings = guild_settings::find(&app.db, scope, guild.num).await?;
    }
    if sees_settings || sees_rules {
        let seen = facts::of(app, scope, &guild).await?;
        (checked_at_ms, is_looking) = (seen.checked_at_ms, seen.is_looking);
        if sees_settings {
            checks.extend(discord::of(app, &guild, &seen));
        }
        if sees_rules {
            checks.extend(roles::of_rules(app, scope, &guild, &seen, &servers).await?);
        }
        if let Some(settings) = &settings {
            checks.extend(roles::of_settings(&guild, settings, &seen));
        }
    }
    checks.extend(servers::of(app, scope, &guild, &servers, held).await?);
    if let Some(settings) = &settings {
        checks.push(installation::steam_group(app, &guild, settings));
    }
    checks.push(installation::clock(app.platforms.clock_ahead_ms()));
    Ok(Checkup {
        org: tenancy::orgs::get_own(app, scope).await?.id,
        guild: guild.id,
        name: guild.name,
        checks,
        checked_at_ms,
        is_looking,
    })
}
