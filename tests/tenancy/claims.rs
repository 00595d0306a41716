//! Claiming a Discord server.

use domain::permission::Permission;
use domain::plan::Tier;
use emulator::discord::{Guild, Member, Permissions, Role, Snowflake};
use emulator::{Fault, FaultKind};
use http::Method;
use serde_json::json;
use testkit::{Client, Reply, Tenant, both_databases, discord};

use crate::linking::stage::{Browser, Stage, own_path, visit};
use crate::support::{call, refusal, refused};

pub const OWN: u64 = 900_000_001;
const NO_BOT: u64 = 900_000_002;
const ONLY_MEMBER: u64 = 900_000_003;
const MANAGED: u64 = 900_000_004;
const BOT: Snowflake = Snowflake(600_000_000_000_000_001);

fn id(number: u64) -> Snowflake {
    discord(number).as_str().parse().unwrap()
}

/// Player 1 owns two servers, manages a third and is in a fourth.
pub fn servers(stage: &Stage) {
    let made = |owner: Snowflake, members: &[Snowflake]| Guild {
        name: "Somewhere".to_owned(),
        owner_id: Some(owner),
        members: members
            .iter()
            .map(|member| (*member, Member::default()))
            .collect(),
        ..Guild::default()
    };
    let (me, other) = (id(1), id(2));
    let mut managed = made(other, &[me, other, BOT]);
    let role = Snowflake(950_000_000_000_000_001);
    managed.roles.insert(
        role,
        Role {
            name: "Helper".to_owned(),
            position: 1,
            permissions: Permissions::MANAGE_GUILD,
            ..Role::default()
        },
    );
    managed.members.insert(
        me,
        Member {
            roles: vec![role],
            ..Member::default()
        },
    );
    let changed = stage.discord.change(|state| {
        state.guilds.insert(id(OWN), made(me, &[me, BOT]));
        state.guilds.insert(id(NO_BOT), made(me, &[me]));
        state
            .guilds
            .insert(id(ONLY_MEMBER), made(other, &[me, other, BOT]));
        state.guilds.insert(id(MANAGED), managed);
    });
    changed.expect("four servers");
}

/// A browser that is signed in here as player 1 and asks Discord as `who`.
async fn look_up(stage: &Stage, who: u64) -> (Browser, Reply) {
    look_up_as(stage, &stage.tenant, who).await
}

/// The same for an Org.
pub async fn look_up_as(stage: &Stage, tenant: &Tenant, who: u64) -> (Browser, Reply) {
    let account = app::identity::accounts::ensure(
        &stage.test.app,
        discord(1),
        domain::name::DisplayName::parse("Player 1").unwrap(),
    )
    .await
    .unwrap();
    let mut browser = stage.browser();
    browser
        .cookies
        .insert("symbolon".to_owned(), stage.test.session(&account).await);
    let out = browser
        .get(&format!("/auth/discord/claim?org={}", tenant.org))
        .await;
    assert_eq!(out.status, 303, "{}", out.text());
    let there = out.header("location").unwrap().to_owned();
    let back = own_path(&visit(&format!("{there}&as={}", discord(who))).await);
    let reply = browser.get(&back).await;
    (browser, reply)
}

pub fn person(stage: &Stage, browser: &Browser) -> Client {
    stage.test.person(&browser.cookies["symbolon"])
}

