//! What the person on duty learns about a provider: whose fault it is, what was asked, and what came back.

use std::sync::atomic::{AtomicBool, Ordering};

use domain::permission::Permission;
use domain::quota::DailyQuota;
use emulator::{Fault, FaultKind};
use http::Method;
use serde_json::json;
use storage::testing::newest_errors;
use testkit::{Client, Tenant, both_databases, discord, steam, wait_until};

use super::stage::Stage;
use crate::secrecy::search::Log;
use crate::support::{call, refusal, refused};
use crate::tenancy::claims::{OWN, look_up_as, person, servers};

const GUILD: &str = "GET /api/v10/guilds/{guild}";
const VANITY: &str = "GET /ISteamUser/ResolveVanityURL/v1";

both_databases! {
    async fn a_wrong_client_secret_is_told_by_its_setting_and_by_a_code_of_its_own(engine) {
        let log = Log::capture();
        let stage = Stage::set(engine).await;
        let changed = stage.discord.change(|state| {
            for application in state.applications.values_mut() {
                application.secret = "another".to_owned();
            }
        });
        changed.expect("another secret");
        let mut browser = stage.browser();
        let back = browser.answer_of_discord("link", &discord(1)).await;
        let reply = browser.get(&back).await;
        assert_eq!(reply.status, 503);
        assert!(reply.text().contains("does not accept this installation"), "{}", reply.text());
        assert!(!reply.text().contains("does not answer"), "{}", reply.text());
        let logged = log.text();
        let line = logged.lines().find(|line| line.contains("rejects our credentials")).expect("a line");
        assert!(line.contains("WARN") && line.contains("discord.client_id and discord.client_secret"), "{line}");
        assert!(line.contains("POST /oauth2/token"), "{line}");
        app::background::flush_errors(&stage.test.app).await.unwrap();
        let group = &newest_errors(&stage.test.db.db, 10).await[0];
        assert_eq!(group.code, "PROVIDER_MISCONFIGURED");
        assert!(group.detail.contains("discord.client_secret"), "{}", group.detail);
        stage.finish().await;
    }

    async fn a_wrong_bot_token_is_told_by_its_setting_and_discord_is_left_alone(engine) {
        let log = Log::capture();
        let stage = Stage::set(engine).await;
        servers(&stage);
        stage.test.member(&stage.tenant, 1, Permission::ALL).await;
        let (browser, _) = look_up_as(&stage, &stage.tenant, 1).await;
        let me = person(&stage, &browser);
        let changed = stage.discord.change(|state| {
            for application in state.applications.values_mut() {
                application.token = "another".to_owned();
            }
        });
        changed.expect("another token");
        let uri = format!("/orgs/{}/guilds", stage.tenant.org);
        let claim = json!({ "discord_guild_id": discord(OWN).as_str(), "slug": "mine" });
        for _ in 0..20 {
            let reply = call(&me, Method::POST, &uri, &claim).await;
            assert_eq!(refusal(&reply), refused(503, "PROVIDER_MISCONFIGURED"));
        }
        assert_eq!(stage.discord.hub().count(GUILD), 1, "one request after a 401");
        assert!(log.text().contains("discord.bot_token"));
        stage.finish().await;
    }

    async fn a_silent_provider_leaves_a_line_and_a_detail_with_route_status_and_time(engine) {
        let log = Log::capture();
        let stage = Stage::set(engine).await;
        servers(&stage);
        stage.test.member(&stage.tenant, 1, Permission::ALL).await;
        let (browser, _) = look_up_as(&stage, &stage.tenant, 1).await;
        let me = person(&stage, &browser);
        stage.discord.hub().add_fault(Fault::new(GUILD, FaultKind::Error500).times(1));
        let uri = format!("/orgs/{}/guilds", stage.tenant.org);
        let claim = json!({ "discord_guild_id": discord(OWN).as_str(), "slug": "mine" });
        let reply = call(&me, Method::POST, &uri, &claim).await;
        assert_eq!(refusal(&reply), refused(503, "PROVIDER_SILENT"));
        app::background::flush_errors(&stage.test.app).await.unwrap();
        let groups = newest_errors(&stage.test.db.db, 10).await;
        let group = groups.iter().find(|group| group.code == "PROVIDER_SILENT").expect("a group");
        for said in ["discord", "GET /guilds/{guild}", "status 500", " ms"] {
            assert!(group.detail.contains(said), "{said}: {}", group.detail);
        }
        // Where the person is sent back to the page, there is the line.
        let mut visitor = stage.browser();
        let back = visitor.answer_of_steam("link", &steam(1)).await;
        stage.steam.hub().add_fault(Fault::new("POST /openid/login", FaultKind::Error500).times(1));
        assert_eq!(visitor.get(&back).await.header("location"), Some("/link/guild-1?notice=steam-silent"));
        let logged = log.text();
        for said in [["Discord bot", "GET /guilds/{guild}"], ["Steam sign-in", "POST /openid/login"]] {
            let line = logged.lines().find(|line| line.contains("no usable answer") && said.iter().all(|part| line.contains(part)));
            let line = line.unwrap_or_else(|| panic!("{said:?} in {logged}"));
            assert!(line.contains("WARN") && line.contains("status 500") && line.contains("ms="), "{line}");
        }
        stage.finish().await;
    }

    async fn a_form_of_settings_asks_steam_for_a_guild_of_ones_own_and_each_name_once(engine) {
        let stage = Stage::set(engine).await;
        let me = stage.test.person(&stage.test.session(&stage.tenant.owner).await);
        let form = |guild: &str, name: &str| {
            let (me, uri) = (me.clone(), format!("/orgs/{}/guilds/{guild}", stage.tenant.org));
            let body = json!({ "steam_group": format!("https://steamcommunity.com/groups/{name}") });
            async move { call(&me, Method::PATCH, &uri, &body).await }
        };
        let made_up = domain::id::GuildId::generate(1, &domain::random::SeededRandom::new(9));
        for _ in 0..20 {
            assert_eq!(form(made_up.as_str(), "somewhere").await.status, 404);
        }
        assert_eq!(stage.steam.hub().count(VANITY), 0, "the Guild comes first");
        for _ in 0..10 {
            let pressed = futures_util::future::join_all((0..5).map(|_| form(stage.tenant.guild.as_str(), "nowhere"))).await;
            assert!(pressed.iter().all(|reply| reply.status == 400));
        }
        assert_eq!(stage.steam.hub().count(VANITY), 1, "the answer is remembered");
        stage.test.clock.advance_ms(-10 * 60_000);
        form(stage.tenant.guild.as_str(), "nowhere").await;
        assert_eq!(stage.steam.hub().count(VANITY), 1, "also when the wall clock is set back");
        stage.test.clock.advance_ms(60_000);
        form(stage.tenant.guild.as_str(), "nowhere").await;
        assert_eq!(stage.steam.hub().count(VANITY), 2, "somebody may have made it meanwhile");
        stage.finish().await;
    }

    async fn an_org_has_its_share_of_the_days_calls_and_no_more(engine) {
        let stage = Stage::set(engine).await;
        let other = stage.test.tenant(2, domain::plan::Tier::Free).await;
        let day = DailyQuota::day_of(stage.test.app.now_ms());
        let spent = format!("INSERT INTO daily_calls (provider, day, org_num, calls) VALUES ('steam_web_api', {day}, {}, 4500)", stage.tenant.scope.num());
        stage.test.db.damage(&spent).await;
        app::players::steam_calls::share(&stage.test.app).await.unwrap();
        for (tenant, expected) in [(&stage.tenant, 429), (&other, 400)] {
            let me = stage.test.person(&stage.test.session(&tenant.owner).await);
            let uri = format!("/orgs/{}/guilds/{}", tenant.org, tenant.guild);
            let body = json!({ "steam_group": "https://steamcommunity.com/groups/somewhere" });
            assert_eq!(call(&me, Method::PATCH, &uri, &body).await.status, expected);
        }
        assert_eq!(stage.steam.hub().count(VANITY), 1);
        stage.finish().await;
    }

    async fn a_question_that_hangs_holds_up_nobody_but_who_waits_for_it(engine) {
        let stage = Stage::set(engine).await;
        let (mut others, is_over) = (Vec::new(), AtomicBool::new(false));
        for number in 2..=65 {
            others.push(stage.test.tenant(number, domain::plan::Tier::Free).await);
        }
        // Whatever number of locks somebody might spread Orgs over, one of these shares a lock with ours.
        others.retain(|other| (other.scope.num() - stage.tenant.scope.num()) % 16 == 0);
        assert_eq!(others.len(), 4);
        let owner = async |tenant: &Tenant| {
            let me = stage.test.person(&stage.test.session(&tenant.owner).await);
            (me, format!("/orgs/{}/guilds/{}", tenant.org, tenant.guild))
        };
        let (own, mut foreign) = (owner(&stage.tenant).await, Vec::new());
        for other in &others {
            foreign.push(owner(other).await);
        }
        let form = async |(me, uri): &(Client, String), name: &str| {
            let body = json!({ "steam_group": format!("https://steamcommunity.com/groups/{name}") });
            call(me, Method::PATCH, uri, &body).await
        };
        assert_eq!(form(&own, "known").await.status, 400);
        stage.steam.hub().add_fault(Fault::new(VANITY, FaultKind::Hang).times(1));
        let hang = async {
            let replies = tokio::join!(form(&own, "slow"), form(&own, "SLOW"));
            is_over.store(true, Ordering::SeqCst);
            replies
        };
        let meanwhile = async {
            wait_until("Steam is asked", async || stage.steam.hub().count(VANITY) == 2).await;
            for other in &foreign {
                assert_eq!(form(other, "elsewhere").await.status, 400);
                assert!(!is_over.load(Ordering::SeqCst), "another Org goes on");
            }
            assert_eq!(form(&own, "known").await.status, 400, "what is known needs nobody");
            let second = form(&own, "another").await;
            assert_eq!((second.status.as_u16(), second.code().as_str()), (429, "RATE_LIMITED"));
            assert_eq!(second.header("retry-after"), Some("1"));
            assert!(!is_over.load(Ordering::SeqCst), "and all that while Steam did not answer");
            stage.steam.hub().remove_faults();
        };
        let ((first, same), ()) = tokio::join!(hang, meanwhile);
        assert_eq!((first.status.as_u16(), same.status.as_u16()), (503, 503), "who asks the same shares the answer");
        assert_eq!(stage.steam.hub().count(VANITY), 3);
        assert_eq!(form(&own, "slow").await.status, 400, "a failure is not remembered");
        stage.finish().await;
    }
}
