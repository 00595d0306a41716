//! Plans and bots that are bought, and what Stripe tells us.

mod page;
mod webhook;

use http::Method;

use crate::routes::Routes;

pub(crate) fn routes(routes: Routes) -> Routes {
    routes
        .dashboard(
            Method::GET,
            "/orgs/{org}/billing/subscriptions",
            "List active subscriptions",
            page::subscriptions,
        )
        .dashboard(
            Method::POST,
            "/orgs/{org}/billing/plan/checkout",
            "Buy a plan",
            page::buy_plan,
        )
        .dashboard(
            Method::POST,
            "/orgs/{org}/guilds/{guild}/billing/checkout",
            "Buy a Custom Bot for a Guild",
            page::buy_bot,
        )
        .dashboard(
            Method::POST,
            "/orgs/{org}/billing/portal",
            "Open the billing portal",
            page::portal,
        )
        .dashboard(
            Method::POST,
            "/orgs/{org}/billing/refresh",
            "Ask Stripe about the subscriptions",
            page::refresh,
        )
        .webhook("/billing/webhook", "Receive events of Stripe", webhook::take)
}