both_databases! {
    async fn what_a_person_manages_with_our_bot_in_it_can_be_claimed_once(engine) {
        let stage = Stage::set(engine).await;
        servers(&stage);
        stage.test.member(&stage.tenant, 1, Permission::ALL).await;
        let uri = format!("/orgs/{}/guilds", stage.tenant.org);
        let claim = |number: u64, slug: &str| json!({ "discord_guild_id": discord(number).as_str(), "slug": slug });
        let before = stage.test.person(&stage.test.member(&stage.tenant, 1, Permission::ALL).await);
        assert_eq!(refusal(&call(&before, Method::POST, &uri, &claim(OWN, "mine")).await), refused(403, "NOT_YOUR_GUILD"));
        let (browser, reply) = look_up(&stage, 1).await;
        assert_eq!(reply.header("location"), Some(&*format!("/app/orgs/{}/guilds/new", stage.tenant.org)));
        stage.test.settle().await;
        assert!(stage.discord.grants().is_empty(), "the token is given back");
        let me = person(&stage, &browser);
        let listed = me.get(&format!("/orgs/{}/claimable-guilds", stage.tenant.org)).await.json();
        let mut ids: Vec<&str> = listed["candidates"].as_array().unwrap().iter().map(|one| one["discord_guild_id"].as_str().unwrap()).collect();
        ids.sort_unstable();
        assert_eq!(ids, [discord(OWN).as_str(), discord(NO_BOT).as_str(), discord(MANAGED).as_str()]);
        assert_eq!(refusal(&call(&me, Method::POST, &uri, &claim(ONLY_MEMBER, "foreign")).await), refused(403, "NOT_YOUR_GUILD"));
        let absent = call(&me, Method::POST, &uri, &claim(NO_BOT, "no-bot")).await;
        assert_eq!(refusal(&absent), refused(409, "BOT_ABSENT"));
        assert!(absent.json()["invite_url"].as_str().unwrap().contains(&format!("guild_id={}", discord(NO_BOT))));
        for number in [OWN, MANAGED] {
            let made = call(&me, Method::POST, &uri, &claim(number, &format!("claimed-{number}"))).await;
            assert_eq!((made.status.as_u16(), &made.json()["name"]), (201, &"Somewhere".into()), "{}", made.text());
        }
        assert_eq!(refusal(&call(&me, Method::POST, &uri, &claim(OWN, "twice")).await), refused(409, "LIMIT_REACHED"));
        app::billing::grants::set_tier(&stage.test.app, stage.tenant.scope, Tier::Pro, domain::audit::Actor::System).await.unwrap();
        assert_eq!(refusal(&call(&me, Method::POST, &uri, &claim(OWN, "twice")).await), refused(409, "CONFLICT"));
        let listed = me.get(&format!("/orgs/{}/claimable-guilds", stage.tenant.org)).await.json();
        let claimed = listed["candidates"].as_array().unwrap().iter().filter(|one| one["claimed"] == true).count();
        assert_eq!(claimed, 2);
        stage.test.clock.advance_ms(15 * 60_000);
        assert_eq!(refusal(&call(&me, Method::POST, &uri, &claim(NO_BOT, "late")).await), refused(403, "NOT_YOUR_GUILD"), "what Discord said is old");
        app::background::keep_house(&stage.test.app).await.unwrap();
        assert_eq!(stage.count("managed_guilds").await, 0);
        stage.finish().await;
    }

    async fn having_signed_in_afresh_a_person_goes_on_with_a_new_session(engine) {
        let stage = Stage::set(engine).await;
        servers(&stage);
        let old = stage.test.member(&stage.tenant, 1, Permission::ALL).await;
        let elsewhere = stage.test.session(&stage.test.account(1).await).await;
        stage.test.clock.advance_ms(20 * 60_000);
        let mut browser = stage.browser();
        browser.cookies.insert("symbolon".to_owned(), old.clone());
        let out = browser.get(&format!("/auth/discord/claim?org={}", stage.tenant.org)).await;
        let back = own_path(&visit(&format!("{}&as={}", out.header("location").unwrap(), discord(1))).await);
        assert_eq!(stage.test.person(&old).get("/account").await.status, 200);
        let sessions = stage.count("sessions").await;
        assert_eq!(browser.get(&back).await.status, 303);
        assert_ne!(browser.cookies["symbolon"], old);
        assert_eq!(stage.test.person(&old).get("/account").await.status, 401, "the old one is dead");
        let me = person(&stage, &browser).get("/account").await.json();
        assert_eq!(me["signed_in_at_ms"], stage.test.app.now_ms(), "and the new one is fresh");
        assert_eq!(stage.test.person(&elsewhere).get("/account").await.status, 200, "other browsers stay");
        assert_eq!(stage.count("sessions").await, sessions);
        // Whoever came back as somebody else keeps what they had.
        let (browser, reply) = look_up(&stage, 2).await;
        assert_eq!(reply.status, 403);
        assert_eq!(person(&stage, &browser).get("/account").await.status, 200);
        stage.finish().await;
    }

    async fn a_claim_that_is_sent_again_gives_the_same_guild_without_asking_discord(engine) {
        let stage = Stage::set(engine).await;
        servers(&stage);
        stage.test.member(&stage.tenant, 1, Permission::ALL).await;
        let (browser, _) = look_up(&stage, 1).await;
        let press = person(&stage, &browser).header("idempotency-key", "claim");
        let uri = format!("/orgs/{}/guilds", stage.tenant.org);
        let claim = json!({ "discord_guild_id": discord(OWN).as_str(), "slug": "mine" });
        let made = call(&press, Method::POST, &uri, &claim).await;
        assert_eq!(made.status, 201, "{}", made.text());
        stage.test.clock.advance_ms(15 * 60_000);
        stage.discord.hub().add_fault(Fault::new("GET /api/v10/guilds", FaultKind::Error500));
        let again = call(&press, Method::POST, &uri, &claim).await;
        assert_eq!((again.status.as_u16(), again.json()), (201, made.json()));
        assert_eq!(stage.count("guilds").await, 2);
        stage.finish().await;
    }

    async fn a_list_of_servers_that_discord_does_not_give_claims_nothing(engine) {
        let stage = Stage::set(engine).await;
        servers(&stage);
        stage.test.member(&stage.tenant, 1, Permission::ALL).await;
        let list = "GET /api/v10/users/@me/guilds";
        stage.discord.hub().add_fault(Fault::new(list, FaultKind::Error500).times(1));
        let (browser, reply) = look_up(&stage, 1).await;
        assert_eq!(reply.status, 503);
        stage.test.settle().await;
        assert!(stage.discord.grants().is_empty(), "the token is given back");
        assert_eq!(stage.count("managed_guilds").await, 0);
        let uri = format!("/orgs/{}/guilds", stage.tenant.org);
        let claim = json!({ "discord_guild_id": discord(OWN).as_str(), "slug": "mine" });
        assert_eq!(refusal(&call(&person(&stage, &browser), Method::POST, &uri, &claim).await), refused(403, "NOT_YOUR_GUILD"));
        stage.finish().await;
    }

    async fn servers_of_another_discord_account_do_not_count(engine) {
        let stage = Stage::set(engine).await;
        servers(&stage);
        stage.test.member(&stage.tenant, 1, Permission::ALL).await;
        let (_, reply) = look_up(&stage, 2).await;
        assert_eq!(reply.status, 403);
        assert!(reply.text().contains("a different Discord account"));
        assert_eq!(stage.count("managed_guilds").await, 0);
        let stranger = stage.test.person(&stage.test.session(&stage.test.account(7).await).await);
        assert_eq!(stranger.get(&format!("/auth/discord/claim?org={}", stage.tenant.org)).await.status, 404);
        assert_eq!(stage.test.client().get(&format!("/auth/discord/claim?org={}", stage.tenant.org)).await.status, 401);
        stage.finish().await;
    }
}
