//! Orgs, Guilds and Servers: counted, bounded, and invisible to other tenants.

use domain::id::{GuildId, OrgId, ServerId};
use domain::plan::{Dimension, Tier};
use domain::random::{SeededRandom, SystemRandom};
use domain::steam_group::GroupId;
use storage::billing::tier_grants::{self, Grant};
use storage::keys::plugin_keys;
use storage::tenancy::guild_settings::SteamGroup;
use storage::tenancy::orgs::LockedOrg;
use storage::tenancy::{guild_settings, guilds, orgs, removals, server_config, servers};
use storage::testing::TestDb;
use storage::{DbError, GuildNum, OrgScope, ServerNum, both_databases};

use crate::support::{NOW, Tenant, discord, server_in};

unit!(AddOne { scope: OrgScope, dimension: Dimension, ceiling: i64 } -> bool, |it, tx| {
    orgs::lock(tx, it.scope).await?;
    orgs::add_one(tx, it.scope, it.dimension, it.ceiling).await
});

unit!(Look { scope: OrgScope } -> LockedOrg, |it, tx| { orgs::lock(tx, it.scope).await });

unit!(GiveTier { scope: OrgScope, tier: Tier } -> (), |it, tx| {
    tier_grants::set(tx, it.scope, Grant { tier: it.tier, ends_at_ms: None }, 1).await
});
unit!(SetTier { scope: OrgScope, tier: Tier } -> (), |it, tx| { orgs::set_tier(tx, it.scope, it.tier).await });

unit!(Lower { scope: OrgScope, guild: GuildNum, links: i64 } -> (), |it, tx| {
    orgs::drop_links(tx, it.scope, it.links).await?;
    guilds::change_links(tx, it.scope, it.guild, -it.links).await
});

unit!(AddServer { scope: OrgScope, guild: GuildNum, seed: u64 } -> ServerId, |it, tx| {
    Ok(server_in(tx, it.scope, it.guild, &SeededRandom::new(it.seed)).await?.1)
});

unit!(DeleteServer { scope: OrgScope, server: ServerNum } -> (), |it, tx| {
    servers::remove(tx, it.scope, it.server, NOW).await?;
    orgs::drop_server(tx, it.scope).await?;
    assert_eq!(removals::forget_server(tx, it.scope, it.server, 9).await?, 1, "its row");
    Ok(())
});

unit!(SetActive { scope: OrgScope, server: ServerNum, active: bool } -> (), |it, tx| {
    servers::set_active(tx, it.scope, it.server, it.active).await
});

unit!(SeesInside { scope: OrgScope, guild: GuildId, server: ServerId } -> (bool, bool), |it, tx| {
    let guild = guilds::find_in(tx, it.scope, &it.guild).await?.is_some();
    Ok((guild, servers::find_in(tx, it.scope, &it.server).await?.is_some()))
});

unit!(AddGuild { scope: OrgScope, discord: u64, slug: &'static str } -> GuildNum, |it, tx| {
    let new = guilds::NewGuild {
        id: &GuildId::generate(NOW, &SystemRandom),
        discord_guild_id: &discord(it.discord),
        slug: it.slug,
        name: "Second",
        log_channel_id: Some("345678901234567890"),
        now_ms: NOW,
    };
    orgs::add_one(tx, it.scope, Dimension::Guilds, 10).await?;
    guilds::insert(tx, it.scope, &new).await
});

unit!(SetSteamGroup { scope: OrgScope, guild: GuildNum, group: Option<SteamGroup> } -> (), |it, tx| {
    let mut settings = guild_settings::get_in(tx, it.scope, it.guild).await?;
    settings.steam_group = it.group.clone();
    guild_settings::set(tx, it.scope, it.guild, &settings).await
});

async fn sound(test: TestDb) {
    assert_eq!(
        storage::doctor::examine(&test.db).await.unwrap(),
        Vec::<String>::new()
    );
    test.finish().await;
}

