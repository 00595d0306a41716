//! What one community's Discord server says is no business of another community.

use app::tenancy::guilds;
use domain::audit::Actor;
use domain::flow::JoinMode;
use domain::id::GuildId;
use domain::permission::Permission;
use domain::plan::Tier;
use domain::platform_id::DiscordId;
use emulator::discord::Snowflake;
use emulator::{Fault, FaultKind};
use futures_util::future::join_all;
use http::Method;
use platform::Unanswered;
use serde_json::json;
use testkit::{Client, Tenant, both_databases, discord, steam};

use super::stage::{Browser, Stage};
use crate::support::call;
use crate::tenancy::claims::{OWN, look_up_as, person, servers};

const ADD: &str = "PUT /api/v10/guilds/{guild}/members/{user}";
const MEMBER: &str = "GET /api/v10/guilds/{guild}/members/{user}";
const VISITORS: u64 = 50;
const LINKS: u64 = 100;
/// One after each link.
const CLAIMS: u64 = LINKS;

fn snowflake(id: &DiscordId) -> Snowflake {
    id.as_str().parse().unwrap()
}

/// Our bot is thrown out of a Discord server, which refuses everything from then on.
fn kick_our_bot(stage: &Stage, guild: &DiscordId) {
    let id = snowflake(guild);
    let kicked = stage
        .discord
        .change(|state| state.guilds.get_mut(&id).unwrap().members.clear());
    kicked.expect("an empty guild");
}

/// Calls about one Discord server.
fn calls_about(stage: &Stage, route: &str, guild: &DiscordId) -> usize {
    let calls = stage.discord.hub().calls();
    let about = |path: &str| path.contains(guild.as_str());
    calls
        .iter()
        .filter(|call| call.route == route && about(&call.path))
        .count()
}

async fn demand_join(stage: &Stage, tenant: &Tenant) {
    let sets = format!(
        "UPDATE guilds SET join_mode = '{}' WHERE id = '{}'",
        JoinMode::Auto.as_str(),
        tenant.guild
    );
    stage.test.db.damage(&sets).await;
}

/// Somebody is banned from a Discord server.
fn ban(stage: &Stage, guild: &DiscordId, person: &DiscordId) {
    let (guild, person) = (snowflake(guild), snowflake(person));
    let banned = stage
        .discord
        .change(|state| state.guilds.get_mut(&guild).unwrap().bans.insert(person));
    banned.expect("a ban");
}

/// Somebody of an Org asks whether player 1 is in guilds that refuse to tell, until the Org has to wait. How often Discord
/// refused it.
async fn collect_refusals(stage: &Stage, org_num: i64, guilds: &mut impl Iterator<Item = u64>) -> u64 {
    let members = stage.test.app.platforms.discord_bot.as_ref().unwrap();
    let mut refused = 0;
    for guild in guilds {
        match members.is_member(org_num, &discord(guild), &discord(1)).await {
            Err(Unanswered::Status(403)) => refused += 1,
            Err(Unanswered::OverShare { .. }) => return refused,
            answer => panic!("{answer:?}"),
        }
    }
    panic!("there are guilds without end")
}

/// A browser with a network of its own, signed in with both accounts on the page of a Guild.
async fn visitor(stage: &Stage, slug: &str, number: u64) -> (Browser, Client, String) {
    let mut browser = stage.browser().on(slug);
    browser.client = browser
        .client
        .clone()
        .from(&format!("198.51.{}.{}", number / 200, number % 200));
    browser.sign_in_discord("link", &discord(number)).await;
    browser.sign_in_steam("link", &steam(number)).await;
    let (client, body) = browser.ready().await;
    (browser, client, body)
}

/// Ten of the visitors press Join, others each time.
async fn press_join(visitors: &[(Browser, Client, String)], step: u64) {
    let first = step as usize * 10 % visitors.len();
    let presses = visitors[first..first + 10]
        .iter()
        .map(|(_, client, body)| client.post("/link/guild-1/join", body));
    assert!(join_all(presses).await.iter().all(|reply| reply.status == 303));
}

/// One player links; whether that worked.
async fn link(stage: &Stage, number: u64) -> bool {
    let (_, client, body) = visitor(stage, "guild-2", number).await;
    let reply = client.post("/link/guild-2/verify", &body).await;
    reply.header("location") == Some("/link/guild-2")
}

