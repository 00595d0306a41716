//! What follows from the side of the service that a route belongs to.

use http::Extensions;

/// The side of the service that a route belongs to. Every route declares one: what its failures look like, which headers
/// its answers carry, how much it reads and whether maintenance closes it follow from that and from nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// `/api?action=…`, for plugins and the programs of others.
    Plugin,
    /// What the dashboard reads and changes.
    Dashboard,
    /// The dashboard's own pages.
    DashboardPage,
    /// A step into the dashboard at an address that is its visitor's own: claiming, accepting an invitation.
    Entrance,
    /// What operators read and change.
    Admin,
    /// The pages of the operator area.
    AdminPage,
    /// A page that anyone may open.
    PublicPage,
    /// The same where the address says something about its visitor.
    PrivatePage,
    /// What bots of the platform ask for.
    Bot,
    /// What other services tell us, signed.
    Webhook,
    /// Files for everybody.
    Download,
    /// Health, the description of the API, and which plugin build is the latest.
    Ops,
}

/// How answers look, failures included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// JSON, with words for old bots in failures.
    Plugin,
    /// JSON.
    Api,
    /// HTML.
    Page,
}

const API_TREES: [(&str, Surface); 12] = [
    ("/account", Surface::Dashboard),
    ("/announcements", Surface::Dashboard),
    ("/api", Surface::Dashboard),
    ("/orgs", Surface::Dashboard),
    ("/billing", Surface::Dashboard),
    ("/bot", Surface::Bot),
    ("/admin", Surface::Admin),
    ("/auth", Surface::Dashboard),
    ("/openapi.json", Surface::Ops),
    ("/download/plugin/manifest", Surface::Ops),
    ("/healthz", Surface::Ops),
    ("/readyz", Surface::Ops),
];

/// People come to these in a browser, and back from elsewhere.
const PRIVATE_TREES: [&str; 6] = [
    "/auth/discord/",
    "/auth/steam/",
    "/link/",
    "/unlink/",
    "/invite/",
    "/me/",
];

impl Surface {
    /// In the order of their numbers.
    pub const ALL: [Surface; 12] = [
        Surface::Plugin,
        Surface::Dashboard,
        Surface::DashboardPage,
        Surface::Entrance,
        Surface::Admin,
        Surface::AdminPage,
        Surface::PublicPage,
        Surface::PrivatePage,
        Surface::Bot,
        Surface::Webhook,
        Surface::Download,
        Surface::Ops,
    ];

    /// The one that the route of a request declared. Without one, what most is closed to strangers.
    pub(crate) fn of(request: &Extensions) -> Self {
        request.get().copied().unwrap_or(Surface::Dashboard)
    }

