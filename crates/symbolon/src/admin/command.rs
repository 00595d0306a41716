//! The commands, as typed and as sent.

use clap::Subcommand;
use domain::id::{GuildId, OrgId, ServerId};
use domain::link::Country;
use domain::name::{DisplayName, Slug};
use domain::plan::Tier;
use domain::platform_id::{DiscordId, SteamId};
use serde::{Deserialize, Serialize};

#[derive(Debug, Subcommand, Serialize, Deserialize)]
pub enum AdminCommand {
    /// Create an organisation.
    CreateOrg {
        /// Its name, as people see it.
        #[arg(long)]
        name: String,
        /// Discord id of its owner. The account is made if it is new.
        #[arg(long)]
        owner: String,
        /// Name of the owner, used when the account is new.
        #[arg(long, default_value = "Owner")]
        owner_name: String,
        /// Short name for addresses; made from the name if left out.
        #[arg(long)]
        slug: Option<String>,
    },
    /// Add a Discord server (a Guild) to an organisation.
    CreateGuild {
        /// Organisation id (org_…).
        #[arg(long)]
        org: String,
        /// Discord's id of the server.
        #[arg(long)]
        discord_guild: String,
        #[arg(long)]
        name: String,
        /// Short name for the link page; made from the name if left out.
        #[arg(long)]
        slug: Option<String>,
        /// Discord channel for linked and unlinked messages; left out, none are sent.
        #[arg(long)]
        log_channel: Option<String>,
    },
    /// Set the Steam group that players of a Guild are asked to join.
    SetSteamGroup {
        /// Guild id (gld_…).
        #[arg(long)]
        guild: String,
        /// The group's number, or its address on steamcommunity.com.
        #[arg(long, required_unless_present = "none")]
        group: Option<String>,
        /// Take the group away.
        #[arg(long, conflicts_with = "group")]
        none: bool,
    },
    /// Add a game server to a Guild and print its key.
    CreateServer {
        /// Guild id (gld_…).
        #[arg(long)]
        guild: String,
        #[arg(long)]
        name: String,
    },
    /// Link a Discord account to a Steam account in a Guild.
    CreateLink(NewLink),
    /// Print a game server's key. The organisation's audit log notes it.
    PrintKey {
        /// Server id (srv_…).
        #[arg(long)]
        server: String,
    },
    /// Replace a game server's key and print the new one. The old key stops at once.
    RegenerateKey {
        #[arg(long)]
        server: String,
    },
    /// Refuse a game server's key until it is regenerated.
    RevokeKey {
        #[arg(long)]
        server: String,
    },
    /// Make a new bot key for a game server and print it; the bot key before it stops at once.
    IssueBotKey {
        #[arg(long)]
        server: String,
    },
    /// Switch a game server on.
    ActivateServer {
        #[arg(long)]
        server: String,
    },
    /// Switch a game server off: its key is refused until it is on again.
    DeactivateServer {
        #[arg(long)]
        server: String,
    },
    /// List organisations with their use of the plan.
    ListOrgs,
    /// Set an organisation's tier: free, standard or pro.
    SetTier {
        #[arg(long)]
        org: String,
        #[arg(long)]
        tier: String,
    },
    /// Make a person an operator of this instance.
    Grant {
        /// Discord id of the person.
        #[arg(long)]
        discord: String,
        #[arg(long, default_value = "Operator")]
        name: String,
    },
    /// End what `grant` gave, from the person's next request on.
    Revoke {
        /// Discord id of the person.
        #[arg(long)]
        discord: String,
    },
    /// List operators: those of the setting, and those with a grant.
    ListOperators,
    /// Start a dashboard session for a person and print its cookie, for scripts and emergencies. Valid for an hour.
    Session {
        /// Discord id of the person.
        #[arg(long)]
        discord: String,
    },
    /// Keep an account or a network from signing in, on the link pages and the dashboard.
    Block {
        #[command(flatten)]
        who: Who,
        /// Why, for other operators.
        #[arg(long)]
        reason: String,
        /// Days until the block ends; left out, it stays.
        #[arg(long)]
        days: Option<u32>,
    },
    /// Lift a block.
    Unblock {
        #[command(flatten)]
        who: Who,
    },
    /// List blocked accounts and networks.
    ListBlocks,
    /// Close the dashboard for everybody but operators, or open it again. Link pages and the plugin API go on.
    Maintenance {
        #[arg(value_enum)]
        state: Switch,
        /// What people read meanwhile.
        #[arg(long)]
        message: Option<String>,
    },
    /// Decide whether anybody may make an organisation, or only people with a code.
    Registration {
        #[arg(value_enum)]
        mode: RegistrationMode,
    },
    /// Make a code for one new organisation and print it.
    RegistrationCode {
        /// Whom it is for, for other operators.
        #[arg(long, default_value = "")]
        note: String,
        /// Days until it ends; left out, it stays.
        #[arg(long)]
        days: Option<u32>,
    },
    /// Make a new master key and seal every stored secret with it.
    RotateMasterKey,
    /// Remove an old master key that nothing needs any more.
    RemoveMasterKey {
        /// Name of the key in the master key file, such as k1.
        #[arg(long)]
        kid: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
pub enum Switch {
    On,
    Off,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
pub enum RegistrationMode {
    Open,
    InviteOnly,
}

/// A pair to be linked.
#[derive(Debug, clap::Args, Serialize, Deserialize)]
pub struct NewLink {
    /// Guild id (gld_…).
    #[arg(long)]
    pub guild: String,
    #[arg(long)]
    pub discord: String,
    #[arg(long)]
    pub steam: String,
    /// Two-letter country of the verification, if known.
    #[arg(long)]
    pub country: Option<String>,
    /// Name on Discord.
    #[arg(long, requires = "steam_name")]
    pub discord_name: Option<String>,
    /// Name on Steam.
    #[arg(long, requires = "discord_name")]
    pub steam_name: Option<String>,
}

/// One account or network.
#[derive(Debug, clap::Args, Serialize, Deserialize)]
#[group(required = true, multiple = false)]
pub struct Who {
    /// Discord id.
    #[arg(long)]
    pub discord: Option<String>,
    /// SteamID64.
    #[arg(long)]
    pub steam: Option<String>,
    /// Address or network, such as 203.0.113.0/24.
    #[arg(long)]
    pub network: Option<String>,
}

/// Values from the command line, checked once.
pub(super) mod parse {
    use super::{Country, DiscordId, DisplayName, GuildId, OrgId, ServerId, Slug, SteamId, Tier};
    use app::AppError;

    macro_rules! parsers {
        ($($name:ident $kind:ident)+) => {$(
            pub fn $name(argument: &'static str, text: &str) -> Result<$kind, AppError> {
                $kind::parse(text).map_err(|error| AppError::invalid(argument, error))
            }
        )+};
    }

    parsers! {
        org OrgId
        guild GuildId
        server ServerId
        discord DiscordId
        steam SteamId
        country Country
        name DisplayName
        slug Slug
    }

    /// The given slug, or one made from the name.
    pub fn slug_or_from(given: Option<&str>, name: &DisplayName) -> Result<Slug, AppError> {
        match given {
            Some(text) => slug("slug", text),
            None => Slug::from_name(name.as_str())
                .ok_or_else(|| AppError::invalid("slug", "give one: none can be made from this name")),
        }
    }

    /// What somebody is called on Discord or Steam.
    pub fn given_name(argument: &'static str, text: &str) -> Result<String, AppError> {
        domain::name::given_name(text)
            .ok_or_else(|| AppError::invalid(argument, "a name has 1 to 200 characters"))
    }

    pub fn tier(text: &str) -> Result<Tier, AppError> {
        Tier::parse(text).ok_or_else(|| AppError::invalid("tier", "it is one of free, standard, pro"))
    }
}
