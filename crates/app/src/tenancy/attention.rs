//! What an Org's plan, Guilds and Servers need somebody for.

use domain::plan::{Dimension, Plans};

use crate::notice::{Notice, Page, Severity};
use crate::tenancy::guilds::Guild;
use crate::tenancy::overview::Overview;
use crate::tenancy::servers::{Server, is_silent};

/// What there is more of than the plan allows.
pub(crate) fn plan(plans: &Plans, seen: &Overview) -> Vec<Notice> {
    let (org, ceilings) = (&seen.org, plans.ceilings(seen.org.tier));
    let usage = [
        (Dimension::Guilds, org.guilds),
        (Dimension::Servers, org.servers),
        (Dimension::Links, org.links),
        (Dimension::NavigationLinks, seen.navigation_links),
    ];
    let over = usage
        .iter()
        .filter(|(dimension, count)| *count > ceilings.of(*dimension));
    over.map(|(dimension, _)| over_limit(*dimension)).collect()
}

fn over_limit(dimension: Dimension) -> Notice {
    let (what, fix) = match dimension {
        Dimension::Orgs => ("Organisations", None),
        Dimension::Guilds => ("Guilds", Some(("View Guilds", Page::Guilds))),
        Dimension::Servers => ("Servers", Some(("View Servers", Page::Servers))),
        Dimension::Links => ("Active links", None),
        Dimension::NavigationLinks => ("Link-page buttons", Some(("View buttons", Page::LinkPage))),
    };
    let text = format!("{what}: over your plan’s limit. Existing ones keep working, but you can’t add more.");
    Notice {
        fix,
        ..Notice::new("over_limit", Severity::Warn, text).about(dimension.as_str())
    }
}

/// What is missing before players can link.
pub(crate) fn guilds(seen: &Overview) -> Vec<Notice> {
    if seen.guilds.is_empty() {
        let text = "There’s no Guild yet, so nobody can link.";
        return vec![Notice::new("no_guild", Severity::Info, text).fixed_at("Add Guild", Page::NewGuild)];
    }
    let is_bare = |guild: &&Guild| !seen.servers.iter().any(|server| server.guild == guild.num);
    let bare = seen.guilds.iter().filter(is_bare);
    bare.map(|guild| {
        let text = format!("{} has no Server.", guild.name);
        let notice = Notice::new("no_server", Severity::Info, text).about(guild.id.as_str());
        notice.fixed_at("Add Server", Page::Servers)
    })
    .collect()
}

/// What the settings of Guilds leave out.
pub(crate) fn log_channels(seen: &Overview) -> Vec<Notice> {
    let silent = seen.guilds.iter().filter(|guild| guild.log_channel_id.is_none());
    silent
        .map(|guild| {
            let text = format!("{} has no log channel, so links aren’t posted.", guild.name);
            let notice = Notice::new("no_log_channel", Severity::Info, text).about(guild.id.as_str());
            notice.fixed_at("Set channel", Page::Guild(guild.id.clone()))
        })
        .collect()
}

/// Servers that do not call as they should.
pub(crate) fn servers(seen: &Overview, now_ms: i64) -> Vec<Notice> {
    seen.servers
        .iter()
        .flat_map(|server| [state(server, now_ms), query_key(server)])
        .flatten()
        .map(|(notice, label, server)| {
            let notice = notice.about(server.id.as_str());
            notice.fixed_at(label, Page::Server(server.id.clone()))
        })
        .collect()
}

type OfServer<'a> = (Notice, &'static str, &'a Server);

fn state(server: &Server, now_ms: i64) -> Option<OfServer<'_>> {
    let name = &server.name;
    let (kind, severity, text, label) = match server.key.last_used_at_ms {
        _ if !server.active => (
            "inactive",
            Severity::Warn,
            format!("{name} is inactive, so its calls are refused."),
            "Activate",
        ),
        _ if server.key.revoked_at_ms.is_some() => (
            "key_revoked",
            Severity::Bad,
            format!("The key of {name} is revoked, so its calls are refused."),
            "Regenerate key",
        ),
        None => (
            "never_called",
            Severity::Info,
            format!("{name} has never called. Add its key to the plugin."),
            "Show key",
        ),
        Some(_) if is_silent(server, now_ms) => (
            "silent",
            Severity::Warn,
            format!("{name} hasn’t called for more than a day."),
            "View Server",
        ),
        Some(_) => return None,
    };
    Some((Notice::new(kind, severity, text), label, server))
}

fn query_key(server: &Server) -> Option<OfServer<'_>> {
    let text = format!(
        "{} sends its key in the URL, where logs may keep it.",
        server.name
    );
    let notice = Notice::new("query_keys", Severity::Warn, text);
    (server.key.query_calls > 0).then_some((notice, "View Server", server))
}
