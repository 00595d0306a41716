//! The last place under a plan's ceiling goes to one of many.

use app::AppError;
use app::error::{RequestError, TenancyError};
use app::linking::links;
use app::linking::links::LinkRequest;
use app::tenancy::guilds::{self, NewGuildRequest};
use app::tenancy::{orgs, servers};
use app::{App, OrgScope};
use domain::audit::Actor;
use domain::id::GuildId;
use domain::link::UnlinkCause;
use domain::name::{DisplayName, Slug};
use domain::plan::Tier;
use domain::platform_id::EitherId;
use testkit::{both_databases, discord, rounds, steam};

use super::race::{Nodes, Outcome, RACERS, link_all, race, report};

fn name(number: u64) -> DisplayName {
    DisplayName::parse(&format!("Racer {number}")).expect("a name")
}

fn slug(number: u64) -> Slug {
    Slug::parse(&format!("racer-{number}")).expect("a slug")
}

async fn create_guild(app: &App, scope: OrgScope, number: u64) -> Result<GuildId, app::AppError> {
    let request = NewGuildRequest {
        discord_guild_id: discord(500_000_000 + number),
        name: name(number),
        slug: slug(number),
        log_channel_id: None,
    };
    guilds::create(app, scope, request, Actor::System)
        .await
        .map(|(id, _)| id)
}

