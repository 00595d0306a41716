//! What operators look through at the command line: the links of a Guild, and a person in all Orgs.

use domain::link::UnlinkCause;
use domain::permission::Role;
use domain::platform_id::{DiscordId, EitherId};
use storage::admin::person_search;
use storage::linking::guild_links::{self, GuildLink, LinkFilter};
use storage::linking::links;
use storage::tenancy::{guilds, orgs};
use storage::testing::{Engine, TestDb, operator};
use storage::{GuildNum, OrgScope, both_databases};

use crate::catalogue::named;
use crate::support::{NOW, Raw, Tenant, discord, link, link_id, steam};

unit!(Linked { scope: OrgScope, guild: GuildNum, number: u64 } -> (), |it, tx| {
    link(tx, it.scope, it.guild, &link_id(), &discord(it.number), &steam(it.number)).await
});

unit!(Ended { scope: OrgScope, guild: GuildNum, whose: DiscordId, now: i64 } -> (), |it, tx| {
    let active = links::find_by_discord(tx, it.guild, &it.whose).await?.unwrap();
    links::end(tx, it.scope, active.num, it.now, UnlinkCause::Admin).await?;
    orgs::drop_links(tx, it.scope, 1).await?;
    guilds::change_links(tx, it.scope, it.guild, -1).await
});

/// Links some players of a tenant, each verified a moment after the one before.
async fn players(test: &TestDb, tenant: &Tenant, numbers: std::ops::Range<u64>) {
    let raw = Raw::open(test).await;
    for number in numbers {
        let work = Linked {
            scope: tenant.scope,
            guild: tenant.guild,
            number,
        };
        test.db.write(work).await.unwrap();
        let verified = format!(
            "UPDATE links SET verified_at = {} WHERE discord_id = '{}'",
            NOW + number.cast_signed(),
            discord(number)
        );
        raw.run(&verified).await.unwrap();
    }
}

fn whose(links: &[GuildLink]) -> Vec<String> {
    links.iter().map(|link| link.discord_id.clone()).collect()
}

