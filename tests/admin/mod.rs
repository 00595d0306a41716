//! The operators' area.

mod access;
mod announcements;
mod builds;
pub mod deeds;
mod fresh;
mod health;
mod lost_rights;
mod recovery;
mod search;
mod sessions;
mod visits;

use app::identity::accounts;
use app::identity::accounts::Account;
use testkit::{Client, TestApp};

/// Somebody who was granted it, signed in.
pub async fn operator(test: &TestApp, number: u64) -> (Account, Client) {
    let account = test.account(number).await;
    accounts::grant_operator(&test.app, account.clone())
        .await
        .unwrap();
    let session = test.session(&account).await;
    (account, test.person(&session))
}

/// The operators' own log, as `action target detail`.
pub async fn own_log(test: &TestApp) -> Vec<String> {
    let sql = "SELECT action || ' ' || COALESCE(target, '-') || ' ' || detail FROM audit
        WHERE chain = 0 AND action NOT LIKE 'session.%' AND action NOT LIKE 'operator.granted' ORDER BY seq";
    crate::secrecy::rows::texts(&test.db.db, sql).await
}
