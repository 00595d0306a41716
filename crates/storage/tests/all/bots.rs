//! Bots: who runs them, which process is theirs, and what they are told once.

use domain::bot::{BotId, BotSecret};
use domain::platform_id::DiscordId;
use storage::bots::places::{self, Channel, Role};
use storage::bots::processes::{Identify, Report, Standing};
use storage::bots::register::NewSecret;
use storage::bots::{guild_bots, interactions, leases, log_batches, processes, register};
use storage::jobs::Moment;
use storage::testing::TestDb;
use storage::{BotNum, GuildNum, OrgScope, both_databases};

use crate::support::{NOW, Tenant};

fn at(now_ms: i64) -> Moment {
    Moment {
        here_ms: now_ms,
        ahead_ms: None,
    }
}

fn secret(digit: &str) -> BotSecret {
    BotSecret::parse(&["sbot_", &digit.repeat(64)].concat()).unwrap()
}

unit!(Make { digit: &'static str } -> bool, |this, tx| {
    let new = NewSecret { hash: &secret(this.digit).hash(), sealed: this.digit, sealed_kid: "k1", now_ms: NOW };
    register::ensure(tx, &BotId::Platform, None, &new).await
});
unit!(Rotate { version: i64, digit: &'static str } -> bool, |this, tx| {
    let new = NewSecret { hash: &secret(this.digit).hash(), sealed: this.digit, sealed_kid: "k1", now_ms: NOW };
    register::rotate(tx, &BotId::Platform, this.version, &new).await
});
unit!(Take { owner: &'static str, now: i64 } -> Option<leases::Lease>, |this, tx| {
    leases::take(tx, &BotId::Platform, this.owner, at(this.now)).await
});
unit!(Renew { lease: leases::Lease, now: i64 } -> bool, |this, tx| {
    leases::renew(tx, &this.lease, at(this.now)).await
});
unit!(Release { lease: leases::Lease } -> bool, |this, tx| { leases::release(tx, &this.lease).await });
unit!(NoteEnd { lease: leases::Lease } -> bool, |this, tx| { leases::note_end(tx, &this.lease).await });
unit!(FreeLeft {} -> u64, |_this, tx| { leases::free_left(tx, &BotId::Platform).await });
unit!(Say { bot: BotNum, instance: &'static str, state: &'static str, now: i64 } -> Standing, |this, tx| {
    let report = Report {
        instance: this.instance,
        state: this.state,
        failure: None,
        bot_user_id: None,
        guilds: 1,
        memory_bytes: 2,
        started_at_ms: 3,
    };
    processes::report(tx, this.bot, &report, at(this.now)).await
});
unit!(Begin { bot: BotNum, instance: &'static str, now: i64 } -> Identify, |this, tx| {
    processes::count_identify(tx, this.bot, this.instance, 3, at(this.now)).await
});
unit!(Accept { id: &'static str, now: i64 } -> bool, |this, tx| { interactions::accept(tx, this.id, this.now).await });
unit!(Forget { before: i64 } -> u64, |this, tx| { interactions::purge(tx, this.before).await });
unit!(Batch { scope: OrgScope, guild: GuildNum } -> i64, |this, tx| {
    log_batches::insert(tx, this.scope, this.guild, "{}", 7, NOW).await
});
unit!(Sent { scope: OrgScope, guild: GuildNum } -> u64, |this, tx| {
    log_batches::remove(tx, this.scope, this.guild).await
});
unit!(PurgeBatches { before: i64 } -> u64, |this, tx| { log_batches::purge(tx, this.before).await });
unit!(SetPlaces { tenant: Tenant, roles: Vec<Role>, channels: Vec<Channel>, now: i64 } -> (), |this, tx| {
    let (scope, guild) = (this.tenant.scope, this.tenant.guild);
    places::set_roles(tx, scope, guild, &this.roles, this.now).await?;
    places::set_channels(tx, scope, guild, &this.channels, this.now).await.map(drop)
});
unit!(ForgetPlaces { tenant: Tenant } -> u64, |this, tx| {
    places::forget_slice(tx, this.tenant.scope, this.tenant.guild, 1).await
});
unit!(Learn { tenant: Tenant } -> (), |this, tx| {
    let (scope, guild) = (this.tenant.scope, this.tenant.guild);
    guild_bots::set_log_problem(tx, scope, guild, Some("unknown_channel"), 5).await?;
    let facts = guild_bots::Facts { present: true, permissions: Some(1 << 40), top_position: Some(4), seen_by: &BotId::Platform, now_ms: 6 };
    guild_bots::set_facts(tx, scope, guild, &facts).await?;
    guild_bots::note_event(tx, scope, guild, 7).await?;
    guild_bots::set_commands(tx, scope, guild, "h", 8).await
});
unit!(LogsArrive { tenant: Tenant } -> (), |this, tx| {
    guild_bots::set_log_problem(tx, this.tenant.scope, this.tenant.guild, None, 9).await
});

async fn platform(test: &TestDb) -> BotNum {
    test.db.write(Make { digit: "0" }).await.unwrap();
    let held = register::find_holder(&test.db, &secret("0").hash())
        .await
        .unwrap();
    held.unwrap().num
}

fn role(id: &str, name: &str) -> Role {
    Role {
        id: DiscordId::parse(id).unwrap(),
        name: name.to_owned(),
        position: 3,
        colour: 0xff_ff_ff,
        reason: Some("above_bot".to_owned()),
        powerful: false,
        gone_at: None,
    }
}

fn channel(id: &str, name: &str) -> Channel {
    Channel {
        id: DiscordId::parse(id).unwrap(),
        name: name.to_owned(),
        position: 3,
        kind: 5,
        parent_id: DiscordId::parse("900000000000000077").ok(),
        reason: None,
        gone_at: None,
    }
}

both_databases! {
    async fn a_bot_keeps_its_secret_until_it_is_rotated(engine) {
        let test = TestDb::open(engine).await;
        assert!(test.db.write(Make { digit: "0" }).await.unwrap());
        assert!(!test.db.write(Make { digit: "1" }).await.unwrap(), "the second start makes no other");
        let holder = |digit: &'static str| { let db = &test.db; async move { register::find_holder(db, &secret(digit).hash()).await.unwrap().map(|held| held.id) } };
        assert_eq!((holder("0").await, holder("1").await), (Some(BotId::Platform), None));
        assert!(test.db.write(Rotate { version: 1, digit: "2" }).await.unwrap());
        assert!(!test.db.write(Rotate { version: 1, digit: "3" }).await.unwrap(), "somebody else was first");
        assert_eq!((holder("0").await, holder("2").await), (None, Some(BotId::Platform)));
        let sealed = register::find_secret(&test.db, &BotId::Platform).await.unwrap().unwrap();
        assert_eq!((sealed.version, sealed.sealed.as_str()), (2, "2"));
        test.finish().await;
    }

    async fn a_bot_is_run_by_one_node_at_a_time(engine) {
        let test = TestDb::open(engine).await;
        platform(&test).await;
        let take = |owner, now| test.db.write(Take { owner, now });
        let first = take("a", NOW).await.unwrap().unwrap();
        assert_eq!(take("b", NOW + 14_999).await.unwrap(), None);
        assert!(test.db.write(Renew { lease: first.clone(), now: NOW + 10_000 }).await.unwrap());
        assert_eq!(take("b", NOW + 24_999).await.unwrap(), None, "it was kept");
        let second = take("b", NOW + 25_000).await.unwrap().unwrap();
        assert_eq!(second.fence, first.fence + 1);
        for (what, done) in [
            ("renew", test.db.write(Renew { lease: first.clone(), now: NOW + 25_001 }).await.unwrap()),
            ("release", test.db.write(Release { lease: first.clone() }).await.unwrap()),
            ("end", test.db.write(NoteEnd { lease: first }).await.unwrap()),
        ] {
            assert!(!done, "who lost it can still {what}");
        }
        assert!(test.db.write(Release { lease: second }).await.unwrap());
        assert_eq!(take("c", NOW + 25_002).await.unwrap().unwrap().fence, 3);
        assert_eq!(test.db.write(FreeLeft {}).await.unwrap(), 1);
        assert!(take("d", NOW + 25_003).await.unwrap().is_some());
        test.finish().await;
    }

    async fn a_second_process_waits_until_the_first_is_silent_or_stopped(engine) {
        let test = TestDb::open(engine).await;
        let bot = platform(&test).await;
        let say = |instance, state, now| test.db.write(Say { bot, instance, state, now });
        assert_eq!(say("a", "online", NOW).await.unwrap(), Standing::Alone);
        assert_eq!(say("b", "connecting", NOW + 14_999).await.unwrap(), Standing::Second);
        assert_eq!(say("a", "online", NOW + 15_000).await.unwrap(), Standing::Disputed, "the first is told too");
        assert_eq!(say("a", "online", NOW + 29_999).await.unwrap(), Standing::Alone);
        assert_eq!(say("b", "connecting", NOW + 44_999).await.unwrap(), Standing::Alone, "the first is silent");
        assert_eq!(say("b", "stopped", NOW + 45_000).await.unwrap(), Standing::Alone);
        assert_eq!(say("c", "connecting", NOW + 45_001).await.unwrap(), Standing::Alone, "it said goodbye");
        let known = processes::list(&test.db).await.unwrap();
        assert_eq!((known[0].state.as_deref(), known[0].online_at_ms), (Some("connecting"), Some(NOW + 29_999)));
        test.finish().await;
    }

    async fn what_its_node_saw_end_need_not_be_waited_for(engine) {
        let test = TestDb::open(engine).await;
        let bot = platform(&test).await;
        let lease = test.db.write(Take { owner: "n", now: NOW }).await.unwrap().unwrap();
        assert!(!test.db.write(NoteEnd { lease: lease.clone() }).await.unwrap(), "nothing was heard of it yet");
        let say = |instance, now| test.db.write(Say { bot, instance, state: "online", now });
        assert_eq!(say("n", NOW).await.unwrap(), Standing::Alone);
        assert!(test.db.write(NoteEnd { lease: lease.clone() }).await.unwrap());
        assert_eq!(say("b", NOW + 1).await.unwrap(), Standing::Alone);
        assert!(!test.db.write(NoteEnd { lease }).await.unwrap(), "that one is somebody else's");
        test.finish().await;
    }

    async fn new_sessions_are_counted_by_day(engine) {
        let test = TestDb::open(engine).await;
        let bot = platform(&test).await;
        let day = 86_400_000;
        let noon = NOW - NOW % day + day / 2;
        test.db.write(Say { bot, instance: "a", state: "connecting", now: noon }).await.unwrap();
        let begin = |instance, now| test.db.write(Begin { bot, instance, now });
        for count in 1..=3 {
            assert_eq!(begin("a", noon).await.unwrap(), Identify::Counted(count));
        }
        assert_eq!(begin("a", noon + 1).await.unwrap(), Identify::Exhausted(day / 2 - 1));
        assert_eq!(begin("b", noon + 1).await.unwrap(), Identify::Second);
        assert_eq!(begin("a", noon + day / 2).await.unwrap(), Identify::Counted(1), "another day");
        test.finish().await;
    }

    async fn an_interaction_is_accepted_once(engine) {
        let test = TestDb::open(engine).await;
        let accept = |id, now| test.db.write(Accept { id, now });
        assert!(accept("1", NOW).await.unwrap());
        assert!(!accept("1", NOW + 1).await.unwrap());
        assert!(accept("2", NOW + 1).await.unwrap());
        assert_eq!(test.db.write(Forget { before: NOW + 1 }).await.unwrap(), 1);
        assert!(!accept("2", NOW + 2).await.unwrap());
        test.finish().await;
    }

    async fn the_number_of_a_message_is_never_given_twice(engine) {
        let test = TestDb::open(engine).await;
        let tenant = Tenant::make(&test.db, 1).await;
        let (scope, guild) = (tenant.scope, tenant.guild);
        let first = test.db.write(Batch { scope, guild }).await.unwrap();
        assert!(test.db.write(Batch { scope, guild }).await.is_err(), "one at a time");
        let kept = log_batches::find(&test.db, scope, guild).await.unwrap().unwrap();
        assert_eq!((kept.num, kept.body.as_str(), kept.last_job), (first, "{}", 7));
        assert_eq!(test.db.write(Sent { scope, guild }).await.unwrap(), 1);
        let second = test.db.write(Batch { scope, guild }).await.unwrap();
        assert!(second > first);
        assert_eq!(test.db.write(PurgeBatches { before: NOW }).await.unwrap(), 0);
        assert_eq!(test.db.write(PurgeBatches { before: NOW + 1 }).await.unwrap(), 1, "names go after a day");
        let test = test.restart().await;
        assert!(test.db.write(Batch { scope, guild }).await.unwrap() > second);
        test.finish().await;
    }

    async fn of_what_is_gone_the_latest_names_are_kept(engine) {
        let test = TestDb::open(engine).await;
        let tenant = Tenant::make(&test.db, 1).await;
        let set = |channels: Vec<Channel>, now| test.db.write(SetPlaces { tenant: tenant.clone(), roles: vec![], channels, now });
        let id = |number: i64| (900_000_000_000_000_000 + number).to_string();
        for now in 1..=3 {
            set((0..150).map(|number| channel(&id(now * 1_000 + number), "made for an evening")).collect(), now).await.unwrap();
        }
        let listed = places::list_channels(&test.db, tenant.scope, tenant.guild).await.unwrap();
        let gone = |at: Option<i64>| listed.iter().filter(|channel| channel.gone_at == at).count();
        assert_eq!((gone(None), gone(Some(3)), gone(Some(2)), listed.len()), (150, 150, 50, 350));
        assert!(listed[..150].iter().all(|channel| channel.gone_at.is_none()), "what is there comes first");
        test.finish().await;
    }

    async fn what_is_gone_keeps_its_name_and_comes_back(engine) {
        let test = TestDb::open(engine).await;
        let (tenant, other) = (Tenant::make(&test.db, 1).await, Tenant::make(&test.db, 2).await);
        let set = |roles: Vec<Role>, channels: Vec<Channel>, now| test.db.write(SetPlaces { tenant: tenant.clone(), roles, channels, now });
        let (one, two) = ("900000000000000001", "900000000000000002");
        set(vec![role(one, "a\"\\ü"), role(two, "b")], vec![channel(one, "c"), channel(two, "d")], 1).await.unwrap();
        set(vec![role(two, "B")], vec![channel(one, "C")], 2).await.unwrap();
        let roles = places::list_roles(&test.db, tenant.scope, tenant.guild).await.unwrap();
        assert_eq!(roles, [role(two, "B"), Role { gone_at: Some(2), ..role(one, "a\"\\ü") }]);
        let channels = places::list_channels(&test.db, tenant.scope, tenant.guild).await.unwrap();
        assert_eq!(channels, [channel(one, "C"), Channel { gone_at: Some(2), ..channel(two, "d") }]);
        set(vec![role(one, "a")], vec![], 3).await.unwrap();
        let roles = places::list_roles(&test.db, tenant.scope, tenant.guild).await.unwrap();
        assert_eq!(roles.iter().map(|role| role.gone_at).collect::<Vec<_>>(), [None, Some(3)]);
        assert!(places::list_roles(&test.db, other.scope, tenant.guild).await.unwrap().is_empty(), "another Org's");
        for left in [1, 1, 1, 1, 0] {
            assert_eq!(test.db.write(ForgetPlaces { tenant: tenant.clone() }).await.unwrap(), left);
        }
        test.finish().await;
    }

    async fn what_is_known_of_a_guild_is_kept_piece_by_piece(engine) {
        let test = TestDb::open(engine).await;
        let tenant = Tenant::make(&test.db, 1).await;
        assert_eq!(guild_bots::find(&test.db, tenant.scope, tenant.guild).await.unwrap(), None);
        test.db.write(Learn { tenant: tenant.clone() }).await.unwrap();
        let known = guild_bots::find(&test.db, tenant.scope, tenant.guild).await.unwrap().unwrap();
        let wanted = guild_bots::GuildBot {
            present: Some(true),
            permissions: Some(1 << 40),
            top_position: Some(4),
            checked_at_ms: Some(6),
            last_event_at_ms: Some(7),
            log_problem: Some(("unknown_channel".to_owned(), 5)),
            commands_hash: Some("h".to_owned()),
            seen_by: Some("platform".to_owned()),
        };
        assert_eq!(known, wanted);
        test.db.write(LogsArrive { tenant: tenant.clone() }).await.unwrap();
        let known = guild_bots::find(&test.db, tenant.scope, tenant.guild).await.unwrap().unwrap();
        assert_eq!(known.log_problem, None);
        test.finish().await;
    }
}
