//! Links: one active per side and Guild, archived for ever.

use domain::link::{ActiveLink, UnlinkCause};
use domain::platform_id::{DiscordId, SteamId};
use storage::linking::{links, lookups};
use storage::tenancy::{guilds, orgs};
use storage::testing::TestDb;
use storage::{DbError, GuildNum, OrgScope, both_databases};

use crate::support::{NOW, Raw, Tenant, discord, link, link_id, steam};

type BothSides = (Option<ActiveLink>, Option<ActiveLink>);

unit!(Find { guild: GuildNum, discord: DiscordId, steam: SteamId } -> BothSides, |it, tx| {
    let by_discord = links::find_by_discord(tx, it.guild, &it.discord).await?;
    Ok((by_discord, links::find_by_steam(tx, it.guild, &it.steam).await?))
});

unit!(Insert { scope: OrgScope, guild: GuildNum, discord: DiscordId, steam: SteamId } -> (), |it, tx| {
    link(tx, it.scope, it.guild, &link_id(), &it.discord, &it.steam).await
});

unit!(End { scope: OrgScope, guild: GuildNum, link: i64, now: i64 } -> (), |it, tx| {
    links::end(tx, it.scope, it.link, it.now, UnlinkCause::Admin).await?;
    orgs::drop_links(tx, it.scope, 1).await?;
    guilds::change_links(tx, it.scope, it.guild, -1).await
});

unit!(Verify { scope: OrgScope, link: i64, now: i64, country: Option<&'static str> } -> (), |it, tx| {
    links::mark_verified(tx, it.scope, it.link, it.now, it.country).await
});

fn find(tenant: &Tenant) -> Find {
    Find {
        guild: tenant.guild,
        discord: tenant.discord.clone(),
        steam: tenant.steam.clone(),
    }
}

