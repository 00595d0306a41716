//! Failures of Orgs, Guilds, Servers and their teams.

use domain::plan::Dimension;

use super::answer::ErrorAnswer;

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
    pub(super) fn answer(&self) -> ErrorAnswer<'_> {
        match self {
            Self::MissingPermission { permission } => ErrorAnswer::new(
                403,
                "MISSING_PERMISSION",
                format!("You need the permission {permission}. The Owner or an Admin of the organisation can grant it."),
            )
            .permission(permission),
            Self::OwnerOnly => ErrorAnswer::new(403, "OWNER_ONLY", "Only the Owner of the organisation can do this."),
            Self::OwnerStays => ErrorAnswer::new(
                409,
                "OWNER_STAYS",
                "The Owner cannot leave. Transfer ownership to another member first.",
            ),
            Self::CannotGrant { permission } => ErrorAnswer::new(
                403,
                "CANNOT_GRANT",
                format!("You do not have {permission}, so you cannot grant it or change an invite that grants it."),
            )
            .permission(permission),
            Self::RankTooLow => ErrorAnswer::new(
                403,
                "RANK_TOO_LOW",
                "This takes a higher role than yours. Ask the Owner of the organisation.",
            ),
            Self::RegistrationClosed => ErrorAnswer::new(
                403,
                "REGISTRATION_CLOSED",
                "Creating an organisation needs a registration code. Check yours, or ask the operator for one.",
            ),
            Self::NotYourGuild => ErrorAnswer::new(
                403,
                "NOT_YOUR_GUILD",
                "Discord did not confirm that you manage this server. Ask Discord again, signed in as someone with the Manage Server permission.",
            ),
            Self::BotAbsent { invite_url } => ErrorAnswer::new(
                409,
                "BOT_ABSENT",
                "Our bot is not in this Discord server. Add it, then try again.",
            )
            .invite_url(invite_url),
            Self::LimitReached { dimension, ceiling } => ErrorAnswer::new(
                409,
                "LIMIT_REACHED",
                limit_reached(*dimension, *ceiling),
            )
            .limit(*ceiling)
            .dimension(dimension.as_str()),
            Self::PlanRequired { what } => ErrorAnswer::new(
                403,
                "PLAN_REQUIRED",
                format!("{what} come with the Standard and Pro plans."),
            ),
        }
    }
}

fn limit_reached(dimension: Dimension, ceiling: i64) -> String {
    match dimension {
        // Players read this one too.
        Dimension::Links => format!("This community has reached its limit of {ceiling} linked players."),
        Dimension::Orgs | Dimension::Guilds | Dimension::Servers | Dimension::NavigationLinks => format!(
            "Your plan allows {ceiling} {}. Existing ones keep working; remove one to add another.",
            counted(dimension, ceiling)
        ),
    }
}

/// What a plan counts, as people call it.
fn counted(dimension: Dimension, count: i64) -> &'static str {
    let (one, many) = match dimension {
        Dimension::Orgs => ("organisation", "organisations"),
        Dimension::Guilds => ("Guild", "Guilds"),
        Dimension::Servers => ("Server", "Servers"),
        Dimension::Links => ("active link", "active links"),
        Dimension::NavigationLinks => ("link page button", "link page buttons"),
    };
    if count == 1 { one } else { many }
}