/// Claims a Discord server and gives it back; whether that worked.
async fn claim(stage: &Stage, tenant: &Tenant, me: &Client, number: u64) -> bool {
    let claim = json!({ "discord_guild_id": discord(OWN).as_str(), "slug": format!("claimed-{number}") });
    let made = call(me, Method::POST, &format!("/orgs/{}/guilds", tenant.org), &claim).await;
    if made.status != 201 {
        return false;
    }
    let id = GuildId::parse(made.json()["id"].as_str().unwrap()).unwrap();
    let removed = guilds::remove(&stage.test.app, tenant.scope, id, Actor::System).await;
    stage.test.drain_jobs().await;
    removed.is_ok()
}

both_databases! {
    async fn a_guild_that_refuses_everything_costs_no_other_tenant_a_link_or_a_claim(engine) {
        let stage = Stage::set(engine).await;
        let other = stage.test.tenant(2, Tier::Pro).await;
        for number in 41..=VISITORS + LINKS {
            testkit::add_player(&stage.discord, &stage.steam, number);
        }
        testkit::add_guild(&stage.discord, &other.discord_guild, "Guild 2");
        servers(&stage);
        stage.test.member(&other, 1, Permission::ALL).await;
        for tenant in [&stage.tenant, &other] {
            demand_join(&stage, tenant).await;
        }
        let mut pressing = Vec::new();
        for number in 1..=VISITORS {
            pressing.push(visitor(&stage, "guild-1", number).await);
        }
        kick_our_bot(&stage, &stage.tenant.discord_guild);
        let (browser, _) = look_up_as(&stage, &other, 1).await;
        let me = person(&stage, &browser);
        let everybody = pressing.iter().map(|(_, client, body)| client.post("/link/guild-1/join", body));
        assert!(join_all(everybody).await.iter().all(|reply| reply.status == 303));
        let mut done = (0, 0);
        for step in 0..LINKS {
            // Enough time for what one network and one account may do.
            stage.test.clock.advance_ms(1_000);
            let (linked, ()) = tokio::join!(link(&stage, VISITORS + 1 + step), press_join(&pressing, step));
            let (claimed, ()) = tokio::join!(claim(&stage, &other, &me, step), press_join(&pressing, step + 1));
            done = (done.0 + u64::from(linked), done.1 + u64::from(claimed));
        }
        assert_eq!(done, (LINKS, CLAIMS));
        let asked = calls_about(&stage, ADD, &stage.tenant.discord_guild);
        assert!(asked as u64 <= VISITORS, "{asked}: a refusal is remembered");
        stage.finish().await;
    }

    async fn a_refusal_is_remembered_for_its_guild_and_route_for_ten_minutes(engine) {
        let stage = Stage::set(engine).await;
        demand_join(&stage, &stage.tenant).await;
        let (mut browser, client, body) = visitor(&stage, "guild-1", 1).await;
        let (_, other_client, other_body) = visitor(&stage, "guild-1", 2).await;
        kick_our_bot(&stage, &stage.tenant.discord_guild);
        for _ in 0..10 {
            client.post("/link/guild-1/join", &body).await;
            other_client.post("/link/guild-1/join", &other_body).await;
        }
        assert!(browser.page().await.contains("Discord didn’t tell us"));
        assert_eq!(stage.discord.hub().count(ADD), 1);
        stage.test.clock.advance_ms(10 * 60_000 - 1);
        client.post("/link/guild-1/join", &body).await;
        assert_eq!(stage.discord.hub().count(ADD), 1);
        stage.test.clock.advance_ms(1);
        client.post("/link/guild-1/join", &body).await;
        assert_eq!(stage.discord.hub().count(ADD), 2);
        stage.finish().await;
    }

    async fn a_guild_that_is_asked_too_often_is_left_alone_until_it_said(engine) {
        let stage = Stage::set(engine).await;
        stage.demand(JoinMode::Invite, false).await;
        let other = stage.test.tenant(2, Tier::Free).await;
        testkit::add_guild(&stage.discord, &other.discord_guild, "Guild 2");
        testkit::add_member(&stage.discord, &other.discord_guild, &discord(2));
        demand_join(&stage, &other).await;
        let (_, client, body) = visitor(&stage, "guild-1", 1).await;
        let (_, neighbour, neighbours_body) = visitor(&stage, "guild-2", 2).await;
        stage.discord.hub().add_fault(Fault::new(MEMBER, FaultKind::RateLimit).header("retry-after", "30").times(1));
        testkit::add_member(&stage.discord, &stage.tenant.discord_guild, &discord(1));
        client.post("/link/guild-1/verify", &body).await;
        let meanwhile = neighbour.post("/link/guild-2/verify", &neighbours_body).await;
        assert_eq!(meanwhile.header("location"), Some("/link/guild-2"), "the others are not waited for");
        stage.test.clock.advance_ms(29_999);
        let early = client.post("/link/guild-1/verify", &body).await;
        assert_eq!((early.header("location"), stage.discord.hub().count(MEMBER)), (Some("/link/guild-1?notice=open"), 1));
        stage.test.clock.advance_ms(1);
        let later = client.post("/link/guild-1/verify", &body).await;
        assert_eq!((later.header("location"), stage.discord.hub().count(MEMBER)), (Some("/link/guild-1"), 2));
        stage.finish().await;
    }

    async fn refusals_of_several_guilds_are_no_failure_of_discord(engine) {
        let stage = Stage::set(engine).await;
        demand_join(&stage, &stage.tenant).await;
        let mut pressing = Vec::new();
        for number in 2..=4 {
            let refusing = stage.test.tenant(number, Tier::Free).await;
            testkit::add_guild(&stage.discord, &refusing.discord_guild, "Refusing");
            demand_join(&stage, &refusing).await;
            let slug = format!("guild-{number}");
            pressing.push((visitor(&stage, &slug, number).await, slug));
            kick_our_bot(&stage, &refusing.discord_guild);
        }
        let (mut browser, client, body) = visitor(&stage, "guild-1", 1).await;
        for ((_, client, body), slug) in &pressing {
            client.post(&format!("/link/{slug}/join"), body).await;
        }
        // Each was refused twice, which is more in a row than Discord is allowed to fail.
        client.post("/link/guild-1/join", &body).await;
        assert!(browser.page().await.contains("You’re in the Discord server"));
        stage.finish().await;
    }

    async fn one_banned_visitor_does_not_close_the_door_for_the_others(engine) {
        let stage = Stage::set(engine).await;
        demand_join(&stage, &stage.tenant).await;
        let (mut banned, client, body) = visitor(&stage, "guild-1", 1).await;
        let (mut browser, other_client, other_body) = visitor(&stage, "guild-1", 2).await;
        ban(&stage, &stage.tenant.discord_guild, &discord(1));
        client.post("/link/guild-1/join", &body).await;
        assert!(banned.page().await.contains("not in the Discord server yet"));
        other_client.post("/link/guild-1/join", &other_body).await;
        assert!(browser.page().await.contains("You’re in the Discord server"));
        stage.finish().await;
    }

    async fn banned_people_who_press_join_keep_no_member_of_their_community_from_linking(engine) {
        let stage = Stage::set(engine).await;
        demand_join(&stage, &stage.tenant).await;
        let guild = &stage.tenant.discord_guild;
        let mut banned = Vec::new();
        for number in 1..=5 {
            ban(&stage, guild, &discord(number));
            banned.push(visitor(&stage, "guild-1", number).await);
        }
        let (_, client, body) = visitor(&stage, "guild-1", 6).await;
        testkit::add_member(&stage.discord, guild, &discord(6));
        for minute in 0..10 {
            // What Discord has against a person is asked about again after this time.
            stage.test.clock.advance_ms(if minute == 0 { 0 } else { 60_000 });
            for (_, client, body) in &banned {
                client.post("/link/guild-1/join", body).await;
            }
        }
        let refused = stage.discord.hub().count(ADD);
        let verified = client.post("/link/guild-1/verify", &body).await;
        assert_eq!(stage.discord.hub().count(ADD), refused, "they have used up what adding people may cost");
        assert_eq!(verified.header("location"), Some("/link/guild-1"));
        stage.finish().await;
    }

    async fn communities_that_collect_refusals_together_stop_nobody_who_has_none(engine) {
        let stage = Stage::set(engine).await;
        stage.demand(JoinMode::Invite, false).await;
        let (_, client, body) = visitor(&stage, "guild-1", 1).await;
        testkit::add_member(&stage.discord, &stage.tenant.discord_guild, &discord(1));
        stage.discord.hub().add_fault(Fault::new(MEMBER, FaultKind::Error403));
        let (mut guilds, mut refused) = (700_000_000.., 0);
        for org_num in 1_000..1_100 {
            refused += collect_refusals(&stage, org_num, &mut guilds).await;
        }
        assert!((500..1_000).contains(&refused), "{refused}: as many as a node risks for them");
        stage.discord.hub().remove_faults();
        let verified = client.post("/link/guild-1/verify", &body).await;
        assert_eq!(verified.header("location"), Some("/link/guild-1"));
        // However many communities there are, Discord never sees more than this.
        stage.discord.hub().add_fault(Fault::new(MEMBER, FaultKind::Error403));
        for org_num in 2_000..4_000 {
            refused += collect_refusals(&stage, org_num, &mut guilds).await;
        }
        assert_eq!(refused, 1_000);
        stage.finish().await;
    }
}
