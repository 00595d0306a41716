//! API keys: found by hash, replaced in place, watched after they were replaced.

use domain::action::ActionSet;
use domain::key::{KeyHash, KeyKind, PlainKey};
use storage::keys::plugin_keys::{self, KidUse, Replacement};
use storage::testing::TestDb;
use storage::{KeyNum, OrgScope, both_databases};

use crate::support::{NOW, Raw, Tenant, plain_key, steam};

struct Fresh(PlainKey);

unit!(Replace { scope: OrgScope, key: KeyNum, version: i64, fresh: Fresh } -> bool, |it, tx| {
    let new = Replacement {
        hash: &it.fresh.0.hash(),
        prefix: &it.fresh.0.prefix(),
        sealed: "sealed-2",
        sealed_kid: "k2",
        now_ms: NOW + 10,
    };
    plugin_keys::replace(tx, it.scope, it.key, it.version, &new).await
});

unit!(Revoke { scope: OrgScope, key: KeyNum } -> bool, |it, tx| {
    plugin_keys::revoke(tx, it.scope, it.key, NOW + 5).await
});

unit!(Report { hash: KeyHash, now: i64, before: i64 } -> bool, |it, tx| {
    plugin_keys::report_retired(tx, &it.hash, it.now, it.before).await
});

unit!(PurgeRetired { before: i64 } -> u64, |it, tx| { plugin_keys::purge_retired(tx, it.before).await });

unit!(RecordUse { key: KeyNum, at: i64, query_calls: i64 } -> (), |it, tx| {
    plugin_keys::record_use(tx, it.key, it.at, it.query_calls).await
});

unit!(Reseal { key: KeyNum, old: &'static str, new: &'static str } -> bool, |it, tx| {
    plugin_keys::reseal(tx, it.key, it.old, it.new, "k2").await
});

async fn resolve(test: &TestDb, hash: &KeyHash) -> Option<plugin_keys::ResolvedKey> {
    plugin_keys::resolve(&test.db, hash, None).await.unwrap()
}

