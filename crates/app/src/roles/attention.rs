//! Roles that cannot be given or taken, for the people of an Org.

use domain::discord::RoleReason;
use storage::OrgScope;
use storage::bots::places;
use storage::roles::members::{self, Problem};

use super::calls::NOT_SHOWN;
use crate::error::AppError;
use crate::notice::{Notice, Page, Severity};
use crate::state::App;
use crate::tenancy::guilds::Guild;

/// Roles that could not be given to or taken from somebody, with what to do.
pub(crate) async fn of_guilds(app: &App, scope: OrgScope, seen: &[Guild]) -> Result<Vec<Notice>, AppError> {
    let mut notices = Vec::new();
    for guild in seen {
        let problems = members::list_problems(&app.db, scope, guild.num).await?;
        if problems.is_empty() {
            continue;
        }
        let roles = places::list_roles(&app.db, scope, guild.num).await?;
        for problem in problems {
            let role = roles.iter().find(|role| role.id == problem.role);
            let name = role.map_or(problem.role.as_str(), |role| role.name.as_str());
            let notice = Notice::new(
                "role_out_of_reach",
                Severity::Warn,
                text(&problem, name, &guild.name),
            );
            notices.push(
                notice
                    .about(guild.id.as_str())
                    .fixed_at("Look at the Guild", Page::Guild(guild.id.clone())),
            );
        }
    }
    Ok(notices)
}

fn text(problem: &Problem, role: &str, guild: &str) -> String {
    let people = match problem.members {
        1 => "one person".to_owned(),
        many => format!("{many} people"),
    };
    if problem.reason == NOT_SHOWN {
        return format!(
            "A game server of {guild} did not apply the group that goes with the role {role} for {people}, though its plugin \
             fetched the change several times. Check that the plugin is up to date and that no other plugin undoes it."
        );
    }
    let fix = fix_of(RoleReason::parse(&problem.reason));
    format!("The role {role} of {guild} could not be changed for {people}. {fix}")
}

/// What to do about a role that the bot cannot give.
pub(crate) fn fix_of(reason: Option<RoleReason>) -> &'static str {
    match reason {
        Some(RoleReason::AboveBot) => "Drag the bot's role above it in Discord's server settings.",
        Some(RoleReason::NoPermission) => "Give the bot the permission Manage Roles.",
        Some(RoleReason::Managed) => "Another integration owns it; choose another role.",
        Some(RoleReason::Gone) => "It was deleted on Discord; choose another role.",
        Some(RoleReason::Powerful) => {
            "It can administer the Discord server, so only the Owner can let a rule give it."
        }
        None => "Discord refused it: check the bot's role and permissions.",
    }
}
