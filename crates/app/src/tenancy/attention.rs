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
    bare.map(no_server).collect()
}

/// A Guild without a Server.
pub(crate) fn no_server(guild: &Guild) -> Notice {
    let text = format!("{} has no Server.", guild.name);
    let notice = Notice::new("no_server", Severity::Info, text).about(guild.id.as_str());
    notice.fixed_at("Add Server", Page::Servers)
}

/// What the settings of Guilds leave out.
pub(crate) fn log_channels(seen: &Overview) -> Vec<Notice> {
    let silent = seen.guilds.iter().filter(|guild| guild.log_channel_id.is_none());
    silent.map(no_log_channel).collect()
}

/// A Guild without a log channel.
pub(crate) fn no_log_channel(guild: &Guild) -> Notice {
    let text = format!("{} has no log channel, so links aren’t posted.", guild.name);
    let notice = Notice::new("no_log_channel", Severity::Info, text).about(guild.id.as_str());
    notice.fixed_at("Set channel", Page::Guild(guild.id.clone()))
}

/// Servers that do not call as they should.
pub(crate) fn servers(seen: &Overview, now_ms: i64) -> Vec<Notice> {
    let of_server = |server: &Server| {
        let state = match key_revoked(server) {
            Some(revoked) if server.active => Some(revoked),
            Some(_) | None => calls(server, now_ms),
        };
        [state, query_key(server)]
    };
    seen.servers.iter().flat_map(of_server).flatten().collect()
}

fn at_server(server: &Server, notice: Notice, label: &'static str) -> Notice {
    let notice = notice.about(server.id.as_str());
    notice.fixed_at(label, Page::Server(server.id.clone()))
}

/// A key that is refused whatever it calls.
pub(crate) fn key_revoked(server: &Server) -> Option<Notice> {
    server.key.revoked_at_ms?;
    let text = format!("The key of {} is revoked, so its calls are refused.", server.name);
    let notice = Notice::new("key_revoked", Severity::Bad, text);
    Some(at_server(server, notice, "Regenerate key"))
}

/// A Server that is off, or that is not heard of.
pub(crate) fn calls(server: &Server, now_ms: i64) -> Option<Notice> {
    let name = &server.name;
    let (kind, severity, text, label) = match server.key.last_used_at_ms {
        _ if !server.active => (
            "inactive",
            Severity::Warn,
            format!("{name} is inactive, so its calls are refused."),
            "Activate",
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
    Some(at_server(server, Notice::new(kind, severity, text), label))
}

/// A key that travels where it is written down.
pub(crate) fn query_key(server: &Server) -> Option<Notice> {
    let text = format!(
        "{} sends its key in the URL, where logs may keep it.",
        server.name
    );
    let notice = Notice::new("query_keys", Severity::Warn, text);
    (server.key.query_calls > 0).then(|| at_server(server, notice, "View Server"))
}
