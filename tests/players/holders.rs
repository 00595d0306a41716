//! Accounts that went from one person to another: what is reported of one is theirs who was linked with it last.

use app::import::{self, Ended, ImportRow, ImportSlice};
use domain::link::UnlinkCause;
use domain::plan::Tier;
use testkit::{Tenant, TestApp, both_databases, discord, steam};

use super::crowd::{all, link, owner, page, unlink, who};

const DAY_MS: i64 = 24 * 3_600_000;

/// History of an older system: somebody was linked with the Steam account of player 1, that many days ago, for a while.
async fn take_over(test: &TestApp, tenant: &Tenant, number: u64, ms_ago: i64) {
    let linked_at_ms = test.app.now_ms() - ms_ago;
    let row = ImportRow {
        discord_id: discord(number),
        steam_id: steam(1),
        discord_name: None,
        steam_name: None,
        country: None,
        booster: false,
        groups: None,
        linked_at_ms: Some(linked_at_ms),
        ended: Some(Ended {
            at_ms: Some(linked_at_ms + 1_000),
            cause: UnlinkCause::User,
        }),
    };
    let slice = ImportSlice {
        guild: tenant.guild.clone(),
        server: None,
        rows: vec![row],
        write: true,
        planned: 0,
    };
    let report = import::run(&test.app, tenant.scope, slice)
        .await
        .expect("a report");
    assert_eq!(report.rows, [import::RowOutcome::Added]);
    test.drain_jobs().await;
}

both_databases! {
    async fn whoever_was_linked_with_an_account_last_holds_it_whenever_that_became_known(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        link(&test, &tenant, &tenant.guild, &who(1, "Ash")).await;
        let uri = format!("/api?action=updateOxideGroups&id={}&groups=vip", steam(1));
        assert_eq!(test.plugin(&tenant.key).get(&uri).await.status, 200);
        test.drain_jobs().await;
        unlink(&test, &tenant, &tenant.guild, 1, UnlinkCause::Admin).await;
        test.clock.advance_ms(DAY_MS);
        let owner = owner(&test, &tenant).await;
        let on_server = format!("server_id={}", tenant.server);
        // A link of years ago is no newer for being told today.
        take_over(&test, &tenant, 2, 900 * DAY_MS).await;
        assert_eq!(all(&owner, &tenant, &on_server, 50).await, [1]);
        let first = page(&owner, &tenant, 1).await;
        assert_eq!((first["presence"].as_array().expect("a list").len(), &first["trust"]["cross_server"]), (1, &40.into()));
        // One from after theirs is. They hang together as before, so that it is the round alone that finds what follows.
        take_over(&test, &tenant, 2, DAY_MS / 2).await;
        assert_eq!(all(&owner, &tenant, &on_server, 50).await, [2]);
        let first = page(&owner, &tenant, 1).await;
        assert_eq!((&first["presence"], &first["trust"]["cross_server"]), (&serde_json::json!([]), &5.into()));
        test.finish().await;
    }
}
