//! Pictures of communities and people: fetched once, checked, and shown from our own address.

use std::path::PathBuf;

use app::bots::look;
use app::pictures::{self, Owner};
use app::tenancy::guilds;
use domain::audit::Actor;
use domain::flow::JoinMode;
use domain::permission::Permission;
use domain::plan::Tier;
use emulator::{Fault, FaultKind};
use testkit::{Tenant, both_databases, discord, wait_until};

use super::sign_in::enter;
use crate::linking::stage::Stage;

const ICON: &str = "0123456789abcdef0123456789abcdef";
const OTHER: &str = "a_fedcba9876543210fedcba9876543210";
const ICONS: &str = "GET /icons/{guild}/{file}";
const AVATARS: &str = "GET /avatars/{user}/{file}";
const LARGEST: usize = 128 * 1024;

impl Stage {
    async fn owner(&self, tenant: &Tenant) -> Owner {
        let found = storage::tenancy::guilds::find(&self.test.app.db, tenant.scope, &tenant.guild).await;
        Owner::Guild(tenant.scope, found.unwrap().unwrap())
    }

    fn wear(&self, icon: &str) {
        testkit::set_icon(&self.discord, &self.tenant.discord_guild, icon);
    }

    async fn keep(&self, icon: Option<&str>) {
        let owner = self.owner(&self.tenant).await;
        pictures::keep(&self.test.app, &owner, icon).await.unwrap();
    }

    /// Where the link page finds the picture of its community.
    async fn address(&self) -> Option<String> {
        let page = self.browser().get("/link/guild-1").await;
        let rest = page.text().split("<img class=\"tile\" src=\"").nth(1)?;
        Some(rest.split('"').next()?.to_owned())
    }

    async fn status(&self, address: &str) -> u16 {
        self.browser().get(address).await.status.as_u16()
    }

    /// The files of the community.
    fn files(&self) -> Vec<PathBuf> {
        let folder = self.test.db.directory().join("blobs/pictures");
        let listed = std::fs::read_dir(folder.join(self.tenant.guild.as_str()));
        let listed = listed.into_iter().flatten();
        listed.map(|file| file.unwrap().path()).collect()
    }

    /// How the calls for pictures ended so far.
    fn outcomes(&self) -> Vec<(&'static str, u64)> {
        self.test
            .app
            .platforms
            .discord_cdn
            .as_ref()
            .unwrap()
            .standing()
            .calls
    }
}