    /// Where an address would belong that no route serves.
    pub fn of_unknown(path: &str) -> Self {
        if path == "/api" {
            return Surface::Plugin;
        }
        if path == "/me" || PRIVATE_TREES.into_iter().any(|tree| path.starts_with(tree)) {
            return Surface::PrivatePage;
        }
        let is_in = |tree: &str| {
            path.strip_prefix(tree)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let found = API_TREES.into_iter().find(|(tree, _)| is_in(tree));
        found.map_or(Surface::PublicPage, |(_, surface)| surface)
    }

    /// Its name in metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Surface::Plugin => "plugin",
            Surface::Dashboard => "dashboard",
            Surface::DashboardPage => "dashboard_page",
            Surface::Entrance => "entrance",
            Surface::Admin => "admin",
            Surface::AdminPage => "admin_page",
            Surface::PublicPage => "public_page",
            Surface::PrivatePage => "private_page",
            Surface::Bot => "bot",
            Surface::Webhook => "webhook",
            Surface::Download => "download",
            Surface::Ops => "ops",
        }
    }

    pub const fn form(self) -> Form {
        match self {
            Surface::Plugin => Form::Plugin,
            Surface::Dashboard | Surface::Admin | Surface::Bot | Surface::Webhook | Surface::Ops => Form::Api,
            Surface::DashboardPage
            | Surface::Entrance
            | Surface::AdminPage
            | Surface::PublicPage
            | Surface::PrivatePage
            | Surface::Download => Form::Page,
        }
    }

    /// Whether maintenance lets nobody in but operators.
    pub const fn closes_for_maintenance(self) -> bool {
        match self {
            Surface::Dashboard | Surface::DashboardPage | Surface::Entrance => true,
            Surface::Plugin
            | Surface::Admin
            | Surface::AdminPage
            | Surface::PublicPage
            | Surface::PrivatePage
            | Surface::Bot
            | Surface::Webhook
            | Surface::Download
            | Surface::Ops => false,
        }
    }

    /// Addresses that must not travel on: they say something about their visitor, or hold a key in the old way.
    pub const fn hides_address(self) -> bool {
        match self {
            Surface::Plugin | Surface::Entrance | Surface::PrivatePage => true,
            Surface::Dashboard
            | Surface::DashboardPage
            | Surface::Admin
            | Surface::AdminPage
            | Surface::PublicPage
            | Surface::Bot
            | Surface::Webhook
            | Surface::Download
            | Surface::Ops => false,
        }
    }

    /// Whether a browser or a proxy may keep an answer that says so itself. Nothing else is kept, and no failure.
    pub const fn may_be_kept(self) -> bool {
        match self {
            Surface::DashboardPage
            | Surface::AdminPage
            | Surface::PublicPage
            | Surface::Download
            | Surface::Ops => true,
            Surface::Plugin
            | Surface::Dashboard
            | Surface::Entrance
            | Surface::Admin
            | Surface::PrivatePage
            | Surface::Bot
            | Surface::Webhook => false,
        }
    }

    /// Pages that search engines are asked to leave out. What is no page they do not list.
    pub const fn is_unlisted(self) -> bool {
        match self {
            Surface::DashboardPage | Surface::Entrance | Surface::AdminPage | Surface::PrivatePage => true,
            Surface::Plugin
            | Surface::Dashboard
            | Surface::Admin
            | Surface::PublicPage
            | Surface::Bot
            | Surface::Webhook
            | Surface::Download
            | Surface::Ops => false,
        }
    }

    /// Whether what is read there is packed for those who take it so. Plugin calls are many and their answers short.
    pub const fn is_packed(self) -> bool {
        match self {
            Surface::Dashboard
            | Surface::DashboardPage
            | Surface::Admin
            | Surface::AdminPage
            | Surface::PublicPage
            | Surface::PrivatePage
            | Surface::Download
            | Surface::Ops => true,
            Surface::Plugin | Surface::Entrance | Surface::Bot | Surface::Webhook => false,
        }
    }

    /// Whether the error log has every refusal. Programs that are refused come again and again, and of theirs it has only
    /// what is ours to repair.
    pub const fn notes_refusals(self) -> bool {
        match self {
            Surface::Plugin | Surface::Bot | Surface::Webhook => false,
            Surface::Dashboard
            | Surface::DashboardPage
            | Surface::Entrance
            | Surface::Admin
            | Surface::AdminPage
            | Surface::PublicPage
            | Surface::PrivatePage
            | Surface::Download
            | Surface::Ops => true,
        }
    }

    /// The most that is read of a body.
    pub const fn body_limit_bytes(self) -> usize {
        match self {
            Surface::Plugin => 512 * 1024,
            Surface::Webhook => 256 * 1024,
            Surface::Dashboard | Surface::Admin | Surface::Bot | Surface::Ops => 64 * 1024,
            // Longer than the fields of a form ever are. Nobody is known there, so nothing longer is kept for anybody.
            Surface::DashboardPage
            | Surface::Entrance
            | Surface::AdminPage
            | Surface::PublicPage
            | Surface::PrivatePage
            | Surface::Download => 1024,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surfaces_are_listed_by_their_numbers() {
        for (number, surface) in Surface::ALL.into_iter().enumerate() {
            assert_eq!(surface as usize, number, "{}", surface.name());
        }
    }

    #[test]
    fn unknown_addresses_speak_json_in_the_trees_of_the_api_and_html_elsewhere() {
        assert_eq!(Surface::of_unknown("/api"), Surface::Plugin);
        for path in [
            "/api/orgs",
            "/orgs",
            "/orgs/x",
            "/bot/guilds",
            "/healthz",
            "/admin",
            "/billing/webhook",
            "/auth/x",
        ] {
            assert_eq!(Surface::of_unknown(path).form(), Form::Api, "{path}");
        }
        for path in ["/", "/link/x", "/orgsx", "/botany", "/app", "/auth/steam/x"] {
            assert_eq!(Surface::of_unknown(path).form(), Form::Page, "{path}");
        }
        for path in ["/link/x", "/unlink/x", "/auth/discord/x", "/invite/x"] {
            assert!(Surface::of_unknown(path).hides_address(), "{path}");
        }
    }
}
