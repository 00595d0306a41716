//! The link page and the way through Discord and Steam.

mod checks;
pub mod imports;
pub mod link;
pub mod page;
pub mod preview;
mod refused_rows;
pub mod sign_in;

use axum::routing::get;
use domain::flow::{FlowPurpose, Provider};
use http::Method;

use crate::layers::Surface::PrivatePage;
use crate::routes::Routes;

pub(crate) fn routes(routes: Routes) -> Routes {
    let purposes = [FlowPurpose::Link, FlowPurpose::Unlink];
    let pairs = purposes
        .into_iter()
        .flat_map(|purpose| [(Provider::Discord, purpose), (Provider::Steam, purpose)]);
    let routes = pairs.fold(routes, |routes, (provider, purpose)| {
        sign_in::add(routes, provider, purpose)
    });
    imports::add(routes)
        .page(
            PrivatePage,
            "/link/{slug}",
            "Link page of a Guild",
            get(page::link_page),
        )
        .button(
            PrivatePage,
            "/link/{slug}/verify",
            "Verify and link",
            link::verify,
        )
        .button(
            PrivatePage,
            "/link/{slug}/join",
            "Join the Discord server",
            link::join,
        )
        .button(
            PrivatePage,
            "/link/{slug}/restart",
            "Start over",
            link::restart_link,
        )
        .page(
            PrivatePage,
            "/unlink/{slug}",
            "Unlink page of a Guild",
            get(page::unlink_page),
        )
        .button(
            PrivatePage,
            "/unlink/{slug}/confirm",
            "End the link",
            link::confirm_unlink,
        )
        .button(
            PrivatePage,
            "/unlink/{slug}/restart",
            "Start over",
            link::restart_unlink,
        )
        .dashboard(
            Method::POST,
            "/orgs/{org}/navigation/preview",
            "Preview a link page",
            preview::draw,
        )
}
