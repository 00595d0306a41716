//! A person's own page: what is held about them, to take home or to have erased.

mod buttons;
mod page;
mod sign_in;
mod texts;

use axum::routing::get;
use domain::flow::Provider;

use crate::layers::Surface::PrivatePage;
use crate::routes::Routes;

pub(crate) const PATH: &str = "/me";

pub(crate) fn routes(routes: Routes) -> Routes {
    let routes = [Provider::Discord, Provider::Steam]
        .into_iter()
        .fold(routes, sign_in::add);
    routes
        .page(PrivatePage, PATH, "A person's own page", get(page::own_page))
        .button(
            PrivatePage,
            "/me/export",
            "Take home what is held about oneself",
            buttons::export,
        )
        .button(
            PrivatePage,
            "/me/erase",
            "Erase what is held about oneself",
            buttons::erase,
        )
        .button(PrivatePage, "/me/sign-out", "End the visit", buttons::sign_out)
}
