//! Accounts and their sessions.

use domain::id::{AccountId, OrgId};
use domain::permission::{Permission, PermissionSet, Role};
use domain::platform_id::DiscordId;
use domain::random::SystemRandom;
use storage::identity::accounts::{self, Account};
use storage::identity::{mass_sign_out, sessions};
use storage::tenancy::{orgs, team};
use storage::testing::TestDb;
use storage::{AccountNum, OrgScope, both_databases};

use crate::support::{NOW, Tenant, discord};

unit!(Ensure { discord: DiscordId, name: &'static str } -> Account, |it, tx| {
    let id = AccountId::generate(NOW, &SystemRandom);
    accounts::ensure(tx, &id, &it.discord, it.name, NOW).await
});

unit!(OwnOneMore { account: AccountNum, ceiling: i64 } -> (Vec<String>, bool), |it, tx| {
    accounts::lock(tx, &[it.account]).await?;
    let tiers = accounts::owned_tiers(tx, it.account).await?;
    Ok((tiers, accounts::own_one_more(tx, it.account, it.ceiling).await?))
});

unit!(SetOperator { account: AccountNum } -> bool, |it, tx| { accounts::set_operator(tx, it.account, true).await });

unit!(SignIn { hash: &'static str, account: AccountNum, expires_at: i64 } -> (), |it, tx| {
    sessions::insert(tx, it.hash, it.account, NOW, it.expires_at, None).await
});

