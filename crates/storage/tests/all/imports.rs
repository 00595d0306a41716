//! Links of another system: what is known about many ids, and many rows in one statement.

use domain::id::LinkId;
use domain::link::UnlinkCause;
use domain::platform_id::{DiscordId, SteamId};
use storage::linking::imports::{self, EndedPair, ImportedLink, Pair};
use storage::linking::links;
use storage::tenancy::{guilds, orgs};
use storage::testing::TestDb;
use storage::{DbError, GuildNum, OrgScope, both_databases};

use crate::support::{NOW, Tenant, discord, link_id, steam};

type Known = (Vec<Pair>, Vec<Pair>, Vec<EndedPair>);

unit!(Ask { guild: GuildNum, discord: Vec<DiscordId>, steam: Vec<SteamId> } -> Known, |it, tx| {
    let by_discord = imports::active_of_discord(tx, it.guild, it.discord.iter()).await?;
    let by_steam = imports::active_of_steam(tx, it.guild, it.steam.iter()).await?;
    Ok((by_discord, by_steam, imports::ended_of_discord(tx, it.guild, it.discord.iter()).await?))
});

struct Row {
    id: LinkId,
    discord: DiscordId,
    steam: SteamId,
    ended: Option<(i64, UnlinkCause)>,
}

unit!(Take { scope: OrgScope, guild: GuildNum, rows: Vec<Row>, ceiling: i64 } -> bool, |it, tx| {
    let active = it.rows.iter().filter(|row| row.ended.is_none()).count() as i64;
    if !orgs::add_links(tx, it.scope, active, it.ceiling).await? {
        return Ok(false);
    }
    guilds::change_links(tx, it.scope, it.guild, active).await?;
    let links: Vec<_> = it
        .rows
        .iter()
        .map(|row| ImportedLink {
            id: &row.id,
            discord_id: &row.discord,
            steam_id: &row.steam,
            discord_name: Some("007"),
            steam_name: None,
            country: None,
            linked_at_ms: NOW - 10,
            verified_at_ms: NOW - 10,
            ended: row.ended,
        })
        .collect();
    imports::insert(tx, it.scope, it.guild, &links).await?;
    let whose = it.rows.iter().map(|row| row.discord.as_str().to_owned()).collect();
    storage::players::people::follow(tx, it.scope, &whose).await?;
    Ok(true)
});

fn row(number: u64, ended: Option<(i64, UnlinkCause)>) -> Row {
    Row {
        id: link_id(),
        discord: discord(number),
        steam: steam(number),
        ended,
    }
}

fn take(tenant: &Tenant, rows: Vec<Row>, ceiling: i64) -> Take {
    Take {
        scope: tenant.scope,
        guild: tenant.guild,
        rows,
        ceiling,
    }
}

both_databases! {
    async fn many_links_are_stored_at_once_and_found_again(engine) {
        let test = TestDb::open(engine).await;
        let (one, two) = (Tenant::make(&test.db, 1).await, Tenant::make(&test.db, 2).await);
        let rows = vec![row(50, None), row(51, Some((NOW, UnlinkCause::Plugin))), row(52, None)];
        assert!(test.db.write(take(&one, rows, 1000)).await.unwrap());
        let ask = |guild| Ask {
            guild,
            discord: [50, 51, 99].map(discord).to_vec(),
            steam: [52, 51, 99].map(steam).to_vec(),
        };
        let (by_discord, by_steam, ended) = test.db.write(ask(one.guild)).await.unwrap();
        assert_eq!(by_discord, [Pair { discord_id: discord(50), steam_id: steam(50) }]);
        assert_eq!(by_steam, [Pair { discord_id: discord(52), steam_id: steam(52) }]);
        let gone = EndedPair {
            discord_id: discord(51).to_string(),
            steam_id: steam(51).to_string(),
            ended_at_ms: NOW,
        };
        assert_eq!(ended, [gone]);
        assert_eq!(test.db.write(ask(two.guild)).await.unwrap(), (vec![], vec![], vec![]), "another Guild knows nothing");
        let history = links::list_newest(&test.db, one.scope, 10).await.unwrap();
        assert_eq!(history.len(), 4);
        let plugin = history.iter().find(|link| link.ended_at_ms == Some(NOW)).unwrap();
        assert_eq!((plugin.end_cause.as_deref(), plugin.linked_at_ms), (Some("plugin"), NOW - 10));
        assert_eq!(storage::doctor::examine(&test.db).await.unwrap(), Vec::<String>::new());
        test.finish().await;
    }

    async fn links_that_do_not_all_fit_are_not_counted(engine) {
        let test = TestDb::open(engine).await;
        let one = Tenant::make(&test.db, 1).await;
        assert!(!test.db.write(take(&one, vec![row(50, None), row(51, None)], 2)).await.unwrap());
        assert!(test.db.write(take(&one, vec![row(50, None)], 2)).await.unwrap());
        assert_eq!(orgs::find(&test.db, &one.org_id).await.unwrap().unwrap().links, 2);
        test.finish().await;
    }

    async fn one_row_that_breaks_a_rule_stores_none(engine) {
        let test = TestDb::open(engine).await;
        let (one, two) = (Tenant::make(&test.db, 1).await, Tenant::make(&test.db, 2).await);
        let mut twice = row(51, None);
        twice.steam = one.steam.clone();
        let error: DbError = test.db.write(take(&one, vec![row(50, None), twice], 1000)).await.unwrap_err();
        assert!(error.is_unique(), "{error}");
        let early = row(52, Some((NOW - 11, UnlinkCause::User)));
        test.db.write(take(&one, vec![early], 1000)).await.unwrap_err();
        let foreign = Take { guild: two.guild, ..take(&one, vec![row(53, None)], 1000) };
        test.db.write(foreign).await.unwrap_err();
        assert_eq!(links::list_newest(&test.db, one.scope, 10).await.unwrap().len(), 1);
        assert_eq!(storage::doctor::examine(&test.db).await.unwrap(), Vec::<String>::new());
        test.finish().await;
    }
}