both_databases! {
    async fn an_org_is_found_with_its_owner_and_counters(engine) {
        let test = TestDb::open(engine).await;
        let (one, two) = (Tenant::make(&test.db, 1).await, Tenant::make(&test.db, 2).await);
        let org = orgs::find(&test.db, &one.org_id).await.unwrap().unwrap();
        assert_eq!((org.scope, org.slug.as_str(), org.tier), (one.scope, "org-1", Tier::Free));
        assert_eq!((org.guilds, org.servers, org.links), (1, 1, 1));
        assert!(orgs::find(&test.db, &OrgId::generate(NOW, &SystemRandom)).await.unwrap().is_none());
        let all = orgs::list(&test.db).await.unwrap();
        assert_eq!(all.iter().map(|org| org.scope).collect::<Vec<_>>(), [one.scope, two.scope]);
        sound(test).await;
    }

    async fn a_guilds_steam_group_is_set_read_and_taken_away_by_its_own_org_only(engine) {
        let test = TestDb::open(engine).await;
        let (one, two) = (Tenant::make(&test.db, 1).await, Tenant::make(&test.db, 2).await);
        let group = SteamGroup { pasted: "our group".to_owned(), id: GroupId::new(u32::MAX).unwrap() };
        let set = |scope, group| test.db.write(SetSteamGroup { scope, guild: one.guild, group });
        assert!(set(two.scope, Some(group.clone())).await.is_err(), "another Org's Guild");
        assert_eq!(guild_settings::find_steam_group(&test.db, one.guild).await.unwrap(), None);
        set(one.scope, Some(group.clone())).await.unwrap();
        assert_eq!(guild_settings::find_steam_group(&test.db, one.guild).await.unwrap(), Some(group.id));
        let settings = guild_settings::find(&test.db, one.scope, one.guild).await.unwrap().unwrap();
        assert_eq!(settings.steam_group, Some(group.clone()));
        assert_eq!(guild_settings::find_steam_group(&test.db, two.guild).await.unwrap(), None);
        let config = server_config::find(&test.db, one.server).await.unwrap().unwrap();
        assert_eq!((config.guild_slug.as_str(), config.steam_group), ("guild-1", Some(group.id)));
        assert_eq!((config.linked_group.as_str(), config.poll_seconds), ("linked", 60));
        assert_eq!(server_config::find(&test.db, ServerNum(i64::MAX)).await.unwrap(), None);
        set(one.scope, None).await.unwrap();
        assert_eq!(server_config::find(&test.db, one.server).await.unwrap().unwrap().steam_group, None);
        sound(test).await;
    }

    async fn a_counter_stops_at_its_ceiling_even_in_a_rush(engine) {
        let test = TestDb::open(engine).await;
        let (one, two) = (Tenant::make(&test.db, 1).await, Tenant::make(&test.db, 2).await);
        for dimension in [Dimension::Guilds, Dimension::Servers, Dimension::Links] {
            let rush = (0..8).map(|_| test.db.write(AddOne { scope: one.scope, dimension, ceiling: 4 }));
            let answers = futures_util::future::join_all(rush).await;
            assert_eq!(answers.into_iter().filter(|answer| *answer.as_ref().unwrap()).count(), 3);
        }
        let seen = test.db.write(Look { scope: one.scope }).await.unwrap();
        assert_eq!((seen.guilds, seen.servers, seen.links), (4, 4, 4));
        let seen = test.db.write(Look { scope: two.scope }).await.unwrap();
        assert_eq!((seen.guilds, seen.servers, seen.links), (1, 1, 1));
        for dimension in [Dimension::Orgs, Dimension::NavigationLinks] {
            let error = test.db.write(AddOne { scope: one.scope, dimension, ceiling: 4 }).await.unwrap_err();
            assert!(matches!(error, DbError::Bug(_)));
        }
        test.finish().await;
    }

    async fn counters_go_down_together_and_not_below_zero(engine) {
        let test = TestDb::open(engine).await;
        let one = Tenant::make(&test.db, 1).await;
        let lower = |links| Lower { scope: one.scope, guild: one.guild, links };
        assert!(matches!(test.db.write(lower(2)).await.unwrap_err(), DbError::Constraint(..)));
        test.db.write(lower(1)).await.unwrap();
        let org = orgs::find(&test.db, &one.org_id).await.unwrap().unwrap();
        let guild = guilds::find(&test.db, one.scope, &one.guild_id).await.unwrap().unwrap();
        assert_eq!((org.links, guild.active_links), (0, 0));
        test.finish().await;
    }

    async fn a_tier_changes_for_one_org(engine) {
        let test = TestDb::open(engine).await;
        let (one, two) = (Tenant::make(&test.db, 1).await, Tenant::make(&test.db, 2).await);
        test.db.write(SetTier { scope: one.scope, tier: Tier::Pro }).await.unwrap();
        test.db.write(GiveTier { scope: one.scope, tier: Tier::Pro }).await.unwrap();
        assert_eq!(test.db.write(Look { scope: one.scope }).await.unwrap().tier, Tier::Pro);
        assert_eq!(test.db.write(Look { scope: two.scope }).await.unwrap().tier, Tier::Free);
        assert_eq!(plugin_keys::resolve(&test.db, &one.key_hash, None).await.unwrap().unwrap().tier, Tier::Pro);
        sound(test).await;
    }

    async fn another_orgs_guilds_and_servers_do_not_exist(engine) {
        let test = TestDb::open(engine).await;
        let (one, two) = (Tenant::make(&test.db, 1).await, Tenant::make(&test.db, 2).await);
        assert!(guilds::find(&test.db, two.scope, &one.guild_id).await.unwrap().is_none());
        assert!(servers::find(&test.db, two.scope, &one.server_id).await.unwrap().is_none());
        let look = |scope| SeesInside { scope, guild: one.guild_id.clone(), server: one.server_id.clone() };
        assert_eq!(test.db.write(look(one.scope)).await.unwrap(), (true, true));
        assert_eq!(test.db.write(look(two.scope)).await.unwrap(), (false, false));
        let foreign = SetActive { scope: two.scope, server: one.server, active: false };
        assert!(matches!(test.db.write(foreign).await.unwrap_err(), DbError::Bug(_)));
        assert!(test.db.write(DeleteServer { scope: two.scope, server: one.server }).await.is_err());
        assert!(servers::find(&test.db, one.scope, &one.server_id).await.unwrap().unwrap().active);
        sound(test).await;
    }

    async fn operators_find_the_org_of_a_guild_or_server(engine) {
        let test = TestDb::open(engine).await;
        let (one, two) = (Tenant::make(&test.db, 1).await, Tenant::make(&test.db, 2).await);
        assert_eq!(guilds::find_org(&test.db, &two.guild_id).await.unwrap(), Some(two.scope));
        assert_eq!(servers::find_org(&test.db, &one.server_id).await.unwrap(), Some(one.scope));
        assert_eq!(servers::find_org(&test.db, &ServerId::generate(NOW, &SystemRandom)).await.unwrap(), None);
        assert_eq!(guilds::find_org(&test.db, &GuildId::generate(NOW, &SystemRandom)).await.unwrap(), None);
        test.finish().await;
    }

    async fn guilds_are_listed_in_order_of_creation(engine) {
        let test = TestDb::open(engine).await;
        let (one, two) = (Tenant::make(&test.db, 1).await, Tenant::make(&test.db, 2).await);
        let second = test.db.write(AddGuild { scope: one.scope, discord: 77, slug: "second" }).await.unwrap();
        let listed = guilds::list(&test.db, one.scope).await.unwrap();
        assert_eq!(listed.iter().map(|guild| guild.num).collect::<Vec<_>>(), [one.guild, second]);
        assert_eq!((listed[0].log_channel_id.as_deref(), listed[1].log_channel_id.as_deref()), (None, Some("345678901234567890")));
        assert_eq!(listed[1].discord_guild_id, discord(77));
        assert_eq!(guilds::list(&test.db, two.scope).await.unwrap().len(), 1);
        let error = test.db.write(AddGuild { scope: two.scope, discord: 77, slug: "third" }).await.unwrap_err();
        assert!(error.is_unique());
        sound(test).await;
    }

    async fn a_server_is_shown_with_its_key_and_goes_with_it(engine) {
        let test = TestDb::open(engine).await;
        let one = Tenant::make(&test.db, 1).await;
        let second = test.db.write(AddServer { scope: one.scope, guild: one.guild, seed: 99 }).await.unwrap();
        let listed = servers::list(&test.db, one.scope).await.unwrap();
        assert_eq!(listed.iter().map(|server| &server.id).collect::<Vec<_>>(), [&one.server_id, &second]);
        let server = &listed[0];
        assert_eq!((server.num, server.guild, &server.guild_id), (one.server, one.guild, &one.guild_id));
        assert_eq!((server.key.version, server.key.sealed.as_str(), server.created_at_ms), (1, "sealed-1", NOW));
        assert_eq!((server.key.revoked_at_ms, server.key.last_used_at_ms, server.key.query_calls), (None, None, 0));
        test.db.write(SetActive { scope: one.scope, server: one.server, active: false }).await.unwrap();
        assert!(!servers::find(&test.db, one.scope, &one.server_id).await.unwrap().unwrap().active);
        test.db.write(DeleteServer { scope: one.scope, server: one.server }).await.unwrap();
        assert!(plugin_keys::resolve(&test.db, &one.key_hash, None).await.unwrap().is_none(), "its key is gone too");
        assert_eq!(servers::list(&test.db, one.scope).await.unwrap().len(), 1);
        sound(test).await;
    }
}
