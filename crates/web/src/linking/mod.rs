//! The link page and the way through Discord and Steam.

pub mod link;
pub mod sign_in;

use axum::routing::get;
use domain::flow::{FlowPurpose, Provider};

use crate::routes::Routes;

pub(crate) fn routes(routes: Routes) -> Routes {
    let purposes = [FlowPurpose::Link, FlowPurpose::Unlink];
    let pairs = purposes
        .into_iter()
        .flat_map(|purpose| [(Provider::Discord, purpose), (Provider::Steam, purpose)]);
    let routes = pairs.fold(routes, |routes, (provider, purpose)| {
        sign_in::add(routes, provider, purpose)
    });
    routes
        .page("/link/{slug}", "Link page of a Guild", get(link::link_page))
        .button("/link/{slug}/verify", "Verify and link", link::verify)
        .button("/link/{slug}/join", "Join the Discord server", link::join)
        .button("/link/{slug}/restart", "Start over", link::restart_link)
        .page("/unlink/{slug}", "Unlink page of a Guild", get(link::unlink_page))
        .button("/unlink/{slug}/confirm", "End the link", link::confirm_unlink)
        .button("/unlink/{slug}/restart", "Start over", link::restart_unlink)
}