both_databases! {
    async fn the_last_server_of_a_plan_goes_to_one_racer(engine) {
        let nodes = Nodes::start(engine).await;
        let count = rounds(20, 200);
        for (number, tier) in [(1, Tier::Free), (2, Tier::Standard)] {
            let tenant = nodes.test.tenant(number, tier).await;
            let ceiling = tier.default_ceilings().servers;
            for more in 0..ceiling.unsigned_abs() - 2 {
                servers::create(&nodes.test.app, tenant.scope, tenant.guild.clone(), name(more), Actor::System)
                    .await
                    .expect("a Server below the ceiling");
            }
            for round in 0..count {
                let results = race(RACERS, |racer| {
                    let (app, scope, guild) = (nodes.app(racer), tenant.scope, tenant.guild.clone());
                    async move { servers::create(&app, scope, guild, name(racer), Actor::System).await }
                })
                .await;
                let outcome = Outcome::of(results);
                outcome.one_winner(&format!("{tier} round {round}"));
                let org = orgs::get(&nodes.test.app, &tenant.org).await.expect("the Org");
                let stored = servers::list(&nodes.test.app, tenant.scope).await.expect("the Servers");
                assert_eq!((org.servers, stored.len() as i64), (ceiling, ceiling));
                let winner = outcome.won[0].id.clone();
                servers::delete(&nodes.app(round as u64), tenant.scope, winner, Actor::System).await.expect("gone");
            }
        }
        report(engine, &format!("last Server: {count} rounds each on Free and Standard, {RACERS} racers, 0 over the ceiling"));
        nodes.finish(engine).await;
    }

    async fn the_last_link_of_a_plan_goes_to_one_racer(engine) {
        let nodes = Nodes::start(engine).await;
        let tenant = nodes.test.tenant(1, Tier::Free).await;
        let ceiling = Tier::Free.default_ceilings().links;
        link_all(&nodes.test.app, &tenant, ceiling.unsigned_abs() - 1).await;
        let count = rounds(20, 200);
        for round in 0..count as u64 {
            let results = race(RACERS, |racer| {
                let (app, scope) = (nodes.app(racer), tenant.scope);
                let player = 10_000 + round * RACERS + racer;
                let request = LinkRequest {
                    guild: tenant.guild.clone(),
                    discord_id: discord(player),
                    steam_id: steam(player),
                    country: None,
                };
                async move { links::link(&app, scope, request, Actor::System).await.map(|_| player) }
            })
            .await;
            let outcome = Outcome::of(results);
            outcome.one_winner(&format!("round {round}"));
            let winner = outcome.won[0];
            // Full: a relink that adds nothing still goes through.
            tenant.link_pair(&nodes.app(round), winner, winner + 500_000).await.expect("a relink at the ceiling");
            let org = orgs::get(&nodes.test.app, &tenant.org).await.expect("the Org");
            assert_eq!(org.links, ceiling);
            let either = EitherId::Discord(discord(winner));
            links::unlink(&nodes.app(round), tenant.scope, tenant.guild.clone(), either, UnlinkCause::Admin, Actor::System)
                .await
                .expect("an unlink");
        }
        report(engine, &format!("last link: {count} rounds at {ceiling}, {RACERS} racers, 0 over the ceiling"));
        nodes.finish(engine).await;
    }

    async fn the_last_org_of_an_account_goes_to_one_racer(engine) {
        let nodes = Nodes::start(engine).await;
        let count = rounds(20, 200);
        let mut slugs = 0;
        for round in 0..count as u64 {
            let account = nodes.test.account(round).await;
            // Every other account owns a Standard Org already, and so has three places instead of one.
            let standard = round % 2 == 1;
            if standard {
                for number in [0, 1] {
                    slugs += 1;
                    let (_, scope) = orgs::create(&nodes.test.app, &account, name(number), slug(slugs), Actor::System)
                        .await
                        .expect("an Org below the ceiling");
                    app::billing::grants::set_tier(&nodes.test.app, scope, Tier::Standard, domain::audit::Actor::System).await.expect("a tier");
                }
            }
            let first = slugs;
            slugs += RACERS;
            let results = race(RACERS, |racer| {
                let (app, account) = (nodes.app(racer), account.clone());
                async move { orgs::create(&app, &account, name(racer), slug(first + racer + 1), Actor::System).await }
            })
            .await;
            Outcome::of(results).one_winner(&format!("round {round}"));
        }
        report(engine, &format!("last Org of an account: {count} rounds, {RACERS} racers, 0 over the ceiling"));
        nodes.finish(engine).await;
    }

    async fn a_discord_community_claimed_by_many_orgs_goes_to_one(engine) {
        let nodes = Nodes::start(engine).await;
        let count = rounds(20, 200);
        let mut scopes = Vec::new();
        for number in 0..RACERS {
            let account = nodes.test.account(number).await;
            let (_, scope) = orgs::create(&nodes.test.app, &account, name(number), slug(number), Actor::System)
                .await
                .expect("an Org");
            app::billing::grants::set_tier(&nodes.test.app, scope, Tier::Pro, domain::audit::Actor::System).await.expect("a tier");
            scopes.push(scope);
        }
        for round in 0..count as u64 {
            // Nobody may win so often that the ceiling answers instead.
            let racers = 8;
            let results = race(racers, |racer| {
                let scope = scopes[((round + racer * 4) % RACERS) as usize];
                let app = nodes.app(racer);
                async move { create_guild(&app, scope, round).await }
            })
            .await;
            let won = results.iter().filter(|result| result.is_ok()).count();
            let told = results.iter().filter(|result| matches!(result, Err(AppError::Request(RequestError::Conflict(_))))).count();
            let limited = results.iter().filter(|result| matches!(result, Err(AppError::Tenancy(TenancyError::LimitReached { .. })))).count();
            assert_eq!((won, told + limited), (1, racers as usize - 1), "round {round}");
        }
        report(engine, &format!("one Discord community: {count} rounds, 8 Orgs at once, always 1 owner, the others told"));
        nodes.finish(engine).await;
    }

    async fn the_last_guild_of_an_org_goes_to_one_racer(engine) {
        let nodes = Nodes::start(engine).await;
        let count = rounds(20, 200);
        let mut guilds_made = 0;
        for round in 0..count as u64 {
            let account = nodes.test.account(round).await;
            let (id, scope) = orgs::create(&nodes.test.app, &account, name(round), slug(round), Actor::System)
                .await
                .expect("an Org");
            let mut ceiling = Tier::Free.default_ceilings().guilds;
            if round % 2 == 1 {
                app::billing::grants::set_tier(&nodes.test.app, scope, Tier::Standard, domain::audit::Actor::System).await.expect("a tier");
                ceiling = Tier::Standard.default_ceilings().guilds;
                for _ in 1..ceiling {
                    guilds_made += 1;
                    create_guild(&nodes.test.app, scope, guilds_made).await.expect("a Guild below the ceiling");
                }
            }
            let first = guilds_made;
            guilds_made += RACERS;
            let results = race(RACERS, |racer| {
                let app = nodes.app(racer);
                async move { create_guild(&app, scope, first + racer + 1).await }
            })
            .await;
            Outcome::of(results).one_winner(&format!("round {round}"));
            let org = orgs::get(&nodes.test.app, &id).await.expect("the Org");
            assert_eq!(org.guilds, ceiling);
        }
        report(engine, &format!("last Guild of an Org: {count} rounds, {RACERS} racers, 0 over the ceiling"));
        nodes.finish(engine).await;
    }
}