both_databases! {
    async fn a_link_is_found_from_both_sides_in_its_guild_only(engine) {
        let test = TestDb::open(engine).await;
        let (one, two) = (Tenant::make(&test.db, 1).await, Tenant::make(&test.db, 2).await);
        let (by_discord, by_steam) = test.db.write(find(&one)).await.unwrap();
        let link = by_discord.unwrap();
        assert_eq!(Some(&link), by_steam.as_ref());
        assert_eq!((&link.discord_id, &link.steam_id, link.linked_at_ms), (&one.discord, &one.steam, NOW));
        let elsewhere = Find { guild: two.guild, ..find(&one) };
        assert_eq!(test.db.write(elsewhere).await.unwrap(), (None, None));
        test.finish().await;
    }

    async fn an_ended_link_is_history_and_makes_room(engine) {
        let test = TestDb::open(engine).await;
        let one = Tenant::make(&test.db, 1).await;
        let link = test.db.write(find(&one)).await.unwrap().0.unwrap();
        let again = || Insert { scope: one.scope, guild: one.guild, discord: one.discord.clone(), steam: steam(50) };
        assert!(test.db.write(again()).await.unwrap_err().is_unique());
        let end = |now| End { scope: one.scope, guild: one.guild, link: link.num, now };
        test.db.write(end(NOW + 7)).await.unwrap();
        assert!(matches!(test.db.write(end(NOW + 8)).await.unwrap_err(), DbError::Bug(_)), "it ends once");
        test.db.write(again()).await.unwrap();
        let history = links::list_newest(&test.db, one.scope, 10).await.unwrap();
        assert_eq!(history.len(), 2);
        assert_eq!((history[0].steam_id.as_str(), history[0].ended_at_ms), (steam(50).as_str(), None));
        assert_eq!((history[1].id.as_str(), history[1].ended_at_ms), (link.id.as_str(), Some(NOW + 7)));
        assert_eq!(history[1].end_cause.as_deref(), Some("admin"));
        assert_eq!(links::list_newest(&test.db, one.scope, 1).await.unwrap(), history[..1]);
        assert_eq!(storage::doctor::examine(&test.db).await.unwrap(), Vec::<String>::new());
        test.finish().await;
    }

    /// On SQLite the first question looks each player up; later ones are answered from a list of the whole Guild.
    async fn who_is_linked_is_told_however_often_it_is_asked_and_whatever_happens_in_between(engine) {
        let test = TestDb::open(engine).await;
        let (one, two) = (Tenant::make(&test.db, 1).await, Tenant::make(&test.db, 2).await);
        for number in 100..130 {
            test.db.write(Insert { scope: one.scope, guild: one.guild, discord: discord(number), steam: steam(number) }).await.unwrap();
        }
        let told = async |guild, asked: &[SteamId]| {
            let mut linked: Vec<String> = lookups::linked(&test.db, guild, asked).await.unwrap().iter().map(|id| id.id()).collect();
            linked.sort();
            linked
        };
        let some: Vec<SteamId> = (125..135).map(steam).collect();
        let expected: Vec<String> = (125..130).map(|number| steam(number).to_string()).collect();
        assert_eq!(told(one.guild, &some[..1]).await, expected[..1]);
        for _ in 0..5 {
            assert_eq!(told(one.guild, &some).await, expected);
            assert_eq!(told(two.guild, &some).await, Vec::<String>::new());
        }
        let first = test.db.write(Find { guild: one.guild, discord: discord(125), steam: steam(125) }).await.unwrap().0.unwrap();
        test.db.write(End { scope: one.scope, guild: one.guild, link: first.num, now: NOW + 7 }).await.unwrap();
        assert_eq!(told(one.guild, &some).await, expected[1..], "an ended link is not told any more");
        test.db.write(Insert { scope: one.scope, guild: one.guild, discord: discord(500), steam: steam(134) }).await.unwrap();
        assert!(told(one.guild, &some).await.contains(&steam(134).to_string()), "a new one is told at once");
        let many: Vec<SteamId> = (100..400).map(steam).collect();
        assert_eq!(told(one.guild, &many).await.len(), 30);
        test.finish().await;
    }

    async fn a_clock_that_went_back_cannot_end_a_link_before_it_began(engine) {
        let test = TestDb::open(engine).await;
        let one = Tenant::make(&test.db, 1).await;
        let link = test.db.write(find(&one)).await.unwrap().0.unwrap();
        test.db.write(End { scope: one.scope, guild: one.guild, link: link.num, now: NOW - 1000 }).await.unwrap();
        assert_eq!(links::list_newest(&test.db, one.scope, 1).await.unwrap()[0].ended_at_ms, Some(NOW));
        test.finish().await;
    }

    async fn a_verification_is_noted_and_never_moves_back(engine) {
        let test = TestDb::open(engine).await;
        let one = Tenant::make(&test.db, 1).await;
        let link = test.db.write(find(&one)).await.unwrap().0.unwrap().num;
        let verify = |now, country| Verify { scope: one.scope, link, now, country };
        test.db.write(verify(NOW + 9, Some("FR"))).await.unwrap();
        test.db.write(verify(NOW + 1, None)).await.unwrap();
        let raw = Raw::open(&test).await;
        // A request whose country is not known says nothing about the one before.
        assert_eq!(raw.number("SELECT verified_at FROM links WHERE country = 'FR'").await, NOW + 9);
        drop(raw);
        test.finish().await;
    }

    async fn another_orgs_link_cannot_be_touched(engine) {
        let test = TestDb::open(engine).await;
        let (one, two) = (Tenant::make(&test.db, 1).await, Tenant::make(&test.db, 2).await);
        let link = test.db.write(find(&one)).await.unwrap().0.unwrap().num;
        test.db.write(End { scope: two.scope, guild: two.guild, link, now: NOW }).await.unwrap_err();
        test.db.write(Verify { scope: two.scope, link, now: NOW, country: None }).await.unwrap_err();
        let foreign = Insert { scope: two.scope, guild: one.guild, discord: discord(9), steam: steam(9) };
        test.db.write(foreign).await.unwrap_err();
        assert!(test.db.write(find(&one)).await.unwrap().0.is_some());
        assert_eq!(links::list_newest(&test.db, two.scope, 10).await.unwrap().len(), 1);
        assert_eq!(storage::doctor::examine(&test.db).await.unwrap(), Vec::<String>::new());
        test.finish().await;
    }
}
