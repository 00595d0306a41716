//! Failures of Orgs, Guilds, Servers and their teams.

use domain::plan::Dimension;

use super::told::Told;

/// Why a member may not do something in an Org, or the Org may not have more of it.
#[derive(Debug, thiserror::Error)]
pub enum TenancyError {
    /// The member lacks the permission of the route, or of the use case.
    #[error("missing permission {permission}")]
    MissingPermission {
        /// The permission by its stored name.
        permission: &'static str,
    },
    /// Rights that no permission gives.
    #[error("only the owner may do this")]
    OwnerOnly,
    /// An Org always has an owner.
    #[error("the owner cannot leave")]
    OwnerStays,
    /// Nobody gives what they do not hold, nor touches an invite that does.
    #[error("{permission} is not the caller's to give")]
    CannotGrant {
        /// The first permission that is lacking, by its stored name.
        permission: &'static str,
    },
    /// Nobody touches an equal or a superior, nor gives a role above their own.
    #[error("a member of the same or a higher rank")]
    RankTooLow,
    /// The code for a new Org is missing, used or too old.
    #[error("registration needs a code")]
    RegistrationClosed,
    /// What Discord said about who manages a server counts for 15 minutes.
    #[error("a Discord server that the caller was not seen to manage")]
    NotYourGuild,
    /// A Guild is claimed only where our bot can see it.
    #[error("the bot is not in the Discord server")]
    BotAbsent {
        /// Where the bot is added to just this server.
        invite_url: String,
    },
    /// The plan's ceiling, met inside the unit of work: a race cannot pass it.
    #[error("limit of {} {} reached", ceiling, dimension.as_str())]
    LimitReached {
        /// What there are too many of.
        dimension: Dimension,
        /// How many the plan allows.
        ceiling: i64,
    },
    /// Something that the free plan does not have at all.
    #[error("{what} need a paid plan")]
    PlanRequired {
        /// The subject of the message, in the plural.
        what: &'static str,
    },
}

impl TenancyError {
    pub(super) fn told(&self) -> Told<'_> {
        match self {
            Self::MissingPermission { permission } => Told::new(
                403,
                "MISSING_PERMISSION",
                format!("You need the permission {permission}. An owner or admin of the organisation can grant it."),
            )
            .permission(permission),
            Self::OwnerOnly => Told::new(403, "OWNER_ONLY", "Only the owner of the organisation can do this."),
            Self::OwnerStays => Told::new(
                409,
                "OWNER_STAYS",
                "The owner cannot leave. Hand the organisation over to another member first.",
            ),
            Self::CannotGrant { permission } => Told::new(
                403,
                "CANNOT_GRANT",
                format!("You do not hold {permission} yourself, so you cannot give it to others or change an invite that does."),
            )
            .permission(permission),
            Self::RankTooLow => Told::new(
                403,
                "RANK_TOO_LOW",
                "This takes a higher role than yours. Ask the owner of the organisation.",
            ),
            Self::RegistrationClosed => Told::new(
                403,
                "REGISTRATION_CLOSED",
                "New organisations need a registration code at the moment. Check the code, or ask the operator for one.",
            ),
            Self::NotYourGuild => Told::new(
                403,
                "NOT_YOUR_GUILD",
                "Discord did not show that you may manage this server. Look your servers up again, signed in as somebody with Manage Server.",
            ),
            Self::BotAbsent { invite_url } => Told::new(
                409,
                "BOT_ABSENT",
                "Our bot is not in this Discord server. Add it, then try again.",
            )
            .invite_url(invite_url),
            Self::LimitReached { dimension, ceiling } => Told::new(
                409,
                "LIMIT_REACHED",
                format!("The plan allows {ceiling} {}. What exists stays; remove some or upgrade to add more.", dimension.as_str().replace('_', " ")),
            )
            .limit(*ceiling)
            .dimension(dimension.as_str()),
            Self::PlanRequired { what } => Told::new(
                403,
                "PLAN_REQUIRED",
                format!("{what} come with the Standard and Pro plans."),
            ),
        }
    }
}
