//! Players come, link and leave.

use domain::flow::JoinMode;
use domain::link::UnlinkCause;
use domain::platform_id::EitherId;
use testkit::{Engine, discord, steam};

use super::host::{Host, config};
use super::service::Running;
use crate::linking::stage::Stage;

const WAVE: u64 = 200;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wave_of_players_gets_its_groups_with_few_requests() {
    let stage = Stage::set(Engine::Sqlite).await;
    stage.demand(JoinMode::Off, true).await;
    let (app, tenant) = (&stage.test.app, &stage.tenant);
    for number in 1..=WAVE - 50 {
        tenant.link_pair(app, number, number).await.expect("a link");
    }
    let service = Running::start(&stage.test, None).await;
    let mut host = Host::start(stage.test.db.directory(), &config(&service.url(), &tenant.key)).await;
    for number in 1..=WAVE {
        host.join(number);
    }
    for number in [1, 75, WAVE - 50] {
        host.until(number, &["linked"]).await;
    }
    let spent: u64 = host.requests().await.values().sum();
    assert!(spent <= 60, "{spent} requests for {WAVE} players");
    for (number, id) in (1..=WAVE).map(|number| (number, steam(number))) {
        let groups = host.groups().await.remove(id.as_str()).expect("a player");
        let expected: &[&str] = if number <= WAVE - 50 { &["linked"] } else { &[] };
        assert_eq!(groups, expected, "{number}");
    }
    // The names and the groups of everybody are known.
    assert_eq!(
        stage
            .count("server_players WHERE oxide_groups LIKE '%linked%'")
            .await,
        150
    );
    assert_eq!(stage.count("links WHERE steam_name = 'Player7'").await, 1);

    // Then four requests a poll, for however many.
    let polls = async |host: &mut Host| host.requests().await.get("steamChecks").copied().unwrap_or(0);
    let (begun, before) = (
        polls(&mut host).await,
        host.requests().await.values().sum::<u64>(),
    );
    while polls(&mut host).await < begun + 5 {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    let (polled, spent) = (
        polls(&mut host).await - begun,
        host.requests().await.values().sum::<u64>() - before,
    );
    assert!(spent <= 4 * (polled + 1), "{spent} requests in {polled} polls");
    service.end();
    stage.test.drain_jobs().await;
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_player_links_with_the_address_of_the_page_and_loses_the_group_with_the_link() {
    let stage = Stage::set(Engine::Sqlite).await;
    let (app, tenant) = (&stage.test.app, &stage.tenant);
    let service = Running::start(&stage.test, None).await;
    let mut host = Host::start(stage.test.db.directory(), &config(&service.url(), &tenant.key)).await;
    host.join(1);
    host.until(1, &[]).await;
    host.order(&format!("command {} link", steam(1)));
    testkit::wait_until("an answer", || {
        let is_told = host.count("reply") == 1;
        async move { is_told }
    })
    .await;
    let said = host.told("reply")[0].as_str().expect("a text").to_owned();
    assert!(
        said.ends_with("Link your Discord account at https://symbolon.example/link/guild-1"),
        "{said}"
    );
    // Until it is known that they are not.
    while host
        .requests()
        .await
        .get("steamChecks")
        .is_none_or(|asked| *asked < 2)
    {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    tenant.link_pair(app, 1, 1).await.expect("a link");
    host.until(1, &["linked"]).await;
    assert_eq!(host.count("message"), 1, "they are told once");
    let (guild, either) = (tenant.guild.clone(), EitherId::Discord(discord(1)));
    app::linking::links::unlink(
        app,
        tenant.scope,
        guild,
        either,
        UnlinkCause::User,
        domain::audit::Actor::Player,
    )
    .await
    .expect("an answer");
    host.until(1, &[]).await;
    // The Guild has no Steam group: that is learned once.
    let requests = host.requests().await;
    assert!(
        requests["steamChecks"] > 2 && requests["groupChecks"] == 1,
        "{requests:?}"
    );
    app.memories.plugins.flush(&app.db, 0).await.expect("a flush");
    assert_eq!(stage.count("servers WHERE plugin_version IS NOT NULL").await, 1);
    service.end();
    stage.test.drain_jobs().await;
    stage.finish().await;
}
