//! What people see of what is held about them, and what is left when they have it erased.

mod account;
mod columns;
mod comeback;
mod erasing;
mod own_page;
mod races;
mod roles_off;
mod terms;

use domain::platform_id::DiscordId;
use testkit::{Reply, discord, steam};

use crate::linking::stage::{Browser, Stage, form_token};

/// A browser in which player `number` has shown both accounts on their own page.
pub async fn visitor(stage: &Stage, number: u64) -> Browser {
    let mut browser = stage.browser();
    browser.sign_in_discord("me", &discord(number)).await;
    browser.sign_in_steam("me", &steam(number)).await;
    browser
}

/// What the page says now.
pub async fn own_page(browser: &mut Browser) -> String {
    let reply = browser.get("/me").await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.text().to_owned()
}

/// Presses a button of the page.
pub async fn press(browser: &mut Browser, path: &str, fields: &str) -> Reply {
    let form = form_token(&own_page(browser).await).expect("a form on the page");
    browser.post(path, &format!("{form}{fields}")).await
}

/// Has everything of the visitor erased.
pub async fn erase_everywhere(browser: &mut Browser) {
    let reply = press(browser, "/me/erase", "&what=everywhere&sure=yes").await;
    assert_eq!(
        reply.header("location"),
        Some("/me?notice=gone"),
        "{}",
        reply.text()
    );
}

/// Links a player through the link page, with names of both sides.
pub async fn link(stage: &Stage, number: u64) {
    let mut browser = stage.signed_in(number).await;
    let reply = browser.press("/link/guild-1/verify").await;
    assert_eq!(reply.status, 303, "{}", reply.text());
    assert!(stage.linked_steam(&discord(number)).await.is_some());
}

/// Blocks an account on Discord, as an operator does.
pub async fn block(stage: &Stage, id: &DiscordId) {
    use app::identity::blocklist::{BlockRequest, block};
    let request = BlockRequest {
        entry: domain::blocklist::BlockEntry::discord(id),
        discord_id: Some(id.clone()),
        reason: "cheats".to_owned(),
        days: None,
    };
    let blocked = block(&stage.test.app, request, domain::audit::Actor::Operator).await;
    blocked.expect("a block");
}