both_databases! {
    async fn the_links_of_a_guild_are_listed_page_by_page_the_newest_first(engine) {
        let test = TestDb::open(engine).await;
        let (one, other) = (Tenant::make(&test.db, 1).await, Tenant::make(&test.db, 2).await);
        players(&test, &one, 10..15).await;
        let page = async |filter: LinkFilter| {
            guild_links::list(&test.db, one.scope, one.guild, &filter, 2).await.unwrap()
        };
        let (mut seen, mut after) = (Vec::new(), None);
        loop {
            let found = page(LinkFilter { after: after.take(), ..LinkFilter::default() }).await;
            seen.extend(whose(&found));
            match found.last() {
                Some(last) if found.len() == 2 => after = Some(last.place()),
                _ => break,
            }
        }
        let mut expected: Vec<String> = (10..15).rev().map(|number| discord(number).to_string()).collect();
        expected.push(one.discord.to_string());
        assert_eq!(seen, expected);
        // The Org is asked for as well as the Guild.
        let strange = guild_links::list(&test.db, other.scope, one.guild, &LinkFilter::default(), 10).await.unwrap();
        assert!(strange.is_empty(), "{strange:?}");
        test.finish().await;
    }

    async fn links_are_listed_by_either_account_and_ended_ones_apart(engine) {
        let test = TestDb::open(engine).await;
        let one = Tenant::make(&test.db, 1).await;
        players(&test, &one, 10..13).await;
        let end = Ended { scope: one.scope, guild: one.guild, whose: discord(11), now: NOW + 500 };
        test.db.write(end).await.unwrap();
        let list = async |whose: Option<EitherId>, ended: bool| {
            let filter = LinkFilter { whose, ended, after: None };
            guild_links::list(&test.db, one.scope, one.guild, &filter, 10).await.unwrap()
        };
        for key in [EitherId::Discord(discord(11)), EitherId::Steam(steam(11))] {
            assert!(list(Some(key.clone()), false).await.is_empty(), "{key:?}");
            let found = list(Some(key), true).await;
            assert_eq!(found, list(None, true).await);
            assert_eq!((whose(&found), found[0].ended), (vec![discord(11).to_string()], Some((NOW + 500, UnlinkCause::Admin))));
            let behind = LinkFilter { whose: Some(EitherId::Steam(steam(11))), ended: true, after: Some(found[0].place()) };
            assert!(guild_links::list(&test.db, one.scope, one.guild, &behind, 10).await.unwrap().is_empty());
        }
        for key in [EitherId::Discord(discord(12)), EitherId::Steam(steam(12))] {
            assert_eq!(whose(&list(Some(key), false).await), [discord(12).to_string()]);
        }
        assert_eq!(list(None, false).await.len(), 3);
        test.finish().await;
    }

    async fn a_person_is_found_in_all_orgs_with_account_and_roles(engine) {
        let test = TestDb::open(engine).await;
        let (one, two) = (Tenant::make(&test.db, 1).await, Tenant::make(&test.db, 2).await);
        for tenant in [&one, &two] {
            players(&test, tenant, 10..12).await;
        }
        test.db.write(Ended { scope: one.scope, guild: one.guild, whose: discord(10), now: NOW + 500 }).await.unwrap();
        let (db, key) = (&test.db, operator());
        let both = [discord(10), discord(11)];
        let found = person_search::list_links(db, key, &both[..1], 10).await.unwrap();
        let told: Vec<_> = found.iter().map(|link| (&link.org, &link.guild, link.ended.is_some(), link.is_gone)).collect();
        assert_eq!(told, [(&two.org_id, &two.guild_id, false, false), (&one.org_id, &one.guild_id, true, false)]);
        assert_eq!(person_search::list_links_of_steam(db, key, &steam(10), 10).await.unwrap(), found);
        assert_eq!(person_search::list_links(db, key, &both, 10).await.unwrap().len(), 4);
        assert_eq!(person_search::list_links(db, key, &both, 3).await.unwrap().len(), 3);
        assert!(person_search::list_links(db, key, &[], 3).await.unwrap().is_empty());

        // The owner of the first Org works for the second one.
        let joins = format!(
            "INSERT INTO members (org_num, account_num, role, permissions, joined_at) VALUES ({}, {}, 'staff', 0, {NOW})",
            two.scope.num(), one.account.0,
        );
        Raw::open(&test).await.run(&joins).await.unwrap();
        let owner = [discord(1000)];
        let accounts = person_search::list_accounts(db, key, &owner).await.unwrap();
        assert_eq!(accounts.iter().map(|account| account.num).collect::<Vec<_>>(), [one.account]);
        let roles = person_search::list_roles(db, key, &owner, 10).await.unwrap();
        let told: Vec<_> = roles.iter().map(|held| (&held.org, held.role, &held.discord_id)).collect();
        assert_eq!(told, [(&one.org_id, Role::Owner, &owner[0]), (&two.org_id, Role::Staff, &owner[0])]);
        assert!(person_search::list_roles(db, key, &both, 10).await.unwrap().is_empty());
        test.finish().await;
    }

    async fn people_are_found_by_how_words_of_their_names_begin_in_every_org(engine) {
        let test = TestDb::open(engine).await;
        let (one, two) = (Tenant::make(&test.db, 1).await, Tenant::make(&test.db, 2).await);
        let words = |tenant: &Tenant, words: &[&str]| {
            words.iter().map(|word| format!(
                "INSERT INTO person_words (org_num, word, person_num) SELECT org_num, '{word}', num FROM people WHERE discord_id = '{}'",
                tenant.discord,
            )).collect::<Vec<_>>().join(";")
        };
        let raw = Raw::open(&test).await;
        raw.run(&words(&one, &["ada", "lovelace"])).await.unwrap();
        raw.run(&words(&two, &["adam"])).await.unwrap();
        let named = async |first: &str, second: &str| {
            person_search::list_named(&test.db, operator(), (first, second), 10).await.unwrap()
        };
        let (ada, adam) = (one.discord.to_string(), two.discord.to_string());
        assert_eq!(named("ada", "").await, [ada.clone(), adam.clone()]);
        assert_eq!(named("adam", "").await, [adam]);
        assert_eq!(named("ada", "love").await, [ada]);
        assert_eq!(named("love", "adam").await, Vec::<String>::new());
        test.finish().await;
    }
}

/// A Guild may have a hundred thousand links, and one account a few of them.
#[tokio::test]
async fn a_page_of_links_is_read_in_order_and_those_of_an_account_alone() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let test = TestDb::open(engine).await;
        let page = test
            .db
            .explain(named("storage::linking::guild_links::PAGE"))
            .await
            .unwrap();
        assert!(page.contains("links_changed"), "{page}");
        if engine == Engine::Sqlite {
            assert!(!page.contains("TEMP"), "{page}");
            for (name, index) in [
                (
                    "storage::linking::guild_links::OF_DISCORD",
                    "links_of_discord (org_num=? AND discord_id=?)",
                ),
                (
                    "storage::linking::guild_links::OF_STEAM",
                    "links_of_steam (org_num=? AND steam_id=?)",
                ),
                (
                    "storage::admin::person_search::LINKS_OF_DISCORD",
                    "links_of_discord (org_num=? AND discord_id=?)",
                ),
                (
                    "storage::admin::person_search::LINKS_OF_STEAM",
                    "links_of_steam (org_num=? AND steam_id=?)",
                ),
            ] {
                let plan = test.db.explain(named(name)).await.unwrap();
                assert!(plan.contains(index), "{name}: {plan}");
            }
        }
        test.finish().await;
    }
}