both_databases! {
    async fn a_key_resolves_to_its_scope_and_the_asked_link(engine) {
        let test = TestDb::open(engine).await;
        let (one, two) = (Tenant::make(&test.db, 1).await, Tenant::make(&test.db, 2).await);
        let key = plugin_keys::resolve(&test.db, &one.key_hash, Some(&one.steam)).await.unwrap().unwrap();
        assert_eq!((key.scope, key.kind, key.actions, key.revoked), (one.scope, KeyKind::Plugin, ActionSet::PLUGIN, false));
        assert_eq!((key.guild, key.server, key.server_active), (one.guild, Some(one.server), true));
        assert_eq!(storage::tenancy::guilds::find_active_links(&test.db, one.guild).await.unwrap(), Some(1));
        let scope = plugin_keys::find_scope(&test.db, key.num).await.unwrap().unwrap();
        assert_eq!(scope.guild_id, one.guild_id);
        assert!(scope.server_id.is_some() && !scope.discord_guild_id.is_empty());
        assert_eq!(key.linked_discord.as_deref(), Some(one.discord.as_str()));
        for asked in [Some(&two.steam), Some(&steam(999)), None] {
            let key = plugin_keys::resolve(&test.db, &one.key_hash, asked).await.unwrap().unwrap();
            assert_eq!(key.linked_discord, None, "another Guild's link does not exist");
        }
        assert!(resolve(&test, &plain_key().hash()).await.is_none());
        test.finish().await;
    }

    async fn a_replaced_key_stops_working_and_is_remembered(engine) {
        let test = TestDb::open(engine).await;
        let (one, two) = (Tenant::make(&test.db, 1).await, Tenant::make(&test.db, 2).await);
        let key = resolve(&test, &one.key_hash).await.unwrap();
        assert!(test.db.write(Revoke { scope: one.scope, key: key.num }).await.unwrap());
        let fresh = plain_key();
        let hash = fresh.hash();
        let unit = Replace { scope: one.scope, key: key.num, version: 1, fresh: Fresh(fresh) };
        assert!(test.db.write(unit).await.unwrap());
        assert!(resolve(&test, &one.key_hash).await.is_none());
        let now = resolve(&test, &hash).await.unwrap();
        assert_eq!((now.num, now.revoked), (key.num, false), "a revocation is lifted");
        let retired = plugin_keys::find_retired(&test.db, &one.key_hash).await.unwrap().unwrap();
        let recorded = plugin_keys::find_scope(&test.db, key.num).await.unwrap().unwrap();
        assert_eq!((retired.key_id, retired.scope, retired.key), (recorded.key_id, one.scope, Some(key.num)));
        let server = storage::tenancy::servers::find(&test.db, one.scope, &one.server_id).await.unwrap().unwrap();
        assert_eq!((server.key.version, server.key.sealed.as_str(), server.key.rotated_at_ms), (2, "sealed-2", NOW + 10));
        assert!(resolve(&test, &two.key_hash).await.is_some(), "nobody else's key changed");
        test.finish().await;
    }

    async fn a_key_that_changed_meanwhile_is_not_replaced_nor_retired(engine) {
        let test = TestDb::open(engine).await;
        let (one, two) = (Tenant::make(&test.db, 1).await, Tenant::make(&test.db, 2).await);
        let key = resolve(&test, &one.key_hash).await.unwrap().num;
        for (scope, version) in [(one.scope, 7), (two.scope, 1)] {
            let unit = Replace { scope, key, version, fresh: Fresh(plain_key()) };
            assert!(!test.db.write(unit).await.unwrap());
        }
        assert!(resolve(&test, &one.key_hash).await.is_some());
        assert!(plugin_keys::find_retired(&test.db, &one.key_hash).await.unwrap().is_none(), "it is still in use");
        let unit = Replace { scope: one.scope, key, version: 1, fresh: Fresh(plain_key()) };
        assert!(test.db.write(unit).await.unwrap());
        test.finish().await;
    }

    async fn a_revoked_key_stays_revoked(engine) {
        let test = TestDb::open(engine).await;
        let (one, two) = (Tenant::make(&test.db, 1).await, Tenant::make(&test.db, 2).await);
        let key = resolve(&test, &one.key_hash).await.unwrap().num;
        assert!(!test.db.write(Revoke { scope: two.scope, key }).await.unwrap(), "another Org's key does not exist");
        assert!(test.db.write(Revoke { scope: one.scope, key }).await.unwrap());
        assert!(!test.db.write(Revoke { scope: one.scope, key }).await.unwrap());
        assert!(resolve(&test, &one.key_hash).await.unwrap().revoked);
        test.finish().await;
    }

    async fn a_retired_key_is_reported_once_per_interval_and_forgotten_in_time(engine) {
        let test = TestDb::open(engine).await;
        let one = Tenant::make(&test.db, 1).await;
        let key = resolve(&test, &one.key_hash).await.unwrap().num;
        let unit = Replace { scope: one.scope, key, version: 1, fresh: Fresh(plain_key()) };
        assert!(test.db.write(unit).await.unwrap());
        let report = |now, before| Report { hash: one.key_hash.clone(), now, before };
        assert!(test.db.write(report(1000, 500)).await.unwrap());
        assert!(!test.db.write(report(1001, 501)).await.unwrap());
        let retired = plugin_keys::find_retired(&test.db, &one.key_hash).await.unwrap().unwrap();
        assert_eq!(retired.reported_at_ms, Some(1000));
        assert!(test.db.write(report(2000, 1001)).await.unwrap());
        assert_eq!(test.db.write(PurgeRetired { before: NOW + 9 }).await.unwrap(), 0);
        assert_eq!(test.db.write(PurgeRetired { before: NOW + 10 }).await.unwrap(), 1);
        assert!(plugin_keys::find_retired(&test.db, &one.key_hash).await.unwrap().is_none());
        test.finish().await;
    }

    async fn the_last_use_never_moves_back_and_calls_add_up(engine) {
        let test = TestDb::open(engine).await;
        let one = Tenant::make(&test.db, 1).await;
        let key = resolve(&test, &one.key_hash).await.unwrap().num;
        for (at, query_calls) in [(NOW + 5, 2), (NOW + 3, 1), (NOW + 4, 0)] {
            test.db.write(RecordUse { key, at, query_calls }).await.unwrap();
        }
        test.db.write(RecordUse { key: KeyNum(-1), at: NOW, query_calls: 1 }).await.unwrap();
        let server = storage::tenancy::servers::find(&test.db, one.scope, &one.server_id).await.unwrap().unwrap();
        assert_eq!((server.key.last_used_at_ms, server.key.query_calls), (Some(NOW + 5), 3));
        test.finish().await;
    }

    async fn sealed_copies_are_walked_and_swapped_under_another_master_key(engine) {
        let test = TestDb::open(engine).await;
        for number in 1..=3 {
            Tenant::make(&test.db, number).await;
        }
        let kid = |kid: &str, copies| KidUse { kid: kid.to_owned(), copies };
        assert_eq!(plugin_keys::list_kids(&test.db).await.unwrap(), [kid("k1", 3)]);
        let walk = plugin_keys::list_sealed_otherwise(&test.db, KeyNum(0), "k2").await.unwrap();
        assert_eq!(walk.len(), 3);
        assert!(walk.iter().all(|key| key.version == 1 && key.sealed == "sealed-1"));
        assert_eq!(plugin_keys::list_sealed_otherwise(&test.db, walk[1].num, "k2").await.unwrap().len(), 1);
        assert!(plugin_keys::list_sealed_otherwise(&test.db, KeyNum(0), "k1").await.unwrap().is_empty());
        let reseal = |old| Reseal { key: walk[0].num, old, new: "sealed-9" };
        assert!(!test.db.write(reseal("another")).await.unwrap(), "it was regenerated meanwhile");
        assert!(test.db.write(reseal("sealed-1")).await.unwrap());
        assert_eq!(plugin_keys::list_kids(&test.db).await.unwrap(), [kid("k1", 2), kid("k2", 1)]);
        test.finish().await;
    }

    async fn a_custom_key_of_the_whole_guild_has_no_server(engine) {
        let test = TestDb::open(engine).await;
        let one = Tenant::make(&test.db, 1).await;
        let hash = plain_key().hash();
        // Nothing makes such keys yet, so it is put there by hand.
        let sql = format!(
            "INSERT INTO api_keys (id, org_num, guild_num, kind, name, actions, hash, prefix, sealed, sealed_kid, version, created_at, rotated_at)
             VALUES ('{}', {}, {}, 'custom', 'n', 1, '{}', 'p', 's', 'k1', 1, 1, 1)",
            "key_01ARZ3NDEKTSV4RRFFQ69G5FAV",
            one.scope.num(), one.guild.0, hash.as_str());
        Raw::open(&test).await.run(&sql).await.unwrap();
        let key = resolve(&test, &hash).await.unwrap();
        assert!(key.server.is_none() && key.server_active && key.kind == KeyKind::Custom);
        test.finish().await;
    }
}