both_databases! {
    async fn a_community_shows_its_picture_from_our_own_address(engine) {
        let stage = Stage::set(engine).await;
        stage.demand(JoinMode::Off, false).await;
        stage.wear(ICON);
        assert_eq!(stage.address().await, None, "letters stand for it until then");
        for _ in 0..2 {
            look::enqueue(&stage.test.app, stage.tenant.scope, stage.tenant.guild.clone()).await.unwrap();
            stage.test.drain_jobs().await;
            wait_until("the picture is kept", async || stage.count("pictures").await == 1).await;
        }
        assert_eq!(stage.discord.hub().count(ICONS), 1, "it is fetched once");
        let address = stage.address().await.unwrap();
        let shown = stage.browser().get(&address).await;
        assert_eq!((shown.status.as_u16(), shown.header("content-type")), (200, Some("image/png")));
        // What is removed has to go from other people's caches too.
        assert_eq!(shown.header("cache-control"), Some("private, max-age=86400, immutable"));
        assert_eq!(shown.header("x-content-type-options"), Some("nosniff"));
        assert!(shown.header("content-security-policy").unwrap().starts_with("default-src 'none';"));
        let page = stage.browser().get("/link/guild-1").await;
        assert!(page.header("content-security-policy").unwrap().contains("img-src 'self' data:;"));
        let session = stage.test.member(&stage.tenant, 5, &[Permission::ServersView]).await;
        let listed = stage.test.person(&session).get(&format!("/orgs/{}/guilds", stage.tenant.org)).await;
        assert_eq!(listed.json()["guilds"][0]["picture"], address.as_str());
        // Another picture has another address, and the one before is gone.
        stage.wear(OTHER);
        stage.keep(Some(OTHER)).await;
        assert_ne!(stage.address().await.unwrap(), address);
        assert_eq!((stage.status(&address).await, stage.files().len()), (404, 1));
        stage.keep(None).await;
        assert_eq!((stage.address().await, stage.files().len()), (None, 0));
        stage.finish().await;
    }

    async fn what_is_no_picture_is_not_kept(engine) {
        let stage = Stage::set(engine).await;
        stage.wear(ICON);
        let large = ["GIF89a", &" ".repeat(LARGEST - 5)].concat();
        for fault in [
            Fault::new(ICONS, FaultKind::Garbage).times(1),
            Fault::new(ICONS, FaultKind::Error500).times(1),
            Fault::new(ICONS, FaultKind::Drop).times(1),
            Fault::answer(ICONS, 200, "").header("content-type", "image/png"),
            Fault::answer(ICONS, 200, "<svg onload=\"alert(1)\">").header("content-type", "image/png"),
            Fault::answer(ICONS, 200, &large).header("content-type", "image/gif"),
            Fault::answer(ICONS, 302, "GIF89a").header("location", "http://127.0.0.1:1/"),
        ] {
            let what = format!("{fault:?}");
            stage.discord.hub().add_fault(fault);
            stage.keep(Some(ICON)).await;
            assert_eq!((stage.count("pictures").await, stage.files().len()), (0, 0), "{what:.200}");
        }
        let asked = stage.discord.hub().count(ICONS);
        for odd in ["../../../etc/passwd", "", "0123", "0123456789abcdef0123456789abcdef?x"] {
            stage.keep(Some(odd)).await;
        }
        assert_eq!((stage.count("pictures").await, stage.discord.hub().count(ICONS)), (0, asked));
        stage.finish().await;
    }

    async fn a_picture_is_what_its_bytes_say(engine) {
        let stage = Stage::set(engine).await;
        stage.wear(ICON);
        let largest = ["GIF89a", &" ".repeat(LARGEST - 6)].concat();
        stage.discord.hub().add_fault(Fault::answer(ICONS, 200, &largest).header("content-type", "text/html"));
        stage.keep(Some(ICON)).await;
        let shown = stage.browser().get(&stage.address().await.unwrap()).await;
        assert_eq!((shown.header("content-type"), shown.text().len()), (Some("image/gif"), LARGEST));
        stage.finish().await;
    }

    async fn a_cdn_that_hangs_delays_nobody(engine) {
        let stage = Stage::set(engine).await;
        stage.wear(ICON);
        testkit::set_avatar(&stage.discord, &discord(1), ICON);
        for route in [ICONS, AVATARS] {
            stage.discord.hub().add_fault(Fault::new(route, FaultKind::Hang));
        }
        let mut browser = enter(&stage, 1).await;
        look::enqueue(&stage.test.app, stage.tenant.scope, stage.tenant.guild.clone()).await.unwrap();
        stage.test.drain_jobs().await;
        assert_eq!(browser.get("/account").await.json()["picture"], serde_json::Value::Null);
        assert_eq!((stage.address().await, stage.status("/link/guild-1").await), (None, 200));
        assert_eq!(stage.outcomes(), [], "all of this was done before the first picture came or failed");
        stage.discord.hub().remove_faults();
        wait_until("both are given up", async || stage.outcomes() == [("unreachable", 2)]).await;
        assert_eq!(stage.count("pictures").await, 0);
        stage.finish().await;
    }

    async fn a_removed_guild_leaves_no_picture(engine) {
        let stage = Stage::set(engine).await;
        stage.wear(ICON);
        let owner = stage.owner(&stage.tenant).await;
        stage.keep(Some(ICON)).await;
        let address = stage.address().await.unwrap();
        let (scope, guild) = (stage.tenant.scope, stage.tenant.guild.clone());
        guilds::remove(&stage.test.app, scope, guild, Actor::System).await.unwrap();
        assert_eq!(stage.status(&address).await, 404, "at once");
        stage.test.drain_jobs().await;
        assert_eq!((stage.count("pictures").await, stage.files().len()), (0, 0));
        // One that was on its way while the Guild went is not kept.
        assert!(pictures::keep(&stage.test.app, &owner, Some(ICON)).await.is_err());
        assert_eq!((stage.count("pictures").await, stage.files().len()), (0, 0));
        stage.finish().await;
    }

    async fn a_lost_file_is_fetched_again(engine) {
        let stage = Stage::set(engine).await;
        stage.wear(ICON);
        stage.keep(Some(ICON)).await;
        let address = stage.address().await.unwrap();
        for spoil in [|file: &PathBuf| std::fs::remove_file(file), |file: &PathBuf| std::fs::write(file, "<html>")] {
            stage.files().iter().for_each(|file| spoil(file).unwrap());
            assert_eq!(stage.status(&address).await, 404);
            assert_eq!(stage.address().await, None, "letters stand for it until somebody looks");
            stage.keep(Some(ICON)).await;
            assert_eq!((stage.address().await.as_ref(), stage.status(&address).await), (Some(&address), 200));
        }
        stage.finish().await;
    }

    async fn a_member_has_the_picture_of_their_discord_account(engine) {
        let stage = Stage::set(engine).await;
        testkit::set_avatar(&stage.discord, &discord(5), ICON);
        let session = stage.test.member(&stage.tenant, 5, &[Permission::OrgTeam]).await;
        let mut browser = enter(&stage, 5).await;
        wait_until("the picture is kept", async || stage.count("pictures").await == 1).await;
        let me = browser.get("/account").await.json();
        let address = me["picture"].as_str().unwrap();
        assert_eq!(browser.get(address).await.header("content-type"), Some("image/png"));
        let team = stage.test.person(&session).get(&format!("/orgs/{}/team", stage.tenant.org)).await.json();
        let of = |id: &str| team["members"].as_array().unwrap().iter().find(|one| one["discord_id"] == id).unwrap()["picture"].clone();
        assert_eq!(of(discord(5).as_str()), address);
        let owner = team["members"].as_array().unwrap().iter().find(|one| one["role"] == "owner").unwrap();
        assert_eq!(owner["picture"], serde_json::Value::Null);
        stage.finish().await;
    }

    async fn addresses_of_pictures_lead_to_nothing_else(engine) {
        let stage = Stage::set(engine).await;
        let other = stage.test.tenant(2, Tier::Standard).await;
        stage.wear(ICON);
        stage.keep(Some(ICON)).await;
        let address = stage.address().await.unwrap();
        let digest = address.rsplit('/').next().unwrap();
        let guild = &stage.tenant.guild;
        for odd in [
            format!("/pictures/{guild}/{}", digest.to_uppercase()),
            format!("/pictures/{}/{digest}", other.guild),
            format!("/pictures/gld_01HF7YAT000000000000000007/{digest}"),
            format!("/pictures/{guild}/..%2f..%2f..%2fmaster.keys"),
            format!("/pictures/..%2f..%2f/{digest}"),
            format!("/pictures/{guild}/"),
            format!("/pictures/{guild}"),
            format!("/pictures/{guild}/{}", "a".repeat(4_000)),
        ] {
            assert_eq!(stage.status(&odd).await, 404, "{odd}");
        }
        assert_eq!(stage.status(&format!("/pictures/{guild}/%00")).await, 400);
        assert_eq!(stage.status(&address).await, 200);
        stage.finish().await;
    }
}