unit!(Touch { hash: &'static str, now: i64 } -> (), |it, tx| { sessions::touch(tx, it.hash, it.now).await });

unit!(SignOut { hash: &'static str } -> bool, |it, tx| { sessions::delete(tx, it.hash).await });

unit!(Renew { hash: &'static str, to: &'static str } -> bool, |it, tx| {
    sessions::renew(tx, it.hash, it.to, NOW, NOW + 100).await
});

unit!(EndAllBut { hash: &'static str } -> bool, |it, tx| { mass_sign_out::end_all_but(tx, it.hash, NOW).await });

unit!(Purge { now: i64 } -> u64, |it, tx| { sessions::purge(tx, it.now).await });

unit!(Join { scope: OrgScope, account: AccountNum, role: Role, permissions: PermissionSet } -> (), |it, tx| {
    orgs::add_member(tx, it.scope, it.account, it.role, it.permissions, NOW).await.map(drop)
});

unit!(SetPermissions { scope: OrgScope, account: AccountNum, permissions: PermissionSet } -> (), |it, tx| {
    let seen = team::find_by_account(tx, it.scope, it.account).await?.map_or(0, |member| member.revision);
    team::change(tx, it.scope, it.account, seen, Role::Staff, it.permissions).await
});

both_databases! {
    async fn a_person_keeps_the_account_of_their_first_time(engine) {
        let test = TestDb::open(engine).await;
        assert!(accounts::find_by_discord(&test.db, &discord(5)).await.unwrap().is_none());
        let first = test.db.write(Ensure { discord: discord(5), name: "First" }).await.unwrap();
        let again = test.db.write(Ensure { discord: discord(5), name: "Again" }).await.unwrap();
        assert_eq!((first.num, &first.id, again.name.as_str()), (again.num, &again.id, "First"));
        let other = test.db.write(Ensure { discord: discord(6), name: "Other" }).await.unwrap();
        assert_ne!(first.num, other.num);
        assert_eq!(accounts::find(&test.db, &first.id).await.unwrap().unwrap().discord_id, discord(5));
        assert_eq!(accounts::find_by_discord(&test.db, &discord(6)).await.unwrap().unwrap().id, other.id);
        assert!(accounts::find(&test.db, &AccountId::generate(NOW, &SystemRandom)).await.unwrap().is_none());
        test.finish().await;
    }

    async fn operators_are_marked_and_nobody_else(engine) {
        let test = TestDb::open(engine).await;
        let one = test.db.write(Ensure { discord: discord(5), name: "One" }).await.unwrap();
        let two = test.db.write(Ensure { discord: discord(6), name: "Two" }).await.unwrap();
        assert!(test.db.write(SetOperator { account: one.num }).await.unwrap());
        assert!(!test.db.write(SetOperator { account: one.num }).await.unwrap(), "it was so before");
        assert!(!test.db.write(SetOperator { account: AccountNum(-1) }).await.unwrap());
        assert!(accounts::find(&test.db, &one.id).await.unwrap().unwrap().operator);
        assert!(!accounts::find(&test.db, &two.id).await.unwrap().unwrap().operator);
        test.finish().await;
    }

    async fn owned_orgs_stop_at_the_ceiling_even_in_a_rush(engine) {
        let test = TestDb::open(engine).await;
        let tenant = Tenant::make(&test.db, 1).await;
        let rush = (0..8).map(|_| test.db.write(OwnOneMore { account: tenant.account, ceiling: 4 }));
        let answers = futures_util::future::join_all(rush).await;
        let let_in = answers.into_iter().filter(|answer| answer.as_ref().unwrap().1).count();
        assert_eq!(let_in, 3, "one was owned before");
        let (tiers, more) = test.db.write(OwnOneMore { account: tenant.account, ceiling: 4 }).await.unwrap();
        assert_eq!((tiers, more), (vec!["free".to_owned()], false));
        test.finish().await;
    }

    async fn a_session_tells_who_calls_and_ends_in_time(engine) {
        let test = TestDb::open(engine).await;
        let tenant = Tenant::make(&test.db, 1).await;
        test.db.write(SignIn { hash: "h", account: tenant.account, expires_at: NOW + 100 }).await.unwrap();
        let find = async |hash, now, seen_after| {
            sessions::find_caller(&test.db, (hash, &[]), None, now, seen_after).await.unwrap()
        };
        let caller = find("h", NOW, 0).await.unwrap();
        assert_eq!((caller.account, caller.seen_at_ms, caller.operator), (tenant.account, NOW, None));
        assert!(caller.membership.is_none());
        assert!(find("other", NOW, 0).await.is_none());
        assert!(find("h", NOW + 99, 0).await.is_some() && find("h", NOW + 100, 0).await.is_none());
        assert!(find("h", NOW, NOW).await.is_none(), "idle for too long");
        test.db.write(Touch { hash: "h", now: NOW + 5 }).await.unwrap();
        test.db.write(Touch { hash: "h", now: NOW + 3 }).await.unwrap();
        assert_eq!(find("h", NOW, NOW).await.unwrap().seen_at_ms, NOW + 5, "a clock that went back is ignored");
        assert!(test.db.write(SignOut { hash: "h" }).await.unwrap());
        assert!(!test.db.write(SignOut { hash: "h" }).await.unwrap());
        assert!(find("h", NOW, 0).await.is_none());
        test.finish().await;
    }

    async fn expired_sessions_are_removed_and_others_stay(engine) {
        let test = TestDb::open(engine).await;
        let account = Tenant::make(&test.db, 1).await.account;
        for (hash, expires_at) in [("a", NOW + 1), ("b", NOW + 2), ("c", NOW + 3)] {
            test.db.write(SignIn { hash, account, expires_at }).await.unwrap();
        }
        assert_eq!(test.db.write(Purge { now: NOW + 2 }).await.unwrap(), 2);
        assert!(sessions::find_caller(&test.db, ("c", &[]), None, NOW, 0).await.unwrap().is_some());
        assert_eq!(test.db.write(Purge { now: NOW + 2 }).await.unwrap(), 0);
        test.finish().await;
    }

    async fn a_session_that_was_ended_with_all_others_begins_no_new_life(engine) {
        let test = TestDb::open(engine).await;
        let tenant = Tenant::make(&test.db, 1).await;
        for hash in ["kept", "ended"] {
            test.db.write(SignIn { hash, account: tenant.account, expires_at: NOW + 100 }).await.unwrap();
        }
        assert!(test.db.write(EndAllBut { hash: "kept" }).await.unwrap());
        assert!(!test.db.write(Renew { hash: "ended", to: "again" }).await.unwrap());
        assert!(sessions::find_caller(&test.db, ("again", &[]), None, NOW, 0).await.unwrap().is_none());
        assert!(test.db.write(Renew { hash: "kept", to: "fresh" }).await.unwrap());
        assert!(sessions::find_caller(&test.db, ("fresh", &[]), None, NOW, 0).await.unwrap().is_some());
        test.finish().await;
    }

    async fn standing_in_an_org_is_owner_member_or_none(engine) {
        let test = TestDb::open(engine).await;
        let (one, two) = (Tenant::make(&test.db, 1).await, Tenant::make(&test.db, 2).await);
        test.db.write(SignIn { hash: "one", account: one.account, expires_at: NOW + 100 }).await.unwrap();
        let standing = async |org: &OrgId| {
            let caller = sessions::find_caller(&test.db, ("one", &[]), Some(org), NOW, 0).await.unwrap().unwrap();
            caller.membership.map(|membership| (membership.scope, membership.role, membership.permissions))
        };
        assert_eq!(standing(&one.org_id).await, Some((one.scope, Role::Owner, PermissionSet::ALL)));
        assert_eq!(standing(&two.org_id).await, None);
        assert_eq!(standing(&OrgId::generate(NOW, &SystemRandom)).await, None);
        let view = PermissionSet::from_iter([Permission::LinksView]);
        let join = |role, permissions| Join { scope: two.scope, account: one.account, role, permissions };
        test.db.write(join(Role::Staff, view)).await.unwrap();
        test.db.write(join(Role::Admin, PermissionSet::ALL)).await.unwrap();
        assert_eq!(standing(&two.org_id).await, Some((two.scope, Role::Staff, view)), "joining twice is joining once");
        let change = |scope, permissions| SetPermissions { scope, account: one.account, permissions };
        test.db.write(change(two.scope, PermissionSet::EMPTY)).await.unwrap();
        assert!(test.db.write(change(one.scope, PermissionSet::EMPTY)).await.is_err(), "an owner is no member");
        assert_eq!(standing(&two.org_id).await, Some((two.scope, Role::Staff, PermissionSet::EMPTY)));
        test.finish().await;
    }
}
