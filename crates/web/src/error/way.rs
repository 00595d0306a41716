//! Where the page of a failure leads.

use app::error::ErrorAnswer;
use domain::invitation::Code;
use http::Uri;

use crate::layers::Surface;
use crate::public::value;

/// A page of ours to go on to.
#[derive(Debug, PartialEq, Eq)]
pub struct Way {
    pub place: String,
    pub label: &'static str,
}

fn way(place: &str, label: &'static str) -> Way {
    Way {
        place: place.to_owned(),
        label,
    }
}

/// Where to go. An address becomes part of the page only as the short name of a Guild.
pub fn way_on(answer: &ErrorAnswer<'_>, surface: Surface, uri: &Uri) -> Way {
    if answer.status != 404
        && let Some(page) = link_page_of(uri)
    {
        return Way {
            place: page,
            label: "Back to the link page",
        };
    }
    match surface {
        Surface::DashboardPage | Surface::AdminPage | Surface::Entrance if answer.status == 401 => {
            way(&sign_in(uri), "Sign in with Discord")
        }
        Surface::DashboardPage | Surface::AdminPage | Surface::Entrance => way("/app/", "Open the dashboard"),
        Surface::PublicPage if uri.path().starts_with("/docs/") => way("/docs", "Open the documentation"),
        Surface::PublicPage
        | Surface::PrivatePage
        | Surface::Download
        | Surface::Plugin
        | Surface::Dashboard
        | Surface::Admin
        | Surface::Bot
        | Surface::Webhook
        | Surface::Ops => way("/", "Go to the front page"),
    }
}

/// The way to sign in. Who was about to join comes back to the invite.
fn sign_in(uri: &Uri) -> String {
    let mut parts = uri.path().split('/').skip(1);
    let invite = match (parts.next(), parts.next().and_then(Code::parse)) {
        (Some("invite"), Some(code)) => ["?return_to=/invite/", code.expose()].concat(),
        (_, _) => String::new(),
    };
    ["/auth/discord/login", &invite].concat()
}

/// The page that a form or a sign-in belongs to, by its address.
fn link_page_of(uri: &Uri) -> Option<String> {
    let mut parts = uri.path().split('/').skip(1);
    let (purpose, slug) = match (parts.next()?, parts.next()?) {
        (purpose @ ("link" | "unlink"), slug) => (purpose, slug.to_owned()),
        ("auth", _) => match parts.next()? {
            purpose @ ("link" | "unlink") => (purpose, value(uri.query()?, "guild")?),
            _ => return None,
        },
        (_, _) => return None,
    };
    let is_plain = |sign: u8| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == b'-';
    (!slug.is_empty() && slug.bytes().all(is_plain)).then(|| format!("/{purpose}/{slug}"))
}

#[cfg(test)]
mod tests {
    use app::AppError;
    use app::error::{IdentityError, RequestError, ServiceError};

    use super::*;

    fn way_after(error: impl Into<AppError>, surface: Surface, uri: &'static str) -> String {
        let error = error.into();
        way_on(&error.answer(), surface, &Uri::from_static(uri)).place
    }

    #[test]
    fn every_page_leads_somewhere_that_fits() {
        use Surface::{DashboardPage, Entrance, PrivatePage, PublicPage};
        let over = || IdentityError::SignInExpired;
        for (place, found) in [
            (
                "/link/ashfall",
                way_after(over(), PrivatePage, "/link/ashfall/verify"),
            ),
            (
                "/unlink/ashfall",
                way_after(over(), PrivatePage, "/unlink/ashfall/confirm"),
            ),
            (
                "/link/ashfall",
                way_after(over(), PrivatePage, "/auth/steam/link?guild=ashfall"),
            ),
            (
                "/",
                way_after(over(), PrivatePage, "/auth/steam/link/callback?state=x"),
            ),
            ("/", way_after(over(), PrivatePage, "/link/%3Cb%3E/verify")),
            (
                "/",
                way_after(over(), PrivatePage, "/auth/steam/link?guild=%3Cb%3E"),
            ),
            (
                "/",
                way_after(RequestError::NotFound, PrivatePage, "/link/nowhere"),
            ),
            ("/docs", way_after(RequestError::NotFound, PublicPage, "/docs/x")),
            (
                "/app/",
                way_after(ServiceError::Overloaded, DashboardPage, "/app/orgs"),
            ),
            (
                "/auth/discord/login",
                way_after(IdentityError::SignInRequired, Entrance, "/invite/x/accept"),
            ),
            (
                "/auth/discord/login?return_to=/invite/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                way_after(
                    IdentityError::SignInRequired,
                    Entrance,
                    "/invite/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA/accept",
                ),
            ),
        ] {
            assert_eq!(found, place);
        }
    }
}
